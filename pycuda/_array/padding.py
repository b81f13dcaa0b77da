"""numpy.pad of device arrays."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.common import at_axis, make

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

# Modes in which each added element is a copy of an element of the array.
_COPIES = ("edge", "reflect", "symmetric", "wrap")
_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": np.max,
    "minimum": np.min,
    "mean": np.mean,
    "median": np.median,
}


def _pairs(value: Any, ndim: int) -> list[tuple[Any, Any]]:
    """Return (before, after) for each axis."""
    if isinstance(value, dict):
        rows = [value.get(k, value.get(k - ndim, (0, 0))) for k in range(ndim)]
        value = [(row, row) if np.ndim(row) == 0 else row for row in rows]
    pairs = np.broadcast_to(np.asarray(value, dtype=object), (ndim, 2))
    return [tuple(pair) for pair in pairs.tolist()]


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    pairs = _pairs(pad_width, ndim)
    if any(int(n) != n for pair in pairs for n in pair):
        raise TypeError("`pad_width` must be of integral type.")
    widths = [(int(before), int(after)) for before, after in pairs]
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError("index can't contain negative values")
    return widths


def _surrounded(a: Any, width: tuple[int, int], axis: int) -> Any:
    """Return a larger array along one axis, with `a` inside."""
    shape = list(a.shape)
    shape[axis] += sum(width)
    result = make(a, shape, a.dtype)
    inside = slice(width[0], width[0] + a.shape[axis])
    result[at_axis(axis, inside)] = a
    return result


def _sides(a: Any, width: tuple[int, int], axis: int) -> tuple[Any, Any]:
    """Return keys of the parts before and after the inside."""
    return (
        at_axis(axis, slice(0, width[0])),
        at_axis(axis, slice(width[0] + a.shape[axis], None)),
    )


def _with_constants(a: Any, width: Any, axis: int, values: Any) -> Any:
    result = _surrounded(a, width, axis)
    for side, value in zip(_sides(a, width, axis), values, strict=True):
        result[side] = np.asarray(value).astype(a.dtype)[()]
    return result


def _with_statistics(
    a: Any, width: Any, axis: int, mode: str, lengths: Any
) -> Any:
    result = _surrounded(a, width, axis)
    n = a.shape[axis]
    first, last = (n if k is None else min(int(k), n) for k in lengths)
    if (first == 0 or last == 0) and mode in ("maximum", "minimum"):
        raise ValueError("stat_length of 0 yields no value for padding")
    parts = slice(0, first), slice(n - last, n)
    for side, part in zip(_sides(a, width, axis), parts, strict=True):
        value = _STATISTICS[mode](
            a[at_axis(axis, part)], axis=axis, keepdims=True
        )
        if a.dtype.kind in "iu" and value.dtype.kind == "f":
            value = np.round(value)
        result[side] = value.astype(a.dtype)
    return result


def _with_ramps(a: Any, width: Any, axis: int, ends: Any) -> Any:
    result = _surrounded(a, width, axis)
    n = a.shape[axis]
    sides = _sides(a, width, axis)
    edges = at_axis(axis, slice(0, 1)), at_axis(axis, slice(n - 1, n))
    for k, (side, edge) in enumerate(zip(sides, edges, strict=True)):
        if width[k] == 0:
            continue
        ramp = np.linspace(
            0, a[edge].astype(float) - ends[k], width[k], endpoint=False
        )
        ramp = np.moveaxis(ramp, 0, axis).squeeze(axis + 1) + ends[k]
        ramp = np.floor(ramp) if a.dtype.kind in "iu" else ramp
        result[side] = (ramp if k == 0 else np.flip(ramp, axis)).astype(
            a.dtype
        )
    return result


def pad(
    array: GPUArray, pad_width: Any, mode: Any = "constant", **options: Any
) -> Any:
    """Return ``numpy.pad`` of a device array.

    A function as mode and ``reflect_type="odd"`` are not implemented.
    """
    known = {
        "constant": "constant_values", "linear_ramp": "end_values",
        "empty": "", **dict.fromkeys(_COPIES, ""),
        **dict.fromkeys(_STATISTICS, "stat_length"),
    }  # fmt: skip
    if mode not in known:
        raise ValueError(
            f"mode {mode!r} is not implemented for GPUArrays: use one of "
            + ", ".join(known)
        )
    if options.pop("reflect_type", "even") != "even":
        raise ValueError("pad: reflect_type must be 'even' for GPUArrays")
    default = None if mode in _STATISTICS else 0
    given = _pairs(options.pop(known[mode], default), array.ndim)
    if options:
        raise ValueError(
            f"unsupported keyword arguments for mode '{mode}': {set(options)}"
        )
    result: Any = array
    for axis, width in enumerate(_widths(pad_width, array.ndim)):
        if mode in _COPIES:
            at = np.pad(np.arange(result.shape[axis]), width, mode=mode)
            result = np.take(result, at, axis=axis)
        elif mode == "empty":
            result = _surrounded(result, width, axis)
        elif mode == "constant":
            result = _with_constants(result, width, axis, given[axis])
        elif mode == "linear_ramp":
            result = _with_ramps(result, width, axis, given[axis])
        else:
            result = _with_statistics(result, width, axis, mode, given[axis])
    return result.copy() if result is array else result


FUNCTIONS: dict[str, Callable[..., Any]] = {"pad": pad}
