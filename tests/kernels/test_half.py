"""cuda_fp16.h and cuda_bf16.h: every operation, bit by bit."""

from fractions import Fraction

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# On a GPU the headers are NVIDIA's own.
pytestmark = [
    pytest.mark.cpu,
    pytest.mark.filterwarnings("ignore:invalid value encountered in cast"),
]

#: name in functions -> header, C type, pair, digits, exponent range
TYPES = {
    "half": ("cuda_fp16.h", "__half", "__half2", 11, -24, 15),
    "bfloat16": (
        "cuda_bf16.h",
        "__nv_bfloat16",
        "__nv_bfloat162",
        8,
        -133,
        127,
    ),
}
KINDS = pytest.mark.parametrize("kind", TYPES)


def values_of(kind, bits):
    """Return the values of 16-bit words as float64."""
    bits = np.asarray(bits, np.uint16)
    if kind == "half":
        return bits.view(np.float16).astype(np.float64)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def rounded(kind, x, mode="rn"):
    """Round float64 values to words of a type, with a single rounding."""
    _, _, _, digits, least, greatest = TYPES[kind]
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        _, e = np.frexp(x)
        quantum = np.ldexp(1.0, np.maximum(e - digits, least))
        steps = {
            "rn": np.rint,
            "rz": np.trunc,
            "ru": np.ceil,
            "rd": np.floor,
        }[mode](x / quantum)
        y = np.copysign(steps * quantum, x)
        largest = np.ldexp(2.0 - np.ldexp(2.0, -digits), greatest)
        over = np.isfinite(x) & (np.abs(y) > largest)
        keeps = {
            "rn": np.zeros(x.shape, bool),
            "rz": np.ones(x.shape, bool),
            "ru": x < 0,
            "rd": x > 0,
        }[mode]
        limit = np.where(keeps, largest, np.inf)
        y = np.where(over, np.copysign(limit, x), y)
        y = np.where(np.isfinite(x), y, x)
        if kind == "half":
            words = y.astype(np.float16).view(np.uint16)
        else:
            words = (y.astype(np.float32).view(np.uint32) >> 16).astype("u2")
    return np.where(np.isnan(x), np.uint16(0x7FFF), words)


def run(kind, body, *arrays, out=np.uint16, count=None):
    """Run `body` for each i, with out and the arrays a, b, ... of words."""
    header, T, T2, *_ = TYPES[kind]
    ctypes = {
        "u2": "unsigned short",
        "i2": "short",
        "i4": "int",
        "u4": "unsigned",
        "i8": "long long",
        "u8": "unsigned long long",
        "f4": "float",
        "f8": "double",
        "i1": "signed char",
        "u1": "unsigned char",
        "b1": "bool",
    }
    names = "abcd"[: len(arrays)]
    itypes = [
        T if x.dtype == np.uint16 else ctypes[x.dtype.str[1:]] for x in arrays
    ]
    parameters = "".join(
        f", const {itype} *{name}"
        for itype, name in zip(itypes, names, strict=True)
    )
    count = len(arrays[0]) if count is None else count
    result = np.zeros(count, out)
    body = body.replace("T2", T2).replace("T(", T + "(").replace("H", kind)
    otype = T if result.dtype == np.uint16 else ctypes[result.dtype.str[1:]]
    source = (
        f"#include <{header}>\n__global__ void k({otype} *out{parameters},"
        " int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
        f" if (i < n) {{ {body} }} }}"
    )
    SourceModule(source).get_function("k")(
        cuda.InOut(result),
        *(cuda.In(x) for x in arrays),
        np.int32(count),
        block=(256, 1, 1),
        grid=(-(-count // 256), 1),
    )
    return result


def words(count, seed=0):
    """Return random bits and the special values."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 65536, count).astype(np.uint16)
    x[:6] = [0, 0x8000, 1, 0x7C00, 0x7F80, 0x7FFF]
    return x


def same(kind, found, wanted):
    wrong = np.flatnonzero(found != wanted)
    assert not wrong.size, (
        f"{kind}: {wrong.size} differ, the first at {wrong[0]}: "
        f"{found[wrong[0]]:#x}, not {wanted[wrong[0]]:#x}"
    )


@KINDS
def test_all_values_go_to_float_and_back(kind):
    x = np.arange(65536).astype(np.uint16)
    wide = run(kind, "out[i] = __H2float(a[i]);", x, out=np.float32)
    assert np.array_equal(wide, values_of(kind, x), equal_nan=True)
    same(
        kind,
        run(kind, "out[i] = __float2H(a[i]);", wide),
        rounded(kind, wide),
    )


@KINDS
@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
def test_floats_are_rounded(kind, mode):
    random = np.random.default_rng(3)
    x = random.integers(0, 2**32, 200_000).astype(np.uint32).view(np.float32)
    middle = values_of(kind, words(20_000)).astype(np.float32)
    edges = [middle, np.nextafter(middle, np.float32(9e9)), middle * 1.0009766]
    x = np.concatenate([x, *edges]).astype(np.float32)
    found = run(kind, f"out[i] = __float2H_{mode}(a[i]);", x)
    same(kind, found, rounded(kind, x, mode))


@KINDS
def test_doubles_are_rounded_once(kind):
    digits = TYPES[kind][3]
    tie = 1 + 2.0**-digits
    x = np.array(
        [tie, tie + 2**-40, tie - 2**-40, -tie - 2**-50, 1e300, 1e-60]
    )
    found = run(kind, "out[i] = __double2H(a[i]);", x)
    same(kind, found, rounded(kind, x))


@pytest.mark.sweep
@KINDS
@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
@pytest.mark.parametrize(
    "name", ["short", "ushort", "int", "uint", "ll", "ull"]
)
def test_integers(kind, mode, name):
    dtype = {
        "short": np.int16,
        "ushort": np.uint32,
        "int": np.int32,
        "uint": np.uint32,
        "ll": np.int64,
        "ull": np.uint64,
    }[name]
    random = np.random.default_rng(4)
    high = {"short": 2**15, "ushort": 2**16}.get(
        name, min(np.iinfo(dtype).max, 2**63 - 1)
    )
    x = (
        random.integers(0, high, 5000) >> random.integers(0, 40, 5000)
    ).astype(dtype)
    # x * 2**k + 1 near a tie, where a double would lose the 1
    if name in ("ll", "ull"):
        x[:3] = [(257 << 53) + 1, (257 << 53) - 1, 257 << 53]
    exact = [int(v) for v in x]
    doubles = np.array(
        [float(v >> 12 << 12 if v > 2**53 else v) for v in exact]
    )
    doubles = np.where(
        [v > 2**53 and v % 4096 != 0 for v in exact],
        doubles + np.spacing(doubles),
        doubles,
    )
    found = run(kind, f"out[i] = __{name}2H_{mode}(a[i]);", x)
    same(kind, found, rounded(kind, doubles, mode))
    w = words(4000, 5)
    target = np.uint16 if name == "ushort" else dtype
    limits = np.iinfo(target)
    with np.errstate(all="ignore"):
        step = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}
        value = step[mode](values_of(kind, w))
    wanted = [
        0
        if np.isnan(v)
        else limits.min
        if v <= limits.min
        else limits.max
        if v >= limits.max
        else int(v)
        for v in value
    ]
    found = run(
        kind,
        f"out[i] = __H2{name}_{mode}(a[i]);",
        w,
        out=np.uint32 if name == "ushort" else dtype,
    )
    # For these types NaN converts to the top bit only, as in PTX.
    if name in ("ll", "ull"):
        keep = ~np.isnan(value)
        found, wanted = found[keep], np.array(wanted, object)[keep]
    assert found.tolist() == list(wanted)


@pytest.mark.sweep(most=4)
@KINDS
@pytest.mark.parametrize(
    ("name", "operator"),
    [("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/")],
)
def test_arithmetic(kind, name, operator):
    x, y = words(100_000, 1), words(100_000, 2)
    a, b = values_of(kind, x), values_of(kind, y)
    with np.errstate(all="ignore"):
        exact = {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[operator]
        if operator in "+-":
            # two numbers so far apart that their sum is not a float64
            other = b if operator == "+" else -b
            lost = (a - (exact - other)) + (other - (exact - (exact - other)))
            odd = np.where(np.isfinite(lost), lost, 0)
            exact = np.where(
                odd != 0, np.nextafter(exact, np.copysign(np.inf, odd)), exact
            )
    wanted = rounded(kind, exact)
    same(kind, run(kind, f"out[i] = __h{name}(a[i], b[i]);", x, y), wanted)
    same(kind, run(kind, f"out[i] = a[i] {operator} b[i];", x, y), wanted)
    two = "__h2div" if name == "div" else f"__h{name}2"
    pair = f"T2 r = {two}(T2(a[i], b[i]), T2(b[i], a[i])); out[i] = r.x;"
    same(kind, run(kind, pair, x, y), wanted)
    if operator != "/":
        same(
            kind,
            run(kind, f"out[i] = __h{name}_rn(a[i], b[i]);", x, y),
            wanted,
        )
        body = f"out[i] = __h{name}_sat(a[i], b[i]);"
        clipped = np.where(np.isnan(exact), 0, np.clip(exact, 0, 1))
        clipped = np.where(clipped == 0, 0, clipped)
        same(kind, run(kind, body, x, y), rounded(kind, clipped))


@KINDS
def test_fused_multiply_add_rounds_once(kind):
    x, y, z = words(3000, 6), words(3000, 7), words(3000, 8)
    digits = TYPES[kind][3]
    one, tiny = rounded(kind, [1 + 2.0 ** (1 - digits), 2.0**-100])
    x[10:12] = one
    y[10:12] = rounded(kind, [1.5, 1.5])
    z[10:12] = [tiny, tiny | 0x8000]
    found = run(kind, "out[i] = __hfma(a[i], b[i], c[i]);", x, y, z)
    a, b, c = (values_of(kind, w) for w in (x, y, z))
    for i in range(3000):
        if not np.isfinite([a[i], b[i], c[i]]).all():
            continue
        exact = Fraction(a[i]) * Fraction(b[i]) + Fraction(c[i])
        near = float(exact)
        if Fraction(near) != exact and np.isfinite(near):
            # towards the exact value, away from ties
            side = np.inf if exact > Fraction(near) else -np.inf
            near = np.nextafter(near, side)
        if exact == 0:
            continue
        assert found[i] == rounded(kind, near), (a[i], b[i], c[i])
    body = (
        "T2 r = __hfma2(T2(a[i], a[i]), T2(b[i], b[i]), T2(c[i], c[i]));"
        "out[i] = r.y;"
    )
    same(kind, run(kind, body, x, y, z), found)
    relu = run(kind, "out[i] = __hfma_relu(a[i], b[i], c[i]);", x, y, z)
    same(kind, relu, np.where((found > 0x8000) & (found != 0x7FFF), 0, found))


COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}


@KINDS
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(kind, name):
    x, y = words(5000, 1), words(5000, 2)
    y[::3] = x[::3]
    a, b = values_of(kind, x), values_of(kind, y)
    nan = np.isnan(a) | np.isnan(b)
    plain = {
        "eq": a == b,
        "ne": a != b,
        "lt": a < b,
        "le": a <= b,
        "gt": a > b,
        "ge": a >= b,
    }[name]
    found = run(
        kind,
        f"T2 p(a[i], b[i]), q(b[i], a[i]);"
        f"out[i] = __h{name}(a[i], b[i]) | __h{name}u(a[i], b[i]) << 1"
        f"| (a[i] {COMPARISONS[name]} b[i]) << 2"
        f"| __hb{name}2(p, T2(b[i], b[i])) << 3"
        f"| (__h{name}2(p, q).x == T(1.0f)) << 4"
        f"| (__h{name}2_mask(p, q) & 1) << 5;",
        x,
        y,
        out=np.int32,
    )
    ordered, unordered = plain & ~nan, plain | nan
    second = {"eq", "le", "ge"} & {name} != set()
    wanted = (
        ordered * 1
        + unordered * 2
        + plain * 4
        + (ordered & second & ~np.isnan(b)) * 8
        + ordered * 48
    )
    assert np.array_equal(found, wanted)


@KINDS
def test_extremes_and_signs(kind):
    x, y = words(20_000, 1), words(20_000, 2)
    a, b = values_of(kind, x), values_of(kind, y)
    nan = np.isnan(a) | np.isnan(b)
    for name, of in (("max", np.fmax), ("min", np.fmin)):
        wanted = rounded(kind, of(a, b))
        zero = (a == 0) & (b == 0)
        found = run(kind, f"out[i] = __h{name}(a[i], b[i]);", x, y)
        same(kind, found[~zero], wanted[~zero])
        found = run(kind, f"out[i] = __h{name}_nan(a[i], b[i]);", x, y)
        same(kind, found[~zero], np.where(nan, 0x7FFF, wanted)[~zero])
    zeros = np.array([0, 0x8000], np.uint16)
    found = run(
        kind, "out[i] = __hmax(a[i], b[i]);", zeros, zeros[::-1].copy()
    )
    assert found.tolist() == [0, 0]
    same(kind, run(kind, "out[i] = -a[i];", x), x ^ 0x8000)
    same(kind, run(kind, "out[i] = __habs(a[i]);", x), x & 0x7FFF)
    found = run(
        kind, "out[i] = __hisnan(a[i]) * 10 + __hisinf(a[i]);", x, out=np.int32
    )
    wanted = np.isnan(a) * 10 + np.isinf(a) * np.where(a > 0, 1, -1)
    assert np.array_equal(found, wanted)


FUNCTIONS = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcp": lambda x: 1 / x,
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: 10.0**x,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "floor": np.floor,
    "ceil": np.ceil,
    "rint": np.rint,
    "trunc": np.trunc,
}


@pytest.mark.slow
@KINDS
def test_functions(kind):
    x = rounded(kind, np.random.default_rng(9).uniform(-8, 8, 20_000))
    for name, function in FUNCTIONS.items():
        with np.errstate(all="ignore"):
            wanted = rounded(kind, function(values_of(kind, x)))
        found = run(kind, f"out[i] = h{name}(a[i]);", x)
        off = np.abs(found.astype(int) - wanted)
        # One unit in the last place, where the error of the float crosses a
        # tie.
        assert off.max() <= 1, f"{name}: {off.max()} steps"
        assert (off != 0).mean() < 0.002, name
        pair = f"T2 r = h2{name}(T2(a[i], a[i])); out[i] = r.y;"
        same(kind, run(kind, pair, x), found)


@KINDS
def test_pairs(kind):
    found = run(
        kind,
        """
        T2 v = __floats2H2_rn(1.0f, 2.0f), w = __float2H2_rn(3.0f);
        T2 r[8] = {__H2H2(T(5.0f)), __halves2H2(T(6.0f), T(7.0f)),
                   __low2H2(v), __high2H2(v), __lows2H2(v, w),
                   __highs2H2(w, v), __lowhigh2highlow(v),
                   __float22H2_rn(make_float2(8.0f, 9.0f))};
        for (int k = 0; k < 8; k++) {
            float2 f = __H22float2(r[k]);
            out[2 * k] = f.x; out[2 * k + 1] = f.y;
        }
        out[16] = __low2float(v) * 10 + __high2float(v);
        out[17] = float(__low2H(v)) * 10 + float(__high2H(v));
        """,
        np.zeros(1, np.uint16),
        out=np.float32,
        count=18,
    )
    assert found.tolist() == [
        *(5, 5, 6, 7, 1, 1, 2, 2, 1, 3, 3, 2, 2, 1, 8, 9, 12, 12)
    ]


@KINDS
def test_atomics_and_shuffles(kind):
    header, T, T2, *_ = TYPES[kind]
    source = f"""
    #include <{header}>
    __global__ void k({T} *sum, {T2} *pair, {T} *turned, {T2} *up)
    {{
        atomicAdd(sum, {T}(1.0f));
        atomicAdd(pair, {T2}({T}(1.0f), {T}(2.0f)));
        {T} mine(float(threadIdx.x));
        turned[threadIdx.x] = __shfl_xor_sync(0xffffffffu, mine, 3);
        up[threadIdx.x]
            = __shfl_up_sync(0xffffffffu, {T2}(mine, mine + mine), 1);
    }}
    """
    arrays = [np.zeros(n, np.uint16) for n in (2, 2, 32, 64)]
    SourceModule(source).get_function("k")(
        *(cuda.InOut(x) for x in arrays), block=(32, 1, 1)
    )
    total, pair, turned, up = (values_of(kind, x) for x in arrays)
    t = np.arange(32)
    assert total[0] == 32 and pair.tolist() == [32, 64]
    assert np.array_equal(turned, t ^ 3)
    assert np.array_equal(up[::2], np.maximum(t - 1, 0))
    assert np.array_equal(up[1::2], 2 * np.maximum(t - 1, 0))


def test_both_in_one_source_and_within_the_wrap():
    source = """
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    #include <cooperative_groups.h>
    __global__ void k(float *o)
    {
        half h = 1.5f; nv_bfloat16 b = 2.5f; half2 p = make_half2(h, h);
        h += half(1); h++; p = p * p;
        o[0] = float(h) + float(b) + __half2float(p.x);
        o[1] = h > half(3.f) ? sizeof(half2) : 0;
    }
    """
    out = np.zeros(2, np.float32)
    SourceModule(source).get_function("k")(cuda.InOut(out), block=(1, 1, 1))
    assert out.tolist() == [3.5 + 2.5 + 2.25, 4]
