"""Uses of freed memory: each message names the line that freed it."""

# SPDX-License-Identifier: MIT

import inspect
from pathlib import Path

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray, tools
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def pooled():
    return tools.DeviceMemoryPool().allocate(64)


def texture():
    host = np.zeros((8, 8), np.float32)
    return drv.TextureObject(drv.matrix_to_array(host, "C"))


# Name: a function that allocates, one that uses the memory, what was freed.
KINDS = {
    "mem_alloc": (lambda: drv.mem_alloc(64), drv.memset_d8, "device memory"),
    "gpudata": (
        lambda: gpuarray.zeros(16, np.float32).gpudata,
        drv.memset_d8,
        "device memory",
    ),
    "pool": (pooled, drv.memset_d8, "device memory"),
    "array": (
        lambda: drv.matrix_to_array(np.zeros((8, 8), np.float32), "C"),
        lambda freed, *rest: freed.get_descriptor(),
        "array",
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_line_that_freed(name):
    allocate, use, what = KINDS[name]
    others = [drv.mem_alloc(64) for _ in range(4)]
    memory = allocate()
    memory.free()
    line = inspect.currentframe().f_lineno - 1
    for other in others:
        other.free()
    with pytest.raises(drv.LogicError) as caught:
        use(memory, 0, 4)
    said = str(caught.value)
    assert f"this {what} was freed at {__file__}:{line}" in said
    if what != "array":  # a CUDA array may be freed twice
        with pytest.raises(drv.LogicError) as caught:
            memory.free()
        assert f"was freed at {__file__}:{line}" in str(caught.value)


def test_kernels_and_arrays_of_freed_memory():
    kernel = SourceModule("__global__ void k(float *x) {}").get_function("k")
    array = gpuarray.zeros(16, np.float32)
    view = array[4:8]
    array.gpudata.free()
    said = f"was freed at {__file__}:{inspect.currentframe().f_lineno - 1}"
    for call in (
        lambda: kernel(array, block=(1, 1, 1)),
        lambda: kernel(array.gpudata, block=(1, 1, 1)),
        lambda: kernel(view, block=(1, 1, 1)),
        lambda: array + 1,
        array.get,
    ):
        with pytest.raises(drv.LogicError) as caught:
            call()
        assert said in str(caught.value)


def test_host_memory_that_was_freed_twice():
    memory = drv.pagelocked_empty(16, np.float32).base
    memory.free()
    line = inspect.currentframe().f_lineno - 1
    with pytest.raises(drv.LogicError) as caught:
        memory.free()
    assert f"this host memory was freed at {__file__}:{line}" in str(
        caught.value
    )


def test_a_free_that_is_too_long_ago():
    memory = drv.mem_alloc(64)
    memory.free()
    for _ in range(100):
        drv.mem_alloc(64).free()
    with pytest.raises(drv.LogicError, match="device memory was freed$"):
        drv.memset_d8(memory, 0, 4)


def test_objects_at_the_same_address():
    lines = set()
    for _ in range(50):
        memory = drv.mem_alloc(64)
        memory.free()
        with pytest.raises(drv.LogicError) as caught:
            drv.memset_d8(memory, 0, 4)
        lines.add(str(caught.value))
        del memory, caught
        drv.mem_alloc(64)
    assert len(lines) == 1
    assert Path(__file__).name in lines.pop()
