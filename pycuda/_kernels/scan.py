"""CUDA C for scans of contiguous arrays of one dimension.

Each element is read once and written once: see ``scan/state.cuh``,
``scan/tile.cu`` (threads run in parallel) and ``scan/tile_thread.cu`` (threads
run sequentially, one per block) in ``templates``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from string import Template
from typing import Any, NamedTuple

import numpy as np

import pycuda.driver as _drv
from pycuda import _registry
from pycuda._kernels import building
from pycuda._kernels.tuning import tuned


class Shape(NamedTuple):
    """Partition of a scan on a kind of device."""

    block: int = 512  # threads per block
    row_bytes: int = 16  # maximum bytes that a thread loads in one access
    thread_bytes: int = 128  # approximate bytes of a thread's elements
    looks: int = 1  # number of previous tiles that a lane inspects
    runs: int = 8  # adjacent runs per thread, if threads run sequentially
    # elements per run; no power of 2, to avoid cache conflicts
    run: int = 2064


class ScanSource(NamedTuple):
    """Description of a kernel as C; sizes are in bytes."""

    name: str
    stored: str  # type of the input
    out: str
    value: str  # type of the scanned values
    expression: str  # C expression that combines the values a and b
    map: str  # C expression for the value of the stored element v
    finish: str  # C expression for the output of the value x
    neutral: str | None  # neutral value of an exclusive scan
    sizes: tuple[int, int, int]  # sizes of the types stored, out and value
    preamble: str = ""
    # whether the expressions are the user's; if so, this package's own names
    # in the kernel get a prefix, so that they differ from the user's names
    is_foreign: bool = False
    segmented: bool = False
    rows: bool = False  # whether the segments are rows of equal length
    compensation: str = (
        ""  # ``reduce/compensated_sum.cuh`` for sums with compensated rounding
    )


class ScanKernel(NamedTuple):
    """A compiled kernel, called with input, (heads or length,) output."""

    function: Any
    block: int
    tile: int  # elements of a tile
    words: int  # 64-bit words that a tile writes for the other tiles

    def __call__(self, arrays: tuple, n: int, stream: Any) -> None:
        """Scan `n` > 0 elements; the last of `arrays` is the output."""
        tiles = -(-n // self.tile)
        state = None
        if tiles > 1:
            # Word 0 of the state counts the tiles that have started.
            state = _registry.GPUArray(1 + tiles * self.words, np.uint64)
            _drv.memset_d32_async(state.gpudata, 0, 2 * state.size, stream)
        self.function(
            *arrays, np.uint64(n), np.uint64(0) if state is None else state,
            grid=(tiles, 1), block=(self.block, 1, 1), stream=stream,
        )  # fmt: skip


def default_shape(widest: int = 4) -> Shape:
    """Return the shape for the current device and the largest value size.

    `widest` is in bytes.
    """
    if building.runs_threads_in_turn():
        return Shape(block=1)
    # Tuned on an H100, where the number of registers limits the shape.
    return Shape(
        block=384 if widest == 8 else 512, thread_bytes=tuned("scan_bytes")
    )


_HEADS = {
    "heads_pair": ", unsigned char head",
    "heads_parameter": ", const unsigned char *heads",
    "heads_argument": ", heads",
    "heads_element": ", heads[i]",
    "heads_packed": ", heads_pack.at[k]",
    "heads_aligned": " | (size_t)heads % alignof(Pack<unsigned char>)",
    "pack_heads": (
        "        const Pack<unsigned char> heads_pack =\n"
        "            *reinterpret_cast<const Pack<unsigned char> *>"
        "(heads + first);\n"
    ),
}

_ROWS = {
    "heads_pair": ", unsigned char head",
    "heads_parameter": ", const unsigned long long length",
    "heads_argument": ", length",
    "heads_element": ", (unsigned char)(i % length == 0)",
    "heads_packed": (
        ", (unsigned char)(within + k == 0 || within + k == length)"
    ),
    "heads_aligned": "",
    # A row is longer than a pack (the elements that a thread loads at once),
    # so at most one row begins after the first element of a pack.
    "pack_heads": (
        "        const unsigned long long within = first % length;\n"
    ),
}
ROW_MINIMUM = 16  # minimum length of a row, in elements

# C++ type of a partial result of a segmented scan: the combined value of some
# elements, and whether a segment begins at one of these elements.
_SEGMENTED = """
typedef $value Element;

struct Segmented {
    Element value;
    unsigned head;
};

__device__ inline Element combine_elements(const Element &a, const Element &b)
{
    return $expression;
}
"""


def _total(source: ScanSource) -> str:
    """Return C that combines the totals of tiles."""
    kind = "plain"
    if source.compensation:
        kind = "rows" if source.rows else "stored"
    template = building.load_template(f"scan/total_{kind}.cuh")
    return source.compensation + template.template


def _name_prefixer(source: ScanSource) -> Callable[[str], str]:
    """Return a function that prefixes this package's names if needed."""
    return building.prefixed if source.is_foreign else str


def _fields(source: ScanSource) -> dict[str, Any]:
    """Return the templates' fields; the program's texts are inserted last."""
    own = _name_prefixer(source)
    theirs = {"value": source.value, "expression": source.expression}
    theirs |= {"neutral": source.neutral, "map": source.map}
    segments, value, expression = "", "$value", "$expression"
    map_, inclusive = "$map", "next"
    exclusive = "some ? before : Value($neutral)"
    heads = dict.fromkeys(_HEADS, "")
    if source.segmented:
        heads = _ROWS if source.rows else _HEADS
        segments, value = _SEGMENTED, "Segmented"
        expression = (
            "b.head ? b : "
            "(Segmented{combine_elements(a.value, b.value), a.head})"
        )
        map_, inclusive = "Segmented{$map, head}", "next.value"
        exclusive = "some && !v.head ? before.value : Element($neutral)"
    texts = heads | {
        "segments": segments,
        "type": value,
        "expression": expression,
        "map": map_,
        "result_type": "Element" if source.segmented else "Value",
        "result": inclusive if source.neutral is None else exclusive,
    }
    return {
        key: Template(own(text)).substitute(theirs)
        for key, text in texts.items()
    } | {
        "total_functions": own(_total(source)),
        "name": source.name,
        "stored": source.stored,
        "out": source.out,
        "finish": source.finish,
        "preamble": source.preamble,
    }


def _cut(source: ScanSource, shape: Shape) -> tuple[dict[str, int], int]:
    """Return (fields of a template, elements of a tile)."""
    if shape.block == 1:
        fields = {"runs": shape.runs, "run": shape.run}
        return fields, shape.runs * shape.run
    widest = max(source.sizes)
    vec = max(1, shape.row_bytes // widest)
    if any(size & (size - 1) or size > 16 for size in source.sizes):
        vec = 1  # a load has 1, 2, 4, 8 or 16 bytes
    rows = max(1, shape.thread_bytes // (vec * widest))
    rows = min(rows, max(1, 32 // vec))
    fields = {
        "block": shape.block,
        "rows": rows,
        "vec": vec,
        "looks": shape.looks if widest <= 16 else 1,
    }
    return fields, shape.block * rows * vec


def source_of(source: ScanSource, shape: Shape) -> str:
    """Return the CUDA C of a scan."""
    template = "scan/tile_thread.cu" if shape.block == 1 else "scan/tile.cu"
    fields = _fields(source) | _cut(source, shape)[0]
    own = _name_prefixer(source)
    return "".join(
        Template(own(building.load_template(name).template)).substitute(fields)
        for name in ("scan/state.cuh", template)
    )


def language(source: ScanSource, shape: Shape) -> str:
    """Return the macros that PyCUDA offers an expression and its preamble.

    `K` is no macro: parameters and variables may have that name.
    """
    batches = _cut(source, shape)[1] // shape.block
    return (
        f"#define WG_SIZE {shape.block}\n"
        f"#define scan_type {source.value}\n"
        f"#define SCAN_EXPR(a, b) {source.expression}\n"
        f"enum {{ K = {batches} }};\n"
    )


def wrap(source: ScanSource, shape: Shape, function: Any) -> ScanKernel:
    """Wrap a kernel that was compiled from `source_of(source, shape)`."""
    size = source.sizes[2] * (2 if source.compensation else 1)
    if source.segmented:
        # upper bound of the struct's size, with any padding
        size = (size + 4 + 15) // 16 * 16
    return ScanKernel(
        function, shape.block, _cut(source, shape)[1], (size + 3) // 4
    )
