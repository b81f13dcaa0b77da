"""Inner products that are copied to the host without stopping the device."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
import pycuda.gpuarray as gpuarray

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray


def inner_product(
    a: GPUArray, b: GPUArray, stream: drv.Stream | None = None
) -> GPUArray:
    """Return the sum of ``conj(a) * b``, as a 0-d array."""
    return gpuarray.dot(a.conj(), b, None, stream)


class AsyncInnerProduct:
    """The inner product of two vectors, computed asynchronously.

    Parameters
    ----------
    a, b : GPUArray
        Vectors of one shape; `a` is conjugated.
    pagelocked_allocator : callable, optional
        Called with (shape, dtype) for page-locked host memory, such as
        ``PageLockedMemoryPool().allocate``; default:
        `pycuda.driver.pagelocked_empty`.
    """

    def __init__(
        self,
        a: GPUArray,
        b: GPUArray,
        pagelocked_allocator: Callable[..., Any] | None = None,
    ) -> None:
        allocate = pagelocked_allocator or drv.pagelocked_empty
        self.gpu_result: GPUArray = inner_product(a, b)
        self._host = allocate((1,), self.gpu_result.dtype)
        drv.memcpy_dtoh_async(self._host, self.gpu_result.gpudata)
        self._done = drv.Event()
        self._done.record()

    def get_host_result(self) -> Any:
        """Return the value as a NumPy scalar, or None while it is pending."""
        return self._host[0] if self._done.query() else None

    def wait(self) -> np.generic:
        """Wait for the device and return the value."""
        self._done.synchronize()
        return self._host[0]
