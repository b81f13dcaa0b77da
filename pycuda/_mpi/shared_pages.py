"""Page-locked host memory that two ranks of one machine share.

A rank that sends copies pieces of an array to the slots of its ring, and the
rank that receives copies them to its device from there, so that MPI and the
processors move no data. The ring is an anonymous file, which the other rank
opens through /proc; nothing is left behind when the processes end.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import mmap
import os
from typing import Any

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv

SLOTS = 4


def _map(descriptor: int, nbytes: int) -> np.ndarray:
    mapped = mmap.mmap(descriptor, nbytes)
    return np.frombuffer(mapped, np.uint8)


class Ring:
    """The slots of one rank, in the memory of this process.

    Attributes
    ----------
    is_busy
        Whether a transfer uses the slots.
    """

    def __init__(self, memory: np.ndarray, piece: int) -> None:
        self.is_busy = False
        self._piece = piece
        self._memory = memory
        # Page-locking may fail. Copies are then correct, but slower.
        self._registered: Any = None
        with contextlib.suppress(drv.Error):
            self._registered = drv.register_host_memory(memory)

    def slot(self, index: int, nbytes: int) -> np.ndarray:
        """Return the first bytes of the slot of a piece."""
        start = index % SLOTS * self._piece
        return self._memory[start : start + nbytes]

    def close(self) -> None:
        """Release the page lock."""
        if self._registered is not None:
            self._registered.base.unregister()
            self._registered = None


def _size(piece: int) -> int:
    page = mmap.PAGESIZE
    return -(-SLOTS * piece // page) * page


class SharedPages:
    """The rings of the ranks of a machine.

    The constructor is collective: each rank tests which other ranks can open
    its files.

    Attributes
    ----------
    readers
        Ranks that can open the files of this rank.
    """

    def __init__(self, comm: MPI.Comm, piece: int) -> None:
        self.piece = piece
        self.readers: set[int] = set()
        self._own: Ring | None = None
        self._descriptor = -1
        self._others: dict[tuple[int, int, int], Ring] = {}
        if comm.Is_inter():
            return
        node = comm.Split_type(MPI.COMM_TYPE_SHARED)
        with open(__file__, "rb") as known:
            inode = os.fstat(known.fileno()).st_ino
            mine = comm.rank, os.getpid(), known.fileno(), inode
            every = node.allgather(mine)
            table = node.allgather([self._can_open(*row[1:]) for row in every])
            node.Barrier()
        self.readers = {
            row[0]
            for row, found in zip(every, table, strict=True)
            if found[node.rank]
        }
        node.Free()

    @staticmethod
    def _can_open(process: int, descriptor: int, inode: int) -> bool:
        try:
            return os.stat(f"/proc/{process}/fd/{descriptor}").st_ino == inode
        except OSError:
            return False

    def own(self) -> Ring | None:
        """Return the ring of this rank; None if it cannot be made."""
        if self._own is None:
            try:
                descriptor = os.memfd_create("pycuda-mpi", os.MFD_CLOEXEC)
                os.ftruncate(descriptor, _size(self.piece))
                memory = _map(descriptor, _size(self.piece))
            except OSError:
                self.readers = set()
                return None
            self._descriptor = descriptor
            self._own = Ring(memory, self.piece)
        return self._own

    def name(self) -> tuple[int, int]:
        """Return the arguments by which another process calls `ring`."""
        return os.getpid(), self._descriptor

    def ring(self, source: int, process: int, descriptor: int) -> Ring:
        """Return the ring of another rank."""
        key = source, process, descriptor
        if key not in self._others:
            opened = os.open(
                f"/proc/{process}/fd/{descriptor}", os.O_RDWR | os.O_CLOEXEC
            )
            try:
                memory = _map(opened, _size(self.piece))
            finally:
                os.close(opened)
            self._others[key] = Ring(memory, self.piece)
        return self._others[key]

    def close(self) -> None:
        """Release all rings."""
        while self._others:
            self._others.popitem()[1].close()
        if self._own is not None:
            self._own.close()
            self._own = None
            os.close(self._descriptor)
