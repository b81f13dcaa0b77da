"""Launches that find the driver's queue full.

Usage: ``python full_queue_runner.py NAME``, with the driver of
``limited_queue.c`` in PYCUDA_CPU_LIBRARY. Prints the number of launches that
waited with the GIL, the number that waited without it, and the number of
events created.

SPDX-License-Identifier: MIT
"""

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

room = ctypes.CDLL(os.environ["PYCUDA_CPU_LIBRARY"])
kernel = SourceModule("""
    __global__ void slow(unsigned *out, int n)
    {
        unsigned x = 1;
        for (int i = 0; i < n; i++)
            x = x * 1664525u + (x >> 3);
        if (x == 12345u)
            *out = x;
    }""").get_function("slow")
out = drv.mem_alloc(4)


def launch(
    count: int, stream: drv.Stream | None = None, n: int = 40000
) -> None:
    """Launch the kernel `count` times."""
    for _ in range(count):
        kernel(out, np.int32(n), block=(1, 1, 1), stream=stream)


def together(*calls: Callable[[], object]) -> None:
    """Call each function repeatedly for 2 seconds, in its own thread."""
    end = time.monotonic() + 2

    def work(call: Callable[[], object]) -> None:
        pycuda.autoinit.context.push()
        while time.monotonic() < end:
            call()
        drv.Context.pop()

    threads = [threading.Thread(target=work, args=(c,)) for c in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def ended_streams() -> None:
    """Launches wait on streams whose Stream object is already deleted."""
    for _ in range(20):
        launch(200, drv.Stream(1))


def many_streams(count: int = 12) -> None:
    """More streams than have counters of their own."""
    streams = [drv.Stream(1) for _ in range(count)]
    for turn in range(6000):
        launch(1, streams[turn % count])


def waits() -> None:
    """Threads launch while other threads wait for the context."""
    wait = drv.Context.synchronize
    together(lambda: (launch(600, n=3), launch(30)), wait, wait)


def churn() -> None:
    """Threads create and delete streams; another uses the default stream."""
    together(*[lambda: launch(100, drv.Stream(1))] * 2, lambda: launch(50))


def refused() -> None:
    """Rejected launches: the kernel belongs to another context."""
    other = drv.Device(0).make_context()
    for _ in range(2000):
        try:
            launch(1)
        except drv.LogicError:
            continue
        raise AssertionError("it was launched")
    other.pop()


globals()[sys.argv[1]]()
drv.Context.synchronize()
names = ("kept", "given", "events")
print(*(ctypes.c_int.in_dll(room, f"room_{name}").value for name in names))
