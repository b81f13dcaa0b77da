"""Kernels with a `return` before a barrier that end with an `if` or a loop."""

# SPDX-License-Identifier: MIT

import numpy as np

GUARD = "if (threadIdx.x >= n) return;"
BARRIER = " __syncthreads(); "
IF = "if (threadIdx.x == 0) *out = 1;"

BODIES = {
    "if": GUARD + BARRIER + IF,
    "if_else": GUARD + BARRIER + IF + " else out[1] = 1;",
    "for": GUARD + BARRIER + "for (int i = 0; i < zero[0]; ++i) out[i] = 1;",
    "while": GUARD + BARRIER + "while (zero[0]) out[0] = 1;",
    "do": GUARD + BARRIER + "do atomicAdd(out, 1); while (zero[0]);",
    "statement": GUARD + BARRIER + "out[threadIdx.x] = 1;",
    "local": "int i = threadIdx.x; if (i >= n) return;" + BARRIER + IF,
    "if_after_a_loop_that_returns": (
        "if (threadIdx.x >= n) { for (int i = zero[0]; i < 2; ++i)"
        " atomicAdd(out + i, 1); return; }"
        + BARRIER
        + "if (zero[0]) *out = 1;"
    ),
    "if_after_else_that_returns": (
        "if (threadIdx.x < n) out[threadIdx.x] = 1; else return;"
        + BARRIER
        + "if (zero[0]) *out = 1;"
    ),
    "return_in_the_last_if": (
        "if (n) {" + GUARD + BARRIER + "if (zero[0]) *out = 1; }"
    ),
    "return_in_the_last_loop": (
        "for (int i = 0; i < 4; ++i) { if (threadIdx.x == i) return;"
        + BARRIER
        + "if (zero[0]) break; }"
    ),
    "return_in_an_endless_loop": (
        "int i = 0; while (1) { if (threadIdx.x % 4 == i) return;"
        + BARRIER
        + "i++; }"
    ),
}


def _source(body, lines):
    if lines:
        body = body.replace("; ", ";\n").replace("{", "{\n")
    return f"__global__ void k(int *out, const int *zero, int n) {{ {body} }}"


CASES = [
    dict(
        name=f"return_before_{name}_{'lines' if lines else 'line'}",
        source=_source(body, lines),
        args=[
            np.zeros(64, np.int32),
            np.zeros(1, np.int32),
            np.int32(37),
        ],
    )
    for name, body in BODIES.items()
    for lines in (True, False)
]
