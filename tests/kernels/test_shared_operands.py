"""Minimum and maximum of two functions with the same operands.

LLVM 19 simplifies some of them, and crashed for others.
"""

# SPDX-License-Identifier: MIT

import itertools

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

FORMS = {
    "fma({a}, {b}, 1)": lambda a, b: a * b + 1,
    "fma({b}, {a}, -2)": lambda a, b: a * b - 2,
    "({a} * {b} + {a})": lambda a, b: a * b + a,
    "copysign({a}, {b})": np.copysign,
    "fmin({a}, {b})": np.fmin,
    "fmax({b}, {a})": np.fmax,
    "fabs({a})": lambda a, b: np.abs(a),
}


def test_all_pairs():
    """Small integers, so that every result is exact."""
    pairs = list(itertools.product(FORMS, repeat=2))
    names = {"a": "x", "b": "y"}
    lines = "".join(
        f"    if (x < n) y = fmin({one.format(**names)}, "
        f"{two.format(**names)});\n"
        f"    o[(2 * {i}) * 64 + t] = y;\n"
        f"    y = b[t];\n"
        f"    o[(2 * {i} + 1) * 64 + t] = fmax({one.format(**names)}, "
        f"{two.format(**names)});\n"
        for i, (one, two) in enumerate(pairs)
    )
    kernels = "".join(
        f"""
        __global__ void k_{kind}(const {kind} *a, const {kind} *b, {kind} *o,
                                 int n)
        {{
            int t = threadIdx.x;
            {kind} x = a[t], y = b[t];
            {lines}
        }}"""
        for kind in ("float", "double")
    )
    module = SourceModule(kernels)
    random = np.random.default_rng(4)
    for kind, dtype in (("float", np.float32), ("double", np.float64)):
        a, b = random.integers(-9, 9, (2, 64)).astype(dtype)
        out = np.zeros((len(pairs), 2, 64), dtype)
        module.get_function(f"k_{kind}")(
            cuda.In(a),
            cuda.In(b),
            cuda.Out(out),
            np.int32(5),
            block=(64, 1, 1),
        )
        for (one, two), (least, most) in zip(pairs, out, strict=True):
            first, second = FORMS[one](a, b), FORMS[two](a, b)
            wanted = np.where(a < 5, np.fmin(first, second), b)
            assert np.array_equal(least, wanted), (kind, one, two)
            assert np.array_equal(most, np.fmax(first, second)), (one, two)
