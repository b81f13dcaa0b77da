"""CUDA C that moves elements of any type by index."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda._kernels import building
from pycuda._kernels.building import compile_kernel, indent, load_template
from pycuda._kernels.operations import c_type

_BLOCK = 256
_PART_IN_TURN = 4096  # elements per block

_UNITS = {
    1: "unsigned char",
    2: "unsigned short",
    4: "unsigned int",
    8: "unsigned long long",
}


_MOVES = {
    "get": "*(Item *)(plain + offset[0]) = inside ? *(const Item *)(indexed + "
    "offset[1]) : Item{};",
    "set": "if (inside) {\n        *(Item *)(indexed + offset[1]) = "
    "*(const Item *)(plain + offset[0]);\n    }",
    "fill": "if (inside) {\n        *(Item *)(indexed + offset[1]) = plain;"
    "\n    }",
}


def make_move(
    direction: str,
    unit: int,
    count: int,
    ndim: int,
    indices: tuple[np.dtype, ...],
    wide: bool,
) -> Any:
    """Compile ``index/move.cu`` for indices of these dtypes.

    Parameters
    ----------
    direction
        "get" from the indexed array, "set" in it, or "fill" it with an
        element that is passed by value.
    unit, count
        An element is `count` words of `unit` bytes.
    ndim
        Number of axes.
    indices
        Dtypes of the index arrays.
    wide
        Whether there are more than 2**31 elements.
    """
    resolve = []
    for k, dtype in enumerate(indices):
        resolve += [
            f"position = place_of(*(const {c_type(dtype)} *)(index{k} + "
            f"offset[{k + 2}]), layout.length[{k}]);",
            "if (position < 0) {",
            f"    note(fault, layout.axis[{k}], (long long)*(const "
            f"{c_type(dtype)} *)(index{k} + offset[{k + 2}]), "
            f"layout.length[{k}]);",
            "    inside = false;",
            "}",
            f"offset[1] += position * layout.step[{k}];",
        ]
    source = load_template("index/move.cu").substitute(
        unit=_UNITS[unit],
        count=count,
        indices=len(indices),
        ndim=ndim,
        plain="const Item plain" if direction == "fill" else "char *plain",
        parameters="".join(
            f"const char *index{k},\n{' ' * 32}" for k in range(len(indices))
        ),
        index_type="unsigned long long" if wide else "unsigned int",
        resolve=indent(resolve, 4),
        move=_MOVES[direction],
    )
    return compile_kernel(source, (), "move")


def _indexed(
    form: str, name: str, unit: int, count: int, index: np.dtype, axis: int,
    **fields: Any,
) -> Any:  # fmt: skip
    """Compile the kernel `name` of a template for indexed elements."""
    source = load_template(f"index/{form}.cu").substitute(
        name=name, unit=_UNITS[unit], count=count, index=c_type(index),
        axis=axis, **fields,
    )  # fmt: skip
    return compile_kernel(source, (), name)


# Operation -> CUDA C of its parameter for the plain array, its parameter for
# the contiguous row, the statement that copies, and the statement for an index
# out of range.
_LINES = {
    "take": (
        "Item *plain", "const Item *row", "plain[i] = row[position];",
        "plain[i] = Item{};",
    ),
    "put": (
        "const Item *plain", "Item *row", "row[position] = plain[i];", "",
    ),
    "fill": ("const Item plain", "Item *row", "row[position] = plain;", ""),
}  # fmt: skip


def make_line(
    name: str, unit: int, count: int, index: np.dtype, axis: int
) -> tuple[Any, int, int, int]:
    """Compile ``index/elements.cu``: (kernel, threads, elements of each, 0).

    Parameters
    ----------
    name
        "take" from the row, "put" there, or "fill" it with an element that is
        passed by value.
    unit, count
        An element is `count` words of `unit` bytes.
    index
        Dtype of the indices.
    axis
        The axis that a recorded fault names.

    Returns
    -------
    tuple
        The kernel, threads per block, elements per thread, and 0.
    """
    in_turn = building.runs_threads_in_turn()
    block, each = (1, _PART_IN_TURN) if in_turn else (_BLOCK, 1)
    plain, row, move, outside = _LINES[name]
    kernel = _indexed(
        "elements", name, unit, count, index, axis, each=each,
        unroll=min(each, 8), plain=plain, row=row, move=move, outside=outside,
    )  # fmt: skip
    return kernel, block, each, 0


# Operation -> CUDA C of its parameter for the plain array, its parameter for
# the contiguous rows, the lookup of a row, and the statement that copies.
_ROWS = {
    "take": (
        "Item *plain", "const Item *rows",
        "const Item *from = rows + (inside ? position * span : 0);\n"
        "Item *to = plain + i * span;",
        "to[k] = inside ? from[k] : Item{};",
    ),
    "put": (
        "const Item *plain", "Item *rows",
        "const Item *from = plain + i * span;\n"
        "Item *to = rows + (inside ? position * span : 0);",
        "if (inside) {\n    to[k] = from[k];\n}",
    ),
    "fill": (
        "const Item plain", "Item *rows",
        "Item *to = rows + (inside ? position * span : 0);",
        "if (inside) {\n    to[k] = plain;\n}",
    ),
}  # fmt: skip


def make_rows(
    name: str, unit: int, count: int, index: np.dtype, axis: int
) -> tuple[Any, int, int, int]:
    """Compile ``index/rows.cu``: (kernel, threads of a block, 1, 0).

    The parameters are those of `make_line`, for rows.  If threads run
    sequentially, a block has one thread, which moves its items in a loop.
    """
    in_turn = building.runs_threads_in_turn()
    plain, rows, items, move = _ROWS[name]
    kernel = _indexed(
        "rows", name, unit, count, index, axis, plain=plain, row=rows,
        items=indent(items.split("\n"), 8).strip(),
        move=indent(move.split("\n"), 12).strip(),
        lane="0" if in_turn else "threadIdx.x",
        lanes="1" if in_turn else "blockDim.x",
    )  # fmt: skip
    return kernel, 1 if in_turn else _BLOCK, 1, 0


def make_repeat_in_turn(unit: int, count: int, copies: int) -> tuple[Any, int]:
    """Compile ``index/repeat_thread.cu``: (kernel, elements of a block).

    Elements are `count` words of `unit` bytes.
    """
    each = max(1, _PART_IN_TURN // copies)
    source = load_template("index/repeat_thread.cu").substitute(
        unit=_UNITS[unit], count=count, copies=copies, each=each
    )
    return compile_kernel(source, (), "repeat"), each


def make_compact() -> Any:
    """Compile ``out[ends[i] - 1] = i`` where `ends` grows.

    The kernel takes (out, ends, size).
    """
    source = load_template("index/compact.cu").template
    return compile_kernel(source, (), "compact")


def make_compact_in_turn(unit: int, count: int) -> tuple[Any, Any]:
    """Compile (count, compact) of ``index/compact_thread.cu``.

    Elements are `count` words of `unit` bytes.  With a unit of 0, the result
    is the indices (int64) of the selected elements.
    """
    source = load_template("index/compact_thread.cu").substitute(
        unit=_UNITS[unit or 8],
        count=count,
        item="items[first + i]"
        if unit
        else "Item{{(unsigned long long)(first + i)}}",
    )
    counting = compile_kernel(source, (), "count")
    return counting, compile_kernel(source, (), "compact")
