"""Device memory of other ranks of the same machine, mapped by IPC.

A `Region` describes memory to other ranks. It travels as bytes in a message of
MPI. The rank that receives it maps the allocation, or uses the address itself
if it is the rank that owns the memory.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import struct
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv
from pycuda import gpuarray

_FORMAT = struct.Struct("<64sQQQQ")
_MAPPED = 64  # number of allocations of one rank that stay mapped


@dataclass(frozen=True)
class Region:
    """Memory of one rank.

    Attributes
    ----------
    handle
        IPC handle of the allocation.
    offset, nbytes
        The part of the allocation, in bytes.
    address
        Address of the part, for the rank that owns it.
    """

    handle: bytes = bytes(64)
    offset: int = 0
    nbytes: int = 0
    address: int = 0

    SIZE = _FORMAT.size

    def pack(self) -> bytes:
        """Return the region as bytes."""
        return _FORMAT.pack(
            self.handle, self.offset, self.nbytes, self.address, 0
        )

    @classmethod
    def unpack(cls, packed: Any) -> Region:
        """Return the region that `pack` has written."""
        handle, offset, nbytes, address, _ = _FORMAT.unpack(bytes(packed))
        return cls(handle, offset, nbytes, address)

    def part(self, start: int, end: int) -> Region:
        """Return the region of the bytes from `start` to `end`."""
        return Region(
            self.handle, self.offset + start, end - start, self.address + start
        )


def export(array: Any) -> tuple[Any, Region]:
    """Return contiguous device memory with an array's elements; its region.

    The first item is the array itself, or a copy if the array is not
    contiguous or its memory, such as that of a stream-ordered pool, has no IPC
    handle. Keep it until the other rank has read it.
    """
    nbytes = array.nbytes
    if not nbytes:
        return array, Region()
    if not array.flags.c_contiguous:
        array = array.copy("C")
    try:
        return array, _region(array.ptr, nbytes)
    except drv.Error:
        memory = drv.mem_alloc(nbytes)
        drv.memcpy_dtod(memory, array.ptr, nbytes)
        return memory, _region(int(memory), nbytes)


def _region(address: int, nbytes: int) -> Region:
    base, _ = drv.mem_get_address_range(address)
    handle = bytes(drv.mem_get_ipc_handle(base))
    return Region(handle, address - base, nbytes, address)


class Peers:
    """The ranks of a communicator that can map this rank's memory.

    The constructor is collective: each rank maps memory of the other ranks of
    its machine, and reads it.

    Attributes
    ----------
    readers
        Ranks that can map the memory of this rank.
    are_complete
        Whether all ranks can map the memory of all.
    """

    def __init__(self, comm: MPI.Comm) -> None:
        self.rank = comm.rank
        self._mapped: OrderedDict[tuple[int, bytes], drv.IPCMemoryHandle] = (
            OrderedDict()
        )
        self.readers: set[int] = set()
        self.are_complete = False
        if comm.Is_inter():
            return
        node = comm.Split_type(MPI.COMM_TYPE_SHARED)
        ranks = node.allgather(self.rank)
        memory, region = None, None
        value = gpuarray.to_gpu(np.array([self.rank], np.int64))
        with contextlib.suppress(drv.Error):
            memory, region = export(value)
        regions = node.allgather(region)
        readable = [
            self._can_read(rank, other)
            for rank, other in zip(ranks, regions, strict=True)
        ]
        table = node.allgather(readable)
        node.Barrier()  # waits until all ranks have read `memory`
        del memory, value
        mine = node.rank
        self.readers = {
            rank for rank, row in zip(ranks, table, strict=True) if row[mine]
        }
        every = len(ranks) == comm.size and all(map(all, table))
        node.Free()
        self.are_complete = comm.allreduce(every, MPI.LAND)

    def _can_read(self, rank: int, region: Region | None) -> bool:
        if region is None:
            return False
        found = np.zeros(1, np.int64)
        try:
            drv.memcpy_dtoh(found, self.address(region, rank))
        except drv.Error:
            return False
        return int(found[0]) == rank

    def address(self, region: Region, rank: int) -> int:
        """Return this process's address of memory of a rank."""
        if rank == self.rank:
            return region.address
        key = rank, region.handle
        mapping = self._mapped.get(key)
        if mapping is None:
            mapping = self._map(key)
        self._mapped.move_to_end(key)
        return int(mapping) + region.offset

    def _map(self, key: tuple[int, bytes]) -> drv.IPCMemoryHandle:
        rank, handle = key
        flags = drv.ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS
        try:
            mapping = drv.IPCMemoryHandle(handle, flags)
        except drv.Error:
            # The driver may refuse a second mapping of an address range. The
            # first mapping is of memory that the other rank has freed since.
            self._unmap(rank, 0)
            mapping = drv.IPCMemoryHandle(handle, flags)
        self._mapped[key] = mapping
        self._unmap(rank, _MAPPED)
        return mapping

    def _unmap(self, rank: int, number: int) -> None:
        """Close all but the `number` latest mappings of a rank's memory."""
        keys = [key for key in self._mapped if key[0] == rank]
        for key in keys[: len(keys) - number]:
            self._mapped.pop(key).close()

    def close(self) -> None:
        """Close all mappings."""
        while self._mapped:
            self._mapped.popitem()[1].close()
