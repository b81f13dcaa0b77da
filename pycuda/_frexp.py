"""frexp, modf and ldexp of arrays, for `pycuda.cumath` and NumPy's ufuncs."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pycuda._array.constructors import empty_like
from pycuda._array.layout import loadable
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase
from pycuda._kernels.operations import is_bfloat16, is_short_float
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import dtype_to_ctype


def check_array(name: str, array: Any) -> None:
    """Raise TypeError unless `array` is an array on the device."""
    if not isinstance(array, ArrayBase):
        raise TypeError(
            f"cumath.{name} expects a GPUArray, not {type(array).__name__}: "
            "use numpy for host data, or gpuarray.to_gpu() first"
        )


# Name -> (arguments after the input, operation). {T} is the C type of the
# input, {E} that of the exponents.
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
    """Return the float dtype to which NumPy promotes; at least float32.

    Returns None for dtypes that are not real.
    """
    if is_bfloat16(dtype):
        return np.dtype(np.float32)
    if dtype.kind not in "fiub":
        return None
    wide = np.result_type(dtype, np.float16)
    return np.dtype(np.float32) if wide.itemsize < 4 else wide


def _as_real(name: str, array: Any, stream: Any) -> Any:
    """Return `array` in a dtype that the kernels support."""
    check_array(name, array)
    dtype = _real_dtype(array.dtype)
    if dtype is None:
        raise TypeError(f"cumath.{name} is not defined for {array.dtype}")
    return array if array.dtype == dtype else array.astype(dtype, stream)


def _frexp(name: str, arg: Any, stream: Any) -> tuple[Any, Any]:
    wide = loadable(_as_real(name, arg, stream), stream)
    first = empty_like(wide)
    second = empty_like(wide)
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
    return _frexp("frexp", arg, stream)


def numpy_frexp(arg: Any) -> tuple[Any, Any]:
    """Return the results of `frexp`, with exponents in int32 as in NumPy."""
    fraction, exponent = frexp(arg)
    return fraction, exponent.astype(np.int32)


def modf(arg: Any, stream: Any = None) -> tuple[Any, Any]:
    """Return (fractional, integer) parts of every element, with its sign."""
    return _frexp("modf", arg, stream)


def ldexp(significand: Any, exponent: Any, stream: Any = None) -> Any:
    """Return ``significand * 2**exponent``; exponents are truncated."""
    wide = _as_real("ldexp", significand, stream)
    check_array("ldexp", exponent)
    if is_short_float(exponent.dtype):
        exponent = exponent.astype(np.float32, stream)
    wide, exponent = (loadable(x, stream) for x in (wide, exponent))
    result = empty_like(wide)
    kernel = _kernel("ldexp", wide.dtype, exponent.dtype)
    kernel(wide, exponent, result, stream=stream)
    if is_short_float(significand.dtype):
        return result.astype(significand.dtype, stream)
    return result
