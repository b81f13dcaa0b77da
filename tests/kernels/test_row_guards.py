"""Rows of threads that pass a condition as a whole, and scalarized memory.

The kernels have barriers; shared memory is kept in registers.
"""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

GUARD = """
__global__ void marked(unsigned char *out, TYPE start, TYPE limit)
{
    __shared__ unsigned char s[512];
    int t = threadIdx.x;
    TYPE i = start + t + blockIdx.x * blockDim.x;
    s[t] = 0;
    if (i < limit)
        s[t] = 1 + t % 7;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}
"""

EDGES = {
    "int": [0, 1, 255, 256, 257, -1, -256, -300, 2**31 - 1, 2**31 - 256]
    + [2**31 - 257, -(2**31), -(2**31) + 255],
    "unsigned": [0, 1, 255, 256, 257, 2**31, 2**32 - 1, 2**32 - 256]
    + [2**32 - 257],
}


@pytest.mark.parametrize("width", [256, 100])
@pytest.mark.parametrize("kind", sorted(EDGES))
def test_rows_at_the_ends_of_a_type(kind, width):
    # Unsigned sums may wrap around, signed ones through an unsigned type.
    dtype = np.int32 if kind == "int" else np.uint32
    marked = SourceModule(GUARD.replace("TYPE", kind)).get_function("marked")
    out = gpuarray.zeros(2 * width, np.uint8)
    threads = np.arange(width)
    for start in EDGES[kind]:
        if kind == "int" and start + 2 * width >= 2**31:
            continue  # undefined in C
        for limit in EDGES[kind]:
            marked(
                out, dtype(start), dtype(limit), block=(width, 1, 1), grid=(2,)
            )
            index = (np.int64(start) + np.arange(2 * width)).astype(dtype)
            passed = (index < dtype(limit)).reshape(2, width)
            expected = np.where(passed, 1 + threads % 7, 0)[:, ::-1]
            assert np.array_equal(out.get().reshape(2, width), expected), (
                start,
                limit,
            )


def test_both_halves_of_a_conjunction():
    source = """
    __global__ void kernel(int *out, int n, int m)
    {
        __shared__ int s[128];
        int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
        s[t] = -1;
        if (i < n && t < m)
            s[t] = out[i] + 1;
        __syncthreads();
        out[i] = s[t ^ 1];
    }
    """
    kernel = SourceModule(source).get_function("kernel")
    for n in (0, 1, 127, 128, 129, 200, 256, 300):
        for m in (0, 64, 127, 128, 500):
            out = np.arange(256, dtype=np.int32)
            lane = out % 128
            right = np.where((out < n) & (lane < m), out + 1, -1)
            right = right.reshape(-1, 2)[:, ::-1].ravel()
            kernel(
                cuda.InOut(out),
                np.int32(n),
                np.int32(m),
                block=(128, 1, 1),
                grid=(2, 1),
            )
            assert np.array_equal(out, right), (n, m)


@pytest.mark.parametrize("n", [-1, 0, 5, 64, 100])
def test_what_all_threads_do_beside_a_condition(n):
    source = """
    __global__ void kernel(int *out, int n, int rounds)
    {
        __shared__ int s[64];
        int t = threadIdx.x, same = 1;
        s[t] = t;
        __syncthreads();
        for (int k = 0; k < rounds; k++) {
            if (t < n)
                s[t] += same;
            same = same * 3 + k;
            __syncthreads();
        }
        out[t] = s[63 - t] + same;
    }
    """
    out, right, same = np.zeros(64, np.int32), np.arange(64), 1
    for k in range(4):
        right += same * (np.arange(64) < n)
        same = same * 3 + k
    kernel = SourceModule(source).get_function("kernel")
    kernel(cuda.Out(out), np.int32(n), np.int32(4), block=(64, 1, 1))
    assert np.array_equal(out, right[::-1] + same)


TREE = """
__global__ void tree(TYPE *out, const TYPE *in, int n)
{
    __shared__ TYPE part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
"""


@pytest.mark.parametrize(
    "kind, dtype",
    [
        ("float", np.float32),
        ("double", np.float64),
        ("int", np.int32),
        ("short", np.int16),
        ("unsigned char", np.uint8),
        ("long long", np.int64),
    ],
)
def test_trees_in_registers(kind, dtype):
    tree = SourceModule(TREE.replace("TYPE", kind)).get_function("tree")
    values = np.random.default_rng(3).integers(0, 50, 1024).astype(dtype)
    for n in (0, 1, 255, 256, 257, 1000, 1024):
        out = np.full(4, 77, dtype)
        tree(
            cuda.InOut(out),
            cuda.In(values),
            np.int32(n),
            block=(256, 1, 1),
            grid=(4, 1),
        )
        stored = np.where(np.arange(1024) < n, values, 0)
        right = stored.reshape(4, 256).sum(axis=1, dtype=np.int64)
        assert np.array_equal(out, right.astype(dtype)), n


def test_pointers_to_shared_memory_that_are_stored():
    source = """
    __device__ int *places[64];
    __global__ void kernel(int *out, int **through)
    {
        __shared__ int s[64], *p[64];
        int t = threadIdx.x;
        s[t] = t;
        p[t] = &s[63 - t];
        through[t] = &s[t];
        places[t] = &s[t];
        __syncthreads();
        *p[t] += 100;
        __syncthreads();
        *through[63 - t] += 1000;
        __syncthreads();
        *places[t ^ 1] *= 2;
        __syncthreads();
        out[t] = s[t];
    }
    """
    kernel = SourceModule(source).get_function("kernel")
    out = np.zeros(64, np.int32)
    through = cuda.mem_alloc(64 * 8)
    kernel(cuda.InOut(out), through, block=(64, 1, 1))
    assert np.array_equal(out, 2 * (np.arange(64) + 1100))


def test_blocks_do_not_mix():
    # All blocks of a worker use the same memory.
    source = """
    __global__ void kernel(int *out)
    {
        __shared__ int s[64];
        int t = threadIdx.x;
        if (t >= 32)
            s[t] = blockIdx.x;
        __syncthreads();
        if (t < 32)
            s[t] = s[t + 32] + t;
        __syncthreads();
        out[blockIdx.x * 64 + t] = s[63 - t];
    }
    """
    kernel = SourceModule(source).get_function("kernel")
    out = np.zeros((50, 64), np.int32)
    kernel(cuda.InOut(out), block=(64, 1, 1), grid=(50, 1))
    block, thread = np.indices(out.shape)
    low = 63 - thread
    assert np.array_equal(out, block + np.where(low < 32, low, 0))
