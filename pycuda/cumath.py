"""Mathematical functions of arrays, element by element.

Integers and bools are promoted as NumPy promotes them; arrays may have any
strides.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import pycuda.gpuarray as _gpuarray
from pycuda import _driver
from pycuda._array.common import short
from pycuda._array.indexing import loadable
from pycuda._by_context import by_context
from pycuda._kernels.operations import is_bfloat16, is_short_float
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import dtype_to_ctype

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos",
    "cosh", "exp", "exp2", "expm1", "fabs", "floor", "fmod", "frexp", "ldexp",
    "log", "log10", "log1p", "log2", "modf", "rint", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc",
]  # fmt: skip


def _check_array(name: str, array: Any) -> None:
    if not isinstance(array, _gpuarray.GPUArray):
        raise TypeError(
            f"cumath.{name} takes a GPUArray, not {type(array).__name__}: "
            "use numpy for host data, or gpuarray.to_gpu() first"
        )


def _make_unary(name: str, numpy_name: str) -> Callable[..., Any]:
    """Make the function with the name `name`, NumPy's `numpy_name`."""

    def function(
        array: Any,
        stream_or_out: Any = None,
        *,
        out: Any = None,
        stream: Any = None,
    ) -> Any:
        _check_array(name, array)
        if stream_or_out is not None:
            warnings.warn(
                f"the second positional argument of cumath.{name} is "
                "deprecated: name it out= or stream=",
                DeprecationWarning,
                stacklevel=2,
            )
            if isinstance(stream_or_out, _gpuarray.GPUArray):
                out = stream_or_out
            else:
                stream = stream_or_out
        return _driver._apply(numpy_name, (array,), out=out, stream=stream)

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"""`numpy.{numpy_name}` of every element.

    Parameters
    ----------
    array
        A GPUArray of any shape and strides.
    out
        GPUArray for the result, which is returned; default: a new one.
    stream
        Stream to run in.
    """
    return short(numpy_name)(function)


fabs = _make_unary("fabs", "fabs")
ceil = _make_unary("ceil", "ceil")
floor = _make_unary("floor", "floor")
exp = _make_unary("exp", "exp")
log = _make_unary("log", "log")
log10 = _make_unary("log10", "log10")
sqrt = _make_unary("sqrt", "sqrt")
sin = _make_unary("sin", "sin")
cos = _make_unary("cos", "cos")
tan = _make_unary("tan", "tan")
asin = _make_unary("asin", "arcsin")
acos = _make_unary("acos", "arccos")
atan = _make_unary("atan", "arctan")
sinh = _make_unary("sinh", "sinh")
cosh = _make_unary("cosh", "cosh")
tanh = _make_unary("tanh", "tanh")

# Functions that PyCUDA lacks.
acosh = _make_unary("acosh", "arccosh")
asinh = _make_unary("asinh", "arcsinh")
atanh = _make_unary("atanh", "arctanh")
cbrt = _make_unary("cbrt", "cbrt")
exp2 = _make_unary("exp2", "exp2")
expm1 = _make_unary("expm1", "expm1")
log1p = _make_unary("log1p", "log1p")
log2 = _make_unary("log2", "log2")
rint = _make_unary("rint", "rint")
trunc = _make_unary("trunc", "trunc")


@short("fmod", 2)
def fmod(arg: Any, mod: Any, stream: Any = None) -> Any:
    """Return the remainder of ``arg / mod`` with the sign of `arg`.

    See `numpy.fmod`.  One of the two may be a number.
    """
    if not isinstance(mod, _gpuarray.GPUArray):
        _check_array("fmod", arg)
    return _driver._apply("fmod", (arg, mod), stream=stream)


# Name -> (arguments after the input, operation); T is the input's type.
_TWO_RESULTS = {
    "frexp": (
        "{T} *significand, {T} *exponent",
        "int e; significand[i] = frexp(x[i], &e); exponent[i] = e",
    ),
    "modf": (
        "{T} *fraction, {T} *whole",
        "{T} w; fraction[i] = modf(x[i], &w); whole[i] = w",
    ),
    "ldexp": (
        "{E} *exponent, {T} *result",
        "result[i] = ldexp(x[i], (int)exponent[i])",
    ),
}


@by_context
def _kernel(name: str, dtype: np.dtype, other: np.dtype) -> ElementwiseKernel:
    names = {"T": dtype_to_ctype(dtype), "E": dtype_to_ctype(other)}
    arguments, operation = _TWO_RESULTS[name]
    return ElementwiseKernel(
        f"{names['T']} *x, " + arguments.format(**names),
        operation.format(**names),
        name=f"{name}_kernel",
    )


@functools.lru_cache(64)
def _real_dtype(dtype: np.dtype) -> np.dtype | None:
    """Return float32 or float64, as NumPy would promote; None: neither."""
    if is_bfloat16(dtype):
        return np.dtype(np.float32)
    if dtype.kind not in "fiub":
        return None
    wide = np.result_type(dtype, np.float16)
    return np.dtype(np.float32) if wide.itemsize < 4 else wide


def _as_real(name: str, array: Any, stream: Any) -> Any:
    """Return `array` in a dtype that the kernels support."""
    _check_array(name, array)
    dtype = _real_dtype(array.dtype)
    if dtype is None:
        raise TypeError(f"cumath.{name} is not defined for {array.dtype}")
    return array if array.dtype == dtype else array.astype(dtype, stream)


def _two_results(name: str, arg: Any, stream: Any) -> tuple[Any, Any]:
    wide = loadable(_as_real(name, arg, stream), stream)
    first = _gpuarray.empty_like(wide)
    second = _gpuarray.empty_like(wide)
    kernel = _kernel(name, wide.dtype, wide.dtype)
    kernel(wide, first, second, stream=stream)
    if is_short_float(arg.dtype):
        return first.astype(arg.dtype, stream), second.astype(
            arg.dtype, stream
        )
    return first, second


def frexp(arg: Any, stream: Any = None) -> tuple[Any, Any]:
    """Return (significands, exponents): arg == significand * 2**exponent.

    Both have the dtype of `arg`; significands are in [0.5, 1).
    """
    return _two_results("frexp", arg, stream)


def modf(arg: Any, stream: Any = None) -> tuple[Any, Any]:
    """Return (fractional, integer) parts of every element, with its sign."""
    return _two_results("modf", arg, stream)


def ldexp(significand: Any, exponent: Any, stream: Any = None) -> Any:
    """Return ``significand * 2**exponent``; exponents are truncated."""
    wide = _as_real("ldexp", significand, stream)
    _check_array("ldexp", exponent)
    if is_short_float(exponent.dtype):
        exponent = exponent.astype(np.float32, stream)
    wide, exponent = (loadable(x, stream) for x in (wide, exponent))
    result = _gpuarray.empty_like(wide)
    kernel = _kernel("ldexp", wide.dtype, exponent.dtype)
    kernel(wide, exponent, result, stream=stream)
    if is_short_float(significand.dtype):
        return result.astype(significand.dtype, stream)
    return result
