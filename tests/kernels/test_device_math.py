"""The device's mathematical functions.

Errors are within CUDA's bounds, special values are right, and results have the
same bits however a kernel is compiled.
"""

import hashlib
import importlib.util
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

TOOL = Path(__file__).parent.parent.parent / "tools" / "accuracy.py"
spec = importlib.util.spec_from_file_location("accuracy", TOOL)
accuracy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(accuracy)

# Functions in double precision that are accurate references for float.
REFERENCE = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.float_power(10.0, x),
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "sinpi": lambda x: np.sin(np.pi * np.fmod(x, 2)),
}
WHOLE_LINE = {**REFERENCE}
WHOLE_LINE["erf"] = np.vectorize(math.erf, otypes=[float])
WHOLE_LINE["erfc"] = np.vectorize(math.erfc, otypes=[float])
del WHOLE_LINE["sinpi"]  # no reference is accurate near its zeros


def ulps(got, exact):
    """Return distances from the exact values in ulp; 0 for equal specials."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        both_nan = np.isnan(got) & np.isnan(rounded)
        same = both_nan | (got == rounded)
        size = np.minimum(np.abs(rounded), np.finfo(np.float32).max)
        unit = np.spacing(size).astype(float)
        # Infinity counts as one step above the largest finite number.
        limit = 2.0**128
        distance = np.abs(np.clip(got.astype(float), -limit, limit) - exact)
        distance = np.where(np.isfinite(rounded), distance / unit, np.inf)
        overflow = np.isinf(rounded) & np.isfinite(exact) & (size == abs(got))
        distance = np.where(overflow, 1.0, distance)
    return np.where(same, np.minimum(distance, 0.5), distance)


def check_dense(name, count):
    patterns = np.linspace(0, 2**32 - 1, count).astype(np.uint32)
    x = patterns.view(np.float32)
    edges = np.array(
        [0.0, -0.0, 1, -1, 0.5, -0.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45],
        np.float32,
    )
    x = np.concatenate([x, edges, np.linspace(-10, 10, count, dtype="f")])
    got = accuracy.evaluate(name, np.float32, x)
    with np.errstate(all="ignore"):
        exact = WHOLE_LINE[name](x.astype(float))
    error = ulps(got, exact)
    error = np.where(np.isnan(error), np.inf, error)
    worst = np.argmax(error)
    bound = accuracy.ROWS[name].bounds[0] + 0.5
    assert error[worst] <= bound + 1e-5, (x[worst], got[worst], exact[worst])
    zero = x == 0
    if np.all(exact[zero] == 0):
        assert np.array_equal(np.signbit(got[zero]), np.signbit(x[zero]))


@pytest.mark.parametrize("name", WHOLE_LINE)
def test_float_on_the_whole_line(name):
    check_dense(name, 1 << 16)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(REFERENCE.keys() & WHOLE_LINE.keys()))
def test_float_densely(name):
    check_dense(name, 1 << 22)


def test_the_check_of_errors_can_fail():
    x = np.linspace(1, 2, 100, dtype=np.float32)
    exact = np.sqrt(x.astype(float))
    right = exact.astype(np.float32)
    assert ulps(right, exact).max() <= 0.5
    assert ulps(np.nextafter(right, np.float32(9)), exact).max() > 1
    assert ulps(right * np.float32(np.inf), exact).min() > 1e6


INF, NAN = math.inf, math.nan
SPECIAL = {
    "sin": {-0.0: -0.0, INF: NAN, -INF: NAN},
    "cos": {0.0: 1.0, INF: NAN},
    "tan": {-0.0: -0.0, INF: NAN},
    "sinpi": {
        -0.0: -0.0,
        0.5: 1,
        1: 0.0,
        -1: -0.0,
        2.5: 1,
        1e30: 0.0,
        INF: NAN,
    },
    "cospi": {0.0: 1, 0.5: 0.0, 1: -1, 1.5: 0.0, 2: 1, 1e30: 1, INF: NAN},
    "asin": {-0.0: -0.0, 2: NAN},
    "acos": {1: 0.0, 2: NAN, -2: NAN},
    "atan": {-0.0: -0.0},
    "sinh": {-0.0: -0.0, INF: INF, -INF: -INF},
    "cosh": {0.0: 1, -INF: INF},
    "tanh": {-0.0: -0.0, INF: 1, -INF: -1},
    "asinh": {-0.0: -0.0, -INF: -INF},
    "acosh": {1: 0.0, 0.5: NAN, INF: INF, -INF: NAN},
    "atanh": {-0.0: -0.0, 1: INF, -1: -INF, 2: NAN},
    "exp": {0.0: 1, -INF: 0.0, INF: INF, 1e4: INF, -1e4: 0.0},
    "exp2": {3: 8, -INF: 0.0, INF: INF, -1: 0.5},
    "exp10": {0.0: 1, -INF: 0.0, INF: INF},
    "expm1": {-0.0: -0.0, -INF: -1, INF: INF},
    "log": {-0.0: -INF, 1: 0.0, -1: NAN, INF: INF},
    "log2": {0.0: -INF, 1: 0.0, 4: 2, -1: NAN, INF: INF},
    "log10": {0.0: -INF, 1: 0.0, -1: NAN, INF: INF},
    "log1p": {-0.0: -0.0, -1: -INF, -2: NAN, INF: INF},
    "rsqrt": {-0.0: -INF, INF: 0.0, -1: NAN, 4: 0.5},
    "cbrt": {-0.0: -0.0, -8: -2, 27: 3, -INF: -INF},
    "rcbrt": {-0.0: -INF, INF: 0.0, 8: 0.5},
    "erf": {-0.0: -0.0, INF: 1, -INF: -1},
    "erfc": {0.0: 1, INF: 0.0, -INF: 2},
    "erfinv": {-0.0: -0.0, 1: INF, -1: -INF, 2: NAN},
    "erfcinv": {0.0: INF, 2: -INF, 3: NAN},
    "normcdf": {INF: 1, -INF: 0.0, 0.0: 0.5},
    "cyl_bessel_i0": {-0.0: 1, INF: INF, -INF: INF, 1e4: INF, -1e4: INF},
    "cyl_bessel_i1": {-0.0: -0.0, INF: INF, -INF: -INF, 1e4: INF, -1e4: -INF},
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, dtype):
    table = {**SPECIAL[name], NAN: NAN}
    x = np.array(list(table), dtype)
    want = np.array(list(table.values()), dtype)
    got = accuracy.evaluate(name, dtype, x)
    np.testing.assert_array_equal(got, want)
    real = ~np.isnan(want)
    assert np.array_equal(np.signbit(got[real]), np.signbit(want[real]))


EDGES = [
    0.0,
    -0.0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    0.5,
    -0.5,
    INF,
    -INF,
    NAN,
    1e30,
    -1e30,
]
TWO = {
    "pow": math.pow,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "fmod": math.fmod,
}


def by_c99(name, x, y):
    """Call Python's function, with C's result if Python raises."""
    try:
        return TWO[name](x, y)
    except OverflowError:
        return -INF if x < 0 and y % 2 == 1 else INF
    except ValueError:
        if name == "pow" and x == 0:
            odd = abs(y) % 2 == 1
            return math.copysign(INF, x) if odd else INF
        return NAN


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", TWO)
def test_special_values_of_two_arguments(name, dtype):
    a, b = (np.ravel(x).astype(dtype) for x in np.meshgrid(EDGES, EDGES))
    with np.errstate(over="ignore", under="ignore"):
        want = np.array(
            [
                by_c99(name, x, y)
                for x, y in zip(a.tolist(), b.tolist(), strict=True)
            ]
        ).astype(dtype)
    got = accuracy.evaluate(name, dtype, a, b)
    np.testing.assert_allclose(got, want, rtol=1e-6 if dtype == "f" else 1e-6)
    real = ~np.isnan(want)
    assert np.array_equal(np.signbit(got[real]), np.signbit(want[real]))


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "normcdf", "sinpi",
                                  "j0", "j1", "y0", "y1"])  # fmt: skip
def test_errors_against_mpmath(name, kind):
    found = accuracy.measure(name, kind, 600)
    assert found["kept"], found


ZEROS = {"j0": [2.404825557695773, 5.520078110286311],
         "j1": [3.8317059702075125, 7.015586669815619],
         "y0": [0.8935769662791675, 3.957678419314858, 7.086051060301773],
         "y1": [2.197141326031017, 5.429681040794135]}  # fmt: skip


@pytest.mark.cpu  # the accuracy of NVIDIA's functions is not ours to test
@pytest.mark.parametrize("name", ZEROS)
def test_bessel_functions_about_their_zeros(name):
    """The error is small relative to the result, even near a zero."""
    steps = np.array([0, 1, -1, 5, -40, 3e3, -2e7, 1e12, -2e15]) * 2.0**-52
    x = np.concatenate([z * (1 + steps) for z in ZEROS[name]])
    if name[0] == "j":
        x = np.concatenate([x, -x])
    got = accuracy.evaluate(name, np.float64, x)
    with accuracy.mpmath.workdps(40):
        for value, at in zip(got, x, strict=True):
            exact = accuracy.ROWS[name].exact(accuracy.mpmath.mpf(float(at)))
            error = accuracy.error_of(value, exact, np.float64)
            assert error < accuracy.ROWS[name].bounds[1] + 0.5, (at, error)


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("name", ["cyl_bessel_i0", "cyl_bessel_i1"])
def test_modified_bessel_functions(name, kind):
    """Boundaries between polynomials, both signs, largest arguments."""
    dtype = accuracy.TYPES[kind]
    last = 91.9 if kind == "float" else 713.98
    near = 9 * (1 + np.arange(-20, 20) * float(np.finfo(dtype).eps))
    x = np.concatenate([np.linspace(-20, 20, 801), near, [1e-30, 1e-300]])
    x = np.concatenate([x, np.linspace(20, last, 200), [last + 0.1]])
    x = x.astype(dtype)
    got = accuracy.evaluate(name, dtype, x)
    mirrored = accuracy.evaluate(name, dtype, -x)
    assert np.array_equal(mirrored, got if name[-1] == "0" else -got)
    assert np.isinf(got[-1]) and np.isfinite(got[:-1]).all()
    with accuracy.mpmath.workdps(40):
        for value, at in zip(got[:-1], x[:-1], strict=True):
            exact = accuracy.ROWS[name].exact(accuracy.mpmath.mpf(float(at)))
            error = accuracy.error_of(value, exact, dtype)
            assert error < 6.5, (at, error)


ALL = sorted(set(accuracy.ROWS) - set(accuracy.TWO_ARGUMENTS))
CALLS = "\n".join(
    f"out[{i} * n + i0] = {name}(x[i0]);" for i, name in enumerate(ALL)
)
KERNEL = (
    """
__global__ void run(TYPE *out, const TYPE *x, int n)
{
    int i0 = blockIdx.x * blockDim.x + threadIdx.x;
    if (i0 < n) {
"""
    + CALLS
    + "}}"
)


@pytest.mark.cpu
@pytest.mark.parametrize("kind", ["float", "double"])
def test_same_bits_however_it_is_run(kind):
    dtype = accuracy.TYPES[kind]
    rng = np.random.default_rng(4)
    x = np.concatenate(
        [
            rng.uniform(-3, 3, 300),
            rng.uniform(-1e3, 1e3, 97),
            10.0 ** rng.uniform(-35, 35, 100),
        ]
    ).astype(dtype)
    results = []
    for options in ([], ["-fmad=false"], ["-O0"]):
        module = SourceModule(KERNEL.replace("TYPE", kind), options=options)
        run = module.get_function("run")
        for block in (1, 64, 128):
            out = np.empty((len(ALL), x.size), dtype)
            run(
                cuda.Out(out),
                cuda.In(x),
                np.int32(x.size),
                block=(block, 1, 1),
                grid=(-(-x.size // block), 1),
            )
            results.append(out.view(f"u{dtype().itemsize}"))
            results[-1][np.isnan(out)] = 1
    for other in results[1:]:
        differ = np.argwhere(results[0] != other)
        assert not len(differ), (ALL[differ[0][0]], x[differ[0][1]])


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_huge_arguments_among_usual_ones(name, dtype):
    x = np.linspace(-5, 5, 1000).astype(dtype)
    for i in (0, 7, 8, 500, 999):
        x[i] = 1e20 + 1e15 * i
    x[3] = np.inf
    got = accuracy.evaluate(name, dtype, x)
    want = [
        getattr(math, name)(v) if abs(v) < INF else NAN for v in x.tolist()
    ]
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


def of_bits(count, dtype=np.float32):
    bits = np.random.default_rng(8).integers(0, 2**32, count, np.uint32)
    x = bits.view(np.float32)
    x[:8] = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45]
    return x.astype(dtype)


def one_by_one(function):
    def call(x, y):
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        return np.array([function(*pair) for pair in pairs]).astype(x.dtype)

    return call


def remainder(x, y):
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return NAN
    return math.remainder(x, y)


# Functions that do not round: C's, expressed with NumPy's.
EXACT = {
    "fmodf(a, b)": np.fmod,
    "remainderf(a, b)": one_by_one(remainder),
    "fdimf(a, b)": lambda a, b: np.where(a <= b, 0, a - b),
    "nextafterf(a, b)": np.nextafter,
    "ldexpf(a, (int)fminf(fmaxf(b, -400.0f), 400.0f))": lambda a, b: np.ldexp(
        a, np.trunc(np.clip(np.nan_to_num(b, nan=-400), -400, 400)).astype(int)
    ),
    "logbf(a) + 0 * ilogbf(b)": lambda a, b: np.where(
        np.isfinite(a) & (a != 0),
        np.frexp(a.astype(float))[1] - 1.0,
        np.where(a == 0, -np.inf, a * a),
    ),
    "modf1(a) - b * 0": lambda a, b: np.modf(a)[0] - b * 0,
    "frexp1(a) - b * 0": lambda a, b: np.frexp(a)[0] - b * 0,
}
HELPERS = """
__device__ float modf1(float x) { float w; return modff(x, &w); }
__device__ float frexp1(float x) { int e; return frexpf(x, &e); }
"""


@pytest.mark.parametrize("expression", EXACT)
def test_functions_without_rounding(expression):
    a, b = of_bits(20000), of_bits(20000)[::-1].copy()
    b[100:8000] = (a[100:8000] * np.float32(0.37)).astype(np.float32)
    b[8000:12000] = np.linspace(-300, 300, 4000)
    source = (
        HELPERS
        + """
        __global__ void run(float *out, const float *in_a, const float *in_b)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            float a = in_a[i], b = in_b[i];
            out[i] = """
        + expression
        + ";}"
    )
    got = np.empty_like(a)
    SourceModule(source, options=["-fmad=false"]).get_function("run")(
        cuda.Out(got), cuda.In(a), cuda.In(b), block=(100, 1, 1), grid=(200, 1)
    )
    with np.errstate(all="ignore"):
        want = EXACT[expression](a, b).astype(np.float32)
    np.testing.assert_array_equal(got, want)


def digests():
    """Return one line per function: a hash of its values on the device."""
    rng = np.random.default_rng(5)
    wide = [rng.uniform(-20, 20, 800), 10.0 ** rng.uniform(-37, 37, 200)]
    lines = []
    for kind, dtype in accuracy.TYPES.items():
        x = np.concatenate(wide).astype(dtype)
        for name in ("sin", "tan", "exp", "log", "pow", "erfc", "cbrt"):
            inputs = [x, x[::-1].copy()][: 1 + (name == "pow")]
            got = accuracy.evaluate(name, dtype, *inputs)
            got[np.isnan(got)] = 7
            digest = hashlib.sha256(got.tobytes()).hexdigest()
            lines.append(f"{name} {kind} {digest}")
    return "\n".join(lines)


@pytest.mark.cpu
@pytest.mark.skipif(
    "avx512vl" not in Path("/proc/cpuinfo").read_text(),
    reason="needs a processor with AVX-512",
)
def test_same_bits_for_each_kind_of_processor():
    code = (
        "import importlib.util, sys\n"
        "spec = importlib.util.spec_from_file_location('t', sys.argv[1])\n"
        "t = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(t)\n"
        "print(t.digests())\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code, __file__],
            env=os.environ | {"PYCUDA_CPU_TARGET": target},
            cwd=Path(__file__).parent,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for target in ("x86-64-v3", "x86-64-v4")
    ]
    assert said[0].count("\n") == 14
    assert said[0] == said[1]
