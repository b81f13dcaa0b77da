"""Every public name has a docstring, and its examples run."""

# SPDX-License-Identifier: MIT

import doctest
import importlib
import importlib.util
import inspect
import os
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


api, examples = load("api"), load("examples")


def importable(name):
    """Return whether a module's optional packages are there."""
    try:
        importlib.import_module(name)
    except (ImportError, RuntimeError):
        return False
    return True


MODULES = [name for name in api.MODULES if importable(name)]


def undocumented(objects):
    """Return the names of callables and properties without a docstring."""
    return [
        name
        for name, value in objects
        if (callable(value) or inspect.isdatadescriptor(value))
        and not (inspect.getdoc(value) or "").strip()
    ]


def test_public_names_have_docstrings():
    names = [
        row
        for row in api.public_objects()
        if any(row[0].startswith(name) for name in MODULES)
    ]
    assert len(names) > 900
    assert undocumented(names) == []


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


def test_a_name_without_docstring_is_found():
    def bare():
        return None

    assert undocumented([("m.bare", bare), ("m.len", len)]) == ["m.bare"]


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


# Functions and classes that neither the table nor a docstring shows in use.
# The number may only become smaller.
WITHOUT_EXAMPLE = 29


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


def test_functions_and_classes_have_examples():
    rows = examples.table()[1]
    shown = {
        id(value)
        for name, value in api.public_objects()
        if name in rows or ">>>" in (inspect.getdoc(value) or "")
    }
    missing = {
        id(value): name
        for name, value in api.public_objects()
        if name.count(".") == 2
        and not name.startswith("pycuda.sparse.")
        and callable(value)
        and not api.is_enumeration(value)
        and id(value) not in shown
    }
    assert len(missing) <= WITHOUT_EXAMPLE, sorted(missing.values())
