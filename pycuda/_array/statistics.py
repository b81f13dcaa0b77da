"""NumPy's reductions that PyCUDA lacks, and the methods of all reductions.

All functions call `pycuda._array.axes.reduce_axes`, which describes the common
parameters.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycuda._array import reductions as whole
from pycuda._array.axes import check_out, reduce_axes
from pycuda._array.common import planned
from pycuda._array.reductions import all, any
from pycuda._array.scans import cumprod, cumsum
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


@planned
def prod(
    a: GPUArray,
    axis: Any = None,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the product of the elements along some axes, or of all."""
    return reduce_axes(
        "prod", a, axis, keepdims, dtype, out, 0, stream, allocator
    )


@planned
def mean(
    a: GPUArray,
    axis: Any = None,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the mean along some axes, or of all elements.

    Integers give float64.  The mean of no elements is NaN.
    """
    return reduce_axes(
        "mean", a, axis, keepdims, dtype, out, 0, stream, allocator
    )


def _freedom(ddof: float, correction: float | None) -> float:
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError(
            "ddof and correction can't be provided simultaneously."
        )
    return correction


@planned
def var(
    a: GPUArray,
    axis: Any = None,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the mean squared deviation from the mean.

    The result is real for complex input.  The divisor is the number of
    elements minus ``ddof``, which the array API standard names ``correction``.
    """
    ddof = _freedom(ddof, correction)
    return reduce_axes(
        "var", a, axis, keepdims, dtype, out, ddof, stream, allocator
    )


@planned
def std(
    a: GPUArray,
    axis: Any = None,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the square root of `var`."""
    ddof = _freedom(ddof, correction)
    return reduce_axes(
        "std", a, axis, keepdims, dtype, out, ddof, stream, allocator
    )


def _extreme_position(
    name: str, a: GPUArray, axis: int | None, out: GPUArray | None,
    keepdims: bool, stream: drv.Stream | None,
    allocator: Callable[..., Any] | None,
) -> GPUArray:  # fmt: skip
    """Compute `argmin` or `argmax`: the position of an extreme element."""
    if axis is not None and not hasattr(axis, "__index__"):
        raise TypeError(f"axis must be an integer or None, not {axis!r}")
    return reduce_axes(
        name, a, axis, keepdims, None, out, 0, stream, allocator
    )


@planned
def argmin(
    a: GPUArray,
    axis: int | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the index (int64) of the first smallest element or first NaN.

    Without an axis the array is flattened in C order.
    """
    return _extreme_position(
        "argmin", a, axis, out, keepdims, stream, allocator
    )


@planned
def argmax(
    a: GPUArray,
    axis: int | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the index (int64) of the first largest element or first NaN.

    Without an axis the array is flattened in C order.
    """
    return _extreme_position(
        "argmax", a, axis, out, keepdims, stream, allocator
    )


@planned
def count_nonzero(
    a: GPUArray,
    axis: Any = None,
    *,
    keepdims: bool = False,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the number of nonzero elements, as int64."""
    return reduce_axes(
        "count_nonzero", a, axis, keepdims, None, None, 0, stream, allocator
    )


def ptp(
    a: GPUArray,
    axis: Any = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the largest minus the smallest element, along axes or of all.

    Integers wrap around, as in NumPy.
    """
    plain = not keepdims and allocator is None
    if plain and isinstance(a, ArrayBase) and a.size:
        options = {} if stream is None else {"stream": stream}
        high = Reductions.max(a, axis, **options)
        low = Reductions.min(a, axis, **options)
    else:
        high = reduce_axes(
            "max", a, axis, keepdims, None, None, 0, stream, allocator
        )
        low = reduce_axes("min", a, axis, keepdims, None, None, 0, stream)
    if out is not None:
        check_out(out, high.shape, high.dtype)
    target = high if out is None else out
    return _apply("subtract", (high, low), target, None, stream)


_reduces = functools.partial(planned, reduces=True)


class Reductions:
    """Methods that reduce an array, with NumPy's parameters."""

    __slots__ = ()

    any = any
    all = all

    @_reduces
    def sum(
        self,
        axis: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        stream: drv.Stream | None = None,
        allocator: Callable[..., Any] | None = None,
    ) -> GPUArray:
        """Return the sum along some axes, or of all elements."""
        return whole.sum(
            self, dtype, stream, allocator, axis=axis, keepdims=keepdims,
            out=out,
        )  # fmt: skip

    @_reduces
    def max(
        self,
        axis: Any = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Return the largest element along some axes, or of all.

        The result is NaN if there is one.
        """
        return whole.max(self, stream, axis=axis, keepdims=keepdims, out=out)

    @_reduces
    def min(
        self,
        axis: Any = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Return the smallest element along some axes, or of all.

        The result is NaN if there is one.
        """
        return whole.min(self, stream, axis=axis, keepdims=keepdims, out=out)

    prod = prod
    mean = mean
    var = var
    std = std
    ptp = ptp
    argmin = argmin
    argmax = argmax
    cumsum = cumsum
    cumprod = cumprod
