"""Declarations that NVRTC takes and clang alone would refuse."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = [
    pytest.mark.usefixtures("context"),
    # NVRTC's words of linkage, of `p >= 0` and of constructors
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


def test_all_in_one_source_and_in_rounds():
    """Some are seen only once others are mended; instances repeat them."""
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
]


@pytest.mark.parametrize("macro", ABSENT)
def test_macros_of_other_compilers(macro):
    got = run(
        f"#ifdef {macro}\n#error {macro} is there\n#endif\n"
        + kernel("out[t] = t;")
    )
    assert np.array_equal(got, T)
