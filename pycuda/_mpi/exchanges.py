"""Collective calls by copies from the memory of the other ranks.

Each rank publishes regions of its memory, copies from the regions of other
ranks, and then waits for all ranks. All ranks have to map each other's memory.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda._mpi.buffers import HostBuffer
from pycuda._mpi.parts import Parts
from pycuda._mpi.peers import Peers, Region, export

# maximum number of ranks for which each rank copies a whole broadcast array
_FEW = 3
_COMBINED = "iufc"  # kinds of dtypes that can be reduced on the device


def _on_device(array: Any) -> Any:
    """Return an array on the device with the bytes of a host array."""
    if isinstance(array, np.ndarray):
        packed = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return gpuarray.to_gpu(packed)
    return array


class _Destination:
    """Bytes of an array on the host or on the device, to be written."""

    def __init__(self, array: Any, *, keeps: bool) -> None:
        self.array = array
        self.host = None
        if isinstance(array, np.ndarray):
            self.host = HostBuffer(array, True, True)
        elif array.flags.c_contiguous:
            self.packed = array
        elif keeps:
            self.packed = array.copy("C")
        else:
            self.packed = gpuarray.empty(array.shape, array.dtype)
        if self.host is None and array.nbytes:
            _driver._memory_wait(self.packed)

    def put(self, address: int, offset: int, nbytes: int) -> None:
        """Copy bytes of device memory to an offset."""
        if self.host is not None:
            memory = self.host.memory[offset : offset + nbytes]
            drv.memcpy_dtoh(memory, address)
        elif self.packed.ptr + offset != address:
            drv.memcpy_dtod_async(self.packed.ptr + offset, address, nbytes)

    def wait(self) -> None:
        """Wait for the copies."""
        if self.host is None:
            event = drv.Event(drv.event_flags.DISABLE_TIMING)
            event.record().synchronize()

    def finish(self) -> None:
        """Move the elements to an array that is not contiguous."""
        if self.host is not None:
            self.host.finish()
        elif self.packed is not self.array and self.array.nbytes:
            self.array[...] = self.packed


class Exchanges:
    """Collective calls of a communicator whose ranks are all peers."""

    def __init__(self, comm: MPI.Comm, peers: Peers) -> None:
        self.comm, self.peers = comm, peers
        self.rank, self.size = comm.rank, comm.size

    def _others(self) -> Iterator[int]:
        """Yield all ranks, this one first, so that all read different ones."""
        for step in range(self.size):
            yield (self.rank + step) % self.size

    def _share(self, region: Region) -> list[Region]:
        """Return the regions of all ranks."""
        mine = np.frombuffer(region.pack(), np.uint8)
        every = np.empty((self.size, Region.SIZE), np.uint8)
        self.comm.Allgather([mine, MPI.BYTE], [every, MPI.BYTE])
        return [Region.unpack(row) for row in every]

    def _export(self, array: Any) -> tuple[Any, Region]:
        """Wait for the array's work; return memory to keep, and its region."""
        memory, region = export(_on_device(array))
        if array.nbytes and isinstance(array, gpuarray.GPUArray):
            _driver._memory_wait(array)
        elif array.nbytes:
            _driver._memory_wait(memory)
        return memory, region

    # --- each rank receives its own part ---

    def exchange(self, sent: Parts | None, received: Parts | None) -> None:
        """Copy parts of the arrays of all ranks to those of this rank.

        `sent` has one part, which all ranks may take, or one for each rank;
        None: this rank sends nothing. `received` has a part for each rank, or
        one part for the rank that sends something, or is None.
        """
        memory, regions = None, [Region()] * self.size
        if sent is not None and sent.array.nbytes:
            memory, region = self._export(sent.array)
            every = self.size if len(sent.counts) == 1 else 1
            ends = zip(sent.offsets * every, sent.counts * every, strict=True)
            regions = [region.part(o, o + n) for o, n in ends]
        packed = b"".join(region.pack() for region in regions)
        mine = np.frombuffer(packed, np.uint8)
        found = np.empty((self.size, Region.SIZE), np.uint8)
        self.comm.Alltoall([mine, MPI.BYTE], [found, MPI.BYTE])
        is_long = False
        if received is not None:
            rows = [Region.unpack(row) for row in found]
            is_long = self._take(rows, received)
        self.comm.Barrier()  # waits until all ranks have read `memory`
        del memory
        if is_long:
            raise MPI.Exception(MPI.ERR_TRUNCATE)

    def _take(self, regions: list[Region], received: Parts) -> bool:
        """Copy the regions; return whether one was longer than its part."""
        taken = _Destination(received.array, keeps=True)
        is_long = False
        for rank in self._others():
            nbytes = regions[rank].nbytes
            part = rank if len(received.counts) > 1 else 0
            is_long |= nbytes > received.counts[part]
            nbytes = min(nbytes, received.counts[part])
            if nbytes:
                address = self.peers.address(regions[rank], rank)
                taken.put(address, received.offsets[part], nbytes)
        taken.wait()
        taken.finish()
        return is_long

    # --- all ranks receive the same elements ---

    def broadcast(self, array: Any, root: int) -> None:
        """Copy the elements of root's array to the arrays of all ranks."""
        nbytes, is_root = array.nbytes, self.rank == root
        if self.size <= _FEW:
            sent = Parts(array, 1, equal=False) if is_root else None
            taken = None if is_root else Parts(array, 1, equal=False)
            self.exchange(sent, taken)
            return
        # Each rank copies one slice from the root, then the other slices from
        # the other ranks.
        memory: Any = array
        if isinstance(array, np.ndarray) or not array.flags.c_contiguous:
            memory = _on_device(array) if is_root else None
            if memory is None:
                memory = gpuarray.empty((nbytes,), np.uint8)
            elif not memory.flags.c_contiguous:
                memory = memory.copy("C")
        owner, region = self._export(memory)
        regions = self._share(region)
        # `address` may differ from the address of `memory`, since `_export`
        # may have exported a copy of the memory.
        address = self.peers.address(region, self.rank)
        if not is_root:
            self._pull(address, regions, root, self.rank, nbytes)
        self._wait()
        self.comm.Barrier()
        if not is_root:
            for rank in self._others():
                if rank != self.rank:
                    self._pull(address, regions, rank, rank, nbytes)
        self._wait()
        if not is_root:
            taken_by = _Destination(array, keeps=False)
            taken_by.put(address, 0, nbytes)
            taken_by.wait()
            taken_by.finish()
        self.comm.Barrier()
        del owner

    def _slice(self, index: int, nbytes: int) -> tuple[int, int]:
        """Return the byte range of one of as many slices as ranks."""
        step = -(-nbytes // self.size // 256) * 256
        return min(index * step, nbytes), min((index + 1) * step, nbytes)

    def _pull(
        self,
        address: int,
        regions: list[Region],
        rank: int,
        index: int,
        nbytes: int,
    ) -> None:
        """Enqueue the copy of a slice from a rank."""
        start, end = self._slice(index, nbytes)
        if end > start:
            source = self.peers.address(regions[rank], rank) + start
            drv.memcpy_dtod_async(address + start, source, end - start)

    @staticmethod
    def _wait() -> None:
        event = drv.Event(drv.event_flags.DISABLE_TIMING)
        event.record().synchronize()

    @staticmethod
    def can_reduce(dtype: np.dtype, op: MPI.Op) -> bool:
        """Return whether `reduce` knows the operation."""
        is_ordered = op in (MPI.MAX, MPI.MIN)
        return (
            (is_ordered or op in (MPI.SUM, MPI.PROD))
            and dtype.kind in _COMBINED
            and not (is_ordered and dtype.kind == "c")
        )

    def reduce(
        self, source: Any, target: Any, op: MPI.Op, root: int | None
    ) -> None:
        """Combine the arrays of all ranks; `root` None: for all ranks.

        Each rank combines one slice, in the order of the ranks. `target` is
        None on ranks that do not receive the result.
        """
        dtype, nbytes = source.dtype, source.nbytes
        owner, region = self._export(source)
        regions = self._share(region)
        start, end = self._slice(self.rank, nbytes)
        part = self._combined(regions, dtype, start, end, op)
        _driver._memory_wait(part)
        mine, region = self._export(part)
        slices = self._share(region)
        if target is not None and (root is None or root == self.rank):
            taken = _Destination(target, keeps=False)
            for rank in self._others():
                start, end = self._slice(rank, nbytes)
                if end > start:
                    address = self.peers.address(slices[rank], rank)
                    taken.put(address, start, end - start)
            taken.wait()
            taken.finish()
        self.comm.Barrier()
        del owner, mine

    def _combined(
        self,
        regions: list[Region],
        dtype: np.dtype,
        start: int,
        end: int,
        op: MPI.Op,
    ) -> Any:
        """Return this rank's slice of the result."""
        count = (end - start) // dtype.itemsize
        total = gpuarray.empty((count,), dtype)
        other = gpuarray.empty((count,), dtype)
        for rank in range(self.size) if count else ():
            into = other if rank else total
            source = self.peers.address(regions[rank], rank) + start
            drv.memcpy_dtod_async(into.ptr, source, end - start)
            if not rank:
                continue
            if op == MPI.SUM:
                total += other
            elif op == MPI.PROD:
                total *= other
            elif op == MPI.MAX:
                total = gpuarray.maximum(total, other)
            else:
                total = gpuarray.minimum(total, other)
        return total
