"""Strided loops of which several iterations run together."""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SUMS = """
__global__ void sums(unsigned *out, const unsigned *in, TYPE first,
                     TYPE limit, TYPE step)
{
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, sum = 0, odd = 1;
    for (TYPE i = first + t; i < limit; i += step) {
        sum += in[i & 1023] ^ i;
        odd = odd * 3 + sum;
    }
    s[t] = sum + odd;
    __syncthreads();
    out[t] = s[blockDim.x - 1 - t];
}
"""


def rounds(first, limit, step, width, dtype):
    """Yield each thread's index in each iteration, with wraparound."""
    info = np.iinfo(dtype)
    index = (first + np.arange(width)).astype(np.int64)
    size = 1 << 32
    index = (index - info.min) % size + info.min
    while True:
        yield index, index < limit
        if not (index < limit).any():
            return
        index = np.where(
            index < limit, (index + step - info.min) % size + info.min, index
        )


@pytest.mark.parametrize("width", [256, 64, 7])
@pytest.mark.parametrize("kind", ["int", "unsigned"])
def test_sums(kind, width):
    dtype = np.int32 if kind == "int" else np.uint32
    kernel = SourceModule(SUMS.replace("TYPE", kind)).get_function("sums")
    values = np.random.default_rng(5).integers(
        0, 1 << 32, 1024, dtype=np.uint32
    )
    most = np.iinfo(dtype).max
    cases = [
        (first, first + length, step)
        for first in (0, 1, 1000)
        for length in (0, 1, 300, 5000)
        for step in (width, 256, 1000, 100000)
    ]
    cases += [(most - 4000, most - 1500, 255), (most - 9000, most - 1200, 256)]
    if kind == "unsigned":  # the first threads have no iteration
        cases += [
            ((1 << 32) - before, limit, step)
            for before in (1, 3, 6, 7, 8, 63, 64, 255, 256)
            for limit in (0, 1, 100, 5000)
            for step in (width, 256, 1000)
        ]
    for first, limit, step in cases:
        sums = np.zeros(width, np.uint32)
        odd = np.ones(width, np.uint32)
        for index, on in rounds(first, limit, step, width, dtype):
            low = index.astype(np.uint32)
            sums = np.where(on, sums + (values[low & 1023] ^ low), sums)
            odd = np.where(on, odd * np.uint32(3) + sums, odd)
        out = np.zeros(width, np.uint32)
        kernel(
            cuda.Out(out),
            cuda.In(values),
            dtype(first),
            dtype(limit),
            dtype(step),
            block=(width, 1, 1),
        )
        assert np.array_equal(out, (sums + odd)[::-1]), (first, limit, step)


def test_steps_below_zero():
    # The first index is above the limit from the start, or wraps around to it.
    kernel = SourceModule(SUMS.replace("TYPE", "int")).get_function("sums")
    out = np.zeros(32, np.uint32)
    values = np.arange(1024, dtype=np.uint32)
    kernel(
        cuda.Out(out),
        cuda.In(values),
        np.int32(50),
        np.int32(50),
        np.int32(-1),
        block=(32, 1, 1),
    )
    assert np.array_equal(out, np.ones(32))


@pytest.mark.parametrize("blocks", [1, 5, 64])
@pytest.mark.parametrize("n", [0, 255, 4096, 100003, 1 << 20])
def test_counts(n, blocks):
    source = """
    __global__ void count(unsigned *bins, const unsigned char *bytes, int n)
    {
        __shared__ unsigned own[256];
        int t = threadIdx.x;
        own[t] = 0;
        __syncthreads();
        for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
            atomicAdd(&own[bytes[i]], 1);
        __syncthreads();
        atomicAdd(&bins[t], own[t]);
    }
    """
    count = SourceModule(source).get_function("count")
    data = np.random.default_rng(n).integers(0, 256, n + 1, dtype=np.uint8)
    bins = np.zeros(256, np.uint32)
    count(
        cuda.InOut(bins),
        cuda.In(data),
        np.int32(n),
        block=(256, 1, 1),
        grid=(blocks, 1),
    )
    assert np.array_equal(bins, np.bincount(data[:n], minlength=256))


def test_loops_that_not_all_threads_come_to():
    source = """
    __global__ void part(float *out, const float *in, int n)
    {
        __shared__ float s[128];
        int t = threadIdx.x;
        float sum = 0;
        if (in[t] > 0.5f)
            for (int i = t; i < n; i += blockDim.x)
                sum += in[i];
        s[t] = sum;
        __syncthreads();
        out[t] = s[127 - t];
    }
    """
    part = SourceModule(source).get_function("part")
    values = np.random.default_rng(2).random(2000, np.float32)
    for n in (0, 100, 2000):
        out = np.zeros(128, np.float32)
        part(cuda.Out(out), cuda.In(values), np.int32(n), block=(128, 1, 1))
        right = np.array(
            [values[t:n:128].sum() * (values[t] > 0.5) for t in range(128)]
        )
        assert np.allclose(out, right[::-1], 1e-5)


def test_rounds_see_what_the_thread_wrote():
    # Each iteration reads the results of the previous one; order matters.
    source = """
    __global__ void chain(unsigned *cells, int n)
    {
        __shared__ unsigned s[64];
        int t = threadIdx.x;
        s[t] = t;
        __syncthreads();
        for (int i = t; i < n; i += 64) {
            cells[i + 64] = cells[i] * 5 + s[t];
            s[t] ^= cells[i];
        }
        __syncthreads();
        cells[t] = s[63 - t];
    }
    """
    chain = SourceModule(source).get_function("chain")
    for n in (0, 64, 500, 3000):
        cells = np.random.default_rng(1).integers(
            0, 1 << 32, n + 128, dtype=np.uint32
        )
        right = cells.copy()
        own = np.arange(64, dtype=np.uint32)
        for i in range(0, n, 64):
            on = slice(i, min(i + 64, n))
            k = slice(0, on.stop - on.start)
            right[on.start + 64 : on.stop + 64] = (
                right[on] * np.uint32(5) + own[k]
            )
            own[k] ^= right[on]
        right[:64] = own[::-1]
        chain(cuda.InOut(cells), np.int32(n), block=(64, 1, 1))
        assert np.array_equal(cells, right), n
