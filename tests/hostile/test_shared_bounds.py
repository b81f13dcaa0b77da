"""Out-of-bounds indices of shared memory cannot reach the process's heap."""

# SPDX-License-Identifier: MIT

import mmap
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

# The unsigned index of thread 0 wraps around to 2^32 - 1.
WRAPPED = """
#define SHIFT(s)                  \\
    s[threadIdx.x] = s[0];        \\
    __syncthreads();              \\
    auto *at = &s[threadIdx.x - 1]; \\
    WRITE
__global__ void bytes() { __shared__ char s[64]; SHIFT(s); }
__global__ void words() { __shared__ int s[64]; SHIFT(s); }
__global__ void wide() { extern __shared__ double2 d[]; SHIFT(d); }
__global__ void rows()
{
    __shared__ float s[16][4];
    s[threadIdx.x / 4][threadIdx.x % 4] = 0;
    __syncthreads();
    float *at = &s[threadIdx.x / 4 - 1][threadIdx.x % 4];
    WRITE;
}
__global__ void local(float *out)
{
    float s[64];
    for (int i = 0; i < 64; i++) s[i] = out[i];
    float *at = &s[threadIdx.x - 1];
    WRITE;
    out[threadIdx.x] = s[threadIdx.x];
}
"""


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


def grow_arena(total: int) -> list[drv.DeviceAllocation]:
    """Occupy every fourth GiB of the first `total` GiB of device memory."""
    if drv.mem_get_info()[0] < (total // 4 + 2) << 30:
        pytest.skip(f"less than {total // 4 + 2} GiB of memory are free")
    held = []
    for index in range(total):
        held.append(drv.mem_alloc(1 << 30))
        if index % 4:
            held.pop().free()
    return held


def map_host(gigabytes: int) -> mmap.mmap:
    """Map memory without pages, so that later mappings are below it."""
    no_reserve = 0x4000
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    return mmap.mmap(-1, gigabytes << 30, flags=flags)


WRITES = {
    "*at = *(at + 1)": ["bytes", "words", "wide", "rows", "local"],
    "atomicAdd((int *)at, 1)": ["words", "rows", "local"],
}


@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    ("write", "name"),
    [(write, name) for write, names in WRITES.items() for name in names],
)
def test_wrapped_indices_reach_no_other_memory(
    own_context: None, write: str, name: str
) -> None:
    """The address is up to 64 GiB beyond the variable, where nothing is."""
    kernel = SourceModule(WRAPPED.replace("WRITE", write)).get_function(name)
    out = drv.to_device(np.zeros(64, np.float32))
    held = grow_arena(68)
    mapped = map_host(70) if name != "local" else None
    with pytest.raises(drv.LogicError, match="illegal memory access"):
        arguments = [out] if name == "local" else []
        kernel(*arguments, block=(64, 1, 1), shared=2048)
        drv.Context.synchronize()
    del held, mapped
