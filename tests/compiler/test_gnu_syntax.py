"""GNU syntax that nvcc accepts: compound literals, designators in C++17."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda._compile import gnu
from pycuda.compiler import SourceModule

LITERALS = r"""
#define MAKE(a, b) (float2){a, b}
#define ORIGIN (float2){0, 0}
struct P { int x; float y[2]; };
template <class T> struct Box { T v; };
__device__ uchar3 f(unsigned char a) { return (uchar3) {a, 2, 3}; }
__device__ int g(int x) { if (x) { return 1; } return 0; }
__device__ int s(int3 v) { return v.x * 100 + v.y * 10 + v.z; }
extern "C" __global__ void k(int *o, float *q, int z, double d)
{
    uchar3 u = f(4); o[0] = u.x + u.y + u.z;     // (int){5} in a comment
    P p = (P){3, {1.f, 2.f}}; o[1] = p.x; q[0] = p.y[1];
    o[2] = s((int3){1, 2, 3});
    o[3] = ((int[]){5, 6, 7})[1];
    float4 v = (float4){z, 2, 3, d}; q[1] = v.x + v.w;
    o[4] = (struct P){.x = 9}.x; o[5] = (unsigned char){200};
    float2 w = MAKE(1, 2); q[2] = w.x + w.y + ORIGIN.x;
    int3 t[2] = {(int3){1, 2, 3}, (int3) {4, 5, 6}}; o[6] = s(t[1]);
    Box<int> b = (Box<int>){7}; o[7] = b.v; o[8] = g(3);
    const char *text = "(int) {"; o[9] = text[0];
    o[10] = z ? (int2){1, 2}.y : 0;
}
"""
DESIGNATORS = """
struct P { int x; float y; };
__global__ void k(float *q, int z)
{
    P p = {.x = z, .y = 2.f};
    *q = p.x + p.y;
}
"""


def test_compound_literals(context):
    ints, floats = np.zeros(11, "i"), np.zeros(3, "f")
    kernel = SourceModule(LITERALS, no_extern_c=True).get_function("k")
    kernel(
        drv.Out(ints),
        drv.Out(floats),
        np.int32(5),
        np.float64(2.5),
        block=(1, 1, 1),
    )
    assert ints.tolist() == [9, 3, 123, 6, 9, 200, 456, 7, 1, 40, 2]
    assert floats.tolist() == [2, 7.5, 3]


def test_typeof_and_register(context):
    out = np.zeros(4, np.int32)
    module = SourceModule("""
        __device__ int twice(register int v) { return 2 * v; }
        __global__ void k(register int *o)
        {
            register int i = 3;
            typeof(*o) a = twice(i); __typeof__(o) p = o;
            __typeof(i + 1.5) d = 4;
            for (register unsigned j = 0; j < 2; j++) p[j] = a + j;
            p[2] = d / 8 * 8; p[3] = sizeof("typeof(x)");
        }
    """)
    module.get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [6, 7, 4, 10]


def test_other_spellings_of_asm(context):
    out = np.zeros(2, np.int32)
    module = SourceModule("""
        __global__ void k(int *o)
        {
            int a = 3, b;
            __asm__("add.s32 %0, %1, 4;" : "=r"(b) : "r"(a));
            __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(a));
            __asm("// __asm__");
            o[0] = b; o[1] = a;
        }
    """)
    module.get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [7, 0]


@pytest.mark.parametrize("standard", ["c++14", "c++17", "c++20"])
def test_register_in_each_standard(context, standard):
    source = "__global__ void k() { register int i = 3; (void)i; }"
    SourceModule(source, options=[f"-std={standard}"], cache_dir=False)


@pytest.mark.parametrize("options", [[], ["-std=c++17"]])
def test_designated_initializers(context, options):
    out = np.zeros(1, "f")
    kernel = SourceModule(DESIGNATORS, options=options).get_function("k")
    kernel(drv.Out(out), np.int32(5), block=(1, 1, 1))
    assert out[0] == 7


@pytest.mark.parametrize("body", ["*q = (int){1} + ;", "*q = ({ 1; });"])
def test_other_errors_name_the_source_as_it_is(context, body):
    with pytest.raises(drv.CompileError) as failure:
        SourceModule(f"__global__ void k(int *q) {{ {body} }}")
    assert "pycuda_literal_t" not in str(failure.value)


@pytest.mark.parametrize(
    "text",
    [
        "if (a) { b; }",
        "while (a) { b; }",
        "void f(int) { }",
        "operator bool () const { }",
        "auto f = [](T) { };",
        "int operator()(T) { }",
        "bool operator>(T) { }",
        'puts("x = (int) { 1 }");',
        "char c = '(', d = (x) + 1;",
        "/* = (int){1} */ // = (int){1}",
        "x = (a + b) { }",
        "#define EACH(i) for (i) { }",
        "(T) { }",
    ],
)
def test_text_that_has_no_literal(text):
    assert gnu.without_literals(text) == text


@pytest.mark.parametrize(
    ("text", "fresh"),
    [
        ("return (T){1};", "return pycuda_literal_t<T>{1};"),
        ("x = ( const ns::T<int> * ) {0};",
         "x = pycuda_literal_t<const ns::T<int> *> {0};"),
        ("f((T){(U){1}}, &(T[2]){1, 2});",
         "f(pycuda_literal_t<T>{pycuda_literal_t<U>{1}}, "
         "&pycuda_literal_t<T[2]>{1, 2});"),
        ("#define M(a) (T){a}\n#define N (T){1}",
         "#define M(a) pycuda_literal_t<T>{a}\n"
         "#define N pycuda_literal_t<T>{1}"),
        ("x = (unsigned long long int){1};",
         "x = pycuda_literal_t<unsigned long long int>{1};"),
    ],
)  # fmt: skip
def test_text_with_literals(text, fresh):
    assert gnu.without_literals(text) == fresh
