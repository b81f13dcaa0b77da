"""Another library makes its own context current between our calls.

torch, CuPy and NCCL do so. The programs run in processes of their own, because
the number of CPU devices is fixed when a process starts.
"""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda
import pycuda.driver as drv
from pycuda import _driver

PROGRAM = Path(__file__).parent / "switched_contexts.py"
CPU_LIBRARY = Path(pycuda.__file__).parent / "lib" / "libpycuda_cpu.so"


def run(devices: tuple[int, int], **environment: str) -> None:
    library = (
        CPU_LIBRARY if _driver._device_kind() == "cpu" else "libcuda.so.1"
    )
    done = subprocess.run(
        [sys.executable, PROGRAM, library, *map(str, devices)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all right" in done.stdout


@pytest.mark.no_sanitizer
def test_contexts_of_one_device() -> None:
    run((0, 0))


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_contexts_of_two_devices() -> None:
    run((0, 1), PYCUDA_DEVICE="cpu", PYCUDA_CPU_DEVICES="2")


@pytest.mark.gpu
def test_contexts_of_two_gpus() -> None:
    if drv.Device.count() < 2:
        pytest.skip("needs two GPUs")
    run((0, 1))
