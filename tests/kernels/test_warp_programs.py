"""Typical warp-level programs.

Sums of blocks and rows, scans, packing and tiles, for blocks of whole warps
and other block sizes.
"""

import subprocess
import sys

import numpy as np
import pytest
import reference

import pycuda.driver as cuda

BLOCKS = [32, 64, 96, 256, 1024, 20, 100, 1000]

BLOCK_SUM = """
__device__ int sum_of_warp(int v)
{
    for (int step = 16; step > 0; step >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, step);
    return v;
}
__global__ void kernel(int *out, const int *in, int n)
{
    __shared__ int part[32];
    int t = threadIdx.x, warp = t / warpSize, lane = t % warpSize, v = 0;
    if (t < 32)
        part[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n;
         i += gridDim.x * blockDim.x)
        v += in[i];
    v = sum_of_warp(v);
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = sum_of_warp(part[lane]);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}
"""


@pytest.mark.parametrize("threads", [32, 64, 96, 256, 1024])
@pytest.mark.parametrize("n", [0, 1, 1000, 100_003])
def test_sums_of_blocks(threads, n):
    x = np.random.default_rng(n).integers(-99, 99, n + 1).astype(np.int32)
    out = np.zeros(7, np.int32)
    reference.kernel(BLOCK_SUM)(
        cuda.Out(out), cuda.In(x), np.int32(n),
        block=(threads, 1, 1), grid=(7, 1),
    )  # fmt: skip
    assert out.sum() == x[:n].sum()


ROW_SUMS = """
__global__ void kernel(float *out, const float *in, const int *first, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float v = 0;
    for (int i = first[row] + lane; i < first[row + 1]; i += 32)
        v += in[i];
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, step);
    if (lane == 0)
        out[row] = v;
}
"""


@pytest.mark.parametrize("threads", [32, 96, 256])
def test_sums_of_rows(threads):
    random = np.random.default_rng(threads)
    lengths = random.integers(0, 200, 101)
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    x = random.integers(0, 9, first[-1]).astype(np.float32)
    out = np.full(101, np.nan, np.float32)
    blocks = -(-101 * 32 // threads)
    reference.kernel(ROW_SUMS)(
        cuda.InOut(out), cuda.In(x), cuda.In(first), np.int32(101),
        block=(threads, 1, 1), grid=(blocks, 1),
    )  # fmt: skip
    parts = zip(first[:-1], first[1:], strict=True)
    assert np.array_equal(out, [x[a:b].sum() for a, b in parts])


SCAN = """
__global__ void kernel(unsigned long long *out, const unsigned *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    unsigned left = blockDim.x * blockDim.y - t / 32 * 32;
    unsigned all = left < 32 ? (1u << left) - 1 : 0xffffffffu;
    unsigned long long v = in[t];
    for (int step = 1; step < 32; step *= 2) {
        unsigned long long other = __shfl_up_sync(all, v, step);
        if (t % 32 >= step)
            v += other;
    }
    out[t] = v;
}
"""


@pytest.mark.parametrize("threads", BLOCKS)
@pytest.mark.parametrize("rows", [1, 4])
def test_scans_of_warps(threads, rows):
    width = max(threads // rows, 1)
    x = np.random.default_rng(2).integers(0, 1 << 32, width * rows)
    out = np.zeros(width * rows, np.uint64)
    reference.kernel(SCAN)(
        cuda.Out(out), cuda.In(x.astype(np.uint32)), block=(width, rows, 1)
    )
    warps = [x[i : i + 32] for i in range(0, x.size, 32)]
    expected = np.concatenate([np.cumsum(warp) for warp in warps])
    assert np.array_equal(out, expected.astype(np.uint64))


PACK = """
__global__ void kernel(int *out, unsigned *count, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = i < n ? in[i] : 0;
    unsigned votes = __ballot_sync(0xffffffffu, v > 0), start = 0;
    if (lane == 0 && votes)
        start = atomicAdd(count, __popc(votes));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (v > 0)
        out[start + __popc(votes & ((1u << lane) - 1))] = v;
}
"""


@pytest.mark.parametrize("threads", [32, 128, 320])
def test_packing_by_votes(threads):
    n = 5001
    x = np.random.default_rng(3).integers(-50, 50, n).astype(np.int32)
    out, count = np.zeros(n, np.int32), np.zeros(1, np.uint32)
    reference.kernel(PACK)(
        cuda.InOut(out), cuda.InOut(count), cuda.In(x), np.int32(n),
        block=(threads, 1, 1), grid=(-(-n // threads), 1),
    )  # fmt: skip
    stored = np.sort(x[x > 0])
    assert count[0] == stored.size
    assert np.array_equal(np.sort(out[: stored.size]), stored)
    assert not out[stored.size :].any()


ROUNDS = """
__global__ void kernel(int *out, const int *in)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x, left = in[t], rounds = 0;
    while (__any_sync(0xffffffffu, left > 0)) {
        left -= __popc(__match_any_sync(0xffffffffu, left & 3));
        ++rounds;
        if (__all_sync(0xffffffffu, left < 9))
            break;
    }
    out[t] = rounds * 1000 + left;
}
"""


@pytest.mark.parametrize("threads", [32, 64, 192])
def test_loops_that_a_warp_makes_together(threads):
    x = np.random.default_rng(4).integers(0, 90, 2 * threads)
    out = np.zeros(x.size, np.int32)
    reference.kernel(ROUNDS)(
        cuda.Out(out), cuda.In(x.astype(np.int32)),
        block=(threads, 1, 1), grid=(2, 1),
    )  # fmt: skip
    expected = []
    for left in x.reshape(-1, 32):
        rounds = 0
        while (left > 0).any():
            low = left & 3
            left = left - (low[:, None] == low[None, :]).sum(1)
            rounds += 1
            if (left < 9).all():
                break
        expected.append(rounds * 1000 + left)
    assert np.array_equal(out, np.concatenate(expected))


TRAP = """
#include <assert.h>
__global__ void kernel(int *out, int n)
{
    int v = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
    assert(v != n);
    out[threadIdx.x] = v;
}
"""


@pytest.mark.cpu
def test_an_assertion_names_its_thread(tmp_path):
    program = f"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
function = SourceModule({TRAP!r}).get_function("kernel")
function(cuda.mem_alloc(256), np.int32(41), block=(64, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print("failed", error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    assert "thread: [40,0,0]" in done.stderr, done.stderr
    assert "failed" in done.stdout


SOME_WARPS = """
__global__ void kernel(int *out, const int *in)
{
    __shared__ int s[256];
    int t = threadIdx.x, v = in[t];
    s[t] = v;
    __syncthreads();
    if (t < 64) {
        v += __shfl_xor_sync(0xffffffffu, v, 1);
        s[t] = v;
    }
    __syncthreads();
    out[t] = s[blockDim.x - 1 - t];
}
"""


@pytest.mark.parametrize("threads", [32, 64, 96, 256])
def test_some_warps_between_barriers(threads):
    x = np.random.default_rng(4).integers(0, 99, threads).astype(np.int32)
    out = np.zeros(threads, np.int32)
    reference.kernel(SOME_WARPS)(
        cuda.Out(out), cuda.In(x), block=(threads, 1, 1)
    )
    pairs = x.reshape(-1, 2).sum(1).repeat(2)
    right = np.where(np.arange(threads) < 64, pairs, x)
    assert np.array_equal(out, right[::-1])


ONE_ROW = """
__global__ void kernel(int *out, const int *in)
{
    __shared__ int s[256];
    int t = threadIdx.x + blockDim.x * threadIdx.y, v = in[t];
    s[t] = v;
    __syncthreads();
    if (threadIdx.y == 1) {
        for (int d = 8; d; d /= 2)
            v += __shfl_down_sync(0xffff0000u, v, d);
        s[t] = v;
    }
    __syncthreads();
    out[t] = s[t];
}
"""


def test_one_row_of_two_in_a_warp():
    x = np.random.default_rng(6).integers(0, 99, (16, 16)).astype(np.int32)
    out = np.zeros_like(x)
    reference.kernel(ONE_ROW)(cuda.Out(out), cuda.In(x), block=(16, 16, 1))
    assert out[1, 0] == x[1].sum()
    others = np.arange(16) != 1
    assert np.array_equal(out[others], x[others])


#: Lane 8 waits for lanes that reach a call in which it does not take part.
LANES_APART = """
__global__ void kernel(int *out, volatile int *flag)
{
    int t = threadIdx.x;
    if (t == 8) {
        while (*flag == 0)
            ;
        out[t] = *flag;
    } else if (t < 8) {
        unsigned came = __ballot_sync(0xffu, t & 1);
        if (t == 0)
            *flag = 7;
        out[t] = came;
    }
}
"""
#: Other lanes wait at another call of the same loop.
LOOPS_APART = """
__global__ void kernel(int *out, int *flag)
{
    int t = threadIdx.x, v = t;
    for (int i = 0; i < *flag + 3; i++) {
        if (t < 8)
            v = __shfl_xor_sync(0xffu, v, 1) + 1;
        else
            v = __reduce_max_sync(0xffffff00u, v);
    }
    out[t] = v;
}
"""
#: Other lanes return at another call, or before it.
CALLS_APART = """
__global__ void kernel(int *out, int *flag)
{
    int t = threadIdx.x, v = t + 1;
    if (t < 8) {
        out[t] = __shfl_xor_sync(0xffu, v, 1);
        return;
    }
    if (t < 24)
        out[t] = __reduce_add_sync(0xffff00u, v);
    else
        out[t] = *flag;
}
"""
#: The other lanes have only a return left: the mask does not matter.
OTHERS_RETURN = """
__global__ void kernel(int *out, int *flag)
{
    int t = threadIdx.x;
    out[t] = *flag;
    if (t < 16)
        out[t] = __ballot_sync(0xffu, 1);
}
"""


@pytest.mark.parametrize(
    ("source", "right"),
    [
        (LANES_APART, [0xAA] * 8 + [7] + [-1] * 23),
        (LOOPS_APART, [4, 3, 6, 5, 8, 7, 10, 9] + [31] * 24),
        (
            CALLS_APART,
            [2, 1, 4, 3, 6, 5, 8, 7] + [sum(range(9, 25))] * 16 + [0] * 8,
        ),
        pytest.param(
            *(OTHERS_RETURN, [0xFFFF] * 16 + [0] * 16), marks=pytest.mark.cpu
        ),
    ],
)
def test_masks_of_some_lanes(source, right):
    out = np.full(32, -1, np.int32)
    flag = np.zeros(1, np.int32)
    reference.kernel(source)(
        cuda.InOut(out), cuda.InOut(flag), block=(32, 1, 1)
    )
    assert out.tolist() == right
