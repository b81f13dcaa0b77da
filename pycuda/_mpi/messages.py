"""Messages between two ranks for which MPI does not read device memory.

A message begins with eight bytes that name its kind:

- `EAGER`: the elements follow, at most `EAGER_BYTES`.
- `REGION`: a number and a `Region` of the sender's memory follow. The
  receiver copies from there and answers with an empty message.
- `PIECES`: a number, the size of the array and the size of a piece follow.
  The elements follow in separate messages.
- `IN_SLOTS`: the fields of `PIECES`, then process and descriptor of the ring
  (`shared_pages.py`). An empty message announces each piece, and an empty
  answer says that its slot is free.

Answers and pieces use a separate communicator, with the number of the transfer
as the tag.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import itertools
import struct
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda._mpi.buffers import HostBuffer, StagedBuffer, byte_ranges
from pycuda._mpi.engine import Engine, Operation, Steps
from pycuda._mpi.peers import Peers, Region, export
from pycuda._mpi.shared_pages import SLOTS, Ring, SharedPages
from pycuda.tools import PageLockedMemoryPool

EAGER_BYTES = 32 << 10
EAGER, REGION, PIECES, IN_SLOTS = range(4)
# A message begins with its kind, of _HEAD bytes. The number of the transfer
# may follow; kind and number together have _FIXED bytes.
_HEAD = 8
_FIXED = 16
_VIEWS = 256  # maximum number of sizes for which a slot caches its views
# sizes in bytes of the array and of a piece
_SIZES = struct.Struct("<QQ")
# sizes in bytes of the array and of a piece; process id and file descriptor of
# the shared memory
_RING = struct.Struct("<QQQQ")
_TAGS = 1 << 14  # maximum number of transfers of a rank in progress
_NOTHING = np.empty(0, np.uint8)


class _Slot:
    """Memory for one small message at a time, with views of each size.

    The lock is held while a message uses the memory.
    """

    def __init__(self, memory: np.ndarray) -> None:
        self.memory = memory
        self.memory[:_HEAD] = 0  # the kind EAGER
        self.lock = threading.Lock()
        self.status = MPI.Status()
        self.whole = [memory, MPI.BYTE]
        self._views: dict[int, tuple[list[Any], np.ndarray]] = {}

    def view(self, nbytes: int) -> tuple[list[Any], np.ndarray]:
        """Return (a message with `nbytes` of elements, these elements)."""
        found = self._views.get(nbytes)
        if found is None:
            if len(self._views) >= _VIEWS:
                self._views.clear()
            end = _HEAD + nbytes
            found = [self.memory[:end], MPI.BYTE], self.memory[_HEAD:end]
            self._views[nbytes] = found
        return found


def _answer_tag(number: int) -> int:
    return 2 * number


def _piece_tag(number: int) -> int:
    return 2 * number + 1


def _fill(result: MPI.Status, status: MPI.Status, nbytes: int) -> None:
    """Describe the received elements by a status."""
    result.Set_source(status.Get_source())
    result.Set_tag(status.Get_tag())
    result.Set_error(status.Get_error())
    result.Set_elements(MPI.BYTE, nbytes)


def _load(array: Any, data: np.ndarray) -> None:
    """Copy the elements of an array to bytes on the host."""
    if isinstance(array, np.ndarray):
        data[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    elif array.nbytes:
        packed = array if array.flags.c_contiguous else array.copy("C")
        drv.memcpy_dtoh(data, packed.gpudata)


def _truncated() -> MPI.Exception:
    return MPI.Exception(MPI.ERR_TRUNCATE)


class Messages:
    """Sends and receives arrays on the host and on the device.

    Parameters
    ----------
    comm
        Communicator of the first message of each transfer.
    peers
        The ranks that can map memory by IPC, or None.
    piece
        Size in bytes of the messages of a large array.
    """

    def __init__(
        self,
        comm: MPI.Comm,
        peers: Peers | None,
        pool: PageLockedMemoryPool,
        piece: int,
    ) -> None:
        self.comm, self.peers, self.pool = comm, peers, pool
        self.piece = piece
        self.follow_up = comm.Dup()
        self.pages: SharedPages | None = SharedPages(comm, piece)
        self.engine = Engine()
        self._numbers = itertools.count()
        size = EAGER_BYTES + _HEAD
        self._sent = _Slot(pool.allocate((size,), np.uint8))
        # Pageable memory: a small copy from it does not wait for the device.
        self._taken = _Slot(np.empty(size, np.uint8))

    def close(self) -> None:
        """Free the communicator of answers. This call is collective."""
        self.engine.close()
        if self.pages is not None:
            self.pages.close()
        self.follow_up.Free()

    # --- fast path: small arrays, no other transfer in progress ---

    def send_now(self, array: Any, dest: int, tag: int) -> bool:
        """Send a small array; return False if that takes several steps."""
        nbytes = array.nbytes
        if nbytes > EAGER_BYTES or not self.engine.is_idle:
            return False
        slot = self._sent
        if not nbytes or not slot.lock.acquire(blocking=False):
            return False
        try:
            message, data = slot.view(nbytes)
            _load(array, data)
            self.comm.Send(message, dest, tag)
        finally:
            slot.lock.release()
        return True

    def receive_now(
        self, array: Any, source: int, tag: int, result: MPI.Status | None
    ) -> None:
        """Receive into an array."""
        slot = self._taken
        if not self.engine.is_idle or not slot.lock.acquire(blocking=False):
            result = MPI.Status() if result is None else result
            self.engine.wait(self.receive(array, source, tag, result))
            return
        try:
            status = slot.status
            self.comm.Recv(slot.whole, source, tag, status)
            count = status.Get_count(MPI.BYTE)
            if slot.memory[0] == EAGER:
                if result is not None:
                    _fill(result, status, count - _HEAD)
                self._store(array, slot.view(count - _HEAD)[1])
                return
            memory, status = slot.memory[:count].copy(), MPI.Status(status)
        finally:
            slot.lock.release()
        result = MPI.Status() if result is None else result
        rest = self._received(array, memory, status, result)
        self.engine.wait(self.engine.start(rest))

    # --- sending ---

    def send(self, array: Any, dest: int, tag: int) -> Operation:
        """Start to send an array."""
        return self.engine.start(self._send(array, dest, tag))

    def _send(self, array: Any, dest: int, tag: int) -> Steps:
        if array.nbytes <= EAGER_BYTES:
            message = self._eager(array)
            yield self.comm.Isend([message, MPI.BYTE], dest, tag)
        elif (
            isinstance(array, gpuarray.GPUArray)
            and self.peers is not None
            and dest in self.peers.readers
        ):
            yield from self._send_region(array, dest, tag)
        elif (ring := self._ring(dest)) is not None:
            try:
                yield from self._send_slots(ring, array, dest, tag)
            finally:
                ring.is_busy = False
        else:
            yield from self._send_pieces(array, dest, tag)

    def _eager(self, array: Any) -> np.ndarray:
        """Return the message of a small array."""
        size = (array.nbytes + _HEAD,)
        if isinstance(array, np.ndarray):
            message = np.empty(size, np.uint8)
        else:
            message = self.pool.allocate(size, np.uint8)
        message[:_HEAD] = 0
        _load(array, message[_HEAD:])
        return message

    @staticmethod
    def _message(kind: int, number: int, payload: bytes) -> np.ndarray:
        head = struct.pack("<QQ", kind, number)
        return np.frombuffer(head + payload, np.uint8)

    def _send_region(self, array: Any, dest: int, tag: int) -> Steps:
        memory, region = export(array)
        _driver._memory_wait(array)
        number = next(self._numbers) % _TAGS
        message = self._message(REGION, number, region.pack())
        answer = self.follow_up.Irecv(
            [_NOTHING, MPI.BYTE], dest, _answer_tag(number)
        )
        yield self.comm.Isend([message, MPI.BYTE], dest, tag)
        yield answer
        del memory

    def _send_pieces(self, array: Any, dest: int, tag: int) -> Steps:
        buffer: Any
        if isinstance(array, np.ndarray):
            buffer = HostBuffer(array, True, False)
        else:
            buffer = StagedBuffer(
                array, True, False, self.pool, self.piece, None
            )
        nbytes = buffer.nbytes
        number = next(self._numbers) % _TAGS
        sizes = _SIZES.pack(nbytes, self.piece)
        message = self._message(PIECES, number, sizes)
        first = self.comm.Isend([message, MPI.BYTE], dest, tag)
        requests = [
            self.follow_up.Isend(
                [buffer.ready(start, end), MPI.BYTE], dest, _piece_tag(number)
            )
            for start, end in byte_ranges(nbytes, self.piece)
        ]
        yield first
        while requests:
            yield requests.pop()

    def _ring(self, dest: int) -> Ring | None:
        """Return the ring for a transfer, or None if there is none."""
        if self.pages is None or dest not in self.pages.readers:
            return None
        ring = self.pages.own()
        if ring is None or ring.is_busy:
            return None
        ring.is_busy = True
        return ring

    def _send_slots(
        self, ring: Ring, array: Any, dest: int, tag: int
    ) -> Steps:
        assert self.pages is not None
        number = next(self._numbers) % _TAGS
        source = Source(array)
        sizes = _RING.pack(array.nbytes, self.piece, *self.pages.name())
        message = self._message(IN_SLOTS, number, sizes)
        sent = [self.comm.Isend([message, MPI.BYTE], dest, tag)]
        ranges = list(byte_ranges(array.nbytes, self.piece))
        nothing, answer = [_NOTHING, MPI.BYTE], _answer_tag(number)
        previous: Callable[[], object] = _do_nothing
        for index, (start, end) in enumerate(ranges):
            if index >= SLOTS:
                yield self.follow_up.Irecv(nothing, dest, answer)
            finished = source.load(ring.slot(index, end - start), start)
            if index > 0:
                previous()
                sent.append(
                    self.follow_up.Isend(nothing, dest, _piece_tag(number))
                )
            previous = finished
        previous()
        sent.append(self.follow_up.Isend(nothing, dest, _piece_tag(number)))
        for _ in ranges[:SLOTS]:
            yield self.follow_up.Irecv(nothing, dest, answer)
        while sent:
            yield sent.pop()

    # --- receiving ---

    def receive(
        self, array: Any, source: int, tag: int, result: MPI.Status
    ) -> Operation:
        """Start to receive into an array. `result` becomes the status."""
        return self.engine.start(self._receive(array, source, tag, result))

    def _memory(self, array: Any) -> np.ndarray:
        """Return memory for any first message.

        Open MPI 5.0 writes beyond memory that is too small for a message of
        some KiB, although it then reports that the message is too long.
        """
        size = (EAGER_BYTES + _HEAD,)
        if isinstance(array, np.ndarray):
            return np.empty(size, np.uint8)
        return self.pool.allocate(size, np.uint8)

    def _receive(
        self, array: Any, source: int, tag: int, result: MPI.Status
    ) -> Steps:
        memory = self._memory(array)
        status = yield self.comm.Irecv([memory, MPI.BYTE], source, tag)
        yield from self._received(array, memory, status, result)

    def _received(
        self,
        array: Any,
        memory: np.ndarray,
        status: MPI.Status,
        result: MPI.Status,
    ) -> Steps:
        """Continue after the first message."""
        count = status.Get_count(MPI.BYTE)
        kind, source = int(memory[0]), status.Get_source()
        if kind == EAGER:
            _fill(result, status, count - _HEAD)
            self._store(array, memory[_HEAD:count])
            return
        (number,) = struct.unpack("<Q", bytes(memory[_HEAD:_FIXED]))
        payload = bytes(memory[_FIXED:count])
        if kind == REGION:
            region = Region.unpack(payload)
            _fill(result, status, region.nbytes)
            yield from self._take_region(array, region, source, number)
        elif kind == IN_SLOTS:
            assert self.pages is not None
            nbytes, piece, process, descriptor = _RING.unpack(payload)
            _fill(result, status, nbytes)
            ring = self.pages.ring(source, process, descriptor)
            yield from self._take_slots(ring, array, nbytes, source, number)
        else:
            nbytes, piece = _SIZES.unpack(payload)
            _fill(result, status, nbytes)
            yield from self._take_pieces(array, nbytes, piece, source, number)

    def _store(self, array: Any, data: np.ndarray) -> None:
        """Move the elements of a small message to an array."""
        nbytes = len(data)
        if nbytes > array.nbytes:
            raise _truncated()
        if nbytes == 0:
            return
        if isinstance(array, np.ndarray):
            buffer = HostBuffer(array, True, True)
            buffer.memory[:nbytes] = data
            buffer.finish()
            return
        if array.flags.c_contiguous:
            drv.memcpy_htod(array.gpudata, data)
        else:
            target = Target(array, nbytes)
            drv.memcpy_htod(target.packed.gpudata, data)
            target.finish()
        self.engine.settle()

    def _take_region(
        self, array: Any, region: Region, source: int, number: int
    ) -> Steps:
        assert self.peers is not None
        error = None
        try:
            if region.nbytes > array.nbytes:
                raise _truncated()
            read(self.peers.address(region, source), region.nbytes, array)
        except Exception as caught:
            error = caught
        yield self.follow_up.Isend(
            [_NOTHING, MPI.BYTE], source, _answer_tag(number)
        )
        if error is not None:
            raise error

    def _take_slots(
        self, ring: Ring, array: Any, nbytes: int, source: int, number: int
    ) -> Steps:
        is_long = nbytes > array.nbytes
        into = None if is_long else Sink(array, nbytes)
        nothing, answer = [_NOTHING, MPI.BYTE], _answer_tag(number)
        answers: list[MPI.Request] = []
        previous = None
        for index, (start, end) in enumerate(byte_ranges(nbytes, self.piece)):
            yield self.follow_up.Irecv(nothing, source, _piece_tag(number))
            finished = _do_nothing
            if into is not None:
                finished = into.store(ring.slot(index, end - start), start)
            if previous is not None:
                previous()
                answers.append(self.follow_up.Isend(nothing, source, answer))
            previous = finished
        if previous is not None:
            previous()
            answers.append(self.follow_up.Isend(nothing, source, answer))
        while answers:
            yield answers.pop()
        if into is None:
            raise _truncated()
        into.finish()
        self.engine.settle()

    def _take_pieces(
        self, array: Any, nbytes: int, piece: int, source: int, number: int
    ) -> Steps:
        is_host = isinstance(array, np.ndarray)
        is_long = nbytes > array.nbytes
        if is_host or is_long:
            host = HostBuffer(array, True, True) if not is_long else None
            memory = host.memory if host else np.empty(nbytes, np.uint8)
        else:
            memory = self.pool.allocate((nbytes,), np.uint8)
            target = Target(array, nbytes)
        ranges = list(byte_ranges(nbytes, piece))
        requests = [
            self.follow_up.Irecv(
                [memory[start:end], MPI.BYTE], source, _piece_tag(number)
            )
            for start, end in ranges
        ]
        for (start, end), request in zip(ranges, requests, strict=True):
            yield request
            if not (is_host or is_long):
                target.bytes[start:end].set_async(memory[start:end])
        if is_long:
            raise _truncated()
        if is_host:
            host.finish()
        else:
            target.finish()
            self.engine.settle()


class Target:
    """Contiguous memory on the device for the elements of an array.

    Parameters
    ----------
    array
        The array. Its memory is used if it is contiguous.
    nbytes
        Number of bytes to be written. The others stay unchanged.
    """

    def __init__(self, array: Any, nbytes: int) -> None:
        self.array, self.packed = array, array
        if not array.flags.c_contiguous:
            if nbytes < array.nbytes:
                self.packed = array.copy("C")
            else:
                self.packed = gpuarray.empty(array.shape, array.dtype)
        self.bytes = gpuarray.GPUArray(
            (array.nbytes,),
            np.uint8,
            base=self.packed,
            gpudata=self.packed.gpudata,
        )

    def finish(self) -> None:
        """Move the elements to an array that is not contiguous."""
        if self.packed is not self.array:
            self.array.set_async(self.packed)


def _do_nothing() -> None:
    pass


def _copied() -> Callable[[], object]:
    """Return a function that waits for the copies enqueued so far."""
    event = drv.Event(drv.event_flags.DISABLE_TIMING)
    return event.record().synchronize


class Source:
    """The bytes of an array on the host or on the device, to be copied."""

    def __init__(self, array: Any) -> None:
        self._host = None
        if isinstance(array, np.ndarray):
            self._host = HostBuffer(array, True, False).memory
            return
        self._packed = array if array.flags.c_contiguous else array.copy("C")
        _driver._memory_wait(self._packed)

    def load(self, slot: np.ndarray, start: int) -> Callable[[], object]:
        """Copy bytes to a slot; return a function that waits for them."""
        if self._host is not None:
            slot[:] = self._host[start : start + len(slot)]
            return _do_nothing
        drv.memcpy_dtoh_async(slot, self._packed.ptr + start)
        return _copied()


class Sink:
    """An array on the host or on the device whose bytes are written."""

    def __init__(self, array: Any, nbytes: int) -> None:
        self._host = self._target = None
        if isinstance(array, np.ndarray):
            self._host = HostBuffer(array, True, True)
            return
        self._target = Target(array, nbytes)
        _driver._memory_wait(self._target.packed)

    def store(self, slot: np.ndarray, start: int) -> Callable[[], object]:
        """Copy bytes from a slot; return a function that waits for them."""
        if self._host is not None:
            self._host.memory[start : start + len(slot)] = slot
            return _do_nothing
        assert self._target is not None
        drv.memcpy_htod_async(self._target.packed.ptr + start, slot)
        return _copied()

    def finish(self) -> None:
        """Move the elements to an array that is not contiguous."""
        for part in (self._host, self._target):
            if part is not None:
                part.finish()


def read(address: int, nbytes: int, array: Any) -> None:
    """Copy bytes of device memory to the first elements of an array."""
    if isinstance(array, np.ndarray):
        buffer = HostBuffer(array, True, True)
        drv.memcpy_dtoh(buffer.memory[:nbytes], address)
        buffer.finish()
        return
    target = Target(array, nbytes)
    _driver._memory_wait(target.packed)
    drv.memcpy_dtod_async(target.packed.gpudata, address, nbytes)
    finished = drv.Event(drv.event_flags.DISABLE_TIMING).record()
    finished.synchronize()
    target.finish()
