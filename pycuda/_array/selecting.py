"""Selection of elements by masks, indices and bounds: where, take, put, clip.

Indices on the device are checked there: for an index out of range the result
is 0 or the assignment is skipped, and the next ``get()`` raises IndexError
(`pycuda._array.indexing`).
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from pycuda import _driver, _registry
from pycuda._array import gather, indexing
from pycuda._array.axes import Log
from pycuda._array.common import (
    apply,
    at_axis,
    check_array,
    check_arrays,
    check_target,
    fast_call,
    finish,
    flattened,
    make,
    normal_axis,
    short,
    using,
)
from pycuda._array.constructors import upload
from pycuda._array.joining import stack
from pycuda._array.layout import overlap
from pycuda._array.shaping import broadcast_to, spread_into
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda._driver import _Operand
    from pycuda.gpuarray import GPUArray

_MODES = ("raise", "wrap", "clip")


# --- selection by a condition --------------------------------------------


@overload
def where(
    criterion: GPUArray, *, stream: drv.Stream | None = None
) -> tuple[GPUArray, ...]: ...
@overload
def where(
    criterion: GPUArray,
    then_: _Operand,
    else_: _Operand,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray: ...
@short("where", 3)
def where(
    criterion: GPUArray,
    then_: Any = None,
    else_: Any = None,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> Any:
    """Select elements of ``then_`` where criterion is not 0, else ``else_``.

    The three arrays broadcast together.  A call with a criterion alone is a
    call of `nonzero`.
    """
    if then_ is None and else_ is None and out is None:
        return nonzero(criterion, stream=stream)
    return apply("where", (criterion, then_, else_), out, stream)


def _mask_of(a: GPUArray) -> GPUArray:
    check_array(a)
    return a if a.dtype.kind == "b" else _apply("not_equal", (a, 0))


def nonzero(
    a: GPUArray, *, stream: drv.Stream | None = None
) -> tuple[GPUArray, ...]:
    """Return the indices of nonzero elements: one int64 array per axis.

    Waits for the stream, because the host needs their number.

    Raises
    ------
    ValueError
        If `a` has no axis.
    """
    if check_array(a).ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use "
            "atleast_1d(scalar).nonzero() instead."
        )
    with using(stream):
        return tuple(indexing.mask_arrays(_mask_of(a)))


def flatnonzero(a: GPUArray, *, stream: drv.Stream | None = None) -> GPUArray:
    """Return the indices of nonzero elements in the flattened array."""
    with using(stream):
        return indexing.nonzero_flat(_mask_of(a))


def argwhere(a: GPUArray, *, stream: drv.Stream | None = None) -> GPUArray:
    """Return the indices of nonzero elements: one row per element."""
    with using(stream):
        if check_array(a).ndim == 0:
            count = int(bool(_mask_of(a)))
            return _registry.GPUArray((count, 0), np.int64)
        return stack(nonzero(a), 1)


# --- selection by indices ------------------------------------------------


def _indices(given: Any, length: int, mode: str, stream: Any) -> Any:
    """Return indices for `indexing`, brought into range by `mode`."""
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {_MODES}, not {mode!r}")
    if not isinstance(given, ArrayBase):
        host = np.asarray(given)
        if host.size == 0 and not isinstance(given, np.ndarray):
            host = host.astype(np.intp)
        given = host
    if given.dtype.kind == "b":
        given = given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise TypeError(f"indices must be integers, not {given.dtype}")
    if mode == "raise" or given.size == 0:
        return given
    if length == 0:
        raise IndexError("cannot take from an axis without elements")
    if isinstance(given, np.ndarray):
        return given % length if mode == "wrap" else (
            given.clip(0, length - 1)
        )  # fmt: skip
    wide = given.astype(np.int64, stream)
    if mode == "wrap":
        return _apply("remainder", (wide, length), None, None, stream)
    return _apply("clip", (wide, 0, length - 1), None, None, stream)


def _as_key(indices: Any) -> Any:
    """Return indices with at least one axis, so that the key makes no view."""
    return indices.reshape(1) if indices.ndim == 0 else indices


@fast_call
def take(
    a: GPUArray,
    indices: Any,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
    *,
    axis: int | None = None,
    mode: str = "raise",
) -> GPUArray:
    """Return elements along an axis, by index.

    Parameters
    ----------
    a
        Array of any shape and strides.
    indices
        Integers in any shape, on the device or the host.  Negative ones count
        from the end.
    out
        Array that receives the result; it may overlap `a`.  With an axis it
        has the result's shape, otherwise at least as many elements.
    stream
        Stream of the launches; default: the current one.
    axis
        Axis of the indices; None flattens the array in C order.
    mode
        Treatment of indices out of range: "raise", "wrap" around, or "clip"
        to the nearest.  With the last two, negative indices are out of range.

    Raises
    ------
    IndexError
        If an index on the host is out of range and mode is "raise".

    Notes
    -----
    With "raise" an out-of-range index on the device gives 0, and an
    IndexError at the next ``get()`` or the next indexing by an array.
    """
    check_array(a)
    flat = axis is None
    if axis is None:
        a, axis = gather.in_one_axis(a, stream), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = normal_axis(axis, a.ndim)
    indices = _indices(indices, a.shape[axis], mode, stream)
    shape = (*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :])
    if out is None and indexing.is_simple(a, indices):
        _driver._check_faults()
        made = make(a, shape, a.dtype)
        indexing.take_indexed(a, indices, 0, made, stream)
        return made
    key = at_axis(axis, _as_key(indices))
    if out is None:
        found = indexing.get(a, key, None, stream)
        return found if found.shape == shape else found.reshape(shape)
    if check_array(out, "out").shape != shape and not flat:
        raise ValueError(f"out has shape {out.shape}, the result {shape}")
    if overlap(a, out):
        a = a.copy("C", stream)
    if out.shape == shape and not out.flags.c_contiguous:
        gather.check_dtype(out, a.dtype)
        return finish(indexing.get(a, key, None, stream), out, stream)
    size = int(np.prod(shape, dtype=np.int64))
    gather.check_out(out, size, a.dtype)
    return indexing.get(a, key, out, stream)


def take_along_axis(
    arr: GPUArray,
    indices: GPUArray,
    axis: int | None = -1,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return elements along an axis, with separate indices for each row."""
    check_array(arr, "arr")
    if axis is None:
        arr, axis = flattened(arr, stream), 0
    key = _along(arr, indices, axis)
    return indexing.get(arr, key, None, stream)


def put_along_axis(
    arr: GPUArray,
    indices: GPUArray,
    values: Any,
    axis: int | None = -1,
    *,
    stream: drv.Stream | None = None,
) -> None:
    """Assign `values` to the elements that `take_along_axis` would return.

    Raises
    ------
    ValueError
        If `axis` is None and `arr` is not in C order.
    """
    check_array(arr, "arr")
    if axis is None:
        if not arr.flags.c_contiguous:
            raise ValueError("axis=None requires an array in C order")
        arr, axis = arr.ravel(), 0
    indexing.set(arr, _along(arr, indices, axis), values, stream)


def _along(arr: GPUArray, indices: Any, axis: int) -> tuple[Any, ...]:
    """Return a key: `indices` for one axis, all indices of the others."""
    axis = normal_axis(axis, arr.ndim)
    if not isinstance(indices, ArrayBase):
        indices = np.asarray(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if indices.ndim != arr.ndim:
        raise ValueError(
            "`indices` and `arr` must have the same number of dimensions"
        )
    key: list[Any] = []
    for k, length in enumerate(arr.shape):
        if k == axis:
            key.append(indices)
            continue
        steps = [1] * arr.ndim
        steps[k] = length
        key.append(np.arange(length).reshape(steps))
    return tuple(key)


def put(
    a: GPUArray,
    ind: Any,
    v: Any,
    mode: str = "raise",
    *,
    stream: drv.Stream | None = None,
) -> None:
    """Run ``a.flat[ind] = v`` in place; `v` is repeated if it is shorter.

    If several values are assigned to one element, any of them may remain.
    """
    check_array(a)
    with using(stream):
        _put(a, ind, v, mode)


def _put(a: GPUArray, ind: Any, v: Any, mode: str) -> None:
    indices = _as_key(_indices(ind, a.size, mode, None)).reshape(-1)
    if not isinstance(v, ArrayBase):
        v = np.asarray(v)
    values = v.reshape(-1)
    if indices.size == 0 or values.size == 0:
        return
    if values.size > indices.size:
        values = values[: indices.size]
    elif 1 < values.size < indices.size:
        turns = np.arange(indices.size) % values.size
        values = values[turns]
    key: Any = indices
    if a.ndim != 1:
        view = a if a.ndim else a.reshape(1)
        if view.flags.c_contiguous:
            a = view.reshape(-1)
        else:
            key, a = _unravelled(indices, view.shape), view
    indexing.set(a, key, values)


def _unravelled(indices: Any, shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """Convert flat indices, possibly out of range, to indices per axis."""
    size = int(np.prod(shape))
    if isinstance(indices, np.ndarray):
        low, high = int(indices.min()), int(indices.max())
        if low < -size or high >= size:
            raise IndexError(
                f"index {low if low < -size else high} is out of bounds for "
                f"size {size}"
            )
        return np.unravel_index(indices % size, shape)

    def run(name: str, *values: Any) -> GPUArray:
        return _apply(name, values, None, None, None)

    flat = indices.astype(np.int64)
    flat = run("where", run("less", flat, 0), run("add", flat, size), flat)
    parts = []
    for length in shape[:0:-1]:
        parts.insert(0, run("remainder", flat, length))
        flat = run("floor_divide", flat, length)
    # Indices below -size are still negative after the addition of size.
    # Replace them by an index beyond the end, so that they are out of range
    # and do not count from the end.
    beyond = run("less", flat, 0)
    return run("where", beyond, shape[0], flat), *parts


def choose(
    a: GPUArray,
    choices: Sequence[Any],
    out: GPUArray | None = None,
    mode: str = "raise",
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return ``choices[a[i]][i]`` for each index i; all broadcast together.

    Parameters
    ----------
    a
        Integers: the index of the choice for each element.
    choices
        Arrays on the device and numbers, or one array with an additional
        first axis.
    out
        Array that receives the result.
    mode
        Treatment of choices out of range, as in `take`.
    stream
        Stream of the launches; default: the current one.
    """
    check_array(a)
    arrays = [
        upload(np.asarray(choice)) if np.isscalar(choice) else choice
        for choice in choices
    ]
    arrays = check_arrays(arrays, "choose")
    indices = _indices(a, len(arrays), mode, stream)
    shape = np.broadcast_shapes(a.shape, *(c.shape for c in arrays))
    kind = np.result_type(*(choice.dtype for choice in arrays))
    parts = [broadcast_to(choice, shape) for choice in arrays]
    table = stack(parts, 0, None, stream, dtype=kind, casting="safe")
    places = [
        np.arange(n).reshape([-1 if k == j else 1 for j in range(len(shape))])
        for k, n in enumerate(shape)
    ]
    picked = broadcast_to(indices, shape)
    if not shape:
        picked = picked.reshape(1)
    found = indexing.get(table, (picked, *places), None, stream)
    return finish(found.reshape(shape), out, stream)


@fast_call
def repeat(
    a: GPUArray,
    repeats: Any,
    axis: int | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Repeat each element `repeats` times, in sequence.

    Parameters
    ----------
    a
        Array of any shape and strides.
    repeats
        A number, or one number per element along the axis; if these are on
        the device, the host waits for them.
    axis
        Axis of the elements; None flattens the array in C order.
    stream
        Stream of the copies; default: the current one.
    """
    given, is_flat, log = check_array(a), axis is None, Log()
    if axis is None:
        a, axis = flattened(a, stream), 0
    # NumPy treats an array without axes like one of length 1.
    a = a if a.ndim else a.reshape(1)
    axis = normal_axis(axis, a.ndim)
    if type(repeats) is int and repeats >= 0:
        found = _repeat_evenly(a, repeats, axis, stream, log)
        if is_flat and stream is None and given.flags.c_contiguous:
            log.keep("repeat", (given,), repeats, found)
        return found

    if isinstance(repeats, ArrayBase):
        with using(stream):
            repeats = repeats.get()
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "biu":
        raise TypeError(f"repeats must be integers, not {counts.dtype}")
    if counts.size and counts.min() < 0 and a.shape[axis]:
        raise ValueError("repeats may not contain negative values.")
    if counts.size == 1:
        count = max(int(counts.reshape(-1)[0]), 0)
        return _repeat_evenly(a, count, axis, stream, log)
    if counts.shape != (a.shape[axis],):
        raise ValueError(
            f"repeats of shape {counts.shape} for {a.shape[axis]} elements "
            "along the axis"
        )
    places = np.repeat(np.arange(len(counts)), counts)
    return take(a, upload(places), None, stream, axis=axis)


def _repeat_evenly(
    a: GPUArray, count: int, axis: int, stream: Any, log: Log
) -> GPUArray:
    length = a.shape[axis]
    before, after = a.shape[:axis], a.shape[axis + 1 :]
    result = make(a, (*before, length * count, *after), a.dtype)
    is_line = not after and a.flags.c_contiguous
    if result.size and not (
        is_line and indexing.repeat_line(result, a, count, stream, log)
    ):
        spread_into(
            result.reshape(*before, length, count, *after),
            a[at_axis(axis + 1, None)],
            stream,
        )
    return result


def compress(
    condition: Any,
    a: GPUArray,
    axis: int | None = None,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the elements along an axis for which a 1-d condition holds.

    Raises
    ------
    ValueError
        If `condition` has another number of axes than 1.
    """
    if not isinstance(condition, ArrayBase):
        condition = np.asarray(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if isinstance(condition, ArrayBase):
        indices: Any = flatnonzero(condition)
    else:
        indices = np.flatnonzero(condition)
    return finish(take(a, indices, None, stream, axis=axis), out, stream)


def extract(
    condition: GPUArray,
    arr: GPUArray,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the elements for which a condition holds, in C order."""
    with using(stream):
        return take(arr, flatnonzero(condition))


# --- limits on values ----------------------------------------------------


def clip(
    a: GPUArray,
    a_min: Any = None,
    a_max: Any = None,
    out: GPUArray | None = None,
    *,
    min: Any = None,
    max: Any = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Limit elements to the range from `a_min` to `a_max`.

    Parameters
    ----------
    a
        Array of any shape and strides.
    a_min, a_max
        Numbers or arrays that broadcast; None: no bound.
    out
        Array that receives the result.
    min, max
        Other names of `a_min` and `a_max`.
    stream
        Stream of the launch; default: the current one.

    Notes
    -----
    NaN stays NaN, and a bound that is NaN gives NaN.
    """
    low, high = (
        (a_min if min is None else min),
        (a_max if max is None else max),
    )
    check_array(a)
    if a.dtype.kind in "iu":
        info = np.iinfo(a.dtype)
        low = None if type(low) is int and low <= info.min else low
        high = None if type(high) is int and high >= info.max else high
    if low is not None and high is not None:
        return apply("clip", (a, low, high), out, stream)
    if low is not None:
        return apply("maximum", (a, low), out, stream)
    if high is not None:
        return apply("minimum", (a, high), out, stream)
    if out is not None:
        check_target(out, out.shape, a.dtype)
    return _apply("copy", (a,), out, None, stream)
