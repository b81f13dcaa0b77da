"""Conditions on threadIdx between barriers: bounds of the loop over threads.

A condition may select the threads that work, or those that skip the work:
`x < n && x > i` or `x >= n || x <= i`.  Both give the same code.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from compiled_schemes import compile_schemes

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.cpu._explain import code

pytestmark = pytest.mark.cpu

KERNEL = """
extern "C" __global__ void k(float *out, int n)
{
    __shared__ float s[1024];
    int x = threadIdx.x, y = threadIdx.y;
    s[y * blockDim.x + x] = out[y * blockDim.x + x];
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (CONDITION)
            s[x] = s[x] * 3 + i;
        __syncthreads();
    }
    out[y * blockDim.x + x] = s[y * blockDim.x + x];
}
"""
PAIRS = [
    ("y == 0 && x < n && x > i", "!(y != 0 || x >= n || x <= i)"),
    ("y == 0 && x < n && x > i", "!((y != 0) | (x >= n) | (x <= i))"),
    ("y == 1 && i <= x", "!(y < 1 || y > 1 || x < i)"),
    # not a range of threads
    ("y == 0 && x != n", "!(y != 0 || x == n)"),
]


@pytest.mark.parametrize(("selects", "skips"), PAIRS)
def test_both_forms_have_the_same_results(selects, skips):
    data = np.random.default_rng(5).integers(0, 9, 80).astype(np.float32)
    for n in (0, 1, 5, 17, 60):
        outs = []
        for condition in (selects, skips):
            for module in compile_schemes(
                KERNEL.replace("CONDITION", condition)
            ):
                out = data.copy()
                module.get_function("k")(
                    cuda.InOut(out), np.int32(n), block=(40, 2, 1)
                )
                outs.append(out)
        for out in outs[1:]:
            assert np.array_equal(out, outs[0])


@pytest.mark.parametrize(("selects", "skips"), PAIRS[:2])
def test_both_forms_mask_the_same_accesses(tmp_path, selects, skips):
    counts = []
    for condition in (selects, skips):
        path = tmp_path / "kernel.cu"
        path.write_text(KERNEL.replace("CONDITION", condition))
        counts.append(code(path).count("masked."))
    assert counts[0] == counts[1]
