"""Functions that rearrange elements: views and copies.

The result is a view of the same memory if strides can express it, as in NumPy.
The view of `broadcast_to` is writable; one element of its memory appears at
several indices.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.common import (
    at_axis,
    check_array,
    copy_into,
    fast_call,
    flattened,
    make,
    normal_axis,
)
from pycuda._array.constructors import arange
from pycuda._driver import _apply
from pycuda._numpy_functions import normalize_axis_tuple

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda._driver import _Shape
    from pycuda.gpuarray import GPUArray


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    return normalize_axis_tuple(axis, ndim)


# --- views ---------------------------------------------------------------


def broadcast_to(array: GPUArray, shape: _Shape) -> GPUArray:
    """Return a view of `array`, broadcast to a shape.

    Raises
    ------
    ValueError
        If `array` does not broadcast to `shape`.
    """
    check_array(array, "array")
    if not isinstance(shape, Sequence):
        shape = (operator.index(shape),)
    shape = tuple(operator.index(length) for length in shape)
    missing = len(shape) - array.ndim
    lengths = (1,) * missing + array.shape
    if missing < 0 or any(
        have not in (1, want)
        for have, want in zip(lengths, shape, strict=True)
    ):
        raise ValueError(
            f"an array of shape {array.shape} does not broadcast to {shape}"
        )
    strides = (0,) * missing + tuple(
        0 if length == 1 else stride
        for length, stride in zip(array.shape, array.strides, strict=True)
    )
    return array._strided(shape, strides)


def broadcast_arrays(*arrays: GPUArray) -> tuple[GPUArray, ...]:
    """Return views of arrays, broadcast to their common shape.

    Raises
    ------
    ValueError
        If the arrays do not broadcast together.
    """
    for array in arrays:
        check_array(array, "each operand")
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return tuple(broadcast_to(array, shape) for array in arrays)


def expand_dims(a: GPUArray, axis: Any) -> GPUArray:
    """Return a view with axes of length 1 at the positions `axis`.

    Parameters
    ----------
    a
        Array of any shape and strides.
    axis
        One axis of the result, or several.
    """
    check_array(a)
    count = len(axis) if isinstance(axis, Sequence) else 1
    places = _axes(axis, a.ndim + count)
    key = [None if k in places else slice(None) for k in range(a.ndim + count)]
    return a[(*key, Ellipsis)]


def squeeze(a: GPUArray, axis: Any = None) -> GPUArray:
    """Return a view without axes of length 1: all, or the named ones."""
    return check_array(a).squeeze(axis)


def moveaxis(a: GPUArray, source: Any, destination: Any) -> GPUArray:
    """Return a view with some axes moved; the others keep their order.

    Parameters
    ----------
    a
        Array of any shape and strides.
    source, destination
        Axes of `a`, and their positions in the result: one, or equally many.

    Raises
    ------
    ValueError
        If their numbers differ.
    AxisError
        If an axis does not exist.
    """
    check_array(a)
    given = _axes(source, a.ndim)
    places = _axes(destination, a.ndim)
    if len(given) != len(places):
        raise ValueError(
            "source and destination must name the same number of axes, not "
            f"{len(given)} and {len(places)}"
        )
    order = [axis for axis in range(a.ndim) if axis not in given]
    for position, axis in sorted(zip(places, given, strict=True)):
        order.insert(position, axis)
    return a.transpose(order)


def swapaxes(a: GPUArray, axis1: int, axis2: int) -> GPUArray:
    """Return a view with two axes exchanged."""
    check_array(a)
    order = list(range(a.ndim))
    first, second = normal_axis(axis1, a.ndim), normal_axis(axis2, a.ndim)
    order[first], order[second] = order[second], order[first]
    return a.transpose(order)


def matrix_transpose(x: GPUArray, /) -> GPUArray:
    """Return a view with the last two axes exchanged.

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.
    """
    if check_array(x, "x").ndim < 2:
        raise ValueError(
            f"a matrix needs two axes or more, the array has {x.ndim}"
        )
    return swapaxes(x, -1, -2)


def flip(m: GPUArray, axis: Any = None) -> GPUArray:
    """Return a view with the elements along some axes reversed.

    Parameters
    ----------
    m
        Array of any shape and strides.
    axis
        One axis or several; None reverses all.
    """
    check_array(m, "m")
    axes = range(m.ndim) if axis is None else _axes(axis, m.ndim)
    key = [
        slice(None, None, -1) if k in axes else slice(None)
        for k in range(m.ndim)
    ]
    return m[(*key, Ellipsis)]


def fliplr(m: GPUArray) -> GPUArray:
    """Return a view with the second axis reversed.

    Raises
    ------
    ValueError
        If `m` has fewer than two axes.
    """
    if check_array(m, "m").ndim < 2:
        raise ValueError("fliplr needs an array of two axes or more")
    return flip(m, 1)


def flipud(m: GPUArray) -> GPUArray:
    """Return a view with the first axis reversed.

    Raises
    ------
    ValueError
        If `m` has no axis.
    """
    if check_array(m, "m").ndim < 1:
        raise ValueError("flipud needs an array of one axis or more")
    return flip(m, 0)


def diagonal(
    a: GPUArray, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> GPUArray:
    """Return a view of a diagonal of each matrix that two axes span.

    Parameters
    ----------
    a
        Array of at least two axes.
    offset
        Index of the diagonal: 0 is the main one, positive ones are above.
    axis1, axis2
        The matrices' axes.

    Returns
    -------
    GPUArray
        View with the diagonal as its last axis, without the two axes.

    Raises
    ------
    ValueError
        If `a` has fewer than two axes, or both axes are the same.
    """
    if check_array(a).ndim < 2:
        raise ValueError("a diagonal needs an array of two axes or more")
    first, second = normal_axis(axis1, a.ndim), normal_axis(axis2, a.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    others = [k for k in range(a.ndim) if k not in (first, second)]
    moved = a.transpose([*others, first, second])
    moved = moved[..., max(-offset, 0) :, max(offset, 0) :]
    strides = moved.strides
    return moved._strided(
        (*moved.shape[:-2], min(moved.shape[-2:])),
        (*strides[:-2], strides[-2] + strides[-1]),
    )


def atleast_1d(*arrays: GPUArray) -> Any:
    """Return views with at least one axis."""
    return _at_least(arrays, lambda a: a[None] if a.ndim == 0 else a)


def atleast_2d(*arrays: GPUArray) -> Any:
    """Return views with at least two axes."""
    keys = {0: (None, None), 1: (None,)}
    return _at_least(arrays, lambda a: a[keys[a.ndim]] if a.ndim < 2 else a)


def atleast_3d(*arrays: GPUArray) -> Any:
    """Return views with at least three axes."""
    keys = {
        0: (None,) * 3,
        1: (None, slice(None), None),
        2: (slice(None), slice(None), None),
    }
    return _at_least(arrays, lambda a: a[keys[a.ndim]] if a.ndim < 3 else a)


def _at_least(arrays: tuple[Any, ...], view: Any) -> Any:
    found = tuple(view(check_array(a, "each operand")) for a in arrays)
    return found[0] if len(found) == 1 else found


# --- splitting -----------------------------------------------------------


def _cut(ary: GPUArray, places: Sequence[int], axis: int) -> list[GPUArray]:
    edges = [0, *places, ary.shape[axis]]
    return [
        ary[at_axis(axis, slice(low, high))]
        for low, high in zip(edges[:-1], edges[1:], strict=True)
    ]


def array_split(
    ary: GPUArray, indices_or_sections: Any, axis: int = 0
) -> list[GPUArray]:
    """Return views of parts along an axis, of nearly equal lengths.

    Parameters
    ----------
    ary
        Array of any shape and strides.
    indices_or_sections
        The number of parts, or the indices at which all parts but the first
        begin.
    axis
        Axis to split.

    Raises
    ------
    TypeError
        If `indices_or_sections` is a str.
    ValueError
        If the number of parts is below 1.
    """
    check_array(ary, "ary")
    axis = normal_axis(axis, ary.ndim)
    if isinstance(indices_or_sections, str):
        raise TypeError(
            "expected a number of parts or a sequence of indices, not "
            f"{indices_or_sections!r}"
        )
    if isinstance(indices_or_sections, (Sequence, np.ndarray)):
        return _cut(
            ary, [operator.index(k) for k in indices_or_sections], axis
        )
    sections = operator.index(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0")
    least, more = divmod(ary.shape[axis], sections)
    # The list has its final length from the start, so that too many sections
    # raise MemoryError.
    places = [0] * (sections - 1)
    for k in range(1, sections):
        places[k - 1] = k * least + min(k, more)
    return _cut(ary, places, axis)


def split(
    ary: GPUArray, indices_or_sections: Any, axis: int = 0
) -> list[GPUArray]:
    """Run `array_split`, but require parts of equal length.

    Raises
    ------
    ValueError
        If the axis cannot be divided into parts of equal length.
    """
    check_array(ary, "ary")
    if not isinstance(indices_or_sections, (Sequence, np.ndarray)):
        sections = operator.index(indices_or_sections)
        length = ary.shape[normal_axis(axis, ary.ndim)]
        if sections > 0 and length % sections:
            raise ValueError(
                f"array split does not result in an equal division: {length} "
                f"into {sections}"
            )
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: GPUArray, indices_or_sections: Any) -> list[GPUArray]:
    """Run `split` along the second axis, or along the only one.

    Raises
    ------
    ValueError
        If `ary` has no axis, or the parts are not of equal length.
    """
    if check_array(ary, "ary").ndim == 0:
        raise ValueError("hsplit needs an array of one axis or more")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: GPUArray, indices_or_sections: Any) -> list[GPUArray]:
    """Run `split` along the first axis; requires at least two axes.

    Raises
    ------
    ValueError
        If `ary` has fewer than two axes, or the parts are not of equal
        length.
    """
    if check_array(ary, "ary").ndim < 2:
        raise ValueError("vsplit needs an array of two axes or more")
    return split(ary, indices_or_sections, 0)


def unstack(x: GPUArray, /, *, axis: int = 0) -> tuple[GPUArray, ...]:
    """Return views of the array at each index of an axis."""
    axis = normal_axis(axis, check_array(x, "x").ndim)
    return tuple(x[at_axis(axis, k)] for k in range(x.shape[axis]))


# --- copies --------------------------------------------------------------


@fast_call
def roll(
    a: GPUArray,
    shift: Any,
    axis: Any = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Move elements along axes; those beyond one end reenter at the other.

    Parameters
    ----------
    a
        Array of any shape and strides.
    shift
        Number of elements, or one number per axis.
    axis
        One axis or several; None flattens the array in C order.
    stream
        Stream of the copies; default: the current one.
    """
    check_array(a)
    if axis is None:
        flat = roll(flattened(a, stream), shift, 0, stream=stream)
        return flat if a.ndim == 1 else flat.reshape(a.shape)
    if type(axis) is int and type(shift) is int:
        moves = [(normal_axis(axis, a.ndim), shift)]
    else:
        moves = _moves_of(a, shift, axis)
    result = make(a, a.shape, a.dtype)
    _roll_parts(result, a, moves, stream)
    return result


def _moves_of(a: GPUArray, shift: Any, axis: Any) -> list[tuple[int, int]]:
    """Return (axis, shift) for each axis that is rolled."""
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    shifts = np.broadcast_to(shift, np.broadcast_shapes(
        np.shape(shift), (len(axes),))).ravel()  # fmt: skip
    axes = np.broadcast_to(axes, shifts.shape)
    total = dict.fromkeys((int(k) for k in axes), 0)
    for k, by in zip(axes, shifts, strict=True):
        total[int(k)] += int(by)
    return list(total.items())


def _roll_parts(
    target: GPUArray, source: GPUArray, moves: list[Any], stream: Any
) -> None:
    """Copy the parts that rolling along several axes moves separately."""
    if target.size == 0:
        return
    if not moves:
        copy_into(target, source, stream)
        return
    (axis, by), *rest = moves
    length = source.shape[axis]
    by %= length
    corners = [
        (slice(by, None), slice(0, length - by)),
        (slice(0, by), slice(length - by, None)),
    ]
    # Copy the smaller part first: the device copies it while the host queues
    # the other part.
    for there, here in corners if 2 * by > length else corners[::-1]:
        _roll_parts(
            target[at_axis(axis, there)], source[at_axis(axis, here)], rest,
            stream,
        )  # fmt: skip


def tile(
    A: GPUArray, reps: Any, *, stream: drv.Stream | None = None
) -> GPUArray:
    """Repeat a whole array `reps` times along each axis.

    Parameters
    ----------
    A
        Array of any shape and strides.
    reps
        One number, or one per axis; the shorter of `reps` and the shape is
        extended by ones at the front.
    stream
        Stream of the copies; default: the current one.

    Raises
    ------
    ValueError
        If a number is negative.
    """
    check_array(A, "A")
    counts = [operator.index(n) for n in np.atleast_1d(np.asarray(reps))]
    if any(n < 0 for n in counts):
        raise ValueError(f"negative repetitions: {reps}")
    ndim = max(len(counts), A.ndim)
    counts = [1] * (ndim - len(counts)) + counts
    lengths = (1,) * (ndim - A.ndim) + A.shape
    result = make(
        A,
        [n * length for n, length in zip(counts, lengths, strict=True)],
        A.dtype,
    )
    if result.size:
        pairs = [n for pair in zip(counts, lengths, strict=True) for n in pair]
        key = tuple(k for _ in lengths for k in (None, slice(None)))
        view = A.reshape(lengths)[key] if ndim else A
        spread_into(result.reshape(pairs), view, stream)
    return result


def spread_into(target: GPUArray, source: GPUArray, stream: Any) -> None:
    """Copy `source`, which broadcasts, to all of `target`."""
    target.set(broadcast_to(source, target.shape), True, stream)


def _triangle(
    m: GPUArray, k: int, operation: str, stream: drv.Stream | None
) -> GPUArray:
    if check_array(m, "m").ndim < 1:
        raise ValueError("a triangle needs an array of one axis or more")
    if m.ndim == 1:
        m = broadcast_to(m, (m.shape[0],) * 2)
    rows, columns = (
        arange(first, first + n, dtype=np.int64, stream=stream)
        for first, n in zip((math.floor(k), 0), m.shape[-2:], strict=True)
    )
    inside = _apply(
        operation, (rows[:, None], columns[None]), None, None, stream
    )
    zero = np.zeros((), m.dtype)[()]
    made = make(m, m.shape, m.dtype)
    return _apply("where", (inside, m, zero), made, None, stream)


def tril(
    m: GPUArray, k: int = 0, *, stream: drv.Stream | None = None
) -> GPUArray:
    """Return a copy that is zero above the k-th diagonal (last two axes)."""
    return _triangle(m, k, "greater_equal", stream)


def triu(
    m: GPUArray, k: int = 0, *, stream: drv.Stream | None = None
) -> GPUArray:
    """Return a copy that is zero below the k-th diagonal (last two axes)."""
    return _triangle(m, k, "less_equal", stream)
