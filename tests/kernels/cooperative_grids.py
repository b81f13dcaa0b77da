"""Runs one cooperative grid that fills the device.

``python cooperative_grids.py CASE THREADS`` launches as many blocks as the
occupancy calculation allows and prints the result of the case's check.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

SOURCE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" {
__global__ void rounds(unsigned *data, unsigned *out, int n)
{
    extern __shared__ unsigned tile[];
    cg::grid_group grid = cg::this_grid();
    unsigned size = gridDim.x * blockDim.x, rank = grid.thread_rank();
    unsigned other = blockDim.x - 1 - threadIdx.x;

    for (int round = 0; round < n; round++) {
        tile[threadIdx.x] = data[rank] + round;
        __syncthreads();
        out[rank] = tile[threadIdx.x] + 3 * tile[other];
        __syncthreads();
        tile[threadIdx.x] = ~0u;
        grid.sync();
        data[rank] = out[(rank * 37 + 11 + round) % size];
        grid.sync();
    }
}

// A barrier of the program's own: each block waits for all the others.
__global__ void own_barrier(unsigned *arrived, unsigned *out, int n)
{
    for (int round = 1; round <= n; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            while (atomicAdd(arrived, 0) < round * gridDim.x)
                ;
            __threadfence();
        }
        __syncthreads();
        atomicAdd(&out[(blockIdx.x + round) % gridDim.x], threadIdx.x);
    }
}

__device__ void reverse(unsigned *data, unsigned *out, bool wait)
{
    cg::grid_group grid = cg::this_grid();
    unsigned size = gridDim.x * blockDim.x, rank = grid.thread_rank();

    out[rank] = rank;
    if (wait)
        grid.sync();
    data[rank] = out[size - 1 - rank];
}
__global__ void one_barrier(unsigned *data, unsigned *out, int n)
{
    reverse(data, out, true);
}
__global__ void no_barrier(unsigned *data, unsigned *out, int n)
{
    reverse(data, out, false);
}

__global__ void fails(unsigned *data, unsigned *out, int n)
{
    if (blockIdx.x == gridDim.x - 2 && threadIdx.x == 1)
        out = nullptr;
    cg::this_grid().sync();
    out[threadIdx.x] = n;
    cg::this_grid().sync();
}

__global__ void leaves_out(unsigned *data, unsigned *out, int n)
{
    if (blockIdx.x % 3)
        cg::this_grid().sync();
    data[blockIdx.x] = n;
}

// A kernel of another stream's that keeps a worker until `flag` is set.
__global__ void waits(volatile unsigned *flag)
{
    while (!*flag)
        ;
}
__global__ void releases(unsigned *data, unsigned *out, int n)
{
    reverse(data + 1, out, true);
    cg::this_grid().sync();
    if (cg::this_grid().thread_rank() == 0)
        *(volatile unsigned *)data = 1;
}

__device__ unsigned depth(unsigned n)
{
    return n ? 1 + depth(n - 1) : 0;
}
__global__ void recursive(unsigned *data, unsigned *out, int n)
{
    unsigned rank = cg::this_grid().thread_rank();
    unsigned size = gridDim.x * blockDim.x;

    out[rank] = depth(data[rank] % 16 * n);
    cg::this_grid().sync();
    data[rank] = out[(rank + blockDim.x) % size];
}
}
"""


def check_rounds(out: Any, before: Any, blocks: int, n: int) -> bool:
    """Return whether the result after `n` rounds equals NumPy's."""
    data, rank = before, np.arange(before.size)
    for turn in range(n):
        tile = (data + np.uint32(turn)).reshape(blocks, -1)
        swept = (tile + 3 * tile[:, ::-1]).ravel()
        data = swept[(rank * 37 + 11 + turn) % data.size]
    return np.array_equal(out, data)


def check_recursive(out: Any, before: Any, blocks: int, n: int) -> bool:
    """Return whether each block has the next block's recursion result."""
    wanted = np.roll(before % 16 * n, -(before.size // blocks))
    return np.array_equal(out, wanted)


def check_reverse(out: Any, before: Any, blocks: int, n: int) -> bool:
    """Return whether each thread has the value of its mirror-image thread."""
    return np.array_equal(out, before[::-1])


Check = Callable[[Any, Any, int, int], bool]
CHECKS: dict[str, tuple[Check, int]] = {
    "rounds": (check_rounds, 5),
    "one_barrier": (check_reverse, 1),
    "no_barrier": (check_reverse, 0),
    "recursive": (check_recursive, 9),
}


def run_beside(threads: int) -> str:
    """Launch a grid while another kernel keeps a worker waiting for it."""
    module = SourceModule(SOURCE, no_extern_c=True)
    kernel, waits = (module.get_function(k) for k in ("releases", "waits"))
    each = kernel.max_active_blocks_per_multiprocessor(threads)
    blocks = each * pycuda.autoinit.device.multiprocessor_count
    size = blocks * threads
    data = drv.to_device(np.zeros(1 + size, np.uint32))
    out = drv.mem_alloc(4 * size)
    one, two = drv.Stream(), drv.Stream()
    waits(data, block=(32, 1, 1), stream=one)
    kernel(
        data,
        out,
        np.int32(0),
        block=(threads, 1, 1),
        grid=(blocks, 1),
        cooperative=True,
        stream=two,
    )
    drv.Context.synchronize()
    found = drv.from_device(data, 1 + size, np.uint32)
    right = np.array_equal(found[1:], np.arange(size)[::-1])
    return "right" if right else "wrong"


def run(name: str, threads: int) -> str:
    """Launch `name` on all blocks that fit, with `threads` threads each."""
    kernel = SourceModule(SOURCE, no_extern_c=True).get_function(name)
    shared = 4 * threads
    each = kernel.max_active_blocks_per_multiprocessor(threads, shared)
    blocks = each * pycuda.autoinit.device.multiprocessor_count
    before = np.arange(blocks * threads, dtype=np.uint32)
    data, out = drv.to_device(before), drv.to_device(np.zeros_like(before))
    check, n = CHECKS.get(name, (check_reverse, 3))
    if name == "own_barrier":
        drv.memset_d32(data, 0, 1)
    shape = {"block": (threads, 1, 1), "shared": shared, "cooperative": True}
    try:
        kernel(data, out, np.int32(n), grid=(blocks, 1), **shape)
        drv.Context.synchronize()
    except drv.Error as error:
        return f"failed: {error}"
    if name == "own_barrier":
        sums = drv.from_device_like(out, before)[:blocks]
        right = bool((sums == n * (threads * (threads - 1) // 2)).all())
    else:
        right = check(drv.from_device_like(data, before), before, blocks, n)
    try:
        kernel(data, out, np.int32(n), grid=(blocks + 1, 1), **shape)
    except drv.Error as error:
        return f"{each} {'right' if right else 'wrong'}: {error}"
    return "one block more was not refused"


if __name__ == "__main__":
    case, size = sys.argv[1], int(sys.argv[2])
    print(run_beside(size) if case == "beside" else run(case, size))
