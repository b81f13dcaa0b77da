"""Memory that MPI reads and writes for an array.

In a direct transfer MPI accesses the array's memory, or that of a contiguous
copy on the device. In a staged transfer MPI accesses page-locked memory, and
asynchronous copies move pieces of it from and to the device.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.tools import PageLockedMemoryPool

_NOTHING = np.empty(0, np.uint8)


def byte_ranges(nbytes: int, piece: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of each piece of a buffer."""
    for start in range(0, nbytes, piece):
        yield start, min(start + piece, nbytes)


class HostBuffer:
    """Memory for a host array. A non-contiguous array has a packed copy."""

    def __init__(self, array: np.ndarray, reads: bool, writes: bool) -> None:
        self.array, self.writes = array, writes
        if writes and not array.flags.writeable:
            raise ValueError("the array that receives is read-only")
        self.packed = np.ascontiguousarray(array).reshape(array.shape)
        self.memory = self.packed.reshape(-1).view(np.uint8)
        self.nbytes = array.nbytes

    def ready(self, start: int, end: int) -> np.ndarray:
        """Return bytes for MPI to read, once they are available."""
        return self.memory[start:end]

    def store(self, start: int, end: int) -> None:
        """Take bytes that MPI has written."""

    def finish(self) -> None:
        """Move received elements to the array."""
        if self.writes and not np.may_share_memory(self.packed, self.array):
            self.array[...] = self.packed


class DirectBuffer:
    """Memory of the device, for an MPI that may use it."""

    def __init__(self, array: Any, reads: bool, writes: bool) -> None:
        self.array, self.writes = array, writes
        self.is_packed = not array.flags.c_contiguous
        if not self.is_packed:
            self.packed = array
        elif reads:
            self.packed = array.copy("C")
        else:
            self.packed = gpuarray.empty(array.shape, array.dtype)
        self.nbytes = array.nbytes
        self.memory: Any = _NOTHING
        if self.nbytes:
            _driver._memory_wait(self.packed)
            self.memory = MPI.buffer.fromaddress(
                int(self.packed.ptr), self.nbytes
            )

    def ready(self, start: int, end: int) -> Any:
        """Return bytes for MPI to read."""
        return self.memory[start:end]

    def store(self, start: int, end: int) -> None:
        """Take bytes that MPI has written."""

    def finish(self) -> None:
        """Move received elements to an array that is not contiguous."""
        if self.writes and self.is_packed and self.nbytes:
            self.array[...] = self.packed


class StagedBuffer:
    """Page-locked memory, with copies in pieces on a stream."""

    def __init__(
        self,
        array: Any,
        reads: bool,
        writes: bool,
        pool: PageLockedMemoryPool,
        piece: int,
        stream: drv.Stream | None,
    ) -> None:
        self.array, self.writes, self.stream = array, writes, stream
        self.nbytes = array.nbytes
        self.memory: np.ndarray = _NOTHING
        self.events: list[tuple[int, drv.Event]] = []
        self.flat: Any = None
        self.loaded = 0 if reads else self.nbytes
        self.is_packed = not array.flags.c_contiguous
        if self.nbytes == 0:
            return
        self.memory = pool.allocate((self.nbytes,), np.uint8)
        packed = array
        if self.is_packed:
            packed = (
                array.copy("C", stream)
                if reads
                else gpuarray.empty(array.shape, array.dtype)
            )
        self.packed = packed
        self.flat = gpuarray.GPUArray(
            (self.nbytes,), np.uint8, base=packed, gpudata=packed.gpudata
        )
        if reads:
            self._load(piece)

    def _load(self, piece: int) -> None:
        """Enqueue the copies to the host, with an event after each."""
        for start, end in byte_ranges(self.nbytes, piece):
            self.flat[start:end].get_async(self.stream, self.memory[start:end])
            event = drv.Event(drv.event_flags.DISABLE_TIMING)
            self.events.append((end, event.record(self.stream)))

    def ready(self, start: int, end: int) -> np.ndarray:
        """Return bytes for MPI to read, after waiting for their copy."""
        while self.loaded < end:
            self.loaded, event = self.events.pop(0)
            event.synchronize()
        return self.memory[start:end]

    def store(self, start: int, end: int) -> None:
        """Enqueue the copy of received bytes to the device."""
        if end > start:
            self.flat[start:end].set_async(
                self.memory[start:end], stream=self.stream
            )

    def finish(self) -> None:
        """Unpack received elements into an array that is not contiguous."""
        if self.writes and self.is_packed and self.nbytes:
            self.array.set_async(self.packed, stream=self.stream)
