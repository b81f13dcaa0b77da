"""Loops with a condition and a `break`, which only compute.

The CPU device makes one test of the two if both leave the loop with the same
values, so that threads on vectors have one mask.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from compiled_schemes import compile_schemes
from kernel_code import count, ir

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda

pytestmark = pytest.mark.cpu

KERNEL = """
extern "C" __global__ void k(int *steps, unsigned *ends, const unsigned *cs,
                             int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = i, c = cs[i];
    int step = 0;
    LOOP
    steps[i] = step;
    ends[i] = x;
}
"""
WORK = "x = x * x + c; ++step;"
ONE_TEST = "while (step < limit && (x ^ c) % 64 <= 60) { WORK }"
LOOPS = {
    "one_test": ONE_TEST,
    "break": "while (step < limit) { if ((x ^ c) % 64 > 60) break; WORK }",
    "break_first": "while ((x ^ c) % 64 <= 60)"
    " { if (!(step < limit)) break; WORK }",
    "two_breaks": "for (;;) { if (step >= limit) break;"
    " if ((x ^ c) % 64 > 60) break; WORK }",
    "division": "while (step < limit)"
    " { if ((x ^ c) % 64 > 60 && 999 / (limit - step)) break; WORK }",
    "other_values": "bool negate = false; while (step < limit)"
    " { if ((x ^ c) % 64 > 60) { negate = true; break; } WORK }"
    " if (negate) step = -step;",
}


def expected(cs: np.ndarray, limit: int) -> tuple[list[int], list[int]]:
    """Return the numbers of steps and the last values."""
    steps, ends = [], []
    for i, c in enumerate(cs.tolist()):
        x, step = i, 0
        while step < limit and (x ^ c) % 64 <= 60:
            x = (x * x + c) % (1 << 32)
            step += 1
        steps.append(step)
        ends.append(x)
    return steps, ends


def source(name: str) -> str:
    """Return a kernel with the loop."""
    return KERNEL.replace("LOOP", LOOPS[name]).replace("WORK", WORK)


@pytest.mark.parametrize("name", LOOPS)
def test_results(name):
    cs = np.random.default_rng(7).integers(0, 1 << 32, 333, np.uint32)
    for module in compile_schemes(source(name)):
        for limit in (0, 1, 2, 50, -3):
            steps = np.full(cs.size, -1, np.int32)
            ends = np.zeros(cs.size, np.uint32)
            module.get_function("k")(
                cuda.Out(steps),
                cuda.Out(ends),
                cuda.In(cs),
                np.int32(cs.size),
                np.int32(limit),
                block=(64, 1, 1),
                grid=(6, 1),
            )
            right = expected(cs, limit)
            assert np.array_equal(abs(steps), right[0]), limit
            assert np.array_equal(ends, right[1]), limit
            if name == "other_values":
                left = (ends ^ cs) % 64 > 60
                early = left & (np.array(right[0]) < limit)
                assert np.array_equal(steps < 0, early & (steps != 0))


@pytest.mark.parametrize("name", ["break", "break_first", "two_breaks"])
def test_threads_have_one_mask(name):
    selects = [
        count("select <16 x i1>", ir(source(form)))
        for form in ("one_test", name)
    ]
    assert selects[0] == selects[1]
