"""Accesses to adjacent words with other accesses in between.

The vectorizer may load or store adjacent words together; the thread's accesses
to the same memory between them must keep their effect.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void stored_between_loads(unsigned *out, const unsigned *in)
{
    unsigned t = threadIdx.x, l[4];
    for (unsigned k = 0; k < 4; ++k) l[k] = k + t;
    __syncthreads();
    unsigned x = l[0];
    l[in[t] & 3] = 1000;
    out[t] = x + l[1] * 3 + (l[2] + l[3]) * 5;
}

__global__ void stored_in_a_branch(unsigned *out, const unsigned *in)
{
    unsigned t = threadIdx.x, l[4];
    for (unsigned k = 0; k < 4; ++k) l[k] = k + t;
    __syncthreads();
    unsigned sum = t;
    if (in[t] & 4) {
        unsigned x = l[0];
        l[in[t] & 3] = 1000;
        sum = x + l[1] * 3 + (l[2] + l[3]) * 5;
    }
    out[t] = sum;
}

__global__ void loaded_between_stores(unsigned *out, const unsigned *in)
{
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) s[t + 64 * k] = 7;
    __syncthreads();
    unsigned *o = s + t * 4;
    o[0] = t;
    o[1] = t * 2;
    unsigned x = o[in[t] & 3];
    o[2] = t * 5;
    o[3] = t * 9 + x;
    __syncthreads();
    out[t] = s[t] + 3 * s[t + 64] + 5 * s[t + 128] + 11 * s[t + 192];
}

__global__ void loaded_after_a_store(unsigned *out, const unsigned *in,
                                     unsigned which)
{
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, l[4];
    for (unsigned k = 0; k < 4; ++k) l[k] = k;
    s[t] = t;
    int all = __syncthreads_and(t <= s[t] + in[0]);
    for (unsigned k = 0; k < 4; ++k) l[k] = l[k] * 3 + t;
    out[t] = l[(all ? 1 : 0)] * 7 + l[3] + s[t];
}

struct Pair {
    unsigned a, b;
};

__global__ void pairs(unsigned *out, const unsigned *in)
{
    __shared__ Pair s[64];
    unsigned t = threadIdx.x;
    s[t].a = t;
    s[t].b = t * 3;
    __syncthreads();
    Pair *mine = &s[t];
    unsigned a = mine->a;
    s[in[t] % 2 ? t : 63 - t].b += (t == 63 - t) + (in[t] % 2 ? 5 : 0);
    out[t] = a + mine->b * 10;
}
"""
T = np.arange(64, dtype=np.uint32)


@pytest.fixture(params=["0", "1"], ids=["fibers", "regions"])
def module(request, monkeypatch):
    monkeypatch.setenv("PYCUDA_CPU_REGIONS", request.param)
    return SourceModule(SOURCE)


def run(module, name, values, *more):
    out = np.zeros(64, np.uint32)
    module.get_function(name)(
        drv.Out(out), drv.In(values), *more, block=(64, 1, 1), grid=(2, 1)
    )
    return out


def some(seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 1 << 16, 64).astype(np.uint32)


def stored_between_loads(values):
    rows = np.arange(4, dtype=np.uint32) + T[:, None]
    x = rows[:, 0].copy()
    rows[T, values & 3] = 1000
    return x + rows[:, 1] * 3 + (rows[:, 2] + rows[:, 3]) * 5


def test_stored_between_loads(module):
    values = some(1)
    want = stored_between_loads(values)
    assert (run(module, "stored_between_loads", values) == want).all()


def test_stored_in_a_branch(module):
    values = some(5)
    want = np.where(values & 4, stored_between_loads(values), T)
    assert (run(module, "stored_in_a_branch", values) == want).all()


def test_loaded_between_stores(module):
    values = some(2)
    rows = np.full((64, 4), 7, np.uint32)
    rows[:, 0], rows[:, 1] = T, T * 2
    x = rows[T, values & 3]
    rows[:, 2], rows[:, 3] = T * 5, T * 9 + x
    s = rows.ravel()
    want = s[:64] + 3 * s[64:128] + 5 * s[128:192] + 11 * s[192:]
    assert (run(module, "loaded_between_stores", values) == want).all()


def test_loaded_after_a_store(module):
    got = run(module, "loaded_after_a_store", some(3), np.uint32(0))
    assert (got == (3 + T) * 7 + (9 + T) + T).all()


def test_pairs(module):
    values = some(4) | 1  # the values of the threads
    got = run(module, "pairs", values)
    assert (got == T + (T * 3 + 5) * 10).all()


# In each case b equals a, in a way that the compiler cannot see.
ALIASES = """
struct Pointers {
    unsigned *a, *b;
};
__device__ unsigned *kept[2];

#define SAME unsigned x = a[2 * t]; b[2 * t + 1] = x * 7 + 1; \\
    out[t] = x + a[2 * t + 1] * 3;

__global__ void parameters(unsigned *out, unsigned *a, unsigned *b, int one)
{
    int t = threadIdx.x;
    SAME
}

__global__ void either(unsigned *out, unsigned *a, unsigned *p, int one)
{
    int t = threadIdx.x;
    unsigned *b = one ? a : out;
    SAME
}

__global__ void by_thread(unsigned *out, unsigned *a, unsigned *p, int one)
{
    int t = threadIdx.x;
    unsigned *b = t < 64 * one ? a : out;
    SAME
}

__global__ void moved(unsigned *out, unsigned *a, unsigned *p, int one)
{
    int t = threadIdx.x;
    unsigned *b = a - 3;
    for (int i = 0; i < 3 * one; ++i) b += 1;
    SAME
}

__global__ void keep(unsigned *a) { kept[0] = kept[1] = a; }

__global__ void loaded(unsigned *out, unsigned *p, unsigned *q, int one)
{
    int t = threadIdx.x;
    unsigned *a = kept[0], *b = kept[one];
    SAME
}

__global__ void members(unsigned *out, Pointers p)
{
    int t = threadIdx.x;
    unsigned *a = p.a, *b = p.b;
    SAME
}

__global__ void shared(unsigned *out, unsigned *p, unsigned *q, int one)
{
    __shared__ unsigned s[128], other[128];
    int t = threadIdx.x;
    s[t] = p[t];
    s[t + 64] = p[t + 64];
    other[t] = 0;
    __syncthreads();
    unsigned *a = s, *b = one ? s : other;
    SAME
    __syncthreads();
    p[t] = s[t];
    p[t + 64] = s[t + 64];
}

__global__ void sometimes(unsigned *out, unsigned *a, unsigned *b, int one)
{
    int t = threadIdx.x;
    unsigned x = a[2 * t];
    if (x != 1u << 31) b[2 * t + 1] = x * 7 + 1;
    out[t] = x + a[2 * t + 1] * 3;
}

__global__ void summed(unsigned *out, unsigned *a, unsigned *p, int one)
{
    int t = threadIdx.x;
    a -= 1;
    unsigned x = a[2 * t + one];
    a[one + 1 + 2 * t] = x * 7 + 1;
    out[t] = x + a[2 * t + 1 + one] * 3;
}

__global__ void backwards(unsigned *out, unsigned *a, unsigned *b, int one)
{
    int t = 63 - (int)threadIdx.x;
    unsigned x = a[126 - 2 * (int)threadIdx.x];
    b[127 - 2 * (int)threadIdx.x] = x * 7 + 1;
    out[t] = x + a[127 - 2 * (int)threadIdx.x] * 3;
}

__global__ void stored(unsigned *out, unsigned *a, unsigned *b, int one)
{
    int t = threadIdx.x;
    unsigned x = a[2 * t];
    a[2 * t + 1] = 5;
    b[2 * t + 1] = x * 7 + 1;
    a[2 * t] = x;
    out[t] = x + b[2 * t + 1] * 3;
}

// What the second load is from shows when the loop is unswitched.
__global__ void chosen(unsigned *out, unsigned *a, unsigned *b, int one)
{
    int t = threadIdx.x;
    unsigned *s = out;
    if (one) {
        out[t] = t;
        s = a;
    }
    unsigned x = a[2 * t];
    b[2 * t + 1] = x * 7 + 1;
    out[t] = x + s[2 * t + 1] * 3;
}

__global__ void loaded_twice(unsigned *out, unsigned *p, unsigned *b, int one)
{
    int t = threadIdx.x;
    unsigned x = kept[0][2 * t];
    if (!one) kept[t & 1] = out;
    unsigned *s = kept[0];
    b[2 * t + 1] = x * 7 + 1;
    out[t] = x + s[2 * t + 1] * 3;
}

__global__ void copy_pairs(uint2 *out, const uint2 *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        out[t].x = in[t].x * 3 + 1;
        out[t].y = in[t].y * 5 + 2;
    }
}

__global__ void copy_rows(uint2 *out, const uint2 *in, int n)
{
    __shared__ unsigned s[64];
    s[threadIdx.x] = threadIdx.y;
    __syncthreads();
    int t = threadIdx.x;
    if (t < n) {
        out[t].x = in[t].x * 3 + 1;
        out[t].y = in[t].y * 5 + 2 + s[t];
    }
}
"""
NAMES = [
    "parameters", "either", "by_thread", "moved", "loaded", "members",
    "shared", "sometimes", "summed", "backwards", "stored",
    "chosen", "loaded_twice",
]  # fmt: skip


@pytest.fixture(scope="module")
def aliases(context):
    return SourceModule(ALIASES)


@pytest.mark.parametrize("name", NAMES)
def test_one_array_by_two_names(aliases, name):
    values = np.concatenate([some(5), some(6)])
    array, out = drv.to_device(values), drv.to_device(T)
    passed = [out, array, array, np.int32(1)]
    if name == "members":
        passed[1:] = [np.array([int(array)] * 2, np.uint64)]
    elif name.startswith("loaded"):
        aliases.get_function("keep")(array, block=(1, 1, 1))
    aliases.get_function(name)(*passed, block=(64, 1, 1))
    want = values.copy()
    want[1::2] = values[::2] * 7 + 1
    assert (drv.from_device_like(array, want) == want).all()
    got = drv.from_device_like(out, T)
    assert (got == want[::2] + want[1::2] * 3).all()


@pytest.mark.parametrize("name", ["copy_pairs", "copy_rows"])
def test_in_place(aliases, name):
    values = np.concatenate([some(7), some(8)])
    array = drv.to_device(values)
    aliases.get_function(name)(array, array, np.int32(64), block=(64, 1, 1))
    want = values.copy()
    want[::2] = values[::2] * 3 + 1
    want[1::2] = values[1::2] * 5 + 2
    assert (drv.from_device_like(array, want) == want).all()


@pytest.mark.cpu  # GPUs reject 8-byte words at such addresses
@pytest.mark.parametrize("threads", [1, 64])
@pytest.mark.parametrize("name", ["copy_pairs", "copy_rows"])
def test_one_thread_a_word_further(aliases, name, threads):
    """A single thread works, so that there is no race with another one."""
    values = some(9)
    array = drv.to_device(values)
    aliases.get_function(name)(
        np.uint64(int(array) + 4), array, np.int32(1), block=(threads, 1, 1)
    )
    want = values.copy()
    want[1] = values[0] * 3 + 1
    want[2] = want[1] * 5 + 2
    assert (drv.from_device_like(array, want) == want).all()
