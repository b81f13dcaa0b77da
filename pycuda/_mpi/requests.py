"""Requests, which complete transfers between two ranks."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpi4py import MPI

from pycuda._mpi.engine import Engine, Operation


def _copy_status(
    known: MPI.Status, nbytes: int, status: MPI.Status | None
) -> None:
    if status is not None:
        status.Set_source(known.Get_source())
        status.Set_tag(known.Get_tag())
        status.Set_error(known.Get_error())
        status.Set_elements(MPI.BYTE, nbytes)


class Request:
    """A pending transfer. `Wait` completes it; it may be called again.

    Parameters
    ----------
    request
        MPI's own request.
    buffer
        The memory that MPI uses, which stays alive until completion, or
        None for a transfer with PROC_NULL.
    receives
        Whether MPI writes to the memory.
    """

    def __init__(
        self, request: MPI.Request, buffer: Any, *, receives: bool
    ) -> None:
        self._request = request
        self._buffer = buffer
        self._receives = receives
        self._status = MPI.Status()
        self._is_complete = False

    def _finish(self, status: MPI.Status | None) -> bool:
        """Move received elements to the array; report to the caller."""
        # Get_count is negative above 2 GiB in some MPI libraries.
        nbytes = self._status.Get_elements(MPI.BYTE)
        if self._buffer is not None and self._receives:
            self._buffer.store(0, nbytes)
            self._buffer.finish()
        self._buffer = None
        self._is_complete = True
        _copy_status(self._status, nbytes, status)
        return True

    def Wait(self, status: MPI.Status | None = None) -> bool:
        """Wait for the transfer; return True."""
        if not self._is_complete:
            self._request.Wait(self._status)
        return self._finish(status)

    def Test(self, status: MPI.Status | None = None) -> bool:
        """Return whether the transfer is complete, without waiting."""
        if not self._is_complete and not self._request.Test(self._status):
            return False
        return self._finish(status)

    wait = Wait
    test = Test

    @staticmethod
    def Waitall(
        requests: Sequence[Request], statuses: list[MPI.Status] | None = None
    ) -> bool:
        """Wait for all transfers; return True."""
        for i, request in enumerate(requests):
            request.Wait(None if statuses is None else statuses[i])
        return True


class Transfer(Request):
    """A pending transfer that takes several messages.

    Parameters
    ----------
    engine
        Continues the transfer.
    operation
        The transfer.
    result
        The status that the operation fills, or None if it sends.
    """

    def __init__(
        self, engine: Engine, operation: Operation, result: MPI.Status | None
    ) -> None:
        self._engine, self._operation = engine, operation
        self._result = result
        engine.leave(operation)

    def _end(self, status: MPI.Status | None) -> bool:
        self._engine.wait(self._operation)  # raises its error
        if self._result is not None:
            nbytes = self._result.Get_elements(MPI.BYTE)
            _copy_status(self._result, nbytes, status)
        return True

    def Wait(self, status: MPI.Status | None = None) -> bool:
        """Wait for the transfer; return True."""
        return self._end(status)

    def Test(self, status: MPI.Status | None = None) -> bool:
        """Return whether the transfer is complete, without waiting."""
        if not self._operation.is_done:
            self._engine.poll()
        return self._operation.is_done and self._end(status)

    wait = Wait
    test = Test
