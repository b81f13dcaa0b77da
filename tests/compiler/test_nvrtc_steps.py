"""Handling of NVRTC's results on a GPU, with a simulated NVRTC."""

# SPDX-License-Identifier: MIT

import pytest

import pycuda.driver as drv
from pycuda import _driver, compiler
from pycuda._compile import job, nvrtc

SOURCE = "__global__ void f() {}\n"
HOST_CODE = (
    "kernel.cu(1): error: A function without execution space annotations is "
    "considered a host function, and host functions are not allowed in JIT "
    "mode."
)
LAMBDA = "error: __host__ or __device__ annotation on lambda is not allowed"
NO_HEADER = 'error: cannot open source file "{}"\n'
NVCC = """#!/bin/sh
printf '%s\\n' "$@" > "${0%/*}/words"
[ -e "${0%/*}/refuse" ] && exit 1
echo "image of nvcc" > kernel.cubin
"""


class Nvrtc:
    """Returns prepared results in turn and records its arguments."""

    def __init__(self, *answers, archs=(75, 80, 90), version=(13, 0)):
        self.answers = list(answers)
        self.asked = []
        self.info = ("libnvrtc.so.13", *version, list(archs))

    def compile(self, source, name, options, headers, target, names):
        if "-minimal" in options and isinstance(self.answers[0], str):
            return 6, None, "what -minimal leaves out is missing", {}
        options = [o for o in options if o != "-minimal"]
        self.asked.append((options, target))
        answer = self.answers.pop(0)
        if isinstance(answer, bytes):
            return 0, answer, "", {}
        return 6, None, answer, {}


@pytest.fixture
def play(monkeypatch, tmp_path):
    """Replace the device's NVRTC by a simulated one."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def start(*answers, **kwargs):
        played = Nvrtc(*answers, **kwargs)
        monkeypatch.setattr(job, "on_gpu", lambda: True)
        monkeypatch.setattr(job, "device_arch", lambda: "sm_90")
        monkeypatch.setattr(_driver, "_compile", played.compile)
        monkeypatch.setattr(_driver, "_nvrtc_info", lambda: played.info)
        return played

    return start


@pytest.fixture
def nvcc(tmp_path):
    (tmp_path / "nvcc").write_text(NVCC)
    (tmp_path / "nvcc").chmod(0o755)
    return tmp_path


def compiled(**kwargs):
    return compiler.compile(SOURCE, cache_dir=False, **kwargs)


@pytest.mark.parametrize("kind", ["gpu", "cpu"])
def test_the_device_chooses_the_compiler(monkeypatch, kind):
    monkeypatch.setattr(_driver, "_device_kind", lambda: kind)
    assert job.on_gpu() is (kind == "gpu")


def test_the_device_has_an_architecture(context):
    major, minor = drv.Context.get_device().compute_capability()
    assert job.device_arch() == f"sm_{major}{minor}"


def test_straight_to_the_devices_code(play):
    played = play(b"image")
    assert compiled(options=["-w"]) == b"image"
    options, target = played.asked[0]
    assert target == "cubin"
    assert options[:3] == [
        "--no-cache", "--gpu-architecture=sm_90", "--disable-warnings",
    ]  # fmt: skip
    assert play(b"ptx", version=(12, 9)).info[1] == 12
    assert compiled(target="ptx") == b"ptx"


def test_a_device_newer_than_nvrtc(play):
    played = play(b"ptx", archs=(75, 80))
    assert compiled() == b"ptx"
    options, target = played.asked[0]
    assert (options[1], target) == ("--gpu-architecture=compute_80", "ptx")


def test_an_nvrtc_without_a_cache_of_its_own(play):
    played = play(b"image", version=(12, 9))
    compiled()
    assert played.asked[0][0][0] == "--gpu-architecture=sm_90"


def test_hints_that_an_older_nvrtc_lacks_are_left_out(play):
    played = play(
        "nvrtc: error: unrecognized option --Ofast-compile=max found\n"
        "nvrtc: error: unrecognized option --split-compile=2 found",
        b"image",
    )
    options = ["-Ofc", "max", "-split-compile=2", "-fmad=false"]
    assert compiled(options=options) == b"image"
    first, second = (asked[0] for asked in played.asked)
    assert set(first) - set(second) == {
        "--Ofast-compile=max", "--split-compile=2",
    }  # fmt: skip
    assert "--fmad=false" in second
    play("nvrtc: error: unrecognized option --fmad=false found", b"image")
    with pytest.raises(drv.CompileError, match="unrecognized option --fmad"):
        compiled(options=["-fmad=false"])


def test_ambiguous_calls_are_tried_with_overloads(play):
    log = "error: more than one instance of overloaded function"
    played = play(log, b"image")
    assert compiled() == b"image"
    assert "mixed_math.h" in played.asked[1][0][0]
    play(log, "error: worse")
    with pytest.raises(drv.CompileError, match="more than one instance"):
        compiled()


def test_what_needs_an_option_of_nvrtcs(play):
    ambiguous = "error: more than one instance of overloaded function"
    option = "--device-as-default-execution-space"
    played = play(HOST_CODE, b"image")
    assert compiled() == b"image"
    assert [option in words for words, _ in played.asked] == [False, True]
    for logs in ((HOST_CODE, ambiguous), (ambiguous, HOST_CODE)):
        played = play(*logs, b"image")
        assert compiled() == b"image"
        words = played.asked[2][0]
        assert option in words and "mixed_math.h" in " ".join(words)
    played = play(ambiguous + HOST_CODE, b"image")
    assert compiled() == b"image"
    assert option in played.asked[1][0]
    wide = 'error: 128-bit integer type is only supported in Linux with "--'
    played = play(wide, b"image")
    assert compiled() == b"image"
    assert "--device-int128" in played.asked[1][0]
    play(HOST_CODE, ambiguous, "error: worse")
    with pytest.raises(drv.CompileError, match="JIT mode"):
        compiled()
    play(LAMBDA)
    with pytest.raises(drv.CompileError, match="annotation on lambda"):
        compiled()


@pytest.mark.parametrize(
    "log", [HOST_CODE, LAMBDA, NO_HEADER.format("vector")]
)
def test_nvcc_helps_once_where_it_is_there(log, play, nvcc):
    play(log, log)
    with pytest.warns(UserWarning, match="nvcc was used instead") as caught:
        assert compiled(options=["-DX"]) == b"image of nvcc\n"
    assert len(caught) == 1
    words = (nvcc / "words").read_text().split()
    assert words[:4] == ["--cubin", "-DX", "-arch", "sm_90"]
    (nvcc / "refuse").write_text("")
    play(log, log)
    with pytest.raises(drv.CompileError) as failure:
        compiled()
    assert failure.value.stderr == log.strip()


def test_nvcc_is_left_alone_for_a_plain_error(play, nvcc):
    play("error: a plain mistake")
    with pytest.raises(drv.CompileError, match="a plain mistake"):
        compiled()
    assert not (nvcc / "words").exists()


@pytest.mark.parametrize(
    ("log", "advice"),
    [
        (HOST_CODE, "mark it __device__"),
        (LAMBDA, "Leave __device__ out"),
        (NO_HEADER.format("cuda_fp16.h"), "pip install nvidia-cuda-runtime"),
        (NO_HEADER.format("cub/cub.cuh"), "pip install nvidia-cuda-cccl"),
        (NO_HEADER.format("mine.h"), "include_dirs="),
        ('error: this may not have extern "C" linkage', "no_extern_c=True"),
        ('identifier "cudaMalloc" is undefined', "launched from Python"),
    ],
)
def test_advice(log, advice, play):
    play(log, log)
    with pytest.raises(drv.CompileError) as caught:
        compiled()
    assert advice in caught.value.msg
    assert caught.value.msg.startswith("nvrtc compilation of kernel.cu failed")


def test_what_is_missing():
    assert nvrtc.missing_header(NO_HEADER.format("a.h")) == "a.h"
    assert nvrtc.missing_header("'b.h' file not found") == "b.h"
    assert nvrtc.missing_header("something else") is None
    assert nvrtc.advice("something else", True) == ""
