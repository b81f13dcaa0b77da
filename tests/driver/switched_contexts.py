"""Calls after another library has switched CUDA's current context.

Run by test_switched_contexts.py with the path of the driver library and two
device numbers. Prints the number of correct calls, and names the others.
"""

# SPDX-License-Identifier: MIT

import ctypes
import sys
from collections.abc import Callable

import numpy as np

import pycuda.driver as drv
from pycuda import _driver, curandom, gpuarray
from pycuda.compiler import SourceModule

COUNT = 1 << 10
SOURCE = "__global__ void add(float *x) { x[threadIdx.x] += 1; }"


class Library:
    """Another library of the process, which calls the driver itself."""

    def __init__(self, path: str):
        self.driver = ctypes.CDLL(path)

    def current(self) -> int | None:
        handle = ctypes.c_void_p()
        assert self.driver.cuCtxGetCurrent(ctypes.byref(handle)) == 0
        return handle.value

    def switch(self, handle: int | None) -> None:
        assert self.driver.cuCtxSetCurrent(ctypes.c_void_p(handle)) == 0


def run(path: str, first: int, second: int) -> list[str]:
    drv.init()
    library = Library(path)
    ours = drv.Device(first).make_context()
    theirs = drv.Device(second).retain_primary_context()
    theirs.push()
    there = library.current()
    drv.Context.pop()
    here = library.current()
    assert here != there

    add = SourceModule(SOURCE).get_function("add")
    prepared = SourceModule(SOURCE).get_function("add").prepare("P")
    stream, event = drv.Stream(), drv.Event()
    x = gpuarray.zeros(COUNT, np.float32)
    y = gpuarray.zeros(COUNT, np.float32)
    host = np.full(COUNT, 3, np.float32)
    block = (32, 1, 1)

    def of(array: gpuarray.GPUArray) -> bool:
        return _driver._memory_home(array)[0] == ours

    def launched(*, on=None, function=add) -> bool:
        x.fill(1)
        library.switch(foreign)
        function(x, block=block, stream=on)
        return x.get()[0] == 2

    def prepared_launch() -> bool:
        x.fill(1)
        library.switch(foreign)
        prepared.prepared_call((1, 1), block, x)
        return x.get()[0] == 2

    def cooperative() -> bool:
        x.fill(1)
        library.switch(foreign)
        add(x, block=block, cooperative=True)
        return x.get()[0] == 2

    def read() -> bool:
        x.fill(4)
        library.switch(foreign)
        return (x.get() == 4).all()

    def written() -> bool:
        x.set(host)
        return (x.get() == 3).all()

    def copied() -> bool:
        drv.memcpy_htod_async(x.gpudata, host)
        library.switch(foreign)
        drv.memcpy_dtod_async(y.gpudata, x.gpudata, x.nbytes)
        library.switch(foreign)
        return (y.get() == 3).all()

    def strided() -> bool:
        y[::2] = 1
        library.switch(foreign)
        y[::2] = x[::2]
        return (y[::2].get() == x[::2].get()).all()

    def recorded() -> bool:
        event.record(stream)
        library.switch(foreign)
        event.record()
        event.synchronize()
        return event.query()

    def captured() -> bool:
        x.fill(1)
        library.switch(foreign)
        with stream.capture() as graph:
            add(x, block=block, stream=stream)
        library.switch(foreign)
        graph.instantiate().launch(stream)
        stream.synchronize()
        return x.get()[0] == 2

    calls: dict[str, Callable[[], bool]] = {
        "launch": launched,
        "launch on a stream": lambda: launched(on=stream),
        "prepared launch": prepared_launch,
        "cooperative launch": cooperative,
        "operation": lambda: ((x + 1).get() == x.get() + 1).all(),
        "reduction": lambda: gpuarray.sum(x).get() == x.get().sum(),
        "fill": lambda: (x.fill(6).get() == 6).all(),
        "memory of the pool": lambda: of(gpuarray.empty(1 << 21, np.float64)),
        "memory of the driver": lambda: drv.mem_alloc(1 << 20) is not None,
        "page-locked memory": lambda: drv.pagelocked_zeros(8, "f")[0] == 0,
        "copy": lambda: (x.copy().get() == x.get()).all(),
        "get": read,
        "set": written,
        "driver copies": copied,
        "strided copy": strided,
        "new stream": lambda: drv.Stream().is_done(),
        "events": recorded,
        "capture": captured,
        "new module": lambda: launched(
            function=SourceModule(SOURCE).get_function("add")
        ),
        "random numbers": lambda: of(curandom.rand((100,))),
        "memset": lambda: drv.memset_d32(x.gpudata, 0, 4) is None,
        "memory information": lambda: drv.mem_get_info()[1] > 0,
        "synchronize": lambda: drv.Context.synchronize() is None,
    }
    wrong = []
    for foreign in (there, None):
        for name, call in calls.items():
            library.switch(foreign)
            try:
                good = call()
            except drv.Error as error:
                good, name = False, f"{name} ({error})"
            if not good or library.current() != here:
                wrong.append(f"{name}, {'other' if foreign else 'no'} context")
    print(f"{2 * len(calls) - len(wrong)} calls, {len(wrong)} wrong")
    drv.Context.pop()
    ours.detach()
    return wrong


if __name__ == "__main__":
    found = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    print("\n".join(found) or "all right")
    sys.exit(bool(found))
