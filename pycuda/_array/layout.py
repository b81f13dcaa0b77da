"""Memory layout of arrays: extent, overlap and alignment."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING

from pycuda._driver import _distance, _is_misaligned

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray

is_misaligned = _is_misaligned


def _extent(a: GPUArray) -> tuple[int, int]:
    """Return the byte range of an array, relative to its first element."""
    reach = [
        stride * (length - 1)
        for stride, length in zip(a.strides, a.shape, strict=True)
    ]
    low = sum(step for step in reach if step < 0)
    high = sum(step for step in reach if step > 0)
    return low, high + a.itemsize


def overlap(a: GPUArray, b: GPUArray) -> bool:
    """Return whether two arrays may share bytes."""
    if a.size == 0 or b.size == 0:
        return False
    (a_low, a_high), (b_low, b_high) = _extent(a), _extent(b)
    distance = _distance(a, b)
    return a_low < b_high + distance and b_low + distance < a_high


def loadable(array: GPUArray, stream: drv.Stream | None) -> GPUArray:
    """Return the array, or an aligned copy that kernels can load."""
    return array.copy("C", stream) if is_misaligned(array) else array


def apart(a: GPUArray, value: GPUArray, stream: drv.Stream | None) -> GPUArray:
    """Return a value that shares no memory with `a`; a copy if it does."""
    return value.copy("C", stream) if overlap(a, value) else value
