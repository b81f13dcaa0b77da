"""Code of kernels with a guard such as `if (i < n)`.

The guard becomes the bound of the loop over threads (src/jit/entries/guard.c),
so there are no masks, with vectors of 8 floats on a processor where masks are
expensive. If only blockIdx.x * blockDim.x + threadIdx.x distinguishes the
threads, one loop covers all blocks of a row (loop.c).
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest
from kernel_code import count, ir

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

KERNEL = """
#define AT blockIdx.x * blockDim.x + threadIdx.x
#define WIDE_AT blockIdx.x * (size_t)blockDim.x + threadIdx.x
extern "C" __global__ void k(float *y, const float *x, int n, unsigned u,
                             size_t size, int on)
{
    %s
}
"""
WORK = "y[i] = 2 * x[i];"


def of(body: str) -> str:
    """Return the compiled code of a kernel."""
    return ir(KERNEL % body, target="x86-64-v3")


@pytest.mark.parametrize(
    "body",
    [
        f"int i = AT; if (i < n) {WORK}",
        f"int i = AT; if (i >= n) return; {WORK}",
        f"int i = AT; if (n - 2 > i) {WORK}",
        f"int i = AT; if (i <= 99) {WORK}",
        f"int i = AT; if (i < n && on) {WORK}",
        f"int i = AT; if (i >= 2 && i < n) {WORK}",
        f"unsigned i = AT; if (i < u) {WORK}",
        f"unsigned i = AT; if (u - 2 > i) {WORK}",
        f"size_t i = WIDE_AT; if (i < size) {WORK}",
        f"for (int i = AT; i < n; i += blockDim.x * gridDim.x) {WORK}",
    ],
)
def test_conditions_on_the_index_are_bounds(body):
    text = of(body)
    assert count("store <8 x float>", text) > 0
    assert count("call .*@llvm.masked", text) == 0
    assert count("%run.most =", text) == 1


def test_threads_before_a_bound_go_another_way():
    """Threads with all of their four elements, and threads with fewer."""
    text = of(
        """
        size_t i = 4 * (WIDE_AT);
        if (i + 4 <= size)
            for (int k = 0; k < 4; k++)
                y[i + k] = k * x[i + k];
        else
            for (; i < size; i++)
                y[i] = i % 4 * x[i];
        """
    )
    assert count("load <32 x float>", text) > 0
    assert count("%run.most =", text) == 1


@pytest.mark.parametrize("work, rows", [("2", 1), ("blockIdx.x", 0)])
def test_blocks_are_one_row_if_none_tells_its_number(work, rows):
    text = of(f"int i = AT; y[i] = {work} * x[i];")
    assert count("%run.most =", text) == rows


@pytest.mark.parametrize("work, copies", [("2 * x[i]", 4), ("sinf(x[i])", 1)])
def test_short_work_is_done_for_several_vectors_at_once(work, copies):
    text = of(f"int i = AT; if (i < n) y[i] = {work};")
    assert count("store <8 x float>", text) == copies
