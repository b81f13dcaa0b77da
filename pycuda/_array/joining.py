"""Functions that join arrays: concatenate, stack and similar ones."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.common import (
    at_axis,
    check_array,
    check_arrays,
    check_target,
    copy_into,
    fast_call,
    flattened,
    make,
    normal_axis,
)
from pycuda._array.constructors import upload
from pycuda._array.shaping import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_to,
)
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


def _joined_shape(arrays: Sequence[GPUArray], axis: int) -> list[int]:
    first = arrays[0]
    if first.ndim == 1 and all(array.ndim == 1 for array in arrays):
        return [builtins.sum([array.size for array in arrays])]
    for array in arrays[1:]:
        if array.ndim != first.ndim:
            raise ValueError(
                "arrays must have the same number of axes: "
                f"{first.ndim} and {array.ndim}"
            )
        rest, expected = list(array.shape), list(first.shape)
        del rest[axis], expected[axis]
        if rest != expected:
            raise ValueError(
                "array dimensions must agree except along the axis: "
                f"{first.shape} and {array.shape}"
            )
    shape = list(first.shape)
    shape[axis] = builtins.sum(array.shape[axis] for array in arrays)
    return shape


def _promoted(arrays: Sequence[GPUArray]) -> np.dtype:
    first = arrays[0].dtype
    if first.isnative and all(array.dtype == first for array in arrays):
        return first
    return np.result_type(*(array.dtype for array in arrays))


@fast_call
def concatenate(
    arrays: Sequence[GPUArray],
    axis: int | None = 0,
    allocator: Callable[..., Any] | None = None,
    stream: drv.Stream | None = None,
    *,
    out: GPUArray | None = None,
    dtype: npt.DTypeLike | None = None,
    casting: str = "same_kind",
) -> GPUArray:
    """Join arrays along an existing axis.

    Parameters
    ----------
    arrays
        Arrays of equal shape except along `axis`.
    axis
        Axis to join along; None flattens the arrays first, in C order.
    allocator
        Allocates the result's memory.
    stream
        Stream of the copies; default: the current one.
    out
        Array that receives the result.
    dtype
        Dtype of the result; default: that of `out`, or NumPy's promotion.
    casting
        Casts that are allowed, as in NumPy.

    Returns
    -------
    GPUArray
        `out`, or a new array.

    Raises
    ------
    ValueError
        If there are no arrays or the shapes do not fit.
    """
    arrays = check_arrays(arrays, "concatenate")
    if out is not None and dtype is not None:
        raise TypeError(
            "concatenate() only takes `out` or `dtype` as an argument, but "
            "both were provided."
        )
    if axis is None:
        arrays, axis = [flattened(array, stream) for array in arrays], 0
    first = arrays[0]
    if first.ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normal_axis(axis, first.ndim)
    shape = _joined_shape(arrays, axis)
    if out is not None:
        dtype = check_array(out, "out").dtype
        result = check_target(out, shape, dtype)
        _check_casts(arrays, dtype, casting)
    else:
        if dtype is None:
            dtype = _promoted(arrays)
        else:
            _check_casts(arrays, dtype := np.dtype(dtype), casting)
        result = make(first, shape, dtype, allocator)
    at = 0
    for array in arrays:
        end = at + array.shape[axis]
        copy_into(result[at_axis(axis, slice(at, end))], array, stream)
        at = end
    return result


def _check_casts(
    arrays: Sequence[GPUArray], dtype: np.dtype, casting: Any
) -> None:
    for array in arrays:
        if not np.can_cast(array.dtype, dtype, casting):
            raise TypeError(
                f"cannot cast an array from {array.dtype} to {dtype} with "
                f"casting rule '{casting}'"
            )


class NothingToStackError(ValueError, IndexError):
    """ValueError, as in NumPy, and IndexError, as in PyCUDA."""


@fast_call
def stack(
    arrays: Sequence[GPUArray],
    axis: int = 0,
    allocator: Callable[..., Any] | None = None,
    stream: drv.Stream | None = None,
    *,
    out: GPUArray | None = None,
    dtype: npt.DTypeLike | None = None,
    casting: str = "same_kind",
) -> GPUArray:
    """Join arrays of one shape along a new axis.

    The parameters are those of `concatenate`.
    """
    if len(arrays) == 0:
        raise NothingToStackError("need at least one array to stack")
    arrays = check_arrays(arrays, "stack")
    first = arrays[0]
    if builtins.any(array.shape != first.shape for array in arrays):
        raise ValueError("arrays must have the same shape")
    axis = normal_axis(axis, first.ndim + 1)
    parts = [array[at_axis(axis, None)] for array in arrays]
    return concatenate(
        parts, axis, allocator, stream, out=out, dtype=dtype, casting=casting
    )


def vstack(
    tup: Sequence[GPUArray],
    *,
    dtype: npt.DTypeLike | None = None,
    casting: str = "same_kind",
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Join along the first axis; arrays of one axis are rows."""
    rows = [atleast_2d(a) for a in check_arrays(tup, "vstack")]
    return concatenate(rows, 0, None, stream, dtype=dtype, casting=casting)


def hstack(
    tup: Sequence[GPUArray],
    *,
    dtype: npt.DTypeLike | None = None,
    casting: str = "same_kind",
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Join along the second axis, or along the only one."""
    parts = [atleast_1d(a) for a in check_arrays(tup, "hstack")]
    axis = 0 if parts[0].ndim == 1 else 1
    return concatenate(parts, axis, None, stream, dtype=dtype, casting=casting)


def dstack(
    tup: Sequence[GPUArray], *, stream: drv.Stream | None = None
) -> GPUArray:
    """Join along the third axis, which is added where it is missing."""
    parts = [atleast_3d(a) for a in check_arrays(tup, "dstack")]
    return concatenate(parts, 2, None, stream)


def column_stack(
    tup: Sequence[GPUArray], *, stream: drv.Stream | None = None
) -> GPUArray:
    """Join along the second axis; arrays of one axis are columns."""
    parts = [
        a if a.ndim > 1 else atleast_1d(a)[:, None]
        for a in check_arrays(tup, "column_stack")
    ]
    return concatenate(parts, 1, None, stream)


def append(
    arr: GPUArray,
    values: GPUArray,
    axis: int | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Append `values` to `arr`, along an axis or with both flattened."""
    return concatenate([arr, values], axis, None, stream)


concat = concatenate


def diff(
    a: GPUArray,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,
    append: Any = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the difference of neighbours along an axis, n times.

    Parameters
    ----------
    a
        Array of any shape and strides.
    n
        Number of repetitions; each shortens the axis by one.
    axis
        Axis of the differences.
    prepend, append
        A number or an array to join to either end first.
    stream
        Stream of the launches; default: the current one.

    Raises
    ------
    ValueError
        If `n` is negative, or `a` has no axis.
    """
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    check_array(a)
    if n == 0:
        return a
    if a.ndim == 0:
        raise ValueError(
            "diff requires input that is at least one dimensional"
        )
    axis = normal_axis(axis, a.ndim)
    ends = [_end(prepend, a, axis), a, _end(append, a, axis)]
    parts = [part for part in ends if part is not None]
    if len(parts) > 1:
        a = concatenate(parts, axis, stream=stream)
    operation = "not_equal" if a.dtype.kind == "b" else "subtract"
    for _ in range(n):
        later, sooner = slice(1, None), slice(None, -1)
        pair = (a[at_axis(axis, later)], a[at_axis(axis, sooner)])
        a = _apply(operation, pair, None, None, stream)
    return a


def _end(value: Any, a: GPUArray, axis: int) -> GPUArray | None:
    """Return an array to join to an end; a number gets length 1."""
    if value is None:
        return None
    if not isinstance(value, ArrayBase):
        if np.ndim(value):
            check_array(value)
        value = upload(np.asarray(value))
    if value.ndim == 0:
        shape = list(a.shape)
        shape[axis] = 1
        return broadcast_to(value, shape)
    return value
