"""Reductions over some axes, for `pycuda.gpuarray`.

The kept axes and the reduced axes are each sorted by stride and merged where
the memory layout allows it.  One launch then reduces every row; two launches
do so if there are few, long rows.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pycuda import _registry
from pycuda._array.common import make, using
from pycuda._array.layout import is_misaligned, loadable, overlap
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase, _address_bits, _plan_set
from pycuda._kernels import axes as axis_kernels
from pycuda._kernels import building
from pycuda._kernels.axes import Reduction, centre_type, value_type
from pycuda._kernels.tuning import tuned
from pycuda._numpy_functions import normalize_axis_tuple

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray

_INDEXING = ("argmin", "argmax")


class Axis(NamedTuple):
    """An axis of the input, and its stride in the output."""

    length: int
    source: int  # bytes between elements of the input
    target: int  # bytes between elements of the output; 0 for a reduced axis


class _Device(NamedTuple):
    # true if a multiprocessor runs its threads one after the other
    in_turn: bool
    blocks: int  # number of blocks that keeps the device busy
    threads: int  # number of threads that run in parallel


@functools.cache
def memoised() -> tuple[
    Callable[..., Any], Callable[..., Any], Callable[..., Any]
]:
    """Return functions that cache, per context, device data and kernels."""

    def device() -> _Device:
        in_turn = building.runs_threads_in_turn()
        return _Device(
            in_turn,
            (8 if in_turn else 32)
            * building.device_attribute("MULTIPROCESSOR_COUNT"),
            building.device_attribute("MULTIPROCESSOR_COUNT")
            * building.device_attribute("MAX_THREADS_PER_MULTIPROCESSOR"),
        )

    return (
        by_context(device),
        by_context(axis_kernels.make),
        by_context(axis_kernels.make_scan),
    )


# --- axes ----------------------------------------------------------------


def normal_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Normalise `axis` to a tuple of axes >= 0; raise NumPy's errors."""
    if axis is None:
        return tuple(range(ndim))
    return normalize_axis_tuple(axis, ndim)


def merged(axes: list[Axis], ordered: bool) -> list[Axis]:
    """Merge axes whose elements follow each other; return at least one.

    The index of the last axis varies fastest.  With `ordered` the axes keep
    their order.
    """
    axes = [axis for axis in axes if axis.length != 1]
    if not ordered:
        axes.sort(key=lambda axis: -abs(axis.source))
    found: list[Axis] = []
    for axis in axes:
        if (
            found
            and found[-1].source == axis.source * axis.length
            and found[-1].target == axis.target * axis.length
        ):
            axis = axis._replace(length=found.pop().length * axis.length)
        found.append(axis)
    return found or [Axis(1, 0, 0)]


def _result_strides(
    a: GPUArray, axes: tuple[Any, ...], itemsize: int
) -> list[int]:
    """Return the result's strides, all axes kept, in input axis order."""
    strides = [0] * a.ndim
    left = [axis for axis in range(a.ndim) if axis not in axes]
    if not a.flags.c_contiguous:
        left.sort(key=lambda axis: -abs(a.strides[axis]))
    step = itemsize
    for axis in reversed(left):
        strides[axis] = step
        step *= a.shape[axis]
    return strides


class _Shape(NamedTuple):
    """Shape of a result and the positions of its axes."""

    full: tuple[int, ...]  # shape with an axis of length 1 per reduced axis
    shape: tuple[int, ...]
    axes: tuple[int, ...]

    def of(self, values: list[int]) -> tuple[int, ...]:
        """Return the `values`, one per input axis, of the result's axes."""
        if self.shape == self.full:
            return tuple(values)
        return tuple(
            value for k, value in enumerate(values) if k not in self.axes
        )


def _shape_of(a: GPUArray, axes: tuple[Any, ...], keepdims: bool) -> _Shape:
    full = tuple(
        1 if k in axes else length for k, length in enumerate(a.shape)
    )
    shape = full
    if not keepdims:
        shape = tuple(
            length for k, length in enumerate(a.shape) if k not in axes
        )
    return _Shape(full, shape, axes)


def check_out(out: Any, shape: tuple[Any, ...], dtype: np.dtype) -> None:
    """Raise unless `out` can hold a result of this shape and dtype."""
    if not isinstance(out, ArrayBase):
        raise TypeError(f"out must be a GPUArray, not {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}, the result {shape}")
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(
            f"cannot cast the result from {dtype} to out's {out.dtype} with "
            "casting rule 'same_kind'"
        )


# --- launches ------------------------------------------------------------


def _power_of_two(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def product(axes: list[Axis]) -> int:
    """Return the number of elements in the product of some axes."""
    return math.prod(axis.length for axis in axes)


class Log:
    """The launches of a call, recorded for `_driver._plan_set`."""

    def __init__(self) -> None:
        self._launches: list[tuple] = []

    def add(
        self,
        function: Any,
        block: tuple[int, int, int],
        grid: tuple[int, int],
        shared: int,
        arguments: tuple[Any, ...],
    ) -> None:
        """Record a launch; arguments are arrays, bytes or input indices.

        An array may be given by its index among the call's inputs.  It has to
        be given that way if two inputs may be the same array.
        """
        self._launches.append((function, block, grid, shared, arguments))

    def keep(
        self, name: str, inputs: tuple[GPUArray, ...], axis: Any, result: Any
    ) -> None:
        """Store the launches as a plan for arrays with the inputs' layouts.

        Stores nothing if the code path that ran recorded no launches.
        """
        if not self._launches:
            return
        arrays = [*inputs, result]
        launches = []
        for *how, arguments in self._launches:
            slots: list[Any] = []
            for argument in arguments:
                if isinstance(argument, (bytes, int)):
                    slots.append(argument)
                    continue
                known = [argument is array for array in arrays]
                if True not in known:
                    arrays.append(argument)
                    known.append(True)
                slots.append(known.index(True))
            launches.append((*how, tuple(slots)))
        temps = tuple(array.nbytes for array in arrays[len(inputs) + 1 :])
        _plan_set(name, inputs, axis, result, temps, tuple(launches))


class _Plan(NamedTuple):
    layout: str
    packed: bool
    block: tuple[int, int, int]
    blocks: int  # number of blocks, for all rows together
    per_block: int  # number of rows that a block reduces
    parts: int  # number of parts into which each row is cut
    # number of elements in a part; in the layout "rows" with several reduced
    # axes: number of runs of elements along the last one
    span: int
    # in the layouts "columns" and "rows": number of accumulators of a thread;
    # in the others: number of threads that share a row
    lanes: int = 1


def _cut(
    elements: int, least: int, blocks: int, device: _Device
) -> tuple[Any, ...]:
    """Return (parts per row, elements per part) for rows of `elements`."""
    most = min(elements // max(least, 1), device.blocks // max(blocks, 1))
    span = -(-elements // max(1, min(most, 65535)))
    span = min(span, 1 << 30)
    return -(-elements // span), span


_FRAME = 1 << 14  # maximum bytes of the accumulators of a thread
# The layout "columns" is used for at least _FEW columns. If the columns are
# not adjacent in memory, each column must also have at most _FEW elements.
_FEW = 16


def _plan_in_turn(
    remaining: list,
    reduced: list,
    columns: bool,
    sizes: tuple[Any, ...],
    device: _Device,
) -> _Plan:
    rows, length = product(remaining), product(reduced)
    itemsize, value_size = sizes
    width = remaining[-1].length
    if width >= _FEW and (columns or length <= _FEW):
        packed = remaining[-1].source == itemsize
        lanes = min(1024, _FRAME // (2 * value_size))
        lanes = min(lanes, _power_of_two(width))
        blocks = rows // width * -(-width // lanes)
        parts, span = _cut(length, 256, blocks, device)
        return _Plan(
            "columns", packed, (1, 1, 1), blocks, 1, parts, span, lanes
        )
    packed = reduced[-1].source == itemsize
    inner = reduced[-1].length
    outer = length // inner
    per_block = max(1, min(16384 // length, -(-rows // device.blocks)))
    blocks = -(-rows // per_block)
    elements, least = (inner, 16384) if outer == 1 else (outer, 16384 // inner)
    parts, span = _cut(elements, least, blocks, device)
    lanes = 64 if inner >= 512 else 16 if inner >= 128 else 8
    return _Plan(
        "rows", packed, (1, 1, 1), blocks, per_block, parts, span, lanes
    )


_THREADS = 256  # threads per block


def _plan_threads(
    remaining: list, reduced: list, columns: bool, device: _Device
) -> _Plan:
    rows, length = product(remaining), product(reduced)
    if columns:
        width = min(32, _power_of_two(rows))
        lanes = min(256 // width, _power_of_two(length))
        block, layout = (width, lanes, 1), "threads_columns"
        per_block = width
    else:
        # Each lane gets several elements, whose loads can overlap.
        lanes = min(256, 1 << max(length // 8, 1).bit_length() - 1)
        per_block = 256 // lanes
        block, layout = (lanes, per_block, 1), "threads_rows"
    blocks = -(-rows // per_block)
    parts, span = _cut(length, 16 * lanes, blocks, device)
    return _Plan(layout, False, block, blocks, 1, parts, span)


def _fits_words(
    remaining: list, reduced: list, columns: bool, dtype: np.dtype, bits: int
) -> bool:
    """Return whether the whole array can be read in words of 16 bytes."""
    width = axis_kernels.word_width(dtype)
    packed, others = (remaining, reduced) if columns else (reduced, remaining)
    strides = [axis.source for axis in (*packed[:-1], *others)]
    return (
        width > 1
        and 16 % dtype.itemsize == 0
        and packed[-1].source == dtype.itemsize
        and (packed[-1].length % width == 0 if columns else len(packed) == 1)
        and all(value % 16 == 0 for value in (bits, *strides))
    )


def _plan_words(
    remaining: list, reduced: list, columns: bool, width: int, device: _Device
) -> _Plan:
    rows, length = product(remaining), product(reduced)
    if columns:
        wide = min(tuned("column_words"), _power_of_two(rows // width))
        lanes = _THREADS // wide
        block, layout = (wide, lanes, 1), "words_columns"
        blocks = -(-rows // (wide * width))
        least, waves = 4 * lanes, tuned("column_waves")
    else:
        words = max(length // (4 * width), 1)
        lanes = min(_THREADS, 1 << words.bit_length() - 1)
        block, layout = (lanes, _THREADS // lanes, 1), "words_rows"
        blocks = -(-rows // block[1])
        least, waves = 8 * lanes * width, tuned("row_waves")
    full = device._replace(blocks=waves * device.threads // _THREADS)
    parts, span = _cut(length, least, blocks, full)
    if parts > 1 and not columns:
        span = -(-span // 16) * 16
        parts = -(-length // span)
    return _Plan(layout, True, block, blocks, 1, parts, span, lanes)


def _launch(
    name: str,
    source: Any,
    target: Any,
    types: tuple[Any, ...],
    stage: int,
    remaining: list[Axis],
    reduced: list[Axis],
    plan: _Plan,
    scale: float,
    centres: Any,
    stream: Any,
    log: Log,
) -> None:
    stored, out, value = types
    make = memoised()[1]
    kernel = make(
        Reduction(
            name, stored, out, value, stage, plan.layout, len(remaining),
            len(reduced), plan.packed, plan.lanes,
            plan.block[0] * plan.block[1],
        )
    )  # fmt: skip
    words = [product(remaining), product(reduced), plan.span, plan.per_block]
    words += [axis.length for axis in remaining]
    words += [axis.source for axis in remaining]
    words += [axis.target for axis in remaining]
    words += [axis.length for axis in reduced]
    words += [axis.source for axis in reduced]
    extra = () if centres is None else (centres,)
    shared = 0
    if plan.layout.startswith("threads"):
        threads = plan.block[0] * plan.block[1]
        shared = threads * axis_kernels.value_bytes(name, value)
    packed, factor = np.array(words, np.int64), np.float64(scale)
    grid = plan.blocks, plan.parts
    kernel(
        target, source, *extra, packed, factor, block=plan.block, grid=grid,
        shared=shared, stream=stream,
    )  # fmt: skip
    log.add(
        kernel, plan.block, grid, shared,
        (target, source, *extra, packed.tobytes(), factor.tobytes()),
    )  # fmt: skip


def _planned(
    remaining: list,
    reduced: list,
    columns: bool,
    sizes: tuple[Any, ...],
    device: _Device,
) -> _Plan:
    if device.in_turn:
        return _plan_in_turn(remaining, reduced, columns, sizes, device)
    return _plan_threads(remaining, reduced, columns, device)


def _run(
    name: str,
    a: GPUArray,
    remaining: list[Axis],
    reduced: list[Axis],
    target: GPUArray,
    scale: float,
    centres: Any,
    stream: Any,
    log: Log,
) -> None:
    device = memoised()[0]()
    remaining = merged(remaining, False)
    reduced = merged(reduced, name in _INDEXING)
    value = value_type(name, a.dtype, target.dtype)
    types = (a.dtype, target.dtype, value)
    columns = abs(remaining[-1].source) < abs(reduced[-1].source) and (
        remaining[-1].length > 1
    )
    size = axis_kernels.value_bytes(name, value)
    sizes = a.dtype.itemsize, size
    plan = _planned(remaining, reduced, columns, sizes, device)
    if not device.in_turn and _fits_words(
        remaining, reduced, columns, a.dtype, _address_bits(a)
    ):
        width = axis_kernels.word_width(a.dtype)
        plan = _plan_words(remaining, reduced, columns, width, device)
    if plan.parts == 1:
        _launch(
            name, a, target, types, 0, remaining, reduced, plan, scale,
            centres, stream, log,
        )  # fmt: skip
        return
    rows = product(remaining)
    partial = _registry.GPUArray(rows * plan.parts * size, np.uint8)
    _launch(
        name, a, partial, types, 1, remaining, reduced, plan, scale, centres,
        stream, log,
    )  # fmt: skip
    packed, step = [], size
    for axis in reversed(remaining):
        packed.insert(0, axis._replace(source=step))
        step *= axis.length
    second_axes = [Axis(plan.parts, rows * size, 0)]
    columns = rows > 1
    plan = _planned(packed, second_axes, columns, (size, size), device)
    plan = plan._replace(parts=1, span=second_axes[0].length)
    _launch(
        name, partial, target, types, 2, packed, second_axes, plan, scale,
        None, stream, log,
    )  # fmt: skip


# --- the reductions ------------------------------------------------------

_BOOL, _INT64 = np.dtype(np.bool_), np.dtype(np.int64)
_AVERAGES = ("mean", "var", "std")
_NO_IDENTITY = ("min", "max", "argmin", "argmax")


def result_type(name: str, source: np.dtype, dtype: npt.DTypeLike) -> np.dtype:
    """Return the dtype of a reduction's result by NumPy's rules."""
    if name in ("any", "all"):
        return _BOOL
    if name in ("count_nonzero", *_INDEXING):
        return _INT64
    if name in ("min", "max"):
        return source
    if dtype is not None:
        return np.dtype(dtype)
    if name in ("sum", "prod"):
        if source.kind in "bi":
            return _INT64
        return np.dtype(np.uint64) if source.kind == "u" else source
    result = np.dtype(np.float64) if source.kind in "biu" else source
    if name in ("var", "std") and result.kind == "c":
        return np.empty(0, result).real.dtype
    return result


def _fill_empty(name: str, target: GPUArray) -> None:
    """Fill `target` with the result of a reduction of no elements."""
    value: Any = {"prod": 1, "all": 1}.get(name, 0)
    if name in _AVERAGES:
        value = complex(np.nan, np.nan) if target.dtype.kind == "c" else np.nan
    target.fill(np.asarray(value).astype(target.dtype))


def reduce_axes(
    name: str,
    a: GPUArray,
    axis: Any = None,
    keepdims: bool = False,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    stream: drv.Stream | None = None,
    allocator: Callable[..., Any] | None = None,
) -> GPUArray:
    """Reduce the axes that `axis` names.

    Parameters
    ----------
    name
        sum, prod, mean, var, std, min, max, any, all, argmin, argmax or
        count_nonzero.
    a
        Array of any shape and strides.
    axis
        One axis or several; None reduces all axes.
    keepdims
        Whether reduced axes stay, with length 1.
    dtype
        Dtype of the result, for reductions for which NumPy has it.
    out
        Array that receives the result.
    ddof
        For var and std: the divisor is the number of elements minus `ddof`.
    stream
        Stream of the launches; default: the current one.
    allocator
        Allocates the result's memory.

    Returns
    -------
    GPUArray
        `out`, or a new array without the reduced axes.
    """
    if not isinstance(a, ArrayBase):
        raise TypeError(f"expected a GPUArray, not {type(a).__name__}")
    if a.ndim == 0 and axis in (0, -1) and name not in _AVERAGES:
        # NumPy's ufuncs also accept axis 0 and -1 for an array without axes.
        axis = None
    a = loadable(a, stream)
    axes = normal_axes(axis, a.ndim)
    result = _shape_of(a, axes, keepdims)
    kind = result_type(name, a.dtype, dtype)
    count = math.prod(a.shape[k] for k in axes)
    if count == 0 and name in _NO_IDENTITY:
        raise ValueError(
            f"{name} of no elements has no value: an axis that is reduced "
            "has length 0"
        )
    target = _target(name, a, result, kind, out, allocator)
    scale = float(max(count - ddof, 0)) if name in ("var", "std") else count
    if a.size == 0:
        with using(stream):
            _fill_empty(name, target)
    else:
        log = Log()
        _reduce_into(name, a, result, target, scale, stream, log)
        is_default = dtype is None and out is None and stream is None
        if is_default and allocator is None and not keepdims and ddof == 0:
            log.keep(name, (a,), axis, target)
    if out is not None and target is not out:
        with using(stream):
            out[...] = target.astype(out.dtype)
    return target if out is None else out


def _target(
    name: str,
    a: GPUArray,
    result: _Shape,
    dtype: np.dtype,
    out: GPUArray | None,
    allocator: Callable[..., Any] | None,
) -> GPUArray:
    """Return the array to write: `out` if it has the right dtype."""
    if out is not None:
        check_out(out, result.shape, dtype)
        if name in _INDEXING and not np.can_cast(out.dtype, dtype, "safe"):
            raise TypeError(
                f"{name}: out must hold integers of up to 64 bits with a "
                f"sign, not {out.dtype}"
            )
        if out.dtype == dtype and not (overlap(a, out) or is_misaligned(out)):
            return out
    strides = result.of(_result_strides(a, result.axes, dtype.itemsize))
    if not result.shape or a.flags.c_contiguous:
        return make(a, result.shape, dtype, allocator)
    return make(a, result.shape, dtype, allocator, strides)


def _pairs(
    a: GPUArray, result: _Shape, strides: tuple[int, ...]
) -> tuple[list[Axis], list[Axis]]:
    """Return (kept axes with the result's strides, reduced axes)."""
    own = iter(strides)
    remaining, reduced = [], []
    keepdims = len(result.shape) == a.ndim
    for k, (length, stride) in enumerate(zip(a.shape, a.strides, strict=True)):
        if k in result.axes:
            reduced.append(Axis(length, stride, 0))
            if keepdims:
                next(own)
        else:
            remaining.append(Axis(length, stride, next(own)))
    return remaining, reduced


def _reduce_into(
    name: str,
    a: GPUArray,
    result: _Shape,
    target: GPUArray,
    scale: float,
    stream: Any,
    log: Log,
) -> None:
    remaining, reduced = _pairs(a, result, target.strides)
    centres = None
    if name in ("var", "std"):
        kind = centre_type(a.dtype)
        centres = _registry.GPUArray(max(product(remaining), 1), kind)
        step, packed = kind.itemsize, []
        # Lay out the centres in the order in which `merged` walks the axes.
        remaining.sort(key=lambda axis: -abs(axis.source))
        for axis in reversed(remaining):
            packed.insert(0, axis._replace(target=step))
            step *= axis.length
        _run(
            "mean", a, packed, reduced, centres, product(reduced), None,
            stream, log,
        )  # fmt: skip
    _run(name, a, remaining, reduced, target, scale, centres, stream, log)
