"""Waits, reads and pools after another library has switched the context.

Run by test_switched_contexts.py with the path of the driver library and two
device numbers. Prints the names of the calls that waited for or worked in the
wrong context.
"""

# SPDX-License-Identifier: MIT

import ctypes
import gc
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from cross_context import COUNT, Side
from switched_contexts import Library

import pycuda.driver as drv
from pycuda import _driver
from pycuda.tools import DeviceMemoryPool

POINTER_ATTRIBUTE_CONTEXT = 1


def context_of(library: Library, pointer: int) -> int | None:
    """Return the native context of device memory."""
    handle, address = ctypes.c_void_p(), ctypes.c_uint64(int(pointer))
    code = library.driver.cuPointerGetAttribute(
        ctypes.byref(handle), POINTER_ATTRIBUTE_CONTEXT, address
    )
    assert code == 0, code
    return handle.value


class Cycle:
    """Garbage that holds memory; its destructor allocates memory."""

    def __init__(self, memory: drv.DeviceAllocation, made: list) -> None:
        self.cycle, self.memory, self.made = self, memory, made

    def __del__(self) -> None:
        self.made.append(drv.mem_alloc(4096))


class Program:
    """Two contexts; `ours` is the top of this thread's stack."""

    def __init__(self, path: str, first: int, second: int) -> None:
        self.library = Library(path)
        self.ours = drv.Device(first).make_context()
        self.here = self.library.current()
        self.theirs = drv.Device(second).make_context()
        self.there = self.library.current()
        drv.Context.pop()
        self.side, self.other = Side(self.ours), Side(self.theirs)
        self.streams = [drv.Stream(), drv.Stream()]

    def shared_memory(self, foreign: int | None) -> bool:
        """A consumer's request waits for work on several streams."""
        x = self.side.array(0)
        for stream in self.streams:
            self.side.write_slowly(x, 5, stream)
        self.library.switch(foreign)
        waited = x.__cuda_array_interface__["stream"] is None
        return waited and all(stream.is_done() for stream in self.streams)

    def timed_launch(self, foreign: int | None) -> bool:
        """The wait before a timed launch is for the kernel's context."""
        x = self.side.array(0)
        self.library.switch(foreign)
        seconds = self.side.add_kernel(
            x, np.int32(COUNT), block=(32, 1, 1), time_kernel=True
        )
        return seconds > 0 and (x.get() == 1).all()

    def memory_of_another_context(self, foreign: int | None) -> bool:
        """The default stream waits for another context's work."""
        x, y = self.other.array(0), self.side.array(0)
        self.other.write_slowly(x, 5)
        self.library.switch(foreign)
        drv.memcpy_dtod_async(y.gpudata, x.gpudata, x.nbytes)
        return (self.side.read(y) == 5).all()

    def thread_without_context(self, foreign: int | None) -> bool:
        """A read leaves the current context of another library alone."""
        x = self.side.array(6)

        def read(handle: int | None) -> bool:
            self.library.switch(handle)
            good = (x.get() == 6).all() and (x[::-1].get() == 6).all()
            return good and self.library.current() == handle

        with ThreadPoolExecutor(1) as pool:
            return all(pool.map(read, (foreign, self.here)))

    def pool_without_memory(self, foreign: int | None) -> bool:
        """Destructors that use pycuda do not change the pool's context."""
        self.theirs.push()
        pool = DeviceMemoryPool()
        free = drv.mem_get_info()[0]
        made: list[drv.DeviceAllocation] = []
        gc.disable()
        Cycle(drv.mem_alloc(free // 4 * 3), made)
        drv.Context.pop()
        self.library.switch(foreign)
        block = pool.allocate(free // 2)
        gc.enable()
        return (
            context_of(self.library, block) == self.there
            and [context_of(self.library, m) for m in made] == [self.here]
            and self.library.current() == foreign
        )


def run(path: str, first: int, second: int) -> list[str]:
    drv.init()
    program = Program(path, first, second)
    calls = [
        program.shared_memory,
        program.timed_launch,
        program.memory_of_another_context,
        program.thread_without_context,
    ]
    if _driver._device_kind() == "cpu":  # its memory is small
        calls.append(program.pool_without_memory)
    wrong = []
    for foreign in (program.there, None):
        for call in calls:
            try:
                good = call(foreign)
            except drv.Error as error:
                good = False
                print(call.__name__, error)
            if not good:
                kind = "other" if foreign else "no"
                wrong.append(f"{call.__name__}, {kind} context")
            program.library.switch(program.here)
    drv.Context.pop()
    return wrong


if __name__ == "__main__":
    found = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    print("\n".join(found) or "all right")
    sys.exit(bool(found))
