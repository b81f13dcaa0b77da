"""Arrays of several devices and libraries, in separate processes.

The number of CPU devices is fixed when a process starts. With only one GPU the
cells of the other device are left out.
"""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TWO = {"PYCUDA_DEVICE": "cpu", "PYCUDA_CPU_DEVICES": "2"}


def run(program: str, *options: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, HERE / program, *options],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_matrix_of_two_devices() -> None:
    text = run("interop_matrix.py", "3", "2", **TWO)
    assert "76 cells, all good" in text


@pytest.mark.gpu
def test_matrix_of_libraries() -> None:
    assert "all good" in run("interop_matrix.py", "20", "2")


@pytest.mark.cpu
def test_arrays_of_another_cpu_device() -> None:
    assert "11 passed" in run("two_devices.py", **TWO)


@pytest.mark.gpu
def test_arrays_of_another_gpu() -> None:
    import pycuda.driver as drv

    if drv.Device.count() < 2:
        pytest.skip("needs two GPUs")
    assert "11 passed" in run("two_devices.py")
