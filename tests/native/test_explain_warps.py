"""Kernels with warp operations: those that run by warps, by ``explain``."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

SOURCE = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void
#define ALL 0xffffffffu
__device__ float sum_of_warp(float v)
{
    for (int step = 16; step > 0; step >>= 1)
        v += __shfl_down_sync(ALL, v, step);
    return v;
}
K block_sum(float *out, const float *in)
{
    __shared__ float part[32];
    float v = sum_of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
    int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = sum_of_warp(lane < blockDim.x / 32 ? part[lane] : 0);
        if (lane == 0)
            out[blockIdx.x] = v;
    }
}
K row_sums(float *out, const float *in, const int *first, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float v = 0;
    for (int i = first[row] + lane; i < first[row + 1]; i += 32)
        v += in[i];
    v = sum_of_warp(v);
    if (lane == 0)
        atomicAdd(out, v);
}
K tiles(float *out, const float *in)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    float v = in[threadIdx.x];
    for (int step = tile.size() / 2; step; step /= 2)
        v += tile.shfl_xor(v, step);
    tile.sync();
    if (tile.thread_rank() == 0)
        out[tile.meta_group_rank()] = v;
}
K small_tiles(float *out, const float *in)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    float v = in[threadIdx.x];
    for (int step = 4; step; step /= 2)
        v += tile.shfl_xor(v, step);
    out[threadIdx.x] = v + tile.any(v > 1);
}
K until_none(int *out)
{
    int left = threadIdx.x * 7 % 40, rounds = 0;
    while (__any_sync(ALL, left > 0)) {
        --left;
        ++rounds;
    }
    out[threadIdx.x] = rounds;
}
K without_syncwarp(float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 1] + __activemask();
}
K half(float *out)
{
    float v = threadIdx.x;
    if (threadIdx.x % 32 < 16)
        v += __shfl_down_sync(0xffff, v, 8);
    out[threadIdx.x] = v;
}
K lanes_leave(float *out, int n)
{
    if (threadIdx.x >= n)
        return;
    out[threadIdx.x] = __shfl_xor_sync(ALL, out[threadIdx.x], 1);
}
K width(float *out, int n)
{
    out[threadIdx.x] = __shfl_xor_sync(ALL, out[threadIdx.x], 1, n);
}
K sleeps(float *out)
{
    __nanosleep(10);
    out[threadIdx.x] = __shfl_xor_sync(ALL, out[threadIdx.x], 1);
}
K rows_of_threads(float *out)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y, warp = t / 32;
    float v = out[t];
    if (warp == 0)
        v = sum_of_warp(v);
    for (int i = 0; i <= warp; ++i)
        v += __shfl_xor_sync(ALL, v, 1);
    out[t] = v;
}
"""

BY_WARPS = [
    "block_sum", "row_sums", "tiles", "small_tiles", "until_none",
    "without_syncwarp", "rows_of_threads",
]  # fmt: skip
ON_FIBERS = {
    "half": "lanes of a warp may diverge before line 76 (shuffle)",
    "lanes_leave": "lanes of a warp may diverge before line 83 (shuffle)",
    "width": "line 87 shuffles by a width that is no constant",
    "sleeps": "line 91 suspends its thread (nanosleep)",
}


def _told(folder, **environment):
    path = folder / "warps.cu"
    path.write_text(SOURCE)
    done = subprocess.run(
        [sys.executable, "-m", "pycuda.cpu", "explain", "--json", path],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ, PYCUDA_CPU_CHECK="", **environment),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["kernels"]}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return _told(tmp_path_factory.mktemp("explain"))


@pytest.mark.parametrize("name", BY_WARPS)
def test_runs_by_warps(told, name):
    assert (told[name]["level"], told[name]["reason"]) == ("warps", "")


@pytest.mark.parametrize("name", ON_FIBERS)
def test_stays_on_fibers(told, name):
    row = told[name]
    assert (row["level"], row["reason"]) == ("fibers", ON_FIBERS[name])


def test_the_operations_have_lines(told):
    rows = told["without_syncwarp"]["regions"]
    assert [(row["from"], row["line"]) for row in rows] == [
        ("start", 65),
        ("warp operation", 69),
        ("warp operation", 70),
    ]


def test_switched_off(tmp_path):
    rows = _told(tmp_path, PYCUDA_CPU_WARPS="0")
    row = rows["tiles"]
    assert row["level"] == "fibers"
    assert "PYCUDA_CPU_WARPS" in row["reason"]
