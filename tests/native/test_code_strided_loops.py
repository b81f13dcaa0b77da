"""Code of kernels with barriers, split into loops over threads.

Loops that start at a thread's index are run by all threads together, several
iterations at a time (src/jit/regions). Vectors have 8 floats: the counts of
their loads and stores show what was vectorized.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest
from kernel_code import count, ir

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

KERNEL = """
extern "C" __global__ void k(%(type)s *out, const %(type)s *in, int n,
                             unsigned end, int first, int step)
{
    __shared__ %(type)s s[256];
    int t = threadIdx.x, block = blockIdx.x * blockDim.x;
    %(type)s sum = 0;
    %(body)s
    __syncthreads();
    out[t] = s[blockDim.x - 1 - t];
}
"""
LOADS, STORES = "load <8 x float>", "store <8 x float>"


def of(body: str, type: str = "float", target: str = "x86-64-v3") -> str:
    """Return the compiled code of a kernel."""
    return ir(KERNEL % {"type": type, "body": body}, target=target)


def sums(loop: str) -> str:
    """Return the code of a kernel that adds up in a loop."""
    return of(f"for ({loop}) sum += in[i]; s[t] = sum;")


@pytest.mark.parametrize(
    "loop",
    [
        "int i = first + t; i < n; i += step",
        "int i = block + t; i < n; i += gridDim.x * blockDim.x",
        "unsigned i = block + t; i < end; i += gridDim.x * blockDim.x",
    ],
)
def test_several_rounds_at_once(loop):
    """Eight iterations, or four vectors each if these cover all threads."""
    text = sums(loop)
    assert count(LOADS, text) >= 20
    assert count("call .*@__pycuda", text) == 0


@pytest.mark.parametrize(
    "loop",
    [
        "unsigned i = first + t; i < end; i += step",  # may wrap around to 0
        "int i = t; i < 512; i += 256",  # few iterations
    ],
)
def test_rounds_that_are_vectors_one_by_one(loop):
    assert 3 <= count(LOADS, sums(loop)) <= 8


def test_rounds_with_functions_are_vectors():
    """Slow-path calls for rare arguments have no side effects."""
    loop = "int i = block + t; i < n; i += gridDim.x * blockDim.x"
    text = of(f"for ({loop}) sum += sinf(in[i]); s[t] = sum;")
    assert count("fadd .*<8 x float>", text) > 0
    assert count(LOADS, text) >= 3


def test_functions_of_what_threads_share_are_shared():
    """Either all threads go to the barrier, or none."""
    text = of(
        """
        s[t] = in[t];
        if (sinf(n) > 0) {
            __syncthreads();
            s[t] += s[255 - t];
        }
        """
    )
    assert count("call .*__pycuda_barrier", text) == 0
    assert count(LOADS, text) > 0


def test_rows_are_fetched_before_slow_rounds():
    """Prefetches for the next iteration, and for four after the next four."""
    text = of(
        """
        s[t] = 0;
        __syncthreads();
        for (int i = block + t; i < n; i += gridDim.x * blockDim.x)
            atomicAdd(&s[in[i] & 255], 1);
        """,
        type="int",
    )
    assert count("call .*@llvm.prefetch", text) == 5


def test_loops_in_loops_are_rows_of_vectors():
    text = of(
        """
        for (int y = threadIdx.y; y < 11; y += blockDim.y)
            for (int x = t; x < 19; x += blockDim.x)
                s[y * 19 + x] = in[y * n + x];
        """
    )
    assert count(STORES, text) >= 4
    assert count("call .*@llvm.masked", text) == 0


def test_whole_rows_need_no_masks():
    text = of("s[t] = 0; if (first + t < n) s[t] = in[first + t];")
    assert count(STORES, text) >= 4


def test_blocks_of_a_known_width_keep_trees_in_registers():
    text = of(
        """
        s[t] = blockIdx.x * 256 + t < n ? in[blockIdx.x * 256 + t] : 0;
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (t < half)
                s[t] += s[t + half];
            __syncthreads();
        }
        """
    )
    assert count(LOADS, text) >= 30


def test_loops_that_threads_leave_apart_are_not_cut():
    """Iterations that are not vectorized would need more spills."""
    text = of(
        """
        s[t] = in[t];
        __syncthreads();
        for (int k = 0; k < n; k++) {
            float x = in[256 * k + t];
            while (x > 1) {
                x *= 0.5f;
                sum += s[255 - t] + x;
            }
        }
        __syncthreads();
        s[t] = sum;
        """
    )
    assert count(r"%context = alloca \[4096 x i8\]", text) == 1  # the sums


def test_private_memory_is_there_all_the_time():
    """Lifetime markers prevent the vectorization."""
    text = of(
        """
        for (int k = 0; k < n; k++) {
            float own[4];
            for (int i = 0; i < 4; i++)
                own[i] = in[4 * k + i] * t;
            s[t] = own[n & 3];
            __syncthreads();
            sum += s[255 - t] * own[n + 1 & 3];
            __syncthreads();
        }
        s[t] = sum;
        """
    )
    assert count("call .*@llvm.lifetime", text) <= 2  # those of shared memory


def test_truths_are_carried_as_they_are():
    """Bytes that are 0 or 1 need no mask when they are stored again."""
    text = of(
        """
        bool on = in[t] > 0;
        s[t] = in[t];
        __syncthreads();
        for (int k = 0; k < n; k++) {
            on = on != s[255 - t] > k;
            __syncthreads();
            s[t] += 1;
            __syncthreads();
        }
        s[t] = on ? s[t] : 0;
        """
    )
    assert count("store <8 x i8>", text) > 0
    assert count("and (<8 x i8>|i8)", text) == 0
