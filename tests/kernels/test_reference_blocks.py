"""Cooperation of a block's threads: barriers, atomics, locks."""

import numpy as np
import pytest
import reference

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

REDUCTION = """
__global__ void kernel(int *sums, const int *x, int n)
{
    extern __shared__ int partial[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = partial[0];
}
"""


@pytest.mark.parametrize("threads", [1, 32, 256, 1024])
def test_tree_reduction(threads):
    x = np.random.default_rng(1).integers(-999, 999, 5000).astype(np.int32)
    blocks = -(-x.size // threads)
    sums = np.empty(blocks, np.int32)
    reference.kernel(REDUCTION)(
        cuda.Out(sums),
        cuda.In(x),
        np.int32(x.size),
        block=(threads, 1, 1),
        grid=(blocks, 1),
        shared=4 * threads,
    )
    assert sums.sum() == reference.call("sum_integers", x, x.size)


SCAN = """
__global__ void kernel(int *out, const int *in)
{
    extern __shared__ int both[];
    int n = blockDim.x, t = threadIdx.x, first = blockIdx.x * n;
    int now = 0;
    both[t] = in[first + t];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        now = 1 - now;
        both[now * n + t] = both[(1 - now) * n + t]
            + (t >= offset ? both[(1 - now) * n + t - offset] : 0);
        __syncthreads();
    }
    out[first + t] = both[now * n + t];
}
"""


@pytest.mark.parametrize("threads", [1, 7, 64, 300, 512])
def test_hillis_steele_scan_in_dynamic_shared_memory(threads):
    x = np.random.default_rng(2).integers(-99, 99, 6 * threads)
    x = x.astype(np.int32)
    out, expected = np.empty_like(x), np.empty_like(x)
    reference.call("scan", expected, x, x.size, threads)
    reference.kernel(SCAN)(
        cuda.Out(out),
        cuda.In(x),
        block=(threads, 1, 1),
        grid=(6, 1),
        shared=8 * threads,
    )
    assert np.array_equal(out, expected)


HISTOGRAM = """
__global__ void kernel(unsigned int *bins, const unsigned char *x, int n)
{
    __shared__ unsigned int mine[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        mine[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        atomicAdd(&mine[x[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&bins[bin], mine[bin]);
}
"""


@pytest.mark.parametrize("threads", [32, 100, 256])
def test_histogram(threads):
    x = np.random.default_rng(3).normal(128, 30, 50_000).astype(np.uint8)
    bins, expected = np.zeros((2, 256), np.uint32)
    reference.call("histogram", expected, x, x.size)
    reference.kernel(HISTOGRAM)(
        cuda.InOut(bins),
        cuda.In(x),
        np.int32(x.size),
        block=(threads, 1, 1),
        grid=(7, 1),
    )
    assert np.array_equal(bins, expected)


EARLY_RETURN = """
__global__ void kernel(int *out, int n)
{
    __shared__ int value[128];
    int t = threadIdx.x;
    value[t] = 0;
    if (t >= n)
        return;
    value[t] = t + 1;
    __syncthreads();
    out[t] = value[n - 1 - t];
    __syncthreads();
    value[t] = 2 * out[t];
    __syncthreads();
    out[t] += value[n - 1 - t];
}
"""


@pytest.mark.parametrize("n", [1, 31, 32, 33, 100, 128])
def test_threads_that_return_before_a_barrier(n):
    out = np.full(128, -1, np.int32)
    reference.kernel(EARLY_RETURN)(
        cuda.InOut(out), np.int32(n), block=(128, 1, 1)
    )
    t = np.arange(n)
    assert np.array_equal(out[:n], (n - t) + 2 * (t + 1))
    assert np.all(out[n:] == -1)


UNIFORM = """
__global__ void kernel(int *out, const int *rounds, int flag)
{
    __shared__ int ring[96];
    int t = threadIdx.x, n = blockDim.x;
    ring[t] = t;
    __syncthreads();
    if (flag) {
        int next = ring[(t + 1) % n];
        __syncthreads();
        ring[t] = next;
        __syncthreads();
    } else {
        ring[t] *= 10;
        __syncthreads();
    }
    for (int round = 0; round < rounds[blockIdx.x]; ++round) {
        int next = ring[(t + 1) % n];
        if (round % 2) {
            __syncthreads();
            ring[t] = next;
        } else {
            __syncthreads();
            ring[t] = next + 1;
        }
        __syncthreads();
        if (round == 9)
            break;
    }
    out[blockIdx.x * n + t] = ring[t];
}
"""


@pytest.mark.parametrize("flag", [0, 1])
def test_barriers_inside_uniform_conditions_and_loops(flag):
    n, rounds = 96, np.array([0, 1, 2, 5, 40], np.int32)
    out = np.empty((rounds.size, n), np.int32)
    reference.kernel(UNIFORM)(
        cuda.Out(out),
        cuda.In(rounds),
        np.int32(flag),
        block=(n, 1, 1),
        grid=(rounds.size, 1),
    )
    for row, count in zip(out, rounds, strict=True):
        ring = np.arange(n)
        ring = np.roll(ring, -1) if flag else 10 * ring
        for number in range(min(count, 10)):
            ring = np.roll(ring, -1) + (number % 2 == 0)
        assert np.array_equal(row, ring)


BY_WARP = """
__global__ void kernel(int *out)
{
    __shared__ int value[128];
    int t = threadIdx.x, warp = t / 32;
    value[t] = t;
    if (warp % 2 == 0) {
        __syncthreads();
        out[t] = value[(t + 32) % 128];
        __syncthreads();
    } else {
        __syncthreads();
        int seen = value[(t + 32) % 128];
        __syncthreads();
        out[t] = -seen;
    }
    for (int round = 0; round < 4; ++round) {
        if (warp == round)
            value[t] = 1000 * round + out[t];
        __syncthreads();
    }
    out[t] = value[127 - t];
}
"""


def test_barriers_where_warps_take_different_ways():
    out = np.empty(128, np.int32)
    reference.kernel(BY_WARP)(cuda.Out(out), block=(128, 1, 1))
    t = np.arange(128)
    first = np.where(t // 32 % 2 == 0, 1, -1) * ((t + 32) % 128)
    assert np.array_equal(out, (1000 * (t // 32) + first)[::-1])


VOTES = """
__global__ void kernel(int *out, int limit)
{
    int t = threadIdx.x;
    out[t] = __syncthreads_count(t < limit);
    out[blockDim.x + t] = __syncthreads_and(t < limit) != 0;
    out[2 * blockDim.x + t] = __syncthreads_or(t < limit) != 0;
}
"""


@pytest.mark.parametrize("limit", [0, 1, 50, 70, 100])
def test_barriers_that_vote(limit):
    n = 70
    out = np.empty((3, n), np.int32)
    reference.kernel(VOTES)(cuda.Out(out), np.int32(limit), block=(n, 1, 1))
    assert np.all(out[0] == min(limit, n))
    assert np.all(out[1] == (limit >= n))
    assert np.all(out[2] == (limit > 0))


LOCK = """
__global__ void kernel(volatile int *counter, int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *counter = *counter + 1;
    __threadfence();
    atomicExch(lock, 0);
}
"""


@pytest.mark.parametrize("threads", [2, 33, 256])
def test_spin_lock_between_threads_of_a_block(threads):
    counter, lock = np.zeros((2, 1), np.int32)
    reference.kernel(LOCK)(
        cuda.InOut(counter), cuda.InOut(lock), block=(threads, 1, 1)
    )
    assert counter[0] == threads and lock[0] == 0


HAND_OVER = """
__global__ void kernel(int *out)
{
    __shared__ volatile int box;
    int t = threadIdx.x;
    if (t == 0)
        box = 0;
    __syncthreads();
    while (box != t)
        ;
    out[t] = t * t;
    __threadfence_block();
    box = t + 1;
}
"""


def test_threads_that_wait_for_each_other_without_a_barrier():
    out = np.zeros(96, np.int32)
    reference.kernel(HAND_OVER)(cuda.Out(out), block=(96, 1, 1))
    assert np.array_equal(out, np.arange(96) ** 2)


ATOMICS = """
__global__ void kernel(int *i, unsigned *u, long long *l,
                       unsigned long long *ul, float *f, double *d,
                       unsigned *old)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(i + 0, t);
    atomicSub(i + 1, t);
    atomicMin(i + 2, 500 - t);
    atomicMax(i + 3, t - 500);
    atomicAnd(i + 4, ~(1 << (t % 20)));
    atomicOr(i + 5, 1 << (t % 20));
    atomicXor(i + 6, t);
    atomicAdd(u + 0, 3u);
    atomicInc(u + 1, 99u);
    atomicDec(u + 2, 99u);
    atomicMin(u + 3, 4000000000u + t);
    atomicMax(u + 4, 4000000000u + t);
    old[t] = atomicAdd(u + 5, 1u);
    atomicMin(l + 0, -5000000000ll - t);
    atomicMax(l + 1, 5000000000ll + t);
    atomicAdd(ul + 0, 5000000000ull);
    atomicOr(ul + 1, 1ull << (t % 64));
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    int seen = i[7], assumed;
    do {
        assumed = seen;
        seen = atomicCAS(i + 7, assumed, assumed + 2);
    } while (seen != assumed);
    atomicExch(i + 8, 4);
}
"""


def test_atomics_of_every_kind():
    n = 1000
    i, u = np.zeros(9, np.int32), np.zeros(6, np.uint32)
    ls, ul = np.zeros(2, np.int64), np.zeros(2, np.uint64)
    f, d = np.zeros(1, np.float32), np.zeros(1, np.float64)
    i[4], u[2], u[3] = -1, 50, 2**32 - 1
    old = np.empty(n, np.uint32)
    reference.kernel(ATOMICS)(
        *map(cuda.InOut, (i, u, ls, ul, f, d, old)),
        block=(125, 1, 1),
        grid=(8, 1),
    )
    t = np.arange(n)
    xor = np.bitwise_xor.reduce(t)
    assert i.tolist() == [
        t.sum(), -t.sum(), 500 - 999, 499, -(2**20), 2**20 - 1, xor, 2 * n, 4,
    ]  # fmt: skip
    # atomicInc cycles upwards through 0..99, atomicDec downwards.
    assert u.tolist() == [
        3 * n, n % 100, (50 - n) % 100, 4 * 10**9, 4 * 10**9 + 999, n,
    ]  # fmt: skip
    assert ls.tolist() == [-5 * 10**9 - 999, 5 * 10**9 + 999]
    assert ul.tolist() == [5 * 10**9 * n, 2**64 - 1]
    assert f[0] == n / 2 and d[0] == n / 4
    assert np.array_equal(np.sort(old), t)


SHARED_ATOMICS = """
__global__ void kernel(int *out)
{
    __shared__ int i[4];
    __shared__ unsigned long long wide;
    __shared__ float f;
    if (threadIdx.x == 0) {
        i[0] = i[1] = i[2] = 0;
        i[3] = 1 << 30;
        wide = 0;
        f = 0;
    }
    __syncthreads();
    int t = threadIdx.x;
    atomicAdd(&i[0], t);
    atomicMax(&i[1], t);
    atomicOr(&i[2], 1 << (t % 31));
    atomicMin(&i[3], 7 - t);
    atomicAdd(&wide, 1ull << 32);
    atomicAdd(&f, 1.0f);
    __syncthreads();
    if (t < 4)
        out[t] = i[t];
    if (t == 4)
        out[4] = (int)(wide >> 32);
    if (t == 5)
        out[5] = (int)f;
}
"""


def test_atomics_in_shared_memory():
    out = np.empty(6, np.int32)
    reference.kernel(SHARED_ATOMICS)(cuda.Out(out), block=(200, 1, 1))
    assert out.tolist() == [19900, 199, 2**31 - 1, -192, 200, 200]


LAST_BLOCK = """
__device__ unsigned int finished = 0;
__global__ void kernel(int *total, int *sums, const int *x)
{
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; ++b)
            all += ((volatile int *)sums)[b];
        *total = all;
    }
}
"""


def test_last_block_gathers_the_sums_of_the_others():
    x = np.random.default_rng(5).integers(-99, 99, 64 * 50).astype(np.int32)
    total, sums = np.zeros(1, np.int32), np.zeros(50, np.int32)
    function = reference.kernel(LAST_BLOCK)
    for _ in range(3):
        function(
            cuda.Out(total),
            cuda.Out(sums),
            cuda.In(x),
            block=(64, 1, 1),
            grid=(50, 1),
        )
        assert total[0] == x.sum()


PARTED = """
__global__ void joined(int *out, int n, int m)
{
    int t = threadIdx.x, v;
    if (t & 1) {
        v = n;
        out[t] = 5;
    } else {
        v = m;
        out[t] = 6;
    }
    __syncthreads();
    out[t] += v;
}

__global__ void left(int *out, const int *in)
{
    int t = threadIdx.x, i = 0;
    while (in[i] < t) i++;
    __syncthreads();
    out[t] = i;
}
"""


def test_threads_keep_what_they_parted_with_over_a_barrier():
    """Values from divergent branches and loops survive the barrier."""
    module = SourceModule(PARTED)
    out, t = np.zeros(64, np.int32), np.arange(64)
    module.get_function("joined")(
        cuda.Out(out), np.int32(100), np.int32(200), block=(64, 1, 1)
    )
    assert np.array_equal(out, np.where(t & 1, 105, 206))
    squares = np.square(t, dtype=np.int32)
    module.get_function("left")(
        cuda.Out(out), cuda.In(squares), block=(64, 1, 1)
    )
    assert np.array_equal(out, np.searchsorted(squares, t))


TABLES = """
struct pair { int *a; int n; const int *b[2]; };
__device__ int twice(int which, int i)
{
    __shared__ int own[2][33];
    int *rows[2] = {own[0], own[1] + 1};
    rows[0][i] = i;
    rows[1][i] = 100 + i;
    return rows[which][i];
}
__global__ void kernel(int *out, int n)
{
    __shared__ int a[32], b[32];
    extern __shared__ int rest[];
    int t = threadIdx.x, *tile[3] = {a, b + 1, rest};
    pair both = {a, 7, {b, a + 2}};
    tile[0][t] = t;
    if (t < 31)
        tile[1][t] = 10 * t;
    else
        b[0] = 0;
    tile[2][t] = 1000 + t;
    __syncthreads();
    for (int k = 0; k < n; ++k) {
        int now = tile[k & 1][(t + k) % 16];
        __syncthreads();
        if (t < 16)
            tile[(k + 1) & 1][t] += now;
        __syncthreads();
    }
    out[t] = tile[n % 3][t % 16] + both.a[t] + both.n
           + both.b[t & 1][t % 8] + twice(t & 1, t);
}
"""


@pytest.mark.parametrize("options", [[], ["-G"]], ids=str)
@pytest.mark.parametrize("n", [0, 4, 5])
def test_tables_of_shared_arrays(n, options):
    t = np.arange(32)
    a, b, rest = np.arange(32), np.zeros(33, int), 1000 + np.arange(32)
    b[1:32] = 10 * np.arange(31)
    tile = [a, b[1:], rest]
    for k in range(n):
        now = tile[k & 1][(t[:16] + k) % 16]
        tile[(k + 1) & 1][:16] += now
    expected = tile[n % 3][t % 16] + a[t] + 7
    expected += np.where(t & 1, a[2:][t % 8], b[t % 8])
    expected += np.where(t & 1, 100, 0) + t
    out = np.zeros(32, np.int32)
    module = SourceModule(TABLES, options=options)
    for grid in (1, 3):  # shared memory is separate for each block
        module.get_function("kernel")(
            cuda.Out(out),
            np.int32(n),
            block=(32, 1, 1),
            grid=(grid, 1),
            shared=128,
        )
        assert out.tolist() == expected.tolist()
