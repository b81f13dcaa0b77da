"""Requests, which complete transfers between two ranks."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpi4py import MPI


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
        if status is not None:
            status.Set_source(self._status.Get_source())
            status.Set_tag(self._status.Get_tag())
            status.Set_error(self._status.Get_error())
            status.Set_elements(MPI.BYTE, nbytes)
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

    wait, test = Wait, Test

    @staticmethod
    def Waitall(
        requests: Sequence[Request], statuses: list[MPI.Status] | None = None
    ) -> bool:
        """Wait for all transfers; return True."""
        for i, request in enumerate(requests):
            request.Wait(None if statuses is None else statuses[i])
        return True
