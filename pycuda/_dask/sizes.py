"""Size of a GPUArray for Dask's scheduling and spilling."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pycuda.gpuarray import GPUArray


def register() -> None:
    """Register with dask.sizeof, which is loaded."""
    from dask.sizeof import sizeof

    @sizeof.register(GPUArray)
    def size(array: GPUArray) -> int:
        """Return the bytes of all elements.

        A view counts as its elements, as Dask counts NumPy's.
        """
        return int(array.nbytes)
