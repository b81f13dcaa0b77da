"""Table of the values that were tuned by measurement on GPUs.

Called by the modules that generate kernels and plan launches.  A value applies
to every GPU except those whose compute capability has a separate one.
``benchmarks/tune.py`` measures an entry's candidates in its rows;
``benchmarks/results`` documents the measurements.  Devices whose threads run
sequentially (the CPU device) do not use this table.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

from pycuda._kernels import building

Value = int | tuple[int, ...]


class Entry(NamedTuple):
    """One number or several, and how they were found."""

    value: Value
    meaning: str
    candidates: tuple[Value, ...]
    # rows of benchmarks/bandwidth.py or functions.py that measure the effect
    rows: tuple[str, ...]
    # (major, minor) of a compute capability -> value that replaces `value`
    others: MappingProxyType[tuple[int, int], Value] = MappingProxyType({})


_SHAPE = "(threads, elements of each, blocks a multiprocessor) of long "


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
    "reduction_blocks": Entry(
        4,
        "most blocks a multiprocessor, reductions of all elements",
        (2, 4, 6, 8, 16),
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
    "sort_words": Entry(
        (384, 20, 2),
        _SHAPE + "sorts of up to 4 bytes",
        ((256, 24, 3), (384, 20, 2), (384, 22, 2), (512, 14, 2)),
        ("sort float32", "sort int32"),
    ),
    "argsort_words": Entry(
        (512, 12, 2),
        _SHAPE + "sorts of up to 4 bytes with their order",
        ((256, 24, 2), (384, 16, 2), (512, 10, 2), (512, 12, 2)),
        ("argsort float32", "argsort int32"),
    ),
    "sort_long_words": Entry(
        (384, 10, 3),
        _SHAPE + "sorts of 8 bytes",
        ((256, 16, 3), (384, 11, 2), (384, 10, 3), (320, 12, 3)),
        ("sort float64", "sort int64"),
    ),
    "argsort_long_words": Entry(
        (384, 11, 2),
        _SHAPE + "sorts of 8 bytes with their order",
        ((256, 16, 2), (384, 11, 2), (320, 12, 2)),
        ("argsort float64",),
    ),
}

_forced: dict[str, Value] = {}


def tuned(name: str) -> Any:
    """Return an entry's value for the current context's device."""
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
def forced(name: str, value: Value) -> Iterator[None]:
    """Replace a value; existing kernels and plans stay unchanged.

    Call it before creating a context.
    """
    if name not in TABLE:
        raise KeyError(f"{name!r} is not tuned; there are {sorted(TABLE)}")
    _forced[name] = value
    try:
        yield
    finally:
        del _forced[name]
