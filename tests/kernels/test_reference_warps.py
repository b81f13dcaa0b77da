"""Warp operations: shuffles, votes, matches; full and partial masks."""

import numpy as np
import pytest
import reference

import pycuda.driver as cuda

REDUCE_PART = """
__global__ void kernel(int *out, const int *x, int lanes)
{
    int t = threadIdx.x, lane = t % 32;
    if (lane >= lanes)
        return;
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    int value = x[t];
    for (int offset = 16; offset > 0; offset /= 2) {
        int other = __shfl_down_sync(mask, value, offset);
        if (lane + offset < lanes)
            value += other;
    }
    if (lane == 0)
        out[t / 32] = value;
}
"""


@pytest.mark.parametrize("lanes", [1, 2, 13, 20, 31, 32])
def test_shuffle_reduction_with_a_partial_mask(lanes):
    x = np.random.default_rng(1).integers(-99, 99, 128).astype(np.int32)
    out = np.empty(4, np.int32)
    reference.kernel(REDUCE_PART)(
        cuda.Out(out), cuda.In(x), np.int32(lanes), block=(128, 1, 1)
    )
    assert np.array_equal(out, x.reshape(4, 32)[:, :lanes].sum(1))


HALVES = """
__device__ int reduce(unsigned mask, int value, int width)
{
    for (int offset = width / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(mask, value, offset, width);
    return value;
}

__global__ void kernel(int *out, const int *x)
{
    int t = threadIdx.x;
    if (t % 32 < 16)
        out[t] = reduce(0x0000ffffu, x[t], 16);
    else
        out[t] = -reduce(0xffff0000u, x[t], 16);
}
"""


def test_two_halves_of_a_warp_shuffle_apart():
    x = np.random.default_rng(2).integers(-99, 99, 64).astype(np.int32)
    out = np.empty(64, np.int32)
    reference.kernel(HALVES)(cuda.Out(out), cuda.In(x), block=(64, 1, 1))
    sums = x.reshape(4, 16).sum(1) * [1, -1, 1, -1]
    assert np.array_equal(out, np.repeat(sums, 16))


SHUFFLES = """
__global__ void kernel(int *out, double *wide)
{
    unsigned all = 0xffffffffu;
    int t = threadIdx.x, n = blockDim.x;
    out[t] = __shfl_sync(all, 100 + t, 5);
    out[n + t] = __shfl_sync(all, 100 + t, (t + 1) % 32, 8);
    out[2 * n + t] = __shfl_up_sync(all, t, 3);
    out[3 * n + t] = __shfl_down_sync(all, t, 3, 16);
    out[4 * n + t] = __shfl_xor_sync(all, t, 9);
    wide[t] = __shfl_xor_sync(all, t + 0.125, 1);
}
"""


def test_shuffles_of_every_kind():
    out, wide = np.empty((5, 32), np.int32), np.empty(32)
    reference.kernel(SHUFFLES)(cuda.Out(out), cuda.Out(wide), block=(32, 1, 1))
    t = np.arange(32)
    assert np.all(out[0] == 105)
    assert np.array_equal(out[1], 100 + t // 8 * 8 + (t + 1) % 8)
    assert np.array_equal(out[2], np.where(t >= 3, t - 3, t))
    assert np.array_equal(out[3], np.where(t % 16 + 3 < 16, t + 3, t))
    assert np.array_equal(out[4], t ^ 9)
    assert np.array_equal(wide, (t ^ 1) + 0.125)


VOTES = """
__global__ void kernel(unsigned *out, const int *x)
{
    unsigned all = 0xffffffffu;
    int t = threadIdx.x, n = blockDim.x;
    out[t] = __ballot_sync(all, x[t] > 0);
    out[n + t] = __any_sync(all, x[t] > 3) != 0;
    out[2 * n + t] = __all_sync(all, x[t] > -4) != 0;
    out[3 * n + t] = __popc(__ballot_sync(all, x[t] & 1));
    out[4 * n + t] = __match_any_sync(all, x[t]);
    int first = __ffs(__ballot_sync(all, x[t] == 2));
    out[5 * n + t] = first;
}
"""


def test_votes_and_matches():
    x = np.random.default_rng(3).integers(-4, 5, 96).astype(np.int32)
    x[32:64] = 1
    out = np.empty((6, 96), np.uint32)
    reference.kernel(VOTES)(cuda.Out(out), cuda.In(x), block=(96, 1, 1))

    def ballot(flags):
        return sum(1 << lane for lane in range(32) if flags[lane])

    for warp in range(3):
        lanes = slice(32 * warp, 32 * warp + 32)
        w, o = x[lanes], out[:, lanes]
        assert np.all(o[0] == ballot(w > 0))
        assert np.all(o[1] == np.any(w > 3))
        assert np.all(o[2] == np.all(w > -4))
        assert np.all(o[3] == np.sum(w & 1))
        assert o[4].tolist() == [ballot(w == value) for value in w]
        twos = np.flatnonzero(w == 2)
        assert np.all(o[5] == (twos[0] + 1 if twos.size else 0))


LAST_WARP = """
__global__ void kernel(int *out)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    unsigned mask = __ballot_sync(0xffffffffu >> (t / 32 ? 18 : 0), 1);
    int left = t / 32 ? 14 : 32;
    int value = t;
    for (int offset = 16; offset > 0; offset /= 2) {
        int other = __shfl_down_sync(mask, value, offset);
        if (t % 32 + offset < left)
            value += other;
    }
    out[t] = __shfl_sync(mask, value, 0);
}
"""


def test_last_warp_of_a_block_is_not_full():
    out = np.empty(46, np.int32)
    reference.kernel(LAST_WARP)(cuda.Out(out), block=(23, 2, 1))
    assert np.all(out[:32] == sum(range(32)))
    assert np.all(out[32:] == sum(range(32, 46)))


SYNCWARP = """
__global__ void kernel(int *out)
{
    __shared__ int value[64];
    int t = threadIdx.x;
    value[t] = t;
    __syncwarp();
    int next = value[t ^ 1];
    __syncwarp();
    value[t] = 10 * next;
    __syncwarp();
    out[t] = value[t ^ 2];
}
"""


def test_syncwarp_orders_shared_memory():
    out = np.empty(64, np.int32)
    reference.kernel(SYNCWARP)(cuda.Out(out), block=(64, 1, 1))
    assert np.array_equal(out, 10 * (np.arange(64) ^ 3))


BOTH = """
__global__ void kernel(int *out, const int *x, int n)
{
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t % 32, value = 0;
    for (int i = t; i < n; i += blockDim.x)
        value += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    if (lane == 0)
        sums[t / 32] = value;
    __syncthreads();
    if (t < 32) {
        value = t < blockDim.x / 32 ? sums[t] : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffffu, value, offset);
        if (t == 0)
            *out = value;
    }
}
"""


@pytest.mark.parametrize("threads", [32, 64, 512, 1024])
def test_block_reduction_by_warps(threads):
    x = np.random.default_rng(4).integers(-99, 99, 10_001).astype(np.int32)
    out = np.empty(1, np.int32)
    reference.kernel(BOTH)(
        cuda.Out(out), cuda.In(x), np.int32(x.size), block=(threads, 1, 1)
    )
    assert out[0] == x.sum()
