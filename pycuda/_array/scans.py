"""Cumulative sums and products along an axis, for `pycuda.gpuarray`."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.axes import (
    Axis,
    Log,
    check_out,
    memoised,
    merged,
    normal_axes,
    product,
    result_type,
)
from pycuda._array.common import flattened, make, planned, using
from pycuda._array.layout import is_misaligned, loadable, overlap
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase, _apply
from pycuda._kernels import axes as axis_kernels
from pycuda._kernels import scan as scan_kernels
from pycuda._kernels.axes import Scan

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray

_BLOCK = 256  # threads per block, which share a row or take one row each
# minimum number of rows for which one thread per row keeps the device busy
_MANY = 1 << 16
_WIDTH = 64  # adjacent rows per thread, if threads run sequentially
# If an array consists of a single row, it is cut into tiles if it has more
# than this number of elements.
_LONG = 1 << 13
# replaces _LONG for integers, if threads run sequentially
_LONG_INTEGERS = 1 << 17


def _rows(a: GPUArray, target: GPUArray, axis: int) -> list[Axis]:
    """Return the axes other than `axis`."""
    rows = [
        Axis(length, source, out)
        for k, (length, source, out) in enumerate(
            zip(a.shape, a.strides, target.strides, strict=True)
        )
        if k != axis
    ]
    return merged(rows, False)


def _launch(
    name: str, a: GPUArray, target: GPUArray, axis: int, stream: Any, log: Log
) -> None:
    rows = _rows(a, target, axis)
    count, length = product(rows), a.shape[axis]
    along = abs(a.strides[axis]) < abs(rows[-1].source) or count == 1
    width, share = 1, 0
    in_turn = memoised()[0]().in_turn
    if in_turn:
        width = 1 if along else _WIDTH
        threads = 1
    else:
        share = _BLOCK if along and length > 32 else 0
        threads = 1 if share else _BLOCK
    tiles = count // rows[-1].length * -(-rows[-1].length // width)
    kernel = memoised()[2](
        Scan(
            name,
            a.dtype,
            target.dtype,
            len(rows),
            share,
            width,
            in_turn and width == 1,
        )  # fmt: skip
    )
    words = [count, length, a.strides[axis], target.strides[axis]]
    words += [row.length for row in rows]
    words += [row.source for row in rows]
    words += [row.target for row in rows]
    packed = np.array(words, np.int64)
    block, grid = (share or threads, 1, 1), (-(-tiles // threads), 1)
    kernel(target, a, packed, block=block, grid=grid, stream=stream)
    log.add(kernel, block, grid, 0, (target, a, packed.tobytes()))


_make_long = by_context(axis_kernels.make_long_scan)


def _fits_long(a: GPUArray, target: GPUArray) -> bool:
    least = _LONG
    if target.dtype.kind in "iu" and memoised()[0]().in_turn:
        least = _LONG_INTEGERS
    return (
        a.ndim == 1
        and a.size > least
        and a.flags.c_contiguous
        and target.flags.c_contiguous
    )


def _fits_rows(a: GPUArray, target: GPUArray, axis: int) -> bool:
    """Return whether contiguous rows can be scanned as segments of one row."""
    return (
        not memoised()[0]().in_turn
        and axis == a.ndim - 1
        and a.shape[axis] >= scan_kernels.ROW_MINIMUM
        and a.flags.c_contiguous
        and target.flags.c_contiguous
    )


def _better_turned(a: GPUArray, axis: int) -> bool:
    """Return whether one thread per row would be too few threads."""
    length = a.shape[axis]
    return (
        not memoised()[0]().in_turn
        and length > _BLOCK
        and a.size // length < _MANY
    )


def _scan_turned(
    name: str, a: GPUArray, target: GPUArray, axis: int, stream: Any
) -> None:
    """Scan a copy that has the axis last; copy the result to `target`."""
    order = [k for k in range(a.ndim) if k != axis] + [axis]
    back = [order.index(k) for k in range(a.ndim)]
    shape = tuple(a.shape[k] for k in order)
    turned = make(a, shape, a.dtype)
    _apply("copy", (a.transpose(order),), turned, None, stream)
    sums = turned
    if target.dtype != a.dtype:
        sums = make(a, shape, target.dtype)
    kernel = _make_long(name, a.dtype, target.dtype, True)
    kernel((turned, np.uint64(shape[-1]), sums), a.size, stream)
    _apply("copy", (sums.transpose(back),), target, None, stream)


def _scan(
    name: str,
    a: GPUArray,
    axis: int | None,
    dtype: npt.DTypeLike,
    out: GPUArray | None,
    stream: Any,
    allocator: Callable[..., Any] | None,
) -> GPUArray:
    if not isinstance(a, ArrayBase):
        raise TypeError(f"expected a GPUArray, not {type(a).__name__}")
    a = loadable(a, stream)
    given, asked = a, axis
    if axis is None:
        a, axis = a if a.ndim == 1 else flattened(a, stream), 0
    elif not hasattr(axis, "__index__"):
        raise TypeError(f"axis must be an integer or None, not {axis!r}")
    # NumPy treats an array without axes like one of length 1.
    a = a if a.ndim else a.reshape(1)
    (axis,) = normal_axes(axis, a.ndim)
    kind = result_type(name[3:], a.dtype, dtype)
    if out is not None:
        check_out(out, a.shape, kind)
    target = out
    if (
        out is None
        or out.dtype != kind
        or is_misaligned(out)
        or (out is not a and overlap(a, out))
    ):
        target = make(a, a.shape, kind, allocator)
    if a.size and _fits_long(a, target):
        kernel = _make_long(name, a.dtype, target.dtype, False)
        kernel((a, target), a.size, stream)
    elif a.size and _fits_rows(a, target, axis):
        kernel = _make_long(name, a.dtype, target.dtype, True)
        kernel((a, np.uint64(a.shape[axis]), target), a.size, stream)
    elif a.size and _better_turned(a, axis):
        _scan_turned(name, a, target, axis, stream)
    elif a.size:
        log = Log()
        _launch(name, a, target, axis, stream, log)
        is_default = dtype is None and out is None and stream is None
        if is_default and allocator is None and a is given:
            log.keep(name, (a,), asked, target)
    if out is not None and target is not out:
        with using(stream):
            out[...] = target.astype(out.dtype)
    return target if out is None else out


@planned
def cumsum(
    a: GPUArray,
    axis: int | None = None,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the cumulative sums along an axis.

    Parameters
    ----------
    a
        Array of any shape and strides.
    axis
        Axis to sum along; None flattens the array in C order.
    dtype
        Dtype of accumulator and result; by default booleans and integers are
        summed in 64 bits.
    out
        Array of the result's shape that receives the result.
    stream
        Stream of the launches; default: the current one.
    allocator
        Allocates the result's memory; default: the allocator of `a`.
    """
    return _scan("cumsum", a, axis, dtype, out, stream, allocator)


@planned
def cumprod(
    a: GPUArray,
    axis: int | None = None,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Return the cumulative products along an axis.

    The parameters are those of `cumsum`.
    """
    return _scan("cumprod", a, axis, dtype, out, stream, allocator)
