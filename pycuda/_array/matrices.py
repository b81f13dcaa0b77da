"""Launches of matrix products, for `pycuda._array.products`.

The layout that a kernel needs for some shapes and strides is computed once and
cached.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pycuda._array import blas
from pycuda._array.axes import Log
from pycuda._array.common import make, merged_axes
from pycuda._array.shaping import swapaxes
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase
from pycuda._kernels import building
from pycuda._kernels import products as kernels
from pycuda._kernels.products import Product

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

# maximum number of columns of a product for which `_run_few` is used
_FEW = 256
# minimum number of multiplications per block, if several blocks share a
# product that `_run_few` computes
_WORK = 1 << 17
# minimum number of multiplications per block of a matrix-vector product
_SHARE = 1 << 14


@functools.cache
def _memoised() -> dict[str, Callable[..., Any]]:
    return {
        "device": by_context(building.device_traits),
        "block": by_context(kernels.make_block),
        "in_turn": by_context(kernels.make_in_turn),
        "few": by_context(kernels.make_few),
        "vector": by_context(kernels.make_vector),
    }


def _device() -> tuple[bool, int]:
    """Return (whether threads run one after the other, multiprocessors)."""
    return _memoised()["device"]()


# --- shapes --------------------------------------------------------------


class Matrices(NamedTuple):
    """Two matrices and their product, in batches of the same shape.

    The axes before the last two are the batch's axes.
    """

    a: GPUArray
    b: GPUArray
    c: GPUArray
    stream: Any
    log: Log
    # positions of `a` and `b` among the arguments of the recorded call
    slots: tuple[int, int] = (0, 1)

    @property
    def inner(self) -> int:
        """Return the length of the summed axis."""
        return self.a.shape[-1]

    def turned(self) -> Matrices:
        """Return the same product, of the transposed matrices."""
        a, b, c = (swapaxes(m, -1, -2) for m in (self.b, self.a, self.c))
        return Matrices(a, b, c, self.stream, self.log, self.slots[::-1])

    def launch(
        self, kernel: Any, block: int, blocks: int, *arguments: Any
    ) -> None:
        """Launch a kernel and record it; "a", "b", "c" name the matrices."""
        matrices = {"a": self.a, "b": self.b, "c": self.c}
        slots = {"a": self.slots[0], "b": self.slots[1], "c": 2}
        shape = (block, 1, 1), (blocks, 1)
        given, noted = [], []
        for argument in arguments:
            name = argument if isinstance(argument, str) else ""
            given.append(matrices[name] if name else argument)
            noted.append(
                slots[name]
                if name
                else argument
                if isinstance(argument, ArrayBase)
                else argument.tobytes()
            )
        kernel(*given, block=shape[0], grid=shape[1], stream=self.stream)
        self.log.add(kernel, *shape, 0, tuple(noted))

    def layout(self) -> _Layout:
        """Return shapes and strides in the form that kernels take."""
        a, b, c = self.a, self.b, self.c
        return _layout(
            (*c.shape, a.shape[-1]), (a.strides, b.strides, c.strides),
            (a.itemsize, b.itemsize, c.itemsize),
        )  # fmt: skip

    def product(self, layout: _Layout, *fields: Any) -> Product:
        """Return the key by which kernels are compiled."""
        types = self.a.dtype, self.b.dtype, self.c.dtype
        return Product(*types, layout.ndim, *fields)


class _Layout(NamedTuple):
    ndim: int  # number of axes of the batch
    batches: int
    words: np.ndarray  # integers that are passed to the kernels


@functools.lru_cache(1024)
def _layout(
    shape: tuple[int, ...],
    strides: tuple[tuple[int, ...], ...],
    itemsizes: tuple[int, ...],
) -> _Layout:
    """Compute a layout; `shape` is the product's, then the inner length."""
    lengths, steps = merged_axes(shape[:-3], strides)
    batches = math.prod(lengths)
    words = [*shape[-3:], batches]
    for own, itemsize in zip(strides, itemsizes, strict=True):
        words += [step // itemsize for step in own[-2:]]
    words += lengths
    for own in steps:
        words += own
    return _Layout(len(lengths), batches, np.array(words, np.int64))


def _halved(
    sides: tuple[int, int], lengths: tuple[int, int], least: int, wanted: float
) -> tuple[int, int]:
    """Return the sides of a tile, halved until there are enough tiles.

    Parameters
    ----------
    sides
        Sides of the largest tile.
    lengths
        Lengths that are cut into tiles.
    least
        Halving stops if both sides are at most this.
    wanted
        Number of tiles to reach.
    """
    down, across = sides
    while max(down, across) > least and (
        -(-lengths[0] // down) * -(-lengths[1] // across) < wanted
    ):
        if down >= across:
            down //= 2
        else:
            across //= 2
    return down, across


# --- kernels for devices whose threads run one after the other -----------


def _run_vector(task: Matrices) -> None:
    """Multiply a matrix by a column."""
    layout, rows = task.layout(), task.c.shape[-2]
    dots, lanes = _memoised()["vector"](task.product(layout))
    arguments = "c", "a", "b", layout.words
    if rows > 1 and task.a.strides[-2] == task.a.itemsize:
        blocks = layout.batches * -(-rows // kernels.LANES)
        task.launch(lanes, 1, blocks, *arguments)
        return
    each = max(1, _SHARE // task.inner)
    blocks = -(-layout.batches * rows // each)
    task.launch(dots, 1, blocks, *arguments, np.int64(each))


def _run_few(task: Matrices, processors: int) -> None:
    """Multiply small matrices: each block copies the parts that it needs."""
    layout = task.layout()
    kernel = _memoised()["few"](task.product(layout))
    rows, columns = task.c.shape[-2:]
    panels = -(-rows // kernels.HIGH)
    least = -(-panels // kernels.MAX_PANELS)
    work = rows * columns * task.inner // _WORK
    blocks = max(least, min(panels // 5, work, processors))
    each = -(-panels // blocks)
    task.launch(
        kernel, 1, layout.batches * -(-panels // each),
        "c", "a", "b", layout.words, np.int64(each),
    )  # fmt: skip


def _tiles(
    panels: tuple[int, int], batches: int, processors: int
) -> tuple[int, int]:
    """Return the panels of a block, down and across.

    If possible, there are at least four blocks per processor.
    """
    return _halved(
        (kernels.PANELS, kernels.PANELS), panels, 1, 4 * processors / batches
    )


def _run_panels(task: Matrices, processors: int) -> None:
    layout, out = task.layout(), task.c.dtype
    pack, multiply = _memoised()["in_turn"](task.product(layout))
    rows, columns = task.c.shape[-2:]
    batches, wide = layout.batches, kernels.panel_columns(out)
    panels = -(-rows // kernels.HIGH), -(-columns // wide)
    value = kernels.value_type(out)
    left = make(
        task.c, (batches * panels[0] * kernels.HIGH * task.inner,), value
    )
    right = make(task.c, (batches * panels[1] * wide * task.inner,), value)
    depth = -(-task.inner // kernels.DEEP)
    task.launch(
        pack, 1, batches * sum(panels) * depth, left, right, "a", "b",
        layout.words,
    )  # fmt: skip
    tiles = _tiles(panels, batches, processors)
    blocks = math.prod(-(-n // k) for n, k in zip(panels, tiles, strict=True))
    task.launch(
        multiply, 1, batches * blocks, "c", left, right, layout.words,
        np.int32(tiles[0]), np.int32(tiles[1]),
    )  # fmt: skip


def _run_in_turn(task: Matrices, processors: int) -> None:
    rows, columns = task.c.shape[-2:]
    if columns == 1:
        _run_vector(task)
    elif rows == 1:
        _run_vector(task.turned())
    elif task.inner <= kernels.MAX_INNER and columns <= _FEW:
        _run_few(task, processors)
    else:
        _run_panels(task, processors)


# --- kernels for devices whose threads run in parallel -------------------


def _tile(
    rows: int, columns: int, batches: int, most: int, busy: int
) -> tuple[int, int]:
    """Return (rows, columns) per thread, large but with enough blocks."""
    down = across = most
    while down > 1 and 8 * down >= rows:
        down //= 2
    while across > 1 and 8 * across >= columns:
        across //= 2
    sixteenths = -(-rows // 16), -(-columns // 16)
    return _halved((down, across), sixteenths, 2, busy / batches)


def _deep(matrix: GPUArray, inner: int) -> bool:
    """Return whether the inner axis has the smaller stride."""
    return abs(matrix.strides[inner]) < abs(matrix.strides[-3 - inner])


def _run_blocks(task: Matrices, processors: int) -> None:
    layout = task.layout()
    value = kernels.value_type(task.c.dtype)
    most = {16: 2, 8: 4}.get(value.itemsize, 8)
    rows, columns = task.c.shape[-2:]
    batches = layout.batches
    down, across = _tile(rows, columns, batches, most, processors)
    deep = _deep(task.a, -1), _deep(task.b, -2)
    kernel = _memoised()["block"](task.product(layout, down, across, *deep))
    tiles = -(-rows // (16 * down)) * -(-columns // (16 * across))
    task.launch(kernel, 256, batches * tiles, "c", "a", "b", layout.words)


def multiply(task: Matrices) -> bool:
    """Compute ``c = a @ b``; return whether the log has all launches."""
    in_turn, processors = _device()
    if task.c.size == 0:
        return False
    if task.inner == 0:
        task.c.fill(np.zeros((), task.c.dtype), task.stream)
        return False
    made = blas.multiply(task, in_turn)
    if made:
        return True
    if in_turn:
        _run_in_turn(task, processors)
    else:
        _run_blocks(task, processors)
    # If `made` is None, a later call may use cuBLAS instead of the logged
    # launches, so the log must not be replayed.
    return made is not None
