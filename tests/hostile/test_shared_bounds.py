"""Out-of-bounds indices of shared memory cannot reach the process's heap."""

# SPDX-License-Identifier: MIT

from collections.abc import Iterator

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.cpu

SOURCE = """
__global__ void loops(int *out, int at)
{
    int x = threadIdx.x;
    __shared__ int s[64];
    s[x + at] = x;
    out[x] = s[x + at];
}
__global__ void barriers(int *out, int at)
{
    int x = threadIdx.x;
    __shared__ int s[64];
    s[x + at] = x;
    __syncthreads();
    out[x] = s[63 - x + at];
}
__global__ void fibers(int *out, int at)
{
    int x = threadIdx.x;
    __shared__ int s[64];
    if (x & 1)
        __syncwarp(__activemask());
    s[x + at] = x;
    out[x] = s[x + at];
}
__global__ void dynamic(int *out, int at)
{
    int x = threadIdx.x;
    extern __shared__ int s[];
    s[x + at] = x;
    out[x] = s[x + at];
}
"""
KERNELS = ["loops", "barriers", "fibers", "dynamic"]


@pytest.fixture
def own_context() -> Iterator[None]:
    """Return a context that a fault may make unusable."""
    drv.init()
    context = drv.Device(0).make_context()
    yield
    context.detach()


def run(name: str, at: int) -> list[int]:
    """Run a kernel that accesses shared memory from index `at` on."""
    out = drv.to_device(np.zeros(64, np.int32))
    kernel = SourceModule(SOURCE).get_function(name)
    shared = 256 if name == "dynamic" else 0
    kernel(out, np.int32(at), block=(64, 1, 1), shared=shared)
    drv.Context.synchronize()
    return drv.from_device(out, 64, np.int32).tolist()


@pytest.mark.parametrize("name", KERNELS)
def test_a_few_bytes_outside(own_context: None, name: str) -> None:
    """The adjacent bytes are unused, as on a GPU."""
    numbers = list(range(64))
    right = numbers[::-1] if name == "barriers" else numbers
    for at in (0, 1, 63, 64, 250, -1, -64, -250):
        assert run(name, at) == right, at


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("bytes_outside", [100_000, 240_000, -20_000])
def test_far_outside(own_context: None, name: str, bytes_outside: int) -> None:
    with pytest.raises(drv.LogicError, match="illegal memory access"):
        run(name, bytes_outside // 4)
