"""cuda_fp8.h: both types, every code and every conversion, bit by bit."""

import numpy as np
import pytest
from nvidia_headers import skip_without

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.filterwarnings(
    "ignore:invalid value encountered in cast"
)

#: kind -> fraction bits, bias, code of the largest number
TYPES = {"e4m3": (3, 7, 0x7E), "e5m2": (2, 15, 0x7B)}
KINDS = pytest.mark.parametrize("kind", TYPES)
NAN = 0x7F
CTYPES = {
    "f2": "__half",
    "f4": "float",
    "f8": "double",
    "i1": "signed char",
    "i2": "short",
    "i4": "int",
    "i8": "long long",
    "u1": "unsigned char",
    "u2": "unsigned short",
    "u4": "unsigned int",
    "u8": "unsigned long long",
}


@pytest.fixture(scope="module", autouse=True)
def header(device):
    """Return the header under test."""
    skip_without("cuda_fp8.h", device)


def decoded(kind, codes):
    """Return the values of codes as float64."""
    digits, bias, largest = TYPES[kind]
    codes = np.asarray(codes).astype(int)
    size, sign = codes & 127, np.where(codes & 128, -1.0, 1.0)
    exponent, fraction = size >> digits, size & ((1 << digits) - 1)
    normal = exponent > 0
    value = np.ldexp(
        fraction + np.where(normal, 1 << digits, 0).astype(float),
        np.maximum(exponent, 1) - bias - digits,
    )
    above = np.nan if kind == "e4m3" else np.inf
    value = np.where(size > largest, np.nan, value)
    value = np.where(size == largest + 1, above, value)
    return sign * value


def encoded(kind, x, saturate):
    """Return the nearest codes of float64 values, ties to even."""
    largest = TYPES[kind][2]
    x = np.asarray(x, np.float64)
    line = decoded(kind, np.arange(largest + 1))
    # Appends a value after the last one, for rounding.
    line = np.append(line, 2 * line[-1] - line[-2])
    size = np.minimum(np.abs(np.where(np.isnan(x), 0, x)), line[-1])
    low = np.minimum(np.searchsorted(line, size, "right") - 1, largest)
    below, above = size - line[low], line[low + 1] - size
    code = np.where(
        below == above, low + (low & 1), np.where(below < above, low, low + 1)
    )
    over = {"e4m3": NAN, "e5m2": 0x7C}[kind]
    code = np.where(code > largest, largest if saturate else over, code)
    code = np.where(np.isnan(x), NAN, code | np.signbit(x) * 128)
    return code.astype(np.uint8)


def same(kind, found, wanted):
    """Compare arrays; all NaNs are equal."""
    codes = [
        np.where(np.isnan(decoded(kind, codes)), NAN, codes)
        for codes in (found, wanted)
    ]
    wrong = np.flatnonzero(codes[0] != codes[1])
    assert not wrong.size, (
        f"{kind}: {wrong.size} differ, the first at {wrong[0]}: "
        f"{codes[0][wrong[0]]:#x}, not {codes[1][wrong[0]]:#x}"
    )


def run(kind, body, *arrays, out=np.uint8, columns=1, types=()):
    """Run `body` for each i, with the arrays a, b, ... and T, KIND."""
    names = "abcd"[: len(arrays)]
    types = types or [CTYPES[x.dtype.str[1:]] for x in arrays]
    parameters = "".join(
        f", const {itype} *{name}"
        for itype, name in zip(types, names, strict=True)
    )
    count = len(arrays[0])
    result = np.zeros((count, columns), out)
    source = f"""
    #include <cuda_fp8.h>
    #define KIND __NV_{kind.upper()}
    typedef __nv_fp8_{kind} T;
    typedef __nv_fp8x2_{kind} T2;
    typedef __nv_fp8x4_{kind} T4;
    __global__ void k({CTYPES[result.dtype.str[1:]]} *out{parameters}, int n)
    {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {{ {body} }}
    }}
    """
    SourceModule(source).get_function("k")(
        cuda.InOut(result),
        *(cuda.In(x) for x in arrays),
        np.int32(count),
        block=(256, 1, 1),
        grid=(-(-count // 256), 1),
    )
    return result[:, 0] if columns == 1 else result


def codes():
    return np.arange(256).astype(np.uint8)


def numbers(kind):
    """Return float32 values: codes, midpoints, neighbors, random bits."""
    digits, _, largest = TYPES[kind]
    line = decoded(kind, np.arange(largest + 1))
    line = np.append(line, [2 * line[-1] - line[-2], 1e9])
    x = np.concatenate([line, (line[1:] + line[:-1]) / 2]).astype(np.float32)
    far = np.float32(3e38)
    x = np.concatenate([x, np.nextafter(x, far), np.nextafter(x, -far)])
    x = np.concatenate([x, -x, np.float32([np.nan, np.inf, -np.inf])])
    random = np.random.default_rng(1)
    bits = random.integers(0, 2**32, 10_000).astype(np.uint32)
    near = random.uniform(-1.2, 1.2, 20_000) * line[largest]
    small = random.uniform(-8, 8, 10_000) * line[1]
    return np.concatenate([x, bits.view(np.float32), near, small]).astype("f4")


@KINDS
def test_all_codes_to_wider_types(kind):
    wanted = decoded(kind, codes())
    body = "T x; x.__x = a[i]; out[i] = ({})x;"
    for ctype, dtype in (("float", "f4"), ("double", "f8"), ("__half", "f2")):
        found = run(kind, body.format(ctype), codes(), out=np.dtype(dtype))
        assert np.array_equal(found.astype("f8"), wanted, equal_nan=True), (
            ctype
        )
        assert np.array_equal(np.signbit(found)[:200], codes()[:200] > 127)
    body = "T x; x.__x = a[i]; out[i] = __bfloat162float((__nv_bfloat16)x);"
    found = run(kind, body, codes(), out=np.float32)
    assert np.array_equal(found, wanted.astype("f4"), equal_nan=True)
    body = "out[i] = __nv_cvt_fp8_to_halfraw(a[i], KIND).x;"
    found = run(kind, body, codes(), out=np.uint16).view(np.float16)
    assert np.array_equal(found.astype("f8"), wanted, equal_nan=True)


@KINDS
@pytest.mark.parametrize("saturate", ["NOSAT", "SATFINITE"])
def test_floats_are_rounded(kind, saturate):
    x = numbers(kind)
    body = f"out[i] = __nv_cvt_float_to_fp8(a[i], __NV_{saturate}, KIND);"
    wanted = encoded(kind, x, saturate == "SATFINITE")
    found = run(kind, body, x)
    same(kind, found, wanted)
    assert len(np.unique(wanted)) > 245
    finite = found[np.isfinite(x)]
    if saturate == "SATFINITE":
        assert np.isfinite(decoded(kind, finite)).all()
    else:
        assert not np.isfinite(decoded(kind, finite)).all()


@KINDS
@pytest.mark.parametrize("saturate", ["NOSAT", "SATFINITE"])
def test_doubles_are_rounded_once(kind, saturate):
    x = numbers(kind).astype(np.float64)
    with np.errstate(invalid="ignore"):
        x = np.concatenate([x, x * (1 + 2.0**-50), x * (1 - 2.0**-50)])
    x = np.concatenate([x, [1e300, -1e300, 1e-300, -1e-310, 5e-324]])
    body = f"out[i] = __nv_cvt_double_to_fp8(a[i], __NV_{saturate}, KIND);"
    same(kind, run(kind, body, x), encoded(kind, x, saturate == "SATFINITE"))


@KINDS
@pytest.mark.parametrize("saturate", ["NOSAT", "SATFINITE"])
def test_all_of_16_bits(kind, saturate):
    bits = np.arange(65536).astype(np.uint16)
    for name, values in (
        ("half", bits.view(np.float16)),
        ("bfloat16", (bits.astype(np.uint32) << 16).view(np.float32)),
    ):
        raw = "__half_raw" if name == "half" else "__nv_bfloat16_raw"
        body = (
            f"{raw} r; r.x = a[i]; out[i] = "
            f"__nv_cvt_{name}raw_to_fp8(r, __NV_{saturate}, KIND);"
        )
        wanted = encoded(kind, values, saturate == "SATFINITE")
        same(kind, run(kind, body, bits), wanted)


@KINDS
def test_numbers_become_the_type(kind):
    """Constructors saturate values that are too large."""
    x = numbers(kind)
    wanted = encoded(kind, x, True)
    for itype, values in (("float", x), ("double", x.astype("f8"))):
        found = run(kind, "out[i] = T(a[i]).__x;", values, types=[itype])
        same(kind, found, wanted)
    bits = np.arange(65536).astype(np.uint16)
    for itype, values in (
        ("__half", bits.view(np.float16)),
        ("__nv_bfloat16", (bits.astype(np.uint32) << 16).view(np.float32)),
    ):
        found = run(kind, "out[i] = T(a[i]).__x;", bits, types=[itype])
        same(kind, found, encoded(kind, values, True))


@KINDS
@pytest.mark.parametrize("name", ["i2", "i4", "i8", "u2", "u4", "u8"])
def test_integers_become_the_type(kind, name):
    limits = np.iinfo(name)
    random = np.random.default_rng(2)
    x = random.integers(limits.min, limits.max, 2000, dtype=np.dtype(name))
    x >>= random.integers(0, 8 * np.dtype(name).itemsize, 2000).astype(name)
    x[:2] = limits.min, limits.max
    x[2:1002] = np.arange(1000)
    found = run(kind, "out[i] = T(a[i]).__x;", x)
    same(kind, found, encoded(kind, x.astype("f8"), True))


@KINDS
@pytest.mark.parametrize(
    "name", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
)
def test_the_type_becomes_integers(kind, name):
    body = f"T x; x.__x = a[i]; out[i] = ({CTYPES[name]})x;"
    found = run(kind, body, codes(), out=np.dtype(name))
    limits = np.iinfo(name)
    nan = {"i8": limits.min, "u8": 2**63}.get(name, 0)  # as in PTX
    wanted = [
        nan
        if np.isnan(x)
        else int(min(max(x, float(limits.min)), float(limits.max)))
        if np.isfinite(x) and abs(x) < 2**31
        else (limits.max if x > 0 else limits.min)
        for x in decoded(kind, codes())
    ]
    assert found.tolist() == wanted


@KINDS
def test_truth_and_sizes(kind):
    found = run(
        kind,
        "T x; x.__x = a[i]; out[i] = (bool)x + 2 * sizeof(T) + 8 * sizeof(T2)"
        "+ 16 * sizeof(T4);",
        codes(),
    )
    assert np.array_equal(found - 2 - 16 - 64, codes() & 127 != 0)


@KINDS
def test_pairs(kind):
    x = numbers(kind)
    low = encoded(kind, x, True)
    high = low[::-1]
    stored = encoded(kind, x, False)
    found = run(
        kind,
        """
        float2 f = make_float2(a[i], a[n - 1 - i]);
        double2 d = make_double2(f.x, f.y);
        __half2 h = __floats2half2_rn(f.x, f.y);
        __nv_bfloat162 b = __floats2bfloat162_rn(f.x, f.y);
        out[8 * i] = T2(f).__x;
        out[8 * i + 1] = T2(d).__x;
        out[8 * i + 2] = __nv_cvt_float2_to_fp8x2(f, __NV_NOSAT, KIND);
        out[8 * i + 3] = __nv_cvt_double2_to_fp8x2(d, __NV_NOSAT, KIND);
        out[8 * i + 4] = T2(h).__x;
        out[8 * i + 5] = T2(b).__x;
        out[8 * i + 6]
            = __nv_cvt_halfraw2_to_fp8x2(h, __NV_SATFINITE, KIND);
        out[8 * i + 7]
            = __nv_cvt_bfloat16raw2_to_fp8x2(b, __NV_SATFINITE, KIND);
        """,
        x,
        out=np.uint16,
        columns=8,
    )
    with np.errstate(over="ignore"):
        halves = encoded(kind, x.astype(np.float16), True)
    bits = x.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    rounded = np.where(
        np.isnan(x), np.float32(np.nan), bits.astype("u4").view("f4")
    )
    shorts = encoded(kind, rounded, True)
    for column, wanted in enumerate(
        [low, low, stored, stored, halves, shorts, halves, shorts]
    ):
        same(kind, found[:, column] & 255, wanted)
        same(kind, found[:, column] >> 8, wanted[::-1])
    assert (low != high).any() and (low != stored).any()


@KINDS
def test_pairs_to_wider_types(kind):
    found = run(
        kind,
        """
        T2 x; x.__x = a[i] | a[(i * 7 + 3) % n] << 8;
        float2 f = (float2)x, h = __half22float2((__half2)x);
        __half2_raw r = __nv_cvt_fp8x2_to_halfraw2(x.__x, KIND);
        float2 g = __half22float2(__half2(r));
        out[6 * i] = f.x; out[6 * i + 1] = f.y;
        out[6 * i + 2] = h.x; out[6 * i + 3] = h.y;
        out[6 * i + 4] = g.x; out[6 * i + 5] = g.y;
        """,
        codes(),
        out=np.float32,
        columns=6,
    )
    low, high = (
        decoded(kind, (codes() * step + first) & 255)
        for step, first in ((1, 0), (np.uint8(7), np.uint8(3)))
    )
    wanted = np.stack([low, high] * 3, 1)
    assert np.array_equal(found, wanted.astype("f4"), equal_nan=True)


@KINDS
def test_fours(kind):
    x = numbers(kind)
    x = x[np.isfinite(x)]
    x = x[: len(x) // 4 * 4]
    found = run(
        kind,
        """
        if (i % 4 == 0) {
            float4 f = make_float4(a[i], a[i + 1], a[i + 2], a[i + 3]);
            __half2 h = __floats2half2_rn(f.x, f.y);
            __half2 k = __floats2half2_rn(f.z, f.w);
            __nv_bfloat162 b = __floats2bfloat162_rn(f.x, f.y);
            __nv_bfloat162 c = __floats2bfloat162_rn(f.z, f.w);
            T4 x[3] = {T4(f), T4(h, k), T4(b, c)};
            for (int j = 0; j < 3; j++) {
                float4 v = (float4)x[j];
                float *o = out + (j * n + i);
                o[0] = v.x; o[1] = v.y; o[2] = v.z; o[3] = v.w;
            }
        }
        """,
        x,
        out=np.float32,
        columns=3,
    ).reshape(3, -1)
    with np.errstate(over="ignore"):
        half = x.astype(np.float16)
    bits = x.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    for j, values in enumerate([x, half, bits.astype("u4").view("f4")]):
        wanted = decoded(kind, encoded(kind, values, True))
        assert np.array_equal(found[j], wanted.astype("f4")), j
