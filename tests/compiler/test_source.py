"""Scans of the source for texture references and includes."""

# SPDX-License-Identifier: MIT

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pycuda._compile import includes
from pycuda._compile.source import (
    _may_include,
    included_names,
    names_reference,
    wrap,
)
from pycuda.compiler import SourceModule


def scan(text, *folders):
    """Return the includes that are found from `text` in these folders."""
    found = includes.Folders(lambda: [str(folder) for folder in folders])
    return includes.scan(text, [], found)


@pytest.mark.parametrize(
    "text",
    [
        "texture<float, 2> t;",
        "static texture < float4 > t;",
        "surface<void, 2> s;",
        "texture\n<float> t;",
        'char *c = "//"; texture<float> t;',
        "texture /* of */ <float> t;",
    ],
)
def test_references_are_seen(text):
    assert names_reference(text)


@pytest.mark.parametrize(
    "text",
    [
        "cudaTextureObject_t texture;",
        "// texture<float> t;",
        "/* texture<float> t;\n surface<void> s; */",
        'printf("texture<float>");',
        "my_texture<float> t;",
        "if (texture > 3) {}",
        "// one \\\n texture<float> t;",
    ],
)
def test_what_only_looks_like_a_reference(text):
    assert not names_reference(text)


def test_includes_of_both_branches():
    text = """
    #if A
    # include <one.h>
    #else
    #include "two.h"
    #endif
    // #include <three.h>
    /* #include <four.h> */
    #if __has_include(<five.h>)
    """
    assert included_names(text) == ["<one.h>", '"two.h"', "<five.h>"]


PIECES = st.sampled_from(
    ["#", "include", "__has_", "\n", " ", "in", "\\", "x"]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_the_quick_look_for_includes_is_the_expression_s(text):
    expected = re.search(r"#[^\n]*include|__has_include", text)
    assert _may_include(text) == (expected is not None)


def test_scan_follows_files(tmp_path):
    (tmp_path / "a.h").write_text('#include "sub/b.h"\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.h").write_text('#include "c.h"\n')
    (tmp_path / "sub" / "c.h").write_text("texture<float> t;\n")
    found = scan("#include <a.h>\n", tmp_path)
    assert len(found.files) == 3
    assert found.uses_references
    assert found.complete


def test_scan_ends_on_a_circle_and_notes_what_is_missing(tmp_path):
    (tmp_path / "a.h").write_text("#include <a.h>\n#include <none.h>\n")
    found = scan("#include <a.h>\n", tmp_path)
    assert ("<none.h>", b"") in found.files
    assert len(found.files) == 2


def test_macro_includes_make_the_scan_incomplete():
    assert not scan("#include NAME\n").complete


def test_folders_are_looked_for_when_an_include_needs_them(tmp_path):
    asked = []

    def find():
        asked.append(1)
        return [str(tmp_path)]

    (tmp_path / "a.h").write_text("int a;\n")
    folders = includes.Folders(find)
    plain = includes.scan("int x;\n", [includes.ours("prelude.h")], folders)
    names = [name for name, _ in plain.files]
    assert names == ["prelude.h", "std/min_max.h"]
    assert not asked
    found = includes.scan("#include <a.h>\n", [], folders)
    assert [name for name, _ in found.files] == ["0:a.h"]
    assert asked == [1]


def test_a_kept_source_without_includes_needs_no_folders(
    context, tmp_path, monkeypatch
):
    source = "__global__ void f(int *o) { *o = 1; }"
    SourceModule(source, cache_dir=tmp_path)
    monkeypatch.delattr(includes, "search_dirs")
    SourceModule(source, cache_dir=tmp_path).get_function("f")


def test_wrap_keeps_line_numbers():
    assert wrap("one\ntwo", False).split("\n")[:3] == [
        'extern "C" {',
        '#line 1 "kernel.cu"',
        "one",
    ]
    assert wrap("text", True) == "text"


def test_files_are_named_by_their_place(tmp_path):
    labels = []
    for place in ("here", "there"):
        (tmp_path / place / "sub").mkdir(parents=True)
        (tmp_path / place / "a.h").write_text('#include "sub/b.h"\n')
        (tmp_path / place / "sub" / "b.h").write_text("int b;\n")
        found = scan("#include <a.h>\n", tmp_path / place)
        labels.append([name for name, _ in found.files])
        assert not found.names_files
    assert labels == [["0:a.h", "0:sub/b.h"]] * 2


@pytest.mark.parametrize(
    "text", ["assert(x);", "char *f = __FILE__;", "auto f = __builtin_FILE();"]
)
def test_files_that_may_put_their_path_into_the_image(tmp_path, text):
    (tmp_path / "a.h").write_text(text)
    assert scan("#include <a.h>\n", tmp_path).names_files


LAYOUTS = {
    "wheels of CUDA 13": (
        "nvidia/cu13/include/cuda_runtime.h",
        "nvidia/cu13/include/cccl/cub/cub.cuh",
    ),
    "wheels of CUDA 12": (
        "nvidia/cuda_runtime/include/cuda_runtime.h",
        "nvidia/cuda_cccl/include/cub/cub.cuh",
        "nvidia/curand/include/curand_kernel.h",
        "nvidia/cuda_nvcc/include/crt/host_defines.h",
    ),
}
TOOLKITS = {
    "CUDA_PATH": ("include/cuda_runtime.h", "include/cccl/cub/cub.cuh"),
    "CUDA_HOME": ("include/cuda_runtime.h",),
    "CUDA_ROOT": ("include/cuda_runtime.h",),
    "CONDA_PREFIX": ("targets/x86_64-linux/include/cuda_runtime.h",),
}


def lay(folder, files):
    """Create the files and return their include folders."""
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    endings = ("cuda_runtime.h", "cub/cub.cuh", "curand_kernel.h",
               "crt/host_defines.h")  # fmt: skip
    return [
        str(folder / name.removesuffix(end)).rstrip("/")
        for name in files
        for end in endings
        if name.endswith(end)
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_folders_of_wheels(layout, tmp_path, monkeypatch):
    folders = lay(tmp_path, LAYOUTS[layout])
    monkeypatch.syspath_prepend(str(tmp_path))
    includes.wheel_dirs.cache_clear()
    try:
        found = includes.search_dirs([], True)
    finally:
        includes.wheel_dirs.cache_clear()
    assert [d for d in found if d.startswith(str(tmp_path))] == folders
    assert found[0].endswith("cuda/nvrtc")


@pytest.mark.parametrize("variable", TOOLKITS)
def test_folders_of_toolkits(variable, tmp_path, monkeypatch):
    folders = lay(tmp_path, TOOLKITS[variable])
    monkeypatch.setenv(variable, str(tmp_path))
    found = includes.search_dirs(["/user"], True)
    assert [d for d in found if d.startswith(str(tmp_path))] == folders
    assert found[0] == "/user"


def test_the_toolkit_of_the_nvcc_on_path(tmp_path, monkeypatch):
    (folder,) = lay(tmp_path, ["include/cuda_runtime.h"])
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\n")
    nvcc.chmod(0o755)
    monkeypatch.setenv("PATH", str(nvcc.parent))
    assert folder in includes.search_dirs([], True)


def test_the_version_of_a_wheel_stands_for_its_headers(tmp_path):
    lay(tmp_path, LAYOUTS["wheels of CUDA 13"])
    folder = str(tmp_path / "nvidia/cu13/include")
    identities = set()
    for version in ("13.0.1", "13.0.2"):
        wheel = tmp_path / f"nvidia_cuda_runtime-{version}.dist-info"
        wheel.mkdir()
        identities.add(includes._foreign_identity.__wrapped__(folder))
        wheel.rmdir()
    identities.add(includes._foreign_identity.__wrapped__(folder))
    assert len(identities) == 3


def test_the_files_of_headers_stand_for_them_without_a_version(tmp_path):
    identities = set()
    for text in ("", "1", "22"):
        (tmp_path / "cuda.h").write_text(text)
        identities.add(includes._foreign_identity.__wrapped__(str(tmp_path)))
    assert len(identities) == 3


@pytest.mark.parametrize(
    ("header", "major", "package"),
    [
        ("cuda_fp16.h", 13, "nvidia-cuda-runtime"),
        ("cuda_fp16.h", 12, "nvidia-cuda-runtime-cu12"),
        ("curand_kernel.h", 13, "nvidia-curand"),
        ("cub/cub.cuh", 12, "nvidia-cuda-cccl-cu12"),
        ("crt/mma.h", 12, "nvidia-cuda-nvcc-cu12"),
        ("mine.h", 13, None),
    ],
)
def test_the_package_that_has_a_header(header, major, package):
    assert includes.package_for(header, major) == package
