"""Names and headers that programs assume to exist, on both devices."""

import warnings

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.usefixtures("context")

# Names that nvcc declares without any #include.
IMPLICIT = {
    "uint": "uint v = 1",
    "ushort": "ushort v = 1",
    "ulong": "ulong v = 1",
    "int8_t": "int8_t v = 1",
    "int16_t": "int16_t v = 1",
    "int32_t": "int32_t v = 1",
    "int64_t": "int64_t v = 1",
    "u_int32_t": "u_int32_t v = 1",
    "ssize_t": "ssize_t v = 1",
    "size_t": "size_t v = 1",
    "nullptr_t": "nullptr_t n = nullptr; int v = n == nullptr",
    "std::nullptr_t": "std::nullptr_t n = nullptr; int v = n == nullptr",
    "max_align_t": "int v = alignof(max_align_t) >= alignof(double)",
    "offsetof": "struct P { int a; double b[2]; };"
    " int v = offsetof(P, b) == 8 && offsetof(P, b[1]) == 16",
    "LONG_LONG_MAX": "int v = LONG_LONG_MAX == LLONG_MAX"
    " && ULONG_LONG_MAX == ULLONG_MAX && LONG_LONG_MIN < 0",
    "FP_ILOGB0": "int v = ilogb(0.) == FP_ILOGB0"
    " && ilogbf(NAN) == FP_ILOGBNAN",
    "std::size_t": "std::size_t v = 1",
    "time_t": "time_t v = 1",
    "clock_t": "clock_t v = clock()",
    "div_t": "div_t d; d.quot = 1; int v = d.quot",
    "M_PI": "double v = M_PI",
    "M_SQRT1_2": "double v = M_SQRT1_2",
    "INFINITY": "constexpr float v = INFINITY",
    "NAN": "float v = NAN",
    "HUGE_VALF": "float v = HUGE_VALF",
    "MAXFLOAT": "float v = MAXFLOAT",
    "float_t": "float_t v = 1",
    "double_t": "double_t v = 1",
    "HUGE_VAL": "double v = HUGE_VAL",
    "INT_MAX": "int v = INT_MAX",
    "ULLONG_MAX": "unsigned long long v = ULLONG_MAX",
    "RAND_MAX": "int v = RAND_MAX",
    "CHAR_BIT": "int v = CHAR_BIT",
    "NULL": "void *p = NULL; int v = p == NULL",
    "printf": 'int v = printf("")',
    "assert": "int v = 1; assert(v)",
    "malloc": "void *p = malloc(8); free(p); int v = 1",
    "memcpy": "int w = 1, v; memcpy(&v, &w, 4)",
    "isnan": "int v = isnan(x[0])",
    "std::pow": "float v = std::pow(x[0], 2.f)",
    "warpSize": "int v = warpSize",
    "dim3": "dim3 d(2, 3); int v = d.z",
    "float4": "float4 f = make_float4(1, 2, 3, 4); float v = f.w",
    "uint3": "uint3 t = threadIdx; int v = t.x",
    "max": "float v = max(x[0], 2.f) + max(1, 2) + fmaxf(1.f, 2.f)",
    "tex2D": "cudaTextureObject_t t = 0; int v = t == 0",
    "cudaError_t": "cudaError_t e = cudaErrorInvalidValue; int v = e",
    "cudaStream_t": "cudaStream_t s = cudaStreamPerThread; int v = s != 0",
    "cudaEvent_t": "cudaEvent_t e = 0; int v = e == nullptr",
    "cudaMemcpyKind": "cudaMemcpyKind k = cudaMemcpyDefault; int v = k",
    "cudaExtent": "cudaExtent e = {1, 2, 3}; int v = e.depth",
    "cudaPos": "cudaPos p = {1, 2, 3}; int v = p.z",
    "cudaPitchedPtr": "cudaPitchedPtr p = {x, 64, 8, 8}; int v = p.pitch",
    "cudaDataType_t": "cudaDataType_t t = CUDA_R_32F; int v = t",
    "libraryPropertyType": "libraryPropertyType t = PATCH_LEVEL; int v = t",
    "cudaChannelFormatDesc": "cudaChannelFormatDesc d = {32}; int v = d.x",
    "cudaGraphNodeParams": "cudaGraphNodeParams *p = 0; int v = p == 0",
    "cudaHostAllocMapped": "int v = cudaHostAllocMapped",
    "double4_32a": "double4_32a d = make_double4_32a(1, 2, 3, 4);"
    " int v = sizeof(d) + alignof(double4_16a) + d.w",
}


@pytest.mark.parametrize("name", IMPLICIT)
@pytest.mark.parametrize("no_extern_c", [False, True])
def test_name_is_there_without_an_include(name, no_extern_c):
    source = (
        "__global__ void kernel(float *x)\n"
        f"{{ {IMPLICIT[name]}; x[1] = (float)v; }}"
    )
    assert compile(source, no_extern_c=no_extern_c)


def test_the_names_of_stddef():
    for header in ("stddef.h", "cstddef"):
        SourceModule(
            f"#include <{header}>\nstruct P {{ char a; int b; }};"
            "__global__ void k(size_t *x) { nullptr_t n = nullptr;"
            " std::nullptr_t m = n; max_align_t a; std::max_align_t b;"
            " ptrdiff_t d = 1;"
            " *x = (n == m) + d + offsetof(P, b) + sizeof a + sizeof b; }"
        )


# Names that nvcc leaves to headers: programs may define them themselves.
@pytest.mark.parametrize(
    "definition",
    [
        "typedef unsigned int uint32_t;",
        "#define FLT_MAX 3.0f",
        "__device__ float clamp(float x) { return x; }",
        "__device__ float lerp(float a, float b) { return a + b; }",
        "struct complex { float re, im; };",
        "#define N 4",
        "__device__ float sq(float x) { return x * x; }",
        "__device__ int lane() { return threadIdx.x % 32; }",
    ],
)
def test_program_may_define(definition):
    assert compile(definition + "\n__global__ void kernel() {}")


KERNEL = "__global__ void kernel(int *p) { *p = 1; }"
HEADERS = [
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "vector_types.h",
    "vector_functions.h",
    "math_constants.h",
    "stdlib.h",
    "string.h",
    "cstring",
    "cstdlib",
    "cmath",
    "climits",
    "cfloat",
    "stdbool.h",
    "time.h",
    "iostream",
    "math.h",
    "stdio.h",
    "cstdio",
    "stdint.h",
    "cstdint",
    "assert.h",
    "cassert",
    "float.h",
    "limits.h",
    "stddef.h",
    "cstddef",
    "inttypes.h",
    "sys/types.h",
    "surface_functions.h",
    "texture_types.h",
    "string",
    "vector",
    "algorithm",
    "type_traits",
    "common_functions.h",
    "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h",
    "sm_32_intrinsics.h",
    "sm_35_atomic_functions.h",
    "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h",
    "vector_functions.hpp",
    "channel_descriptor.h",
    "ctype.h",
    "errno.h",
    "malloc.h",
    "alloca.h",
    "signal.h",
    "stdarg.h",
    "unistd.h",
    "iso646.h",
    "values.h",
    "library_types.h",
    "driver_types.h",
    "atomic",
    "bitset",
    "cctype",
    "cinttypes",
    "condition_variable",
    "csignal",
    "cstdarg",
    "filesystem",
    "future",
    "iosfwd",
    "locale",
    "optional",
    "regex",
    "typeindex",
    "typeinfo",
    "variant",
    "pycuda-complex.hpp",
    "pycuda-helpers.hpp",
]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("no_extern_c", [False, True])
def test_header_is_there(header, no_extern_c):
    source = (
        f"#include <{header}>\n__global__ void kernel(int *p) {{ *p = 1; }}"
    )
    assert compile(source, no_extern_c=no_extern_c)


@pytest.mark.cpu
def test_the_header_of_the_hosts_generators_is_there():
    assert compile(
        "#include <curand.h>\n#include <curand_kernel.h>\n" + KERNEL
    )


def test_headers_give_their_names():
    module = SourceModule(
        """
        #include <stdint.h>
        #include <float.h>
        #include <limits.h>
        #include <math_constants.h>
        #include <stddef.h>
        struct pair { char a; double b; };
        __global__ void kernel(double *out)
        {
            uint8_t small = 255;
            uint64_t big = UINT64_MAX;
            out[0] = ++small;
            out[1] = big == ~0ull;
            out[2] = FLT_MAX;
            out[3] = DBL_EPSILON;
            out[4] = INT_MIN;
            out[5] = CUDART_PI;
            out[6] = offsetof(struct pair, b);
            out[7] = sizeof(int64_t) + sizeof(intptr_t);
        }
        """
    )
    out = np.zeros(8)
    module.get_function("kernel")(cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [
        0,
        1,
        float(np.finfo(np.float32).max),
        np.finfo(np.float64).eps,
        -(2.0**31),
        np.pi,
        8,
        16,
    ]


@pytest.mark.parametrize("header", ["inttypes.h", "cinttypes"])
def test_formats_of_integers_by_width(header):
    formats = " ".join(
        f'%" PRI{letter}{width} "'
        for letter in "diuoxX"
        for width in (8, 16, 32, 64, "MAX", "PTR")
    )
    assert compile(
        f"#include <{header}>\n"
        f'__device__ const char formats[] = "{formats}";\n'
        "__global__ void kernel(int64_t n, uint32_t *p)\n"
        '{ printf("%" PRId64 " %" PRIu32 "\\n", n + INT64_C(1), *p); }'
    )


LAX = """
enum Kind { ONE, TWO };
struct Pair { int a, b; __device__ Pair(int x, int y) : a(x), b(y) {} };
__device__ Pair pair(int n) { return {n, n + 1}; }
__global__ void kernel(int *out, int n, Kind kind)
{
    int at[2] = {threadIdx.x, blockIdx.x};
    uchar4 color = {n, n, n, 255};
    unsigned char wide[2] = {-1, 1};
    float3 point = {n, 1, 0};
    int a;
    if (a = out[0])
        if (n) out[1] = 1;
        else out[1] = 2;
    switch (kind) { case ONE: out[2] = 3; }
    out[0] = n << 1 + 2;
    out[3] = at[0] + color.w + wide[0] + (int)point.x + pair(n).b + a;
}
"""


def test_what_compilers_let_pass():
    """Mainly narrowing in braces, which is an error in standard C++."""
    out = np.full(4, 1, np.int32)
    kernel = SourceModule(LAX).get_function("kernel")
    kernel(cuda.InOut(out), np.int32(5), np.int32(0), block=(1, 1, 1))
    assert out.tolist() == [40, 1, 3, 255 + 255 + 5 + 6 + 1]


@pytest.mark.cpu
def test_what_compilers_say_nothing_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile(LAX + "// anew")


def test_ndebug_turns_assert_off():
    source = "__global__ void kernel(int *p) { assert(*p == 3); *p = 7; }"
    out = np.zeros(1, np.int32)
    module = SourceModule(source, options=["-DNDEBUG"])
    module.get_function("kernel")(cuda.InOut(out), block=(1, 1, 1))
    assert out[0] == 7


@pytest.mark.parametrize("header", ["cuda_fp16.h", "cooperative_groups.h"])
@pytest.mark.cpu
def test_template_headers_compile_inside_the_wrap(header):
    """On a GPU the headers come with the toolkit, which may be missing."""
    source = (
        f"#include <{header}>\n__global__ void kernel(int *p) {{ *p = 1; }}"
    )
    assert compile(source)
    assert compile(source, no_extern_c=True)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("header", "use"),
    [
        ("thrust/device_vector.h", "thrust::device_vector<int> v;"),
        ("thrust/sort.h", "thrust::partition(p, p + 3, 1);"),
        ("thrust/merge.h", "thrust::merge(p, p + 3, p, p, p);"),
    ],
)
def test_gpu_only_libraries_say_so_where_they_are_used(header, use):
    source = f"#include <{header}>\n__global__ void kernel(int *p) {{ %s }}"
    assert compile(source % "*p = 1;", no_extern_c=True)
    with pytest.raises(
        cuda.CompileError, match="run from host code|nvidia-cuda-cccl"
    ):
        compile(source % use, no_extern_c=True)


@pytest.mark.parametrize("header", ["vector", "random", "iostream", "chrono"])
def test_headers_of_the_host_bring_what_nvccs_do(header):
    source = f"""#include <{header}>
    extern "C" __global__ void kernel(uint32_t *p)
    {{
        static_assert(std::is_same<uint8_t, unsigned char>::value, "");
        *p = std::numeric_limits<uint32_t>::max();
    }}"""
    assert compile(source, no_extern_c=True)


def test_a_toolkits_headers_come_after_ours(tmp_path, device):
    """Our headers come first, except before the program's own folders."""
    (tmp_path / "crt").mkdir()
    (tmp_path / "crt/host_defines.h").write_text("")
    (tmp_path / "cuda_runtime_api.h").write_text("")
    (tmp_path / "cuda_fp16.h").write_text("#error NVIDIA's\n")
    (tmp_path / "only_there.h").write_text("#define VALUE 5\n")
    source = """#include <cuda_fp16.h>
    #include <only_there.h>
    __global__ void kernel(__half *p) { *p = __int2half_rn(VALUE); }"""
    given = [str(tmp_path)]
    if device == "cpu":
        assert compile(source, include_dirs=given)
        (tmp_path / "cuda_runtime_api.h").unlink()
    with pytest.raises(cuda.CompileError, match="NVIDIA's"):
        compile(source + "// its own", include_dirs=given)
