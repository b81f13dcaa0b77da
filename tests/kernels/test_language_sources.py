"""The sources of tests/oracle/language: what is taken, and what comes out.

NVRTC's verdicts and the results are kept in files beside the sources:
``python tools/oracle verdicts FILE`` and ``python tools/oracle results FILE``
write them.
"""

# SPDX-License-Identifier: MIT

import importlib
import sys
from functools import cache
from pathlib import Path

import pytest

import pycuda.driver as drv
from pycuda.compiler import compile

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "oracle" / "language"
FILES = sorted(path.stem for path in FOLDER.glob("*.cu"))


def module(name):
    """A module of tools/oracle."""
    path = str(ROOT / "tools" / "oracle")
    sys.path.insert(0, path)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(path)


@cache
def expected():
    """(keys that NVRTC refuses, results by key, keys that differ here)."""
    refused = (FOLDER / "refused.txt").read_text().splitlines()
    results = module("results").read(FOLDER / "results.txt")
    table = module("known").reasons()
    known = [pattern for row in table for pattern in row["entries"]]
    return set(refused), results, known


def answer(entry):
    """The results, "taken" for what has none, or "error ..."."""
    results = module("results")
    if results.has_run(entry):
        return results.words_of(entry)
    try:
        compile(
            entry.code,
            no_extern_c=True,
            options=list(entry.options),
            cache_dir=False,
        )
    except drv.CompileError:
        return "error CompileError"
    return "taken"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore:(?s).*compiler succeeded, but said")
@pytest.mark.filterwarnings("ignore:.*static shared memory")
def test_language(context, name):
    from fnmatch import fnmatchcase

    refused, results, known = expected()
    wrong = []
    for entry in module("entries").sections(FOLDER / f"{name}.cu", "language"):
        if any(fnmatchcase(entry.key, pattern) for pattern in known):
            continue
        found = answer(entry)
        wanted = results.get(entry.key, "taken")
        if entry.key in refused:
            wanted = "error CompileError"
        if found != wanted:
            wrong.append(f"{entry.key}: {found}, not {wanted}")
    assert not wrong, "\n".join(wrong)
