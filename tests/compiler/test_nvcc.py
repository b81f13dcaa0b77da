"""An nvcc that the caller specifies, simulated by a script."""

# SPDX-License-Identifier: MIT

import os
import warnings
from pathlib import Path

import pytest

import pycuda.driver as drv
from pycuda import compiler

SCRIPT = """#!/bin/sh
folder=$(dirname "$0")
for word in "$@"; do
    case $word in
    --version) echo "nvcc of the test, release 1"; exit 0 ;;
    --cubin | --ptx | --fatbin) target=${word#--} ;;
    --preprocess) grep -v '^#' kernel.cu; cat "$folder/said" >&2
        exit "$(cat "$folder/status")" ;;
    esac
done
printf '%s\\n' "$@" > "$folder/words"
cat kernel.cu > "$folder/source"
cat "$folder/said"
cat "$folder/said" >&2
[ -e "$folder/nothing" ] || printf 'image of %s' "$target" > "kernel.$target"
exit "$(cat "$folder/status")"
"""
SOURCE = "__global__ void f() {}\n"


class Nvcc:
    """The script, its planned behavior and its recorded arguments."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = str(folder / "my-nvcc")
        Path(self.path).write_text(SCRIPT)
        os.chmod(self.path, 0o755)
        self.set()

    def set(self, status: int = 0, said: str = "") -> None:
        (self.folder / "status").write_text(str(status))
        (self.folder / "said").write_text(said)

    @property
    def words(self) -> list[str]:
        return (self.folder / "words").read_text().splitlines()

    @property
    def source(self) -> str:
        return (self.folder / "source").read_text()


@pytest.fixture
def nvcc(tmp_path, monkeypatch):
    monkeypatch.delenv("PYCUDA_DISABLE_CACHE", raising=False)
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir()
    return Nvcc(tmp_path / "bin")


def test_a_compilation(nvcc):
    image = compiler.compile(
        SOURCE,
        nvcc=nvcc.path,
        options=["-O3"],
        arch="sm_90",
        code="sm_90",
        include_dirs=["/mine"],
        target="ptx",
    )
    assert image == b"image of ptx"
    assert nvcc.words[:2] == ["--ptx", "-O3"]
    assert nvcc.words[2:6] == ["-arch", "sm_90", "-code", "sm_90"]
    assert nvcc.words[6] == "-I/mine"
    assert nvcc.words[7].endswith("pycuda/cuda")
    assert nvcc.words[8] == "kernel.cu"
    assert nvcc.source.startswith('extern "C" {')


def test_plain(nvcc):
    arguments = (SOURCE, ["-w"], False, nvcc.path, False)
    assert compiler.compile_plain(*arguments) == b"image of cubin"
    assert nvcc.words == ["--cubin", "-w", "kernel.cu"]
    assert nvcc.source == SOURCE
    assert compiler.compile_plain(*arguments, "fatbin") == b"image of fatbin"
    with pytest.raises(AssertionError):
        compiler.compile_plain(*arguments, target="exe")


def test_its_images_are_kept(nvcc):
    nvcc.set(said="a remark")
    with pytest.warns(UserWarning, match="a remark"):
        compiler.compile(SOURCE, nvcc=nvcc.path)
    nvcc.set(status=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiler.compile(SOURCE, nvcc=nvcc.path) == b"image of cubin"
    with pytest.raises(drv.CompileError):
        compiler.compile(SOURCE, nvcc=nvcc.path, options=["-O1"])


def test_an_error(nvcc):
    nvcc.set(status=2, said="line 1 is wrong")
    with pytest.raises(drv.CompileError) as caught:
        compiler.compile(SOURCE, nvcc=nvcc.path, options=["-DX"])
    error = caught.value
    assert error.msg.startswith("my-nvcc compilation of ")
    assert error.msg.endswith("kernel.cu failed")
    assert error.command_line[:3] == [nvcc.path, "--cubin", "-DX"]
    assert (error.stdout, error.stderr) == ("line 1 is wrong",) * 2
    assert str(error) == (
        f"{error.msg}\n[stderr:\nline 1 is wrong]\n"
        "[stdout:\nline 1 is wrong]\n"
        f"[command: {' '.join(error.command_line)}]"
    )
    assert error.args == (
        error.msg, error.command_line, error.stdout, error.stderr,
    )  # fmt: skip


def test_success_without_an_image(nvcc):
    (nvcc.folder / "nothing").write_text("")
    with (
        pytest.warns(UserWarning, match="exited with status 0, but"),
        pytest.raises(drv.CompileError),
    ):
        compiler.compile(SOURCE, nvcc=nvcc.path)


def test_demotion(nvcc):
    nvcc.set(said="Double is not supported. Demoting to float")
    nvcc.set(said="double is demoted to float")
    with pytest.warns(UserWarning) as caught:
        compiler.compile(SOURCE, nvcc=nvcc.path)
    assert "demoted types" in str(caught[0].message)
    assert "succeeded, but said" in str(caught[1].message)


def test_keep(nvcc, capsys):
    compiler.compile(SOURCE, nvcc=nvcc.path, keep=True)
    line = capsys.readouterr().out.strip()
    folder = line.removeprefix("*** compiler output in ")
    assert "kernel.cubin" in os.listdir(folder)
    assert "--keep" in nvcc.words
    compiler.compile(SOURCE, nvcc=nvcc.path, keep=True)
    assert capsys.readouterr().out == "", "a hit compiles nothing"


def test_nothing_is_left_behind(nvcc, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    compiler.compile(SOURCE, nvcc=nvcc.path)
    nvcc.set(status=1)
    with pytest.raises(drv.CompileError):
        compiler.compile(SOURCE, nvcc=nvcc.path, options=["-DY"])
    with pytest.raises(drv.CompileError):
        compiler.preprocess_source(SOURCE, [], nvcc.path)
    assert os.listdir(tmp_path / "tmp") == []


def test_version(nvcc):
    text = compiler.get_nvcc_version(nvcc.path)
    assert text == "nvcc of the test, release 1\n"
    os.unlink(nvcc.path)
    assert compiler.get_nvcc_version(nvcc.path) == text, "asked once"
    with pytest.warns(UserWarning, match="cannot be determined"):
        assert (
            compiler.get_nvcc_version("/nonexistent/nvcc")
            == "nvcc unknown version"
        )


def test_preprocessing(nvcc):
    text = compiler.preprocess_source("#define X\n" + SOURCE, [], nvcc.path)
    assert text == SOURCE
    with pytest.raises(drv.CompileError, match="ridiculously small"):
        compiler.preprocess_source("#define X\n" * 9, [], nvcc.path)
    nvcc.set(status=1, said="no such file")
    with pytest.raises(drv.CompileError, match="preprocessing of") as caught:
        compiler.preprocess_source(SOURCE, ["-DX"], nvcc.path)
    assert caught.value.stderr == "no such file"
    assert "-DX" in caught.value.command_line
    with pytest.raises(FileNotFoundError, match="needs nvcc"):
        compiler.preprocess_source(SOURCE, [], "/nonexistent/nvcc")


def test_text_that_is_not_utf8(nvcc):
    Path(nvcc.folder / "said").write_bytes(b"\xff\xfe")
    with pytest.warns(UserWarning, match="said the following"):
        compiler.compile(SOURCE, nvcc=nvcc.path)
