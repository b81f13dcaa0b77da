"""Creation of arrays whose elements follow from a few numbers."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda import _registry
from pycuda._array.common import check_array, copy_into, make
from pycuda._array.constructors import arange, fill
from pycuda._array.shaping import broadcast_to, diagonal, moveaxis
from pycuda._array.statistics import count_nonzero
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda.gpuarray import GPUArray


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: npt.DTypeLike | None = None,
    axis: int = 0,
    *,
    stream: drv.Stream | None = None,
) -> Any:
    """Return `num` evenly spaced numbers from `start` to `stop`.

    Parameters
    ----------
    start, stop
        Numbers, or arrays on the device that broadcast together.
    num
        Number of values along `axis`.
    endpoint
        Whether `stop` is the last value.
    retstep
        Whether to return the distance between neighbours as well.
    dtype
        Dtype of the result; integers are rounded down.
    axis
        Position of the values' axis in the result, if `start` or `stop` is
        an array.
    stream
        Stream of the computation; default: the current one.

    Returns
    -------
    GPUArray or tuple
        The values; with `retstep` also the distance between neighbours.

    Raises
    ------
    ValueError
        If `num` is negative.
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
    real = np.empty(0, kind).real.dtype
    return arange(num, dtype=real, stream=stream)


def _between(
    ends: list[Any],
    num: int,
    div: int,
    endpoint: bool,
    kind: np.dtype,
    stream: Any,
) -> tuple[GPUArray, Any]:
    """Compute `linspace` by NumPy's operations, for bitwise equal results."""
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
    ends: list[Any],
    num: int,
    div: int,
    endpoint: bool,
    kind: np.dtype,
    stream: Any,
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
        # If the step is rounded to zero, NumPy divides before it multiplies.
        fine = run("multiply", places, step)
        coarse = run("multiply", run("true_divide", places, float(div)), delta)
        lost = run("equal", step, 0.0)
        rounded = int(count_nonzero(lost, stream=stream).get())
        result = coarse if rounded else fine
    else:
        result = run("multiply", places, delta)
    result = run("add", result, first)
    if endpoint and num > 1:
        target = result[-1]
        fill(target, last if isinstance(last, ArrayBase) else last, stream)
    return result, step


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: npt.DTypeLike = np.float64,
    order: str = "C",
    allocator: Callable[..., Any] = drv.mem_alloc,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return zeros with ones on the k-th diagonal.

    Parameters
    ----------
    N, M
        Rows and columns; by default as many columns as rows.
    k
        Index of the diagonal: 0 is the main one, positive ones are above.
    dtype
        Dtype of the elements.
    order
        "C" or "F".
    allocator
        Allocates the device memory.
    stream
        Stream of the fill; default: the current one.

    Returns
    -------
    GPUArray
        Matrix of shape (N, M).
    """
    shape = (N, N if M is None else M)
    result = _registry.GPUArray(shape, dtype, allocator, order=order)
    fill(result, np.zeros((), result.dtype), stream)
    if -result.shape[0] < k < result.shape[1]:
        line = diagonal(result, k)
        one = np.ones((), result.dtype)[()]
        if line.size:
            _apply("copy", (one,), line, None, stream)
    return result


def identity(
    n: int,
    dtype: npt.DTypeLike | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the n by n identity matrix."""
    return eye(n, dtype=np.float64 if dtype is None else dtype, stream=stream)


def diag(
    v: GPUArray, k: int = 0, *, stream: drv.Stream | None = None
) -> GPUArray:
    """Return the k-th diagonal of a matrix, or a matrix with that diagonal.

    Parameters
    ----------
    v
        A matrix, of which a view is returned; or an array with one axis,
        which becomes the diagonal of a new matrix.
    k
        Index of the diagonal: 0 is the main one, positive ones are above.
    stream
        Stream of the copy; default: the current one.

    Raises
    ------
    ValueError
        If `v` has neither one nor two axes.
    """
    if check_array(v, "v").ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = v.shape[0] + abs(k)
    result = make(v, (n, n), v.dtype)
    fill(result, np.zeros((), v.dtype), stream)
    if v.size:
        copy_into(diagonal(result, k), v, stream)
    return result


def meshgrid(
    *xi: GPUArray,
    indexing: str = "xy",
    sparse: bool = False,
    copy: bool = True,
) -> tuple[GPUArray, ...]:
    """Return the coordinates of a grid's points from those of its axes.

    Raises
    ------
    ValueError
        If `indexing` is neither 'xy' nor 'ij'.
    """
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
    for position, line in zip(places, lines, strict=True):
        key = [None] * count
        key[position] = slice(None)
        grids.append(line[tuple(key)])
    if not sparse:
        shape = np.broadcast_shapes(*(grid.shape for grid in grids))
        grids = [broadcast_to(grid, shape) for grid in grids]
    return tuple(grid.copy("C") if copy else grid for grid in grids)
