"""Several threads end one object while the device still works.

The first call waits for the device without the GIL.  The others must not
end the object once more.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
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
