"""That every name of PyCUDA's array interface is there, and takes what it
took: generated from the table in `interface.py`.
"""

# SPDX-License-Identifier: MIT

import importlib
import inspect
import re

import numpy as np
import pytest
from interface import (
    ASSIGNABLE,
    ATTRIBUTES,
    CLASSES,
    DUNDERS,
    MODULES,
    VECTORS,
)

import pycuda.driver as drv
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


def _lines(table):
    return [
        (place, line.strip())
        for place, text in table.items()
        for line in text.strip().splitlines()
    ]


def _expected(text):
    """The signature in a line of the table."""
    scope = {"np": np, "drv": drv}
    exec(f"def f{text[text.index('(') :]}: pass", scope)
    return inspect.signature(scope["f"])


def _place(name):
    module, _, rest = name.partition(".GPUArray")
    if rest or name.endswith(".GPUArray"):
        return importlib.import_module(module).GPUArray
    if name[name.rfind(".") + 1].isupper():
        module, _, name = name.rpartition(".")
        return getattr(importlib.import_module(module), name)
    return importlib.import_module(name)


def _signature(found):
    """A class is called through __init__, which tells more than __new__."""
    if inspect.isclass(found) and inspect.isfunction(found.__init__):
        whole = inspect.signature(found.__init__)
        rest = list(whole.parameters.values())[1:]
        return whole.replace(parameters=rest)
    return inspect.signature(found)


def _same_default(have, want):
    if want is drv.mem_alloc:  # None stands for it here as well
        return have is None or have == want
    return have == want


def _compare(name, have, want):
    kinds = [p.kind for p in have.parameters.values()]
    variable = inspect.Parameter.VAR_KEYWORD in kinds
    for k, (key, parameter) in enumerate(want.parameters.items()):
        if key == "self" or parameter.kind in (
            parameter.VAR_KEYWORD,
            parameter.VAR_POSITIONAL,
        ):
            continue
        assert key in have.parameters or variable, f"{name}: no {key}"
        if key not in have.parameters:
            continue
        ours = have.parameters[key]
        assert _same_default(ours.default, parameter.default), (name, key)
        if parameter.kind == parameter.POSITIONAL_OR_KEYWORD:
            assert list(have.parameters)[k] == key, (name, key)
            assert ours.kind == parameter.kind, (name, key)
        if parameter.kind == parameter.KEYWORD_ONLY:
            assert ours.kind != ours.POSITIONAL_ONLY, (name, key)


@pytest.mark.parametrize(("place", "line"), _lines({**MODULES, **CLASSES}))
def test_names_and_signatures(place, line):
    name = re.match(r"\w+", line)[0]
    found = getattr(_place(place), name)
    if "(" in line:
        _compare(f"{place}.{name}", _signature(found), _expected(line))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes(name):
    a = gpuarray.zeros((2, 3), np.float32)
    getattr(a, name)


@pytest.mark.parametrize("name", ASSIGNABLE)
def test_attributes_can_be_assigned(name):
    a = gpuarray.zeros((2, 3), np.float32)
    setattr(a, name, getattr(a, name))


@pytest.mark.parametrize("name", DUNDERS)
def test_dunders(name):
    assert callable(getattr(gpuarray.GPUArray, f"__{name}__"))


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_vector_types(name):
    for count in VECTORS[name]:
        dtype = getattr(gpuarray.vec, f"{name}{count}")
        assert dtype.names == tuple("xyzw"[:count])
        made = getattr(gpuarray.vec, f"make_{name}{count}")(*range(count))
        assert made.shape == ()
        assert made.dtype == dtype
        assert not hasattr(gpuarray.vec, f"{name}{VECTORS[name][-1] + 1}")


def test_empty_is_the_class():
    assert gpuarray.empty is gpuarray.GPUArray
