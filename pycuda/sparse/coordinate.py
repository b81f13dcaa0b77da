"""Products of a matrix given by coordinates with vectors."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.gpuarray as gpuarray
from pycuda._kernels import sparse as kernels
from pycuda.sparse.operator import OperatorBase

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda.gpuarray import GPUArray


def check_vectors(
    operator: OperatorBase, x: Any, y: GPUArray | None
) -> GPUArray:
    """Check that x and y fit; return y, or a new vector of zeros.

    Raises
    ------
    TypeError
        If a vector is no GPUArray, or has another dtype than the operator.
    ValueError
        If a vector has another length, or `y` has gaps.
    """
    rows, columns = operator.shape
    for name, vector, length in (("x", x, columns), ("y", y, rows)):
        if name == "y" and vector is None:
            continue
        if not isinstance(vector, gpuarray.GPUArray):
            raise TypeError(
                f"{name} must be a GPUArray, not {type(vector).__name__}"
            )
        if vector.shape != (length,):
            raise ValueError(
                f"{name} must have shape ({length},), not {vector.shape}"
            )
        if vector.dtype != operator.dtype:
            raise TypeError(
                f"{name} must have dtype {operator.dtype}, not {vector.dtype}"
            )
    if y is None:
        return gpuarray.zeros(rows, operator.dtype, x.allocator)
    if not y.flags.c_contiguous:
        raise ValueError("y must be contiguous")
    return y


def packed(x: GPUArray) -> GPUArray:
    """Return x, or a contiguous copy of it."""
    return x if x.flags.c_contiguous else x.copy("C")


class CoordinateSpMV(OperatorBase):
    """A sparse matrix as an operator, from rows, columns and values.

    Entries with the same row and column are added.  Each row is summed in the
    same order in every run.

    Parameters
    ----------
    mat
        A matrix of `scipy.sparse`, or an object with `tocoo()`.
    dtype
        Dtype of values and vectors.
    """

    def __init__(self, mat: Any, dtype: npt.DTypeLike) -> None:
        found = mat.tocoo()
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.shape: tuple[int, int] = (
            int(found.shape[0]),
            int(found.shape[1]),
        )
        order = np.lexsort((found.col, found.row))
        counts = np.bincount(found.row, minlength=self.shape[0])
        self.nnz: int = len(order)
        self._starts = gpuarray.to_gpu(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        )
        columns = np.asarray(found.col, np.int64)[order]
        values = np.asarray(found.data).astype(self.dtype)[order]
        self._columns = gpuarray.to_gpu(columns)
        self._values = gpuarray.to_gpu(values)
        self._lanes = kernels.lanes_of(self.nnz / max(self.shape[0], 1))

    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray:
        """Return the product with `x`, added to `y` if it is given.

        Returns
        -------
        GPUArray
            `y`, or a new vector.
        """
        y = check_vectors(self, x, y)
        if self.shape[0] and self.nnz:
            kernels.multiply_rows(
                self.dtype, self._lanes, self.shape[0], self._starts,
                self._columns, self._values, packed(x), y,
            )  # fmt: skip
        return y
