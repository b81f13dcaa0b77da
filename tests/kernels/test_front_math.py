"""Device functions one by one: mathematics, rounding, bits, conversions."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

C_NAMES = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int32): "int",
    np.dtype(np.uint32): "unsigned int",
    np.dtype(np.int64): "long long",
    np.dtype(np.uint64): "unsigned long long",
}


def evaluate(expression, result, *inputs):
    """Evaluate `expression` of a, b, c for each element of the inputs."""
    inputs = [np.ascontiguousarray(x) for x in inputs]
    names = "abc"[: len(inputs)]
    parameters = ", ".join(
        f"const {C_NAMES[x.dtype]} *in_{n}"
        for n, x in zip(names, inputs, strict=True)
    )
    values = " ".join(
        f"{C_NAMES[x.dtype]} {n} = in_{n}[i];"
        for n, x in zip(names, inputs, strict=True)
    )
    out = np.empty(inputs[0].size, result)
    module = SourceModule(
        f"""
        __global__ void kernel({C_NAMES[out.dtype]} *out, int n, {parameters})
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {{ {values} out[i] = {expression}; }}
        }}
        """
    )
    module.get_function("kernel")(
        cuda.Out(out),
        np.int32(out.size),
        *map(cuda.In, inputs),
        block=(64, 1, 1),
        grid=((out.size + 63) // 64, 1),
    )
    return out


# name: (exact function, range, allowed ulps for float, for double)
FUNCTIONS = {
    "sin": (mpmath.sin, (-30, 30), 2, 2),
    "cos": (mpmath.cos, (-30, 30), 2, 2),
    "tan": (mpmath.tan, (-30, 30), 4, 2),
    "asin": (mpmath.asin, (-1, 1), 4, 2),
    "acos": (mpmath.acos, (-1, 1), 3, 2),
    "atan": (mpmath.atan, (-9, 9), 2, 2),
    "sinh": (mpmath.sinh, (-9, 9), 3, 2),
    "cosh": (mpmath.cosh, (-9, 9), 2, 2),
    "tanh": (mpmath.tanh, (-9, 9), 2, 2),
    "asinh": (mpmath.asinh, (-9, 9), 3, 3),
    "acosh": (mpmath.acosh, (1, 9), 4, 3),
    "atanh": (mpmath.atanh, (-0.9, 0.9), 3, 2),
    "exp": (mpmath.exp, (-9, 9), 2, 2),
    "exp2": (lambda x: mpmath.mpf(2) ** x, (-9, 9), 2, 2),
    "exp10": (lambda x: mpmath.mpf(10) ** x, (-9, 9), 2, 2),
    "expm1": (mpmath.expm1, (-9, 9), 2, 2),
    "log": (mpmath.log, (1e-3, 9), 2, 2),
    "log2": (lambda x: mpmath.log(x, 2), (1e-3, 9), 2, 2),
    "log10": (mpmath.log10, (1e-3, 9), 2, 2),
    "log1p": (mpmath.log1p, (-0.9, 9), 2, 2),
    "sqrt": (mpmath.sqrt, (0, 9), 1, 1),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), (0.1, 9), 2, 2),
    "cbrt": (mpmath.cbrt, (0, 9), 2, 2),
    "rcbrt": (lambda x: 1 / mpmath.cbrt(x), (0.1, 9), 2, 3),
    "erf": (mpmath.erf, (-3, 3), 2, 2),
    "erfc": (mpmath.erfc, (-3, 3), 6, 6),
    "erfinv": (mpmath.erfinv, (-0.99, 0.99), 3, 8),
    "erfcinv": (lambda x: mpmath.erfinv(1 - x), (0.01, 1.99), 7, 8),
    "normcdf": (mpmath.ncdf, (-3, 3), 6, 6),
    "tgamma": (mpmath.gamma, (0.5, 9), 12, 12),
    "lgamma": (mpmath.loggamma, (3, 9), 6, 6),
    "sinpi": (mpmath.sinpi, (-9, 9), 3, 3),
    "cospi": (mpmath.cospi, (-9, 9), 3, 3),
    "j0": (lambda x: mpmath.besselj(0, x), (0, 2), 9, 9),
    "y1": (lambda x: mpmath.bessely(1, x), (1, 2), 9, 9),
}


def ulps(got, exact):
    """Return the largest error, in ulps of the result's type."""
    worst = 0.0
    for value, true in zip(got, exact, strict=True):
        step = np.spacing(abs(got.dtype.type(float(true))))
        error = abs(mpmath.mpf(float(value)) - true) / float(step)
        worst = max(worst, float(error))
    return worst


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name, dtype):
    exact, (low, high), *allowed = FUNCTIONS[name]
    x = np.linspace(low, high, 301).astype(dtype)
    x = np.clip(x, dtype(low), dtype(high))
    got = evaluate(f"{name}(a)", dtype, x)
    with mpmath.workdps(40):
        true = [mpmath.mpf(exact(mpmath.mpf(float(v)))) for v in x]
        assert ulps(got, true) <= allowed[dtype is np.float64] + 0.5


TWO = {
    "pow(a, b)": np.power,
    "atan2(a, b)": np.arctan2,
    "fmod(a, b)": np.fmod,
    "remainder(a, b)": np.vectorize(math.remainder),
    "hypot(a, b)": np.hypot,
    "copysign(a, b)": np.copysign,
    "fmin(a, b)": np.fmin,
    "max(a, b)": np.fmax,
    "fdim(a, b)": lambda a, b: np.maximum(a - b, 0),
    "fdividef(a, b)": np.divide,
    "nextafter(a, b)": np.nextafter,
    "fma(a, b, a)": lambda a, b: a * b + a,
    "norm3d(a, b, a)": lambda a, b: np.sqrt(2 * a * a + b * b),
    "ldexp(a, 3)": lambda a, b: a * 8,
    "trunc(a) + floor(b)": lambda a, b: np.trunc(a) + np.floor(b),
    "rint(a) + ceil(b)": lambda a, b: np.rint(a) + np.ceil(b),
    "round(a) + fabs(b)": lambda a, b: np.floor(a + 0.5) + abs(b),
}


@pytest.mark.parametrize("expression", TWO)
def test_two_arguments(expression):
    rng = np.random.default_rng(3)
    a, b = rng.uniform(0.1, 5, (2, 500)).astype(np.float32)
    got = evaluate(expression, np.float32, a, b)
    if "nextafter" in expression:
        want = np.nextafter(a, b)
    else:
        want = TWO[expression](a.astype(float), b.astype(float))
    assert np.allclose(got, want, rtol=1e-6, atol=1e-6)


def test_results_have_the_type_of_cmath():
    expressions = {
        "sizeof(sin(1.f))": 4,
        "sizeof(sin(1.))": 8,
        "sizeof(sqrt(2))": 8,
        "sizeof(pow(2.f, 3.f))": 4,
        "sizeof(pow(2., 3))": 8,
        "sizeof(abs(-2.f))": 4,
        "sizeof(max(1.f, 2.f))": 4,
        "sizeof(max(1.f, 2.))": 8,
        "sizeof(fabs(1.f))": 4,
        "sizeof(jn(2, 1.f)) + sizeof(yn(2, 1.f))": 8,
        "sizeof(jn(2, 1.)) + sizeof(yn(2, 1.))": 16,
        "jn(2, 1.5f) == jnf(2, 1.5f) && yn(3, 2.f) == ynf(3, 2.f)": 1,
        "sizeof(cyl_bessel_i0(1.f)) + sizeof(cyl_bessel_i1(1.))": 12,
        "sizeof(std::exp(1.f))": 4,
        "max(-1, 2u) == 0xffffffffu": 1,
        "abs(-3) + abs(-4ll)": 7,
        "isnan(0.f / a) + isinf(1.f / a) + signbit(-0.f)": 3,
        "(int)pow(2, 10) + (int)sqrt(49)": 1031,
    }
    zero = np.zeros(1, np.float32)
    for expression, value in expressions.items():
        assert evaluate(expression, np.int32, zero)[0] == value, expression


def round_exactly(value, dtype, mode):
    """Round the exact fraction `value` to `dtype` in the given mode."""
    near = dtype(float(value)) if dtype is np.float64 else None
    if near is None:
        near = np.float32(float(value))
    low = high = near
    if Fraction(float(near)) < value:
        high = np.nextafter(near, dtype(np.inf))
    elif Fraction(float(near)) > value:
        low = np.nextafter(near, dtype(-np.inf))
    if mode == "rd" or (mode == "rz" and value > 0):
        return low
    if mode in ("ru", "rz"):
        return high
    middle = (Fraction(float(low)) + Fraction(float(high))) / 2
    if value == middle:
        return near
    return low if value < middle else high


OPERATIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}


@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "prefix, dtype", [("f", np.float32), ("d", np.float64)]
)
def test_rounding(prefix, dtype, operation, mode):
    rng = np.random.default_rng(5)
    a, b = rng.uniform(-10, 10, (2, 200)).astype(dtype)
    b[:50] *= dtype(1e-6)
    got = evaluate(f"__{prefix}{operation}_{mode}(a, b)", dtype, a, b)
    for x, y, value in zip(a, b, got, strict=True):
        exact = OPERATIONS[operation](Fraction(float(x)), Fraction(float(y)))
        assert value == round_exactly(exact, dtype, mode), (x, y)


@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
@pytest.mark.parametrize(
    "name, dtype", [("__fmaf", np.float32), ("__fma", np.float64)]
)
def test_rounding_of_fma(name, dtype, mode):
    rng = np.random.default_rng(6)
    a, b, c = rng.uniform(-10, 10, (3, 200)).astype(dtype)
    got = evaluate(f"{name}_{mode}(a, b, c)", dtype, a, b, c)
    for x, y, z, value in zip(a, b, c, got, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert value == round_exactly(exact, dtype, mode), (x, y, z)


WORDS = np.array(
    [0, 1, 2, 3, 0xFF, 0x80000000, 0xFFFFFFFF, 0x12345678, 0x00F00F00],
    np.uint32,
)
BITS = {
    "__popc(a)": lambda x: x.bit_count(),
    "__clz(a)": lambda x: 32 - x.bit_length(),
    "__ffs(a)": lambda x: (x & -x).bit_length(),
    "__brev(a)": lambda x: int(f"{x:032b}"[::-1], 2),
    "__popcll((unsigned long long)a << 20)": lambda x: x.bit_count(),
    "__clzll(a)": lambda x: 64 - x.bit_length(),
    "__ffsll((long long)a << 8)": lambda x: (
        (x & -x).bit_length() + 8 if x else 0
    ),
    "__umulhi(a, 0xdeadbeef)": lambda x: x * 0xDEADBEEF >> 32,
    "__umul24(a, 3)": lambda x: (x & 0xFFFFFF) * 3 & 0xFFFFFFFF,
    "__byte_perm(a, 0x33221100, 0x7531)": lambda x: int.from_bytes(
        [x >> 8 & 255, x >> 24 & 255, 0x11, 0x33], "little"
    ),
    "__byte_perm(a, 0, 0x3B01)": lambda x: int.from_bytes(
        [x >> 8 & 255, x & 255, x >> 24 & 255, x >> 24 & 255],
        "little",
    ),
    "__funnelshift_l(a, 0xabcd, 8)": lambda x: (
        (0xABCD << 32 | x) << 8 >> 32 & 0xFFFFFFFF
    ),
    "__funnelshift_r(a, 0xabcd, 40)": lambda x: (
        (0xABCD << 32 | x) >> 8 & 0xFFFFFFFF
    ),
    "__funnelshift_rc(a, 0xabcd, 40)": lambda x: 0xABCD,
    "__usad(a, 7, 1)": lambda x: abs(x - 7) + 1 & 0xFFFFFFFF,
    "__uhadd(a, 0xffffffff)": lambda x: x + 0xFFFFFFFF >> 1,
    "__dp4a(a, 0x01010101u, 5u)": lambda x: sum(x.to_bytes(4, "little")) + 5,
    "__umul64hi((unsigned long long)a << 32, 16)": lambda x: x >> 28,
}


@pytest.mark.parametrize("expression", BITS)
def test_integer_intrinsic(expression):
    got = evaluate(expression, np.uint32, WORDS)
    assert got.tolist() == [BITS[expression](int(x)) for x in WORDS]


def test_signed_intrinsics():
    x = WORDS.view(np.int32)
    got = evaluate("__mulhi(a, -12345)", np.int32, x)
    assert got.tolist() == [int(v) * -12345 >> 32 for v in x]
    got = evaluate("__hadd(a, 3)", np.int32, x)
    assert got.tolist() == [int(v) + 3 >> 1 for v in x]


CONVERSIONS = {
    "__float2int_rn(a)": np.rint,
    "__float2int_rz(a)": np.trunc,
    "__float2int_ru(a)": np.ceil,
    "__float2int_rd(a)": np.floor,
    "(int)a": np.trunc,
}


@pytest.mark.parametrize("expression", CONVERSIONS)
def test_float_to_integer(expression):
    x = np.array(
        [0.5, 1.5, 2.5, -0.5, -1.5, 2.7, -2.7, 3e9, -3e9, np.nan, np.inf],
        np.float32,
    )
    want = CONVERSIONS[expression](np.nan_to_num(x, posinf=3e9))
    want = np.clip(want.astype(np.float64), -(2**31), 2**31 - 1)
    got = evaluate(expression, np.int32, x)
    assert got.tolist() == want.astype(np.int64).tolist()


@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
def test_integer_to_float(mode):
    x = np.array([1, -1, 2**24 + 1, -(2**24) - 1, 2**31 - 1, -(2**31)], "i4")
    got = evaluate(f"__int2float_{mode}(a)", np.float32, x)
    want = [round_exactly(Fraction(int(v)), np.float32, mode) for v in x]
    assert got.tolist() == want


def test_bits_of_floats():
    x = np.array([0.0, -0.0, 1.5, -np.inf, 1e-42], np.float32)
    got = evaluate("__float_as_int(a)", np.int32, x)
    assert got.tolist() == x.view(np.int32).tolist()
    d = np.array([0.0, -1.5, np.pi])
    got = evaluate("__hiloint2double(__double2hiint(a), 5)", np.float64, d)
    bits = d.view(np.uint64) & np.uint64(0xFFFFFFFF00000000) | np.uint64(5)
    assert got.tolist() == bits.view(np.float64).tolist()
