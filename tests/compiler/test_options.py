"""nvcc's options as NVRTC's."""

# SPDX-License-Identifier: MIT

import pytest

from pycuda._compile.options import (
    arch_number,
    as_list,
    choose_arch,
    translate,
)

SAME = {
    "-G": "--device-debug",
    "-lineinfo": "--generate-line-info",
    "-use_fast_math": "--use_fast_math",
    "-maxrregcount=32": "--maxrregcount=32",
    "-std=c++17": "--std=c++17",
    "--ptxas-options=-v": "--ptxas-options=-v",
    "-Xptxas=-v": "--ptxas-options=-v",
    "-rdc=true": "--relocatable-device-code=true",
    "-dc": "--relocatable-device-code=true",
    "-DN=3": "--define-macro=N=3",
    "-DN": "--define-macro=N",
    "--resource-usage": "--ptxas-options=-v",
    "--unheard-of": "--unheard-of",
}


@pytest.mark.parametrize(("nvcc", "nvrtc"), SAME.items())
def test_one_word(nvcc, nvrtc):
    assert translate([nvcc]).options == [nvrtc]


@pytest.mark.parametrize(
    "words",
    [
        ["-O3"],
        ["-g"],
        ["-m64"],
        ["-Xcompiler", "-fPIC"],
        ["--compiler-options=-O2"],
        ["-ccbin", "g++"],
        ["-lcudadevrt"],
        ["-L/usr/lib"],
        ["-O", "3"],
    ],
)
def test_host_options_are_dropped(words):
    assert translate([*words, "-w"]).options == ["--disable-warnings"]


def test_values_in_the_next_word():
    out = translate(["-D", "N=3", "-maxrregcount", "16", "-Xptxas", "-v,-O1"])
    assert out.options == [
        "--define-macro=N=3",
        "--maxrregcount=16",
        "--ptxas-options=-v",
        "--ptxas-options=-O1",
    ]


def test_folders_and_headers_come_apart():
    out = translate(["-I", "/a", "-I/b", "-isystem", "/c", "-include", "x.h"])
    assert out.include_dirs == ["/a", "/b", "/c"]
    assert out.pre_includes == ["x.h"]
    assert out.options == []


def test_architecture_is_taken_out():
    out = translate(["-gencode", "arch=compute_80,code=sm_86"])
    assert (out.arch, out.code) == ("compute_80", "sm_86")
    assert translate(["-arch=sm_90"]).arch == "sm_90"


@pytest.mark.parametrize(
    ("arch", "code", "chosen"),
    [
        (None, None, "sm_90"),
        ("sm_80", None, "sm_80"),
        ("native", None, "sm_90"),
        ("compute_80", "sm_80,sm_90", "sm_90"),
        ("compute_80", "sm_80,sm_86", "sm_86"),
    ],
)
def test_choice_of_architecture(arch, code, chosen):
    assert choose_arch(arch, code, "sm_90") == chosen


def test_architecture_numbers_of_three_digits():
    assert arch_number("sm_100") == 100
    assert arch_number("sm_90a") == 90
    assert arch_number("native") is None


def test_options_must_be_a_list():
    assert as_list(("-g", "-G")) == ["-g", "-G"]
    with pytest.raises(TypeError, match="list of strings"):
        as_list("-O3")
