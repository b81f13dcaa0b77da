"""Kernels that limit indices to an array, or choose others at its border.

The CPU device assumes that neighbouring threads choose alike, and tests it for
each pack of threads.  Every kernel also runs thread by thread, and must write
the same; borders fall into packs of all kinds.
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
    const int *a, int *out, int n, int r)

KERNEL(limited) // the index is limited within two loops
{
    int x = X, sum = 0;
    if (x < n) {
        for (int i = -r; i <= r; i++)
            for (int j = -r; j <= r; j++)
                sum = sum * 3 + a[min(max(x + j + i, 0), n - 1)];
        out[x] = sum;
    }
}
KERNEL(bordered) // comparisons for equality, carried by a loop
{
    int c = X, w = c == 0 ? c : c - 1, e = c == n - 1 ? c : c + 1;
    if (c < n)
        for (int k = 0; k < r; k++) {
            out[c] = out[c] + a[w] * 5 - a[e];
            c += n, w += n, e += n;
        }
}
KERNEL(periodic)
{
    int x = X, w = x == 0 ? n - 1 : x - 1, e = x == n - 1 ? 0 : x + 1;
    if (x < n)
        for (int k = 0; k < r; k++) out[x] = out[x] * 7 + a[w] - a[e] * k;
}
KERNEL(shifted) // two halves of a row, signed and unsigned
{
    int x = X, h = n / 2, sum = 0;
    unsigned u = X;
    int at = x < h ? x + h : x - h;
    unsigned to = u > (unsigned)r + 3u ? u : u + 9u;
    if (x < n)
        for (int k = 0; k < r; k++) sum = sum * 5 + a[at] + a[to + k];
    if (x < n) out[x] = sum;
}
KERNEL(downward)
{
    int x = n - 1 - (int)X, sum = 0;
    for (int k = 0; k < r; k++)
        sum = sum * 3 + a[min(max(x - k, 2), n - 3)];
    if (x >= 0) out[x] = sum;
}
KERNEL(wide) // indices of 64 bits; unsigned ones that wrap below 0
{
    long x = X, last = n - 1;
    unsigned u = X;
    int sum = 0;
    for (int k = 0; k < r; k++)
        sum = sum * 3 + a[min(x + k, last)] + a[min(u - k, n - 1u)];
    if (x < n) out[x] = sum;
}
KERNEL(repeated) // an effect comes before: packs cannot be run again
{
    int x = X;
    if (x < n)
        for (int k = 0; k < r; k++) {
            out[x] += a[min(x + k, n - 1)];
            out[x] *= a[max(x - k, 0)];
        }
}
KERNEL(tested) // conditions on indices instead of limits, in a loop
{
    int x = X, sum = x;
    if (x < n)
        for (int k = -r; k <= r; k++) {
            if (x + k >= 0) {
                sum = sum * 3 + a[x + k];
                if (x + k < n - 1) sum ^= a[x + k + 1] * 7;
            } else
                sum += 5;
            if (x - 2 * k != n / 2) sum = sum * 3 + 1;
        }
    if (x < n) out[x] = sum;
}
KERNEL(unsigned_tests) // of indices that wrap
{
    unsigned x = X, sum = x;
    for (int k = 0; k < r; k++) {
        unsigned at = x - 2 * k;
        if (at < (unsigned)n) sum = sum * 3 + a[at];
        if (at - 1u >= 40u) sum += 11;
    }
    if (x < n) out[x] = sum;
}
KERNEL(inner) // a condition that surrounds loops, effects before and after it
{
    int x = X;
    if (x >= n) return;
    int sum = a[x];
    if (x > r && x < n - r - 1) {
        for (int k = -r; k <= r; k++) sum = sum * 3 + a[x + k];
        out[x] = sum;
    } else
        out[x] = -sum;
    if (x > 2 * r)
        for (int k = 0; k < r; k++) out[x] += a[x - k];
}
KERNEL(parted) // only some threads limit their index
{
    int x = X, sum = x;
    if (x < n) {
        if (a[x] % 3 == 0)
            for (int k = 0; k < r; k++) sum = sum * 3 + a[max(x - k, 0)];
        for (int k = 0; k < a[x] % 4; k++)
            sum = sum * 3 + a[min(x + k, n - 1)];
        out[x] = sum;
    }
}
"""
NAMES = re.findall(r"KERNEL\((\w+)\)", SOURCE)[1:]
SIZES = [(1, 1), (5, 2), (16, 3), (17, 1), (130, 4), (515, 3), (1000, 17)]


@pytest.fixture(scope="module")
def modules():
    return compile_schemes(SOURCE)


def run(module, name, a, n, r, block):
    out = np.full(a.size, 9, np.int32)
    module.get_function(name)(
        cuda.In(a),
        cuda.InOut(out),
        np.int32(n),
        np.int32(r),
        block=(block, 1, 1),
        grid=(-(-n // block), 1),
    )
    return out


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_single_threads(modules, name):
    a = np.random.default_rng(5).integers(0, 100, 24000).astype(np.int32)
    for n, r in SIZES:
        for block in (256, 96, 33):
            ours, single = (run(m, name, a, n, r, block) for m in modules)
            wrong = np.flatnonzero(ours != single)
            assert not wrong.size, (n, r, block, wrong[:9])
            assert (ours != 9).any() or name == "downward"


MIXED = """
#define KERNEL(NAME) extern "C" __global__ void NAME( \\
    const int *a, int *out, int n, int r)

KERNEL(limited) // the index is limited on one side of a mixed condition
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (x >= n) return;
    if (r > 1 && a[x] > 50)
        out[x] += 1;
    else {
        for (int k = -3; k <= 3; k++)
            sum = sum * 3 + a[min(max(x + k, 0), n - 1)];
        out[x] = sum;
    }
}
KERNEL(either)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (x >= n) return;
    if (r > 1 ? a[x] > 50 : a[x + 1] < 50)
        out[x] += 1;
    else {
        for (int k = 0; k < 7; k++) sum = sum * 3 + a[max(x - k, 0)];
        out[x] = sum;
    }
}
KERNEL(extended) // the first pack has indices that wrap
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    if (r > 1 && a[x] > 50)
        out[x] += 1;
    else {
        const int *p = a + (x - 5u);
        for (int k = 0; k < r; k++) sum = sum * 3 + p[k];
        out[x] = sum;
    }
}
"""


@pytest.mark.parametrize("name", ["limited", "either", "extended"])
def test_effects_happen_once(name):
    """A pack may run in another way only before its first effect."""
    a = np.random.default_rng(1).integers(0, 100, 1024).astype(np.int32)
    a[:5] = 99
    for n in (256, 200):
        ours, single = (
            run(module, name, a, n, 3, 256)
            for module in compile_schemes(MIXED)
        )
        assert np.array_equal(ours, single)


def test_results_are_right(modules):
    a = np.random.default_rng(6).integers(0, 100, 4000).astype(np.int32)
    n, r, x = 700, 3, np.arange(700)
    sums = np.zeros(n, np.int32)
    with np.errstate(over="ignore"):
        for i in range(-r, r + 1):
            for j in range(-r, r + 1):
                sums = sums * np.int32(3) + a[np.clip(x + i + j, 0, n - 1)]
    for module in modules:
        assert np.array_equal(run(module, "limited", a, n, r, 64)[:n], sums)


def test_limited_rows_are_vectors(tmp_path):
    path = tmp_path / "kernels.cu"
    head = SOURCE[: SOURCE.index("KERNEL(limited)")]
    path.write_text(head + SOURCE[len(head) : SOURCE.index("KERNEL(bord")])
    assert explain(path)["kernels"][0]["level"] == "packs"
    text = code(path)
    # The entry has no gathers. Packs at a border run in functions that do.
    entry = text[text.index("@kernel.limited(") :]
    entry = entry[: entry.index("\n}\n")]
    assert re.search(r"load <\d+ x i32>", entry)
    assert "gather" not in entry
    assert "call void @parts" in entry
    # A condition on the index is a branch, not a mask.
    start = SOURCE.index("KERNEL(tested)")
    path.write_text(head + SOURCE[start : SOURCE.index("KERNEL(unsigned_t")])
    text = code(path)
    entry = text[text.index("@kernel.tested(") :]
    assert re.search(r"call void @(parts|general)\d+\.tested", entry)
