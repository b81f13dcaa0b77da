"""Every public name has a docstring, and its examples run."""

# SPDX-License-Identifier: MIT

import doctest
import importlib
import importlib.util
import inspect
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(name):
    """Return a module of tools/site."""
    path = ROOT / "tools/site" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"site_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(ROOT / "tools/site"))  # they import one another
api, examples, gaps = load("api"), load("examples"), load("gaps")
sys.path.pop(0)


def importable(name):
    """Return whether a module's optional packages are there."""
    try:
        importlib.import_module(name)
    except (ImportError, RuntimeError):
        return False
    return True


MODULES = [name for name in api.MODULES if importable(name)]


@pytest.fixture(scope="module")
def names():
    return gaps.unique(
        row
        for row in api.public_objects(MODULES)
        if any(row[0].startswith(name) for name in MODULES)
    )


def test_public_names_have_docstrings(names):
    assert len(names) > 900
    assert gaps.without_docstring(names) == []


def test_public_names_have_examples(names):
    rows = examples.table()[1]
    assert gaps.without_example(names, rows) == []


def test_docstrings_name_the_exceptions(names):
    assert gaps.unnamed_errors(names) == []


def test_functions_of_the_driver_have_signatures():
    """inspect and help() know the parameters of functions in C."""
    driver = importlib.import_module("pycuda.driver")
    functions = [
        value
        for name, value in vars(driver).items()
        if inspect.isbuiltin(value) and not name.startswith("_")
    ]
    assert len(functions) > 40
    for function in functions:
        inspect.signature(function)
    copy = inspect.signature(driver.memcpy_dtod_async)
    assert str(copy) == "(dest, src, size, stream=None)"


def test_gaps_are_found():
    class Shape:
        """A shape.

        >>> Shape().area()
        """

        def area(self):
            """Return the area."""

        def grow(self):
            raise ValueError("no")

    class Square(Shape):
        """A square."""

    members = [("m.Shape", Shape), ("m.Square", Square)]
    members += [
        (f"m.{kind.__name__}.{name}", getattr(kind, name))
        for kind in (Shape, Square)
        for name in ("area", "grow")
    ]
    members.append(("m.len", len))
    assert gaps.without_docstring(members) == ["m.Shape.grow", "m.Square.grow"]
    assert gaps.without_example(members, {"m.len": "len([])"}) == [
        "m.Square", "m.Shape.grow", "m.Square.grow",
    ]  # fmt: skip
    assert gaps.unnamed_errors(members) == [
        "m.Shape.grow: ValueError", "m.Square.grow: ValueError",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(m, marks=[pytest.mark.cpu] * (m == "pycuda.debug"))
        for m in MODULES
    ],
)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(
        verbose=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    for short in [None, *api.public_names(module)]:
        value = module if short is None else getattr(module, short)
        if not (inspect.ismodule(value) or callable(value)):
            continue
        for test in finder.find(value, short or name, module=False):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def has_cpu_device():
    """Return whether the package was built with the CPU device."""
    try:
        importlib.import_module("pycuda.cpu").library()
    except FileNotFoundError:
        return False
    return True


def test_examples_of_the_reference_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    setup, rows = examples.table()
    kind = importlib.import_module("pycuda._driver")._device_kind()
    known = {name for name, _ in api.public_objects()}
    assert set(rows) <= known
    failed = []
    for name, code in rows.items():
        if name.startswith("pycuda.cpu.") and not has_cpu_device():
            continue
        if name.startswith("pycuda.debug.") and kind == "gpu":
            continue  # the checks are those of the CPU device
        names = {}
        exec(setup, names)
        try:
            examples.run(code, names)
        except Exception as error:
            failed.append(f"{name}: {error!r}")
    assert failed == []
    assert os.listdir(tmp_path)
