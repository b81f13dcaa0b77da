"""Strides, contiguity and common dtypes of arrays on a device."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    "ArrayFlags",
    "as_strided",
    "bound",
    "c_contiguous_strides",
    "equal_strides",
    "f_contiguous_strides",
    "get_common_dtype",
    "is_c_contiguous_strides",
    "is_f_contiguous_strides",
    "may_share_memory",
]

Ints = Sequence[int]


def f_contiguous_strides(itemsize: int, shape: Ints) -> tuple[int, ...]:
    """Return Fortran order strides, in bytes, of a contiguous array."""
    strides = []
    step = itemsize
    for length in shape:
        strides.append(step)
        step *= length
    return tuple(strides)


def c_contiguous_strides(itemsize: int, shape: Ints) -> tuple[int, ...]:
    """Return C order strides, in bytes, of a contiguous array."""
    return f_contiguous_strides(itemsize, tuple(shape)[::-1])[::-1]


def equal_strides(strides1: Ints, strides2: Ints, shape: Ints) -> bool:
    """Return whether strides are equal on all axes longer than 1."""
    if len(strides1) != len(strides2) or len(strides1) != len(shape):
        return False
    return all(
        length == 1 or a == b
        for a, b, length in zip(strides1, strides2, shape, strict=True)
    )


def is_f_contiguous_strides(strides: Ints, itemsize: int, shape: Ints) -> bool:
    """Return whether memory is contiguous in Fortran order.

    True for empty arrays.
    """
    packed = f_contiguous_strides(itemsize, shape)
    return 0 in shape or equal_strides(strides, packed, shape)


def is_c_contiguous_strides(strides: Ints, itemsize: int, shape: Ints) -> bool:
    """Return whether memory is contiguous in C order.

    True for empty arrays.
    """
    packed = c_contiguous_strides(itemsize, shape)
    return 0 in shape or equal_strides(strides, packed, shape)


class ArrayFlags:
    """Contiguity of an array: f_contiguous, c_contiguous, forc.

    `forc` is true if either of the others is.
    """

    def __init__(self, ary: Any) -> None:
        layout = (ary.strides, ary.dtype.itemsize, ary.shape)
        self.f_contiguous: bool = is_f_contiguous_strides(*layout)
        self.c_contiguous: bool = is_c_contiguous_strides(*layout)
        self.forc: bool = self.f_contiguous or self.c_contiguous

    def __repr__(self) -> str:
        return (
            f"  C_CONTIGUOUS : {self.c_contiguous}\n"
            f"  F_CONTIGUOUS : {self.f_contiguous}"
        )

    __str__ = __repr__


def get_common_dtype(
    obj1: Any, obj2: Any, allow_double: bool = True
) -> np.dtype:
    """Return the dtype of an operation on two arrays, or array and scalar."""

    def sample(obj: Any) -> Any:
        return np.empty(1, obj.dtype) if hasattr(obj, "dtype") else obj

    result = np.result_type(sample(obj1), sample(obj2))
    if not allow_double:
        single = {"float64": np.float32, "complex128": np.complex64}
        result = np.dtype(single.get(result.name, result))
    return result


def as_strided(
    x: np.ndarray, shape: Ints | None = None, strides: Ints | None = None
) -> np.ndarray:
    """Return a view of the host array `x` with other shape and strides."""
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def bound(a: Any) -> tuple[int, int]:
    """Return the addresses of `a`'s first byte and after its last byte."""
    address = a.ptr if hasattr(a, "ptr") else int(a.gpudata)
    first = last = address if a.size else 0
    for length, stride in zip(a.shape, a.strides, strict=True):
        reach = (length - 1) * stride
        first += min(reach, 0)
        last += max(reach, 0)
    return first, last + a.dtype.itemsize


def may_share_memory(a: Any, b: Any) -> bool:
    """Return whether the address ranges of two arrays overlap."""
    if a is b:
        return True
    if not (a.size and b.size):
        return False
    (a_first, a_end), (b_first, b_end) = bound(a), bound(b)
    return a_first < b_end and b_first < a_end
