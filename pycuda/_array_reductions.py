"""Reductions of whole arrays to 0-d arrays, for `pycuda.gpuarray`."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycuda._array_gather import flat, index_array
from pycuda._driver import Shortcut, _reduce

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


def _short(function: Callable) -> Callable:
    """`function`, run in C where it gets one array and nothing else."""
    return functools.update_wrapper(
        Shortcut(function, function.__name__, reduces=True), function
    )


@_short
def sum(
    a: GPUArray,
    dtype: Any = None,
    stream: drv.Stream | None = None,
    allocator: Callable | None = None,
) -> GPUArray:
    """Sum of all elements, as a 0-d array.

    Booleans and integers add up in 64 bits unless ``dtype`` says otherwise.
    """
    return _reduce("sum", (a,), dtype, stream, allocator, 0)


@_short
def any(
    a: GPUArray,
    stream: drv.Stream | None = None,
    allocator: Callable | None = None,
) -> GPUArray:
    """Whether any element is true, as a 0-d bool array."""
    return _reduce("any", (a,), None, stream, allocator, False)


@_short
def all(
    a: GPUArray,
    stream: drv.Stream | None = None,
    allocator: Callable | None = None,
) -> GPUArray:
    """Whether all elements are true, as a 0-d bool array."""
    return _reduce("all", (a,), None, stream, allocator, True)


def _not_empty(a: GPUArray, what: str) -> None:
    if a.size == 0:
        raise ValueError(f"{what} of an empty array has no value")


@_short
def max(a: GPUArray, stream: drv.Stream | None = None) -> GPUArray:
    """The largest element, as a 0-d array; NaN if there is one."""
    _not_empty(a, "max")
    return _reduce("max", (a,), None, stream)


@_short
def min(a: GPUArray, stream: drv.Stream | None = None) -> GPUArray:
    """The smallest element, as a 0-d array; NaN if there is one."""
    _not_empty(a, "min")
    return _reduce("min", (a,), None, stream)


def dot(
    a: GPUArray,
    b: GPUArray,
    dtype: Any = None,
    stream: drv.Stream | None = None,
    allocator: Callable | None = None,
) -> GPUArray:
    """Sum of the products of corresponding elements, as a 0-d array.

    Arrays of any number of axes count as flat; nothing is conjugated.
    """
    if a.shape != b.shape:
        raise ValueError(f"shapes differ: {a.shape} and {b.shape}")
    return _reduce("dot", (a, b), dtype, stream, allocator, 0)


def _flat_sources(*arrays: GPUArray) -> tuple[GPUArray, ...]:
    return tuple(flat(array) for array in arrays)


def subset_sum(
    subset: GPUArray,
    a: GPUArray,
    dtype: Any = None,
    stream: drv.Stream | None = None,
    allocator: Callable | None = None,
) -> GPUArray:
    """Sum of the elements at the indices in ``subset``."""
    arrays = (index_array(subset), *_flat_sources(a))
    return _reduce("subset_sum", arrays, dtype, stream, allocator, 0)


def subset_dot(
    subset: GPUArray,
    a: GPUArray,
    b: GPUArray,
    dtype: Any = None,
    stream: drv.Stream | None = None,
    allocator: Callable | None = None,
) -> GPUArray:
    """`dot` over the elements at the indices in ``subset``."""
    arrays = (index_array(subset), *_flat_sources(a, b))
    return _reduce("subset_dot", arrays, dtype, stream, allocator, 0)


def subset_max(
    subset: GPUArray, a: GPUArray, stream: drv.Stream | None = None
) -> GPUArray:
    """The largest of the elements at the indices in ``subset``."""
    _not_empty(subset, "subset_max")
    arrays = (index_array(subset), *_flat_sources(a))
    return _reduce("subset_max", arrays, None, stream)


def subset_min(
    subset: GPUArray, a: GPUArray, stream: drv.Stream | None = None
) -> GPUArray:
    """The smallest of the elements at the indices in ``subset``."""
    _not_empty(subset, "subset_min")
    arrays = (index_array(subset), *_flat_sources(a))
    return _reduce("subset_min", arrays, None, stream)
