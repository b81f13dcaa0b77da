"""Kernels that use only their global index, in grids of every shape.

The CPU device merges the blocks of a grid row into one long block in such
kernels (docs/design/jit.md); each element must still be processed once for
each thread that has its index.
"""

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void guarded(int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ADD(1);
}

__global__ void plain(int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ADD(1);
}

__global__ void wide(int *count, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ADD(1);
}

__global__ void inner(int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 3 && i < n)
        ADD(1);
}

__global__ void stride(int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x)
        ADD(1);
}

__global__ void sizes(int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ADD(blockDim.x + 1000 * gridDim.x);
}

__global__ void blocks(int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ADD(1 + blockIdx.x);
}
"""
LENGTH = 5000


@pytest.fixture(scope="module")
def module(context):
    return SourceModule("#define ADD(x) count[i] += x\n" + SOURCE)


@pytest.fixture(scope="module")
def atomic_module(context):
    return SourceModule("#define ADD(x) atomicAdd(&count[i], x)\n" + SOURCE)


def run(module, name, block, grid, n):
    count = gpuarray.zeros(LENGTH, np.int32)
    number = np.uint64(n) if name == "wide" else np.int32(n)
    kernel = module.get_function(name)
    kernel(count, number, block=(*block, 1, 1)[:3], grid=grid)
    cuda.Context.synchronize()
    return count.get()


def expected(name, block, grid, n):
    """Return the amount that one row of blocks adds to each element."""
    index = np.arange(LENGTH)
    threads = block * grid
    met = index < (min(n, LENGTH) if name == "stride" else threads)
    if name != "plain":
        met &= index < n
    if name == "inner":
        met &= index >= 3
    once = {
        "sizes": block + 1000 * grid,
        "blocks": 1 + index // block,
    }.get(name, 1)
    return np.where(met, once, 0)


@pytest.mark.parametrize(
    "name",
    ["guarded", "plain", "wide", "inner", "stride", "sizes", "blocks"],
)
@pytest.mark.parametrize(
    ("block", "grid"), [(256, 1), (1, 37), (7, 33), (64, 64), (1024, 4)]
)
@pytest.mark.parametrize("n", [0, 1, 2, 200, 1111, 4097, LENGTH])
def test_each_index_once(module, name, block, grid, n):
    found = run(module, name, (block,), (grid, 1), n)
    np.testing.assert_array_equal(found, expected(name, block, grid, n))


@pytest.mark.parametrize("name", ["guarded", "wide", "inner", "sizes"])
@pytest.mark.parametrize(
    ("block", "grid", "times"),
    [
        ((8, 3), (9, 1), 3),
        ((8, 1, 2), (9, 1), 2),
        ((8, 1), (9, 5), 5),
        ((4, 2, 3), (9, 2), 12),
        ((8, 1), (9, 1), 1),
    ],
)
def test_several_rows(atomic_module, name, block, grid, times):
    found = run(atomic_module, name, block, grid, 60)
    np.testing.assert_array_equal(
        found, times * expected(name, block[0], grid[0], 60)
    )
