"""The sources of tests/oracle/language: accepted or rejected, and results.

NVRTC's verdicts and the results are in files next to the sources: ``python
tools/oracle verdicts FILE`` and ``python tools/oracle results FILE`` write
them. NVRTC rejects the sources of rewritten.txt; `compile` rewrites them, and
they give the results in that file.
"""

# SPDX-License-Identifier: MIT

import importlib
import sys
from functools import cache
from pathlib import Path

import pytest

import pycuda.driver as drv
from pycuda._compile import job, standards
from pycuda.compiler import compile

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "oracle" / "language"
FILES = sorted(path.stem for path in FOLDER.glob("*.cu"))


def module(name):
    """Load a module of tools/oracle."""
    path = str(ROOT / "tools" / "oracle")
    sys.path.insert(0, path)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(path)


@cache
def expected():
    """Return (keys that are rejected, results by key)."""
    refused = (FOLDER / "refused.txt").read_text().splitlines()
    results = module("results").read(FOLDER / "results.txt")
    rewritten = module("results").read(FOLDER / "rewritten.txt")
    return set(refused) - set(rewritten), results | rewritten


@pytest.fixture(scope="module")
def runner():
    """Run the sources in a separate process, which errors may end."""
    made = module("results").Runner()
    yield made
    made.close()


def answer(entry, runner):
    """Return the results, "taken" if there are none, or "error ..."."""
    if module("results").has_run(entry):
        return runner.words_as_text(entry)
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
def test_language(context, runner, name, monkeypatch):
    monkeypatch.setattr(standards, "remedy", lambda options, log: None)
    monkeypatch.setattr(job.Job, "_try_nvcc", lambda self: None)
    refused, results = expected()
    has_reason = module("results").has_reason
    wrong = []
    for entry in module("entries").sections(FOLDER / f"{name}.cu", "language"):
        if has_reason(entry.key):
            continue
        found = answer(entry, runner)
        wanted = results.get(entry.key, "taken")
        if entry.key in refused:
            wanted = "error CompileError"
        if found != wanted:
            wrong.append(f"{entry.key}: {found}, not {wanted}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.cpu
def test_the_sources_have_no_race():
    """Results of a race could differ between GPUs."""
    results = module("results")
    runner = results.Runner({"PYCUDA_CPU_CHECK": "race,memory"})
    errors = {
        entry.key: answer
        for entry in module("entries").folder(FOLDER)
        if results.has_run(entry)
        for answer in [runner.words_as_text(entry)]
        if answer.startswith("error") and answer != "error CompileError"
    }
    runner.close()
    _, wanted = expected()
    assert not {k: v for k, v in errors.items() if wanted.get(k) != v}


def test_a_launch_that_fails_ends_its_own_source_only(runner):
    entry = module("entries").Entry
    head = "__global__ void run(unsigned *out) { "
    codes = [head + "__trap(); }", head + "out[0] = 7; }", head + "x; }"]
    answers = [
        runner.words_as_text(entry("language", f"{n}", code, alone=True))
        for n, code in enumerate(codes)
    ]
    assert answers[0] != "error CompileError"
    assert answers[0].startswith("error ")
    assert answers[1:] == ["7", "error CompileError"]
