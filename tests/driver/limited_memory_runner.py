"""Calls that need device memory when there is none left.

Usage: ``python limited_memory_runner.py NAME``, with the driver of
``limited_memory.c`` in PYCUDA_CPU_LIBRARY. Each call is made while the pool
has idle memory, which must suffice, and while all memory is in use, which is
an error without side effects. Prints NAME if all is well.

SPDX-License-Identifier: MIT
"""

import ctypes
import gc
import os
import sys
from collections.abc import Callable

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import compiler, gpuarray
from pycuda.tools import DeviceMemoryPool

LARGE = 32 << 20  # bytes
limits = ctypes.CDLL(os.environ["PYCUDA_CPU_LIBRARY"])
limit, used, refused = (
    ctypes.c_size_t.in_dll(limits, f"scarce_{name}")
    for name in ("limit", "used", "refused")
)
SOURCE = """
    #include <cooperative_groups.h>
    __global__ void one(int *x) { *x = 1; }
    __global__ void all(int *x)
    { cooperative_groups::this_grid().sync(); *x = 1; }
"""


class Cycle:
    """Memory in a reference cycle, which only the garbage collector frees."""

    def __init__(self) -> None:
        self.cycle, self.memory = self, drv.mem_alloc(LARGE)


def check(call: Callable[[], object], sized: bool) -> None:
    """Make one call with idle memory, with garbage and with memory in use.

    Errors of calls in ``sized`` report the requested size.
    """
    call()
    for leave in (lambda: gpuarray.empty(LARGE, np.int8), Cycle):
        if leave is Cycle and call.__name__.endswith("launch"):
            continue  # this call triggers no garbage collection
        free = used.value
        leave()
        assert used.value >= free + LARGE
        limit.value, refused.value = used.value - 1, 0
        call()
        assert refused.value > 0
        assert used.value < free + LARGE
        limit.value = sys.maxsize

    stored = gpuarray.empty(LARGE, np.int8).fill(3)
    limit.value, refused.value = LARGE - 1, 0
    try:
        call()
    except drv.MemoryError as error:
        assert "out of memory" in str(error) or "failed to free" in str(error)
        if sized:
            assert "bytes requested" in str(error), str(error)
    else:
        raise AssertionError("there was no memory")
    assert refused.value > 1, "it is tried again"
    limit.value = sys.maxsize
    call()
    assert stored.get().min() == 3


def descriptor(depth: int) -> drv.ArrayDescriptor3D:
    """Return the descriptor of a 64 x 64 float array."""
    made = drv.ArrayDescriptor3D() if depth else drv.ArrayDescriptor()
    made.width, made.height, made.num_channels = 64, 64, 1
    made.format = drv.array_format.FLOAT
    if depth:
        made.depth = depth
    return made


def calls() -> dict[str, Callable[[], object]]:
    """Return the calls that allocate device memory."""
    image = compiler.compile(SOURCE)
    module = drv.module_from_buffer(image)
    x = gpuarray.zeros(1, np.int32)
    one, all_blocks = module.get_function("one"), module.get_function("all")
    prepared = module.get_function("one").prepare("P")
    pool = DeviceMemoryPool()
    stream = drv.Stream()

    def plain_launch() -> None:
        one(x, grid=(1, 1), block=(1, 1, 1))

    def array_launch() -> None:
        x.fill(1)

    def prepared_launch() -> None:
        prepared.prepared_call((1, 1), (1, 1, 1), x.gpudata)

    def cooperative_launch() -> None:
        all_blocks(x, grid=(1, 1), block=(1, 1, 1), cooperative=True)

    def pooled() -> None:
        pool.allocate(1024)
        pool.free_held()

    return {
        "plain": plain_launch,
        "prepared": prepared_launch,
        "again": array_launch,
        "cooperative": cooperative_launch,
        "module": lambda: drv.module_from_buffer(image),
        "array": lambda: drv.Array(descriptor(0)),
        "deep": lambda: drv.Array(descriptor(4)),
        "mipmap": lambda: drv.MipmappedArray(descriptor(4)),
        "pitch": lambda: drv.mem_alloc_pitch(100, 100, 4),
        "alloc": lambda: drv.mem_alloc(1024),
        "managed": lambda: drv.managed_empty(256, np.float32),
        "async": lambda: drv.mem_alloc_async(1024, stream),
        "pooled": pooled,
    }


def main() -> None:
    name = sys.argv[1]
    call = calls()[name]
    gc.collect()
    check(call, name in {"pitch", "alloc", "managed", "async"})
    print(name)


if __name__ == "__main__":
    main()
