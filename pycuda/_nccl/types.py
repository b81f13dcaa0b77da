"""NCCL's element types and operations, and the arrays that they fit."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pycuda import gpuarray

#: Numbers of the operations in `pycuda._driver._nccl_call`.
(
    BROADCAST, REDUCE, ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL,
    GATHER, SCATTER, SEND, RECV,
) = range(10)  # fmt: skip
NAMES = (
    "broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter",
    "all_to_all", "gather", "scatter", "send", "recv",
)  # fmt: skip
OPS = {"sum": 0, "prod": 1, "max": 2, "min": 3, "avg": 4}
_TYPES = {
    "int8": 0, "uint8": 1, "int32": 2, "uint32": 3, "int64": 4, "uint64": 5,
    "float16": 6, "float32": 7, "float64": 8, "bfloat16": 9,
    "float8_e4m3fn": 10, "float8_e5m2": 11,
}  # fmt: skip
_UINT8 = 1


class Elements(NamedTuple):
    """How NCCL sees the elements of a dtype."""

    type: int
    bytes: int  # size of an element of NCCL's type
    count: int  # number of NCCL's elements per element of the array


_moved: dict[np.dtype, Elements] = {}
_reduced: dict[tuple[np.dtype, int], Elements] = {}


def moved(dtype: np.dtype) -> Elements:
    """Return the elements for an operation that only moves them."""
    found = _moved.get(dtype)
    if found is None:
        number = _TYPES.get(dtype.name) if dtype.isnative else None
        found = (
            Elements(_UINT8, 1, dtype.itemsize)
            if number is None
            else Elements(number, dtype.itemsize, 1)
        )
        _moved[dtype] = found
    return found


def reduced(dtype: np.dtype, op: int) -> Elements:
    """Return the elements for a reduction.

    Raises
    ------
    TypeError
        If NCCL cannot combine elements of this dtype by this operation.
    """
    found = _reduced.get((dtype, op))
    if found is None:
        found = _reduced[dtype, op] = _find_reduced(dtype, op)
    return found


def _find_reduced(dtype: np.dtype, op: int) -> Elements:
    number = _TYPES.get(dtype.name) if dtype.isnative else None
    if number is not None:
        return Elements(number, dtype.itemsize, 1)
    if dtype.kind == "c" and op in (OPS["sum"], OPS["avg"]):
        part = np.dtype(f"f{dtype.itemsize // 2}")
        if part.name in _TYPES and dtype.isnative:
            return Elements(_TYPES[part.name], part.itemsize, 2)
    if dtype.kind == "b" and op in (OPS["max"], OPS["min"]):
        return Elements(_UINT8, 1, 1)
    names = {value: name for name, value in OPS.items()}
    raise TypeError(
        f"NCCL cannot reduce elements of {dtype} by "
        f"{names.get(op, 'a scaled sum')!r}; it reduces "
        f"{', '.join(_TYPES)}, sums and averages of complex64 and complex128, "
        "and max and min of bool"
    )


def array_of(value: Any) -> Any:
    """Return the GPUArray of an argument."""
    if isinstance(value, gpuarray.GPUArray):
        return value
    if not isinstance(value, np.ndarray) and (
        hasattr(value, "__cuda_array_interface__")
        or hasattr(value, "__dlpack__")
    ):
        return gpuarray.asarray(value, copy=False)
    raise TypeError(
        f"expected an array on the device, not {type(value).__name__}; "
        "pycuda.gpuarray.to_gpu copies an array to it"
    )
