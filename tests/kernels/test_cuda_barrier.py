"""cuda::barrier, cuda::pipeline and the primitives of pipelines."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# On a GPU the headers are NVIDIA's own.
pytestmark = pytest.mark.cpu

HEAD = """
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
"""


def kernel(body: str, arguments: str = "const int *from, int *to"):
    source = f'{HEAD}extern "C" __global__ void k({arguments}) {{\n{body}\n}}'
    return SourceModule(source, no_extern_c=True).get_function("k")


def run(body: str, threads: int, count: int, blocks: int = 3) -> np.ndarray:
    """Run `body` and return the array `to`; `from` counts from 0."""
    to = np.full(count * blocks, -1, "i4")
    kernel(body)(
        cuda.In(np.arange(count * blocks, dtype="i4")),
        cuda.Out(to),
        block=(threads, 1, 1),
        grid=(blocks, 1),
    )
    return to.reshape(blocks, count)


TURNS = """
    __shared__ Barrier bar;
    __shared__ int s[96];
    int t = threadIdx.x, base = blockIdx.x * blockDim.x;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    int v = from[base + t];
    for (int turn = 0; turn < 20; turn++) {
        s[t] = v;
        WAIT
        v = s[(t + 1) % blockDim.x];
        WAIT
    }
    to[base + t] = v;
"""


@pytest.mark.parametrize(
    "wait",
    [
        "bar.arrive_and_wait();",
        "{ auto token = bar.arrive(); bar.wait(std::move(token)); }",
        "{ auto token = bar.arrive();"
        " while (!bar.try_wait(std::move(token))) ; }",
        "{ (void)bar.arrive(); bar.wait_parity(PARITY); }",
    ],
)
def test_each_way_to_wait(wait):
    first, second = (wait.replace("PARITY", p) for p in "01")
    body = TURNS.replace("WAIT", first, 1).replace("WAIT", second, 1)
    out = run(body, 96, 96)
    rows = np.arange(3 * 96).reshape(3, 96)
    assert (out == np.roll(rows, -20, 1)).all()


def test_arrivals_for_several_and_those_that_drop_out():
    body = """
        __shared__ Barrier bar;
        __shared__ int seen;
        int t = threadIdx.x;
        if (t == 0) {
            init(&bar, blockDim.x + 2);
            seen = 0;
        }
        __syncthreads();
        atomicAdd(&seen, 1);
        bar.wait(bar.arrive(t == 5 ? 3 : 1));
        int first = seen;
        if (t % 2) {
            bar.arrive_and_drop();
            to[blockIdx.x * blockDim.x + t] = first;
            return;
        }
        bar.wait(bar.arrive(t == 0 ? 3 : 1));
        atomicAdd(&seen, 1);
        bar.wait(bar.arrive(t == 0 ? 3 : 1));
        to[blockIdx.x * blockDim.x + t] = first * 1000 + seen;
    """
    out = run(body, 64, 64)
    assert (out[:, 1::2] == 64).all()
    assert (out[:, ::2] == 64 * 1000 + 96).all()


def test_what_is_done_as_a_phase_ends():
    body = """
        struct Sum {
            int *at;
            __device__ void operator()() const { *at = *at * 2; }
        };
        __shared__ cuda::barrier<cuda::thread_scope_block, Sum> bar;
        __shared__ int sum;
        int t = threadIdx.x;
        if (t == 0) {
            sum = 0;
            init(&bar, blockDim.x, Sum{&sum});
        }
        __syncthreads();
        atomicAdd(&sum, t);
        bar.arrive_and_wait();
        to[blockIdx.x * blockDim.x + t] = sum;
    """
    assert (run(body, 64, 64) == 64 * 63).all()


COPIES = {
    "barrier": """
        __shared__ Barrier bar;
        if (group.thread_rank() == 0)
            init(&bar, group.size());
        group.sync();
        cuda::memcpy_async(group, s, from, cuda::aligned_size_t<4>(512), bar);
        bar.arrive_and_wait();
    """,
    "each thread": """
        __shared__ Barrier bar;
        if (group.thread_rank() == 0)
            init(&bar, group.size());
        group.sync();
        cuda::memcpy_async(s + t, from + t, sizeof(int), bar);
        cuda::memcpy_async(s + t + 64, from + t + 64, sizeof(int), bar);
        bar.arrive_and_wait();
    """,
    "primitives": """
        __pipeline_memcpy_async(s + t, from + t, 4);
        __pipeline_memcpy_async(s + t + 64, from + t + 64, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
    """,
    "own pipeline": """
        auto pipe = cuda::make_pipeline();
        pipe.producer_acquire();
        cuda::memcpy_async(s + t, from + t, 4, pipe);
        pipe.producer_commit();
        pipe.producer_acquire();
        cuda::memcpy_async(s + t + 64, from + t + 64, 4, pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<0>(pipe);
        pipe.consumer_release();
        __syncthreads();
    """,
}


@pytest.mark.parametrize("name", COPIES)
def test_copies(name):
    out = run(
        f"""
        __shared__ int s[128];
        auto group = cg::this_thread_block();
        int t = threadIdx.x;
        from += blockIdx.x * 128, to += blockIdx.x * 128;
        {COPIES[name]}
        to[t] = s[127 - t];
        to[t + 64] = s[63 - t];
        """,
        64,
        128,
    )
    assert (out == np.arange(3 * 128).reshape(3, 128)[:, ::-1]).all()


def test_zeros_behind_a_copy():
    out = run(
        """
        __shared__ int4 s[32];
        __pipeline_memcpy_async(s + threadIdx.x,
                                (const int4 *)from + threadIdx.x, 16, 8);
        __pipeline_wait_prior(0);
        ((int4 *)to)[threadIdx.x] = s[threadIdx.x];
        """,
        32,
        128,
        1,
    )
    expected = np.arange(128).reshape(32, 4)
    expected[:, 2:] = 0
    assert (out.reshape(32, 4) == expected).all()


STAGED = """
    constexpr int stages = 3, turns = 11;
    __shared__ int s[stages][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages>
        state;
    auto group = cg::this_thread_block();
    int t = threadIdx.x;
    from += blockIdx.x * turns * 64, to += blockIdx.x * turns * 64;
"""


def test_stages_that_all_fill_and_take():
    out = run(
        STAGED
        + """
        auto pipe = cuda::make_pipeline(group, &state);
        for (int made = 0, taken = 0; taken < turns; taken++) {
            for (; made < turns && made < taken + stages; made++) {
                pipe.producer_acquire();
                cuda::memcpy_async(group, s[made % stages], from + made * 64,
                                   sizeof(int) * 64, pipe);
                pipe.producer_commit();
            }
            pipe.consumer_wait();
            to[taken * 64 + t] = s[taken % stages][63 - t];
            pipe.consumer_release();
        }
        """,
        64,
        11 * 64,
    )
    rows = np.arange(33 * 64).reshape(33, 64)[:, ::-1]
    assert (out.reshape(33, 64) == rows).all()


@pytest.mark.parametrize(
    "how",
    [
        "size_t(32)",
        "t < 32 ? cuda::pipeline_role::producer"
        " : cuda::pipeline_role::consumer",
    ],
)
def test_producers_and_consumers(how):
    out = run(
        STAGED
        + f"""
        auto pipe = cuda::make_pipeline(group, &state, {how});
        for (int turn = 0; turn < turns; turn++) {{
            if (t < 32) {{
                pipe.producer_acquire();
                int *stage = s[turn % stages];
                stage[t] = from[turn * 64 + t];
                stage[t + 32] = from[turn * 64 + t + 32];
                pipe.producer_commit();
            }} else {{
                pipe.consumer_wait();
                const int *stage = s[turn % stages];
                to[turn * 64 + t] = stage[t - 32];
                to[turn * 64 + t - 32] = stage[t];
                pipe.consumer_release();
            }}
        }}
        """,
        64,
        11 * 64,
    )
    rows = np.roll(np.arange(33 * 64).reshape(33, 2, 32), 1, 1)
    assert (out.reshape(33, 2, 32) == rows).all()


def test_names_of_cuda_std():
    source = """
    #include <cuda/std/type_traits>
    #include <cuda/std/limits>
    #include <cuda/std/array>
    #include <cuda/std/tuple>
    #include <cuda/std/utility>
    #include <cuda/std/algorithm>
    #include <cuda/std/cstdint>
    #include <cuda/std/atomic>
    #include <cuda/std/barrier>
    extern "C" __global__ void k(cuda::std::int32_t *to)
    {
        static_assert(cuda::std::is_same_v<int, cuda::std::int32_t>);
        cuda::std::array<int, 2> two = {3, 4};
        auto [a, b] = cuda::std::make_tuple(5, 6);
        to[0] = cuda::std::numeric_limits<int>::max();
        to[1] = two[0] + cuda::std::max(a, b);
        cuda::std::atomic_ref<int>(to[2]).fetch_add(4);
        cuda::std::swap(to[0], to[1]);
    }
    """
    to = np.zeros(3, "i4")
    function = SourceModule(source, no_extern_c=True).get_function("k")
    function(cuda.InOut(to), block=(1, 1, 1))
    assert to.tolist() == [9, 2**31 - 1, 4]


def test_a_barrier_orders_for_the_checks(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        f"sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
        "import test_cuda_barrier as tests\n"
        "tests.test_each_way_to_wait('bar.arrive_and_wait();')\n"
        "tests.test_stages_that_all_fill_and_take()\n"
        "tests.test_producers_and_consumers('size_t(32)')\n"
    )
    report = tmp_path / "report.jsonl"
    environment = {
        **os.environ,
        "PYCUDA_CPU_CHECK": "memory,race,sync,init",
        "PYCUDA_CPU_CHECK_REPORT": str(report),
    }
    done = subprocess.run(
        [sys.executable, "-P", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert not report.exists() or report.read_text() == ""
