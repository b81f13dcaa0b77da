"""Compiler messages: the line in the user's source, and advice."""

import re
import warnings

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule


def complaint(source: str, **keywords) -> str:
    """Compile `source`, which must fail, and return the compiler's text."""
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule(source, **keywords)
    return str(caught.value)


def error_lines(text: str) -> list[int]:
    """Return the lines with errors, in either compiler's format."""
    found = re.findall(r"kernel\.cu[:(](\d+)(?::\d+)?\)?: error", text)
    return sorted({int(number) for number in found})


@pytest.mark.parametrize("no_extern_c", [False, True])
def test_unknown_name_on_its_line(no_extern_c):
    source = """__global__ void kernel(int *out)
{
    out[0] = 1;
    out[1] = nowhere;
}
"""
    text = complaint(source, no_extern_c=no_extern_c)
    assert error_lines(text) == [4]
    assert "nowhere" in text


def test_missing_semicolon():
    source = "\n\n__global__ void kernel(int *out)\n{\n    out[0] = 1\n}\n"
    lines = error_lines(complaint(source))
    # One compiler reports the line that lacks it, the other one the next.
    assert lines and set(lines) <= {5, 6}


def test_line_behind_an_include_and_a_macro():
    source = """#include <math.h>
#include <stdio.h>
#define TWO_LINES int a; \\
    int b;

__global__ void kernel(int *out)
{
    TWO_LINES
    *out = a + b + missing;
}
"""
    assert error_lines(complaint(source)) == [9]


def test_line_in_a_source_with_texture_references():
    source = """texture<float, 2> tex;
__global__ void kernel(float *out)
{
    *out = tex2D(tex, 0.f, 0.f) + missing;
}
"""
    assert error_lines(complaint(source)) == [4]


def test_every_error_is_told():
    source = """__global__ void kernel(int *out)
{
    out[0] = one;
    out[1] = two;
}
"""
    assert error_lines(complaint(source)) == [3, 4]


def test_missing_header_is_named():
    text = complaint("#include <no_such_header.h>\n__global__ void k() {}\n")
    assert "no_such_header.h" in text


def test_error_directive():
    text = complaint("\n#error this must be seen\n")
    assert "this must be seen" in text


def test_unknown_option_is_named():
    text = complaint(
        "__global__ void k() {}", options=["--no-such-option-anywhere"]
    )
    assert "no-such-option-anywhere" in text


def test_definitions_by_option():
    source = """__global__ void kernel(int *out) { *out = VALUE; }"""
    assert "VALUE" in complaint(source)
    SourceModule(source, options=["-DVALUE=3"])


def test_warning_is_a_user_warning():
    source = """
__global__ void kernel(int *out)
{
    #warning read this
    *out = 1;
}
"""
    with pytest.warns(UserWarning, match="read this"):
        SourceModule(source, cache_dir=False)


def test_quiet_source_is_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SourceModule("__global__ void k(int *p) { *p = 1; }", cache_dir=False)


@pytest.mark.cpu
def test_inline_ptx_is_refused_by_name():
    source = """__global__ void kernel(unsigned *out)
{
    unsigned unit = threadIdx.x;
    asm volatile("wgmma.fence.sync.aligned;");
    out[threadIdx.x] = unit;
}
"""
    text = complaint(source)
    assert "inline PTX" in text
    assert re.search(r"kernel\.cu[:(]4", text)


@pytest.mark.cpu
def test_long_ptx_is_told_in_short():
    lines = "add.u32 %0, %0, 1;" * 9 + "tcgen05.fence;"
    source = f"""__global__ void kernel(unsigned *out)
{{
    asm volatile("{lines}" : "+r"(out[0]));
}}
"""
    text = complaint(source)
    assert f'asm("{lines[:60]}...")' in text.replace("$0", "%0")


@pytest.mark.cpu
def test_a_compiler_that_gives_up_says_why():
    """LLVM is made to fail with an instruction of another processor."""
    source = """extern "C" __device__ void hint(int)
    asm("llvm.amdgcn.s.sleep");
__global__ void kernel() { hint(0); }
"""
    assert "internal error: LLVM: " in complaint(source)


@pytest.mark.parametrize("options", [[], ["-G"]], ids=str)
def test_asm_without_text_hides_values(options):
    """Whatever the register, the value is hidden from the compiler."""
    source = """__global__ void kernel(
    float *f, double *d, int *i, long long *l, short *h)
{
    int t = threadIdx.x;
    float a = f[t];
    double b = d[t];
    int c = i[t];
    long long e = l[t];
    short g = h[t];
    asm volatile("" : "+f"(a));
    asm("" : "+d"(b));
    asm volatile("" : "+r"(c) :: "memory");
    asm volatile("" : "+l"(e), "+h"(g));
    asm volatile("" :: "f"(a));
    f[t] = a + 1, d[t] = b + 1, i[t] = c + 1, l[t] = e + 1, h[t] = g + 1;
}
"""
    kernel = SourceModule(source, options=options).get_function("kernel")
    arrays = [np.arange(40, dtype=d) for d in ("f4", "f8", "i4", "i8", "i2")]
    kernel(*map(cuda.InOut, arrays), block=(40, 1, 1))
    for array in arrays:
        assert array.tolist() == list(range(1, 41))


def test_unknown_device_function_is_refused():
    source = """__device__ int elsewhere(int);
__global__ void kernel(int *out) { *out = elsewhere(1); }
"""
    with pytest.raises((cuda.CompileError, cuda.Error), match="elsewhere"):
        SourceModule(source)


def test_device_variable_that_is_only_declared():
    """NVRTC defines it, since the program is not linked with others."""
    source = """extern __device__ int elsewhere;
__global__ void kernel(int *out) { *out = elsewhere + 3; }
"""
    out = np.zeros(1, np.int32)
    module = SourceModule(source)
    module.get_function("kernel")(cuda.Out(out), block=(1, 1, 1))
    assert out[0] == 3


def test_barrier_kernel_with_an_error_elsewhere_still_names_the_line():
    source = """__global__ void good() { __syncthreads(); }
__global__ void bad(float *f)
{
    f[0] = f * f;
}
"""
    assert error_lines(complaint(source)) == [4]
