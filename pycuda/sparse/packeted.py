"""Products of a square matrix with vectors, packet by packet.

Rows are permuted so that columns are close to the diagonal, and cut into
packets; a block of threads keeps its packet's part of the vector in shared
memory.  Vectors are permuted in the same way: `permute` and `unpermute`
convert them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.gpuarray as gpuarray
from pycuda._kernels import sparse as kernels
from pycuda.sparse.coordinate import check_vectors, packed
from pycuda.sparse.operator import OperatorBase
from pycuda.sparse.pkt_build import build_pkt_data_structure

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda.gpuarray import GPUArray


class PacketedSpMV(OperatorBase):
    """A square sparse matrix as an operator on permuted vectors.

    Parameters
    ----------
    mat
        A square matrix of `scipy.sparse`.
    is_symmetric
        Whether the positions of entries are symmetric, which saves a step
        here.
    dtype
        Dtype of values and vectors.
    """

    def __init__(
        self, mat: Any, is_symmetric: bool, dtype: npt.DTypeLike
    ) -> None:
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        if len(mat.shape) != 2 or mat.shape[0] != mat.shape[1]:
            raise ValueError(
                f"expected a square matrix, not shape {mat.shape}"
            )
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.shape: tuple[int, int] = (int(mat.shape[0]), int(mat.shape[1]))
        self.is_symmetric: bool = bool(is_symmetric)
        n = self.shape[0]
        csr = mat.tocsr()
        order = np.zeros(0, np.int64)
        if n:
            order = reverse_cuthill_mckee(
                csr, symmetric_mode=self.is_symmetric
            ).astype(np.int64)
        self._rows = kernels.packet_rows(n)
        starts = np.append(np.arange(0, n, self._rows), n)
        self.packet_count: int = len(starts) - 1
        packets = build_pkt_data_structure(
            csr[order][:, order], starts, self.dtype
        )
        self._packets = [gpuarray.to_gpu(part) for part in packets]
        back = np.empty(n, np.int64)
        back[order] = np.arange(n)
        self._order, self._back = map(gpuarray.to_gpu, (order, back))

    def _reordered(self, x: GPUArray, order: GPUArray) -> GPUArray:
        if x.shape != (self.shape[0],):
            raise ValueError(
                f"expected a vector of {self.shape[0]}, not shape {x.shape}"
            )
        return x[order]

    def permute(self, x: GPUArray) -> GPUArray:
        """Permute a vector from the matrix's order to the operator's."""
        return self._reordered(x, self._order)

    def unpermute(self, x: GPUArray) -> GPUArray:
        """Permute a vector from the operator's order to the matrix's."""
        return self._reordered(x, self._back)

    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray:
        """Return the product with `x`, added to `y` if it is given.

        Both are in the operator's order.

        Returns
        -------
        GPUArray
            `y`, or a new vector.
        """
        y = check_vectors(self, x, y)
        if self.packet_count:
            kernels.multiply_packets(
                self.dtype, self._rows, self.packet_count, self._packets,
                packed(x), y,
            )  # fmt: skip
        return y
