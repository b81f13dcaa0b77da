"""Kernels of an ElementwiseKernel for arrays that are not contiguous.

These kernels compute an address for each row of elements instead of one for
each element.  `plan` selects a kernel and computes its layout, `generate`
writes its source.  Both apply to operations that use each vector only as
``name[i]`` and need no loop; `elementwise_modules` has the general kernel.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from pycuda._compile.source import includes_of
from pycuda._kernels.building import indent, load_template
from pycuda.tools import Argument, VectorArg, dtype_to_ctype

_BLOCK = 256
# Minimum number of elements of a row (all elements along the last axis) for
# which each row gets its own thread blocks.
_ROW_MINIMUM = 64
# If threads run sequentially: elements along the side of a tile, elements per
# block, and minimum length of the two axes that a tile spans.
_TILE_SIDE = 32
_PART = 4096
_TILE_MINIMUM = 16
_GRID_LIMIT = 0x7FFFFFFF
# Strides along the last axis, in elements, for which there are own kernels.
_KNOWN_STEPS = (-1, 0, 1, 2)
_ACROSS = "across"  # a vector that is copied in transposed order first


class Form(NamedTuple):
    """Everything that determines the source of a kernel.

    `steps` has for each operand the stride along the last axis in elements,
    None if it is known only at run time, or "across" for a transposed vector,
    whose elements are adjacent along the second to last axis.
    """

    template: str
    ndim: int
    steps: tuple[int | str | None, ...]
    counts: bool  # whether the index i is the last operand


class Plan(NamedTuple):
    """A kernel and its launch: the grid, the block, the layout."""

    form: Form
    blocks: int
    threads: int
    layout: bytes
    key: str  # a text that only plans of the same form have


class Operands(NamedTuple):
    """Shape and strides of all operands, the index i included.

    The strides of operand k are ``strides[k]``; `starts` are the offsets of
    the first elements, `sizes` the item sizes.
    """

    shape: list[int]
    strides: list[list[int]]
    starts: list[int]
    sizes: tuple[int, ...]


def _packed(shape: Sequence[int], itemsize: int) -> list[int]:
    """Return the strides of a contiguous array in C order."""
    strides, step = [], itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return strides[::-1]


def _collapse(operands: Operands, order: Sequence[int]) -> Operands:
    """Remove axes of length 1, sort the others, and merge adjacent ones.

    The strides of the first operand in `order` become positive.  The axes are
    sorted by the strides of the operands, which are compared in this order.
    """
    shape, strides, starts, sizes = operands
    starts = list(starts)
    axes = [axis for axis, length in enumerate(shape) if length != 1]
    signs = {}
    for axis in axes:
        signs[axis] = -1 if strides[order[0]][axis] < 0 else 1
        if signs[axis] < 0:
            for k, row in enumerate(strides):
                starts[k] += row[axis] * (shape[axis] - 1)
    axes.sort(key=lambda axis: [-abs(strides[k][axis]) for k in order])
    merged_shape: list[int] = []
    merged: list[list[int]] = [[] for _ in strides]
    for axis in axes:
        steps = [row[axis] * signs[axis] for row in strides]
        if merged_shape and all(
            row[-1] == step * shape[axis]
            for row, step in zip(merged, steps, strict=True)
        ):
            merged_shape[-1] *= shape[axis]
            for row, step in zip(merged, steps, strict=True):
                row[-1] = step
            continue
        merged_shape.append(shape[axis])
        for row, step in zip(merged, steps, strict=True):
            row.append(step)
    if not merged_shape:
        return Operands([1], [[0] for _ in strides], starts, sizes)
    return Operands(merged_shape, merged, starts, sizes)


def _prefers_tiles(operands: Operands, k: int, axis: int) -> bool:
    """Return whether operand k uses cache lines better along `axis`."""
    step = abs(operands.strides[k][axis])
    last = abs(operands.strides[k][-1])
    return 0 < step <= 2 * operands.sizes[k] and last >= 4 * step


def _tile_axis(operands: Operands, vectors: int) -> int | None:
    """Return the axis that tiles span in addition to the last one, if any."""
    shape = operands.shape
    if shape[-1] < _TILE_MINIMUM:
        return None
    for axis in range(len(shape) - 1):
        if shape[axis] >= _TILE_MINIMUM and any(
            _prefers_tiles(operands, k, axis) for k in range(vectors)
        ):
            return axis
    return None


def _move_to_second_last(operands: Operands, axis: int) -> None:
    for row in (operands.shape, *operands.strides):
        moved = row.pop(axis)
        row.insert(len(row) - 1, moved)


def _steps(operands: Operands) -> list[int | str | None]:
    steps: list[int | str | None] = []
    for row, size in zip(operands.strides, operands.sizes, strict=True):
        step, rest = divmod(row[-1], size)
        is_known = rest == 0 and step in _KNOWN_STEPS
        steps.append(step if is_known else None)
    return steps


def _record(operands: Operands, size: int, blocks: int) -> bytes:
    words = [size, blocks, *operands.starts, *operands.shape]
    for row in operands.strides:
        words += row
    return struct.pack(f"={len(words)}q", *words)


def _quotient_up(a: int, b: int) -> int:
    return -(-a // b)


def _plan_in_turn(
    operands: Operands, size: int, vectors: int, copied: Sequence[int]
) -> Plan:
    """Return the plan for a device whose threads run sequentially."""
    counts = len(operands.sizes) > vectors
    across = _tile_axis(operands, vectors)
    if across is None:
        form = Form(
            "rows_thread",
            len(operands.shape),
            tuple(_steps(operands)),
            counts,
        )
        record = _record(operands, size, 0)
        return Plan(form, _quotient_up(size, _PART), 1, record, repr(form))
    _move_to_second_last(operands, across)
    steps = _steps(operands)
    for k in copied:
        is_unit = operands.strides[k][-2] == operands.sizes[k]
        if is_unit and _prefers_tiles(operands, k, -2):
            steps[k] = _ACROSS
    along = _quotient_up(operands.shape[-1], _TILE_SIDE)
    down = _quotient_up(operands.shape[-2], _TILE_SIDE)
    rest = size // operands.shape[-1] // operands.shape[-2]
    form = Form("tiles_thread", len(operands.shape), tuple(steps), counts)
    record = _record(operands, size, along)
    return Plan(form, along * down * rest, 1, record, repr(form))


def _plan_parallel(operands: Operands, size: int, vectors: int) -> Plan | None:
    """Return the plan for a GPU; None if the grid would be too large."""
    length = operands.shape[-1]
    if length < _ROW_MINIMUM:
        template, threads, along = "flat", _BLOCK, 0
        blocks = _quotient_up(size, threads)
    else:
        template = "rows"
        threads = min(_BLOCK, _quotient_up(length, 32) * 32)
        along = _quotient_up(length, threads)
        blocks = size // length * along
    if blocks > _GRID_LIMIT:
        return None
    counts = len(operands.sizes) > vectors
    ndim = len(operands.shape)
    form = Form(template, ndim, tuple(_steps(operands)), counts)
    record = _record(operands, size, along)
    return Plan(form, blocks, threads, record, repr(form))


def _is_packed(
    shape: Sequence[int], strides: Sequence[int], itemsize: int
) -> bool:
    """Return whether an array is contiguous in C order."""
    packed = _packed(shape, itemsize)
    return all(
        length == 1 or stride == wanted
        for length, stride, wanted in zip(shape, strides, packed, strict=True)
    )


def _common_shape(
    arrays: Sequence[tuple], contiguous: Sequence[bool], size: int
) -> tuple[int, ...] | None:
    """Return the shape of the arrays that are not contiguous, of all axes.

    None if they have different shapes, or not `size` elements.
    """
    shapes = {
        shape
        for (shape, _), is_packed in zip(arrays, contiguous, strict=True)
        if not is_packed
    }
    if len(shapes) != 1:
        return None
    (shape,) = shapes
    return shape if math.prod(shape) == size else None


@functools.lru_cache(maxsize=512)
def plan(
    arrays: tuple[tuple, ...],
    itemsizes: tuple[int, ...],
    size: int,
    changed: tuple[bool, ...],
    counts: bool,
    may_copy: bool,
    in_turn: bool,
) -> Plan | None:
    """Select the kernel for a call, and compute its layout.

    Parameters
    ----------
    arrays : tuple of tuple
        (shape, strides) of each vector.
    itemsizes : tuple of int
        Size of the elements of each vector.
    size : int
        Number of elements of the call, at least 1.
    changed : tuple of bool
        For each vector, whether the operation may write to it.
    counts : bool
        Whether the operation uses the index ``i`` for more than ``name[i]``.
    may_copy : bool
        Whether kernels may read elements before the operation asks for them.
    in_turn : bool
        Whether the device runs its threads sequentially.

    Returns
    -------
    Plan or None
        None if no kernel of this module can run the call.
    """
    contiguous = [
        _is_packed(*array, itemsize)
        for array, itemsize in zip(arrays, itemsizes, strict=True)
    ]
    shape = _common_shape(arrays, contiguous, size)
    if shape is None or size > _GRID_LIMIT:
        return None
    strides = [
        _packed(shape, itemsize) if is_packed else list(own)
        for (_, own), itemsize, is_packed in zip(
            arrays, itemsizes, contiguous, strict=True
        )
    ]
    sizes = list(itemsizes)
    if counts:
        strides.append(_packed(shape, 1))
        sizes.append(1)
    vectors = len(arrays)
    order = sorted(range(vectors), key=lambda k: not changed[k])
    operands = _collapse(
        Operands(list(shape), strides, [0] * len(sizes), tuple(sizes)),
        [*order, *range(vectors, len(sizes))],
    )
    if not in_turn:
        return _plan_parallel(operands, size, vectors)
    copied = [k for k in order if may_copy and not changed[k]]
    return _plan_in_turn(operands, size, vectors, copied)


# --- source --------------------------------------------------------------


def _offset(form: Form, k: int, unit: str) -> str:
    """Return C for the offset of the current element of operand k."""
    step = form.steps[k]
    if step is None:
        along = f"pycuda_all.strides[{k}][{form.ndim - 1}]"
    else:
        along = f"{step} * (long long){unit}"
    if form.template != "tiles_thread":
        return f"pycuda_start[{k}] + pycuda_j * ({along})"
    return (
        f"pycuda_start[{k}] + pycuda_slow * "
        f"pycuda_all.strides[{k}][PYCUDA_BEFORE] + pycuda_fast * ({along})"
    )


def _elements(form: Form, vectors: Sequence[Argument]) -> list[str]:
    """Return the declarations of the current elements and of ``i``."""
    lines = []
    for k, vector in enumerate(vectors):
        ctype, name = dtype_to_ctype(vector.dtype), vector.name
        at = (
            f"({ctype} *)((char *)pycuda_{name} + "
            f"{_offset(form, k, f'sizeof({ctype})')})"
        )
        if form.steps[k] == _ACROSS:
            at = f"&pycuda_turned{k}[pycuda_slow][pycuda_fast]"
        lines.append(f"const pycuda_element<{ctype}> {name} = {{{at}}};")
    index = _offset(form, len(vectors), "1") if form.counts else "0"
    return [*lines, f"const size_t i = (size_t)({index});"]


def _turns(form: Form, vectors: Sequence[Argument]) -> list[str]:
    """Return the loops that copy transposed vectors."""
    lines = []
    for k, vector in enumerate(vectors):
        if form.steps[k] != _ACROSS:
            continue
        ctype = dtype_to_ctype(vector.dtype)
        lines += [
            f"{ctype} pycuda_turned{k}[PYCUDA_SIDE][PYCUDA_SIDE];",
            "for (int fast = 0; fast < pycuda_fast_end; fast++) {",
            "    for (int slow = 0; slow < pycuda_slow_end; slow++) {",
            f"        pycuda_turned{k}[slow][fast] =",
            f"            *({ctype} *)((char *)pycuda_{vector.name} +",
            f"                pycuda_start[{k}] +",
            f"                slow * (long long)sizeof({ctype}) +",
            f"                fast * pycuda_all.strides[{k}][PYCUDA_LAST]);",
            "    }",
            "}",
        ]
    return lines


def generate(
    form: Form,
    arguments: Sequence[Argument],
    operation: str,
    name: str,
    preamble: str,
) -> str:
    """Return the source; `arguments` end with the number of elements."""
    vectors = [a for a in arguments if isinstance(a, VectorArg)]
    parameters = ", ".join(
        f"{dtype_to_ctype(a.dtype)} *pycuda_{a.name}"
        if isinstance(a, VectorArg)
        else a.declarator()  # type: ignore[attr-defined]
        for a in arguments
    )
    depth = {"rows": 8, "flat": 8}.get(form.template, 12)
    text = load_template(f"elementwise/{form.template}.cu").substitute(
        name=name,
        parameters=parameters,
        operation=operation,
        ndim=form.ndim,
        operands=len(form.steps),
        elements=indent(_elements(form, vectors), depth),
        turns=indent(_turns(form, vectors), 4),
        part=_PART,
        side=_TILE_SIDE,
    )
    text = f"{preamble}\n{text}"
    return includes_of(text) + text
