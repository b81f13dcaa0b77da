"""Errors of operations of several ranks."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes

from pycuda import _driver


class CommunicationError(RuntimeError):
    """An operation of several ranks has failed."""

    __module__ = "pycuda.nccl"


def report(text: str, thread: int) -> None:
    """Raise a CommunicationError in a thread.

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


_driver._nccl_set_failed(CommunicationError, report)
