"""NumPy's functions that are made of other functions of this package."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array import selecting, sets
from pycuda._array.common import at_axis, normal_axis
from pycuda._array.constructors import upload
from pycuda._array.mathematics import round as _round
from pycuda._array.nan_functions import has_nan
from pycuda._driver import ArrayBase
from pycuda._numpy_functions import normalize_axis_tuple

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray


def _on_device(value: Any) -> Any:
    """Copy a host array to the device; return other values unchanged."""
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value):
        return upload(np.asarray(value))
    return value


# --- comparisons and elements --------------------------------------------


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8,
    equal_nan: bool = False,
) -> Any:  # fmt: skip
    """Return where ``|a - b| <= atol + rtol |b|``."""
    near = abs(a - b) <= atol + rtol * abs(b)
    finite = np.isfinite(b)
    result = (near & finite) | (a == b)
    return result | (np.isnan(a) & np.isnan(b)) if equal_nan else result


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8,
    equal_nan: bool = False,
) -> bool:  # fmt: skip
    """Return whether `isclose` is true everywhere; waits for the device."""
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


def angle(z: GPUArray, deg: bool = False) -> Any:
    """Return the angles of complex numbers, in radians or degrees."""
    if z.dtype.kind == "c":
        result = np.arctan2(z.imag, z.real)
    else:
        real = z if z.dtype.kind == "f" else z.astype(np.float64)
        result = np.arctan2(real.dtype.type(0), real)
    return result * (180 / np.pi) if deg else result


def fix(x: GPUArray, out: Any = None) -> Any:
    """Round towards zero."""
    if has_nan(x.dtype):
        result = np.trunc(x)
    else:
        with warnings.catch_warnings():
            # np.fix gives the result type of the installed NumPy. NumPy 2.5
            # deprecates it.
            warnings.simplefilter("ignore", DeprecationWarning)
            result = x.astype(np.fix(np.zeros(1, x.dtype)).dtype)
    if out is None:
        return result
    np.copyto(out, result)
    return out


def _infinite(sign: float) -> Callable[..., Any]:
    def function(x: GPUArray, out: Any = None) -> Any:
        if x.dtype.kind == "c":
            raise TypeError("This operation is not supported for complex")
        result = x == sign * np.inf
        if out is None:
            return result
        np.copyto(out, result)
        return out

    return function


def digitize(x: GPUArray, bins: Any, right: bool = False) -> Any:
    """Return the bin of each element; bins may be on the host."""
    side: Any = "left" if right else "right"
    host = bins.get() if isinstance(bins, ArrayBase) else np.asarray(bins)  # type: ignore[attr-defined]
    if np.all(host[1:] >= host[:-1]):
        return np.searchsorted(upload(host), x, side)  # type: ignore
    if not np.all(host[1:] <= host[:-1]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return len(host) - np.searchsorted(upload(host[::-1].copy()), x, side)  # type: ignore


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None,
    period: Any = None,
) -> Any:  # fmt: skip
    """Return piecewise linear interpolation between increasing points."""
    if period is not None:
        raise ValueError("interp: period is not implemented for GPUArrays")
    x, xp, fp = (_on_device(value) for value in (x, xp, fp))
    if xp.shape != fp.shape or xp.ndim != 1 or xp.size == 0:
        raise ValueError("fp and xp are not of the same length, or are empty")
    x = np.asarray(x, dtype=np.float64, like=xp)
    xp, n = xp.astype(np.float64), xp.size
    fp = fp if fp.dtype.kind == "c" else fp.astype(np.float64)
    low = np.clip(np.searchsorted(xp, x, "right") - 1, 0, max(n - 2, 0))
    high = np.minimum(low + 1, n - 1)
    at, start = np.take(xp, low), np.take(fp, low)
    width = np.take(xp, high) - at
    slope = (np.take(fp, high) - start) / np.where(width == 0, 1.0, width)
    result = start + slope * (x - at)
    result = np.where(x == np.take(xp, high), np.take(fp, high), result)
    result = np.where(x == at, start, result)
    first = fp[0] if left is None else left
    last = fp[-1] if right is None else right
    result = np.where(x < xp[0], first, result)
    return np.where(x > xp[-1], last, result)


# --- differences ---------------------------------------------------------


def ediff1d(ary: GPUArray, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return differences of the flattened array, with values at its ends."""
    flat = ary.reshape(-1)
    parts: list[Any] = [flat[1:] - flat[:-1]]
    for value, at in ((to_begin, 0), (to_end, len(parts))):
        if value is not None:
            value = np.asarray(value, dtype=ary.dtype, like=ary).reshape(-1)  # type: ignore
            parts.insert(0 if at == 0 else len(parts), value)
    return np.concatenate(parts)


def _spacings(f: Any, given: tuple[Any, ...], axes: tuple[int, ...]) -> Any:
    """Return the spacing of each axis: a number, or host coordinates."""
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and np.ndim(given[0]) == 0:
        return [given[0]] * len(axes)
    if len(given) != len(axes):
        raise TypeError("invalid number of arguments")
    found = []
    for value, axis in zip(given, axes, strict=True):
        if isinstance(value, ArrayBase):
            value = value.get()  # type: ignore[attr-defined]
        if np.ndim(value) == 0:
            found.append(value)
            continue
        steps = np.diff(np.asarray(value))
        if np.ndim(value) != 1 or len(steps) + 1 != f.shape[axis]:
            raise ValueError(
                "when 1d, distances must match the length of the "
                "corresponding dimension"
            )
        uniform = len(steps) and bool((steps == steps[0]).all())
        found.append(steps[0] if uniform else steps)
    return found


def _inside(f: Any, step: Any, axis: int) -> Any:
    """Return central differences of the elements that have two neighbours."""

    def part(start: int, stop: int | None) -> Any:
        return f[at_axis(axis, slice(start, stop))]

    if np.ndim(step) == 0:
        return (part(2, None) - part(0, -2)) / (2.0 * step)
    before, after = step[:-1], step[1:]
    shape = [1] * f.ndim
    shape[axis] = -1
    a, b, c = (
        upload(weights.reshape(shape)) for weights in (
            -after / (before * (before + after)),
            (after - before) / (before * after),
            before / (after * (before + after)),
        )
    )  # fmt: skip
    return a * part(0, -2) + b * part(1, -1) + c * part(2, None)


def _ends(f: Any, step: Any, axis: int, order: int) -> tuple[Any, Any]:
    """Return one-sided differences at both ends."""

    def at(k: int) -> Any:
        key = slice(k, k + 1) if k != -1 else slice(-1, None)
        return f[at_axis(axis, key)]

    first, last = (step, step) if np.ndim(step) == 0 else (step[0], step[-1])
    if order == 1:
        return (at(1) - at(0)) / first, (at(-1) - at(-2)) / last
    second, previous = (
        (step, step) if np.ndim(step) == 0 else (step[1], step[-2])
    )
    head = (
        -(2.0 * first + second) / (first * (first + second)) * at(0)
        + (first + second) / (first * second) * at(1)
        - first / (second * (first + second)) * at(2)
    )
    tail = (
        last / (previous * (previous + last)) * at(-3)
        - (last + previous) / (previous * last) * at(-2)
        + (2.0 * last + previous) / (last * (previous + last)) * at(-1)
    )
    return head, tail


def gradient(
    f: GPUArray, *varargs: Any, axis: Any = None, edge_order: int = 1
) -> Any:
    """Return ``numpy.gradient``; coordinates may be on the host."""
    axes = (
        tuple(range(f.ndim)) if axis is None
        else normalize_axis_tuple(axis, f.ndim)
    )  # fmt: skip
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    work: Any = f.astype(np.float64) if f.dtype.kind in "biu" else f
    results = []
    for one, step in zip(axes, _spacings(f, varargs, axes), strict=True):
        if f.shape[one] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, "
                "at least (edge_order + 1) elements are required."
            )
        head, tail = _ends(work, step, one, edge_order)
        middle = _inside(work, step, one)
        joined = np.concatenate([head, middle, tail], axis=one)
        results.append(joined.astype(work.dtype))
    return results[0] if len(axes) == 1 else tuple(results)


# --- indices and axes ----------------------------------------------------


def unravel_index(indices: GPUArray, shape: Any, order: str = "C") -> Any:
    """Return one index array per axis for positions in a flat array.

    Positions outside of the shape are not reported; NumPy raises ValueError.
    """
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    rest = indices.astype(np.int64)
    found = []
    lengths = shape if order == "F" else shape[::-1]
    for length in lengths:
        found.append(rest % length)
        rest = rest // length
    return tuple(found if order == "F" else found[::-1])


def ravel_multi_index(
    multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C"
) -> Any:
    """Return positions in a flat array for one index array per axis.

    With the mode "raise", indices outside of the shape are not reported.
    """
    dims = (dims,) if np.ndim(dims) == 0 else tuple(dims)
    arrays = [_on_device(index) for index in multi_index]
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if not len(arrays) == len(dims) == len(modes):
        raise ValueError(
            f"parameter multi_index must be a sequence of length {len(dims)}"
        )
    rows = list(zip(arrays, dims, modes, strict=True))
    result: Any = 0
    for index, length, how in rows[::-1] if order == "F" else rows:
        if how == "wrap":
            index = index % length
        elif how == "clip":
            index = np.clip(index, 0, length - 1)
        result = result * length + index
    return result if result.dtype == np.int64 else result.astype(np.int64)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False,
    invert: bool = False, *, kind: Any = None,
) -> Any:  # fmt: skip
    """Return ``numpy.isin``; the elements to find may be on the host."""
    return sets.isin(
        _on_device(element), _on_device(test_elements), invert=invert
    )


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """Return ``numpy.take_along_axis``; both may be on the host."""
    return selecting.take_along_axis(_on_device(arr), indices, axis)


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: GPUArray, *args: Any,
    **options: Any,
) -> Any:  # fmt: skip
    """Call a function for each 1-d slice on the device, one by one."""
    axis = normal_axis(axis, arr.ndim)
    moved = np.moveaxis(arr, axis, -1)  # type: ignore
    outer = moved.shape[:-1]
    rows = moved.reshape(math.prod(outer), arr.shape[axis])
    results = [
        np.asarray(func1d(row, *args, **options), like=arr)  # type: ignore
        for row in rows
    ]
    if not results:
        raise ValueError(
            "Cannot apply_along_axis when any iteration dimensions are 0"
        )
    stacked = np.stack(results)
    shape = stacked.shape[1:]
    result = stacked.reshape(outer + shape)
    for k in range(len(shape)):
        result = np.moveaxis(result, len(outer) + k, axis + k)
    return result


def average(
    a: GPUArray, axis: Any = None, weights: Any = None,
    returned: bool = False, *, keepdims: Any = np._NoValue,
) -> Any:  # fmt: skip
    """Return the weighted mean, and with `returned` also the weights' sum."""
    options = {"axis": axis}
    if keepdims is not np._NoValue:
        options["keepdims"] = keepdims
    if weights is None:
        result = np.mean(a, **options)  # type: ignore
        total = np.full_like(result, a.size // max(result.size, 1))
        return (result, total) if returned else result
    weights = _on_device(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError(
                "Axis must be specified when shapes of a and weights differ."
            )
        axes = normalize_axis_tuple(axis, a.ndim)
        if weights.shape != tuple(a.shape[k] for k in axes):
            raise ValueError(
                "Shape of weights must be consistent with shape of a along "
                "specified axis."
            )
        order = np.argsort(axes)
        shape = [a.shape[k] if k in axes else 1 for k in range(a.ndim)]
        weights = weights.transpose(*order.tolist()).reshape(shape)
    dtype = (
        np.result_type(a.dtype, weights.dtype, "f8") if a.dtype.kind in "biu"
        else np.result_type(a.dtype, weights.dtype)
    )  # fmt: skip
    full = np.broadcast_to(weights, a.shape)
    total = np.sum(full, dtype=dtype, **options)  # type: ignore
    result = np.sum(a * full, dtype=dtype, **options) / total  # type: ignore
    return (result, total) if returned else result


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "allclose": allclose,
    "angle": angle,
    "apply_along_axis": apply_along_axis,
    "around": _round,
    "average": average,
    "diagflat": lambda v, k=0: np.diag(v.reshape(-1), k),
    "digitize": digitize,
    "ediff1d": ediff1d,
    "fix": fix,
    "gradient": gradient,
    "interp": interp,
    "isclose": isclose,
    "isin": isin,
    "isneginf": _infinite(-1),
    "isposinf": _infinite(1),
    "ravel_multi_index": ravel_multi_index,
    "take_along_axis": take_along_axis,
    "unravel_index": unravel_index,
}
