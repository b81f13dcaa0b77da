"""Keywords of NumPy's functions that functions of `pycuda.gpuarray` lack.

`pycuda._array.dispatch` uses these functions in place of those of the same
name: they have ``where=`` and ``initial=`` of reductions, ``shape=`` of the
functions that make an array like another one, and the creation functions,
which NumPy delegates if they are called with ``like=``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda import _registry
from pycuda._array import (
    constructors,
    exchange,
    joining,
    mathematics,
    reductions,
    selecting,
    shaping,
    statistics,
)
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda._driver import _Shape
    from pycuda.gpuarray import GPUArray

_NOTHING = np._NoValue


# --- reductions ----------------------------------------------------------


def _is_all(where: Any) -> bool:
    return where is True or where is np.True_


def masked(a: GPUArray, where: Any, value: Any) -> GPUArray:
    """Return `a` with `value` where the mask is False; the mask broadcasts."""
    if not isinstance(where, ArrayBase):
        where = constructors.full((), bool(where), bool)
    value = a.dtype.type(value)
    shape = np.broadcast_shapes(a.shape, where.shape)
    return selecting.where(where, shaping.broadcast_to(a, shape), value)


def _into(result: GPUArray, out: Any) -> Any:
    if out is None:
        return result
    _apply("copy", (result,), out)
    return out


def _with_start(
    name: str, result: GPUArray, initial: Any, out: Any
) -> GPUArray:
    if initial is not _NOTHING and initial is not None:
        result = _apply(name, (result, result.dtype.type(initial)), None)
    return _into(result, out)


def _sum_like(
    own: Callable[..., Any], joins: str, neutral: int
) -> Callable[..., Any]:
    """Make ``sum`` or ``prod``; masked elements become the neutral number."""

    def reduce(
        a: GPUArray,
        axis: Any = None,
        dtype: npt.DTypeLike | None = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = _NOTHING,
        where: Any = True,
    ) -> Any:
        options = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
        if _is_all(where) and initial is _NOTHING:
            return own(a, out=out, **options)
        if not _is_all(where):
            a = masked(a, where, neutral)
        return _with_start(joins, own(a, **options), initial, out)

    return reduce


def _extreme(own: Callable[..., Any], joins: str) -> Callable[..., Any]:
    """Make ``max`` or ``min``; masked elements become `initial`."""

    def reduce(
        a: GPUArray,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = _NOTHING,
        where: Any = True,
    ) -> Any:
        if _is_all(where) and initial is _NOTHING:
            return own(a, axis=axis, out=out, keepdims=keepdims)
        if initial is _NOTHING:
            raise ValueError(
                f"reduction operation '{joins}' does not have an identity, "
                "so to use a where mask one has to specify 'initial'"
            )
        if not _is_all(where):
            a = masked(a, where, initial)
        if a.size == 0:
            sums = reductions.sum(a, axis=axis, keepdims=keepdims)
            return _into(constructors.full_like(sums, initial, a.dtype), out)
        result = own(a, axis=axis, keepdims=keepdims)
        return _with_start(joins, result, initial, out)

    return reduce


def _truth(own: Callable[..., Any], neutral: bool) -> Callable[..., Any]:
    """Make ``all`` or ``any`` of the elements that the mask selects."""

    def reduce(
        a: GPUArray,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        *,
        where: Any = True,
    ) -> Any:
        if not _is_all(where):
            a = masked(a, where, neutral)
        return own(a, axis=axis, out=out, keepdims=keepdims)

    return reduce


def _counted(a: GPUArray, where: Any, axis: Any) -> tuple[Any, Any]:
    """Return (broadcast mask, number of selected elements along `axis`).

    The reduced axes stay in the number, with length 1."""
    mask = masked(constructors.full(a.shape, True, bool), where, False)
    return mask, reductions.sum(mask, axis=axis, keepdims=True)


def mean(
    a: GPUArray,
    axis: Any = None,
    dtype: npt.DTypeLike | None = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
    """Compute ``numpy.mean`` of the elements that `where` selects."""
    options = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    if _is_all(where):
        return statistics.mean(a, out=out, **options)
    if options["dtype"] is None and a.dtype.kind in "biu":
        options["dtype"] = np.dtype(np.float64)
    _, count = _counted(a, where, axis)
    total = reductions.sum(masked(a, where, 0), **options)
    count = count.reshape(total.shape).astype(total.real.dtype)
    return _into(total / count, out)


def var(
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
    """Compute ``numpy.var`` of the selected elements, around `mean`."""
    ddof = ddof if correction is _NOTHING else correction
    if _is_all(where) and mean is _NOTHING:
        return statistics.var(a, axis, dtype, out, ddof, keepdims)
    if dtype is not None:
        a = a.astype(dtype)
    elif a.dtype.kind in "biu":
        a = a.astype(np.float64)
    if mean is _NOTHING:
        mean = globals()["mean"](a, axis, keepdims=True, where=where)
    mask, count = _counted(a, where, axis)
    square = abs(a - mean)
    total = reductions.sum(
        masked(square * square, mask, 0), axis=axis, keepdims=keepdims
    )
    divisor = mathematics.maximum(count.astype(total.dtype) - ddof, 0)
    return _into(total / divisor.reshape(total.shape), out)


def std(
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
    """Compute ``numpy.std`` of the selected elements, around `mean`."""
    if _is_all(where) and mean is _NOTHING:
        ddof = ddof if correction is _NOTHING else correction
        return statistics.std(a, axis, dtype, out, ddof, keepdims)
    variance = var(
        a, axis, dtype, None, ddof, keepdims,
        where=where, mean=mean, correction=correction,
    )  # fmt: skip
    return _into(_apply("sqrt", (variance,)), out)


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": _sum_like(reductions.sum, "add", 0),
    "prod": _sum_like(statistics.prod, "multiply", 1),
    "max": _extreme(reductions.max, "maximum"),
    "min": _extreme(reductions.min, "minimum"),
    "all": _truth(reductions.all, True),
    "any": _truth(reductions.any, False),
    "mean": mean,
    "var": var,
    "std": std,
}
REDUCTIONS |= {"amax": REDUCTIONS["max"], "amin": REDUCTIONS["min"]}


# --- creation ------------------------------------------------------------


def _check_device(device: Any) -> None:
    """Raise ValueError unless `device` is the current context's."""
    if device is not None and not hasattr(device, "compute_capability"):
        raise ValueError(
            f"device={device!r}: arrays are made on the current context's "
            "device; leave it out"
        )


def _empty(shape: _Shape, dtype: npt.DTypeLike, order: str) -> Any:
    return _registry.GPUArray(shape, dtype, order=order)


def _like(
    like: Callable[..., Any], shaped: Callable[..., Any]
) -> Callable[..., Any]:
    def make(
        a: GPUArray,
        dtype: npt.DTypeLike | None = None,
        order: str = "K",
        subok: bool = True,
        shape: _Shape = None,
        *,
        device: Any = None,
    ) -> Any:
        _check_device(device)
        if shape is None:
            return like(a, dtype, order)
        shape = (shape,) if isinstance(shape, int | np.integer) else shape
        if order == "K" and len(tuple(shape)) != a.ndim:
            order = "C"
        if order in "KA":
            flags = a.flags
            is_f = flags.f_contiguous and not flags.c_contiguous
            order = "F" if is_f else "C"
        dtype = a.dtype if dtype is None else dtype
        return shaped(shape, dtype, order=order)

    return make


def full_like(
    a: GPUArray,
    fill_value: Any,
    dtype: npt.DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: _Shape = None,
    *,
    device: Any = None,
) -> Any:
    """Run ``numpy.full_like``, with another shape if one is given."""
    result = _like(constructors.empty_like, _empty)(
        a, dtype, order, subok, shape, device=device
    )
    return result.fill(fill_value)


def _holds_arrays(value: Any) -> bool:
    """Return whether a sequence contains arrays of the device."""
    if not isinstance(value, (list, tuple)):
        return False
    return any(isinstance(x, ArrayBase) or _holds_arrays(x) for x in value)


def _array(
    object: Any,
    dtype: npt.DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
) -> Any:
    if isinstance(object, ArrayBase):
        result = exchange.asarray(object, dtype, copy=copy)
    elif _holds_arrays(object):
        result = joining.stack([
            _array(item, copy=None) for item in object
        ])  # fmt: skip
        result = result if dtype is None else result.astype(dtype)
    else:
        limit = {"ndmax": ndmax} if ndmax else {}
        host = np.array(object, dtype, ndmin=ndmin, **limit)
        result = constructors.upload(host)
    if result.ndim < ndmin:
        result = result.reshape((1,) * (ndmin - result.ndim) + result.shape)
    wanted = {"C": "c_contiguous", "F": "f_contiguous"}.get(order)
    if wanted is None or getattr(result.flags, wanted):
        return result
    return result.copy(order)


def _asarray(
    a: Any,
    dtype: npt.DTypeLike | None = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
) -> Any:
    _check_device(device)
    return _array(a, dtype, copy=copy, order=order or "K")


def _contiguous(order: str) -> Callable[..., Any]:
    def make(a: Any, dtype: npt.DTypeLike | None = None) -> Any:
        return _array(a, dtype, copy=None, order=order, ndmin=1)

    return make


def _shaped(shaped: Callable[..., Any]) -> Callable[..., Any]:
    def make(
        shape: _Shape,
        dtype: npt.DTypeLike = float,
        order: str = "C",
        *,
        device: Any = None,
    ) -> Any:
        _check_device(device)
        return shaped(shape, np.dtype(dtype or float), order=order)

    return make


def _full(
    shape: _Shape,
    fill_value: Any,
    dtype: npt.DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
) -> Any:
    _check_device(device)
    dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    return constructors.full(shape, fill_value, dtype, order=order)


def _from_host(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` with its host results copied to the device."""

    def make(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        _check_device(device)
        return constructors.upload(function(*args, **kwargs))

    return make


# Functions that NumPy calls for the keyword like=. They accept host arrays,
# whose elements they copy to the device.
CREATION: dict[str, Callable[..., Any]] = {
    "array": _array,
    "asarray": _asarray,
    "asanyarray": _asarray,
    "ascontiguousarray": _contiguous("C"),
    "asfortranarray": _contiguous("F"),
    "empty": _shaped(_empty),
    "zeros": _shaped(constructors.zeros),
    "ones": _shaped(constructors.ones),
    "full": _full,
    **{
        name: _from_host(getattr(np, name))
        for name in (
            "arange", "eye", "identity", "tri", "fromfunction", "fromiter",
            "frombuffer", "fromstring", "fromfile", "loadtxt", "genfromtxt",
            "require",
        )
    },
}  # fmt: skip
LIKE: dict[str, Callable[..., Any]] = {
    "empty_like": _like(constructors.empty_like, _empty),
    "zeros_like": _like(constructors.zeros_like, constructors.zeros),
    "ones_like": _like(constructors.ones_like, constructors.ones),
    "full_like": full_like,
}
