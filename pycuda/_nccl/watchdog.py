"""A time limit for the operations of communicators.

NCCL waits for ever for a rank that does not call an operation.  A thread asks
a few times per second for failures and for the oldest call that is not
complete.  It aborts a communicator that has failed or whose call takes too
long, so that the device continues, and raises the error in the thread that
made the call, which often waits for the device at that time.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from typing import Any

from pycuda import _driver
from pycuda._nccl.types import NAMES

_PERIOD = 0.2  # seconds


class CommunicationError(RuntimeError):
    """An operation of several ranks has failed."""

    __module__ = "pycuda.nccl"


class Watch:
    """The state of one communicator that is observed.

    Parameters
    ----------
    capsule
        The communicator of `pycuda._driver`.
    timeout
        Seconds after which a call that is not complete is an error.
    """

    def __init__(self, capsule: Any, timeout: float) -> None:
        self.capsule = capsule
        self.timeout = timeout
        self.failure: str | None = None
        self._number, self._since = 0, 0.0

    def look(self) -> tuple[str, int] | None:
        """Return the text of a failure and the thread of the call, or None."""
        pending = _driver._nccl_pending(self.capsule)
        if pending is None:
            return None
        number, kind, count, size, thread = pending
        now = time.monotonic()
        if number != self._number:
            self._number, self._since = number, now
        ranks, rank, device = _driver._nccl_describe(self.capsule)
        call = (
            f"rank {rank} of {ranks} on device {device}: call {number}, "
            f"{NAMES[kind]} of {count} elements of {size} bytes"
        )
        text = _driver._nccl_error(self.capsule)
        if text is not None:
            return f"{call}, has failed: {text}", thread
        if now - self._since > self.timeout:
            return (
                f"{call}, is not complete after {self.timeout:g} s. Another "
                "rank has not made this call, has made it with another size "
                "or in another order, or has ended",
                thread,
            )
        return None


_watches: weakref.WeakSet[Watch] = weakref.WeakSet()
_thread: threading.Thread | None = None
_lock = threading.Lock()


def add(watch: Watch) -> None:
    """Observe a communicator as long as `watch` exists."""
    global _thread
    with _lock:
        _watches.add(watch)
        if _thread is None:
            _thread = threading.Thread(
                target=_run, name="pycuda.nccl", daemon=True
            )
            _thread.start()


def _run() -> None:
    while True:
        time.sleep(_PERIOD)
        with _lock:
            watches = list(_watches)
        for watch in watches:
            found = watch.look()
            if found is not None and watch.failure is None:
                watch.failure, thread = found
                # first, as the thread continues with the abort
                _raise_in(thread, watch.failure)
                _driver._nccl_end(watch.capsule, True)
        del watches


def _raise_in(thread: int, text: str) -> None:
    """Raise a CommunicationError in another thread.

    It is raised when the thread next executes Python code, at the latest when
    its current call returns.
    """

    class Failure(CommunicationError):
        def __init__(self) -> None:
            super().__init__(text)

    Failure.__name__ = Failure.__qualname__ = "CommunicationError"
    Failure.__module__ = "pycuda.nccl"
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(Failure)
    )
