"""PyCUDA's array interface: every name exists and has its parameters.

The tests are generated from interface.toml.
"""

# SPDX-License-Identifier: MIT

import importlib
import inspect
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest

import pycuda.curandom
import pycuda.driver as drv
import pycuda.elementwise
import pycuda.reduction
import pycuda.scan
from pycuda import gpuarray

TABLE = tomllib.loads(
    Path(__file__).with_name("interface.toml").read_text("utf-8")
)
pytestmark = pytest.mark.usefixtures("context")


def _lines(*tables):
    return [
        (place, name, text)
        for table in tables
        for place, lines in TABLE[table].items()
        for name, text in lines.items()
    ]


def _expected(text):
    """Return the signature in a line of the table."""
    scope = {"np": np, "drv": drv}
    exec(f"def f({text}): pass", scope)
    return inspect.signature(scope["f"])


def _place(name):
    """Return the module or class of a dotted name."""
    if name.startswith("pycuda.sparse"):
        pytest.importorskip("scipy.sparse")
    module, _, last = name.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        if last[0].isupper():
            return getattr(importlib.import_module(module), last)
        return importlib.import_module(name)


def _signature(found):
    """Return a signature; a class's is that of __init__, not of __new__."""
    if inspect.isclass(found) and inspect.isfunction(found.__init__):
        whole = inspect.signature(found.__init__)
        rest = list(whole.parameters.values())[1:]
        return whole.replace(parameters=rest)
    return inspect.signature(found)


def _same_default(have, want):
    if want is inspect.Parameter.empty:  # our parameter may be optional
        return True
    if want is drv.mem_alloc:  # here None means the same
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


@pytest.mark.parametrize(
    ("place", "name", "text"), _lines("modules", "classes")
)
def test_names_and_signatures(place, name, text):
    found = getattr(_place(place), name)
    if text != "attribute":
        _compare(f"{place}.{name}", _signature(found), _expected(text))


MAKERS = {
    "pycuda.gpuarray.GPUArray": lambda: gpuarray.zeros((2, 3), np.float32),
    "pycuda.elementwise.ElementwiseKernel": lambda: (
        pycuda.elementwise.ElementwiseKernel("float *x", "x[i] = 1")
    ),
    "pycuda.reduction.ReductionKernel": lambda: (
        pycuda.reduction.ReductionKernel("f4", 0, "a+b", arguments="float *in")
    ),
    "pycuda.scan.InclusiveScanKernel": lambda: pycuda.scan.InclusiveScanKernel(
        "f4", "a+b"
    ),
    "pycuda.curandom.XORWOWRandomNumberGenerator": lambda: (
        pycuda.curandom.XORWOWRandomNumberGenerator()
    ),
}


@pytest.mark.parametrize("place", TABLE["instances"])
def test_attributes(place):
    made = MAKERS[place]()
    for name in TABLE["instances"][place]:
        getattr(made, name)


@pytest.mark.parametrize("name", TABLE["arrays"]["assignable"])
def test_attributes_can_be_assigned(name):
    a = gpuarray.zeros((2, 3), np.float32)
    setattr(a, name, getattr(a, name))


@pytest.mark.parametrize("name", TABLE["arrays"]["dunders"])
def test_dunders(name):
    assert callable(getattr(gpuarray.GPUArray, f"__{name}__"))


@pytest.mark.parametrize(("name", "most"), TABLE["vectors"].items())
def test_vector_types(name, most):
    for count in range(1, most + 1):
        dtype = getattr(gpuarray.vec, f"{name}{count}")
        assert dtype.names == tuple("xyzw"[:count])
        made = getattr(gpuarray.vec, f"make_{name}{count}")(*range(count))
        assert made.shape == ()
        assert made.dtype == dtype
        assert not hasattr(gpuarray.vec, f"{name}{most + 1}")


def test_empty_is_the_class():
    assert gpuarray.empty is gpuarray.GPUArray


def test_gl_is_refused_as_by_a_pycuda_without_it():
    assert not drv.have_gl_ext()
    for name in ("pycuda.gl", "pycuda.gl.autoinit"):
        with pytest.raises(ImportError, match="has no OpenGL interoperation"):
            importlib.import_module(name)
