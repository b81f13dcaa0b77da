"""Neighbouring words that a thread accesses, and others in between.

The vectoriser may load or store such words together; what a thread does to
the same memory between them must be seen all the same.
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


def test_stored_between_loads(module):
    values = some(1)
    rows = np.arange(4, dtype=np.uint32) + T[:, None]
    x = rows[:, 0].copy()
    rows[T, values & 3] = 1000
    want = x + rows[:, 1] * 3 + (rows[:, 2] + rows[:, 3]) * 5
    assert (run(module, "stored_between_loads", values) == want).all()


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
    values = some(4) | 1  # each thread's own
    got = run(module, "pairs", values)
    assert (got == T + (T * 3 + 5) * 10).all()
