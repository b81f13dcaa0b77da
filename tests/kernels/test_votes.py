"""Barriers with a result: __syncthreads_count, _and and _or.

On the CPU device they end thread loops like any barrier
(`src/jit/regions/warp_votes.c`), or run on fibers if threads diverge.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
#define INDEX (threadIdx.x + blockDim.x * (threadIdx.y + \\
               blockDim.y * threadIdx.z))
#define SIZE (blockDim.x * blockDim.y * blockDim.z)

extern "C" __global__ void each(int *out, const int *in, int n)
{
    int t = INDEX, i = blockIdx.x * SIZE + t;
    int count = __syncthreads_count(in[i] > n);
    int all = __syncthreads_and(in[i] > n);
    int any = __syncthreads_or(in[i] == n);
    out[i] = 4 * count + 2 * (all != 0) + (any != 0);
}

// Each vote decides about the next.
extern "C" __global__ void chain(int *out, const int *in, int n)
{
    int t = INDEX, i = blockIdx.x * SIZE + t, value = in[i], rounds = 0;
    int left = __syncthreads_count(value > n);
    while (left > 2 && rounds < 40) {
        if (left % 2)
            value -= t % 3;
        else if (__syncthreads_or(left > 5 + t))
            value -= 1;
        left = __syncthreads_count(value > n);
        ++rounds;
    }
    out[i] = 1000 * rounds + left;
}

// A result as it was a barrier before, and one that nobody wants.
extern "C" __global__ void late(int *out, const int *in, int n)
{
    __shared__ int s[1024];
    int t = INDEX, i = blockIdx.x * SIZE + t;
    int first = __syncthreads_count(in[i]);
    s[t] = in[i] + first;
    __syncthreads_count(in[i] > 3);
    int second = __syncthreads_count(s[SIZE - 1 - t] > n + first);
    out[i] = first * 2000 + second;
}

extern "C" __global__ void early(int *out, const int *in, int n)
{
    int t = INDEX, i = blockIdx.x * SIZE + t;
    if (threadIdx.x >= n)
        return;
    int count = __syncthreads_count(in[i] & 1);
    out[i] = 2 * count + !__syncthreads_and(in[i] > 0);
}

// Not all threads come there: those that do are as many as there are.
extern "C" __global__ void some(int *out, const int *in, int n)
{
    int t = INDEX, i = blockIdx.x * SIZE + t;
    if (in[i] % 2) {
        out[i] = -2;
        return;
    }
    int count = __syncthreads_count(in[i] > n);
    int all = __syncthreads_and(in[i] > n);
    out[i] = 2 * count + (all != 0);
}
"""


def each(x, n, nx):
    return 4 * np.sum(x > n) + 2 * np.all(x > n) + np.any(x == n)


def chain(x, n, nx):
    value, t, rounds = x.copy(), np.arange(x.size), 0
    left = np.sum(value > n)
    while left > 2 and rounds < 40:
        if left % 2:
            value -= t % 3
        elif np.any(left > 5 + t):
            value -= 1
        left = np.sum(value > n)
        rounds += 1
    return 1000 * rounds + left


def late(x, n, nx):
    first = np.sum(x != 0)
    return first * 2000 + np.sum(x > n)


def early(x, n, nx):
    stay = np.arange(x.size) % nx < n
    live = x[stay]
    told = 2 * np.sum(live & 1) + (not np.all(live > 0))
    return np.where(stay, told, -1)


def some(x, n, nx):
    live = x[x % 2 == 0]
    told = 2 * np.sum(live > n) + np.all(live > n)
    return np.where(x % 2 == 0, told, -2)


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(SOURCE, no_extern_c=True)


@pytest.mark.parametrize("way", [each, chain, late, early, some])
@pytest.mark.parametrize(
    "block", [(1, 1, 1), (64, 1, 1), (8, 5, 1), (7, 3, 2), (1024, 1, 1)]
)
@pytest.mark.parametrize("n", [0, 3, 9])
def test_votes(module, way, block, n):
    blocks, threads = 5, int(np.prod(block))
    x = np.random.default_rng(n).integers(0, 12, (blocks, threads))
    x = x.astype(np.int32)
    x[1], x[2] = 11, 0
    out = gpuarray.to_gpu(np.full((blocks, threads), -1, np.int32))
    function = module.get_function(way.__name__)
    function(
        out, gpuarray.to_gpu(x), np.int32(n), block=block, grid=(blocks, 1)
    )
    cuda.Context.synchronize()
    right = np.array(
        [np.broadcast_to(way(row, n, block[0]), threads) for row in x]
    )
    np.testing.assert_array_equal(out.get(), right)


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_they_are_loops(tmp_path):
    path = tmp_path / "votes.cu"
    path.write_text(SOURCE)
    done = subprocess.run(
        [
            *(sys.executable, "-P", "-m", "pycuda.cpu"),
            *("explain", "--json", str(path)),
        ],
        env=os.environ | {"PYCUDA_CPU_REGIONS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)["kernels"]
    assert {row["name"]: row["level"] for row in told} == {
        "each": "regions",
        "chain": "regions",
        "late": "regions",
        "early": "regions",
        "some": "fibers",
    }
