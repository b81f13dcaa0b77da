"""Loops that each thread leaves at its own iteration.

On the CPU device such loops, if they only compute, run several threads in SIMD
lanes (`src/jit/loops`).
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__device__ int escape(float cx, float cy, int limit)
{
    float x = 0, y = 0;
    int step = 0;
    while (step < limit && x * x + y * y <= 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++step;
    }
    return step;
}

extern "C" {

__global__ void mandelbrot(int *steps, const float *real, int n, int rows,
                           int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= n || py >= rows)
        return;
    steps[py * n + px] = escape(real[px], 0.01f * py, limit);
}

__global__ void newton(double *roots, int *steps, const double *of, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = of[i], last = 0;
    int step = 0;
    while (fabs(x - last) > 1e-12 * x) {
        last = x;
        x = 0.5 * (x + of[i] / x);
        ++step;
    }
    roots[i] = x;
    steps[i] = step;
}

__global__ void divisor(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned a = in[2 * i], b = in[2 * i + 1];
        while (a != b) {
            if (a > b)
                a -= b;
            else
                b -= a;
        }
        out[i] = a;
    }
}

__global__ void collatz(int *steps, unsigned long long *most,
                        const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long x = in[i], top = x;
    int step = 0;
    for (; x != 1; ++step) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        if (x > top)
            top = x;
    }
    steps[i] = step;
    most[i] = top;
}

/* Three ways out, after each of which something else is done. */
__global__ void ways(int *out, const unsigned *in, int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i];
    int k = 0;
    for (; k < limit; ++k) {
        x = x * 1664525u + 1013904223u;
        if (x >> 28 == 3) {
            out[i] = 1000 + k;
            return;
        }
        if (x >> 27 == 9)
            break;
        if (x & 1 << 20)
            continue;
        x ^= x >> 7;
    }
    out[i] = k < limit ? -k : (int)(x >> 8);
}

/* Several ways within, two of which share an end. */
__global__ void choice(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i], k = 0;
    for (; x > 9 && k < 500; ++k) {
        switch (x % 7) {
        case 0:
            x = x * 3 + 1;
            break;
        case 2:
            x ^= x >> 5;
            /* fall through */
        case 3:
            x = x / 5 + k;
            break;
        case 5:
            x += 12345;
            break;
        default:
            x /= 2;
        }
    }
    out[i] = x ^ k << 8;
}

/* Two ways out, of which one says nothing but that it was taken. */
__global__ void silent(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = in[i], k = 0;
    for (; k < (a & 63); ++k) {
        if ((a * (k + 1) >> 3 & 15) == 5) {
            out[i] = a + k;
            return;
        }
    }
    out[i] = a >> 5;
}

/* In a branch that some threads take, after one loop a second. */
__global__ void branch(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i], bits = 7;
    if (x % 3 != 0) {
        for (bits = 0; x; ++bits)
            x &= x - 1;
        x = in[i] | 1;
        while (!(x & 0x80000000u))
            x = x * 3 + bits;
    }
    out[i] = x ^ bits;
}

__global__ void prime(bool *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    bool is_prime = in[i] > 1;
    for (unsigned d = 2; is_prime && d * d <= in[i]; ++d)
        is_prime = in[i] % d != 0;
    out[i] = is_prime;
}

/* One of two results is used by some threads alone. */
__global__ void sometimes(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    int k = 0;
    while (x < 100.f) {
        x = x * 1.5f + 0.25f;
        ++k;
    }
    out[i] = i % 5 == 2 ? (float)k : x;
}

/* A product that another block adds to, where ways meet again. */
__global__ void joined(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], z = 1;
    for (int k = 0; x < 1000.f && k < 300; ++k) {
        float p = x * 1.0137f;
        if (x * 64 - floorf(x * 64) < 0.5f)
            z = sqrtf(z / (x + 3) + 0.1f) / 7 + z / (x * x + 5);
        x = p + z;
    }
    out[i] = x;
}

/* A loop in a loop, both left when a thread wants to. */
__global__ void nested(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = in[i], sum = 0;
    for (unsigned k = 0; k < (in[i] & 7); ++k) {
        while (x & 12)
            x = x / 3 + k;
        sum += x;
        x = in[i] >> k;
    }
    out[i] = sum;
}

/* Between barriers, and in blocks of which a part is at work. */
__global__ void shared(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, x = in[blockIdx.x * blockDim.x + t];
    unsigned k = 0;
    for (; x > 9; ++k)
        x = x * 5 / 7;
    s[t] = k;
    __syncthreads();
    x += s[blockDim.x - 1 - t];
    if (t < blockDim.x / 2) {
        while (x < 1000)
            x = x * 2 + k;
    }
    __syncthreads();
    s[t] = x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[t ^ 1];
}

}
"""
SIZES = [1, 15, 16, 17, 100, 1000]
BLOCK = 96


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(SOURCE, no_extern_c=True)


def numbers(n: int, most: int = 1 << 32) -> np.ndarray:
    return np.random.default_rng(n).integers(1, most, n, dtype=np.uint32)


def launch(module, name: str, n: int, *args) -> None:
    blocks = -(-n // BLOCK)
    module.get_function(name)(
        *args, np.int32(n), block=(BLOCK, 1, 1), grid=(blocks, 1)
    )


@pytest.mark.parametrize("limit", [0, 1, 2, 50, 1000])
@pytest.mark.parametrize("n", [1, 33, 100])
def test_mandelbrot(module, n, limit):
    rows = 9
    real = np.linspace(-2.2, 1, n, dtype=np.float32)
    steps = np.full((rows, n), -1, np.int32)
    module.get_function("mandelbrot")(
        cuda.Out(steps), cuda.In(real), np.int32(n), np.int32(rows),
        np.int32(limit), block=(32, 4, 1), grid=(-(-n // 32), 3),
    )  # fmt: skip
    c = real[None, :] + 1j * (np.float32(0.01) * np.arange(rows)[:, None])
    right = np.zeros((rows, n), np.int32)
    z = np.zeros_like(c)
    for _ in range(limit):
        going = np.abs(z) <= 2
        right += going
        z = np.where(going, z * z + c, z)
    # Near the set's boundary, rounding determines the number of steps.
    near = np.abs(right - steps) > 0.1 * right
    assert steps.min() >= 0
    assert (near.mean() < 0.03) if limit > 50 else not near.any()


@pytest.mark.parametrize("n", SIZES)
def test_newton(module, n):
    of = np.random.default_rng(n).uniform(1e-3, 1e6, n)
    roots, steps = np.zeros(n), np.zeros(n, np.int32)
    launch(module, "newton", n, cuda.Out(roots), cuda.Out(steps), cuda.In(of))
    np.testing.assert_allclose(roots, np.sqrt(of), rtol=1e-14)
    x, right = of.copy(), np.zeros(n, np.int32)
    last = np.zeros(n)
    while (going := np.abs(x - last) > 1e-12 * x).any():
        last = np.where(going, x, last)
        x = np.where(going, 0.5 * (x + of / x), x)
        right += going
    assert np.array_equal(steps, right)


@pytest.mark.parametrize("n", SIZES)
def test_divisor(module, n):
    pairs = numbers(2 * n, 3000)
    out = np.zeros(n, np.uint32)
    launch(module, "divisor", n, cuda.Out(out), cuda.In(pairs))
    assert np.array_equal(out, np.gcd(pairs[::2], pairs[1::2]))


@pytest.mark.parametrize("n", SIZES)
def test_collatz(module, n):
    start = numbers(n)
    steps, most = np.zeros(n, np.int32), np.zeros(n, np.uint64)
    launch(
        module, "collatz", n, cuda.Out(steps), cuda.Out(most), cuda.In(start)
    )
    x = start.astype(np.uint64)
    right, top = np.zeros(n, np.int32), x.copy()
    three, one, two = np.uint64(3), np.uint64(1), np.uint64(2)
    while (going := x != 1).any():
        after = np.where(x % two == 1, x * three + one, x // two)
        x = np.where(going, after, x)
        right += going
        top = np.maximum(top, x)
    assert np.array_equal(steps, right)
    assert np.array_equal(most, top)


def way_of(x: int, limit: int) -> int:
    for k in range(limit):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        if x >> 28 == 3:
            return 1000 + k
        if x >> 27 == 9:
            return -k
        if not x & 1 << 20:
            x ^= x >> 7
    return x >> 8


@pytest.mark.parametrize("limit", [0, 1, 7, 60])
@pytest.mark.parametrize("n", SIZES)
def test_ways(module, n, limit):
    start, out = numbers(n), np.zeros(n, np.int32)
    blocks = -(-n // BLOCK)
    module.get_function("ways")(
        cuda.Out(out), cuda.In(start), np.int32(n), np.int32(limit),
        block=(BLOCK, 1, 1), grid=(blocks, 1),
    )  # fmt: skip
    assert out.tolist() == [way_of(int(x), limit) for x in start]


def choice_of(x: int) -> int:
    k = 0
    while x > 9 and k < 500:
        rest = x % 7
        if rest == 0:
            x = (x * 3 + 1) & 0xFFFFFFFF
        elif rest in (2, 3):
            x = (x ^ x >> 5 if rest == 2 else x) // 5 + k
        else:
            x = (x + 12345) & 0xFFFFFFFF if rest == 5 else x // 2
        k += 1
    return x ^ k << 8


@pytest.mark.parametrize("n", SIZES)
def test_choice(module, n):
    start, out = numbers(n), np.zeros(n, np.uint32)
    launch(module, "choice", n, cuda.Out(out), cuda.In(start))
    assert out.tolist() == [choice_of(int(x)) for x in start]


def silent_of(a: int) -> int:
    for k in range(a & 63):
        if (a * (k + 1) & 0xFFFFFFFF) >> 3 & 15 == 5:
            return (a + k) & 0xFFFFFFFF
    return a >> 5


@pytest.mark.parametrize("n", SIZES)
def test_silent_way(module, n):
    start, out = numbers(n), np.zeros(n, np.uint32)
    launch(module, "silent", n, cuda.Out(out), cuda.In(start))
    assert out.tolist() == [silent_of(int(x)) for x in start]


def branch_of(first: int) -> int:
    if first % 3 == 0:
        return first ^ 7
    bits, x = first.bit_count(), first | 1
    while not x & 0x80000000:
        x = (x * 3 + bits) & 0xFFFFFFFF
    return x ^ bits


@pytest.mark.parametrize("n", SIZES)
def test_branch(module, n):
    start, out = numbers(n), np.zeros(n, np.uint32)
    launch(module, "branch", n, cuda.Out(out), cuda.In(start))
    assert out.tolist() == [branch_of(int(x)) for x in start]


@pytest.mark.parametrize("n", SIZES)
def test_prime(module, n):
    of = np.arange(n, dtype=np.uint32)
    out = np.full(n, 3, np.uint8)
    launch(module, "prime", n, cuda.Out(out), cuda.In(of))
    right = [x > 1 and all(x % d for d in range(2, x)) for x in range(n)]
    assert out.tolist() == right


@pytest.mark.parametrize("n", SIZES)
def test_sometimes(module, n):
    x = np.random.default_rng(n).uniform(-0.4, 120, n).astype(np.float32)
    out = np.zeros(n, np.float32)
    launch(module, "sometimes", n, cuda.Out(out), cuda.In(x))
    k = np.zeros(n, np.float32)
    while (going := x < 100).any():
        x = np.where(going, np.float32(1.5) * x + np.float32(0.25), x)
        k += going
    right = np.where(np.arange(n) % 5 == 2, k, x)
    np.testing.assert_allclose(out, right, rtol=1e-5)


def nested_of(first: int) -> int:
    x, total = first, 0
    for k in range(first & 7):
        while x & 12:
            x = x // 3 + k
        total += x
        x = first >> k
    return total & 0xFFFFFFFF


@pytest.mark.parametrize("n", SIZES)
def test_nested(module, n):
    start = numbers(n)
    # If the inner loop does not end, the outer loop must not be reached.
    start = np.array([x for x in start if ends(int(x))], np.uint32)
    out = np.zeros(start.size, np.uint32)
    launch(module, "nested", start.size, cuda.Out(out), cuda.In(start))
    assert out.tolist() == [nested_of(int(x)) for x in start]


def ends(first: int) -> bool:
    x = first
    for k in range(first & 7):
        seen = set()
        while x & 12:
            if x in seen:
                return False
            seen.add(x)
            x = x // 3 + k
        x = first >> k
    return True


def shared_of(start: np.ndarray) -> np.ndarray:
    n = start.size
    xs, ks = [], []
    for x in start.tolist():
        k = 0
        while x > 9:
            x, k = (x * 5 & 0xFFFFFFFF) // 7, k + 1
        xs.append(x)
        ks.append(k)
    for t in range(n):
        xs[t] += ks[n - 1 - t]
    for t in range(n // 2):
        while xs[t] < 1000:
            xs[t] = xs[t] * 2 + ks[t]
    return np.array(xs, np.uint32)[np.arange(n) ^ 1]


@pytest.mark.parametrize("threads", [2, 30, 64, 100, 256])
def test_shared(module, threads):
    start = numbers(3 * threads)
    out = np.zeros(3 * threads, np.uint32)
    module.get_function("shared")(
        cuda.Out(out), cuda.In(start), block=(threads, 1, 1), grid=(3, 1)
    )
    for block in range(3):
        part = slice(block * threads, (block + 1) * threads)
        assert np.array_equal(out[part], shared_of(start[part]))


# ---- equal bits, whether or not the loop ran in SIMD lanes ----


def rounded(module, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return results that depend on how products and sums are rounded."""
    floats, steps = np.zeros_like(x), np.zeros((1, x.size), np.int32)
    launch(module, "joined", x.size, cuda.Out(floats), cuda.In(x + 2))
    module.get_function("mandelbrot")(
        cuda.Out(steps), cuda.In(x), np.int32(x.size), np.int32(1),
        np.int32(5000), block=(32, 1, 1), grid=(-(-x.size // 32), 1),
    )  # fmt: skip
    return floats, steps[0]


def points(n: int) -> np.ndarray:
    """Return points at which the step count reveals each rounding."""
    return np.linspace(-1.45, -1.39, n).astype(np.float32)


def test_bits_do_not_depend_on_a_threads_place(module):
    x = points(203)
    floats, steps = rounded(module, x)
    for first in (1, 7, 190):
        for last in (first + 1, 203):
            some_floats, some_steps = rounded(module, x[first:last])
            assert np.array_equal(some_steps, steps[first:last])
            assert np.array_equal(some_floats, floats[first:last])


@pytest.mark.cpu
@pytest.mark.parametrize("fmad", ["true", "false"])
def test_bits_do_not_depend_on_regions(context, monkeypatch, tmp_path, fmad):
    results = []
    for regions in "01":
        monkeypatch.setenv("PYCUDA_CPU_REGIONS", regions)
        module = SourceModule(
            SOURCE,
            no_extern_c=True,
            options=[f"-fmad={fmad}"],
            cache_dir=str(tmp_path / regions),
        )
        results.append(rounded(module, points(1003)))
    for without, with_regions in zip(*results, strict=True):
        assert np.array_equal(without, with_regions)
