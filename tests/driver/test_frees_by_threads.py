"""Several threads end one object while the device still works.

The first call waits for the device without the GIL.  The others must not
end the object once more.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

# About 0.3 s
SPIN = """
__global__ void spin()
{
    for (long long start = clock64(); clock64() - start < 300000000;) {}
}
"""
IMAGE = np.ones((8, 8), np.float32)


def _texture() -> Any:
    return drv.TextureObject(drv.matrix_to_array(IMAGE, "C"))


OBJECTS: dict[str, Callable[[], Any]] = {
    "Array": lambda: drv.matrix_to_array(IMAGE, "C"),
    "TextureObject": _texture,
    "DeviceAllocation": lambda: drv.mem_alloc(1 << 20),
    "PagelockedHostAllocation": lambda: drv.pagelocked_empty(99, "f4").base,
    "ManagedAllocation": lambda: drv.managed_empty(99, "f4", mem_flags=1).base,
}


@pytest.mark.parametrize("name", OBJECTS)
def test_several_threads_free_an_object(context: Any, name: str) -> None:
    spin = SourceModule(SPIN).get_function("spin")
    owned = OBJECTS[name]()
    stream = drv.Stream()
    errors: list[BaseException] = []

    def free() -> None:
        context.push()
        try:
            owned.free()
        except drv.LogicError as error:
            # Page-locked memory may be freed once, as in PyCUDA.
            if "freed" not in str(error):
                errors.append(error)
        finally:
            context.pop()

    threads = [threading.Thread(target=free) for _ in range(3)]
    spin(block=(1, 1, 1), stream=stream)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    stream.synchronize()
    other = OBJECTS[name]()
    other.free()


ADD_ONE = """
__global__ void add_one(float *to, const float *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i] + 1;
}
"""
COUNT = 5000
HOST = np.zeros(COUNT, np.float32)
USES: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a.sum().get(),
    lambda a, b: a.get(),
    lambda a, b: a.set(HOST),
    lambda a, b: a.fill(1),
    lambda a, b: a[::2].copy(),
    lambda a, b: a[HOST > 0],
    lambda a, b: a.reshape(50, 100).T.copy(),
    lambda a, b: np.dot(a, b),
    lambda a, b: a.__dlpack__(),
    lambda a, b: drv.memcpy_dtoh(HOST.copy(), a.gpudata),
    lambda a, b: drv.memcpy_dtod(a.gpudata, b.gpudata, HOST.nbytes),
    lambda a, b: drv.mem_get_address_range(a.gpudata),
]


def test_arrays_are_freed_while_other_threads_use_them(context: Any) -> None:
    """A use is complete, or a LogicError; nothing else breaks."""
    kernel = SourceModule(ADD_ONE).get_function("add_one")
    size = {"block": (128, 1, 1), "grid": (40, 1)}
    arrays = [gpuarray.zeros(COUNT, np.float32) for _ in range(3)]
    results: Counter[type] = Counter()
    is_over = threading.Event()

    def use(seed: int) -> None:
        draw = random.Random(seed)
        context.push()
        stream = drv.Stream()
        uses = [
            *USES,
            lambda a, b: kernel(a, b, np.int32(COUNT), **size),
            lambda a, b: kernel(a, b, np.int32(COUNT), **size, stream=stream),
            lambda a, b: a.get_async(stream),
        ]
        while not is_over.is_set():
            try:
                draw.choice(uses)(draw.choice(arrays), draw.choice(arrays))
                results[bool] += 1
            except Exception as error:
                results[type(error)] += 1
        context.pop()

    threads = [threading.Thread(target=use, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(300):
        array = arrays[turn % 3]
        arrays[turn % 3] = gpuarray.zeros(COUNT, np.float32)
        array.gpudata.free()
        time.sleep(0.002)
    is_over.set()
    for thread in threads:
        thread.join()
    assert results[bool] > 0
    assert set(results) <= {bool, drv.LogicError}, results
    drv.Context.synchronize()
    assert (gpuarray.arange(9, dtype=np.float32).get() == np.arange(9)).all()
