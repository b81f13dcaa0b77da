"""Our headers under NVIDIA's compiler, which needs no GPU to compile.

Skipped if libnvrtc is not installed.
"""

import ctypes
import ctypes.util
import glob
import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import pycuda
from pycuda._compile import cccl, gnu

sys.path.insert(0, str(Path(__file__).parents[1] / "kernels"))
HEADERS_DIR = Path(pycuda.__file__).parent / "cuda"
PLACES = (
    "/usr/local/cuda/lib64/libnvrtc.so.13",
    *(
        os.path.join(entry, "nvidia/cu13/lib/libnvrtc.so.13")
        for entry in sys.path
    ),
)
TOOLKITS = [
    folder
    for folder in glob.glob("/usr/local/cuda/include")
    if os.path.isfile(os.path.join(folder, "cuda_fp16.h"))
]


@cache
def nvrtc():
    for place in PLACES:
        if os.path.isfile(place):
            try:
                return ctypes.CDLL(place)
            except OSError as error:  # a toolkit for another processor
                pytest.skip(f"{place}: {error}")
    pytest.skip("NVIDIA's libnvrtc.so.13 is not installed")


def compile(source, *options, wrap=True, cccl_folder=None):
    """Compile as pycuda.compiler does; return NVRTC's (result, log)."""
    library = nvrtc()
    if wrap:
        source = f'extern "C" {{\n#line 1 "kernel.cu"\n{source}\n}}\n'
    words = [
        "--gpu-architecture=sm_90",
        f"--pre-include={HEADERS_DIR / 'prelude.h'}",
        *options,
        f"--include-path={HEADERS_DIR / 'nvrtc'}",
        f"--include-path={HEADERS_DIR / 'std'}",
        f"--include-path={HEADERS_DIR}",
        f"--include-path={HEADERS_DIR / 'cccl'}",
        *([f"--include-path={cccl_folder}"] if cccl_folder else []),
        *(f"--include-path={folder}" for folder in TOOLKITS),
        *(f"--include-path={folder}/cccl" for folder in TOOLKITS),
    ]
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None
    )
    result = library.nvrtcCompileProgram(
        program,
        len(words),
        (ctypes.c_char_p * len(words))(*(word.encode() for word in words)),
    )
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return result, log.value.decode()


def version():
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def test_every_implicit_name():
    from test_front_names import IMPLICIT

    body = "\n".join(
        f"__device__ void f{i}(float *x) {{ {text}; x[1] = (float)v; }}"
        for i, text in enumerate(IMPLICIT.values())
    )
    result, log = compile(body)
    assert result == 0, log
    assert "error" not in log


NEEDS_AN_OPTION = {
    "overload": "__global__ void k(double *x) { *x = sqrt(2); }",
    "host": "int f(int v) { return v; }\n__global__ void k(int *x) {}",
    "lambda": "__global__ void k(int *x) {"
    " auto f = [](auto v) { return v + 1; }; *x = f(*x); }",
    "closure": "constexpr auto f = [](int v) { return v + 1; };\n"
    "__global__ void k(int *x) { *x = f(*x); }",
    "int128": "__global__ void k(long *x) { *x = (__int128)*x * *x >> 64; }",
}


@pytest.mark.parametrize("kind", NEEDS_AN_OPTION)
def test_what_needs_an_option(kind):
    from pycuda._compile.nvrtc import _REMEDIES

    result, log = compile(NEEDS_AN_OPTION[kind])
    assert result != 0
    more = [option for said, option in _REMEDIES if re.search(said, log)]
    assert len(more) == 1
    result, log = compile(NEEDS_AN_OPTION[kind], *more)
    assert result == 0, log


# Our names are in a namespace; a name outside it would be undefined.
API_HEAD = """
#include <stddef.h>
extern "C" __device__ void absent();
namespace ours {
#include <cpu/api_codes.h>
#include <cpu/api_enums.h>
#include <cpu/api_types.h>
}
"""
API_ENUMERATOR = 'static_assert((int)ours::{0} == ::{0}, "{0}");'
API_FLAG = 'static_assert((int){0} == (int){1}, "{0}");'
API_MEMBER = """
static_assert(sizeof(ours::{0}) == sizeof(::{0}), "{0}");
static_assert(sizeof(ours::{0}::{1}) == sizeof(::{0}::{1}), "{0}.{1}");
"""
API_PLACE = "if (offsetof(ours::{0}, {1}) != offsetof(::{0}, {1})) absent();"


def api_text(*names):
    """Return the headers of the CPU device without their comments."""
    text = "".join((HEADERS_DIR / "cpu" / name).read_text() for name in names)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def api_enumerators():
    for body in re.findall(
        r"enum \w+ \{(.*?)\};", api_text("api_codes.h", "api_enums.h"), re.S
    ):
        yield from re.findall(r"(\w+)(?: = -?\d+)?,", body)


def api_flags():
    """Return (macro, value), except for types and addresses."""
    for name, value in re.findall(
        r"#define (\w+) +(?:\\\n +)?(-?\w+|\(-\d\))\n", api_text("api_flags.h")
    ):
        if not name.endswith(("AttrID", "AttrValue")):
            yield name, value


def api_members():
    """Return (struct, member) of the structs that the CPU device defines."""
    for name, body in re.findall(
        r"^(?:typedef )?(?:struct|union) (\w+) \{\n(.*?)^\}",
        api_text("api_types.h"),
        re.S | re.M,
    ):
        while "{" in body:
            body = re.sub(r"\{[^{}]*\}", "", body)
        for member in re.findall(r"(\w+)(?:\[\w+\])?[,;]", body):
            yield name, member


def api_source(head=API_HEAD):
    lines = [head]
    lines += [API_ENUMERATOR.format(name) for name in api_enumerators()]
    lines += [API_FLAG.format(*flag) for flag in api_flags()]
    lines += [API_MEMBER.format(*member) for member in api_members()]
    lines += ["__global__ void k() {"]
    lines += [API_PLACE.format(*member) for member in api_members()]
    return "\n".join([*lines, "}"])


def test_names_of_the_runtime_api():
    """The CPU device declares the names that NVRTC 13.0 has built in."""
    if version() != (13, 0):
        pytest.skip("later ones have more, in place of what was reserved")
    counts = [len([*f()]) for f in (api_enumerators, api_flags, api_members)]
    assert counts == [677, 73, 245]
    result, log = compile(api_source(), wrap=False)
    assert result == 0, log


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("ours::cudaErrorInvalidValue", "ours::cudaErrorMemoryAllocation"),
        ("(int)cudaEventDisableTiming", "(int)cudaEventBlockingSync"),
        ("sizeof(ours::cudaExtent)", "sizeof(ours::cudaPitchedPtr)"),
        ("ours::cudaMemcpy3DParms, srcPos", "ours::cudaMemcpy3DParms, dstPos"),
    ],
)
def test_a_difference_from_the_runtime_api_is_seen(right, wrong):
    source = api_source()
    assert right in source
    assert compile(source.replace(right, wrong), wrap=False)[0] != 0


def test_every_header_beside_every_other():
    from test_front_names import HEADERS

    plain = [name for name in HEADERS if "helpers" not in name]
    source = "".join(f"#include <{name}>\n" for name in plain)
    for wrap in (True, False):
        assert compile(source, wrap=wrap) == (0, "")


def test_the_cpp_library():
    from standard_library import HEADERS, KERNELS

    for name, (source, words) in KERNELS.items():
        assert compile(source, *words, wrap=False) == (0, ""), name
    source = "".join(f"#include <{name}>\n" for name in HEADERS)
    for standard in ("11", "14", "17", "20"):
        assert compile(source, f"-std=c++{standard}") == (0, "")


@pytest.mark.skipif(not TOOLKITS, reason="no CUDA toolkit is installed")
def test_the_cpp_library_beside_that_of_cuda():
    from standard_library import HEADERS

    ours = "".join(f"#include <{name}>\n" for name in HEADERS)
    theirs = "#include <cub/block/block_reduce.cuh>\n#include <cuda/barrier>\n"
    use = """
    static_assert(cuda::std::is_same<int, int>::value, "");
    static_assert(std::is_same<int, int>::value, "");
    __global__ void k(int *out)
    {
        auto [a, b] = std::tuple(1, 2);
        auto [c, d] = cuda::std::tuple(3, 4);
        out[0] = a + b + c + d;
    }
    """
    for source in (ours + theirs, theirs + ours):
        assert compile(source + use, wrap=False) == (0, "")


REFERENCES = (
    "--pre-include=texture_reference.h",
    "--device-as-default-execution-space",
)


def test_every_form_of_reference():
    from test_front_references import FORMS, HELPERS

    for form, source in {**FORMS, "helpers": HELPERS}.items():
        result, log = compile(source, *REFERENCES)
        assert result == 0, f"{form}: {log}"


@pytest.mark.sweep(most=2)
@pytest.mark.skipif(not TOOLKITS, reason="no CUDA toolkit is installed")
@pytest.mark.parametrize(
    "header",
    [
        "cuda_fp16.h",
        "cuda_bf16.h",
        "cuda_fp8.h",
        "cuda_fp4.h",
        "cooperative_groups.h",
        "mma.h",
        "cub/block/block_reduce.cuh",
    ],
)
def test_toolkit_headers_beside_ours(header):
    includes = f"#include <stdint.h>\n#include <{header}>\n"
    source = includes + "#include <pycuda-complex.hpp>\n#include <float.h>\n"
    wraps = (False,) if header.startswith("cub") else (True, False)
    for wrap in wraps:
        assert compile(source, wrap=wrap) == (0, "")


def test_math_of_whole_and_mixed_numbers():
    """The overloads that pycuda.compiler adds when a source needs them."""
    source = """
    __global__ void k(double *o, int i, unsigned long n, float x)
    {
        o[0] = sqrt(2) + sin(i) + floor(n) + rsqrt(i);
        o[1] = pow(i, 2) + pow(x, 2.0) + pow(2.f, 3.f) + fmod(n, 7);
        o[2] = sizeof(sqrt(2)) + sizeof(sqrt(x)) + sizeof(pow(x, x));
    }
    """
    result, log = compile(source)
    assert result != 0 and "more than one instance" in log
    result, log = compile(source, "--pre-include=mixed_math.h")
    assert result == 0, log


def test_compound_literals():
    """The spelling that pycuda.compiler uses when a source needs it."""
    source = """
    struct p { int x; float y[2]; };
    __device__ uchar3 f(unsigned char a) { return (uchar3) {a, 2, 3}; }
    __global__ void k(int *o, float *q, int z)
    {
        o[0] = f(4).x + (struct p){.x = 9}.x + ((int[]){5, 6, 7})[1];
        float4 v = (float4){z, 2, 3, 4};
        q[0] = v.w + ((const p){3, {1.f, 2.f}}).y[1];
    }
    """
    result, log = compile(source)
    assert result != 0 and gnu.remedy(source, [], log)
    fresh, options = gnu.remedy(source, ["--std=c++17"], log)
    result, log = compile(fresh, *options)
    assert result == 0, log


def test_offsetof():
    result, log = compile(
        "#include <stddef.h>\n"
        "struct p { int a; double b; };\n"
        "__global__ void k(size_t *o) { o[0] = offsetof(struct p, b); }"
    )
    assert result == 0, log


@pytest.mark.parametrize("kind", ["int", "struct"])
def test_kernels_with_cub(kind):
    from cub_cases import source

    found = cccl.folder()
    if found is None:
        pytest.skip(f"CCCL is not installed: {cccl.INSTALL}")
    result, log = compile(
        source(kind, (48,)),
        "--builtin-initializer-list=true",
        cccl_folder=found,
        wrap=False,
    )
    assert result == 0, log
