"""Guards of indices that are not the global index of the thread.

The condition becomes the bounds of the loop over threads.  Every kernel also
runs thread by thread, and must write the same, also if the index wraps within
a block.
"""

# SPDX-License-Identifier: MIT

import re

import numpy as np
import pytest
from compiled_schemes import compile_schemes

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.cpu._explain import code

pytestmark = pytest.mark.cpu

SOURCE = """
#define KERNEL(NAME) extern "C" __global__ void NAME( \\
    const float2 *a, int *out, int n, unsigned from)

KERNEL(plane)
{
    int t = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (t < n) out[t] = a[t].x + 2 * a[t].y + from;
}
KERNEL(counted_signed)
{
    int t = from + threadIdx.x;
    if (t < n) out[threadIdx.x + blockIdx.x * blockDim.x] = t;
}
KERNEL(counted_unsigned)
{
    unsigned t = from + threadIdx.x;
    if (t < n) out[threadIdx.x + blockIdx.x * blockDim.x] = t * 3u;
}
KERNEL(lower)
{
    int t = from + threadIdx.x;
    if (t >= 3 && t < n) out[threadIdx.x + blockIdx.x * blockDim.x] = t + 5;
}
KERNEL(extended)
{
    int t = from + threadIdx.x;
    if ((long long)t < (long long)n * 2)
        out[threadIdx.x + blockIdx.x * blockDim.x] = t;
}
KERNEL(mixed)
{
    int t = from + threadIdx.x;
    if ((unsigned long long)t < (unsigned long long)n)
        out[threadIdx.x + blockIdx.x * blockDim.x] = t;
}
KERNEL(looped)
{
    unsigned t = from + threadIdx.x;
    if (t < n) {
        int sum = 0;
        for (int k = 0; k < 3; k++) sum = 5 * sum + (int)a[t + k].x;
        out[t] = sum;
    }
}
"""
NAMES = re.findall(r"KERNEL\((\w+)\)", SOURCE)[1:]
FIRST = [0, 5, 200, -5, -40, -1, 2**31 - 17, 2**31 - 1, 2**31, -(2**31) + 9]


@pytest.fixture(scope="module")
def modules():
    return compile_schemes(SOURCE)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_single_threads(modules, name):
    size = 900
    a = np.random.default_rng(2).integers(0, 99, (size, 2)).astype(np.float32)
    for first in FIRST:
        for n in (100, 64, 3, 0, -7, 300):
            if name in ("plane", "looped") and n < 0:
                continue  # t < n is unsigned there, or has no thread
            outs = []
            for module in modules:
                out = np.full(size, -9, np.int32)
                module.get_function(name)(
                    cuda.In(a),
                    cuda.InOut(out),
                    np.int32(n),
                    np.uint32(first % (1 << 32)),
                    block=(96, 1, 1),
                    grid=(3, 3 if name == "plane" else 1),
                )
                outs.append(out)
            wrong = np.flatnonzero(outs[0] != outs[1])
            assert not wrong.size, (first, n, wrong[:9])


def test_pairs_are_read_by_vectors(tmp_path):
    path = tmp_path / "kernels.cu"
    start = SOURCE.index("KERNEL(counted_signed)")
    path.write_text(SOURCE[:start])
    text = code(path)
    assert re.search(r"load <\d+ x float>", text)
    assert "masked.gather" not in text


STRIDED = """
extern "C" __global__ void scaled(int *a, int n)
{
    int factor = a[threadIdx.x];
    for (int i = X; i < n; i += gridDim.x * blockDim.x) a[i] *= factor;
}
extern "C" __global__ void shifted(int *a, int n)
{
    int first = a[0];
    __syncthreads();
    for (int i = X; i < n; i += gridDim.x * blockDim.x) a[i] += first;
}
"""


@pytest.mark.parametrize("threads", [1, 4, 100])
@pytest.mark.parametrize("name", ["scaled", "shifted"])
def test_loads_before_a_strided_loop_are_not_repeated(name, threads):
    # The loop writes the element that the thread has read before it.
    head = "#define X (blockIdx.x * blockDim.x + threadIdx.x)"
    n, start = 1000, np.arange(3, 1003, dtype=np.int32)
    for module in compile_schemes(head + STRIDED):
        a = start.copy()
        module.get_function(name)(
            cuda.InOut(a), np.int32(n), block=(threads, 1, 1), grid=(1, 1)
        )
        factors = np.resize(start[:threads], n)
        expected = start * factors if name == "scaled" else start + start[0]
        assert np.array_equal(a, expected)
