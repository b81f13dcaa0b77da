"""Failed kernels: every later error names the kernel and says it persists."""

import re

from isolated import run

HEAD = """
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule
drv.init()
context = drv.Device(0).make_context()
get = SourceModule('''
__global__ void good(int *x) { *x = 1; }
__global__ void wild(int *x, int y) { *(volatile int *)16 = y; }
''').get_function
x = drv.to_device(np.zeros(1, np.int32))
def told(call, *arguments):
    try:
        call(*arguments)
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
    return "nothing"
"""


def test_the_kernel_is_named() -> None:
    out = run(
        HEAD
        + """
get("good")(x, block=(1, 1, 1))
drv.Context.synchronize()
get("wild")(x, np.int32(3), block=(32, 2, 1), grid=(4, 1))
first = told(drv.Context.synchronize)
print(first)
print(told(drv.memcpy_dtoh, np.zeros(1, np.int32), x))
print(told(lambda: get("good")(x, block=(1, 1, 1))))
"""
    ).splitlines()
    assert len(out) == 3
    for line, routine in zip(
        out, ("cuCtxSynchronize", "cuMemcpyDtoH", "cu"), strict=True
    ):
        assert line.startswith(f"LogicError: {routine}")
        assert "an illegal memory access was encountered" in line
        assert "its context cannot be used any more" in line
        assert (
            "kernel 'wild', grid (4, 1, 1), block (32, 2, 1); before it 'good'"
            in line
        )


def test_operations_that_are_made_again_are_named() -> None:
    out = run(
        HEAD
        + """
from pycuda import gpuarray
small, large = (gpuarray.zeros(n, np.float32) for n in (10, 100_000))
for _ in range(4):
    small + small
    large + large
for _ in range(4):
    small + small
drv.Context.synchronize()
get("wild")(x, np.int32(3), block=(1, 1, 1))
print(told(drv.Context.synchronize))
"""
    )
    named = re.findall(r"'(\w+)', grid \((\d+), 1, 1\)", out)
    assert len(named) == 3 and named[0] == ("wild", "1")
    assert named[1][1] == "1" < named[2][1]


def test_calls_that_are_made_again_are_named() -> None:
    """Errors of repeated calls have the launch's own shape."""
    out = run(
        HEAD
        + """
from pycuda import gpuarray
array = gpuarray.zeros(10, np.float32)
good, may = get("good"), SourceModule('''
__global__ void may(int *x, int wild) { if (wild) *(volatile int *)16 = 1; }
''').get_function("may")
prepared = may.prepare("Pi").prepared_call
small, large, none = (4, 1, 1), (6, 1, 1), np.int32(0)
for _ in range(3):
    prepared((1, 1), small, x, 0)
print(told(prepared, (1, 1), large, x, 1 << 40)[:9])  # no launch
for _ in range(3):
    prepared((1, 1), large, x, 0)
for _ in range(3):
    may(x, none, block=small)
for _ in range(3):
    array + array
prepared((2, 1), small, x, 0)
for _ in range(3):
    may(x, none, block=small, grid=(3, 1))
    good(x, block=large, grid=(3, 1))
for _ in range(3):
    prepared((3, 1), small, x, 0)
may(x, np.int32(1), block=small, grid=(3, 1))
print(told(drv.Context.synchronize))
"""
    )
    first, last = out.splitlines()
    assert "nothing" not in first
    shapes = re.findall(r"'(\w+)', grid \((\d), 1, 1\), block \((\d),", last)
    assert shapes == [("may", "3", "4"), ("good", "3", "6"), ("may", "3", "4")]


def test_the_shape_of_a_call_that_came_to_nothing_is_not_named() -> None:
    out = run(
        HEAD
        + """
may = SourceModule('''
__global__ void may(int *x, int wild) { if (wild) *(volatile int *)16 = 1; }
''').get_function("may")
prepared = may.prepare("Pi").prepared_call
small, large = (4, 1, 1), (6, 1, 1)
for _ in range(3):
    prepared((1, 1), small, x, 0)
told(prepared, (1, 1), large, x, 1 << 40)
prepared((1, 1), large, x, 1)
print(told(drv.Context.synchronize))
"""
    )
    shapes = re.findall(r"'may', grid \(1, 1, 1\), block \((\d),", out)
    assert shapes == ["6", "4"]


def test_a_new_context_works_on_the_cpu_device() -> None:
    """On a GPU the driver may need a new process, which is not tested."""
    out = run(
        HEAD
        + """
get("wild")(x, np.int32(3), block=(1, 1, 1))
assert "'wild'" in told(drv.Context.synchronize)
from pycuda import _driver
if _driver._device_kind() == "cpu":
    context.detach()
    other = drv.Device(0).make_context()
    again = drv.to_device(np.arange(3, dtype=np.int32))
    assert drv.from_device(again, 3, np.int32).tolist() == [0, 1, 2]
    assert told(drv.Context.synchronize) == "nothing"
print("end")
"""
    )
    assert out == "end\n"


def test_array_operations_have_names_too() -> None:
    out = run(
        HEAD
        + """
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
wild = ElementwiseKernel("int *x", "((volatile int *)16)[i] = 1", "far_away")
array = gpuarray.zeros(10, np.int32)
wild(array)
print(told(drv.Context.synchronize))
"""
    )
    assert "'far_away'" in out and "cannot be used any more" in out


def test_kernels_have_names_when_they_were_let_go() -> None:
    out = run(
        HEAD
        + """
from pycuda import gpuarray
from pycuda.tools import clear_context_caches
class Nowhere(drv.PointerHolderBase):
    def get_pointer(self):
        return 16
a = gpuarray.GPUArray((10,), np.int32, gpudata=Nowhere())
a + a
clear_context_caches()
print(told(drv.Context.synchronize))
"""
    )
    assert (
        "kernel 'add_contiguous'" in out and "cannot be used any more" in out
    )
