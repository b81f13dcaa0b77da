"""mypy and pyright accept right programs and refuse wrong lines.

The lines that are accepted also run; the examples and the programs of the
pages are accepted, too.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ACCEPTED = sorted(HERE.glob("accepted_*.py"))
REJECTED = HERE / "rejected_lines.py"
# Programs that import mpi4py are checked where it is installed.
NO_MPI = importlib.util.find_spec("mpi4py") is None
EXAMPLES = [
    path
    for path in sorted((ROOT / "examples").glob("*.py"))
    if not (NO_MPI and "mpi4py" in path.read_text())
]
MPI = """
parts = [np.ones(4, np.float32)]
"""

pytestmark = [pytest.mark.no_sanitizer, pytest.mark.cpu]

# File and line of each error.
Errors = dict[tuple[str, int], str]


def run(words: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", *words],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    # 1 is the status of a program with errors and of an absent checker.
    assert done.returncode in (0, 1), done.stderr + done.stdout
    assert "No module named" not in done.stderr, done.stderr
    return done.stdout


def mypy(paths: list[Path], folder: Path, *options: str) -> Errors:
    """Check with mypy --strict."""
    words = ["mypy", "--strict", "--no-error-summary", *options]
    # All tests share what mypy knows about NumPy.
    cache = ["--cache-dir", str(folder.parent / "mypy-cache")]
    out = run([*words, *cache, *map(str, paths)], folder)
    found = re.findall(r"^(.+?):(\d+): error: (.*)$", out, re.M)
    return {(Path(f).name, int(line)): text for f, line, text in found}


def pyright(paths: list[Path], folder: Path, mode: str = "strict") -> Errors:
    """Check with pyright, as basedpyright packages it."""
    settings = {
        "typeCheckingMode": mode,
        "reportMissingTypeStubs": False,
        "reportUnusedExpression": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    words = ["basedpyright", "--outputjson", "--pythonpath", sys.executable]
    report = json.loads(run([*words, *map(str, paths)], folder))
    assert report["summary"]["filesAnalyzed"] == len(paths)
    return {
        (Path(row["file"]).name, row["range"]["start"]["line"] + 1): row[
            "message"
        ]
        for row in report["generalDiagnostics"]
        if row["severity"] == "error"
    }


CHECKERS: list[Callable[..., Errors]] = [mypy, pyright]


@pytest.mark.parametrize("check", CHECKERS)
def test_accepted_programs(check: Callable[..., Errors], tmp_path: Path):
    assert len(ACCEPTED) >= 2
    assert check(ACCEPTED, tmp_path) == {}


@pytest.mark.parametrize("check", CHECKERS)
def test_rejected_lines(check: Callable[..., Errors], tmp_path: Path):
    lines = REJECTED.read_text().splitlines()
    wrong = {
        number: line.strip()
        for number, line in enumerate(lines, 1)
        if line.endswith("# wrong")
    }
    found = {number for _, number in check([REJECTED], tmp_path)}
    missed = [text for number, text in wrong.items() if number not in found]
    assert missed == []
    surplus = [lines[number - 1] for number in found if number not in wrong]
    assert surplus == []
    assert len(wrong) >= 90


def test_examples(tmp_path: Path):
    assert mypy(EXAMPLES, tmp_path) == {}
    assert pyright(EXAMPLES, tmp_path, "standard") == {}


def documentation() -> Any:
    """Return the module that runs the programs of the pages."""
    path = ROOT / "tests" / "examples" / "test_documentation.py"
    spec = importlib.util.spec_from_file_location("documentation", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_programs_of_the_pages(tmp_path: Path):
    """Functions of a page need no annotations of their own."""
    pages = documentation()
    paths = []
    for page in pages.PAGES:
        programs = pages.snippets(page)
        if programs and not (NO_MPI and page.name in ("mpi.md", "nccl.md")):
            before = pages.BEFORE.get(pages.page_id(page), "")
            before += MPI if page.name in ("mpi.md", "nccl.md") else ""
            name = re.sub(r"\W", "_", pages.page_id(page))
            path = tmp_path / f"page_{name}.py"
            path.write_text(pages.LIKELY + before + "\n".join(programs))
            paths.append(path)
    assert len(paths) >= 8
    relaxed = ("untyped-defs", "untyped-calls")
    options = [f"--allow-{name}" for name in relaxed]
    options.append("--ignore-missing-imports")
    assert mypy(paths, tmp_path, *options) == {}
    assert pyright(paths, tmp_path, "standard") == {}


def test_types_of_public_names(tmp_path: Path):
    """No checker has to guess the type of a name of a public module."""
    words = ["--verifytypes", "pycuda", "--ignoreexternal", "--outputjson"]
    path = str(Path(sys.executable).parent)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "basedpyright", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": path + os.pathsep + os.environ["PATH"]},
    )
    symbols = json.loads(done.stdout)["typeCompleteness"]["symbols"]
    assert len(symbols) >= 2000
    unknown = [
        symbol["name"]
        for symbol in symbols
        if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]
    ]
    # Learners complete the programs of the course.
    assert [n for n in unknown if not n.startswith("pycuda.course.")] == []


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_accepted_programs_run(path: Path, tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_element_wise_functions_have_types():
    """The stub has the names of the tables, each with its operands."""
    from pycuda._array.mathematics import BINARY, UNARY

    stub = ROOT / "pycuda" / "_array" / "mathematics_table.pyi"
    found = dict(re.findall(r"^(\w+): (_\w+)$", stub.read_text(), re.M))
    expected = {}
    for table, kind in ((UNARY, "_Unary"), (BINARY, "_Binary")):
        for name, others in table.items():
            expected.update(dict.fromkeys([name, *others], kind))
    assert found == expected


def test_vector_types_have_types():
    """The stub has each type and its function, with the names of fields."""
    from pycuda._vector_types import NAMES, vec

    stub = (ROOT / "pycuda" / "_vector_types.pyi").read_text()
    types = re.findall(r"^    (\w+): np.dtype\[np.void\]$", stub, re.M)
    makers = re.findall(r"^    def make_(\w+)\((.*?)\) ->", stub, re.M | re.S)
    fields = {n: tuple(re.findall(r"(\w+): _Value", p)) for n, p in makers}
    assert types == list(NAMES) and len(makers) == len(fields) == len(types)
    for name, dtype in NAMES.items():
        assert fields[name] == dtype.names
        named = {field: 1 for field in fields[name]}
        assert getattr(vec, f"make_{name}")(**named).dtype == dtype


def test_attributes_of_devices_and_functions_have_types():
    """The stub names each attribute, in both cases."""
    from pycuda import _driver

    text = (ROOT / "pycuda" / "_driver.pyi").read_text()
    old = {"registers", "lmem", "smem"}
    for kind, enum, others in (
        ("Device", _driver.device_attribute, set()),
        ("Function", _driver.function_attribute, old),
    ):
        start = text.index(f"class _{kind}Attributes:")
        body = text[start : text.index("\n\n", start)]
        found = set(re.findall(r"^    (?:def )?(\w+)[:(]", body, re.M))
        both = {n for name in enum.names for n in (name, name.lower())}
        # A method of Device has this name.
        assert found | {"pci_bus_id"} == both | others | {"pci_bus_id"}


def test_a_difference_from_the_extension_is_found(tmp_path: Path):
    """tools/check_stubs.py fails if a name is missing."""
    import pycuda

    copy = tmp_path / "pycuda"
    copy.mkdir()
    for path in Path(pycuda.__file__).parent.iterdir():
        if path.name not in ("__pycache__", "_driver.pyi"):
            (copy / path.name).symlink_to(path)
    text = (ROOT / "pycuda" / "_driver.pyi").read_text()
    line = "def bitlog2(value: int, /) -> int: ...\n"
    assert line in text
    (copy / "_driver.pyi").write_text(text.replace(line, ""))
    script = ROOT / "tools" / "check_stubs.py"
    done = subprocess.run(
        [sys.executable, "-P", str(script), str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(tmp_path)},
    )
    assert done.returncode == 1, done.stderr
    wrong = "pycuda._driver.bitlog2 is not present in stub"
    assert wrong in done.stdout.splitlines()
