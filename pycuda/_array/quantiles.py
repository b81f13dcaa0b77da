"""NumPy's partitions, quantiles and medians, by sorting on the device."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.constructors import upload
from pycuda._array.nan_functions import has_nan
from pycuda._driver import ArrayBase
from pycuda._numpy_functions import normalize_axis_tuple

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

# Continuous methods -> (alpha, beta) of Hyndman and Fan (1996): the position
# in n sorted elements is n q + alpha + q (1 - alpha - beta) - 1.
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
# Methods that round the position (n - 1) q -> function that rounds it.
_NEAR: dict[str, Callable[[Any], Any]] = {
    "lower": np.floor,
    "higher": np.ceil,
    "nearest": np.rint,
    "midpoint": lambda at: 0.5 * (np.floor(at) + np.ceil(at)),
}


def _positions(n: Any, q: Any, method: str) -> Any:
    """Return fractional positions of quantiles in n sorted elements.

    `n` and `q` are numbers or arrays, both on the host or both on the device.
    """
    if method in _NEAR:
        at = _NEAR[method]((n - 1) * q)
    elif method == "linear":
        at = (n - 1) * q
    elif method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        at = n * q + (alpha + q * (1 - alpha - beta)) - 1
    elif method == "inverted_cdf":
        at = np.ceil(n * q - 1)
    elif method == "averaged_inverted_cdf":
        at = n * q - 1
        below = np.floor(at)
        at = np.where(at == below, below + 0.5, below + 1)
    else:
        known = sorted({*_NEAR, *_CONTINUOUS, "inverted_cdf"})
        raise ValueError(
            f"method {method!r} is not implemented for GPUArrays: use one of "
            + ", ".join([*known, "averaged_inverted_cdf"])
        )
    return np.minimum(np.maximum(at, 0), n - 1)


def _last(a: GPUArray, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """Return (array with the reduced axes as last one, shape for keepdims)."""
    if axis is None:
        axes = tuple(range(a.ndim))
    else:
        axes = normalize_axis_tuple(axis, a.ndim)
    rest = [k for k in range(a.ndim) if k not in axes]
    kept = tuple(
        1 if k in axes else length for k, length in enumerate(a.shape)
    )
    moved = a.transpose(*rest, *axes) if a.ndim else a
    count = math.prod(a.shape[k] for k in axes)
    return moved.reshape([*(a.shape[k] for k in rest), count]), kept


def _between(low: Any, high: Any, part: Any) -> Any:
    """Interpolate with the same rounding as numpy.quantile."""
    step = high - low
    near_high = high - step * (1 - part)
    return np.where(part >= 0.5, near_high, low + step * part)


def _interpolated(
    rows: Any, at: Any, part: Any, end: Any, method: str, dtype: Any
) -> Any:
    """Return elements at fractional positions of sorted rows.

    `at` are the positions' integer parts, on the device, for all rows or for
    each; `part` are the fractions, and `end` the last position of a row.
    """
    if at.ndim == 1:
        low = np.take(rows, at, axis=-1)
    else:
        low = np.take_along_axis(rows, at, axis=-1)
    if method in ("lower", "higher", "nearest", "inverted_cdf"):
        return low.astype(dtype)
    above = np.minimum(at + 1, end)
    if at.ndim == 1:
        high = np.take(rows, above, axis=-1)
    else:
        high = np.take_along_axis(rows, above, axis=-1)
    return _between(low, high, part.astype(dtype)).astype(dtype)


def _checked(a: Any, q: Any, unit: float) -> np.ndarray:
    """Return the quantiles as host numbers in [0, 1]."""
    if isinstance(q, ArrayBase):
        q = q.get()  # type: ignore[attr-defined]
    is_number = isinstance(q, (int, float)) and a.dtype.kind == "f"
    q = np.asanyarray(q, a.dtype if is_number else None)
    if unit != 1:
        q = np.true_divide(q, a.dtype.type(unit) if is_number else unit)
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError(
            "Quantiles must be in the range [0, 1]" if unit == 1
            else "Percentiles must be in the range [0, 100]"
        )  # fmt: skip
    return q


def _quantile(unit: float, ignores_nan: bool) -> Callable[..., Any]:
    """Make quantile, percentile or their forms that ignore NaN."""

    def quantile(
        a: GPUArray,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        weights: Any = None,
    ) -> Any:
        if weights is not None:
            raise TypeError(
                "weights of quantiles are not implemented for GPUArrays: pass "
                "a.get() and the weights to NumPy's function"
            )
        q = _checked(a, q, unit)
        dtype = np.quantile(np.zeros(1, a.dtype), q, method=method).dtype  # type: ignore
        rows, kept = _last(a, axis)
        if rows.shape[-1] == 0:
            raise IndexError("quantiles of no elements are not defined")
        rows = np.sort(rows, axis=-1)
        flat = q.reshape(-1)
        if ignores_nan and has_nan(a.dtype):
            result = _of_counted(rows, flat, method, dtype)
        else:
            result = _of_all(rows, flat, method, dtype)
        result = np.moveaxis(result, -1, 0)
        shape = kept if keepdims else rows.shape[:-1]
        result = result.reshape(q.shape + tuple(shape))
        if out is None:
            return result
        np.copyto(out, result, casting="unsafe")
        return out

    return quantile


def _of_all(rows: Any, q: np.ndarray, method: str, dtype: Any) -> Any:
    n = rows.shape[-1]
    at = np.asarray(_positions(n, q, method))
    whole = np.floor(at)
    below, part = upload(whole.astype(np.int64)), upload(at - whole)
    result = _interpolated(rows, below, part, n - 1, method, dtype)
    if has_nan(rows.dtype):  # NaN is last
        worst = rows[..., -1:]
        result = np.where(np.isnan(worst), dtype.type(np.nan), result)
    return result


def _of_counted(rows: Any, q: np.ndarray, method: str, dtype: Any) -> Any:
    """Return quantiles of the elements of each row that are no NaN."""
    count = np.sum(~np.isnan(rows), axis=-1, keepdims=True)
    some = np.maximum(count, 1)
    wide = upload(q.astype(np.float64))
    at = _positions(some.astype(np.float64), wide, method)
    whole = np.floor(at)
    below = whole.astype(np.int64)
    result = _interpolated(rows, below, at - whole, some - 1, method, dtype)
    return np.where(count == 0, dtype.type(np.nan), result)


def _median(ignores_nan: bool) -> Callable[..., Any]:
    def median(
        a: GPUArray,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        keepdims: bool = False,
    ) -> Any:
        rows, kept = _last(a, axis)
        n = rows.shape[-1]
        rows = np.sort(rows, axis=-1)
        if n == 0:
            return np.mean(rows, axis=-1)
        if ignores_nan and has_nan(a.dtype):
            count = np.sum(~np.isnan(rows), axis=-1, keepdims=True)
            some = np.maximum(count, 1)
            at = np.concatenate([(some - 1) // 2, some // 2], axis=-1)
            middle = np.take_along_axis(rows, at, axis=-1)  # type: ignore
        else:
            # The rows are sorted: if any element is NaN, the last one is.
            low, high = rows[..., (n - 1) // 2], rows[..., n // 2]
            middle = np.stack([low, high], axis=-1)
            if has_nan(a.dtype):
                middle = np.where(np.isnan(rows[..., -1:]), np.nan, middle)
                middle = middle.astype(a.dtype)
        result = np.mean(middle, axis=-1)
        if keepdims:
            result = result.reshape(kept)
        if out is None:
            return result
        np.copyto(out, result, casting="unsafe")
        return out

    return median


def partition(
    a: GPUArray, kth: Any, axis: int | None = -1, kind: Any = None,
    order: Any = None,
) -> Any:  # fmt: skip
    """Return the array sorted, which partitions it at every position."""
    return np.sort(a, axis=axis)  # type: ignore


def argpartition(
    a: GPUArray, kth: Any, axis: int | None = -1, kind: Any = None,
    order: Any = None,
) -> Any:  # fmt: skip
    """Return the order of the sorted array."""
    return np.argsort(a, axis=axis)  # type: ignore


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "quantile": _quantile(1, False),
    "percentile": _quantile(100, False),
    "nanquantile": _quantile(1, True),
    "nanpercentile": _quantile(100, True),
    "median": _median(False),
    "nanmedian": _median(True),
    "partition": partition,
    "argpartition": argpartition,
}
