"""Kernels that divide the index of the thread into a row and a column.

The CPU device assumes that neighbouring threads have the same quotient, and
tests it for each pack.  Every kernel also runs thread by thread, and must
write the same; divisors leave packs of all kinds.
"""

# SPDX-License-Identifier: MIT

import re

import numpy as np
import pytest
from compiled_schemes import compile_schemes

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.cpu._explain import code, explain

pytestmark = pytest.mark.cpu

SOURCE = """
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(NAME) extern "C" __global__ void NAME( \\
    const int *a, int *out, int n, int d)

KERNEL(halves) // as in a Fourier transform
{
    int i = X, k = i % d, at = i / d * 2 * d + k;
    if (i < n) {
        out[at] = a[at] + 3 * a[k];
        out[at + d] = a[at + d] - a[k];
    }
}
KERNEL(rows)
{
    unsigned i = X, w = d;
    if (i < n) out[i / w * w + i % w] = a[i % w] * 5 + a[i / w * w];
}
KERNEL(down)
{
    int i = n - 1 - (int)X;
    if (i >= 0) out[i] = a[i / d * d + i % d] + a[i % d];
}
KERNEL(constants)
{
    unsigned i = X;
    if (i < n) out[i] = a[i % 40u] + 2 * a[i / 64u * 64u + (i & 63u)];
}
KERNEL(shifts)
{
    int i = X;
    if (i < n) out[i] = a[(i >> 6) * 64 + (i & 63)] + a[i & 127];
}
KERNEL(looped)
{
    int i = X, row = i / d, column = i % d, sum = 0;
    if (i < n) {
        for (int k = 0; k < 5; k++)
            sum = 3 * sum + a[row * d + column + k * d];
        out[row * d + column] = sum;
    }
}
"""
NAMES = re.findall(r"KERNEL\((\w+)\)", SOURCE)[1:]
SIZES = [(1000, 100), (4096, 512), (777, 16), (3000, 7), (900, 1), (65, 300)]


@pytest.fixture(scope="module")
def modules():
    return compile_schemes(SOURCE)


def run(module, name, a, n, d, block):
    out = np.full(a.size, 9, np.int32)
    module.get_function(name)(
        cuda.In(a),
        cuda.InOut(out),
        np.int32(n),
        np.int32(d),
        block=(block, 1, 1),
        grid=(-(-n // block), 1),
    )
    return out


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_single_threads(modules, name):
    a = np.random.default_rng(8).integers(0, 100, 9000).astype(np.int32)
    for n, d in SIZES:
        for block in (256, 96, 33):
            ours, single = (run(m, name, a, n, d, block) for m in modules)
            wrong = np.flatnonzero(ours != single)
            assert not wrong.size, (n, d, block, wrong[:9])
            assert (ours != 9).any()


@pytest.mark.parametrize("divisor", [0, -1, -5])
def test_unusual_divisors(modules, divisor):
    a = np.arange(600, dtype=np.int32) * 7
    source = SOURCE.replace("a[i / d * d + i % d] + a[i % d]", "i / d ^ i % d")
    for module in compile_schemes(source):
        out = run(module, "down", a, 300, divisor, 64)
        i = np.arange(300)
        quotient = {0: np.full(300, -1), -1: -i, -5: -(i // 5)}[divisor]
        # A GPU computes x / 0 and x % 0 as -1.
        rest = i - quotient * divisor if divisor else quotient
        assert np.array_equal(out[:300], quotient ^ rest)


def test_accesses_are_vectors(tmp_path):
    path = tmp_path / "kernels.cu"
    path.write_text(SOURCE)
    levels = {k["name"]: k["level"] for k in explain(path)["kernels"]}
    # A condition that differs between lanes comes before the quotient.
    assert levels == dict.fromkeys(NAMES, "packs") | {"down": "loop"}
    head = SOURCE[: SOURCE.index("KERNEL(halves)")]
    path.write_text(head + SOURCE[len(head) : SOURCE.index("KERNEL(rows)")])
    text = code(path)
    entry = text[text.index("@kernel.halves") :]
    assert re.search(r"(load|store) <\d+ x i32>|masked\.store", entry)
