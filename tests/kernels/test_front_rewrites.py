"""Declarations that NVRTC accepts and plain clang rejects."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = [
    pytest.mark.usefixtures("context"),
    # NVRTC's wording for linkage, for `p >= 0` and for constructors.
    pytest.mark.filterwarnings("ignore:(?s).*compiler succeeded, but said"),
]

T = np.arange(32)


def run(source, shared=0, **options):
    module = SourceModule(source, no_extern_c=True, **options)
    out = np.full(32, -1, np.int32)
    module.get_function("kernel")(
        cuda.InOut(out), block=(32, 1, 1), shared=shared
    )
    return out


def kernel(body):
    return (
        'extern "C" __global__ void kernel(int *out)\n'
        f"{{ int t = threadIdx.x; {body} }}\n"
    )


HELPER = """
__device__ int turned(int v)
{
    extern __shared__ %s int s[];
    s[threadIdx.x] = v;
    __syncthreads();
    return s[31 - threadIdx.x];
}
"""
SUMMED = (
    "extern __shared__ int s[]; int got = turned(t);"
    "int *first = s; out[t] = got * 100 + first[t];"
)


@pytest.mark.parametrize("align", ["", "__align__(16)"])
def test_dynamic_memory_of_two_linkages(align):
    got = run(HELPER % align + kernel(SUMMED), shared=128)
    assert np.array_equal(got, (31 - T) * 100 + T)


def test_dynamic_memory_the_other_way_round():
    source = "__device__ int turned(int v);\n" + kernel(SUMMED) + HELPER % ""
    assert np.array_equal(run(source, shared=128), (31 - T) * 100 + T)


def test_dynamic_memory_of_a_file():
    source = "extern __shared__ int s[];\n__device__ int get(int i)\n"
    source += "{ return s[i]; }\n" + kernel(
        "extern\n  __shared__ int s[]; s[t] = t; __syncthreads();"
        "out[t] = get(31 - t);"
    )
    assert np.array_equal(run(source, shared=128), 31 - T)


def test_dynamic_memory_behind_a_static_array():
    source = HELPER % "" + kernel(
        "__shared__ int fixed[32]; fixed[t] = 7;"
        + SUMMED
        + "out[t] += fixed[t];"
    )
    assert np.array_equal(run(source, shared=128), (31 - T) * 100 + T + 7)


def test_dynamic_memory_of_templates():
    source = """
    template <int n> __device__ int plus(int v)
    {
        extern __shared__ int s[];
        return s[threadIdx.x] = v + n;
    }
    """ + kernel(
        "extern __shared__ int s[]; out[t] = plus<3>(t) + plus<4>(t);"
        "out[t] += 100 * s[t];"
    )
    assert np.array_equal(run(source, shared=128), 2 * T + 7 + 100 * (T + 4))


TYPED = """
typedef struct {
    int x, y;
    __device__ int sum() const { return x + y; }
    static __device__ int three() { return 3; }
    struct { int q; __device__ int twice() { return 2 * q; } } in;
} point, *point_pointer;
typedef union { float f; int i; __device__ void set(float v) { f = v; } } bits;
typedef struct
{
    point first;
    __device__ point *get() { return &first; }
} holder;
__device__ int total(const point &p) { return p.sum() + point::three(); }
"""


def test_structs_named_by_a_typedef():
    got = run(
        TYPED
        + kernel(
            "holder h; point_pointer p = h.get(); p->x = t; p->y = 10;"
            "p->in.q = 50; bits b; b.set(1.0f);"
            "out[t] = total(h.first) + p->in.twice() + (b.i == 0x3f800000);"
        )
    )
    assert np.array_equal(got, T + 10 + 3 + 100 + 1)


def test_static_after_a_declaration():
    source = """
    __device__ int one(int); static __device__ int one(int v) { return v + 1; }
    __device__ int two(int);
    __device__ __forceinline__ static int two(int v) { return one(v) + 1; }
    extern __device__ int three; static __device__ int three = 3;
    namespace inner { __device__ int four(); static __device__ int
        four() { return 4; } }
    """
    got = run(source + kernel("out[t] = two(t) + three + inner::four();"))
    assert np.array_equal(got, T + 9)


def test_static_kernels():
    source = """
    __device__ int static_name(int);
    extern "C" __global__ void kernel(int *);
    __device__ static int static_name(int v) { return v * 2; }
    """
    got = run(source + kernel("out[t] = static_name(t);"))
    assert np.array_equal(got, 2 * T)


def test_pointers_compared_with_zero():
    got = run(
        kernel(
            """int *none = 0; float *some = (float *)out; int r = 0;
            if (some > 0) r |= 1;      if (none > 0) r |= 2;
            if (some >= 0L) r |= 4;    if (none < 0) r |= 8;
            if (0 < some) r |= 16;     if (NULL >= none) r |= 32;
            if (some>0 && none<=NULL) r |= 64;
            out[t] = r;"""
        )
    )
    assert set(got) == {1 + 4 + 16 + 32 + 64}


JUMPED = """
switch (t & 3) {
case 0: int x = 3; out[t] = x + t; break;
case 1: {
    out[t] = 5;
    break;
}
case 2:
    const float w = 0.5f * 8, *const p = &w; // a list
    out[t] = w + *p;
    break;
default:
    const auto q = make_int2(t, max(1, 2));
    out[t] = q.x * 100 + q.y;
}
"""


def test_jumps_over_initialisations():
    """In correct programs, skipped variables are not used."""
    got = run(
        kernel(
            JUMPED.replace(", *const p = &w; // a list", ";").replace(
                "+ *p", "+ w"
            )
        )
    )
    want = [T + 3, T * 0 + 5, T * 0 + 8, T * 100 + 2]
    assert np.array_equal(got, np.choose(T & 3, want))
    got = run(
        kernel(
            """
            int before = 1;
            if (t > 3) goto end;
            int x = before + t; unsigned y = x < 2 ? 1 : x == 3;
            const int *p = &x; const int *q = p; x = *q;
            for (auto k = x; k < 10; k++) { float z = k; before += z + y; }
            end:
            out[t] = before;
            """
        )
    )
    small = [sum(k + (x < 2 or x == 3) for k in range(x, 10)) for x in T + 1]
    assert np.array_equal(got, np.where(T > 3, 1, np.array(small) + 1))


MEANT = {
    "a macro is none of a declaration": (
        "switch (t) { case 0:\n#define ACCUM auto\nint x = 3; out[t] = x;"
        "break; default: { ACCUM y = 2.5; out[t] = (int)(10 * y); } }",
        np.where(T == 0, 3, 25),
    ),
    "nor is what stands in brackets": (
        "switch (t) { case tag<const int>::value: int x = 3; out[t] = x;"
        "break; default: out[t] = 9; }",
        np.where(T == 2, 3, 9),
    ),
    "what is constant stays so": (
        "switch (t & 1) { case 0: const int x = 3; out[t] = kind(x); break;"
        "default: constexpr int n = 4; int a[n]; out[t] = sizeof a; }",
        np.where(T & 1, 16, 1),
    ),
}
HEAD = """
template <class V> struct tag { static constexpr int value = 1; };
template <> struct tag<const int> { static constexpr int value = 2; };
template <class V> __device__ int kind(V &) { return 2; }
template <class V> __device__ int kind(const V &) { return 1; }
"""


@pytest.mark.parametrize("case", MEANT)
def test_a_jump_changes_no_meaning(case):
    body, want = MEANT[case]
    assert np.array_equal(run(HEAD + kernel(body)), want)


def test_a_constant_that_is_jumped_over_stays_one():
    body = "case 0: const int x = t + 3; %s out[t] = x; break; default: y++;"
    got = run(kernel("int y = t; switch (t % 2) {" + body % "" + "}"))
    assert np.array_equal(got, np.where(T % 2, -1, T + 3))
    with pytest.raises(cuda.CompileError, match="const"):
        run(kernel("int y = t; switch (t % 2) {" + body % "x = 4;" + "}"))


@pytest.mark.cpu
@pytest.mark.parametrize(
    "head, body",
    [
        (
            "struct p { int v; p() = default; __device__ p(int a) : v(a) {}"
            "__device__ p &operator=(int a) { v = 2 * a; return *this; } };",
            "case 0: p x = 5; out[t] = x.v;",
        ),
        ("#define TWO 3, y = 4\n", "case 0: int x = TWO; out[t] = x + y;"),
    ],
)
def test_jumps_that_stay_errors(head, body):
    """NVRTC accepts these jumps; here their meaning would change."""
    with pytest.raises(cuda.CompileError, match="cannot jump") as caught:
        run(
            head
            + kernel(
                f"int y = t; switch (t) {{ {body} break; default: y++; }}"
            )
        )
    assert "__pycuda" not in caught.value.stderr


def test_many_jumps():
    """One diagnostic for each pair of a case label and a variable."""
    cases = "".join(
        f"case {i}: int x{i} = {i}; out[t] = x{i}; break;\n" for i in range(40)
    )
    assert np.array_equal(run(kernel(f"switch (t) {{ {cases} }}")), T)


@pytest.mark.cpu
def test_words_of_macros_stay():
    """A macro that makes one function static also makes variables static."""
    source = """
    __device__ int f(int);
    #define LOCAL static
    LOCAL __device__ int f(int a) { LOCAL int n = 5; n += a; return n; }
    """
    with pytest.raises(cuda.CompileError, match="static declaration of 'f'"):
        run(source + kernel("out[t] = f(1);"))


def test_names_of_templates_with_numbers():
    got = run(
        """
        template <int steps> __device__ float rsqrt(float x)
        {
            return x + steps;
        }
        template <int w> __device__ int min(int a, int b) { return a * b + w; }
        """
        + kernel("out[t] = (int)rsqrt<3>(1) + min<5>(t, 2) + min(t, 3);")
    )
    assert np.array_equal(got, 4 + 2 * T + 5 + np.minimum(T, 3))


def test_unroll_where_there_is_no_loop():
    got = run(
        """
        __device__ int sum(const int *v, int n)
        {
            int s = 0;
            #pragma unroll
            int j;
            for (j = 0; j < n; j++) s += v[j];
            # pragma  unroll 4
            if (n > 2) { for (int k = 0; k < 2; k++) s += v[k]; }
            #pragma unroll
            #pragma unroll 2
            for (int k = 0; k < n; k++) s += v[k];
            return s;
        }
        """
        + kernel("int v[5] = {t, 1, 2, 3, 4}; out[t] = sum(v, 5);")
    )
    assert np.array_equal(got, 3 * T + 21)


def test_shared_variables_of_the_device():
    got = run(
        kernel(
            "__device__ __shared__ int s[32]; __shared__ __device__ int r;"
            "s[t] = t; r = 5; __syncthreads(); out[t] = s[31 - t] + r;"
        )
    )
    assert np.array_equal(got, 31 - T + 5)


UNMARKED = """
struct plain { __device__ int f(int v); __host__ __device__ int g(int v); };
int plain::f(int v) { return v + 1; }
__device__ int plain::g(int v) { return v + 2; }
template <class V> struct of { __device__ V f(V v); };
template <class V> V of<V>::f(V v) { return v + 4; }
__device__ int both(int v);
__host__ __device__ int both(int v) { return v + 8; }
"""


def test_execution_spaces_that_differ():
    got = run(
        UNMARKED
        + kernel(
            "plain p; of<int> o; out[t] = p.f(t) + p.g(0) + o.f(0) + both(0);"
        )
    )
    assert np.array_equal(got, T + 15)


def test_functions_without_an_execution_space():
    """Host functions may appear next to kernels, as with nvcc."""
    got = run(
        """
        #include <stdio.h>
        void for_the_host(int *x) { printf("%d", *x); }
        constexpr int twice(int v) { return 2 * v; }
        constexpr auto thrice = [](int v) { return 3 * v; };
        """
        + kernel(
            "auto plus = [t](auto a) { return a + t; };"
            "out[t] = plus(twice(t)) + thrice(t);"
        )
    )
    assert np.array_equal(got, 6 * T)


def test_templates_with_the_names_of_functions():
    got = run(
        """
        #include <algorithm>
        template <class V> __device__ V abs(V v) { return v < 0 ? -v : v; }
        """
        + kernel(
            "out[t] = std::max<float>(t, 2.5f) * 2 + std::min<size_t>(t, 3)"
            "+ std::max<long long>(t, 9L) + abs<float>(-t - 0.5f);"
        )
    )
    want = np.maximum(T, 2.5) * 2 + np.minimum(T, 3) + np.maximum(T, 9)
    assert np.array_equal(got, (want + T + 0.5).astype(int))


@pytest.mark.parametrize("include", ["", "#include <algorithm>"])
def test_least_and_greatest_are_constant_expressions(include):
    got = run(
        include
        + """
        template <class A, class B> struct Layout {
            constexpr static int bytes = std::max(sizeof(A), sizeof(B));
        };
        """
        + kernel(
            "__shared__ char room[Layout<char, double>::bytes];"
            "constexpr int least = std::min(4, 3);"
            "out[t] = sizeof room * 10 + least + std::max<float>(t, 2.f)"
            "+ std::min(t, 5, [](int a, int b) { return a > b; });"
        )
    )
    assert np.array_equal(got, 83 + np.maximum(T, 2) + np.maximum(T, 5))


def test_integers_of_64_bits_are_long_long():
    got = run(
        """
        #include <stdint.h>
        typedef long long int64_t;
        typedef unsigned long long uint64_t;
        __device__ uint64_t counter;
        __device__ int64_t greatest;
        __device__ int kind(long long) { return 1; }
        __device__ int kind(int) { return 2; }
        """
        + kernel(
            "atomicAdd(&counter, (uint64_t)2);"
            "atomicMax(&greatest, (int64_t)t);"
            "__syncthreads(); unsigned long long *p = &counter; int64_t a = t;"
            "auto w = warpSize; w /= 2;"
            "out[t] = *p + greatest * 100 + min(a, 5LL) * 10000"
            "+ kind(a) * 100000 + w * 1000000;"
        )
    )
    want = 64 + 3100 + np.minimum(T, 5) * 10000 + 100000 + 16000000
    assert np.array_equal(got, want)


def test_all_in_one_source_and_in_rounds():
    """Some errors show only after others are fixed; instances repeat them."""
    source = f"""
    {TYPED}
    struct counted {{ int count = 7; __device__ counted() {{}} }};
    typedef struct {{
        point p;
        __device__ bool has(int *q) {{ return q > 0; }}
    }} last;
    template <class I> __device__ int both(I v)
    {{
        __shared__ counted c; __shared__ counted d[2];
        extern __shared__ int s[];
        s[threadIdx.x] = v; if (v == 0) {{ c.count = 5; d[1].count = 6; }}
        __syncthreads();
        int *p = s; last l;
        return s[31 - v] + c.count + d[1].count * 10 + (l.has(p) ? 100 : 0)
            + (p > 0 ? 1000 : 0);
    }}
    """
    got = run(
        source
        + kernel(
            "extern __shared__ int s[]; int a = both(t); __syncthreads();"
            "out[t] = a + both((long)t) * 0 + s[t] * 10000;"
        ),
        shared=128,
    )
    assert np.array_equal(got, (31 - T) + 65 + 1100 + T * 10000)


def test_what_else_is_wrong_is_said_alone():
    source = TYPED + '#line 40 "mine.cu"\n' + kernel("out[t] = nothing;")
    with pytest.raises(cuda.CompileError, match="nothing") as caught:
        run(source)
    assert "linkage" not in caught.value.stderr
    assert "mine.cu" in caught.value.stderr


def test_names_of_ours_are_not_shown():
    source = HELPER % "" + kernel(
        "extern __shared__ int s[]; out[t] = nothing + s[t];"
    )
    with pytest.raises(cuda.CompileError, match="nothing") as caught:
        run(source)
    assert "__pycuda" not in caught.value.stderr


ALIGNED_TYPES = """
#include <cuda_fp16.h>
#include <cstdint>
typedef float4 Alias;
enum Color { RED, GREEN };
struct Pair { char a, b; };
struct Made { char x; __device__ Made() : x(3) {} };
namespace space { using type = unsigned; }
template <class T> struct Same { using type = T; };
#define ALIGNED alignas(64)
#define DECLARE(T, name) __shared__ alignas(64) T name
"""
# The declaration of `w`, aligned to 64 bytes where T is char and U is float4.
ALIGNED = [
    "alignas(64) float4 w;",
    "alignas(64) half w;",
    "alignas(64) std::uint8_t w;",
    "alignas(64) uint32_t w, other;",
    "alignas(64) Alias w;",
    "alignas(64) Color w;",
    "alignas(64) enum Color w;",
    "alignas(64) Pair w;",
    "alignas(64) struct Pair w;",
    "alignas(64) struct { char a; } w;",
    "alignas(64) union { char a; float4 b; } w;",
    "alignas(64) int2 w[3];",
    "alignas(64) space::type w;",
    "alignas(64) ::space::type w;",
    "alignas(64) Same<char> w;",
    "alignas(64) Same<Same<char>>::type w[2];",
    "alignas(64) decltype(t) w;",
    "alignas(64) volatile Pair w;",
    "alignas(64) static Pair w;",
    "alignas(64) Alias *w;",
    "alignas(64) Alias (*w)[2];",
    "alignas(64) T w[3];",
    "alignas(64) typename Same<U>::type w;",
    "alignas(16) alignas(64) Pair w;",
    "alignas(64) /* ; */ alignas(U) Pair w;",
    "alignas(4 * sizeof(U)) Pair w;",
    "__align__(64) alignas(64) Pair w;",
    "alignas(64) __align__(64) Pair w;",
    "alignas(64)\n    Pair\n    w;",
    "ALIGNED Pair w;",
    "alignas(64) char w;",
    "alignas(64) Made w;",
    "alignas(64) Made w[3];",
    "ALIGNED Made w;",
    "__align__(64) Made w;",
    "alignas(64) Same<Made>::type w;",
]
ALIGNED = [f"__shared__ {form}" for form in ALIGNED] + [
    "DECLARE(Pair, w);",
    "DECLARE(Made, w);",
    "alignas(64) __shared__ Made w;",
    "volatile __align__ (64) __shared__ Made w;",
    "alignas(alignof(U) * (2 + 2)) static __shared__ Made w;",
    "alignas(16) __shared__ alignas(64) Pair w;",
]


def test_alignment_before_a_type():
    """Each form is aligned, next to a variable that is not, and writable."""
    blocks = [
        f"{{ __shared__ char pad{i}; {form}"
        f" volatile char *p = (volatile char *)&w; p[0] = pad{i} = {i};"
        f" out[{i}] = (int)((size_t)&w % 64) * 1000 + p[0]"
        f" + (__LINE__ != {len(ALIGNED_TYPES.splitlines()) + 2 * i + 3}"
        f" + {sum(f.count(chr(10)) for f in ALIGNED[: i + 1])}) * 500; }}\n\n"
        for i, form in enumerate(ALIGNED)
    ]
    source = (
        ALIGNED_TYPES
        + "template <class T, class U> __device__ void all(int t, int *out)\n"
        + "{\n"
        + "".join(blocks)
        + '}\nextern "C" __global__ void kernel(int *out)\n'
        + "{ all<char, float4>(threadIdx.x, out); }\n"
    )
    module = SourceModule(source, no_extern_c=True)
    out = np.full(len(ALIGNED), -1, np.int32)
    module.get_function("kernel")(cuda.Out(out), block=(1, 1, 1))
    wrong = {f: int(out[i]) for i, f in enumerate(ALIGNED) if out[i] != i}
    assert not wrong


def test_places_of_constructed_variables():
    """Variables that live at the same time have separate storage."""
    source = ALIGNED_TYPES + (
        "template <int N> __device__ char *place()"
        " { __shared__ alignas(64) Made w; return &w.x; }\n"
        "template <int N> struct Method { __device__ static char *place()"
        " { for (;;) { alignas(64) __shared__ Made w[2]; return &w[0].x; } }"
        " };\n"
        'extern "C" __global__ void kernel(size_t *out)\n'
        "{ DECLARE(Made, v); DECLARE(Made, w); out[0] = (size_t)&v;"
        " out[1] = (size_t)&w; { DECLARE(Made, w); out[2] = (size_t)&w; }"
        " out[3] = (size_t)place<1>(); out[4] = (size_t)place<2>();"
        " out[5] = (size_t)Method<1>::place();"
        " out[6] = (size_t)Method<2>::place(); }\n"
    )
    module = SourceModule(source, no_extern_c=True)
    out = np.zeros(7, np.uint64)
    module.get_function("kernel")(cuda.Out(out), block=(1, 1, 1))
    assert len(set(out)) == len(out)
    assert not (out % 64).any()


REFUSED_ALIGNMENT = [
    "__shared__ float4 alignas(16) w;",
    "__shared__ float alignas(16) w[2];",
    "__shared__ Same<int>::type alignas(16) __align__(16) w;",
    "__shared__ Pair alignas(16) w, v;",
    "__shared__ volatile alignas(16) Pair w;",
    "extern __shared__ alignas(16) Pair w[];",
    "static __shared__ alignas(16) Pair w;",
    "__shared__ alignas(4) float4 w;",
    "__shared__ alignas(3) Pair w;",
]


@pytest.mark.parametrize("form", REFUSED_ALIGNMENT)
def test_alignment_that_both_refuse(form):
    with pytest.raises(cuda.CompileError, match="align|attribute"):
        run(ALIGNED_TYPES + kernel(f"{form} out[t] = 0;"))


REFUSED = {
    "linkage": '__device__ int g(int); extern "C" __device__ int g(int v)'
    "{ return v; }",
    "incompatible|distinct": "__device__ bool g(int *p, float *q)"
    "{ return p > q; }",
    "incompatible|integer": "__device__ bool g(int *p) { return p > 1; }",
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_both_refuse(message):
    with pytest.raises(cuda.CompileError, match=message):
        run(REFUSED[message] + kernel("out[t] = 0;"))


ABSENT = [
    "__clang__",
    "__clang_major__",
    "__llvm__",
    "__CUDA__",
    "__SSE2__",
    "__MMX__",
    "__OPTIMIZE__",
    "__COUNTER__",
]


@pytest.mark.parametrize("macro", ABSENT)
def test_macros_of_other_compilers(macro):
    got = run(
        f"#ifdef {macro}\n#error {macro} is there\n#endif\n"
        + kernel("out[t] = t;")
    )
    assert np.array_equal(got, T)
