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
from pycuda import gpuarray
from pycuda._mpi.buffers import (
    DirectBuffer,
    HostBuffer,
    StagedBuffer,
    byte_ranges,
)
from pycuda._mpi.requests import Request
from pycuda._mpi_support import is_cuda_aware, may_use_pointers
from pycuda.tools import PageLockedMemoryPool

__all__ = ["Communicator", "Request", "context", "is_cuda_aware"]

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


def _is_in_place(value: Any) -> bool:
    return value is MPI.IN_PLACE or (
        isinstance(value, int) and value == MPI.IN_PLACE
    )


def _array(value: Any) -> Any:
    """Return the array of a buffer argument."""
    if isinstance(value, (gpuarray.GPUArray, np.ndarray)):
        return value
    if hasattr(value, "__cuda_array_interface__"):
        return gpuarray.asarray(value, copy=False)
    raise TypeError(
        "expected a GPUArray, a NumPy array, or a list of one and its counts, "
        f"not {type(value).__name__}"
    )


class _Parts:
    """A buffer argument with the part of each rank: counts and offsets."""

    def __init__(self, value: Any, size: int, *, equal: bool) -> None:
        spec = list(value) if isinstance(value, (list, tuple)) else [value]
        self.array = _array(spec.pop(0))
        itemsize = self.array.dtype.itemsize
        if spec and isinstance(spec[-1], (MPI.Datatype, str)):
            self._check_datatype(spec.pop(), itemsize)
        offsets = None
        if len(spec) == 1 and self._is_pair(spec[0], simple=not equal):
            spec = list(spec[0])
        if len(spec) == 2:
            offsets = spec.pop()
        if len(spec) > 1:
            raise TypeError(
                "expected [array, counts], [array, (counts, offsets)], or "
                "[array, counts, offsets, datatype]"
            )
        counts = spec[0] if spec else None
        if counts is None:
            counts = self._equal(size) if equal else [self.array.size]
        elif isinstance(counts, (int, np.integer)):
            counts = [int(counts)] * size
        if offsets is None:
            offsets = [0, *np.cumsum(counts, dtype=np.int64)[:-1]]
        elif isinstance(offsets, (int, np.integer)):  # between two parts
            parts = range(size) if equal else [1]
            offsets = [int(offsets) * part for part in parts]
        for what, numbers in (("counts", counts), ("offsets", offsets)):
            if len(numbers) != size:
                raise ValueError(
                    f"{len(numbers)} {what} were given for {size} ranks"
                )
        self.counts = [int(n) * itemsize for n in counts]
        self.offsets = [int(n) * itemsize for n in offsets]
        self._check()

    @staticmethod
    def _is_pair(value: Any, *, simple: bool) -> bool:
        """Return whether a value is the pair (counts, offsets) of mpi4py.

        A list of two integers is such a pair if `simple`, which means that
        the buffer has only one part; otherwise it is a list of counts.
        """
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            return False
        return (
            simple
            or isinstance(value, tuple)
            or any(
                isinstance(v, (list, tuple, np.ndarray)) or v is None
                for v in value
            )
        )

    def _check_datatype(self, given: Any, itemsize: int) -> None:
        known = MPI._typedict.get(given) if isinstance(given, str) else given
        if known is None or known.Get_size() != itemsize:
            raise TypeError(
                f"the MPI datatype {given!r} does not fit an array of "
                f"{self.array.dtype}"
            )

    def _equal(self, size: int) -> list[int]:
        if self.array.size % size:
            raise ValueError(
                f"an array of {self.array.size} elements cannot be divided "
                f"equally among {size} ranks"
            )
        return [self.array.size // size] * size

    def _check(self) -> None:
        nbytes = self.array.nbytes
        for count, offset in zip(self.counts, self.offsets, strict=True):
            if count < 0 or offset < 0 or offset + count > nbytes:
                item = self.array.dtype.itemsize
                raise ValueError(
                    f"{count // item} elements at offset {offset // item} are "
                    f"outside of an array of {nbytes // item} elements"
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
        "direct": MPI accesses the device's memory. "staged": the data goes
        through page-locked memory. Default: direct if that works on all ranks.
    piece
        Size in bytes of the pieces into which a staged Bcast, Reduce or
        Allreduce divides an array. The smallest value of all ranks is used.
        The copies of a piece overlap with MPI's work on other pieces.
    """

    def __init__(
        self,
        comm: MPI.Comm = MPI.COMM_WORLD,
        *,
        transfer: str | None = None,
        piece: int = _PIECE,
    ) -> None:
        if transfer not in (None, "direct", "staged"):
            raise ValueError(
                f"transfer must be 'direct', 'staged' or None: {transfer!r}"
            )
        if piece < 64 or piece % 64:
            raise ValueError(f"piece must be a multiple of 64, not {piece}")
        if transfer == "direct" and not may_use_pointers():
            raise ValueError(
                "transfer='direct', but this MPI is not CUDA-aware"
            )
        is_direct = transfer == "direct" or (
            transfer is None and may_use_pointers()
        )
        self.comm = comm.Dup()
        agreed = np.array([int(is_direct), piece], np.int64)
        self.comm.Allreduce(MPI.IN_PLACE, agreed, MPI.MIN)
        self.is_direct, self.piece = bool(agreed[0]), int(agreed[1])
        self._pool = PageLockedMemoryPool()

    def __getattr__(self, name: str) -> Any:
        if name == "comm":
            raise AttributeError(name)
        return getattr(self.comm, name)

    def Free(self) -> None:
        """Free the duplicated communicator. This call is collective."""
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

    # --- between two ranks ------------------------------------------------

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Start to send an array; see MPI_Isend."""
        if buf is None and dest == MPI.PROC_NULL:
            request = self.comm.Isend([None, MPI.BYTE], dest, tag)
            return Request(request, None, receives=False)
        buffer = self._reads(self._one(buf))
        message = [buffer.ready(0, buffer.nbytes), MPI.BYTE]
        request = self.comm.Isend(message, dest, tag)
        return Request(request, buffer, receives=False)

    def Irecv(
        self, buf: Any, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG
    ) -> Request:
        """Start to receive into an array; see MPI_Irecv."""
        if buf is None and source == MPI.PROC_NULL:
            request = self.comm.Irecv([None, MPI.BYTE], source, tag)
            return Request(request, None, receives=True)
        array = self._one(buf)
        # a shorter message leaves the other elements unchanged
        buffer = self._buffer(
            array, reads=not array.flags.c_contiguous, writes=True
        )
        message = [buffer.ready(0, buffer.nbytes), MPI.BYTE]
        request = self.comm.Irecv(message, source, tag)
        return Request(request, buffer, receives=True)

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Send an array; see MPI_Send."""
        self.Isend(buf, dest, tag).Wait()

    def Recv(
        self,
        buf: Any,
        source: int = MPI.ANY_SOURCE,
        tag: int = MPI.ANY_TAG,
        status: MPI.Status | None = None,
    ) -> None:
        """Receive into an array; see MPI_Recv."""
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
        receive = self.Irecv(recvbuf, source, recvtag)
        send = self.Isend(sendbuf, dest, sendtag)
        receive.Wait(status)
        send.Wait()

    def _one(self, value: Any) -> Any:
        """Return the array of a buffer argument that has a single part."""
        parts = _Parts(value, 1, equal=False)
        array, (count,), (offset,) = parts.array, parts.counts, parts.offsets
        if (count, offset) == (array.nbytes, 0):
            return array
        item = array.dtype.itemsize
        if not array.flags.c_contiguous:
            raise ValueError("a part of an array must be contiguous")
        return array.reshape(-1)[offset // item : (offset + count) // item]

    # --- all ranks: the same elements ---------------------------------------

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """Send root's array to all ranks; see MPI_Bcast."""
        array = self._one(buf)
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
        self._reduce(
            sendbuf,
            recvbuf if is_root else None,
            lambda source, target: self.comm.Reduce(source, target, op, root),
        )

    def Allreduce(
        self, sendbuf: Any, recvbuf: Any, op: MPI.Op = MPI.SUM
    ) -> None:
        """Combine the arrays of all ranks; see MPI_Allreduce."""
        self._reduce(
            sendbuf,
            recvbuf,
            lambda source, target: self.comm.Allreduce(source, target, op),
        )

    def _reduce(
        self, sendbuf: Any, recvbuf: Any, call: Callable[[Any, Any], None]
    ) -> None:
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
        if source.dtype.name in _WIDE:
            self._reduce_wide(source, target, in_place, call)
            return
        self._reduce_chunks(
            source, target, in_place, self._datatype(source.dtype), call
        )

    def _reduce_wide(
        self,
        source: Any,
        target: Any,
        in_place: bool,
        call: Callable[..., Any],
    ) -> None:
        """Reduce arrays of 16-bit floats as float32, a type that MPI has."""
        wide = source.astype(np.float32)
        datatype = self._datatype(wide.dtype)
        result = None
        if target is not None:
            # a copy of `target`: its shape may differ from that of `source`
            result = wide if in_place else target.astype(np.float32)
        self._reduce_chunks(wide, result, in_place, datatype, call)
        if target is not None:
            target[...] = result.astype(target.dtype)

    @staticmethod
    def _datatype(dtype: np.dtype) -> MPI.Datatype:
        """Return the MPI datatype with which MPI can reduce the elements."""
        known = _COMBINED.get(dtype.str[1:]) if dtype.isnative else None
        if known is None or dtype.names is not None:
            raise TypeError(f"MPI cannot combine elements of {dtype}")
        return known

    def _reduce_chunks(
        self,
        source: Any,
        target: Any,
        in_place: bool,
        datatype: MPI.Datatype,
        call: Callable[[Any, Any], None],
    ) -> None:
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
            call(MPI.IN_PLACE if in_place else given, taken)
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

    # --- all ranks: a part for each -----------------------------------------

    def _exchange(
        self,
        sent: _Parts | None,
        received: _Parts | None,
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
        parts = _Parts(recvbuf, comm.size, equal=True) if receives else None
        if _is_in_place(sendbuf):
            if parts is None:
                raise ValueError("IN_PLACE is for the rank that receives")
            self._exchange(
                None,
                parts,
                lambda _, taken: comm.Gatherv(MPI.IN_PLACE, taken, root),
            )
            return
        sent = _Parts(sendbuf, 1, equal=False)
        self._exchange(
            sent, parts, lambda given, taken: comm.Gatherv(given, taken, root)
        )

    def Gatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Collect the arrays of all ranks at the root; see MPI_Gatherv."""
        self._gather(sendbuf, recvbuf, root, self.comm.rank == root)

    Gather = Gatherv

    def Allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:
        """Collect the arrays of all ranks; see MPI_Allgatherv."""
        parts = _Parts(recvbuf, self.comm.size, equal=True)
        in_place = _is_in_place(sendbuf)
        sent = None if in_place else _Parts(sendbuf, 1, equal=False)
        self._exchange(
            sent,
            parts,
            lambda given, taken: self.comm.Allgatherv(
                MPI.IN_PLACE if in_place else given, taken
            ),
        )

    Allgather = Allgatherv

    def Scatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Distribute the parts of root's array; see MPI_Scatterv."""
        is_root = self.comm.rank == root
        sent = _Parts(sendbuf, self.comm.size, equal=True) if is_root else None
        in_place = _is_in_place(recvbuf)
        if in_place and not is_root:
            raise ValueError("IN_PLACE is for the root of a Scatter")
        received = None if in_place else _Parts(recvbuf, 1, equal=False)
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
        sent = None if in_place else _Parts(sendbuf, size, equal=True)
        received = _Parts(recvbuf, size, equal=True)
        self._exchange(
            sent,
            received,
            lambda given, taken: self.comm.Alltoallv(
                MPI.IN_PLACE if in_place else given, taken
            ),
        )

    Alltoall = Alltoallv


def _vector(buffer: Any, parts: _Parts | None) -> Any:
    """Return a buffer as mpi4py takes it, with the part of each rank."""
    if buffer is None or parts is None:
        return None
    if len(parts.counts) == 1:
        start, count = parts.offsets[0], parts.counts[0]
        return [buffer.memory[start : start + count], MPI.BYTE]
    return [buffer.memory, (parts.counts, parts.offsets), MPI.BYTE]
