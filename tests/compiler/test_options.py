"""Translation of nvcc's options to NVRTC's."""

# SPDX-License-Identifier: MIT

import pytest

from pycuda._compile.arch import arch_number, choose_arch
from pycuda._compile.options import OptionError, as_list, translate

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
        ("compute_70", "sm_70,compute_70", "compute_70"),
        ("compute_70", "sm_70,compute_70,compute_80,sm_120", "compute_80"),
        ("compute_70", "[sm_100, compute_100]", "compute_100"),
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


def test_the_best_of_one_generation():
    codes = "sm_80,sm_86,sm_87,compute_80"
    assert choose_arch(None, codes, "sm_86") == "sm_86"
    assert choose_arch(None, codes, "sm_89") == "sm_87"
    assert choose_arch(None, codes, None) == "compute_80"


def test_several_generate_codes():
    out = translate(
        [
            "-gencode", "arch=compute_80,code=sm_80",
            "-gencode=arch=compute_90,code=[sm_90,compute_90]",
            "--generate-code", "arch=compute_100",
        ]
    )  # fmt: skip
    assert out.code == "sm_80,sm_90,compute_90,compute_100"


def test_flags_with_a_value():
    assert translate(["-use_fast_math=true"]).options == ["--use_fast_math"]
    assert translate(["-use_fast_math=false"]).options == []


def test_a_file_of_options(tmp_path):
    path = tmp_path / "options"
    path.write_text('-DA -D "B=a b"\n-w')
    assert translate(["-DZ", "-optf", str(path)]).options == [
        "--define-macro=Z",
        "--define-macro=A",
        "--define-macro=B=a b",
        "--disable-warnings",
    ]


@pytest.mark.parametrize(
    "words",
    [["-run"], ["-link"], ["--version"], ["-dlto"], ["-I"], ["-D="],
     ["-optf", "nowhere"]],
)  # fmt: skip
def test_what_cannot_be(words):
    with pytest.raises(OptionError, match=words[-1].rstrip("=")):
        translate(words)


def test_short_names_are_no_libraries():
    """Options -link, -lineinfo and -lib begin with -l as well."""
    assert translate(["-lineinfo"]).options == ["--generate-line-info"]
    assert translate(["-lcuda", "-Lthere", "-l", "x"]).options == []


def test_warnings_as_errors():
    assert translate(["-Werror=all-warnings"]).warnings_are_errors
    assert not translate(["-Werror", "reorder"]).warnings_are_errors
