"""Powers with exponents that are constants, which compile to products.

They are compared with numpy's powers in higher precision, within the bounds
that CUDA documents, and at special values exactly.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

EXPONENTS = [
    "-0.0", "0.0", "0.5", "-0.5", "1.0", "-1.0", "1.5", "2.0", "-2.0", "2.5",
    "3.0", "-3.0", "4.0", "5.0", "7.0", "-4.0", "10.0", "16.0",
]  # fmt: skip
SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, np.inf, -np.inf, np.nan,
    1e-40, -1e-40, 1e-45, -1e-45, 3e38, -3e38, 1e-20, -1e-20, 3.0, -7.25,
]  # fmt: skip
ULPS = {"pow": 2, "powf": 4}  # CUDA's documented bounds


@pytest.fixture(scope="module")
def module():
    lines = []
    for number, e in enumerate(EXPONENTS):
        for name, kind, tail in (
            ("pow", "double", ""),
            ("powf", "float", "f"),
            ("__powf", "float", "f"),
        ):
            lines.append(
                f"__global__ void {name}_{number}({kind} *y, const {kind} *x,"
                " int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
                f" if (i < n) y[i] = {name}(x[i], {e}{tail}); }}"
            )
    return SourceModule("\n".join(lines))


def run(module, name, number, x):
    y = np.empty_like(x)
    module.get_function(f"{name}_{number}")(
        cuda.Out(y),
        cuda.In(x),
        np.int32(x.size),
        block=(64, 1, 1),
        grid=(-(-x.size // 64), 1),
    )
    return y


def expected(x, exponent):
    with np.errstate(all="ignore"):
        return np.power(x.astype(np.longdouble), np.longdouble(exponent))


@pytest.mark.parametrize("name, dtype", [("pow", "f8"), ("powf", "f4")])
@pytest.mark.parametrize("number", range(len(EXPONENTS)))
def test_powers_are_within_the_documented_bounds(module, name, dtype, number):
    random = np.random.default_rng(number)
    x = np.exp(random.uniform(-8, 8, 4000)) * random.choice([-1, 1], 4000)
    x = np.concatenate((x, SPECIAL)).astype(dtype)
    y, exponent = run(module, name, number, x), float(EXPONENTS[number])
    right = expected(x, exponent)
    with np.errstate(all="ignore"):
        rounded = right.astype(dtype)
        ulp = np.spacing(np.abs(rounded)).astype(np.longdouble)
        error = np.abs(y.astype(np.longdouble) - right) / ulp
    finite = np.isfinite(rounded)
    assert (error[finite] <= ULPS[name]).all(), x[finite][error[finite] > 1]
    # infinities, NaN and the sign of zeros
    assert np.array_equal(y[~finite], rounded[~finite], equal_nan=True)
    number = ~np.isnan(rounded)
    assert np.array_equal(np.signbit(y[number]), np.signbit(rounded[number]))


@pytest.mark.parametrize("number", range(len(EXPONENTS)))
def test_fast_powers(module, number):
    """CUDA defines __powf as exp2f(y * __log2f(x))."""
    x = np.random.default_rng(number).uniform(0.5, 2, 4000).astype("f4")
    y, exponent = run(module, "__powf", number, x), float(EXPONENTS[number])
    right = expected(x, exponent)
    bound = 1e-6 * (abs(exponent) + 1)
    assert (np.abs(y - right) <= bound * right).all()
