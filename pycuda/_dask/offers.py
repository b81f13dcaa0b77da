"""Arrays that this process offers to other processes of the host by IPC.

The receiver of an offer connects to a socket of the owner, which answers
whether the array still exists, and keeps it until the receiver disconnects.  A
receiver that cannot open the memory asks for its bytes instead.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import atexit
import itertools
import os
import socket
import threading
import time
import weakref
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

import numpy as np

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda._array.ipc import described
from pycuda.gpuarray import GPUArray

_KEEP_S = 120.0  # seconds for which an array is kept for a receiver


class _Offers:
    """The offers of this process, and the threads that answer receivers."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.key = os.urandom(16)
        self.listener = Listener(None, "AF_UNIX", 64, authkey=self.key)
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        # Number -> (array, time of the offer), until a receiver has the array
        self._kept: dict[int, tuple[GPUArray, float]] = {}
        self._known: weakref.WeakValueDictionary[int, GPUArray] = (
            weakref.WeakValueDictionary()
        )
        threading.Thread(
            target=self._serve, name="pycuda-dask-offers", daemon=True
        ).start()
        atexit.register(self.listener.close)

    def add(self, array: GPUArray) -> dict[str, Any]:
        """Offer an array; return a dict by which `take` receives it."""
        handle = array.ipc_handle()
        number = next(self._numbers)
        with self._lock:
            self._drop_old()
            self._kept[number] = array, time.monotonic()
            self._known[number] = array
        self._later()
        return {
            "address": self.listener.address,
            "key": self.key,
            "number": number,
            "host": socket.gethostname(),
            "handle": handle,
        }

    def _drop_old(self) -> None:
        oldest = time.monotonic() - _KEEP_S
        for number, (_, offered) in list(self._kept.items()):
            if offered < oldest:
                del self._kept[number]

    def _later(self) -> None:
        """Drop offers without a receiver when their time is over."""

        def drop() -> None:
            with self._lock:
                self._drop_old()

        timer = threading.Timer(_KEEP_S + 1, drop)
        timer.daemon = True
        timer.start()

    def _serve(self) -> None:
        while True:
            try:
                connection = self.listener.accept()
            except OSError:
                return  # exit has closed the listener
            except Exception:  # for example, the receiver has no key
                continue
            threading.Thread(
                target=self._answer, args=(connection,), daemon=True
            ).start()

    def _answer(self, connection: Connection) -> None:
        with connection:
            try:
                number = int(connection.recv_bytes(64))
                with self._lock:
                    array = self._known.get(number)
                connection.send_bytes(b"gone" if array is None else b"here")
                if array is not None and connection.recv_bytes(64) == b"bytes":
                    connection.send_bytes(array.get().tobytes("A"))
                    connection.recv_bytes(64)
            except (EOFError, OSError, ValueError):
                return
            with self._lock:
                self._kept.pop(number, None)


_offers: _Offers | None = None
_start = threading.Lock()


def offer(array: GPUArray) -> dict[str, Any]:
    """Offer an array to one or more processes of this host.

    The array is kept until the first receiver has taken it, and no longer
    than two minutes; after that, for as long as the program keeps it.

    Returns
    -------
    dict
        What `take` needs.

    Raises
    ------
    pycuda.driver.Error
        If the memory cannot be shared.
    """
    global _offers
    with _start:
        if _offers is None or _offers.process != os.getpid():
            _offers = _Offers()
    return _offers.add(array)


def take(offered: dict[str, Any]) -> GPUArray:
    """Return a copy of an array that another process, or this one, offers.

    Raises
    ------
    RuntimeError
        If the owner is on another host, has ended, or no longer has the array.
    """
    number = offered["number"]
    try:
        connection = Client(
            offered["address"], "AF_UNIX", authkey=offered["key"]
        )
    except OSError as error:
        raise RuntimeError(
            f"an array of a process on {offered['host']} cannot be received "
            f"on {socket.gethostname()}: {error}. If these are different "
            "hosts behind one address, set PYCUDA_DASK_IPC=0 for the workers"
        ) from None
    with connection:
        connection.send_bytes(b"%d" % number)
        if connection.recv_bytes(64) != b"here":
            raise RuntimeError(
                f"array {number} of a process on {offered['host']} was freed "
                "before it was received"
            )
        result = _copied(offered["handle"], connection)
        connection.send_bytes(b"done")
    return result


def _copied(handle: bytes, connection: Connection) -> GPUArray:
    """Copy the offered array: from its memory, or else as bytes."""
    try:
        theirs = GPUArray.from_ipc_handle(handle)
    except drv.Error:
        # Owner and receiver are one process, or their devices have no peer
        # access.
        theirs = None
    if theirs is None:
        connection.send_bytes(b"bytes")
        return _received(handle, connection.recv_bytes())
    order = "C" if theirs.flags.c_contiguous else "F"
    result = gpuarray.empty(theirs.shape, theirs.dtype, order=order)
    drv.memcpy_dtod(result.gpudata, theirs.gpudata, theirs.nbytes)
    _driver._memory_wait(result)
    return result


def _received(handle: bytes, data: bytes) -> GPUArray:
    shape, strides, dtype = described(handle)
    host = np.ndarray(shape, dtype, data, strides=strides)
    return gpuarray.to_gpu(host)
