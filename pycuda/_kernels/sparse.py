"""Kernels of `pycuda.sparse`, and their launches."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda._context_cache import by_context
from pycuda._kernels import building
from pycuda._kernels.operations import c_type

_THREADS = 256
_MOST_ROWS = 1024  # maximum number of rows per packet


def lanes_of(length: float) -> int:
    """Return how many threads sum a row of this length: a power of two."""
    if building.runs_threads_in_turn():
        return 1
    lanes = 1
    while lanes < 32 and 2 * lanes <= length:
        lanes *= 2
    return lanes


def packet_rows(n: int) -> int:
    """Return the rows per packet of a matrix with n rows."""
    processors = building.device_attribute("MULTIPROCESSOR_COUNT")
    wanted = -(-n // (4 * processors))
    return min(max(-(-wanted // 32) * 32, 128), _MOST_ROWS)


def _compiled(template: str, name: str, dtype: np.dtype, **fields: Any) -> Any:
    source = building.load_template(template).substitute(
        type=c_type(dtype), name=name, **fields
    )
    return building.compile_kernel(source, (dtype,), name)


@by_context
def _rows_kernel(dtype: np.dtype, lanes: int) -> Any:
    return _compiled("sparse/rows.cu", "sparse_rows", dtype, lanes=lanes)


@by_context
def _packets_kernel(dtype: np.dtype) -> Any:
    return _compiled("sparse/packets.cu", "sparse_packets", dtype)


def multiply_rows(
    dtype: np.dtype, lanes: int, rows: int, starts: Any, columns: Any,
    values: Any, x: Any, y: Any,
) -> None:  # fmt: skip
    """Add the product of a matrix of `rows` rows and x to y.

    All arrays are contiguous.
    """
    each = _THREADS // lanes
    _rows_kernel(dtype, lanes)(
        np.int64(rows), starts, columns, values, x, y,
        block=(lanes, each, 1), grid=(-(-rows // each), 1),
        shared=_THREADS * dtype.itemsize,
    )  # fmt: skip


def multiply_packets(
    dtype: np.dtype, rows: int, packets: int, parts: list[Any], x: Any, y: Any
) -> None:
    """Add the product of a matrix in packets and x to y.

    `parts` are the arrays of `Packets`.
    """
    _packets_kernel(dtype)(
        *parts, x, y, block=(_THREADS, 1, 1), grid=(packets, 1),
        shared=rows * dtype.itemsize,
    )  # fmt: skip
