"""cuda_fp6.h, cuda_fp4.h and e8m0 of cuda_fp8.h: every code, bit by bit."""

import subprocess
import sys

import numpy as np
import pytest
from nvidia_headers import skip_without

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

#: format -> bits, fraction bits, exponent of the smallest normal number
FORMATS = {"e2m3": (6, 3, 0), "e3m2": (6, 2, -2), "e2m1": (4, 1, 0)}
#: format -> class, bits between consecutive elements of a vector
CLASSES = {"e2m3": (6, 8), "e3m2": (6, 8), "e2m1": (4, 4), "e8m0": (8, 8)}
NEAREST, ZERO, UP = 0, 1, 2
NOSAT, SATFINITE = 0, 1
pytestmark = pytest.mark.filterwarnings(
    "ignore:invalid value encountered in cast"
)
ALL = pytest.mark.parametrize("kind", CLASSES)
COUNT = 65536

FIELDS = [("d", "f8"), ("q", "i8"), ("uq", "u8"), ("l", "i8"), ("ul", "u8")]
FIELDS += [("f", "f4"), ("i", "i4"), ("u", "u4"), ("s", "i2"), ("us", "u2")]
FIELDS += [("h", "u2"), ("b", "u2")]
#: one number in each type; the kernels read arrays of it
SOURCE = np.dtype(FIELDS, align=True)
#: types to which the classes convert
WIDE = np.dtype(
    [*FIELDS, ("c", "i1"), ("sc", "i1"), ("uc", "u1"), ("t", "u1")],
    align=True,
)
HEAD = """
#include <cuda_fp4.h>
struct Source {
    double d; long long q; unsigned long long uq; long l; unsigned long ul;
    float f; int i; unsigned int u; short s; unsigned short us;
    __half h; __nv_bfloat16 b;
};
struct Wide {
    double d; long long q; unsigned long long uq; long l; unsigned long ul;
    float f; int i; unsigned int u; short s; unsigned short us;
    __half h; __nv_bfloat16 b; char c; signed char sc; unsigned char uc;
    unsigned char t;
};
#define EACH(DO) DO(0, d) DO(1, q) DO(2, uq) DO(3, l) DO(4, ul) DO(5, f) \\
    DO(6, i) DO(7, u) DO(8, s) DO(9, us) DO(10, h) DO(11, b)
#define ONE int i = blockIdx.x * blockDim.x + threadIdx.x
typedef unsigned int uint;
#if __CUDACC_VER_MAJOR__ >= 13
typedef double4_32a Double4;
#else
typedef double4 Double4;
#endif
template <class T> __device__ void narrow(const Source &a, unsigned char *o)
{
#define DO(n, m) o[n] = T(a.m).__x;
    EACH(DO)
#undef DO
}
template <class T> __device__ void widen(unsigned char code, Wide &o)
{
    T x;
    x.__x = code;
#define DO(n, m) o.m = (decltype(o.m))x;
    EACH(DO) DO(12, c) DO(13, sc) DO(14, uc)
#undef DO
    o.t = (bool)x ? 1 : 0;
}
template <class T2, class T4>
__device__ void vectors(const Source *a, int i, int n, uint *o, float4 *f)
{
    Source x = a[i], y = a[n - 1 - i];
    Double4 d = {x.d, y.d, y.d, x.d};
    o[0] = T2(make_float2(x.f, y.f)).__x;
    o[1] = T2(make_double2(x.d, y.d)).__x;
    o[2] = T2(__half2(x.h, y.h)).__x;
    o[3] = T2(__nv_bfloat162(x.b, y.b)).__x;
    o[4] = T4(make_float4(x.f, y.f, y.f, x.f)).__x;
    o[5] = T4(d).__x;
    o[6] = T4(__half2(x.h, y.h), __half2(y.h, x.h)).__x;
    o[7] = T4(__nv_bfloat162(x.b, y.b), __nv_bfloat162(y.b, x.b)).__x;
    T2 two;
    T4 four;
    two.__x = o[0];
    four.__x = o[4];
    float2 v = (float2)two, h = __half22float2((__half2)two);
    f[0] = make_float4(v.x, v.y, h.x, h.y);
    f[1] = (float4)four;
}
"""
CLASS = """
extern "C" __global__ void narrow_FORMAT(const Source *a, unsigned char *o)
{
    ONE;
    narrow<__nv_fpN_FORMAT>(a[i], o + 12 * i);
}
extern "C" __global__ void widen_FORMAT(Wide *o)
{
    ONE;
    widen<__nv_fpN_FORMAT>(i, o[i]);
}
extern "C" __global__ void vectors_FORMAT(const Source *a, int n, uint *o,
                                          float4 *f)
{
    ONE;
    vectors<__nv_fpNx2_FORMAT, __nv_fpNx4_FORMAT>(a, i, n, o + 8 * i,
                                                  f + 2 * i);
}
"""
FUNCTIONS = """
extern "C" __global__ void convert_fpN(const Source *a, int n, uint *o,
                                       int k, int r)
{
    ONE;
    __nv_fpN_interpretation_t kind = (__nv_fpN_interpretation_t)k;
    cudaRoundMode mode = (cudaRoundMode)r;
    Source x = a[i], y = a[n - 1 - i];
    o += 8 * i;
    o[0] = __nv_cvt_float_to_fpN(x.f, kind, mode);
    o[1] = __nv_cvt_double_to_fpN(x.d, kind, mode);
    o[2] = __nv_cvt_halfraw_to_fpN(x.h, kind, mode);
    o[3] = __nv_cvt_bfloat16raw_to_fpN(x.b, kind, mode);
    float2 f = make_float2(x.f, y.f);
    double2 d = make_double2(x.d, y.d);
    o[4] = __nv_cvt_float2_to_fpNx2(f, kind, mode);
    o[5] = __nv_cvt_double2_to_fpNx2(d, kind, mode);
    o[6] = __nv_cvt_halfraw2_to_fpNx2(__half2(x.h, y.h), kind, mode);
    o[7] = __nv_cvt_bfloat16raw2_to_fpNx2(__nv_bfloat162(x.b, y.b), kind,
                                         mode);
}
extern "C" __global__ void back_fpN(unsigned short *o, int k)
{
    ONE;
    __nv_fpN_interpretation_t kind = (__nv_fpN_interpretation_t)k;
    __half2_raw pair = __nv_cvt_fpNx2_to_halfraw2(i, kind);
    o[3 * i] = __nv_cvt_fpN_to_halfraw(i, kind).x;
    o[3 * i + 1] = pair.x;
    o[3 * i + 2] = pair.y;
}
"""
SCALES = """
extern "C" __global__ void convert_e8m0(const Source *a, int n, uint *o,
                                        int s, int r)
{
    ONE;
    __nv_saturation_t limit = (__nv_saturation_t)s;
    cudaRoundMode mode = (cudaRoundMode)r;
    Source x = a[i], y = a[n - 1 - i];
    o += 6 * i;
    o[0] = __nv_cvt_float_to_e8m0(x.f, limit, mode);
    o[1] = __nv_cvt_double_to_e8m0(x.d, limit, mode);
    o[2] = __nv_cvt_bfloat16raw_to_e8m0(x.b, limit, mode);
    float2 f = make_float2(x.f, y.f);
    double2 d = make_double2(x.d, y.d);
    o[3] = __nv_cvt_float2_to_e8m0x2(f, limit, mode);
    o[4] = __nv_cvt_double2_to_e8m0x2(d, limit, mode);
    o[5] = __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162(x.b, y.b), limit,
                                           mode);
}
extern "C" __global__ void back_e8m0(unsigned short *o)
{
    ONE;
    __nv_bfloat162_raw pair = __nv_cvt_e8m0x2_to_bf162raw(i);
    __nv_fp8x2_e8m0 two;
    two.__x = i;
    __nv_bfloat162_raw v = (__nv_bfloat162)two;
    o[5 * i] = __nv_cvt_e8m0_to_bf16raw(i).x;
    o[5 * i + 1] = pair.x;
    o[5 * i + 2] = pair.y;
    o[5 * i + 3] = v.x;
    o[5 * i + 4] = v.y;
}
"""


@pytest.fixture(scope="module")
def module(device):
    """Compile all kernels together."""
    skip_without("cuda_fp4.h", device)
    parts = [
        CLASS.replace("FORMAT", kind).replace("fpN", f"fp{bits}")
        for kind, (bits, _) in CLASSES.items()
    ]
    parts += [FUNCTIONS.replace("fpN", name) for name in ("fp6", "fp4")]
    return SourceModule(HEAD + "".join(parts) + SCALES, no_extern_c=True)


def run(module, name, count, *arguments):
    """Run one thread for each of `count` elements."""
    module.get_function(name)(
        *arguments, block=(128, 1, 1), grid=(-(-count // 128), 1)
    )


# ---- the formats in NumPy ----


def magnitudes(kind):
    """Return the numbers of a format in ascending order, from zero."""
    bits, digits, least = FORMATS[kind]
    codes = np.arange(1 << (bits - 1))
    exponent, fraction = codes >> digits, codes & ((1 << digits) - 1)
    normal = (exponent > 0).astype(int)
    return np.ldexp(
        (fraction + (normal << digits)).astype(float),
        np.maximum(exponent, 1) - 1 + least - digits,
    )


def decoded(kind, codes):
    """Return codes as float64; bits above the format's are ignored."""
    codes = np.asarray(codes).astype(int)
    if kind == "e8m0":
        return np.where(codes == 255, np.nan, np.ldexp(1.0, codes - 127))
    line = magnitudes(kind)
    sign = np.where(codes & len(line), -1.0, 1.0)
    return sign * line[codes & (len(line) - 1)]


def encoded(kind, x, mode=NEAREST):
    """Return codes of float64s, to nearest even or toward zero, saturated."""
    line = magnitudes(kind)
    x = np.asarray(x, np.float64)
    size = np.minimum(np.abs(np.where(np.isnan(x), np.inf, x)), line[-1])
    low = np.searchsorted(line, size, "right") - 1
    high = np.minimum(low + 1, len(line) - 1)
    below, above = size - line[low], line[high] - size
    even = np.where(low & 1, high, low)
    near = np.where(below == above, even, np.where(below < above, low, high))
    code = low if mode == ZERO else near
    return code | np.where(np.signbit(x) & ~np.isnan(x), len(line), 0)


def scales(x, mode=UP, limit=SATFINITE):
    """Return e8m0 codes of float64s."""
    x = np.asarray(x, np.float64)
    fraction, exponent = np.frexp(np.abs(x))
    code = exponent + 126 + (fraction > 0.5) * (mode == UP)
    code = np.where(x == 0, 0, np.maximum(code, 0))
    code = code if mode == UP else np.minimum(code, 254)
    code = np.where(np.isinf(x), 255, code)
    code = np.where(code > 254, 254 if limit == SATFINITE else 255, code)
    return np.where(np.isnan(x), 255, code)


def wide(codes, bits):
    """Return bfloat16 or half-precision codes as float64."""
    codes = np.asarray(codes, np.uint16)
    if bits == "h":
        return codes.view(np.float16).astype(np.float64)
    return (codes.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def numbers():
    """Return all halves and bfloat16s, and other types' numbers."""
    random = np.random.default_rng(1)
    a = np.zeros(COUNT, SOURCE)
    a["h"] = a["b"] = np.arange(COUNT)
    lines = [magnitudes(kind) for kind in FORMATS]
    lines.append(np.ldexp(1.0, np.arange(-149, 128)))
    line = np.concatenate(lines)
    middles = np.concatenate([(x[1:] + x[:-1]) / 2 for x in lines])
    x = np.concatenate([line, middles, [0, np.inf, np.nan, 3.4028234e38]])
    floats = x.astype(np.float32)
    far = np.float32(3e38)
    floats = np.concatenate(
        [floats, np.nextafter(floats, far), np.nextafter(floats, -far)]
    )
    bits = random.integers(0, 2**32, COUNT, dtype=np.uint32)
    bits[40000:] = random.normal(0, 4, COUNT - 40000).astype("f4").view("u4")
    a["f"] = bits.view(np.float32)
    a["f"][: len(floats)] = floats
    a["f"][len(floats) : 2 * len(floats)] = -floats
    with np.errstate(invalid="ignore"):
        a["d"] = a["f"].astype(np.float64) * (
            1 + random.integers(-1, 2, COUNT) * 2.0**-50
        )
    a["d"][-8:] = [1e300, -1e300, 1e-310, -5e-324, 3.41e38, np.inf, 1e40, -0.0]
    for name in ("q", "uq", "l", "ul", "i", "u", "s", "us"):
        limits = np.iinfo(SOURCE[name])
        x = random.integers(
            limits.min, limits.max, COUNT, SOURCE[name], endpoint=True
        )
        shifts = random.integers(0, limits.bits, COUNT)
        a[name] = x >> shifts.astype(SOURCE[name])
        a[name][:200] = np.arange(200) - (100 if limits.min else 0)
        top = limits.bits - (2 if limits.min else 1)
        powers = [1 << n for n in range(1, top)]
        edges = [p + e for p in powers for e in (-1, 0, 1)]
        a[name][200 : 202 + len(edges)] = [limits.min, limits.max, *edges]
    return a


def exact(kind, name, values):
    """Return the codes that the constructor gives for one type of number."""
    if name in "hb":
        values = wide(values, name)
    elif SOURCE[name].kind != "f" and SOURCE[name].itemsize == 8:
        # rounds to double as it rounds the integer
        size = np.array([abs(int(v)) for v in values], object)
        lost = [max(int(v).bit_length() - 52, 0) for v in size]
        odd = [
            v if not n else ((v >> n) | ((v & ((1 << n) - 1)) != 0)) << n
            for v, n in zip(size, lost, strict=True)
        ]
        values = np.where(values < 0, -1.0, 1.0) * np.array(odd, np.float64)
    return scales(values) if kind == "e8m0" else encoded(kind, values)


# ---- tests ----


@ALL
def test_every_code_becomes_every_number(module, kind):
    found = np.zeros(256, WIDE)
    run(module, f"widen_{kind}", 256, cuda.InOut(found))
    wanted = decoded(kind, np.arange(256))
    for name in "df":
        assert np.array_equal(found[name], wanted, equal_nan=True), name
        numbers = ~np.isnan(wanted)
        signs = np.signbit(found[name][numbers])
        assert np.array_equal(signs, np.signbit(wanted[numbers])), name
    for name in "hb":
        with np.errstate(over="ignore"):
            half = wanted.astype("f2").astype("f8") if name == "h" else wanted
        assert np.array_equal(wide(found[name], name), half, equal_nan=True)
    nonzero = wanted != 0
    assert np.array_equal(found["t"], nonzero)
    for name in ("q", "uq", "l", "ul", "i", "u", "s", "us", "c", "sc", "uc"):
        limits = np.iinfo(WIDE[name])
        # as in PTX: in 64 bits only the top bit, otherwise 0
        nan = {64: limits.min or 1 << 63}.get(limits.bits, 0)
        whole = [
            nan if np.isnan(x) else min(max(int(x), limits.min), limits.max)
            for x in wanted
        ]
        assert found[name].tolist() == whole, name


@ALL
def test_every_number_becomes_the_class(module, kind):
    a = numbers()
    found = np.zeros((COUNT, 12), np.uint8)
    run(module, f"narrow_{kind}", COUNT, cuda.In(a), cuda.InOut(found))
    for column, name in enumerate(SOURCE.names):
        wanted = exact(kind, name, a[name])
        wrong = np.flatnonzero(found[:, column] != wanted)
        assert not wrong.size, (name, a[name][wrong[:4]], wanted[wrong[:4]])
    assert (
        len(np.unique(found[:, 5])) == {8: 256, 6: 64, 4: 16}[CLASSES[kind][0]]
    )


@pytest.mark.parametrize("mode", [NEAREST, ZERO])
@pytest.mark.parametrize("kind", FORMATS)
def test_functions_round_to_nearest_and_toward_zero(module, kind, mode):
    bits, shift = CLASSES[kind]
    a = numbers()
    found = np.zeros((COUNT, 8), np.uint32)
    run(
        module,
        f"convert_fp{bits}",
        COUNT,
        cuda.In(a),
        np.int32(COUNT),
        cuda.InOut(found),
        np.int32(kind == "e3m2"),
        np.int32(mode),
    )
    for column, name in enumerate("fdhb"):
        x = wide(a[name], name) if name in "hb" else a[name]
        wanted = encoded(kind, x, mode)
        assert np.array_equal(found[:, column], wanted), name
        pairs = wanted | wanted[::-1] << shift
        assert np.array_equal(found[:, 4 + column], pairs), name


@pytest.mark.parametrize("limit", [NOSAT, SATFINITE])
@pytest.mark.parametrize("mode", [ZERO, UP])
def test_functions_round_scales(module, mode, limit):
    a = numbers()
    found = np.zeros((COUNT, 6), np.uint32)
    run(
        module,
        "convert_e8m0",
        COUNT,
        cuda.In(a),
        np.int32(COUNT),
        cuda.InOut(found),
        np.int32(limit),
        np.int32(mode),
    )
    for column, name in enumerate("fdb"):
        x = wide(a[name], name) if name == "b" else a[name]
        wanted = scales(x, mode, limit)
        assert np.array_equal(found[:, column], wanted), name
        pairs = wanted | wanted[::-1] << 8
        assert np.array_equal(found[:, 3 + column], pairs), name


@pytest.mark.parametrize("kind", FORMATS)
def test_functions_give_halves(module, kind):
    bits, shift = CLASSES[kind]
    count = 256 if shift == 4 else COUNT
    found = np.zeros((count, 3), np.uint16)
    run(
        module,
        f"back_fp{bits}",
        count,
        cuda.InOut(found),
        np.int32(kind == "e3m2"),
    )
    codes = np.arange(count)
    for column, part in enumerate((codes, codes, codes >> shift)):
        half = decoded(kind, part & 255).astype(np.float16)
        assert np.array_equal(found[:, column], half.view(np.uint16))


def test_functions_give_bfloat16s_of_scales(module):
    found = np.zeros((COUNT, 5), np.uint16)
    run(module, "back_e8m0", COUNT, cuda.InOut(found))
    codes = np.arange(COUNT)
    wanted = wide(found, "b")
    high = codes >> 8
    for column, part in enumerate((codes, codes, high, codes, high)):
        exact = decoded("e8m0", part & 255)
        assert np.array_equal(wanted[:, column], exact, equal_nan=True)


@ALL
def test_vectors(module, kind):
    a = numbers()
    shift = CLASSES[kind][1]
    found = np.zeros((COUNT, 8), np.uint32)
    back = np.zeros((COUNT, 2, 4), np.float32)
    run(
        module,
        f"vectors_{kind}",
        COUNT,
        cuda.In(a),
        np.int32(COUNT),
        cuda.InOut(found),
        cuda.InOut(back),
    )
    for column, name in enumerate("fdhb"):
        low = exact(kind, name, a[name]).astype(np.uint32)
        high = low[::-1]
        pair = low | high << shift
        assert np.array_equal(found[:, column], pair), name
        four = pair | (high | low << shift) << 2 * shift
        assert np.array_equal(found[:, 4 + column], four), name
    codes = exact(kind, "f", a["f"])
    x, y = decoded(kind, codes), decoded(kind, codes[::-1])
    with np.errstate(over="ignore"):
        halves = [v.astype(np.float16) for v in (x, y)]
    two = np.stack([x, y, *halves], 1)
    assert np.array_equal(back[:, 0], two, equal_nan=True)
    assert np.array_equal(
        back[:, 1], np.stack([x, y, y, x], 1), equal_nan=True
    )


ASSERTION = """
import numpy as np, pycuda.autoinit, pycuda.driver as drv
from pycuda.compiler import SourceModule
kernel = SourceModule('''#include <cuda_fp4.h>
__global__ void k(unsigned char *o) { *o = __nv_cvt_CALL; }
''', options=["DEFINE"]).get_function("k")
out = np.zeros(1, np.uint8)
try:
    kernel(drv.InOut(out), block=(1, 1, 1))
    print("code", out[0])
except drv.Error as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("call", "define", "code"),
    [
        ("float_to_fp4(3.3f, __NV_E2M1, cudaRoundPosInf)", "-DA", None),
        ("float_to_fp4(3.3f, __NV_E2M1, cudaRoundPosInf)", "-DNDEBUG", 5),
        ("double_to_e8m0(3.3, __NV_NOSAT, cudaRoundNearest)", "-DA", None),
        ("bfloat16raw_to_e8m0(__nv_bfloat16(3.3f), __NV_NOSAT,"
         "cudaRoundNearest)", "-DA", 128),
    ],
)  # fmt: skip
def test_other_modes_fail_an_assertion(tmp_path, device, call, define, code):
    """Except for bfloat16 and without assertions, which round toward zero."""
    skip_without("cuda_fp4.h", device)
    program = ASSERTION.replace("CALL", call).replace("DEFINE", define)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = done.stdout + done.stderr
    if code is None:
        assert "assert" in done.stdout and "code" not in done.stdout, said
    else:
        assert f"code {code}\n" in done.stdout, said
