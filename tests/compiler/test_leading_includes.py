"""Leading includes are precompiled without a change of meaning."""

# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import pycuda
import pycuda.driver as drv
from pycuda import _driver
from pycuda.compiler import compile

pytestmark = pytest.mark.cpu

HEADERS = Path(pycuda.__file__).parent / "cuda"
KERNEL = """
extern "C" __global__ void kernel(float *x, int n)
{
    x[threadIdx.x] = BODY;
}
"""
COSTLY = [
    "algorithm",
    "array",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cuComplex.h",
    "cuda/atomic",
    "cuda/barrier",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_fp4.h",
    "cuda_fp8.h",
    "curand_kernel.h",
    "mma.h",
    "pycuda-complex.hpp",
    "tuple",
]


def kernel(body="n"):
    return KERNEL.replace("BODY", body)


def real_front_end():
    zig = Path(pycuda.__file__).parents[1] / "ziglang" / "zig"
    given = os.environ.get("PYCUDA_CLANG", "")
    if given.endswith("zig") or (not given and zig.exists()):
        return f"'{given or zig}' clang"
    return given or shutil.which("clang-19") or pytest.skip("no clang")


def outcome(source, options=(), no_extern_c=True, **others):
    """Return the image, or the compiler's message."""
    try:
        return compile(
            source,
            options=list(options),
            no_extern_c=no_extern_c,
            cache_dir=False,
            **others,
        )
    except drv.CompileError as error:
        return error.stderr


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of precompiled headers, which has the language's own ones."""
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    assert isinstance(outcome(kernel()), bytes)
    return tmp_path / "cache" / "front"


def made(folder):
    return len(list(folder.iterdir())) - 1


def plainly(source, *words, **others):
    """Return `outcome` without precompiled headers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYCUDA_CACHE_DIR", "/proc/none")
        return outcome(source, *words, **others)


@pytest.mark.parametrize("name", COSTLY)
def test_costly_headers_are_precompiled_once(folder, name):
    source = f"#include <{name}>\n{kernel()}"
    assert outcome(source) == plainly(source)
    assert made(folder) == 1
    assert outcome(f"// A comment.\n{source}") == outcome(source)
    assert made(folder) == 1, "comments change nothing"


def test_headers_are_precompiled_in_the_language_of_c(folder):
    """The package's extern "C" wrapper, in which some headers are rejected."""
    for count, name in enumerate(("cuda_fp16.h", "mma.h"), 1):
        source = f"#include <{name}>\n" + kernel().replace('extern "C"', "")
        image = outcome(source, no_extern_c=False)
        assert isinstance(image, bytes)
        assert image == plainly(source, no_extern_c=False)
        assert made(folder) == count
    source = f"#include <tuple>\n{kernel()}"
    assert outcome(source, no_extern_c=False) == plainly(
        source, no_extern_c=False
    )


@pytest.mark.parametrize(
    "options",
    [
        ["-std=c++20"],
        ["-fmad=false"],
        ["-use_fast_math"],
        ["-G"],
        ["-lineinfo"],
        ["-DUNRELATED=3"],
        ["-w"],
    ],
    ids=lambda options: options[0],
)
def test_options_change_what_they_change(folder, options):
    body = "hsqrt(half(x[0]) * half(x[1]) + half(n))"
    source = f'#include "cuda_fp16.h"  // half\n{kernel(body)}'
    image = outcome(source, options)
    assert isinstance(image, bytes)
    assert image == plainly(source, options)
    assert made(folder) >= 1


@pytest.mark.parametrize(
    "source",
    [
        "#include <stdint.h>\n#include <math.h>\n",
        "#define make_half2 pair\n#include <cuda_fp16.h>\n",
        "#if 0\n#include <cuda_fp16.h>\n#endif\n",
        "/* #include <cuda_fp16.h>\n*/\n",
        "// a line that goes on \\\n#include <cuda_fp16.h>\n",
        "// before C++17 it does so here ??/\n#include <cuda_fp16.h>\n",
        "#include <cuda_fp16.h> /*\n#include <cuda_bf16.h> */\n",
        "__device__ int before;\n#include <cuda_fp16.h>\n",
    ],
)
def test_what_is_no_plain_include_is_read_as_text(folder, source):
    source += kernel()
    assert outcome(source) == plainly(source)
    assert made(folder) == 0


@pytest.mark.parametrize("given", ["folder", "here"])
@pytest.mark.parametrize("name", ["cuda_fp16.h", "cuda_fp8.h"])
def test_headers_of_the_users_come_first(
    folder, tmp_path, monkeypatch, given, name
):
    """A user's header with our name, included directly or by another one."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "cuda_fp16.h").write_text("#define MINE 7\n")
    options = [f"-I{mine}"] if given == "folder" else []
    if given == "here":
        monkeypatch.chdir(mine)
    source = f'#include "{name}"\n' + kernel("MINE")
    said = outcome(source, options)
    assert said == plainly(source, options)
    found = given == "here" and name == "cuda_fp8.h"
    assert made(folder) == found, "only quotes look here"
    if name == "cuda_fp16.h":
        assert isinstance(said, bytes)


def test_other_folders_of_the_users_change_nothing(folder, tmp_path):
    (tmp_path / "mine.h").write_text("#define MINE 7\n")
    source = '#include <tuple>\n#include "mine.h"\n' + kernel("MINE")
    assert outcome(source, [f"-I{tmp_path}"]) == outcome(
        source.replace('"mine.h"', f'"{tmp_path}/mine.h"')
    )
    assert made(folder) == 1


@pytest.mark.parametrize(
    "option", ["-DNDEBUG", "-Dmake_half2=pair", "-U__half"]
)
def test_macros_that_headers_read_are_heeded(folder, option):
    source = f"#include <cuda_fp16.h>\n{kernel('make_half2(n, n).x')}"
    assert outcome(source, [option]) == plainly(source, [option])
    assert made(folder) == 0


def test_headers_within_a_default_space_are_read_there(folder):
    """Unmarked functions next to texture references are device functions."""
    body = "std::get<0>(std::make_tuple(n)) + tex1Dfetch(table, n)"
    source = f"#include <tuple>\ntexture<float, 1> table;\n{kernel(body)}"
    before = made(folder)
    image = outcome(source)
    assert isinstance(image, bytes) and image == plainly(source)
    assert made(folder) == before + 1, "those of the language alone"


def test_shared_variables_of_complex_numbers(folder):
    """The front end rejects them at first."""
    body = "shared[n].real()"
    source = f"#include <pycuda-complex.hpp>\n{kernel(body)}".replace(
        "{", "{\n    __shared__ pycuda::complex<float> shared[3];", 1
    )
    image = outcome(source)
    assert isinstance(image, bytes) and image == plainly(source)


def test_files_before_the_source_come_before_its_includes(folder, tmp_path):
    (tmp_path / "first.h").write_text("#define make_half2 pair\n")
    options = [f"--pre-include={tmp_path / 'first.h'}"]
    source = f"#include <cuda_fp16.h>\n{kernel('pair(n, n).x')}"
    image = outcome(source, options)
    assert isinstance(image, bytes)
    assert image == plainly(source, options)
    assert made(folder) == 0


@pytest.mark.parametrize(
    "body", ["undeclared", "std::get<3>(std::make_tuple(n))"]
)
def test_errors_are_those_of_the_text(folder, body):
    """Errors have the right lines and chains of includes."""
    source = f"\n#include <tuple>\n{kernel(body)}"
    said = outcome(source)
    assert "error" in said and said == plainly(source)
    assert made(folder) == 1


@pytest.mark.parametrize("which", ["upper", "lower", "no lower"])
def test_damaged_ones_are_made_anew(folder, which):
    source = f"#include <tuple>\n{kernel()}"
    image = outcome(source)
    upper, lower = sorted(folder.iterdir(), key=lambda p: p.stat().st_size)
    sizes = {path: path.stat().st_size for path in (upper, lower)}
    path = upper if which == "upper" else lower
    if which == "no lower":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:1000])
    for _ in range(3):
        assert outcome(source) == image
    assert {p: p.stat().st_size for p in folder.iterdir()} == sizes


def compile_bare(source, headers=None):
    """Compile without the options that the package adds."""
    return _driver._compile(source, "kernel.cu", [], headers or {})[0]


@pytest.mark.parametrize(
    ("name", "more"),
    [("cpu/include/half/type.h", 1), ("std/move.h", 2)],
)
def test_changed_headers_are_precompiled_anew(
    folder, tmp_path, monkeypatch, name, more
):
    """A header that the source includes, and one that is optional."""
    headers = tmp_path / "cuda"
    shutil.copytree(HEADERS, headers)
    monkeypatch.setenv("PYCUDA_CUDA_HEADERS", str(headers))
    source = f"#include <cuda_fp16.h>\n{kernel('CHANGED')}"
    assert compile_bare(source) != 0
    before = made(folder)
    with open(headers / name, "a") as header:
        header.write("#undef CHANGED\n#define CHANGED 1\n")
    assert compile_bare(source) == 0
    assert made(folder) == before + more


def test_headers_given_in_memory_come_first(folder):
    given = {"cuda_fp16.h": "#define MINE 7\n"}
    source = f"#include <cuda_fp16.h>\n{kernel('MINE')}"
    before = made(folder)
    assert compile_bare(source, given) == 0
    assert compile_bare(source.replace("16", "8"), given) != 0
    assert made(folder) == before + 1, "those of the language alone"


PROGRAM = """
import sys
from pycuda.compiler import compile
image = compile(sys.argv[1], no_extern_c=True, cache_dir=False)
sys.stdout.buffer.write(image)
"""


def compile_elsewhere(source, **variables):
    """Return a process that writes the image."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, source],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
    )


def test_one_that_somebody_else_removes(folder, tmp_path, monkeypatch):
    """Another process removes the file while the front end runs."""
    source = f"#include <tuple>\n{kernel()}"
    image = outcome(source)
    clang = tmp_path / "clang"
    find = f'find "{folder}" -name "*.pch" -delete'
    clang.write_text(f'#!/bin/sh\n{find}\nexec {real_front_end()} "$@"\n')
    clang.chmod(0o755)
    done = compile_elsewhere(source, PYCUDA_CLANG=str(clang))
    assert done.communicate(timeout=120)[0] == image


def test_many_processes_may_begin_at_once(tmp_path):
    source = f"#include <tuple>\n{kernel()}"
    running = [
        compile_elsewhere(source, PYCUDA_CACHE_DIR=str(tmp_path))
        for _ in range(4)
    ]
    images = {process.communicate(timeout=120)[0] for process in running}
    assert images == {plainly(source)}
    assert made(tmp_path / "front") == 1


LINES = st.sampled_from(
    [
        "#include <tuple>",
        '#include "tuple"',
        "#  include <cuda/atomic>",
        "/* a */ #include <cuComplex.h>",
        "#include <cuComplex.h> // b",
        "#include <cuComplex.h> // b \\",
        "#include <tuple> /* c",
        "c */",
        "// ??/",
        "#include <stdint.h>",
        "#include <tu\\",
        "ple>",
        "#include NAME",
        "#define NAME <tuple>",
        "#define std mine",
        "#define tuple_size tuple_length",
        "#if 0",
        "#else",
        "#endif",
        '#line 3 "other.cu"',
        'extern "C" {',
        "}",
        "",
        "\r",
    ]
)


@settings(max_examples=20)
@given(
    lines=st.lists(LINES, max_size=6),
    standard=st.sampled_from(["c++14", "c++17"]),
    wrapped=st.booleans(),
)
def test_sources_mean_what_they_say(lines, standard, wrapped):
    """The meaning is unchanged, whatever the source begins with."""
    source = "\n".join(lines) + kernel()
    words = ([f"-std={standard}"], not wrapped)
    assert outcome(source, *words) == plainly(source, *words)
