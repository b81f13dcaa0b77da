"""Functions that make arrays: the base of the other array functions."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda import _registry
from pycuda._array.common import check_array, fast_call, make
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda._driver import _Shape
    from pycuda.gpuarray import GPUArray


def packed_strides(host: np.ndarray) -> tuple[int, ...]:
    """Return strides of a contiguous copy with the same axis order."""
    axes = sorted(range(host.ndim), key=lambda axis: -abs(host.strides[axis]))
    strides, step = [0] * host.ndim, host.itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= max(host.shape[axis], 1)
    return tuple(strides)


def upload(
    array: np.ndarray | GPUArray,
    allocator: Callable[..., Any] = drv.mem_alloc,
    asynchronous: bool = False,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Copy a host or device array to a new array with the same axis order."""
    shape, dtype, new = array.shape, array.dtype, _registry.GPUArray
    if dtype.hasobject:
        raise TypeError(f"dtype {dtype} holds Python objects")
    # Calls without keywords are faster, since Python then makes no dictionary.
    # The most frequent case, C order, therefore passes none.
    if array.flags.c_contiguous:
        result = new(shape, dtype, allocator)
    elif array.flags.f_contiguous:
        result = new(shape, dtype, allocator, order="F")
    else:
        strides = packed_strides(array)
        result = new(shape, dtype, allocator, strides=strides)
    result.set(array, asynchronous, stream)
    return result


@fast_call
def zeros(
    shape: _Shape,
    dtype: npt.DTypeLike = np.float64,
    allocator: Callable[..., Any] = drv.mem_alloc,
    order: str = "C",
) -> GPUArray:
    """Create an array filled with zeros."""
    return _filled(_registry.GPUArray(shape, dtype, allocator, order=order), 0)


@fast_call
def ones(
    shape: _Shape,
    dtype: npt.DTypeLike = np.float64,
    allocator: Callable[..., Any] = drv.mem_alloc,
    order: str = "C",
) -> GPUArray:
    """Create an array filled with ones."""
    return _filled(_registry.GPUArray(shape, dtype, allocator, order=order), 1)


def _filled(array: GPUArray, number: int) -> GPUArray:
    value = np.full((), number, array.dtype) if number else (
        np.zeros((), array.dtype)
    )  # fmt: skip
    return array.fill(value)


@fast_call
def empty_like(
    other_ary: GPUArray, dtype: npt.DTypeLike | None = None, order: str = "K"
) -> GPUArray:
    """Create an uninitialised array of the shape of another one.

    Parameters
    ----------
    order : {"C", "F", "A", "K"}
        "A": "F" if the other is Fortran-contiguous only, else "C"; "K": the
        order that the other's axes have in memory.
    """
    if not isinstance(other_ary, ArrayBase):
        raise TypeError(f"expected a GPUArray, not {type(other_ary).__name__}")
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"Unsupported order: {order}")
    dtype = other_ary.dtype if dtype is None else np.dtype(dtype)
    flags = other_ary.flags
    strides = None
    if order == "A" or (order == "K" and flags.forc):
        order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    if order == "K":
        model = np.lib.stride_tricks.as_strided(
            np.empty(0, other_ary.dtype), other_ary.shape, other_ary.strides
        )
        strides = tuple(
            stride // other_ary.itemsize * dtype.itemsize
            for stride in packed_strides(model)
        )
        order = "C"
    return make(
        other_ary, other_ary.shape, dtype, strides=strides, order=order
    )


@fast_call
def zeros_like(
    other_ary: GPUArray, dtype: npt.DTypeLike | None = None, order: str = "K"
) -> GPUArray:
    """Create zeros in the shape of another array; see `empty_like`."""
    return _filled(empty_like(other_ary, dtype, order), 0)


@fast_call
def ones_like(
    other_ary: GPUArray, dtype: npt.DTypeLike | None = None, order: str = "K"
) -> GPUArray:
    """Create ones in the shape of another array; see `empty_like`."""
    return _filled(empty_like(other_ary, dtype, order), 1)


_ARANGE_NAMES = ("start", "stop", "step", "dtype")


def _arange_arguments(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    given = dict(kwargs)
    for name in given:
        if name not in _ARANGE_NAMES:
            raise ValueError(f"unexpected keyword argument '{name}'")
    values = list(args)
    found: dict[str, Any] = {}
    if values and isinstance(values[-1], np.dtype):
        found["dtype"] = values.pop()
    if len(values) > 3:
        raise ValueError("too many arguments")
    names = ("stop",) if len(values) == 1 else ("start", "stop", "step")
    found.update(zip(names, values, strict=False))
    for name, value in given.items():
        if found.get(name) is not None:
            raise ValueError(
                f"may not specify '{name}' by position and keyword"
            )
        found[name] = value
    if found.get("stop") is None:
        raise ValueError("arange needs a stop")
    return found


@fast_call
def arange(
    *args: Any, stream: drv.Stream | None = None, **kwargs: Any
) -> GPUArray:
    """Return evenly spaced numbers: ``([start,] stop[, step][, dtype])``.

    Element i is ``start + i * step``; there are ``ceil((stop - start) /
    step)`` elements.
    """
    found = _arange_arguments(args, kwargs)
    start, step = found.get("start"), found.get("step")
    start = 0 if start is None else start
    step = 1 if step is None else step
    dtype = found.get("dtype")
    if dtype is None:
        dtype = np.array([start, found["stop"], step]).dtype
        if dtype != np.float32:
            warnings.warn(
                "behavior change: arange guessed dtype other than float32. "
                "suggest specifying explicit dtype.",
                stacklevel=2,
            )
    dtype = np.dtype(dtype)
    if step == 0:
        raise ValueError("arange: step must not be 0")
    size = int(np.ceil((found["stop"] - start) / step))
    result = _registry.GPUArray((max(size, 0),), dtype)
    if result.size == 0:
        return result
    if result.size == 1:
        # A single element needs no step. The step of the caller may be too
        # large for the dtype, so 1 replaces it.
        step = 1
    if dtype.kind == "u" and step < 0:
        step = int(step) % 2 ** (8 * dtype.itemsize)
    numbers = (np.array(start, dtype)[()], np.array(step, dtype)[()])
    return _apply("arange", numbers, result, None, stream)


def fill(
    array: GPUArray, value: Any, stream: drv.Stream | None = None
) -> GPUArray:
    """Fill `array` with a number, or with an array that broadcasts to it."""
    if isinstance(value, ArrayBase):
        _apply("copy", (value,), array, None, stream)
        return array
    host = np.asarray(value)
    if host.ndim:
        check_array(host, "fill_value")
    return array.fill(host.astype(array.dtype), stream)


def full(
    shape: _Shape,
    fill_value: Any,
    dtype: npt.DTypeLike | None = None,
    allocator: Callable[..., Any] = drv.mem_alloc,
    order: str = "C",
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Create an array filled with a value.

    Parameters
    ----------
    shape
        Length, or lengths of the axes.
    fill_value
        A number, or an array on the device that broadcasts to `shape`.
    dtype
        Default: the dtype of `fill_value`.
    allocator
        Allocates the device memory.
    order
        "C" or "F".
    stream
        Stream of the fill; default: the current one.

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    ValueError
        If `fill_value` does not broadcast to `shape`.
    """
    if dtype is None:
        dtype = getattr(fill_value, "dtype", None)
        dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    return fill(
        _registry.GPUArray(shape, dtype, allocator, order=order),
        fill_value,
        stream,
    )


def full_like(
    a: GPUArray,
    fill_value: Any,
    dtype: npt.DTypeLike | None = None,
    order: str = "K",
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Create an array like `a`, filled with a value; see `full`.

    Shape and, by default, dtype are those of `a`.
    """
    return fill(empty_like(a, dtype, order), fill_value, stream)
