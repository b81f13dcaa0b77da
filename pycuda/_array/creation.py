"""New arrays whose elements follow from a few numbers."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda._array.common import check_array
from pycuda._array.shaping import broadcast_to, diagonal
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray


def _fill(array: GPUArray, value: Any, stream: drv.Stream | None) -> GPUArray:
    """Fills with a number, or an array that broadcasts."""
    if isinstance(value, ArrayBase):
        _apply("copy", (value,), array, None, stream)
        return array
    host = np.asarray(value)
    if host.ndim:
        check_array(host, "fill_value")
    return array.fill(host.astype(array.dtype), stream)


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    allocator: Callable = drv.mem_alloc,
    order: str = "C",
    stream: drv.Stream | None = None,
) -> GPUArray:
    """New array filled with a value.

    Parameters
    ----------
    fill_value
        A number, or an array on the device that broadcasts to `shape`.
    dtype
        Default: that of `fill_value`.
    """
    from pycuda.gpuarray import GPUArray

    if dtype is None:
        dtype = getattr(fill_value, "dtype", None)
        dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    return _fill(
        GPUArray(shape, dtype, allocator, order=order), fill_value, stream
    )


def full_like(
    a: GPUArray,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    stream: drv.Stream | None = None,
) -> GPUArray:
    """`full` with the shape, and by default the dtype, of another array."""
    from pycuda.gpuarray import empty_like

    return _fill(empty_like(a, dtype, order), fill_value, stream)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    stream: drv.Stream | None = None,
) -> Any:
    """`num` numbers from `start` to `stop`, evenly spaced.

    Parameters
    ----------
    start, stop
        Numbers, or arrays on the device that broadcast together.
    endpoint
        Whether `stop` is the last one.
    retstep
        Whether to return the distance between neighbours as well.
    axis
        Where the numbers lie in the result, if start or stop is an array.

    Notes
    -----
    Integers are rounded down.
    """
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    ends = [_end(value) for value in (start, stop)]
    kinds = [end.dtype for end in ends]
    kind = np.result_type(*kinds, float(num))
    whole = np.dtype(dtype) if dtype is not None else kind
    div = num - 1 if endpoint else num
    if isinstance(ends[0], ArrayBase) or isinstance(ends[1], ArrayBase):
        result, step = _between_arrays(ends, num, div, endpoint, kind, stream)
    else:
        result, step = _between(ends, num, div, endpoint, kind, stream)
    if axis != 0:
        from pycuda._array.shaping import moveaxis

        result = moveaxis(result, 0, axis)
    if whole.kind in "iu":
        result = _apply("floor", (result,), None, None, stream)
    if result.dtype != whole:
        result = result.astype(whole, stream)
    return (result, step) if retstep else result


def _end(value: Any) -> Any:
    if isinstance(value, ArrayBase):
        return value
    host = np.asarray(value) * 1.0
    return check_array(host) if host.ndim else host


def _counted(num: int, kind: np.dtype, stream: Any) -> GPUArray:
    from pycuda.gpuarray import arange

    real = np.empty(0, kind).real.dtype
    return arange(num, dtype=real, stream=stream)


def _between(
    ends: list, num: int, div: int, endpoint: bool, kind: np.dtype, stream: Any
) -> tuple[GPUArray, Any]:
    """Numpy's steps, so that the same bits come out."""
    first, last = (end[()] for end in ends)
    delta = np.asarray(last - first, kind)[()]
    step = delta / div if div > 0 else np.nan
    result = _counted(num, kind, stream)
    if div > 0 and step == 0:
        result = _apply("true_divide", (result, float(div)), None, None,
                        stream)  # fmt: skip
        step = delta / div
        scale = delta
    else:
        scale = step if div > 0 else delta
    result = _apply("multiply", (result, scale), None, None, stream)
    result = _apply("add", (result, first), None, None, stream)
    if endpoint and num > 1:
        result[-1:].fill(np.asarray(last, result.dtype), stream)
    return result, step


def _between_arrays(
    ends: list, num: int, div: int, endpoint: bool, kind: np.dtype, stream: Any
) -> tuple[GPUArray, Any]:
    def run(name: str, *values: Any) -> GPUArray:
        return _apply(name, values, None, None, stream)

    first, last = (
        end if isinstance(end, ArrayBase) else end[()] for end in ends
    )
    delta = run("subtract", last, first)
    delta = delta if delta.dtype == kind else delta.astype(kind, stream)
    step: Any = np.nan
    places = _counted(num, kind, stream)
    places = places.reshape(num, *[1] * delta.ndim)
    if div > 0:
        step = run("true_divide", delta, float(div))
        # Where a step is lost to rounding, numpy divides first.
        fine = run("multiply", places, step)
        coarse = run("multiply", run("true_divide", places, float(div)), delta)
        lost = run("equal", step, 0.0)
        from pycuda._array.statistics import count_nonzero

        rounded = int(count_nonzero(lost, stream=stream).get())
        result = coarse if rounded else fine
    else:
        result = run("multiply", places, delta)
    result = run("add", result, first)
    if endpoint and num > 1:
        target = result[-1]
        _fill(target, last if isinstance(last, ArrayBase) else last, stream)
    return result, step


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = np.float64,
    order: str = "C",
    allocator: Callable = drv.mem_alloc,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Zeros, with ones on the k-th diagonal.

    Parameters
    ----------
    N, M
        Rows and columns; as many columns as rows by default.
    """
    from pycuda.gpuarray import GPUArray

    shape = (N, N if M is None else M)
    result = GPUArray(shape, dtype, allocator, order=order)
    _fill(result, np.zeros((), result.dtype), stream)
    if -result.shape[0] < k < result.shape[1]:
        line = diagonal(result, k)
        one = np.ones((), result.dtype)[()]
        if line.size:
            _apply("copy", (one,), line, None, stream)
    return result


def identity(
    n: int, dtype: Any = None, *, stream: drv.Stream | None = None
) -> GPUArray:
    """The n by n identity matrix."""
    return eye(n, dtype=np.float64 if dtype is None else dtype, stream=stream)


def diag(
    v: GPUArray, k: int = 0, *, stream: drv.Stream | None = None
) -> GPUArray:
    """The k-th diagonal of a matrix, as a view; or the matrix with one."""
    from pycuda._array.common import copy_into, make

    if check_array(v, "v").ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = v.shape[0] + abs(k)
    result = make(v, (n, n), v.dtype)
    _fill(result, np.zeros((), v.dtype), stream)
    if v.size:
        copy_into(diagonal(result, k), v, stream)
    return result


def meshgrid(
    *xi: GPUArray,
    indexing: str = "xy",
    sparse: bool = False,
    copy: bool = True,
) -> tuple[GPUArray, ...]:
    """The coordinates of a grid's points, from those along each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    lines: Sequence[GPUArray] = [
        check_array(x, "each operand").ravel() for x in xi
    ]
    count = len(lines)
    places = list(range(count))
    if indexing == "xy" and count > 1:
        places[:2] = [1, 0]
    grids = []
    for place, line in zip(places, lines, strict=True):
        key = [None] * count
        key[place] = slice(None)
        grids.append(line[tuple(key)])
    if not sparse:
        shape = np.broadcast_shapes(*(grid.shape for grid in grids))
        grids = [broadcast_to(grid, shape) for grid in grids]
    return tuple(grid.copy("C") if copy else grid for grid in grids)
