"""Complex functions and operators at infinities, NaNs and signed zeros.

NumPy's own functions are the reference: they follow C99's Annex G where that
defines a function.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan]
UNARY = """
exp exp2 expm1 log log2 log10 log1p sqrt square reciprocal sin cos tan arcsin
arccos arctan sinh cosh tanh arcsinh arccosh arctanh absolute conjugate sign
rint isnan isinf isfinite negative positive
""".split()  # noqa: SIM905
BINARY = """
add subtract multiply divide power maximum minimum fmax fmin equal not_equal
less less_equal greater greater_equal logical_and logical_or
""".split()  # noqa: SIM905
HEADER = {
    name: name
    for name in UNARY[:1] + "sqrt log log10 sin cos tan sinh cosh tanh".split()  # noqa: SIM905
} | {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}
TOLERANCE = {"F": 4e-6, "D": 2e-14}


def grid(char, parts=PARTS):
    """Return every pair of real and imaginary part."""
    values = np.empty(len(parts) ** 2, char)
    values.real = np.repeat(parts, len(parts))
    values.imag = np.tile(parts, len(parts))
    return values


def agrees(got, want, tolerance, free):
    """Compare NaNs, signs of zeros, and finite values within a tolerance.

    If `free`, the sign of a zero or an infinity is not compared.
    """
    number = np.isfinite(got) & np.isfinite(want) & (want != 0)
    with np.errstate(all="ignore"):
        near = abs(got - want) <= tolerance * np.maximum(abs(want), 1e-2)
    same = (got == want) & (free | (np.signbit(got) == np.signbit(want)))
    same |= free & (abs(got) == abs(want)) & ~(np.isfinite(want) & (want != 0))
    return same | (np.isnan(got) & np.isnan(want)) | (number & near)


def check(got, want, operands, char, free=False):
    """Compare where Annex G defines the sign.

    Signs that derive from a NaN, such as that of 0, are undefined there;
    operations on GPUs do not preserve the sign of a NaN.
    """
    assert got.dtype == want.dtype
    free = free | np.any([np.isnan(x) for x in operands], axis=0)
    if want.dtype.kind == "c":
        open_ = free | np.isnan(want)
        good = agrees(got.real, want.real, TOLERANCE[char], open_)
        good &= agrees(got.imag, want.imag, TOLERANCE[char], open_)
    else:
        good = agrees(got * 1.0, want * 1.0, TOLERANCE[char], free)
    wrong = [
        (*(x[i] for x in operands), got[i], want[i])
        for i in np.flatnonzero(~good)
    ]
    assert not wrong, f"{len(wrong)} wrong, as {wrong[:5]}"


@pytest.mark.sweep(most=40)
@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("name", UNARY)
def test_arrays(name, char):
    x = grid(char)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x)
    check(getattr(np, name)(gpuarray.to_gpu(x)).get(), want, (x,), char)


@pytest.mark.sweep(most=20)
@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("name", BINARY)
def test_arrays_of_two(name, char):
    values = grid(char)
    x, y = np.repeat(values, values.size), np.tile(values, values.size)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x, y)
    if name == "power":  # exponents that round in all products are not tested
        finite = np.isfinite(x) & np.isfinite(y)
        special = ~finite | (y.imag == 0) | (x == 0)
        x, y, want = x[special], y[special], want[special]
    got = getattr(np, name)(gpuarray.to_gpu(x), gpuarray.to_gpu(y)).get()
    ends = name == "power" and ~(np.isfinite(x) & np.isfinite(y))
    # Annex G does not define cpow further.
    check(got, want, (x, y), char, ends)


def source(real):
    """Return a kernel that calls each function of the headers."""
    calls = "\n".join(
        f"out[{k} * n + i] = pycuda::{name}(in[i]);"
        for k, name in enumerate(HEADER)
    )
    return f"""
    #include <pycuda-complex-inverse.hpp>
    typedef pycuda::complex<{real}> C;
    __global__ void kernel(C *out, const C *in, int n)
    {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {{
            {calls}
        }}
    }}
    """


def run_header(x):
    real = {"F": "float", "D": "double"}[x.dtype.char]
    kernel = SourceModule(source(real)).get_function("kernel")
    out = np.empty((len(HEADER), x.size), x.dtype)
    kernel(
        cuda.Out(out), cuda.In(x), np.int32(x.size),
        block=(128, 1, 1), grid=(-(-x.size // 128), 1),
    )  # fmt: skip
    return dict(zip(HEADER, out, strict=True))


LARGE = {
    "F": [1e-42, 3e-20, 1.5, 88.9, 3e38],
    "D": [5e-320, 1e-160, 1.5, 710.2, 1e308],
}


@pytest.mark.parametrize("char", "FD")
def test_headers(char):
    """pycuda-complex.hpp and pycuda-complex-inverse.hpp."""
    x = grid(char)
    for name, got in run_header(x).items():
        with np.errstate(all="ignore"):
            want = getattr(np, HEADER[name])(x)
        check(got, want, (x,), char)


@pytest.mark.parametrize("char", "FD")
def test_results_whose_factors_overflow(char):
    """Intermediate factors overflow, also for numbers at the limits."""
    parts = [sign * v for v in LARGE[char] for sign in (1, -1)]
    x = grid(char, parts)
    for name, got in run_header(x).items():
        # These are computed by tanh, sinh, cosh.
        if name in ("tan", "sin", "cos"):
            continue
        with np.errstate(all="ignore"):
            want = getattr(np, HEADER[name])(x.astype("D")).astype(char)
        check(got, want, (x,), char)
