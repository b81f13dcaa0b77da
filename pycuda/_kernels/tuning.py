"""What was tuned by measurement for GPUs, in one table.

Called by the modules that generate kernels and plan launches.  A value holds
for every GPU but those whose compute capability has one of its own.  Each was
found by ``benchmarks/tune.py``, which measures an entry's candidates in its
rows; ``benchmarks/results`` keeps what it printed.  Where threads run in turn
(the CPU device) none of this is used.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import NamedTuple

from pycuda._kernels import building


class Entry(NamedTuple):
    """A number, and how it was found."""

    value: int
    meaning: str
    candidates: tuple[int, ...]
    rows: tuple[str, ...]  # of benchmarks/bandwidth.py
    # (major, minor) of a compute capability -> its own value
    others: MappingProxyType[tuple[int, int], int] = MappingProxyType({})


TABLE = {
    "elementwise_several": Entry(
        4,
        "elements of a thread of a long ElementwiseKernel",
        (1, 2, 4, 8),
        ("a*x + y, ElementwiseKernel",),
    ),
    "reduction_loads": Entry(
        8,
        "words of 16 bytes under way in a thread, reductions of all elements",
        (4, 8, 16),
        ("sum(x)", "max(x)", "dot(x, y)"),
    ),
    "axis_loads": Entry(
        4,
        "words of 16 bytes under way in a thread, reductions along axes",
        (2, 4, 8),
        ("x.sum(0)", "x.sum(1)"),
    ),
    "column_words": Entry(
        16,
        "words of 16 bytes side by side, reductions of columns",
        (8, 16, 32),
        ("x.sum(0)",),
    ),
    "column_waves": Entry(
        1,
        "how often columns are cut, in devices full of threads",
        (1, 2, 4),
        ("x.sum(0)",),
    ),
    "row_waves": Entry(
        2,
        "how often rows are cut, in devices full of threads",
        (1, 2, 4),
        ("x.sum(1)",),
    ),
    "scan_bytes": Entry(
        128,
        "bytes that a thread of a scan holds",
        (64, 128, 192),
        ("inclusive scan",),
    ),
    "tile_side": Entry(
        64,
        "side of the tiles of large transposes, elements of up to 4 bytes",
        (32, 64),
        ("transpose copy",),
    ),
}

_forced: dict[str, int] = {}


def tuned(name: str) -> int:
    """The value of an entry for the current context's device."""
    if name in _forced:
        return _forced[name]
    entry = TABLE[name]
    if not entry.others:
        return entry.value
    capability = (
        building.device_attribute("COMPUTE_CAPABILITY_MAJOR"),
        building.device_attribute("COMPUTE_CAPABILITY_MINOR"),
    )
    return entry.others.get(capability, entry.value)


@contextmanager
def forced(name: str, value: int) -> Iterator[None]:
    """Use another value.  Kernels and plans that there are stay as they are:
    for a new context.
    """
    if name not in TABLE:
        raise KeyError(f"{name!r} is not tuned; there are {sorted(TABLE)}")
    _forced[name] = value
    try:
        yield
    finally:
        del _forced[name]
