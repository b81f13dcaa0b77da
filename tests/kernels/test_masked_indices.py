"""Indices that wrap, such as t * 3 & 63, in loads and stores."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

BLOCKS = (8, 16, 32, 64, 100, 256, 512)
# The index in C and in NumPy.
FORMS = {
    "(unsigned char)(t * 3)": lambda t: t * 3 % 256,
    "(unsigned char)(t + t * 4)": lambda t: t * 5 % 256,
    "128 + (signed char)(t * 3)": lambda t: (t * 3 + 128) % 256,
    "(unsigned short)(t * 12288u) >> 8": lambda t: t * 12288 % 65536 >> 8,
    "(t + t + t) & 63": lambda t: 3 * t % 64,
    "((t << 2) - t) & 31": lambda t: 3 * t % 32,
    "(64 - t * 5) & 63": lambda t: (64 - 5 * t) % 64,
    "(t & 1 ? t * 3 : t * 3) & 63": lambda t: 3 * t % 64,
}
for n in (16, 32, 64, 256):
    for k in (2, 3, 5, 6, 7):
        FORMS[f"(t * {k}) % {n}"] = lambda t, k=k, n=n: t * k % n
        FORMS[f"(t * {k} + 1) & {n - 1}"] = lambda t, k=k, n=n: (t * k + 1) % n
        FORMS[f"(unsigned)((long long)t * {k} & {n - 1})"] = (
            lambda t, k=k, n=n: t * k % n
        )

KERNELS = """
__global__ void read_{i}(unsigned *out, unsigned *in)
{{
    unsigned t = threadIdx.x;
    out[t] = in[{index}];
}}
__global__ void write_{i}(unsigned *out, unsigned *in)
{{
    unsigned t = threadIdx.x;
    out[{index}] = 7;
}}
__global__ void share_{i}(unsigned *out, unsigned *in)
{{
    __shared__ unsigned s[512];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 512; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    out[t] = s[{index}];
}}
"""


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(
        "".join(
            KERNELS.format(i=i, index=index) for i, index in enumerate(FORMS)
        )
    )


@pytest.mark.parametrize("index", FORMS)
def test_masked_index(module, index):
    i = list(FORMS).index(index)
    given = np.arange(1024, dtype=np.uint32) + 1000
    for block in BLOCKS:
        want = FORMS[index](np.arange(block))
        for kind in ("read", "share"):
            out = np.zeros(1024, np.uint32)
            module.get_function(f"{kind}_{i}")(
                drv.InOut(out), drv.In(given), block=(block, 1, 1)
            )
            assert np.array_equal(out[:block], given[want]), (kind, block)
        out = np.zeros(1024, np.uint32)
        module.get_function(f"write_{i}")(
            drv.InOut(out), drv.In(given), block=(block, 1, 1)
        )
        assert np.array_equal(np.flatnonzero(out), np.unique(want)), block
