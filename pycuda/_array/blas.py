"""Matrix products by cuBLAS, if it is available and supports the operands.

The CPU device provides cuBLAS if the process has loaded a fast BLAS, as NumPy
does.

cuBLAS is column-major: it sees a matrix in C order as its transpose, so a
product is computed with exchanged operands.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING

from pycuda import _driver
from pycuda._context_cache import by_context

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda._array.matrices import Matrices
    from pycuda.gpuarray import GPUArray

# NumPy's type characters of operands and product -> their cudaDataTypes.
_TYPES = {
    "ff": (0, 0), "dd": (1, 1), "ee": (2, 2), "FF": (4, 4), "DD": (5, 5),
    "Ef": (14, 0),
}  # fmt: skip
_MOST = 0x7FFFFFFF
# For each type: minimum number of multiplications for which cuBLAS is faster
# on GPUs than this package's kernels. Measured on an H100 with square matrices
# of 64 to 2048: cuBLAS takes at least 7 to 20 microseconds, the kernels 4 to
# 10.
_LEAST = {
    "ff": 1 << 25, "dd": 1 << 23, "ee": 1 << 22, "FF": 1 << 25, "DD": 1 << 21,
    "Ef": 1 << 23,
}  # fmt: skip
# On the CPU device, cuBLAS is faster, with one exception: a batch of products
# that have between _BATCH[0] and _BATCH[1] multiplications each. For such
# batches this package's kernels are faster.
_BATCH = 1 << 12, 1 << 21


@by_context
def _known() -> list[bool | None]:
    return []


def _has_handle(stream: drv.Stream | None) -> bool:
    """Return whether the current context has a handle, creating one if needed.

    Returns True during a capture, in which no handle can be created.
    """
    # list of one entry: whether cuBLAS was found; empty until it is known
    known = _known()
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
    """Return (is transposed, leading dimension) of a matrix in C order.

    Parameters
    ----------
    lengths
        Rows and columns.
    steps
        Elements between rows and between columns.
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
    """Return the elements between rows and between columns."""
    down, across = matrix.strides[-2:]
    size = matrix.itemsize
    if down % size or across % size:
        return None
    return down // size, across // size


def _batch(task: Matrices) -> tuple[int, tuple[int, int, int]] | None:
    """Return (count, elements between matrices); None if those vary."""
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
    """Return whether this package's kernels are faster than cuBLAS."""
    rows, columns = task.c.shape[-2:]
    work = rows * columns * task.inner
    if not in_turn:
        return task.c.size * task.inner < _LEAST[types]
    return task.c.size > rows * columns and _BATCH[0] <= work < _BATCH[1]


def multiply(task: Matrices, in_turn: bool) -> bool | None:
    """Compute ``c = a @ b`` and record the launch in the task's log.

    Parameters
    ----------
    task
        The operands and the product.
    in_turn
        Whether threads run sequentially.

    Returns
    -------
    bool or None
        False if cuBLAS is missing or does not support the product; None if
        it cannot compute it now but may do so later.
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
    """Return (cuBLAS product, task or its transpose); None: unsupported."""
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
