"""__fadd_rz, __dmul_ru, ...: results are exact values rounded as named."""

import math
from fractions import Fraction

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# Kernels are not instrumented by sanitizers.
pytestmark = pytest.mark.no_sanitizer

MODES = ("rz", "ru", "rd")
# CUDA name without its rounding suffix, operands, exact result.
OPERATIONS = {
    "add": (2, lambda x, y, z: x + y),
    "sub": (2, lambda x, y, z: x - y),
    "mul": (2, lambda x, y, z: x * y),
    "div": (2, lambda x, y, z: x / y if y else None),
    "rcp": (1, lambda x, y, z: 1 / x if x else None),
    "sqrt": (1, None),
    "fma": (3, lambda x, y, z: x * y + z),
}
COUNT = 2000


def _name(operation, dtype, mode):
    if operation == "fma":
        return f"__fma{'f' * (dtype == 'f4')}_{mode}"
    return f"__{'f' if dtype == 'f4' else 'd'}{operation}_{mode}"


def _numbers(dtype, count, rng):
    """Return numbers of all sizes, many near a limit of the range or short."""
    info = np.finfo(dtype)
    low = info.minexp - info.nmant - 1
    exponents = rng.integers(low, info.maxexp, count)
    mantissas = 1 + rng.random(count)
    few = rng.random(count) < 0.3
    mantissas[few] = 1 + rng.integers(0, 4, few.sum()) / 4
    kind = rng.integers(0, 8, count)
    near = rng.integers(-4, 4, count)
    exponents = np.where(kind == 0, info.maxexp - 1, exponents)
    exponents = np.where(kind == 1, info.minexp + near, exponents)
    exponents = np.where(kind > 5, near, exponents)
    values = np.ldexp(mantissas, exponents.clip(low, info.maxexp - 1))
    values *= rng.choice([-1.0, 1.0], count)
    with np.errstate(over="ignore"):
        values = values.astype(dtype)
    ends = [0.0, -0.0, info.max, -info.max, info.smallest_subnormal, info.tiny]
    values[:6] = ends
    values[~np.isfinite(values)] = info.max
    return values


def _operands(dtype, count, rng):
    x, y, z = (_numbers(dtype, count, rng) for _ in range(3))
    rng.shuffle(y[:50])
    rng.shuffle(z[:50])
    with np.errstate(all="ignore"):
        # sums that cancel, products and quotients at the limits of the range
        product = (x * y).astype(dtype)
        third = slice(count // 3, 2 * count // 3)
        z[third] = np.where(
            np.isfinite(product[third]), -product[third], z[third]
        )
        z[third] *= rng.choice([1, 1, 1 + np.finfo(dtype).eps], z[third].size)
        last = slice(2 * count // 3, None)
        exponent = np.frexp(x[last])[1]
        info = np.finfo(dtype)
        target = rng.choice(
            [info.minexp - info.nmant, info.minexp, info.maxexp],
            exponent.size,
        )
        y[last] = np.ldexp(
            np.frexp(y[last])[0],
            target * rng.choice([-1, 1], exponent.size)
            - exponent * rng.choice([-1, 1], exponent.size)
            + rng.integers(-3, 4, exponent.size),
        )
    for values in (y, z):
        values[~np.isfinite(values)] = np.finfo(dtype).max
    return x, y, z


def _down(value, dtype):
    """Return the largest number of a type that is not above a Fraction."""
    info = np.finfo(dtype)
    if value == 0:
        return Fraction(0)
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    step = Fraction(2) ** (max(exponent, info.minexp) - info.nmant)
    return math.floor(value / step) * step


def _rounded(value, mode, dtype, zero):
    """Return the rounded value; `zero` is the sign of an exact zero."""
    info = np.finfo(dtype)
    most = Fraction(float(info.max))
    if value == 0:
        return dtype(zero)
    up = mode == "ru" or (mode == "rz" and value < 0)
    near = -_down(-value, dtype) if up else _down(value, dtype)
    if abs(near) > most:
        inward = (near > 0) != up
        near = float(most) if inward else math.inf
        return dtype(near if value > 0 else -near)
    near = abs(float(near))
    return dtype(near if value > 0 else -near)


def _root(value, dtype):
    """Return a Fraction between the same two numbers as the square root."""
    info = np.finfo(dtype)
    scale = 4 ** (info.nmant + 600 + 4 * abs(info.minexp) // 2)
    scaled = value * scale
    root = math.isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(root * root) == scaled
    return Fraction(2 * root + (not exact), 2) / math.isqrt(scale)


def _zero(operation, mode, x, y, z):
    """Return the sign of an exact zero of a sum or a product."""
    if operation in ("add", "sub", "fma"):
        one = x if operation != "fma" else x * y
        two = z if operation == "fma" else (-y if operation == "sub" else y)
        signs = [math.copysign(1, v) for v in (one, two)]
        if signs[0] == signs[1]:
            return math.copysign(0.0, signs[0])
        return -0.0 if mode == "rd" else 0.0
    if operation in ("sqrt", "rcp"):
        return x
    return math.copysign(0.0, math.copysign(1, x) * math.copysign(1, y))


def _kernel(operation, dtype):
    count = OPERATIONS[operation][0]
    name = "float" if dtype == "f4" else "double"
    arguments = ", ".join(f"{v}[i]" for v in "xyz"[:count])
    lines = "".join(
        f"out[{k} * n + i] = {_name(operation, dtype, mode)}({arguments});"
        for k, mode in enumerate(MODES)
    )
    return SourceModule(f"""
    __global__ void k({name} *x, {name} *y, {name} *z, {name} *out, int n)
    {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {{ {lines} }}
    }}
    """).get_function("k")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_directed(operation, dtype):
    real = np.dtype(dtype).type
    rng = np.random.default_rng(len(operation))
    x, y, z = _operands(real, COUNT, rng)
    if operation == "sqrt":
        x = abs(x)
    out = np.empty((3, COUNT), dtype)
    _kernel(operation, dtype)(
        cuda.In(x), cuda.In(y), cuda.In(z), cuda.Out(out), np.int32(COUNT),
        block=(128, 1, 1), grid=(-(-COUNT // 128), 1),
    )  # fmt: skip
    exact = OPERATIONS[operation][1]
    for i in range(COUNT):
        rows = [float(v[i]) for v in (x, y, z)]
        fractions = [Fraction(v) for v in rows]
        value = (
            _root(fractions[0], real)
            if operation == "sqrt"
            else exact(*fractions)
        )
        if value is None:
            continue
        for k, mode in enumerate(MODES):
            zero = _zero(operation, mode, *rows)
            want = _rounded(value, mode, real, zero)
            found = out[k, i]
            assert found.tobytes() == want.tobytes(), (mode, rows, found, want)


SPECIAL = """
__global__ void k(double *out, float big, float one, float tiny,
                  double small)
{
    out[0] = __fadd_rz(big, big);
    out[1] = __fadd_ru(-big, -big);
    out[2] = __fmul_ru(tiny, tiny);
    out[3] = 1 / __fadd_rd(one, -one);
    out[4] = __fma_ru(small, small, 1.0);
    out[5] = __fdiv_rd(one, 0.0f * one);
    out[6] = __fadd_rd(one / (0.0f * one), one);
    out[7] = __ddiv_rz(1.0, 0.0 * small);
    out[8] = __fadd_rz(-one, big);
}
"""


def test_ends_of_the_range():
    most = float(np.finfo(np.float32).max)
    out = np.empty(9)
    SourceModule(SPECIAL).get_function("k")(
        cuda.Out(out), np.float32(most), np.float32(1), np.float32(1e-30),
        np.float64(1e-200), block=(1, 1, 1),
    )  # fmt: skip
    assert out.tolist() == [
        most, -most, 2.0**-149, -math.inf, 1 + 2.0**-52,
        math.inf, math.inf, math.inf, most - 2.0**104,
    ]  # fmt: skip
