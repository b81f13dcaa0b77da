"""Sorting along an axis, and functions based on it, for `pycuda.gpuarray`.

All sorts are stable radix sorts; NaN sorts last.  Rows are made contiguous
first, with the axis last.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import pycuda.driver as drv
from pycuda._array.axes import Log
from pycuda._array.common import (
    check_array,
    fast_call,
    flattened,
    make,
    normal_axis,
)
from pycuda._array.constructors import upload
from pycuda._array.layout import is_misaligned, loadable
from pycuda._array.selecting import take
from pycuda._array.shaping import moveaxis
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase
from pycuda._kernels import building
from pycuda._kernels import sorting as kernels
from pycuda._kernels.sorting import Sort

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda.gpuarray import GPUArray

# Limits in elements, for devices whose threads run sequentially. Several
# threads share a row of more than _LONG elements. If there are fewer rows than
# processors, several threads also share a row of at least _SHARED elements. To
# distribute a row to buckets, a thread gets at least _PART of its elements; to
# sort a row digit by digit, at least _CHUNK.
_LONG = 1 << 17
_SHARED = 1 << 14
_PART = 1 << 13
_CHUNK = 1 << 16
_WIDE = 1 << 30
_MOST_REPEATED = 9  # maximum number of passes of a sort with a launch plan
_NOTHING = np.uint64(0)


@functools.cache
def _memoised() -> dict[str, Callable[..., Any]]:
    makers = {
        "device": building.device_traits,
        "in_turn": kernels.make_in_turn,
        "values": kernels.make_values,
        "rows": kernels.make_rows,
        "sweep": kernels.make_sweep,
        "search": kernels.make_search,
    }
    return {name: by_context(maker) for name, maker in makers.items()}


# --- rows of packed elements ---------------------------------------------


class _Rows(NamedTuple):
    """Contiguous rows to sort, and their order if it is requested."""

    items: GPUArray
    result: GPUArray | None  # indices that sort each row, as int64
    rows: int
    n: int  # elements of a row
    flip: np.uint32
    stream: Any
    # whether items are uniformly random unsigned integers
    is_random: bool = False
    # array to sort; `items` receives its sorted copy
    source: GPUArray | None = None
    # records the launches of a call whose input is `source`
    log: Log | None = None

    def read(self) -> GPUArray:
        """Return the array that the first kernel reads."""
        return self.items if self.source is None else self.source

    def note(
        self,
        kernel: Any,
        grid: tuple[int, int],
        block: int,
        arguments: tuple[Any, ...],
    ) -> None:
        """Launch a kernel and record it for the call's launch plan."""
        shape = (block, 1, 1)
        kernel(*arguments, block=shape, grid=grid, stream=self.stream)
        if self.log is not None and self.source is not None:
            noted = [
                0
                if x is self.source
                else x
                if isinstance(x, ArrayBase)
                else x.tobytes()
                for x in arguments
            ]
            self.log.add(kernel, shape, grid, 0, tuple(noted))

    def allocate_like_items(
        self, dtype: npt.DTypeLike | None = None
    ) -> GPUArray:
        """Allocate an array of the size of the items."""
        return make(self.items, self.items.shape, dtype or self.items.dtype)

    def orders(self, wide: bool) -> tuple[Any, Any]:
        """Allocate two buffers for the order while it is computed."""
        if self.result is None:
            return _NOTHING, _NOTHING
        kind = np.uint64 if wide else np.uint32
        return self.allocate_like_items(kind), self.allocate_like_items(kind)


def _least_pass(work: _Rows, passes: int) -> int:
    """Return the first digit that needs a pass.

    Digits are counted from the lowest.  If random numbers are sorted only by
    this digit and the higher ones, a few hundred pairs are in the wrong order.
    """
    if not work.is_random:
        return 0
    bits = 2 * work.n.bit_length() - 10
    return passes - min(max(1, -(-bits // 8)), passes)


def _distribute_sequentially(
    work: _Rows, sort: Sort, chunks: int, processors: int
) -> GPUArray:
    """Distribute each row to buckets and sort these, sequential threads only.

    The result begins with one flag per row: whether the row is left to other
    kernels.
    """
    plan, assign, deal, buckets = _memoised()["values"](sort)
    n, each = np.uint64(work.n), np.uint64(-(-work.n // chunks))
    digits = 1 << (16 if work.n >= 1 << 20 else 12)
    parts = min(kernels.BUCKETS, 1 << (work.n.bit_length() - 11))
    few = np.uint32(max(2, min(2 * processors, parts // 8)))
    sample = np.uint32(min(16 * parts, digits))
    words = make(
        work.items, (work.rows * (7 + digits * 5 // 4) + 1,), np.uint32
    )
    size = np.uint32(digits)
    read, flip = work.read(), work.flip
    arguments: tuple[Any, ...] = (
        read, n, sample, np.uint32(parts), few, words, size, flip,
    )  # fmt: skip
    work.note(plan, (1, work.rows), 1, arguments)
    numbers = work.allocate_like_items(np.uint8)
    count = work.rows * kernels.BUCKETS
    counts = make(work.items, (count * chunks,), np.uint32)
    arguments = read, n, each, words, size, numbers, counts, flip
    work.note(assign, (chunks, work.rows), 1, arguments)
    dealt, starts = (
        work.allocate_like_items(),
        make(work.items, (count,), np.uint64),
    )
    arguments = (
        read, dealt, n, each, words, size, numbers, counts, starts, flip,
    )  # fmt: skip
    work.note(deal, (chunks, work.rows), 1, arguments)
    origin = read if work.n <= _LONG else _NOTHING
    arguments = origin, dealt, work.items, n, words, size, starts, flip
    work.note(buckets, (parts, work.rows), 1, arguments)
    return words


def _sort_in_turn(work: _Rows, processors: int) -> GPUArray:
    blocks = 4 * processors
    sort = Sort(work.items.dtype, work.result is not None, work.n >= _WIDE)
    left: Any = _NOTHING
    if kernels.has_buckets(sort) and (
        work.n > _LONG or (work.n >= _SHARED and work.rows < processors)
    ):
        chunks = min(-(-blocks // work.rows), max(1, work.n // _PART))
        left = _distribute_sequentially(work, sort, chunks, processors)
        if work.n <= _LONG:
            return work.items
    rows, count, places, move, finish = _memoised()["in_turn"](sort)
    least = _least_pass(work, sort.passes)
    spare, (order, other_order) = (
        work.allocate_like_items(),
        work.orders(sort.wide),
    )
    result = _NOTHING if work.result is None else work.result
    if work.n <= _LONG:
        each = max(1, min(-(-work.rows // blocks), 65536 // work.n))
        arguments = (
            work.read(), work.items, spare, order, other_order, result,
            np.int64(work.rows), np.int64(each), np.uint32(work.n), work.flip,
            np.int32(least),
        )  # fmt: skip
        work.note(rows, (-(-work.rows // each), 1), 1, arguments)
        return work.items
    chunks = min(-(-blocks // work.rows), work.n // _CHUNK)
    each = np.int64(-(-work.n // chunks))
    counts = make(
        work.items, (work.rows * kernels.DIGITS * chunks,), np.uint64
    )
    shape: dict[str, Any] = {
        "block": (1, 1, 1),
        "grid": (chunks, work.rows),
        "stream": work.stream,
    }
    here, there, other = work.read(), spare, work.items
    for number in range(least, sort.passes):
        step = np.int32(number)
        count(
            here, np.int64(work.n), each, counts, step, work.flip, left,
            **shape,
        )  # fmt: skip
        places(
            counts, np.uint64(chunks), left, block=(1, 1, 1),
            grid=(work.rows, 1), stream=work.stream,
        )  # fmt: skip
        move(
            here, there, order, other_order, result, np.int64(work.n), each,
            counts, step, work.flip, np.int32(least), left, **shape,
        )  # fmt: skip
        here, there, other = there, other, there
        order, other_order = other_order, order
    if least:
        finish(
            here, result, np.int64(work.n), each, work.flip, np.int32(least),
            **shape,
        )  # fmt: skip
    return here


def _sort_rows(work: _Rows) -> GPUArray:
    """Sort each row by one block."""
    dtype = work.items.dtype
    shape = kernels.row_shape(dtype, work.n)
    ordered = work.result is not None
    kernel = _memoised()["rows"](Sort(dtype, ordered, False, shape))
    arguments = (
        work.read(), work.items, work.result if ordered else _NOTHING,
        np.uint32(work.n), work.flip,
    )  # fmt: skip
    work.note(kernel, (work.rows, 1), shape.threads, arguments)
    return work.items


def _scratch(work: _Rows, sort: Sort, tiles: int) -> tuple[GPUArray, int]:
    """Return (buffers of ``sort/sweep.cu``, how many words to clear first)."""
    states = work.rows * tiles * kernels.DIGITS * (2 if sort.wide else 1)
    before = 2 * work.rows * sort.passes * kernels.DIGITS
    before += work.rows + sort.passes + 1 & ~1
    words = before + states, before + 2 * states
    return make(work.items, (words[1],), np.uint32), words[0]


def _sort_sweep(work: _Rows, processors: int) -> GPUArray:
    """Sort by one launch per digit, which reads and writes each element."""
    sort = Sort(work.items.dtype, work.result is not None, work.n >= _WIDE)
    if sort.passes > _MOST_REPEATED:
        work = work._replace(log=None)
    shape = kernels.tile_shape(sort, work.rows, work.n, processors)
    clear, count, sweep = _memoised()["sweep"](sort._replace(shape=shape))
    tiles = -(-work.n // (shape.threads * shape.items))
    memory, zeros = _scratch(work, sort, tiles)
    most = min(-(-zeros // kernels.BLOCK), 8 * processors)
    work.note(clear, (most, 1), kernels.BLOCK, (memory, np.uint64(zeros)))
    sizes = np.uint64(work.n), np.uint32(work.rows), np.uint32(tiles)
    most = kernels.COUNTING * processors // work.rows
    chunks = max(1, min(most, -(-work.n // 8192)))
    span = -(-work.n // chunks)
    chunks = -(-work.n // span)
    here = work.read()
    arguments = (
        here, *sizes, np.uint32(chunks), np.uint32(span), memory, work.flip,
    )  # fmt: skip
    work.note(count, (chunks * work.rows, 1), kernels.COUNTERS, arguments)
    there, other = work.allocate_like_items(), work.items
    if here is not work.items and sort.passes % 2:
        # Exchange the buffers, so that the last pass writes to `items`.
        there, other = other, there
    order, following = work.orders(sort.wide)
    result = _NOTHING if work.result is None else work.result
    for number in range(sort.passes):
        arguments = (
            here, there, order, following, result, *sizes, memory,
            np.int32(number), work.flip,
        )  # fmt: skip
        work.note(sweep, (tiles * work.rows, 1), shape.threads, arguments)
        here, there, other = there, other, there
        order, following = following, order
    return here


def _device() -> tuple[bool, int]:
    """Return (whether threads run sequentially, multiprocessors)."""
    return _memoised()["device"]()


def _sort_packed(work: _Rows) -> GPUArray:
    """Return the sorted items, in the same or other memory."""
    in_turn, processors = _device()
    if in_turn:
        return _sort_in_turn(work, processors)
    if work.n <= kernels.BLOCK * kernels.most_items(work.items.dtype):
        return _sort_rows(work)
    return _sort_sweep(work, processors)


def sorted_rows(
    a: GPUArray, axis: int | None, ordered: bool, descending: bool,
    stream: Any, log: Log | None = None,
) -> tuple[GPUArray, GPUArray | None]:  # fmt: skip
    """Return (sorted copy, order or None), contiguous with the axis last."""
    check_array(a)
    kernels.check_dtype(a.dtype)
    if axis is None:
        a, axis = flattened(a, stream), 0
    axis = normal_axis(axis, a.ndim)
    last = a.transpose([k for k in range(a.ndim) if k != axis] + [axis])
    packed = make(a, last.shape, a.dtype)
    result = make(a, last.shape, np.int64) if ordered else None
    if a.size == 0:
        return packed, result
    n = last.shape[-1]
    source = last if _reads(last) else None
    if source is None:
        packed.set(last, True, stream)
    if n == 1:
        if result is not None:
            result.fill(np.int64(0), stream)
        return packed, result
    flip = np.uint32(255 if descending else 0)
    work = _Rows(
        packed, result, a.size // n, n, flip, stream, False, source, log
    )
    return _sort_packed(work), result


def _reads(rows: GPUArray) -> bool:
    """Return whether the sort kernel reads the rows without a copy."""
    return (
        rows.shape[-1] > 1
        and rows.flags.c_contiguous
        and not is_misaligned(rows)
    )


def _keep(
    log: Log, name: str, a: GPUArray, axis: int | None, result: GPUArray
) -> None:
    """Store the launches as a plan, if they read `a` without a copy."""
    if a.flags.c_contiguous and axis is not None and (
        normal_axis(axis, a.ndim) == a.ndim - 1
    ):  # fmt: skip
        log.keep(name, (a,), None, result)


def order_of_random(keys: GPUArray) -> GPUArray:
    """Run `argsort` for a contiguous row of random integers, in place.

    The result is right for any row of unsigned integers; random ones are
    sorted faster.
    """
    n = keys.size
    if n < 2:
        return argsort(keys)
    result = make(keys, (n,), np.int64)
    flip = np.uint32(0)
    _sort_packed(_Rows(keys, result, 1, n, flip, None, True))
    return result


def _check_kind(kind: Any, order: Any, stable: Any) -> None:
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    known = (None, "quicksort", "heapsort", "mergesort", "stable")
    if kind not in known:
        raise ValueError(f"sort kind must be one of {known[1:]}, not {kind!r}")
    if kind is not None and stable is not None:
        raise ValueError(
            "`kind` and keyword parameters can't be provided at the same time."
        )


def _back(a: GPUArray, axis: int | None, found: GPUArray) -> GPUArray:
    """Move the axis back to its position, in C order."""
    if axis is None or a.ndim < 2 or normal_axis(axis, a.ndim) == a.ndim - 1:
        return found
    return moveaxis(found, -1, axis)


def _in_c_order(array: GPUArray, stream: Any) -> GPUArray:
    return array if array.flags.c_contiguous else array.copy("C", stream)


@fast_call
def sort(
    a: GPUArray,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return a sorted copy.

    Parameters
    ----------
    a
        Array of any shape and strides.
    axis
        Axis to sort along; None flattens the array.
    kind, stable
        For compatibility with NumPy: every sort is stable.
    descending
        Largest first; equal elements keep their order.
    stream
        Stream of the launches; default: the current one.

    Returns
    -------
    GPUArray
        Shape and dtype are those of `a`.

    Notes
    -----
    NaN counts as larger than all numbers.  Complex numbers are sorted by
    their real parts, then by their imaginary parts.
    """
    _check_kind(kind, order, stable)
    log = None if descending or stream is not None else Log()
    found, _ = sorted_rows(a, axis, False, descending, stream, log)
    if log is not None:
        _keep(log, "sort", a, axis, found)
    return _in_c_order(_back(a, axis, found), stream)


@fast_call
def argsort(
    a: GPUArray,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the indices (int64) that sort an array along an axis.

    The parameters are those of `sort`.
    """
    _check_kind(kind, order, stable)
    if check_array(a).ndim == 0:
        # numpy.argsort treats an array without axes like one of length 1.
        a = a.reshape(1)
    log = None if descending or stream is not None else Log()
    _, found = sorted_rows(a, axis, True, descending, stream, log)
    if log is not None:
        _keep(log, "argsort", a, axis, found)
    return _in_c_order(_back(a, axis, found), stream)


def sort_in_place(
    a: GPUArray,
    axis: int,
    kind: str | None,
    order: Any,
    stable: bool | None,
    stream: drv.Stream | None,
) -> None:
    """Implement the method ``a.sort()``."""
    _check_kind(kind, order, stable)
    found, _ = sorted_rows(a, axis, False, False, stream)
    a.set(_back(a, axis, found), True, stream)


# --- searching -----------------------------------------------------------


def searchsorted(
    a: GPUArray,
    v: Any,
    side: str = "left",
    sorter: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the indices at which to insert `v` to keep `a` sorted.

    Parameters
    ----------
    a
        Array with one axis, in ascending order (or sorted by `sorter`).
    v
        An array on the device, or a number.
    side
        "left": before equal elements; "right": after them.
    sorter
        Indices that sort `a`.
    stream
        Stream of the launches; default: the current one.

    Returns
    -------
    GPUArray
        int64, in the shape of `v`.

    Raises
    ------
    ValueError
        If `side` has another value, `a` has not one axis, or `sorter` has
        another length than `a`.
    TypeError
        If `v` is an array of the host or of objects, or `sorter` does not
        have integers.
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right' (got '{side}')")
    if check_array(a).ndim != 1:
        raise ValueError(f"a must have one axis, not {a.ndim}")
    if not isinstance(v, ArrayBase):
        host = np.asarray(v)
        if host.ndim:
            check_array(host, "v")
        if host.dtype == object:
            raise TypeError(f"v must be a GPUArray or a number, not {v!r}")
        kind = np.result_type(a.dtype, v)
        with np.errstate(all="ignore"):
            if not np.array_equal(host.astype(kind), host):
                # a.dtype cannot represent the values exactly
                kind = np.result_type(a.dtype, host.dtype)
        v = upload(host.astype(kind))
    else:
        kind = np.result_type(a.dtype, v.dtype)
    a, v = (x if x.dtype == kind else x.astype(kind, stream) for x in (a, v))
    a, v = (_in_c_order(loadable(x, stream), stream) for x in (a, v))
    if sorter is not None:
        sorter = check_array(sorter, "sorter")
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if sorter.shape != a.shape:
            raise ValueError("sorter.size must equal len(a)")
        # take() detects indices out of range
        a = take(a, sorter, None, stream)
    result = make(v, v.shape, np.int64)
    if v.size == 0:
        return result
    kernel, each = _memoised()["search"](kind, side == "right")
    kernel(
        result, a if a.size else _NOTHING, np.uint64(a.size), v,
        np.uint64(v.size), block=(256, 1, 1),
        grid=(-(-v.size // (256 * each)), 1), stream=stream,
    )  # fmt: skip
    return result
