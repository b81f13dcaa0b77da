"""CUDA C for sorts: the templates for a dtype and a device.

``sort/thread.cu`` is for devices whose threads run sequentially, and
``sort/values.cu`` for their sorts without an order; ``sort/rows.cu`` (one
block per row) and ``sort/sweep.cu`` (one block per tile) are for the others.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pycuda._kernels import building
from pycuda._kernels.operations import c_type
from pycuda._kernels.tuning import tuned

_WORDS = {
    1: "unsigned char",
    2: "unsigned short",
    4: "unsigned int",
    8: "unsigned long long",
}
_INFINITIES = {
    "e": "0x7c00",
    "E": "0x7f80",
    "f": "0x7f800000",
    "d": "0x7ff0000000000000",
}
_SEARCHES = 8  # number of interleaved searches, if threads run sequentially
DIGITS = 256
BUCKETS = 256
BLOCK = 256
COUNTERS = 1024  # threads per block of the kernel that counts digits
COUNTING = 2  # blocks of that kernel per multiprocessor


class Shape(NamedTuple):
    """Partition of a tile."""

    threads: int
    items: int  # elements per thread
    blocks: int  # minimum number of resident blocks per multiprocessor


# Smaller tiles, for arrays that have too few tiles of the normal size.
_SMALLER = Shape(384, 11, 2), Shape(384, 4, 2)
_LONGEST = Shape(256, 8, 3), Shape(256, 4, 2)  # for elements of 16 bytes


class Sort(NamedTuple):
    """Key by which the kernels of a sort are compiled."""

    dtype: np.dtype
    ordered: bool  # whether the order is requested in addition to the values
    wide: bool  # whether a row has 2**30 elements or more
    shape: Shape = Shape(1, 1, 1)

    @property
    def passes(self) -> int:
        """Number of digits of an element."""
        return self.dtype.itemsize + (self.dtype.kind == "c")


def has_buckets(sort: Sort) -> bool:
    """Return whether ``sort/values.cu`` applies: elements of single words."""
    is_single = sort.dtype.kind != "c" and sort.dtype.itemsize >= 4
    return is_single and not sort.ordered


def check_dtype(dtype: np.dtype) -> None:
    """Raise TypeError unless elements of this dtype have an order."""
    c_type(dtype)


def most_items(dtype: np.dtype) -> int:
    """Return the most elements per thread of a row sort in shared memory."""
    return {16: 8, 8: 16}.get(dtype.itemsize, 24)


def tile_shape(sort: Sort, rows: int, n: int, processors: int) -> Shape:
    """Return the tile shape of sweeps over rows of n elements.

    Tiles are large, unless they would be too few, or too empty at the rows'
    ends.
    """
    largest = max(sort.dtype.itemsize, 8 if sort.wide else 4)
    if largest == 16:
        shapes: tuple[Shape, ...] = _LONGEST
    else:
        name = "argsort" if sort.ordered else "sort"
        name += "_long_words" if largest == 8 else "_words"
        shapes = Shape(*tuned(name)), *_SMALLER
    for shape in shapes:
        tile = shape.threads * shape.items
        tiles = rows * -(-n // tile)
        if 2 * tiles >= 3 * processors and 3 * tiles * tile <= 4 * rows * n:
            return shape
    return shapes[-1]


def row_shape(dtype: np.dtype, n: int) -> Shape:
    """Return the block shape for a row of n elements, which must fit."""
    threads = 32
    while threads < BLOCK and threads * 8 < n:
        threads *= 2
    for items in (1, 2, 4, 8, 16):
        if threads * items >= n:
            return Shape(threads, items, 1)
    return Shape(threads, most_items(dtype), 1)


def _fields(sort: Sort) -> dict[str, Any]:
    dtype = sort.dtype
    parts = 2 if dtype.kind == "c" else 1
    part = np.empty(0, dtype).real.dtype if parts == 2 else dtype
    real = part.kind == "f" or part.char == "E"
    return {
        "word": _WORDS[part.itemsize],
        "parts": parts,
        "passes": sort.passes,
        "is_signed": int(part.kind == "i"),
        "is_real": int(real),
        "infinity": _INFINITIES[part.char] if real else "0",
        "ordered": int(sort.ordered),
        "by_vectors": int(has_buckets(sort)),
        "index": "unsigned long long" if sort.wide else "unsigned int",
        "state": "unsigned long long" if sort.wide else "unsigned int",
        **sort.shape._asdict(),
        "counters": COUNTERS,
        "copies": max(1, 16 // max(sort.passes, 4)),
    }


def _source(sort: Sort, *templates: str, **more: Any) -> str:
    fields = _fields(sort) | more
    return "".join(
        building.load_template(name).substitute(fields) for name in templates
    )


def _compiled(source: str, names: tuple[str, ...]) -> tuple[Any, ...]:
    first = building.compile_kernel(source, (), names[0])
    return (
        first,
        *(building.compile_kernel(source, (), name) for name in names[1:]),
    )


def make_in_turn(sort: Sort) -> tuple[Any, ...]:
    """Compile (rows, count, places, move, finish) of ``sort/thread.cu``."""
    source = _source(
        sort,
        "sort/digits.cuh",
        "sort/keys.cuh",
        "sort/vectors.cuh",
        "sort/thread.cu",
    )
    parts = "rows", "count", "places", "move", "finish"
    return _compiled(source, tuple(f"sort_{part}" for part in parts))


def make_values(sort: Sort) -> tuple[Any, ...]:
    """Compile (plan, assign, deal, buckets) of ``sort/values.cu``."""
    source = _source(
        sort,
        "sort/digits.cuh",
        "sort/keys.cuh",
        "sort/vectors.cuh",
        "sort/values.cu",
        # Vectors are used only for elements of 4 bytes. For other sizes, one
        # pass per digit is faster.
        by_vectors=int(sort.dtype.itemsize == 4),
    )
    parts = "plan", "assign", "deal", "buckets"
    return _compiled(source, tuple(f"sort_{part}" for part in parts))


def make_rows(sort: Sort) -> Any:
    """Compile the kernel in which each block sorts a row."""
    source = _source(sort, "sort/digits.cuh", "sort/block.cuh", "sort/rows.cu")
    return building.compile_kernel(source, (), "sort_rows")


def make_sweep(sort: Sort) -> tuple[Any, ...]:
    """Compile (clear, count, sweep) of ``sort/sweep.cu``."""
    source = _source(
        sort, "sort/digits.cuh", "sort/block.cuh", "sort/sweep.cu"
    )
    return _compiled(source, ("sort_clear", "sort_count", "sort_sweep"))


def make_search(a: np.dtype, right: bool) -> tuple[Any, int]:
    """Compile ``sort/search.cu``; return (kernel, values per thread)."""
    each = _SEARCHES if building.runs_threads_in_turn() else 1
    kernel = building.compile_kernel(
        building.load_template("sort/search.cu").substitute(
            type=c_type(a),
            each=each,
            is_complex=int(a.kind == "c"),
            before=_before(a),
            goes_right="!before(value, x)" if right else "before(x, value)",
        ),
        (a,),
        "search",
    )
    return kernel, each


def _before(dtype: np.dtype) -> str:
    """Return C for x < y in the order of sorts."""
    if dtype.kind == "c":
        return (
            "nan_group(x) != nan_group(y) ? nan_group(x) < nan_group(y) : "
            "real_before(x.real(), y.real()) || "
            "(!real_before(y.real(), x.real()) && "
            "real_before(x.imag(), y.imag()))"
        )
    if dtype.char == "e":
        return "real_before(__half2float(x), __half2float(y))"
    if dtype.char == "E":
        return "real_before(bfloat16_to_float(x), bfloat16_to_float(y))"
    return "real_before(x, y)" if dtype.kind == "f" else "x < y"
