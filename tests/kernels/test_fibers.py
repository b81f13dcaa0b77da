"""Fibers: CUDA threads with a stack each, on the CPU device."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]

SOURCE = """
__global__ void some_leave(unsigned *out)
{
    unsigned t = threadIdx.x;
    if (t % 32 >= 20) return;
    out[t] = __ballot_sync(0xffffffff, t & 1);
}
__global__ void large_frames(unsigned *out, unsigned n)
{
    unsigned own[1000], t = threadIdx.x;
    for (unsigned i = 0; i < n; i++) own[i] = i * t;
    __syncthreads();
    for (unsigned i = 0; i < n; i++) out[t] += own[i];
}
__global__ void sleeper(unsigned *out)
{
    for (int i = 0; i < 60; i++) __nanosleep(1000000);
    out[threadIdx.x] = 1;
}
__device__ __noinline__ void leave(bool now)
{
    if (now) __exit();
}
__global__ void exits(unsigned *out)
{
    leave(threadIdx.x % 3 == 0);
    out[threadIdx.x] = 1;
}
"""


@pytest.fixture
def regions() -> str:
    """Switch thread loops off unless a test switches them on."""
    return "0"


@pytest.fixture
def run(regions: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a kernel on fibers and return its output."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    for name in ("REGIONS", "WARPS"):
        monkeypatch.setenv(f"PYCUDA_CPU_{name}", regions)
    module = SourceModule(SOURCE)

    def call(name: str, *more: Any, threads: int = 64) -> np.ndarray:
        out = np.zeros(threads, np.uint32)
        kernel = module.get_function(name)
        kernel(drv.InOut(out), *more, block=(threads, 1, 1))
        return out

    return call


def test_who_waits_for_a_lane_that_ends_goes_on(run: Any) -> None:
    stay = np.arange(64) % 32 < 20
    assert (run("some_leave") == np.where(stay, 0xAAAAA, 0)).all()


@pytest.mark.parametrize("regions", ["0", "1"])
def test_stacks_hold_the_frames(run: Any, regions: str) -> None:
    """The stack suffices for each thread, or for a block on one stack."""
    n, threads = 1000, 1024
    wanted = np.arange(threads, dtype=np.uint64) * (n * (n - 1) // 2)
    found = run("large_frames", np.uint32(n), threads=threads)
    assert (found == wanted % 2**32).all()


def test_sleep_takes_its_time(run: Any) -> None:
    start = time.perf_counter()
    assert (run("sleeper") == 1).all()
    assert time.perf_counter() - start >= 60e-3


def test_exit_ends_the_thread(run: Any) -> None:
    assert (run("exits") == (np.arange(64) % 3 != 0)).all()
