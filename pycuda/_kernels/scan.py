"""CUDA C for scans of contiguous arrays of one dimension.

Each element is read once and written once: see ``scan/state.cuh``,
``scan/tile.cu`` (threads that run side by side) and ``scan/tile_thread.cu``
(threads that run in turn, one a block) in ``templates``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from string import Template
from typing import Any, NamedTuple

import numpy as np

import pycuda.driver as _drv
from pycuda._kernels import building
from pycuda._kernels.tuning import tuned


class Shape(NamedTuple):
    """How a scan is cut up on a kind of device."""

    block: int = 512  # threads
    row_bytes: int = 16  # that a thread loads at once, at most
    thread_bytes: int = 128  # that a thread holds, about
    looks: int = 1  # tiles that a lane looks at when it looks back
    runs: int = 8  # where threads run in turn: that one takes side by side
    run: int = 2064  # elements of each; no power of 2, for the cache's sake


class ScanSource(NamedTuple):
    """What a kernel computes, as C; sizes are bytes."""

    name: str
    stored: str  # type of the input
    out: str
    value: str  # type that is scanned
    expression: str  # in a and b
    map: str  # of v, a stored element; gives a value
    finish: str  # of x, a value; gives an output
    neutral: str | None  # of an exclusive scan
    sizes: tuple[int, int, int]  # of stored, out and value
    preamble: str = ""
    is_foreign: bool = False  # of a program: names of our own are prefixed
    segmented: bool = False
    rows: bool = False  # segmented at multiples of a length
    kept: str = ""  # ``reduce/keep.cuh``, of sums that keep what is lost


class ScanKernel(NamedTuple):
    """A compiled kernel, called with input, (heads or length,) output."""

    function: Any
    block: int
    tile: int  # elements
    words: int  # of 64 bits that a tile leaves for the others

    def __call__(self, arrays: tuple, n: int, stream: Any) -> None:
        """Scan `n` > 0 elements; the last of `arrays` is the output."""
        tiles = -(-n // self.tile)
        state = None
        if tiles > 1:
            import pycuda.gpuarray as gpuarray

            # Word 0 numbers the tiles.
            state = gpuarray.empty(1 + tiles * self.words, np.uint64)
            _drv.memset_d32_async(state.gpudata, 0, 2 * state.size, stream)
        self.function(
            *arrays, np.uint64(n), np.uint64(0) if state is None else state,
            grid=(tiles, 1), block=(self.block, 1, 1), stream=stream,
        )  # fmt: skip


def default_shape(widest: int = 4) -> Shape:
    """The shape for the current device and values of so many bytes."""
    if building.runs_threads_in_turn():
        return Shape(block=1)
    # As an H100 likes it: registers decide.
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
    # A row is longer than a pack.
    "pack_heads": (
        "        const unsigned long long within = first % length;\n"
    ),
}
ROW_MINIMUM = 16  # elements

# A value that knows whether a segment begins in it.
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
    """How totals of tiles are combined."""
    kind = "plain"
    if source.kept:
        kind = "rows" if source.rows else "kept"
    template = building.load_template(f"scan/total_{kind}.cuh")
    return source.kept + template.template


def _own(source: ScanSource) -> Callable[[str], str]:
    """What makes the names in our own texts those of the kernel."""
    return building.prefixed if source.is_foreign else str


def _fields(source: ScanSource) -> dict[str, Any]:
    """Fields of the templates; what is a program's stands in fields here."""
    own = _own(source)
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
    """(fields of a template, elements of a tile)."""
    if shape.block == 1:
        fields = {"runs": shape.runs, "run": shape.run}
        return fields, shape.runs * shape.run
    widest = max(source.sizes)
    vec = max(1, shape.row_bytes // widest)
    if any(size & (size - 1) or size > 16 for size in source.sizes):
        vec = 1  # what cannot be moved as one word
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
    """The CUDA C of a scan."""
    template = "scan/tile_thread.cu" if shape.block == 1 else "scan/tile.cu"
    fields = _fields(source) | _cut(source, shape)[0]
    own = _own(source)
    return "".join(
        Template(own(building.load_template(name).template)).substitute(fields)
        for name in ("scan/state.cuh", template)
    )


def language(source: ScanSource, shape: Shape) -> str:
    """What PyCUDA's kernels offer an expression and its preamble.

    `K` is no macro: parameters and variables may have its name.
    """
    batches = _cut(source, shape)[1] // shape.block
    return (
        f"#define WG_SIZE {shape.block}\n"
        f"#define scan_type {source.value}\n"
        f"#define SCAN_EXPR(a, b) {source.expression}\n"
        f"enum {{ K = {batches} }};\n"
    )


def wrap(source: ScanSource, shape: Shape, function: Any) -> ScanKernel:
    """A kernel that was compiled from `source_of(source, shape)`."""
    size = source.sizes[2] * (2 if source.kept else 1)
    if source.segmented:
        size = (size + 4 + 15) // 16 * 16  # however the struct is padded
    return ScanKernel(
        function, shape.block, _cut(source, shape)[1], (size + 3) // 4
    )
