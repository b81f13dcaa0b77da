"""Which driver calls wait while another thread waits inside of the driver.

Usage: ``python benchmarks/driver_waits.py`` on a GPU.  While a kernel runs
for half a second, one thread waits for it in one function (rows), and another
thread calls a function that should not wait (columns): its milliseconds.
The second table has the cost of two ways to mark a place in a stream, in
microseconds for one pair of an empty kernel and a mark.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from common import print_table

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

cuda.init()
context = cuda.Device(0).retain_primary_context()
context.push()
driver = ctypes.CDLL("libcuda.so.1")
module = SourceModule("""
__global__ void spin(long long n)
{
    long long start = clock64();
    while (clock64() - start < n) { }
}
__global__ void nothing() { }
""")
spin, nothing = module.get_function("spin"), module.get_function("nothing")
long = ctypes.c_uint64
CYCLES = cuda.Device(0).get_attribute(cuda.device_attribute.CLOCK_RATE) * 500

memory = cuda.mem_alloc(1 << 20)
host = ctypes.create_string_buffer(1 << 20)
pinned = cuda.pagelocked_empty(
    4096, "u1", mem_flags=cuda.host_alloc_flags.DEVICEMAP
)
words = int(pinned.base.get_device_pointer())
side = cuda.Stream()


def new_event() -> Any:
    event = ctypes.c_void_p()
    driver.cuEventCreate(ctypes.byref(event), 2)
    return event


def freed() -> int:
    pointer = long()
    driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4 << 20))
    return driver.cuMemFree_v2(pointer)


def fill_queue() -> None:
    """Launch more kernels than the driver's queue holds."""
    for _ in range(5000):
        nothing(block=(1, 1, 1))


WAITS: dict[str, Callable[[], object]] = {
    "cuStreamSynchronize": lambda: driver.cuStreamSynchronize(None),
    "cuCtxSynchronize": lambda: driver.cuCtxSynchronize(),
    "cuEventSynchronize": lambda: driver.cuEventSynchronize(marked),
    "cuMemcpyDtoH, 32 bytes": lambda: driver.cuMemcpyDtoH_v2(
        host, long(int(memory)), ctypes.c_size_t(32)
    ),
    "cuMemcpyDtoH, 1 MiB": lambda: driver.cuMemcpyDtoH_v2(
        host, long(int(memory)), ctypes.c_size_t(1 << 20)
    ),
    "cuMemFree": freed,
    "a launch into a full queue": fill_queue,
}
CALLS: dict[str, Callable[[], object]] = {
    "EventQuery": lambda: driver.cuEventQuery(marked),
    "EventDestroy": lambda: driver.cuEventDestroy_v2(new_event()),
    "EventDestroy of a pending one": lambda: driver.cuEventDestroy_v2(pending),
    "CtxPushCurrent": lambda: (
        driver.cuCtxPushCurrent_v2(ctypes.c_void_p(context.handle)),
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p())),
    ),
    "StreamWriteValue64": lambda: driver.cuStreamWriteValue64_v2(
        ctypes.c_void_p(side.handle), long(words), long(1), 0
    ),
}
marked, pending = new_event(), new_event()


def waited(wait: Callable[[], object], call: Callable[[], object]) -> str:
    """Return the milliseconds of a call during a wait."""
    global pending
    context.synchronize()
    spin(np.int64(CYCLES), block=(1, 1, 1))
    driver.cuEventRecord(marked, None)
    pending = new_event()
    driver.cuEventRecord(pending, None)
    begin = time.perf_counter()

    def enter() -> None:
        context.push()
        wait()
        context.pop()

    thread = threading.Thread(target=enter)
    thread.start()
    time.sleep(0.1)
    start = time.perf_counter()
    call()
    took = time.perf_counter() - start
    thread.join()
    whole = time.perf_counter() - begin
    return f"{took * 1e3:.2f}" if whole > 0.2 else "no wait"


def mark_cost(mark: Callable[[], object]) -> str:
    best = float("inf")
    for _ in range(5):
        side.synchronize()
        start = time.perf_counter()
        for _ in range(500):
            nothing(block=(1, 1, 1), stream=side)
            mark()
        issued = time.perf_counter()
        side.synchronize()
        best = min(best, time.perf_counter() - start)
    return f"{best / 500 * 1e6:.2f} (issue {(issued - start) / 500 * 1e6:.2f})"


def main() -> None:
    rows: list[list[object]] = [
        [name, *(waited(wait, call) for call in CALLS.values())]
        for name, wait in WAITS.items()
    ]
    print_table(["waits in", *CALLS], rows)
    stream, event = ctypes.c_void_p(side.handle), new_event()
    address = long(words)
    marks: dict[str, Callable[[], object]] = {
        "none": lambda: None,
        "cuEventRecord": lambda: driver.cuEventRecord(event, stream),
        "cuStreamWriteValue64": lambda: driver.cuStreamWriteValue64_v2(
            stream, address, long(1), 0
        ),
        "the same, no barrier": lambda: driver.cuStreamWriteValue64_v2(
            stream, address, long(1), 1
        ),
    }
    print_table(
        ["mark", "microseconds"],
        [[name, mark_cost(mark)] for name, mark in marks.items()],
    )


if __name__ == "__main__":
    main()
