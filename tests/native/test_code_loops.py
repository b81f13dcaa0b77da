"""Code of loops that each thread leaves at its own iteration.

The pass is src/jit/loops. Vectors have 16 floats: one loop for 16 threads,
another one for the remaining threads.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest
from kernel_code import count, ir

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

KERNEL = """
extern "C" __global__ void k(%(type)s *out, const %(type)s *in, int *steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    %(type)s x = in[i], y = x;
    while (%(test)s) {
        %(body)s
        ++n;
    }
    out[i] = x;
    %(end)s
}
"""


def loop(
    test: str, body: str, *options: str, type: str = "unsigned", end: str = ""
) -> str:
    """Return the code of a kernel with the loop."""
    values = {"type": type, "test": test, "body": body, "end": end}
    return ir(KERNEL % values, *options)


@pytest.mark.parametrize(
    ("body", "wide"),
    [
        ("x = x / 3 + n;", "udiv <16 x i32>"),
        ("x = x % 6 + y / 2;", "urem <16 x i32>"),
        ("__builtin_assume(x < 1000000); x = x / 3 + n;", "udiv <16 x i32>"),
    ],
)
def test_divisions_by_constants_are_vectors(body, wide):
    """Compiler hints do not prevent vectorization either."""
    assert wide in loop("x & 12", body)


def test_all_results_come_of_one_loop():
    text = loop(
        "fabsf(x - y) > 1e-3f * x", "y = x; x = 0.5f * (x + in[i] / x);",
        type="float", end="steps[i] = n;",
    )  # fmt: skip
    assert count("fdiv .*<16 x float>", text) == 1
    assert count("fdiv .*float %", text) == 1


def test_threads_loops_are_not_copied():
    """The loop is compute-bound, and registers suffice for one copy."""
    text = loop("x > 100 || x & 1", "x = x & 1 ? 3 * x + 1 : x / 2;")
    assert count("bitcast <16 x i1>", text) == 1


def test_roundings_are_settled():
    """A product that two sums use is never fused with either."""
    text = loop(
        "x < 1000", "float t = x * 1.01f; x = t + y; y = t - 0.1f * y;",
        type="float",
    )  # fmt: skip
    assert count("@llvm.fma.*<16 x float>", text) > 0
    assert count("f(add|sub|mul) .*<16 x float>", text) > 1
    assert count("f(add|sub|mul) .*contract", text) == 0


def test_fast_divisions_are_fast_in_vectors():
    text = loop(
        "x < 1000", "x = x + 1 / (x + y);", "-use_fast_math", type="float"
    )
    assert count("fdiv .*arcp.* <16 x float>", text) == 1
