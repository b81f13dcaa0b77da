"""MPI for device arrays, over mpi4py.

`context` makes a context on the device of a rank, and `Communicator` has MPI's
calls for arrays on the device::

    from mpi4py import MPI
    import pycuda.mpi

    context = pycuda.mpi.context()
    comm = pycuda.mpi.Communicator(MPI.COMM_WORLD)
    comm.Allreduce(part, total, op=MPI.SUM)

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv
from pycuda import compiler, gpuarray
from pycuda._mpi.buffers import (
    DirectBuffer,
    HostBuffer,
    StagedBuffer,
    byte_ranges,
)
from pycuda._mpi.exchanges import Exchanges
from pycuda._mpi.messages import EAGER_BYTES, Messages
from pycuda._mpi.parts import Parts
from pycuda._mpi.peers import Peers
from pycuda._mpi.requests import Request, Transfer
from pycuda._mpi_support import is_cuda_aware, may_use_pointers
from pycuda.tools import PageLockedMemoryPool

__all__ = ["Communicator", "Request", "compile", "context", "is_cuda_aware"]

_LOCAL_RANKS = (
    "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
    "MV2_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID", "SLURM_LOCALID",
)  # fmt: skip
_PIECE = 4 << 20  # default of `piece` in bytes
_COMBINED = {
    "i1": MPI.INT8_T, "i2": MPI.INT16_T, "i4": MPI.INT32_T,
    "i8": MPI.INT64_T, "u1": MPI.UINT8_T, "u2": MPI.UINT16_T,
    "u4": MPI.UINT32_T, "u8": MPI.UINT64_T, "f4": MPI.FLOAT,
    "f8": MPI.DOUBLE, "c8": MPI.C_FLOAT_COMPLEX,
    "c16": MPI.C_DOUBLE_COMPLEX, "b1": MPI.C_BOOL,
}  # fmt: skip
_WIDE = ("float16", "bfloat16")  # reduced as float32
_TRANSFERS = ("staged", "ipc", "direct")


def _local_rank(comm: MPI.Comm) -> int:
    """Return the index of this rank among the ranks of its machine."""
    for name in _LOCAL_RANKS:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    local = comm.Split_type(MPI.COMM_TYPE_SHARED)
    try:
        return local.rank
    finally:
        local.Free()


def context(comm: MPI.Comm = MPI.COMM_WORLD) -> drv.Context:
    """Make the context of this rank's device current.

    Parameters
    ----------
    comm
        Its ranks on this machine are counted if the launcher's environment
        variables do not tell the local rank. The call is then collective.

    Returns
    -------
    pycuda.driver.Context
        The primary context of the device whose number is the local rank,
        modulo the number of devices. It is popped at exit.
    """
    drv.init()
    device = drv.Device(_local_rank(comm) % drv.Device.count())
    made = device.retain_primary_context()
    made.push()
    atexit.register(_leave, made)
    return made


def _leave(made: drv.Context) -> None:
    if drv.Context.get_current() == made:
        drv.Context.pop()


def compile(
    source: str, comm: MPI.Comm = MPI.COMM_WORLD, **options: Any
) -> bytes:
    """Compile on rank 0, and return the result on all ranks.

    This call is collective. Use it where the ranks have no common cache. All
    ranks must have devices of the same kind.

    Parameters
    ----------
    source
        CUDA C.
    comm
        The communicator.
    **options
        Arguments of `pycuda.compiler.compile`.

    Returns
    -------
    bytes
        For `pycuda.driver.module_from_buffer`.

    Raises
    ------
    pycuda.driver.CompileError
        On all ranks, if the source is wrong.
    """
    made: Any = None
    if comm.rank == 0:
        try:
            made = compiler.compile(source, **options)
        except Exception as error:
            made = error
    made = comm.bcast(made)
    if isinstance(made, Exception):
        raise made
    return bytes(made)


def _is_in_place(value: Any) -> bool:
    return value is MPI.IN_PLACE or (
        isinstance(value, int) and value == MPI.IN_PLACE
    )


class Communicator:
    """A communicator whose buffers may be arrays on the device.

    Calls for arrays have mpi4py's names and arguments. They follow the work of
    the current stream, and later work of it follows them. Arrays may have any
    layout and dtype; elements are sent in C order. NumPy arrays are accepted,
    too. All other attributes are those of the mpi4py communicator.

    Parameters
    ----------
    comm
        The communicator, which is duplicated. This call is collective.
    transfer
        "direct": MPI accesses the device's memory. "ipc": ranks of one
        machine copy from each other's memory; all other data goes through
        page-locked memory. "staged": all data goes through page-locked
        memory. Default: "direct" if that works on all ranks, else "ipc".
    piece
        Size in bytes of the pieces into which a large array is divided on its
        way through page-locked memory. The smallest value of all ranks is
        used. The copies of a piece overlap with MPI's work on other pieces.

    Attributes
    ----------
    transfer
        The transfer that all ranks use.
    """

    def __init__(
        self,
        comm: MPI.Comm = MPI.COMM_WORLD,
        *,
        transfer: str | None = None,
        piece: int = _PIECE,
    ) -> None:
        if transfer not in (None, *_TRANSFERS):
            raise ValueError(
                "transfer must be 'direct', 'ipc', 'staged' or None: "
                f"{transfer!r}"
            )
        if not 64 <= piece < 1 << 62 or piece % 64:
            raise ValueError(f"piece must be a multiple of 64, not {piece}")
        if transfer == "direct" and not may_use_pointers():
            raise ValueError(
                "transfer='direct', but this MPI is not CUDA-aware"
            )
        if transfer is None:
            transfer = "direct" if may_use_pointers() else "ipc"
        self.comm: Any = comm.Dup()
        agreed = np.array([_TRANSFERS.index(transfer), piece], np.int64)
        self.comm.Allreduce(MPI.IN_PLACE, agreed, MPI.MIN)
        self.transfer: str
        self.piece: int
        self.transfer, self.piece = _TRANSFERS[agreed[0]], int(agreed[1])
        self.is_direct: bool = self.transfer == "direct"
        self._pool = PageLockedMemoryPool()
        self._peers = Peers(self.comm) if self.transfer == "ipc" else None
        self._exchanges: Exchanges | None = None
        if self._peers is not None and self._peers.are_complete:
            self._exchanges = Exchanges(self.comm, self._peers)
        self._messages: Messages | None = None
        if not self.is_direct:
            self._messages = Messages(
                self.comm, self._peers, self._pool, self.piece
            )

    def __getattr__(self, name: str) -> Any:
        if name == "comm" or name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.comm, name)

    def Free(self) -> None:
        """Free the duplicated communicator. This call is collective."""
        if self._messages is not None:
            self._messages.close()
        if self._peers is not None:
            self._peers.close()
        self.comm.Free()

    def _buffer(self, array: Any, *, reads: bool, writes: bool) -> Any:
        if isinstance(array, np.ndarray):
            return HostBuffer(array, reads, writes)
        if self.is_direct:
            return DirectBuffer(array, reads, writes)
        return StagedBuffer(array, reads, writes, self._pool, self.piece, None)

    def _reads(self, array: Any) -> Any:
        return self._buffer(array, reads=True, writes=False)

    def _writes(self, array: Any) -> Any:
        return self._buffer(array, reads=False, writes=True)

    # --- calls between two ranks ------------------------------------------

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Start to send an array; see MPI_Isend."""
        if buf is None and dest == MPI.PROC_NULL:
            request = self.comm.Isend([None, MPI.BYTE], dest, tag)
            return Request(request, None, receives=False)
        array = self._one(buf)
        if self._messages is not None and dest != MPI.PROC_NULL:
            messages = self._messages
            operation = messages.send(array, dest, tag)
            return Transfer(messages.engine, operation, None)
        buffer = self._reads(array)
        message = [buffer.ready(0, buffer.nbytes), MPI.BYTE]
        request = self.comm.Isend(message, dest, tag)
        return Request(request, buffer, receives=False)

    def Irecv(
        self, buf: Any, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG
    ) -> Request:
        """Start to receive into an array; see MPI_Irecv.

        Raises
        ------
        ValueError
            If the array is read-only.
        """
        if buf is None and source == MPI.PROC_NULL:
            request = self.comm.Irecv([None, MPI.BYTE], source, tag)
            return Request(request, None, receives=True)
        array = self._one(buf)
        if isinstance(array, np.ndarray) and not array.flags.writeable:
            raise ValueError("the array that receives is read-only")
        if self._messages is not None and source != MPI.PROC_NULL:
            messages, result = self._messages, MPI.Status()
            operation = messages.receive(array, source, tag, result)
            return Transfer(messages.engine, operation, result)
        # a shorter message leaves the other elements unchanged
        buffer = self._buffer(
            array, reads=not array.flags.c_contiguous, writes=True
        )
        message = [buffer.ready(0, buffer.nbytes), MPI.BYTE]
        request = self.comm.Irecv(message, source, tag)
        return Request(request, buffer, receives=True)

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Send an array; see MPI_Send."""
        if self._messages is not None and dest != MPI.PROC_NULL:
            messages, array = self._messages, self._one(buf)
            if not messages.send_now(array, dest, tag):
                messages.engine.wait(messages.send(array, dest, tag))
            return
        self.Isend(buf, dest, tag).Wait()

    def Recv(
        self,
        buf: Any,
        source: int = MPI.ANY_SOURCE,
        tag: int = MPI.ANY_TAG,
        status: MPI.Status | None = None,
    ) -> None:
        """Receive into an array; see MPI_Recv."""
        if self._messages is not None and source != MPI.PROC_NULL:
            array = self._one(buf)
            self._messages.receive_now(array, source, tag, status)
            return
        self.Irecv(buf, source, tag).Wait(status)

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = MPI.ANY_SOURCE,
        recvtag: int = MPI.ANY_TAG,
        status: MPI.Status | None = None,
    ) -> None:
        """Send one array and receive another; see MPI_Sendrecv."""
        if sendbuf is not None or dest != MPI.PROC_NULL:
            # checked before the receive begins: an error after it would leave
            # the receive pending
            sendbuf = self._one(sendbuf)
        receive = self.Irecv(recvbuf, source, recvtag)
        send = self.Isend(sendbuf, dest, sendtag)
        receive.Wait(status)
        send.Wait()

    def _one(self, value: Any) -> Any:
        """Return the array of a buffer argument that has a single part."""
        if isinstance(value, (gpuarray.GPUArray, np.ndarray)):
            return value
        parts = Parts(value, 1, equal=False)
        array, (count,), (offset,) = parts.array, parts.counts, parts.offsets
        if (count, offset) == (array.nbytes, 0):
            return array
        item = array.dtype.itemsize
        if not array.flags.c_contiguous:
            raise ValueError("a part of an array must be contiguous")
        return array.reshape(-1)[offset // item : (offset + count) // item]

    # --- calls that give all ranks the same elements ------------------------

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """Send root's array to all ranks; see MPI_Bcast."""
        array = self._one(buf)
        if self._exchanges is not None and array.nbytes > EAGER_BYTES:
            self._exchanges.broadcast(array, root)
            return
        is_root = self.comm.rank == root
        buffer = self._buffer(array, reads=is_root, writes=not is_root)
        for start, end in self._steps(buffer.nbytes, 1):
            piece = buffer.ready(start, end)
            self.comm.Bcast([piece, MPI.BYTE], root)
            if not is_root:
                buffer.store(start, end)
        buffer.finish()

    def Reduce(
        self,
        sendbuf: Any,
        recvbuf: Any,
        op: MPI.Op = MPI.SUM,
        root: int = 0,
    ) -> None:
        """Combine the arrays of all ranks at the root; see MPI_Reduce."""
        is_root = self.comm.rank == root
        self._reduce(sendbuf, recvbuf if is_root else None, op, root)

    def Allreduce(
        self, sendbuf: Any, recvbuf: Any, op: MPI.Op = MPI.SUM
    ) -> None:
        """Combine the arrays of all ranks; see MPI_Allreduce."""
        self._reduce(sendbuf, recvbuf, op, None)

    def _reduce(
        self, sendbuf: Any, recvbuf: Any, op: MPI.Op, root: int | None
    ) -> None:
        """Combine arrays at the root, or on all ranks if `root` is None."""
        in_place = _is_in_place(sendbuf)
        target = None if recvbuf is None else self._one(recvbuf)
        if in_place and target is None:
            raise ValueError("IN_PLACE is for ranks that receive the result")
        source = target if in_place else self._one(sendbuf)
        if target is not None and (
            (source.dtype, source.size) != (target.dtype, target.size)
        ):
            raise ValueError(
                f"{source.size} elements of {source.dtype} are sent, but "
                f"{target.size} of {target.dtype} are received"
            )
        if source.dtype.name not in _WIDE:
            self._reduce_known(source, target, in_place, op, root)
            return
        # MPI has no 16-bit floats
        wide = source.astype(np.float32)
        result = None
        if target is not None:
            # made from `target`, since the shape of `source` may differ
            result = wide if in_place else target.astype(np.float32)
        self._reduce_known(wide, result, in_place, op, root)
        if target is not None:
            target[...] = result.astype(target.dtype)

    @staticmethod
    def _datatype(dtype: np.dtype) -> MPI.Datatype:
        """Return the MPI datatype with which MPI can reduce the elements."""
        known = _COMBINED.get(dtype.str[1:]) if dtype.isnative else None
        if known is None or dtype.names is not None:
            raise TypeError(f"MPI cannot combine elements of {dtype}")
        return known

    def _reduce_known(
        self,
        source: Any,
        target: Any,
        in_place: bool,
        op: MPI.Op,
        root: int | None,
    ) -> None:
        """Combine arrays of a dtype that MPI knows."""
        datatype = self._datatype(source.dtype)
        peers = self._exchanges
        if (
            peers is not None
            and source.nbytes > EAGER_BYTES
            and peers.can_reduce(source.dtype, op)
        ):
            peers.reduce(source, target, op, root)
            return
        if in_place:
            sends = receives = self._buffer(target, reads=True, writes=True)
        else:
            sends = self._reads(source)
            receives = None if target is None else self._writes(target)
        for start, end in self._steps(sends.nbytes, datatype.Get_size()):
            given: Any = [sends.ready(start, end), datatype]
            taken = None
            if receives is not None:
                taken = [receives.memory[start:end], datatype]
            if in_place:
                given = MPI.IN_PLACE
            if root is None:
                self.comm.Allreduce(given, taken, op)
            else:
                self.comm.Reduce(given, taken, op, root)
            if receives is not None:
                receives.store(start, end)
        if receives is not None:
            receives.finish()

    def _steps(self, nbytes: int, itemsize: int) -> Sequence[tuple[int, int]]:
        """Return the byte ranges (start, end) of the pieces of an array.

        There is at least one piece, since every rank has to call MPI.
        """
        piece = nbytes if self.is_direct else self.piece
        piece = max(piece - piece % itemsize, itemsize)
        return list(byte_ranges(nbytes, piece)) or [(0, 0)]

    # --- calls that give each rank its own part -----------------------------

    def _exchange(
        self,
        sent: Parts | None,
        received: Parts | None,
        call: Callable[[Any, Any], None],
    ) -> None:
        """Call MPI once, with buffers for the whole arrays.

        Elements of the array of `received` for which no rank sends a value
        stay unchanged.
        """
        sends = None if sent is None else self._reads(sent.array)
        receives = None
        if received is not None:
            keeps = (
                sent is None or sum(received.counts) < received.array.nbytes
            )
            receives = self._buffer(received.array, reads=keeps, writes=True)
            receives.ready(0, receives.nbytes)
        if sends is not None:
            sends.ready(0, sends.nbytes)
        call(_vector(sends, sent), _vector(receives, received))
        if receives is not None:
            receives.store(0, receives.nbytes)
            receives.finish()

    def _gather(
        self, sendbuf: Any, recvbuf: Any, root: int, receives: bool
    ) -> None:
        comm = self.comm
        parts = Parts(recvbuf, comm.size, equal=True) if receives else None
        if _is_in_place(sendbuf):
            if parts is None:
                raise ValueError("IN_PLACE is for the rank that receives")
            if self._exchanges is not None:
                self._exchanges.exchange(None, parts)
                return
            self._exchange(
                None,
                parts,
                lambda _, taken: comm.Gatherv(MPI.IN_PLACE, taken, root),
            )
            return
        sent = Parts(sendbuf, 1, equal=False)
        if self._exchanges is not None:
            self._exchanges.exchange(sent, parts)
            return
        self._exchange(
            sent, parts, lambda given, taken: comm.Gatherv(given, taken, root)
        )

    def Gatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Collect the arrays of all ranks at the root; see MPI_Gatherv."""
        self._gather(sendbuf, recvbuf, root, self.comm.rank == root)

    Gather = Gatherv

    def Allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:
        """Collect the arrays of all ranks; see MPI_Allgatherv."""
        parts = Parts(recvbuf, self.comm.size, equal=True)
        in_place = _is_in_place(sendbuf)
        sent = None if in_place else Parts(sendbuf, 1, equal=False)
        if self._exchanges is not None:
            rank = self.comm.rank
            self._exchanges.exchange(sent or parts.only(rank), parts)
            return
        self._exchange(
            sent,
            parts,
            lambda given, taken: self.comm.Allgatherv(
                MPI.IN_PLACE if in_place else given, taken
            ),
        )

    Allgather = Allgatherv

    def Scatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Distribute the parts of root's array; see MPI_Scatterv.

        Raises
        ------
        ValueError
            If a rank other than root passes IN_PLACE.
        """
        is_root = self.comm.rank == root
        sent = Parts(sendbuf, self.comm.size, equal=True) if is_root else None
        in_place = _is_in_place(recvbuf)
        if in_place and not is_root:
            raise ValueError("IN_PLACE is for the root of a Scatter")
        received = None if in_place else Parts(recvbuf, 1, equal=False)
        if self._exchanges is not None:
            self._exchanges.exchange(sent, received)
            return
        self._exchange(
            sent,
            received,
            lambda given, taken: self.comm.Scatterv(
                given, MPI.IN_PLACE if in_place else taken, root
            ),
        )

    Scatter = Scatterv

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """Exchange parts between all ranks; see MPI_Alltoallv."""
        in_place = _is_in_place(sendbuf)
        size = self.comm.size
        sent = None if in_place else Parts(sendbuf, size, equal=True)
        received = Parts(recvbuf, size, equal=True)
        if self._exchanges is not None:
            # In place: pass a copy, since other ranks read the elements while
            # this rank receives new ones.
            self._exchanges.exchange(sent or received.copy(), received)
            return
        self._exchange(
            sent,
            received,
            lambda given, taken: self.comm.Alltoallv(
                MPI.IN_PLACE if in_place else given, taken
            ),
        )

    Alltoall = Alltoallv


def _vector(buffer: Any, parts: Parts | None) -> Any:
    """Return a buffer as mpi4py takes it, with the part of each rank."""
    if buffer is None or parts is None:
        return None
    if len(parts.counts) == 1:
        start, count = parts.offsets[0], parts.counts[0]
        return [buffer.memory[start : start + count], MPI.BYTE]
    return [buffer.memory, (parts.counts, parts.offsets), MPI.BYTE]
