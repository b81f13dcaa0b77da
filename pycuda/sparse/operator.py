"""Linear operators on vectors on the device."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda.gpuarray import GPUArray


class OperatorBase(abc.ABC):
    """Base of objects that map a vector to a vector when called.

    Derived classes implement the call, and have `shape`, ``(rows, columns)``,
    and `dtype`.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]

    @abc.abstractmethod
    def __call__(self, operand: GPUArray) -> GPUArray:
        """Apply the operator to a vector."""


class IdentityOperator(OperatorBase):
    """Operator that returns its operand.

    Parameters
    ----------
    dtype
        Dtype of the vectors.
    n
        Length of the vectors.
    """

    def __init__(self, dtype: npt.DTypeLike, n: int) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.shape: tuple[int, int] = (int(n), int(n))

    def __call__(self, operand: GPUArray) -> GPUArray:
        """Return `operand` itself."""
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Jacobi's preconditioner: divides by a matrix's diagonal.

    Parameters
    ----------
    diagonal : GPUArray
        The diagonal, in the order that the operator's vectors have:
        ``spmv.permute(...)`` of it for a `PacketedSpMV`.
    """

    def __init__(self, diagonal: GPUArray) -> None:
        if len(diagonal.shape) != 1:
            raise ValueError(
                f"a diagonal has one axis, not shape {diagonal.shape}"
            )
        self.diagonal = diagonal
        self.dtype: np.dtype[Any] = diagonal.dtype
        self.shape: tuple[int, int] = (diagonal.size, diagonal.size)

    def __call__(self, operand: GPUArray) -> GPUArray:
        """Return ``operand / diagonal``."""
        return operand / self.diagonal
