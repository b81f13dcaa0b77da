"""NVIDIA's cuda-bindings, unmodified, on the CPU device."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("bindings_vector_add.py")

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.no_sanitizer,  # the test uses LD_PRELOAD itself
    pytest.mark.skipif(
        importlib.util.find_spec("cuda") is None
        or importlib.util.find_spec("cuda.bindings") is None,
        reason="cuda-bindings is not installed",
    ),
]


def run(*words):
    return subprocess.run(
        [sys.executable, "-m", "pycuda.cpu", *words],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",  # the source tree must not hide the installed package
    )


def test_vector_addition():
    done = run("run", sys.executable, str(PROGRAM))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "Success"
    assert done.stderr == ""


def test_python_files_run_by_themselves():
    done = run("run", str(PROGRAM))
    assert done.stdout.endswith("Success\n"), done.stderr


def test_stub_dir(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path))
    folder = Path(run("--stub-dir").stdout.strip())
    driver, nvrtc = folder / "libcuda.so.1", folder / "libnvrtc.so.13"
    assert folder.is_relative_to(tmp_path)
    assert driver.resolve() == nvrtc.resolve()
    assert driver.resolve().name == "libpycuda_cpu.so"
    names = {path.name for path in folder.iterdir()}
    assert {"libcuda.so", "libnvrtc.so", "libcublas.so"} <= names


def test_exit_status_is_the_programs():
    assert run("run", "sh", "-c", "exit 7").returncode == 7


def test_missing_program():
    done = run("run", "no-such-program-anywhere")
    assert done.returncode == 1
    assert (
        "no-such-program-anywhere" in done.stderr or "No such" in done.stderr
    )


def test_missing_library(tmp_path):
    env = dict(os.environ, PYCUDA_CPU_LIBRARY=str(tmp_path / "none.so"))
    done = subprocess.run(
        [sys.executable, "-m", "pycuda.cpu", "--stub-dir"],
        capture_output=True,
        text=True,
        env=env,
        cwd="/",
    )
    assert done.returncode == 1
    assert "without the CPU device" in done.stderr
