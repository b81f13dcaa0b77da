"""Progress of transfers that take several messages.

An operation is a generator: it yields the MPI request that it waits for, and
continues with the status of the completed request. `Engine` continues the
operations of a communicator while a call of the communicator waits. While the
program does something else, such as waiting in a call of another library, a
thread continues them, since MPI promises that a posted receive lets the send
complete.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator
from typing import Any, TypeAlias

from mpi4py import MPI

import pycuda.driver as drv

Steps: TypeAlias = "Generator[MPI.Request, MPI.Status, None]"

_SPINS = 200  # number of polls before a wait gives up its processor
_SHORT, _LONG = 5e-5, 1e-3  # seconds between polls


class Operation:
    """A transfer in progress.

    All its steps use the stream that is current when it is made, whichever
    thread continues it.

    Attributes
    ----------
    is_done
        Whether the transfer has ended, successfully or not.
    error
        The exception that ended it, or None.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._stream = drv.current_stream() or drv.Stream.from_handle(0)
        self._status = MPI.Status()
        self.request: MPI.Request = MPI.REQUEST_NULL
        self.is_done = False
        self.error: BaseException | None = None
        self._continue(None)

    def _continue(self, status: MPI.Status | None) -> None:
        try:
            with self._stream.use():
                self.request = self._steps.send(
                    status  # type: ignore[arg-type]
                )
        except StopIteration:
            self.is_done = True
        except Exception as error:
            self.error, self.is_done = error, True

    def poll(self) -> bool:
        """Continue without waiting; return whether anything was done."""
        moved = False
        while not self.is_done:
            try:
                if not self.request.Test(self._status):
                    return moved
            except MPI.Exception as error:
                self.error, self.is_done = error, True
                return True
            self._continue(self._status)
            moved = True
        return moved

    def finish(self) -> None:
        """Wait for the end without continuing other operations."""
        while not self.is_done:
            try:
                self.request.Wait(self._status)
            except MPI.Exception as error:
                self.error, self.is_done = error, True
                return
            self._continue(self._status)


class Engine:
    """The operations of a communicator, and the thread that continues them.

    The lock guards the list of operations and each operation in it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._active: list[Operation] = []
        self._context = drv.Context.get_current()
        self._has_work = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._may_thread = MPI.Query_thread() == MPI.THREAD_MULTIPLE

    @property
    def is_idle(self) -> bool:
        """Whether no operation is in progress."""
        return not self._active

    def start(self, steps: Steps) -> Operation:
        """Start an operation, which `wait` completes.

        Errors before its first request are raised.
        """
        with self._lock:
            operation = Operation(steps)
            if operation.error is not None:
                raise operation.error
            operation.poll()
            if not operation.is_done:
                self._active.append(operation)
        return operation

    def leave(self, operation: Operation) -> None:
        """Let the thread continue an operation that no caller waits for."""
        if operation.is_done or not self._may_thread:
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="pycuda.mpi", daemon=True
                )
                self._thread.start()
        self._has_work.set()

    def poll(self) -> bool:
        """Continue all operations; return whether one has continued."""
        moved = False
        with self._lock:
            for operation in self._active:
                moved |= operation.poll()
            if moved:
                self._active = [o for o in self._active if not o.is_done]
        return moved

    def wait(self, operation: Operation) -> None:
        """Complete an operation, and raise the error that has ended it."""
        if not operation.is_done and self._take(operation):
            operation.finish()
        spins = 0
        while not operation.is_done:
            spins = 0 if self.poll() else spins + 1
            if spins > _SPINS:
                time.sleep(_SHORT)
            elif spins > 1:
                os.sched_yield()
        if operation.error is not None:
            error, operation.error = operation.error, None
            raise error

    def _take(self, operation: Operation) -> bool:
        """Remove the operation if it is the only one."""
        with self._lock:
            if self._active != [operation]:
                return False
            self._active = []
            return True

    def _run(self) -> None:
        if self._context is not None:
            self._context.push()
        pause = _SHORT
        while not self._is_closed:
            if not self._active:
                self._has_work.wait()
                self._has_work.clear()
                pause = _SHORT
                continue
            pause = _SHORT if self.poll() else min(pause * 1.5, _LONG)
            time.sleep(pause)
        if self._context is not None:
            drv.Context.pop()

    def settle(self) -> None:
        """Wait for copies that the thread has enqueued.

        The program may use the array on another stream after the transfer.
        """
        if threading.current_thread() is self._thread:
            drv.Event(drv.event_flags.DISABLE_TIMING).record().synchronize()

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self._has_work.set()
        thread: Any = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
