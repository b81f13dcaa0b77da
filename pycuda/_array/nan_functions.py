"""NumPy's functions that ignore or replace NaN."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda.gpuarray import GPUArray

_NOTHING = np._NoValue


def has_nan(dtype: np.dtype) -> bool:
    """Return whether elements of a dtype can be NaN."""
    return dtype.kind in "fcV"  # kind "V": bfloat16


def replaced(a: GPUArray, value: float) -> GPUArray:
    """Return the array with `value` in place of NaN."""
    if not has_nan(a.dtype):
        return a
    return np.where(np.isnan(a), a.dtype.type(value), a)  # type: ignore


def _ignoring(reduce: Callable[..., Any], neutral: float) -> Any:
    """Make a sum, product or scan in which NaN is the neutral number."""

    def function(a: GPUArray, *args: Any, **options: Any) -> Any:
        return reduce(replaced(a, neutral), *args, **options)

    return function


def _extreme(reduce: Callable[..., Any], neutral: float) -> Any:
    """Make nanmax or nanmin; slices with nothing but NaN give NaN."""

    def function(
        a: GPUArray,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = _NOTHING,
        where: Any = True,
    ) -> Any:
        options = {"axis": axis, "keepdims": keepdims}
        limits = {} if initial is _NOTHING else {"initial": initial}
        if where is not True:
            limits["where"] = where
        if not has_nan(a.dtype):
            return reduce(a, out=out, **options, **limits)
        result = reduce(replaced(a, neutral), **options, **limits)
        if not limits:
            empty = np.all(np.isnan(a), **options)
            result = np.where(empty, result.dtype.type(np.nan), result)
        if out is None:
            return result
        np.copyto(out, result)
        return out

    return function


def _position(find: Callable[..., Any], neutral: float) -> Any:
    """Make nanargmax or nanargmin; waits to check for slices of NaN."""

    def function(
        a: GPUArray,
        axis: Any = None,
        out: Any = None,
        *,
        keepdims: bool = False,
    ) -> Any:
        if has_nan(a.dtype) and bool(np.any(np.all(np.isnan(a), axis=axis))):
            raise ValueError("All-NaN slice encountered")
        return find(
            replaced(a, neutral), axis=axis, out=out, keepdims=keepdims
        )

    return function


def nanmean(
    a: GPUArray,
    axis: Any = None,
    dtype: npt.DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
    """Return the mean of the elements that are no NaN; NaN without any."""
    if has_nan(a.dtype):
        where = ~np.isnan(a) if where is True else where & ~np.isnan(a)
    options = {} if where is True else {"where": where}
    return np.mean(
        replaced(a, 0), axis=axis, dtype=dtype, out=out, keepdims=keepdims,
        **options,
    )  # type: ignore  # fmt: skip


def _spread(compute: Callable[..., Any]) -> Any:
    """Make nanvar or nanstd."""

    def function(
        a: GPUArray,
        axis: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = _NOTHING,
        correction: Any = _NOTHING,
    ) -> Any:
        options: dict[str, Any] = {"axis": axis, "dtype": dtype}
        options |= {"out": out, "keepdims": keepdims}
        options["ddof"] = ddof if correction is _NOTHING else correction
        if mean is not _NOTHING:
            options["mean"] = mean
        if has_nan(a.dtype):
            where = ~np.isnan(a) if where is True else where & ~np.isnan(a)
        if where is not True:
            options["where"] = where
        return compute(replaced(a, 0), **options)

    return function


def nan_to_num(
    x: GPUArray,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Any:
    """Return the array with numbers in place of NaN and infinities."""
    if not has_nan(x.dtype):
        return x.copy() if copy else x
    if x.dtype.kind == "c":
        parts = (
            nan_to_num(part, True, nan, posinf, neginf)
            for part in (x.real, x.imag)
        )
        real, imag = parts
        result = real + imag * x.dtype.type(1j)
    else:
        limits = np.finfo(x.dtype)
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        kind = x.dtype.type
        result = np.where(x == np.inf, kind(high), x)
        result = np.where(x == -np.inf, kind(low), result)
        result = np.where(np.isnan(x), kind(nan), result)
    if copy:
        return result
    np.copyto(x, result)  # type: ignore
    return x


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "nansum": _ignoring(np.sum, 0),
    "nanprod": _ignoring(np.prod, 1),
    "nancumsum": _ignoring(np.cumsum, 0),
    "nancumprod": _ignoring(np.cumprod, 1),
    "nanmax": _extreme(np.max, -np.inf),
    "nanmin": _extreme(np.min, np.inf),
    "nanargmax": _position(np.argmax, -np.inf),
    "nanargmin": _position(np.argmin, np.inf),
    "nanmean": nanmean,
    "nanvar": _spread(np.var),
    "nanstd": _spread(np.std),
    "nan_to_num": nan_to_num,
}
