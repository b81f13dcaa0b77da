"""NumPy's element-wise functions for `pycuda.gpuarray`, made from a table.

Each function has NumPy's name and the name of the array API standard.
`pycuda._kernels.operations` and ``functions`` define what they compute.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda import _registry
from pycuda._array.common import (
    HOST_ARRAY,
    apply,
    check_array,
    finish,
    short,
)
from pycuda._array.constructors import upload
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

# NumPy's name of a ufunc -> further names of the same function.
UNARY = {
    "absolute": ["abs"],
    "arccos": ["acos"],
    "arccosh": ["acosh"],
    "arcsin": ["asin"],
    "arcsinh": ["asinh"],
    "arctan": ["atan"],
    "arctanh": ["atanh"],
    "bitwise_count": [],
    "cbrt": [],
    "ceil": [],
    "conjugate": ["conj"],
    "cos": [],
    "cosh": [],
    "deg2rad": ["radians"],
    "exp": [],
    "exp2": [],
    "expm1": [],
    "fabs": [],
    "floor": [],
    "invert": ["bitwise_invert", "bitwise_not"],
    "isfinite": [],
    "isinf": [],
    "isnan": [],
    "log": [],
    "log10": [],
    "log1p": [],
    "log2": [],
    "negative": [],
    "positive": [],
    "rad2deg": ["degrees"],
    "reciprocal": [],
    "rint": [],
    "sign": [],
    "signbit": [],
    "sin": [],
    "sinh": [],
    "spacing": [],
    "sqrt": [],
    "square": [],
    "tan": [],
    "tanh": [],
    "trunc": [],
}
BINARY = {
    "add": [],
    "arctan2": ["atan2"],
    "bitwise_and": [],
    "bitwise_or": [],
    "bitwise_xor": [],
    "copysign": [],
    "equal": [],
    "float_power": [],
    "floor_divide": [],
    "fmax": [],
    "fmin": [],
    "fmod": [],
    "gcd": [],
    "greater": [],
    "greater_equal": [],
    "heaviside": [],
    "hypot": [],
    "lcm": [],
    "ldexp": [],
    "left_shift": ["bitwise_left_shift"],
    "less": [],
    "less_equal": [],
    "logaddexp": [],
    "logaddexp2": [],
    "logical_xor": [],
    "multiply": [],
    "nextafter": [],
    "not_equal": [],
    "power": ["pow"],
    "remainder": ["mod"],
    "right_shift": ["bitwise_right_shift"],
    "subtract": [],
    "true_divide": ["divide"],
}

_PARAMETERS = """

    Parameters
    ----------
    {operands}
        GPUArrays of any shape and strides{more}.
    out
        GPUArray for the result, which is returned; default: a new one.
    stream
        Stream to run in.
    """


def _unary(name: str) -> Callable[..., Any]:
    def function(
        x: Any,
        /,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        check_array(x, "x")
        return _apply(name, (x,), out, None, stream)

    return function


def _binary(name: str) -> Callable[..., Any]:
    def function(
        x1: Any,
        x2: Any,
        /,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        return apply(name, (x1, x2), out, stream)

    return function


def _named(function: Callable[..., Any], name: str, text: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "pycuda.gpuarray"
    function.__doc__ = text
    return function


def _make_all() -> dict[str, Callable[..., Any]]:
    made = {}
    for name, others in UNARY.items():
        text = f"`numpy.{name}` of every element." + _PARAMETERS.format(
            operands="x", more=""
        )
        for own in (name, *others):
            function = _named(_unary(name), own, text)
            made[own] = short(name)(function)
    for name, others in BINARY.items():
        text = f"`numpy.{name}` of pairs of elements." + _PARAMETERS.format(
            operands="x1, x2", more=", or one of them a number"
        )
        for own in (name, *others):
            function = _named(_binary(name), own, text)
            made[own] = short(name, 2)(function)
    return made


FUNCTIONS = _make_all()


# --- functions whose result has another shape or several parts ----------


@short("maximum", 2)
def maximum(
    a: Any,
    b: Any,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the larger of each pair of elements; NaN if either is NaN."""
    return apply("maximum", (a, b), out, stream)


@short("minimum", 2)
def minimum(
    a: Any,
    b: Any,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the smaller of each pair of elements; NaN if either is NaN."""
    return apply("minimum", (a, b), out, stream)


def divmod(
    x1: Any, x2: Any, /, *, stream: drv.Stream | None = None
) -> tuple[GPUArray, GPUArray]:
    """Return (quotients rounded down, remainders) of pairs of elements."""
    return (
        FUNCTIONS["floor_divide"](x1, x2, stream=stream),
        FUNCTIONS["remainder"](x1, x2, stream=stream),
    )


def round(
    a: GPUArray,
    decimals: int = 0,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Round elements to `decimals` digits; halves go to the even neighbour.

    Negative `decimals` count digits before the decimal point.
    """
    check_array(a)
    decimals = operator.index(decimals)
    if a.dtype.kind in "iu" and decimals >= 0:
        if out is not None:
            return finish(a, out, stream)
        return _apply("copy", (a,), None, None, stream)
    if a.dtype.kind == "b":
        a = a.astype(np.float32, stream)
    if decimals == 0:
        return _apply("rint", (a,), out, None, stream)
    if a.dtype.kind == "c":
        # Round the real and the imaginary part separately, as NumPy does.
        part = np.empty(0, a.dtype).real.dtype
        parts = a.copy("C", stream).reshape(a.size).view(part)
        made = round(parts, decimals, stream=stream).view(a.dtype)
        made = made.reshape(a.shape)
        return finish(made, out, stream)
    before, after = "multiply", "true_divide"
    if decimals < 0:
        before, after = after, before
    scale = 10.0 ** abs(decimals) if abs(decimals) <= 308 else np.inf
    made = _apply(before, (a, scale), None, None, stream)
    made = _apply("rint", (made,), None, None, stream)
    made = _apply(after, (made, scale), None, None, stream)
    if made.dtype != a.dtype:
        made = made.astype(a.dtype, stream)
    return finish(made, out, stream)


def real(
    val: GPUArray,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the real parts: ``val`` itself if it is real and out is None."""
    if check_array(val, "val").dtype.kind != "c" and out is None:
        return val
    return _apply("real", (val,), out, None, stream)


def imag(
    val: GPUArray,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the imaginary parts; zeros for real input."""
    return _apply("imag", (check_array(val, "val"),), out, None, stream)


# --- truth ---------------------------------------------------------------


def _logical(
    name: str,
    values: tuple[Any, ...],
    out: GPUArray | None,
    allocator: Callable[..., Any] | None,
    stream: drv.Stream | None,
) -> GPUArray:
    arrays = [value for value in values if isinstance(value, ArrayBase)]
    if not arrays:
        if any(np.ndim(value) for value in values):
            raise TypeError(HOST_ARRAY)
        result = np.asarray(getattr(np, name)(*values))
        if out is not None:
            return out.fill(result, stream)
        return upload(result, allocator or drv.mem_alloc)
    if out is None and allocator is not None:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        out = _registry.GPUArray(shape, np.bool_, allocator)
    return apply(name, values, out, stream)


@short("logical_and", 2)
def logical_and(
    x1: Any,
    x2: Any,
    /,
    out: GPUArray | None = None,
    *,
    allocator: Callable[..., Any] | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return whether both elements are true, as bool."""
    return _logical("logical_and", (x1, x2), out, allocator, stream)


@short("logical_or", 2)
def logical_or(
    x1: Any,
    x2: Any,
    /,
    out: GPUArray | None = None,
    *,
    allocator: Callable[..., Any] | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return whether either element is true, as bool."""
    return _logical("logical_or", (x1, x2), out, allocator, stream)


@short("logical_not")
def logical_not(
    x: Any,
    /,
    out: GPUArray | None = None,
    *,
    allocator: Callable[..., Any] | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return whether the element is false, as bool."""
    return _logical("logical_not", (x,), out, allocator, stream)
