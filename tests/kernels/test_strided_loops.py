"""Loops over i = first + threadIdx.x, += step, in kernels with barriers.

On the CPU device all threads of a block run such loops together, and may
prefetch the data of slow iterations (`stride.c` and `prefetch.c` in
`src/jit/regions`).
"""

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void histogram(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned own[256];
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    int threads = blockDim.x * blockDim.y;
    for (int i = t; i < 256; i += threads)
        own[i] = 0;
    __syncthreads();
    for (int y = threadIdx.y; y < 3; y += blockDim.y)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
             i += gridDim.x * blockDim.x)
            atomicAdd(&own[in[i + y]], 1u);
    __syncthreads();
    for (int i = t; i < 256; i += threads)
        atomicAdd(&bins[i], own[i]);
}

__global__ void sums(int *out, const int *in, int n)
{
    __shared__ int sum, most;
    if (threadIdx.x == 0)
        sum = most = 0;
    __syncthreads();
    for (int i = 4096 * blockIdx.x + threadIdx.x; i < n; i += 4096 * gridDim.x)
    {
        atomicAdd(&sum, in[i]);
        if (in[i] > 50)
            atomicMax(&most, i);
    }
    __syncthreads();
    out[2 * blockIdx.x] = sum;
    out[2 * blockIdx.x + 1] = most;
}

// A tile with its rim, by blocks of other shapes than it.
__global__ void tile(int *out, const int *in, int width)
{
    __shared__ int s[11][19];
    for (int y = threadIdx.y; y < 11; y += blockDim.y)
        for (int x = threadIdx.x; x < 19; x += blockDim.x)
            s[y][x] = in[y * width + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 11; y += blockDim.y)
        for (int x = threadIdx.x; x < y; x += blockDim.x)
            out[y * 19 + x] = s[10 - y][18 - x] + s[y][x];
}

// Each thread writes to its own copy of the parameters.
struct Parameters { int values[8]; };
__global__ void own(int *out, const int *in, Parameters p, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x, sum = 0;
    for (int i = t; i < n; i += blockDim.x)
        sum += in[i];
    p.values[t % 8] = sum;
    s[t] = sum;
    __syncthreads();
    out[t] = s[blockDim.x - 1 - t] + p.values[n % 8];
}

// What the outer loop carries passes through the inner one.
__global__ void carried(int *out, const int *in, int width, int height)
{
    __shared__ int s[256];
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    int sum = 0, rows = 0;
    for (int y = threadIdx.y; y < height; y += blockDim.y) {
        ++rows;
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            sum = sum * 3 + in[y * width + x] + rows;
    }
    s[t] = sum + 100 * rows;
    __syncthreads();
    out[t] = s[blockDim.x * blockDim.y - 1 - t];
}

// Each thread's own numbers lie together.
__global__ void scattered(unsigned *out, const unsigned *in)
{
    __shared__ unsigned counts[8][64];
    int t = threadIdx.x;
    const unsigned *own = in + (blockIdx.x * blockDim.x + t) * 24;
    for (int k = 0; k < 8; ++k)
        counts[k][t] = 0;
    __syncthreads();
    for (int i = 0; i < 24; ++i)
        ++counts[own[i] % 8][t];
    __syncthreads();
    for (int k = 0; k < 8; ++k)
        out[(blockIdx.x * 8 + k) * blockDim.x + t] = counts[k][t];
}
"""


@pytest.fixture(scope="module", params=["1", "0"])
def module(request, context, tmp_path_factory):
    """Compile the kernels; the CPU device runs thread loops and fibers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYCUDA_CPU_REGIONS", request.param)
        return SourceModule(SOURCE, cache_dir=tmp_path_factory.mktemp("kept"))


def launch(module, name, out, *arguments, block, grid=1):
    out = gpuarray.to_gpu(out)
    function = module.get_function(name)
    function(out, *arguments, block=(*block, 1, 1)[:3], grid=(grid, 1))
    cuda.Context.synchronize()
    return out.get()


@pytest.mark.parametrize("block", [(64,), (256,), (16, 5), (1,)])
@pytest.mark.parametrize("grid", [1, 3])
@pytest.mark.parametrize("n", [0, 1, 63, 1000, 9973])
def test_histogram(module, block, grid, n):
    data = np.random.default_rng(n).integers(0, 256, n + 3).astype(np.uint8)
    found = launch(
        module,
        "histogram",
        np.zeros(256, np.uint32),
        gpuarray.to_gpu(data),
        np.int32(n),
        block=block,
        grid=grid,
    )
    right = sum(np.bincount(data[y : y + n], minlength=256) for y in range(3))
    np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("block", [32, 100])
@pytest.mark.parametrize("n", [0, 5, 4096, 20000])
def test_sums(module, block, n):
    grid = 2
    data = np.random.default_rng(n).integers(0, 100, n + 1).astype(np.int32)
    found = launch(
        module,
        "sums",
        np.zeros(2 * grid, np.int32),
        gpuarray.to_gpu(data),
        np.int32(n),
        block=(block,),
        grid=grid,
    )
    index = np.arange(n)
    for b in range(grid):
        mine = index[(index % 4096 < block) & (index // 4096 % grid == b)]
        high = mine[data[mine] > 50]
        assert found[2 * b] == data[mine].sum()
        assert found[2 * b + 1] == (high.max() if high.size else 0)


@pytest.mark.parametrize("block", [(8, 4), (32, 8), (5, 11), (19, 1), (1, 1)])
def test_tile(module, block):
    width = 23
    data = np.random.default_rng(1).integers(0, 99, (11, width))
    data = data.astype(np.int32)
    found = launch(
        module,
        "tile",
        np.full((11, 19), -1, np.int32),
        gpuarray.to_gpu(data),
        np.int32(width),
        block=block,
    )
    s = data[:, :19]
    y, x = np.indices((11, 19))
    np.testing.assert_array_equal(
        found, np.where(x < y, s[::-1, ::-1] + s, -1)
    )


@pytest.mark.parametrize("threads", [1, 17, 64])
def test_scattered(module, threads):
    grid = 3
    data = np.random.default_rng(2).integers(0, 1 << 32, (grid, threads, 24))
    found = launch(
        module,
        "scattered",
        np.zeros((grid, 8, threads), np.uint32),
        gpuarray.to_gpu(data.astype(np.uint32)),
        block=(threads,),
        grid=grid,
    )
    right = np.array([(data % 8 == k).sum(axis=2) for k in range(8)])
    np.testing.assert_array_equal(found, right.transpose(1, 0, 2))


@pytest.mark.parametrize("n", [0, 5, 64, 1000])
def test_own_parameters(module, n):
    threads = 64
    data = np.random.default_rng(n).integers(0, 99, n + 1).astype(np.int32)
    values = np.arange(1000, 1008, dtype=np.int32)
    given = np.array((values,), dtype=[("values", np.int32, 8)])[()]
    found = launch(
        module,
        "own",
        np.zeros(threads, np.int32),
        gpuarray.to_gpu(data),
        given,
        np.int32(n),
        block=(threads,),
    )
    sums = np.array([data[t:n:threads].sum() for t in range(threads)])
    own = np.where(np.arange(threads) % 8 == n % 8, sums, values[n % 8])
    np.testing.assert_array_equal(found, sums[::-1] + own)


@pytest.mark.parametrize("block", [(8, 4), (32, 8), (5, 11), (1, 1)])
@pytest.mark.parametrize("size", [(0, 0), (20, 3), (7, 30), (50, 9)])
def test_carried(module, block, size):
    (width, height), (columns, rows) = size, block
    data = np.random.default_rng(3).integers(0, 9, (height, width))
    found = launch(
        module,
        "carried",
        np.zeros(columns * rows, np.int32),
        gpuarray.to_gpu(np.append(data, 0).astype(np.int32)),
        np.int32(width),
        np.int32(height),
        block=block,
    )
    right = []
    for y, x in np.ndindex(rows, columns):
        total = 0
        mine = data[y::rows, x::columns]
        for k, v in ((k, int(v)) for k, row in enumerate(mine) for v in row):
            total = total * 3 + v + k + 1
        right.append((total + 100 * len(mine)) & 0xFFFFFFFF)
    np.testing.assert_array_equal(found.astype(np.uint32), right[::-1])
