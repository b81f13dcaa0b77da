"""Inline PTX: results of statements, against Python's integers and NumPy.

The cases are kernels of two modules, so that each compiles once; a GPU runs
them unchanged.
"""

# SPDX-License-Identifier: MIT

from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

N = 64
WORD = 0xFFFFFFFF
_random = np.random.default_rng(7)
_edges = np.array([0, 1, 0x7FFFFFFF, 0x80000000, WORD, 31, 32, 255], "u4")
A = np.concatenate([_edges, _random.integers(0, 2**32, N - 8, dtype="u4")])
B = np.concatenate([_edges[::-1], _random.integers(0, 2**32, N - 8, "u4")])
LANE = np.arange(N) % 32


def signed(x: int) -> int:
    return x - 2**32 if x >> 31 else x


def field(value: int, bits: int, is_signed: bool) -> int:
    """Extract a bit field as `bfe`: start bits & 63, length bits>>8 & 63."""
    position, length = bits & 63, bits >> 8 & 63
    value = (signed(value) if is_signed else value) >> position
    if not length:
        return 0
    length = min(length, 32)
    value &= (1 << length) - 1
    if is_signed and value >> (length - 1):
        value -= 1 << length
    return value


def permuted(a: int, b: int, selector: int) -> int:
    result = 0
    for i in range(4):
        one = selector >> 4 * i & 15
        byte = (b << 32 | a) >> 8 * (one & 7) & 255
        if one & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * i
    return result


def table(bits: int, a: int, b: int, c: int) -> int:
    return sum(
        (bits >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i
        for i in range(32)
    )


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# name: (asm statement with the results r, s and w, expression for o[i],
# expected value for x = A[i] and y = B[i])
X, Y = '"r"(x), "r"(y)', '"r"(y)'
CASES: dict[str, tuple[str, str, Any]] = {
    "add": (f'"add.u32 %0, %1, %2;" : "=r"(r) : {X}', "r", lambda x, y: x + y),
    "immediate": (
        '"sub.s32 %0, %1, -7;" : "=r"(r) : "r"(x)',
        "r",
        lambda x, y: x + 7,
    ),
    "in place": (
        f'"add.s32 %0, %0, 1; xor.b32 %0, %0, %1;" : "+r"(x) : {Y}',
        "x",
        lambda x, y: (x + 1 & WORD) ^ y,
    ),
    "mad": (
        f'"mad.lo.u32 %0, %1, %2, %1;" : "=r"(r) : {X}',
        "r",
        lambda x, y: x * y + x,
    ),
    "high product": (
        f'"mul.hi.s32 %0, %1, %2;" : "=r"(r) : {X}',
        "r",
        lambda x, y: signed(x) * signed(y) >> 32,
    ),
    "wide product": (
        f'"mad.wide.s32 %0, %1, %2, 5;" : "=l"(w) : {X}',
        "w >> 9",
        lambda x, y: (signed(x) * signed(y) + 5) % 2**64 >> 9,
    ),
    "carry": (
        '"add.cc.u32 %0, %2, %3;\\n\\t addc.u32 %1, %2, 0; // high\\n"'
        f' : "=r"(r), "=r"(s) : {X}',
        "r ^ s",
        lambda x, y: (x + y & WORD) ^ (x + (x + y >> 32)),
    ),
    "long carry": (
        '"mad.lo.cc.u32 %0, %2, %3, %2; madc.hi.u32 %1, %2, %3, 0;"'
        f' : "=r"(r), "=r"(s) : {X}',
        "r ^ s",
        lambda x, y: (x * y + x & WORD) ^ (x * y + x >> 32),
    ),
    "borrow": (
        '"sub.cc.u32 %0, %2, %3; subc.u32 %1, 0, 0;"'
        f' : "=r"(r), "=r"(s) : {X}',
        "r ^ s",
        lambda x, y: (x - y & WORD) ^ (-(x < y) & WORD),
    ),
    "saturation": (
        f'"add.sat.s32 %0, %1, %2;" : "=r"(r) : {X}',
        "r",
        lambda x, y: max(-(2**31), min(2**31 - 1, signed(x) + signed(y))),
    ),
    "quotient": (
        '"div.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y | 2)',
        "r",
        lambda x, y: quotient(signed(x), signed(y | 2)),
    ),
    "predicates": (
        '"{ .reg .pred p;\\n setp.lt.s32 p, %1, %2;\\n mov.u32 %0, 4;\\n"'
        f' "@p mov.u32 %0, 6;\\n @!p add.u32 %0, %0, 1; }}" : "=r"(r) : {X}',
        "r",
        lambda x, y: 6 if signed(x) < signed(y) else 5,
    ),
    "selection": (
        '"{ .reg .pred q<2>; setp.hs.u32 q1, %1, %2; "'
        f' "selp.b32 %0, %1, %2, q1; }}" : "=r"(r) : {X}',
        "r",
        lambda x, y: max(x, y),
    ),
    "least": (
        f'"min.s32 %0, %1, %2;" : "=r"(r) : {X}',
        "r",
        lambda x, y: min(signed(x), signed(y)),
    ),
    "absolute": (
        '"abs.s32 %0, %1; neg.s32 %0, %0;" : "=r"(r) : "r"(x)',
        "r",
        lambda x, y: -abs(signed(x)),
    ),
    "pack": (
        f'"mov.b64 %0, {{%1, %2}};" : "=l"(w) : {X}',
        "(unsigned)w ^ (unsigned)(w >> 32) * 3",
        lambda x, y: x ^ y * 3 & WORD,
    ),
    "unpack": (
        '"mov.b64 {%0, %1}, %2;" : "=r"(r), "=r"(s) : "d"(x + 0.5)',
        "r * 5 + s",
        lambda x, y: (lambda bits: bits % 2**32 * 5 + (bits >> 32))(
            int(np.float64(x + 0.5).view("u8"))
        ),
    ),
    "left shift": (
        '"shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63)',
        "r",
        lambda x, y: x << (y & 63),
    ),
    "right shift": (
        '"shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63)',
        "r",
        lambda x, y: signed(x) >> (y & 63),
    ),
    "funnel": (
        f'"shf.l.wrap.b32 %0, %1, %2, 37;" : "=r"(r) : {X}',
        "r",
        lambda x, y: (y << 32 | x) << 5 >> 32,
    ),
    "clamped funnel": (
        f'"shf.r.clamp.b32 %0, %1, %2, 37;" : "=r"(r) : {X}',
        "r",
        lambda x, y: y,
    ),
    "counts": (
        f'"popc.b32 %0, %2; clz.b32 %1, %3;" : "=r"(r), "=r"(s) : {X}',
        "r * 100 + s",
        lambda x, y: x.bit_count() * 100 + 32 - y.bit_length(),
    ),
    "reversal": (
        '"brev.b32 %0, %1; not.b32 %0, %0;" : "=r"(r) : "r"(x)',
        "r",
        lambda x, y: ~int(f"{x:032b}"[::-1], 2),
    ),
    "field": (
        '"bfe.u32 %0, %1, %2, %3;" : "=r"(r)'
        ' : "r"(x), "r"(y & 63), "r"(y >> 8 & 63)',
        "r",
        lambda x, y: field(x, y, False),
    ),
    "signed field": (
        '"bfe.s32 %0, %1, %2, %3;" : "=r"(r)'
        ' : "r"(x), "r"(y & 63), "r"(y >> 8 & 63)',
        "r",
        lambda x, y: field(x, y, True),
    ),
    "insertion": (
        f'"bfi.b32 %0, %1, %2, 5, 9;" : "=r"(r) : {X}',
        "r",
        lambda x, y: y & ~(511 << 5) | (x & 511) << 5,
    ),
    "permutation": (
        f'"prmt.b32 %0, %1, %2, 0x5b1c;" : "=r"(r) : {X}',
        "r",
        lambda x, y: permuted(x, y, 0x5B1C),
    ),
    "logic of three": (
        f'"lop3.b32 %0, %1, %2, 0xff00ff0, 0xca;" : "=r"(r) : {X}',
        "r",
        lambda x, y: table(0xCA, x, y, 0xFF00FF0),
    ),
    "to float": (
        '"cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(x)',
        "__float_as_uint(f)",
        lambda x, y: int(np.float32(signed(x)).view("u4")),
    ),
    "from float": (
        '"cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(-(float)x)',
        "r",
        lambda x, y: max(-int(np.float32(x)), -(2**31)),
    ),
    "narrowing": (
        '"cvt.s32.s8 %0, %1;" : "=r"(r) : "r"(x)',
        "r",
        lambda x, y: (x & 255) - (256 if x & 128 else 0),
    ),
    "fused": (
        '"fma.rn.f32 %0, %1, %1, 0fBF800000;" : "=f"(f)'
        ' : "f"((float)(x & 4095))',
        "(int)f",
        lambda x, y: int(np.float32((x & 4095) ** 2 - 1)),
    ),
    "double": (
        '"{ .reg .f64 t; add.f64 t, %1, 0d3FE0000000000000; "'
        ' "mul.rn.f64 %0, t, 2.0; }" : "=d"(d) : "d"((double)x)',
        "(unsigned)(unsigned long long)d",
        lambda x, y: 2 * x + 1,
    ),
    "load": (
        '"ld.global.nc.u32 %0, [%1+-4];" : "=r"(r) : "l"(a + 3)',
        "r",
        lambda x, y: int(A[2]),
    ),
    "vector load": (
        '"{ .reg .b32 t<3>; ld.global.v2.u32 {t0, t2}, [%1]; "'
        ' "sub.u32 %0, t0, t2; }" : "=r"(r) : "l"(a + 2)',
        "r",
        lambda x, y: int(A[2]) - int(A[3]),
    ),
    "store": (
        '"st.global.u32 [%0], %1;" : : "l"(o + i), "r"(x) : "memory"',
        "o[i]",
        lambda x, y: x,
    ),
    "atomic": (
        '"red.global.add.u32 [%0], %1;" : : "l"(zero + i), "r"(y) : "memory"',
        "zero[i]",
        lambda x, y: y,
    ),
    "exchange": (
        '"atom.global.cas.b32 %0, [%1], 0, %2;" : "=r"(r)'
        ' : "l"(zero + i), "r"(x | 1) : "memory"',
        "r + zero[i]",
        lambda x, y: x | 1,
    ),
}


def kernel(number: int, statement: str, value: str) -> str:
    return f"""
extern "C" __global__ void
case_{number}(unsigned *o, const unsigned *a, const unsigned *b,
              unsigned *zero)
{{
    int i = threadIdx.x;
    unsigned x = a[i], y = b[i], r = 0, s = 0;
    unsigned long long w = 0;
    float f = 0;
    double d = 0;
    asm volatile({statement});
    o[i] = {value};
    (void)y, (void)r, (void)s, (void)w, (void)f, (void)d, (void)zero;
}}"""


@pytest.fixture(scope="module")
def cases(context):
    source = "".join(
        kernel(k, case[0], case[1]) for k, case in enumerate(CASES.values())
    )
    return SourceModule(source, no_extern_c=True)


@pytest.mark.parametrize("name", CASES)
def test_a_statement_gives_what_ptx_says(cases, name):
    got = np.empty(N, "u4")
    cases.get_function(f"case_{list(CASES).index(name)}")(
        drv.Out(got),
        drv.In(A),
        drv.In(B),
        drv.InOut(np.zeros(N, "u4")),
        block=(N, 1, 1),
    )
    want = [
        CASES[name][2](int(x), int(y)) % 2**32
        for x, y in zip(A, B, strict=True)
    ]
    assert got.tolist() == want


SPECIAL = {
    "%laneid": lambda x, y: (x + 8 * y) % 32,
    "%warpid": lambda x, y: (x + 8 * y) // 32,
    "%nwarpid": lambda x, y: (
        drv.Context.get_device().get_attribute(
            drv.device_attribute.MAX_THREADS_PER_MULTIPROCESSOR
        )
        // 32
    ),
    "%tid.y": lambda x, y: y,
    "%ntid.x": lambda x, y: 8,
    "%ctaid.x": lambda x, y: 0,
    "%nctaid.x": lambda x, y: 1,
    "%lanemask_lt": lambda x, y: 2 ** ((x + 8 * y) % 32) - 1,
    "%lanemask_ge": lambda x, y: 2**32 - 2 ** ((x + 8 * y) % 32),
}


def test_special_registers():
    lines = "".join(
        f'asm("mov.u32 %0, %{name};" : "=r"(r)); o[{k} * 64 + i] = r;'
        for k, name in enumerate(SPECIAL)
    )
    function = SourceModule(
        "__global__ void k(unsigned *o) { unsigned r; int i = threadIdx.x"
        f" + 8 * threadIdx.y; {lines} }}"
    ).get_function("k")
    got = np.empty((len(SPECIAL), 8, 8), "u4")
    function(drv.Out(got), block=(8, 8, 1))
    for values, (name, expected) in zip(got, SPECIAL.items(), strict=True):
        if name == "%warpid" and values.max() > 1:
            continue  # on a GPU the result is undefined
        want = [[expected(x, y) for x in range(8)] for y in range(8)]
        assert values.tolist() == want, name


PERCENT = {
    "single": 'asm("mov.u32 %0, %tid.x;" : "=r"(r));',
    "two": 'asm("{ .reg .u32 %%r; mov.u32 %%r, %tid.x;"'
    ' "mov.u32 %0, %%r; }" : "=r"(r));',
    "three": 'asm("{ .reg .u32 t; mov.u32 t, %ctaid.x; mov.u32 %0, %tid.x;"'
    ' "add.u32 %0, %0, t; }" : "=r"(r));',
    "lines": 'asm("mov.u32 %0, 7;\\n\\t"\n  "mov.u32 %0, %tid.x;" : "=r"(r));',
    "raw": 'asm volatile(R"(mov.u32 %0, %tid.x;)" : "=r"(r));',
    "operand": 'asm("mov.u32 %0, %tid.x; add.u32 %0, %0, %1;"'
    ' : "=r"(r) : "r"(0));',
    "macro": 'asm(TEXT : "=r"(r));',
    "macro of literals": 'READ(r, "tid.x");',
    "macro of a name": "r = read_tid();",
}


@pytest.mark.parametrize("form", PERCENT)
def test_a_single_percent_sign_before_a_register(form):
    function = SourceModule(
        '#define TEXT "mov.u32 %0, %tid.x;"\n'
        "#define READ(r, name) \\\n"
        '  asm("mov.u32 %0, %" name ";" : "=r"(r))\n'
        "#define REGISTER(name) __device__ unsigned read_##name() { \\\n"
        '  unsigned r; asm("mov.u32 %0, %" #name ".x;" : "=r"(r)); \\\n'
        "  return r; }\n"
        "REGISTER(tid)\n"
        f"__global__ void k(unsigned *o) {{ unsigned r; {PERCENT[form]}"
        " o[threadIdx.x] = r; }"
    ).get_function("k")
    got = np.empty(4, "u4")
    function(drv.Out(got), block=(4, 1, 1))
    assert got.tolist() == [0, 1, 2, 3]


def test_multiprocessors_and_clocks():
    function = SourceModule("""
        __global__ void k(unsigned *o, unsigned long long *times) {
          unsigned r; int b = blockIdx.x + 4 * blockIdx.y;
          unsigned long long *t = times + 4 * b;
          asm("mov.u32 %0, %%smid;" : "=r"(r)); o[4 * b] = r;
          asm("mov.u32 %0, %nsmid;" : "=r"(r)); o[4 * b + 1] = r;
          asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(r));
          o[4 * b + 2] = r;
          asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t[0]));
          asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(r));
          t[1] = (unsigned long long)r << 32;
          asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(r));
          t[1] += r;
          asm volatile("mov.u64 %0, %%clock64;" : "=l"(t[2]));
          asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(r));
          t[3] = (unsigned long long)r << 32;
          asm volatile("mov.u32 %0, %%clock;" : "=r"(r)); t[3] += r;
        }""").get_function("k")
    got = np.zeros((16, 4), "u4")
    times = np.zeros((16, 4), "u8")
    function(drv.Out(got), drv.Out(times), grid=(4, 4), block=(1, 1, 1),
             shared=96)  # fmt: skip
    count = drv.Context.get_device().MULTIPROCESSOR_COUNT
    assert (got[:, 0] < got[:, 1]).all()
    assert (got[:, 1] >= count).all()
    assert (got[:, 2] == 96).all()
    # Between the two reads of a 64-bit time the low half may wrap around.
    later = (times[:, 1::2] - times[:, ::2]).astype("i8")
    assert (abs(later) < 2**33).all()
    assert ((later >= 0) & (later < 10**9)).any()


@pytest.mark.cpu
def test_blocks_take_turns_with_multiprocessors():
    function = SourceModule("""
        __global__ void k(unsigned *o) {
          unsigned r;
          asm("mov.u32 %0, %%smid;" : "=r"(r));
          o[blockIdx.x + 3 * (blockIdx.y + 2 * blockIdx.z)] = r;
        }""").get_function("k")
    got = np.zeros(12, "u4")
    function(drv.Out(got), grid=(3, 2, 2), block=(1, 1, 1))
    count = drv.Context.get_device().MULTIPROCESSOR_COUNT
    assert got.tolist() == [block % count for block in range(12)]


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ('"bra done;"', "label 'done' is not defined"),
        ('"ret;"', "not possible in an asm statement"),
        ('"done: mov.u32 %0, 1; done:" : "=r"(r)', "defined twice"),
        ('"max.odd.f32 %0, %0, 1.0;" : "+f"(f)', "'max' does not exist in"),
        ('"mov.u32 %0, %%smod;" : "=r"(r)', "it uses '%smod'"),
        ('"addc.u32 %0, 1, 1;" : "=r"(r)', "from another asm statement"),
        ('"add.ri.f32 %0, 1.0, 1.0;" : "=f"(f)', "'add' does not exist in"),
        ('"mov.u64 %0, 1;" : "=r"(r)', r"'\$0' has 32 bits, but 64"),
        ('"mul.u32 %0, 1, 2;" : "=r"(r)', r"'mul.u32'; .* with hi\|lo"),
        ('"nope.u32 %0, 1;" : "=r"(r)', "'nope' is not supported"),
        ('"ld.global.u32 %0, [%1];" : "=r"(r) : "r"(r)', "has 32 bits"),
    ],
)
def test_what_cannot_run_says_why(statement, reason):
    source = (
        "__global__ void k(float *o) { unsigned r = 0; float f = 0;"
        f"asm volatile({statement}); *o = r + f; }}"
    )
    with pytest.raises(drv.CompileError, match=reason):
        SourceModule(source)
