"""Code between barriers that runs for several neighbouring threads at a time.

It has loops with memory accesses in divergent code, or clamped indices. Every
kernel also runs on fibers, and must write the same.
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
#define KERNEL(NAME) __global__ void NAME(const float *in, float *out, int n)
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)

/* a guarded loop after a barrier */
KERNEL(distances)
{
    __shared__ float center[8];
    int t = X, y = Y;
    if (threadIdx.x < 8 && threadIdx.y == 0) center[threadIdx.x] = in[t];
    __syncthreads();
    if (t < n) {
        float sum = 0;
        for (int i = 0; i < n / 8; i++) {
            float d = in[i * n + t] - center[i & 7];
            sum += d * d;
        }
        out[y * n + t] = sum;
    }
}
/* rows of shared memory, clamped; the outer threads take no part */
KERNEL(stencil)
{
    __shared__ float tile[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = X, y = Y;
    int right = min((int)blockDim.x - 1, n - 1 - (x - tx));
    int down = (int)blockDim.y - 1;
    bool inside = x < n && y < n;
    if (inside) tile[ty][tx] = in[y * n + x];
    int w = max(tx - 1, 0), e = min(tx + 1, right);
    int s = min(ty + 1, down), u = max(ty - 1, 0);
    __syncthreads();
    if (inside && tx >= (int)blockIdx.y && tx < 30 - (int)blockIdx.x) {
        float c = tile[ty][tx];
        out[y * n + x] = c * 0.3f + tile[ty][w] * 1.5f + tile[ty][e] * 0.25f
            + (y + 1 < n ? tile[s][tx] : c) - tile[u][tx] * 3.25f;
    }
}
/* long rows of shared memory, clamped at borders that depend on the block */
KERNEL(waves)
{
    __shared__ float now[256], next[256];
    int t = threadIdx.x, rounds = n / 16;
    int x = (256 - rounds * 2) * blockIdx.x - rounds + t;
    int low = max(0, rounds - (256 - rounds * 2) * (int)blockIdx.x);
    int high = min((int)blockDim.x - 1, n - (x - t));
    bool inside = t >= low && t <= high, computed = false;
    if (inside) now[t] = in[x];
    __syncthreads();
    int w = max(t - 1, low), e = min(t + 1, high);
    for (int i = 0; i < rounds; i++) {
        computed = false;
        if (t >= i + 1 && t <= 254 - i && inside) {
            computed = true;
            next[t] = fminf(now[w], fminf(now[t], now[e])) + in[i * n + x];
        }
        __syncthreads();
        if (i == rounds - 1) break;
        if (computed) now[t] = next[t];
        __syncthreads();
    }
    if (computed) out[x] = next[t];
}
/* conditions of which all threads of a row know a part */
KERNEL(borders)
{
    __shared__ float tile[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, x = X, y = Y;
    bool valid = x < n && y < n;
    tile[ty][tx] = valid ? in[y * n + x] : 0;
    int w = max(tx - 1, 0), last = (int)blockDim.y - 1;
    __syncthreads();
    if (tx > 0 && tx < 15 && ty > 0 && ty < last && valid)
        out[y * n + x] = tile[ty][w] * 3 + tile[ty - 1][tx];
    if (!(tx % 3 == 0 || ty == 2 || (y & 1) == 0) && x < n && y < n)
        out[y * n + x] += tile[ty][w] * 0.5f;
    else if (valid && (ty == 1 || ty == 2))
        out[y * n + x] -= tile[ty][w] * 0.25f;
}
/* indices that are carried over barriers, in a loop around them */
KERNEL(path)
{
    __shared__ float from[1024], to[1024];
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    int last = blockDim.x * blockDim.y - 1;
    from[t] = in[t];
    __syncthreads();
    int w = max(t - 1, 0), e = min(t + 1, last);
    for (int i = 0; i < 5; i++) {
        bool take = t > i && t < last - i;
        if (take) to[t] = fminf(from[w], fminf(from[t], from[e])) + in[t + i];
        __syncthreads();
        if (take) from[t] = to[t] * 1.01f;
        __syncthreads();
    }
    if (X < n && Y < n) out[Y * n + X] = from[t];
}
/* the sum of votes stays in a register next to packs that may run their
 * threads one by one */
KERNEL(votes)
{
    unsigned t = X + 4294967295u * (in[n] > 2.0f), seen = 0;
    int y = Y;
    for (int k = 0; k < 3; k++) {
        seen = seen * 2048 + __syncthreads_count(in[threadIdx.x + k] > 0.5f);
        float sum = in[(t + k) & 1023u];
        if (threadIdx.x % 3 != 1)
            for (int i = 0; i < n / 4; i++) sum = sum * 0.5f + in[t + i];
        if (X < n && y < n) out[y * n + X] += sum;
        __syncthreads();
    }
    if (X < n && y < n) out[y * n + X] += seen & 0xfffff;
}
/* atomics on shared memory after a loop: one thread after the other */
KERNEL(counts)
{
    __shared__ int bins[16];
    int t = X, y = Y;
    if (threadIdx.x < 16 && threadIdx.y == 0) bins[threadIdx.x] = 0;
    __syncthreads();
    if (t < n) {
        float sum = 0;
        for (int i = 0; i < 4; i++) sum += in[i * n + t];
        atomicAdd(&bins[(int)(sum * 4) & 15], 1);
    }
    __syncthreads();
    if (t < n && y < n) out[y * n + t] = bins[threadIdx.x & 15];
}
/* clamped indices without any loop or barrier */
__global__ void edges(const float *in, float *out, int n)
{
    int x = X, y = Y;
    if (x >= n || y >= n) return;
    out[y * n + x] = in[y * n + max(x - 1, 0)] * 1.25f
        + in[y * n + min(x + 1, n - 1)] * 0.75f + in[max(y - 1, 0) * n + x];
}
"""
NAMES = [
    "distances",
    "stencil",
    "path",
    "waves",
    "votes",
    "borders",
    "counts",
    "edges",
]
SHAPES = [
    # block, grid, n
    ((16, 16, 1), (4, 4), 60),
    ((32, 8, 1), (2, 7), 51),
    ((100, 1, 1), (2, 3), 131),
    ((17, 3, 1), (5, 20), 64),
    ((256, 1, 1), (1, 2), 200),
]


@pytest.fixture(scope="module")
def modules():
    """Return the kernels as packs, and on fibers."""
    return compile_schemes(SOURCE)


def test_code_between_barriers_runs_in_packs(tmp_path):
    path = tmp_path / "kernels.cu"
    path.write_text(f'extern "C" {{\n{SOURCE}}}\n')
    kernels = {k["name"]: k for k in explain(path)["kernels"]}
    assert kernels["edges"]["level"] == "packs"
    for name in NAMES[:6]:
        assert kernels[name]["level"] == "regions"
        assert any(r["packs"] for r in kernels[name]["regions"]), name
    assert not any(r["packs"] for r in kernels["counts"]["regions"])


def test_long_rows_run_in_packs_of_several_vectors(tmp_path):
    # Neighbouring threads are assumed to clamp alike, and tested together.
    path = tmp_path / "kernels.cu"
    kernel = SOURCE[SOURCE.index("KERNEL(waves)") :].partition("\n}\n")[0]
    head = SOURCE[: SOURCE.index("/* a guarded")]
    path.write_text(f'{head}extern "C" {kernel}\n}}\n')
    widths = re.findall(r"<(\d+) x float>", code(path, "ir"))
    assert max(map(int, widths)) > 16


def test_uniform_terms_of_a_condition_are_branches(tmp_path):
    # A term that all lanes share would be copied to a vector of bits.
    path = tmp_path / "kernels.cu"
    kernel = SOURCE[SOURCE.index("KERNEL(borders)") :].partition("\n}\n")[0]
    head = SOURCE[: SOURCE.index("/* a guarded")]
    path.write_text(f'{head}extern "C" {kernel}\n}}\n')
    text = code(path, "ir")
    assert re.search(r"<\d+ x i1>", text)
    assert not re.search(r"insertelement <\d+ x i1>", text)


@pytest.mark.parametrize("name", NAMES)
def test_packs_and_fibers_agree(modules, name):
    random = np.random.default_rng(7)
    for block, grid, n in SHAPES:
        if name in ("stencil", "borders") and max(block[:2]) > 32:
            continue
        if name == "waves" and block[1] > 1:
            continue
        a = random.random(n * n + 4096, np.float32)
        outs = [np.full(n * n + 2 * n, 9, np.float32) for _ in modules]
        for module, out in zip(modules, outs, strict=True):
            module.get_function(name)(
                cuda.In(a),
                cuda.InOut(out),
                np.int32(n),
                block=block,
                grid=grid,
            )
        wrong = np.flatnonzero(outs[0].view("i4") != outs[1].view("i4"))
        assert not wrong.size, (block, grid, n, wrong[:9])
        assert (outs[0] != 9).any()


def test_edges_are_right(modules):
    n = 67
    a = np.random.default_rng(8).random((n, n), np.float32)
    out = np.zeros_like(a)
    modules[0].get_function("edges")(
        cuda.In(a),
        cuda.InOut(out),
        np.int32(n),
        block=(16, 8, 1),
        grid=(5, 9),
    )
    right = np.pad(a, 1, mode="edge")
    wanted = (
        right[1:-1, :-2] * 1.25 + right[1:-1, 2:] * 0.75 + right[:-2, 1:-1]
    )
    assert np.allclose(out, wanted, rtol=1e-6)
