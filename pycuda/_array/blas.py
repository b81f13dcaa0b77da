"""Products of matrices by cuBLAS, where it is there and can make them.

The CPU device has its functions where the process has loaded a fast BLAS, as
NumPy does.

cuBLAS is column-major: a product of matrices in C order is one of their
transposes in its eyes, with the operands exchanged.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING

from pycuda import _driver
from pycuda._by_context import by_context

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda._array.matrices import Matrices
    from pycuda.gpuarray import GPUArray

# cudaDataType of operands and product, by numpy's characters of both.
_TYPES = {
    "ff": (0, 0), "dd": (1, 1), "ee": (2, 2), "FF": (4, 4), "DD": (5, 5),
    "Ef": (14, 0),
}  # fmt: skip
_MOST = 0x7FFFFFFF
# Multiplications from which on the library is the faster one where threads run
# side by side, by type: found on an H100 with square matrices of 64 to 2048,
# where it takes 7 to 20 microseconds at the least and own kernels 4 to 10.
_LEAST = {
    "ff": 1 << 25, "dd": 1 << 23, "ee": 1 << 22, "FF": 1 << 25, "DD": 1 << 21,
    "Ef": 1 << 23,
}  # fmt: skip
# Where they run in turn it always is, but for batches: of each of their
# matrices, multiplications between which own kernels are faster.
_BATCH = 1 << 12, 1 << 21


@by_context
def _known() -> list[bool | None]:
    return []


def _has_handle(stream: drv.Stream | None) -> bool:
    """Whether the current context has, or has now got, a handle.

    True while a capture runs, when none is made.
    """
    known = _known()  # of one, once it is known
    if not known:
        path = _driver._cublas_open()
        made = None if path is None else _driver._cublas_handle(stream)
        if made is False:
            return True
        known.append(made)
    return known[0] is not None


def _operand(
    lengths: tuple[int, int], steps: tuple[int, int]
) -> tuple[bool, int] | None:
    """(whether it is transposed, leading dimension) of a matrix in C order.

    Parameters
    ----------
    lengths, steps
        Rows and columns, and elements from one to the next.
    """
    (rows, columns), (down, across) = lengths, steps
    if across == 1 or columns == 1:
        lead = down if rows > 1 else columns
        if max(columns, 1) <= lead <= _MOST:
            return False, lead
    if down == 1 or rows == 1:
        lead = across if columns > 1 else rows
        if max(rows, 1) <= lead <= _MOST:
            return True, lead
    return None


def _steps(matrix: GPUArray) -> tuple[int, int] | None:
    """Elements from row to row and from column to column."""
    down, across = matrix.strides[-2:]
    size = matrix.itemsize
    if down % size or across % size:
        return None
    return down // size, across // size


def _batch(task: Matrices) -> tuple[int, tuple[int, int, int]] | None:
    """(how many, elements from one to the next) where one number says it."""
    arrays = (task.a, task.b, task.c)
    shape = task.c.shape[:-2]
    axes = [k for k, length in enumerate(shape) if length > 1]
    if not axes:
        return 1, (0, 0, 0)
    count, found = 1, []
    for k in axes:
        count *= shape[k]
    for array in arrays:
        step = array.strides[axes[-1]]
        run = step
        for k in reversed(axes):
            if array.strides[k] != run:
                return None
            run *= shape[k]
        if step % array.itemsize or step < 0:
            return None
        found.append(step // array.itemsize)
    return (count, (found[0], found[1], found[2])) if count <= _MOST else None


def _is_ours(types: str, task: Matrices, in_turn: bool) -> bool:
    """Whether own kernels are the faster ones."""
    rows, columns = task.c.shape[-2:]
    work = rows * columns * task.inner
    if not in_turn:
        return task.c.size * task.inner < _LEAST[types]
    return task.c.size > rows * columns and _BATCH[0] <= work < _BATCH[1]


def multiply(task: Matrices, in_turn: bool) -> bool | None:
    """``c = a @ b``, noted in the task's log.

    False where cuBLAS is not there or makes no such product; None where it
    cannot now, but can at other times.

    Parameters
    ----------
    in_turn
        Whether threads run in turn.
    """
    types = task.a.dtype.char + task.c.dtype.char
    kind = _TYPES.get(types)
    if kind is None or task.a.dtype != task.b.dtype:
        return False
    if _is_ours(types, task, in_turn):
        return False
    product = _product(kind, task)
    if product is None or not _has_handle(task.stream):
        return False
    product, task = product
    made = _driver._cublas_gemm(product, task.b, task.a, task.c, task.stream)
    if made:
        first, second = task.slots
        task.log.add(product, (0, 0, 0), (0, 0), 0, (second, first, 2))
    return made


def _product(kind: tuple[int, int], task: Matrices) -> tuple | None:
    """(the product for cuBLAS, the task or its transpose)."""
    steps = _steps(task.c)
    if steps is None:
        return None
    target = _operand(task.c.shape[-2:], steps)
    if target is not None and target[0]:
        task = task.turned()
    if target is None or max(*task.c.shape[-2:], task.inner) > _MOST:
        return None
    operands = []
    for matrix in (task.a, task.b):
        steps = _steps(matrix)
        known = None if steps is None else _operand(matrix.shape[-2:], steps)
        if known is None:
            return None
        operands.append(known)
    batch = _batch(task)
    if batch is None:
        return None
    (a_turned, a_lead), (b_turned, b_lead) = operands
    rows, columns = task.c.shape[-2:]
    count, (a_step, b_step, c_step) = batch
    product = _driver._cublas_product(
        kind, (b_turned, a_turned), (columns, rows, task.inner),
        (b_lead, a_lead, target[1]), (b_step, a_step, c_step), count,
    )  # fmt: skip
    return product, task
