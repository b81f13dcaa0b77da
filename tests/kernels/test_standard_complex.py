"""<complex>, thrust/complex.h, <optional>, <span>, <mdspan> in kernels."""

# SPDX-License-Identifier: MIT

import cmath
import itertools
import math

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")
PARTS = [0.0, -0.0, 1.5, -2.25, math.inf, -math.inf, math.nan]
SPECIAL = [complex(a, b) for a, b in itertools.product(PARTS, PARTS)]
FUNCTIONS = ["exp", "log", "sqrt", "sin", "cos", "sinh", "cosh", "tanh"]
FUNCTIONS += ["asin", "acos", "atan", "asinh", "acosh", "atanh"]
CLASSES = {
    "std": ("complex", "std::complex<{}>"),
    "thrust": ("thrust/complex.h", "thrust::complex<{}>"),
}


def compute(header, kind, bodies, x, y, outputs=None):
    """Run one kernel and return a row for each expression in `bodies`."""
    rows = "".join(
        f"out[{i} * n + i0] = {body};\n" for i, body in enumerate(bodies)
    )
    source = f"""#include <{header}>
    typedef {kind} C;
    extern "C" __global__ void kernel(const C *x, const C *y, C *out, int n)
    {{
        int i0 = blockIdx.x * blockDim.x + threadIdx.x;
        if (i0 >= n) return;
        C a = x[i0], b = y[i0];
        {rows}
    }}"""
    out = np.zeros((len(bodies), x.size), x.dtype)
    kernel = SourceModule(source, no_extern_c=True).get_function("kernel")
    kernel(
        cuda.In(x), cuda.In(y), cuda.Out(out), np.int32(x.size),
        block=(128, 1, 1), grid=(-(-x.size // 128), 1),
    )  # fmt: skip
    return out


def numbers(dtype):
    rng = np.random.default_rng(5)
    x = rng.normal(size=400) + 1j * rng.normal(size=400)
    y = rng.normal(size=400) + 1j * rng.normal(size=400)
    return x.astype(dtype), y.astype(dtype)


@pytest.mark.parametrize("library", CLASSES)
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_finite_numbers(library, dtype):
    header, kind = CLASSES[library]
    space = kind.partition(":")[0]
    real = {"c8": "float", "c16": "double"}[dtype]
    x, y = numbers(dtype)
    bodies = ["a * b", "a / b", "a + b", "a - b", "-a", "2 * a", "a / 3"]
    bodies = [body.replace("2", f"({real})2") for body in bodies]
    bodies = [body.replace("3", f"({real})3") for body in bodies]
    bodies += [f"{space}::conj(a)", f"C({space}::abs(a), {space}::arg(a))"]
    bodies += [f"{space}::polar({space}::abs(a), {space}::arg(a))"]
    bodies += [f"{space}::pow(a, b)", "a == b ? a : b", "a * b.real()"]
    bodies += [f"C({space}::norm(a))", "a += b"]
    bodies += [f"{space}::{name}(a)" for name in FUNCTIONS]
    wide = x.astype("c16"), y.astype("c16")
    a, b = wide
    wanted = [a * b, a / b, a + b, a - b, -a, 2 * a, a / 3, a.conj()]
    wanted += [abs(a) + 1j * np.angle(a), a, a**b, b, a * b.real]
    wanted += [abs(a) ** 2 + 0j, a + b]
    named = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
    named |= {f"{k}h": f"{v}h" for k, v in named.items()}
    # `a += b` changed a, so the functions receive the sum.
    wanted += [getattr(np, named.get(n, n))(a + b) for n in FUNCTIONS]
    got = compute(header, kind.format(real), bodies, x, y)
    epsilon = np.finfo(x.dtype).eps
    for body, found, right in zip(bodies, got, wanted, strict=True):
        error = np.abs(found - right) / np.maximum(np.abs(right), 1)
        assert error.max() < 40 * epsilon, body


def recovered(z):
    """Return whether Annex G makes the product or quotient infinite."""
    return "inf" if math.isinf(z.real) or math.isinf(z.imag) else "other"


@pytest.mark.parametrize("library", CLASSES)
@pytest.mark.parametrize("real", ["float", "double"])
def test_infinities_of_products(library, real):
    """G.5.1: infinity times a nonzero number is infinite, and so on."""
    header, kind = CLASSES[library]
    dtype = np.dtype("c8" if real == "float" else "c16")
    pairs = list(itertools.product(SPECIAL, SPECIAL))
    x = np.array([p[0] for p in pairs], dtype)
    y = np.array([p[1] for p in pairs], dtype)
    product, quotient = compute(
        header, kind.format(real), ["a * b", "a / b"], x, y
    )

    def infinite(z):
        return math.isinf(z.real) or math.isinf(z.imag)

    def zero(z):
        return z.real == 0 and z.imag == 0

    def finite(z):
        return math.isfinite(z.real) and math.isfinite(z.imag)

    for (a, b), p, q in zip(pairs, product, quotient, strict=True):
        known = not cmath.isnan(a) and not cmath.isnan(b)
        a_counts = infinite(a) or (known and not zero(a))
        b_counts = infinite(b) or (known and not zero(b))
        if (infinite(a) and b_counts) or (infinite(b) and a_counts):
            assert infinite(p), (a, b, p)
        if infinite(a) and finite(b):
            assert infinite(q), (a, b, q)
        if finite(a) and infinite(b):
            assert zero(q), (a, b, q)
        if zero(b) and a_counts and not zero(a):
            assert infinite(q), (a, b, q)


EXPECTED = {
    "exp": {complex(math.inf, 0): (math.inf, 0.0)},
    "cosh": {complex(math.inf, 0): (math.inf, 0.0)},
    "tanh": {complex(math.inf, 1.5): (1.0, 0.0)},
    "sqrt": {complex(math.nan, math.inf): (math.inf, math.inf)},
    "acosh": {complex(-math.inf, math.inf): (math.inf, 0.75 * math.pi)},
    "atanh": {complex(0.0, math.inf): (0.0, math.pi / 2)},
}


@pytest.mark.parametrize("library", CLASSES)
def test_functions_at_infinities(library):
    header, kind = CLASSES[library]
    space = kind.partition(":")[0]
    names = list(EXPECTED)
    x = np.array([next(iter(EXPECTED[n])) for n in names], "c16")
    got = compute(
        header, kind.format("double"),
        [f"{space}::{name}(a)" for name in names], x, x,
    )  # fmt: skip
    for i, name in enumerate(names):
        real, imag = next(iter(EXPECTED[name].values()))
        assert got[i, i].real == pytest.approx(real), name
        assert got[i, i].imag == pytest.approx(imag), name


VIEWS = """
#include <array>
#include <mdspan>
#include <optional>
#include <span>
__device__ float total(std::span<const float> s)
{
    float sum = 0;
    for (float v : s) sum += v;
    return sum;
}
__device__ std::optional<int> half(int v)
{
    if (v % 2) return std::nullopt;
    return v / 2;
}
extern "C" __global__ void kernel(float *x, float *out)
{
    std::span<float> all(x, 12);
    out[0] = total(all);
    out[1] = total(all.subspan(2, 3)) + all.first(1)[0] + all.back();
    std::array<float, 3> three = {1, 2, 3};
    out[2] = total(three) + std::span(three).size();
    std::mdspan rows(x, 3, 4);
    out[3] = rows(2, 1) + 100 * rows.extent(0) + 1000 * rows.rank();
    std::mdspan<float, std::extents<int, std::dynamic_extent, 4>,
                std::layout_left> columns(x, 3);
    out[4] = columns(2, 1) + 100 * columns.stride(1);
    typedef std::dextents<int, 2> Two;
    std::layout_stride::mapping<Two> map(Two(2, 3), std::array<int, 2>{1, 4});
    std::mdspan<float, Two, std::layout_stride> strided(x, map);
    out[5] = strided(1, 2);
    out[6] = half(6).value_or(-1) * 10 + half(7).value_or(-1);
    std::optional<int> some;
    out[7] = some.has_value();
    some = 4;
    out[8] = *some + (some == 4);
    some.reset();
    out[9] = some ? 1 : 2;
}
"""


@pytest.mark.parametrize("space", ["std", "cuda::std"])
def test_views_and_optionals(space, device):
    source = VIEWS
    if space == "cuda::std":
        if device == "gpu":
            pytest.importorskip("nvidia.cuda_cccl")
        source = source.replace("std::", "cuda::std::")
        source = source.replace("#include <", "#include <cuda/std/")
    x = np.arange(12, dtype=np.float32)
    out = np.zeros(10, np.float32)
    kernel = SourceModule(source, no_extern_c=True).get_function("kernel")
    kernel(cuda.In(x), cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [66, 20, 9, 2309, 305, 9, 29, 0, 5, 2]
