"""PyCUDA's reductions, for `pycuda.gpuarray`.

Reductions of whole arrays to 0-d arrays run in C; reductions over some axes
use `pycuda._array.axes`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.axes import reduce_axes
from pycuda._array.common import _Function, short
from pycuda._array.gather import take
from pycuda._driver import _reduce
from pycuda._kernels.operations import is_short_float, resolve_types

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


_VOID = np.dtype(np.void)  # dtype that is assumed for arguments without one


def _short(function: _Function, inputs: int = 1) -> _Function:
    return short(function.__name__, inputs, reduces=True)(function)


def _reduce_whole(
    name: str,
    arrays: tuple[GPUArray, ...],
    dtype: npt.DTypeLike,
    stream: drv.Stream | None,
    allocator: Callable[..., Any] | None = None,
    neutral: Any = None,
) -> GPUArray:
    """Reduce all elements; short floats accumulate in float32."""
    kinds = tuple(getattr(array, "dtype", _VOID) for array in arrays)
    if dtype is not None:
        dtype = np.dtype(dtype)
    elif functools.reduce(operator.or_, map(is_short_float, kinds)):
        dtype = resolve_types(name, kinds)[1]
    if dtype is not None and is_short_float(dtype):
        wide = _reduce(name, arrays, np.float32, stream, allocator, neutral)
        return wide.astype(dtype, stream=stream)
    return _reduce(name, arrays, dtype, stream, allocator, neutral)


@_short
def sum(
    a: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:
    """Return the sum of the elements, or of those along some axes.

    Booleans and integers are summed in 64 bits unless ``dtype`` is given.

    Parameters
    ----------
    a
        Array of any shape and strides.
    dtype
        Dtype of the accumulator and of the result.
    stream
        Stream of the launches; default: the current one.
    allocator
        Allocates the result's memory; default: the allocator of `a`.
    axis : int or tuple of int, optional
        Axes to sum along; None sums everything to a 0-d array.
    keepdims
        Whether the axes stay, with length 1.
    out
        Array that receives the result.

    Returns
    -------
    GPUArray
        `out`, or a new array without the axes.
    """
    if axis is None and not keepdims and out is None:
        return _reduce_whole("sum", (a,), dtype, stream, allocator, 0)
    return reduce_axes(
        "sum", a, axis, keepdims, dtype, out, 0, stream, allocator
    )


def _truth(
    name: str, a: GPUArray, stream: drv.Stream | None,
    allocator: Callable[..., Any] | None, axis: Any, keepdims: bool,
    out: GPUArray | None,
) -> GPUArray:  # fmt: skip
    """Compute `any` or `all`."""
    if axis is None and not keepdims and out is None:
        return _reduce(name, (a,), None, stream, allocator, name == "all")
    return reduce_axes(
        name, a, axis, keepdims, None, out, 0, stream, allocator
    )


@_short
def any(
    a: GPUArray,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:
    """Return whether any element is true, as bool.

    `axis`, `keepdims` and `out` are those of `sum`.
    """
    return _truth("any", a, stream, allocator, axis, keepdims, out)


@_short
def all(
    a: GPUArray,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:
    """Return whether all elements are true, as bool.

    `axis`, `keepdims` and `out` are those of `sum`.
    """
    return _truth("all", a, stream, allocator, axis, keepdims, out)


def _not_empty(a: GPUArray, what: str) -> None:
    if a.size == 0:
        raise ValueError(f"{what} of an empty array has no value")


def _extreme(
    name: str, a: GPUArray, stream: drv.Stream | None, axis: Any,
    keepdims: bool, out: GPUArray | None,
) -> GPUArray:  # fmt: skip
    """Compute `max` or `min`."""
    if axis is None and not keepdims and out is None:
        _not_empty(a, name)
        return _reduce_whole(name, (a,), None, stream)
    return reduce_axes(name, a, axis, keepdims, None, out, 0, stream)


@_short
def max(
    a: GPUArray,
    stream: drv.Stream | None = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:
    """Return the largest element; NaN if there is one.

    `axis`, `keepdims` and `out` are those of `sum`.
    """
    return _extreme("max", a, stream, axis, keepdims, out)


@_short
def min(
    a: GPUArray,
    stream: drv.Stream | None = None,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:
    """Return the smallest element; NaN if there is one.

    `axis`, `keepdims` and `out` are those of `sum`.
    """
    return _extreme("min", a, stream, axis, keepdims, out)


@functools.partial(_short, inputs=2)
def dot(
    a: GPUArray,
    b: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the sum of products of corresponding elements, as 0-d array.

    Arrays of any number of axes are treated as flat; nothing is conjugated.
    """
    if a.shape != b.shape:
        raise ValueError(f"shapes differ: {a.shape} and {b.shape}")
    return _reduce_whole("dot", (a, b), dtype, stream, allocator, 0)


def subset_sum(
    subset: GPUArray,
    a: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the sum of the elements at the indices in ``subset``."""
    return _reduce_whole(
        "sum", (take(a, subset, None, stream),), dtype, stream, allocator, 0
    )


def subset_dot(
    subset: GPUArray,
    a: GPUArray,
    b: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return `dot` of the elements at the indices in ``subset``."""
    arrays = tuple(take(array, subset, None, stream) for array in (a, b))
    return _reduce_whole("dot", arrays, dtype, stream, allocator, 0)


def subset_max(
    subset: GPUArray, a: GPUArray, stream: drv.Stream | None = None
) -> GPUArray:
    """Return the largest of the elements at the indices in ``subset``."""
    _not_empty(subset, "subset_max")
    return _reduce_whole("max", (take(a, subset, None, stream),), None, stream)


def subset_min(
    subset: GPUArray, a: GPUArray, stream: drv.Stream | None = None
) -> GPUArray:
    """Return the smallest of the elements at the indices in ``subset``."""
    _not_empty(subset, "subset_min")
    return _reduce_whole("min", (take(a, subset, None, stream),), None, stream)
