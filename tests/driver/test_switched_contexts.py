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

HERE = Path(__file__).parent
PROGRAMS = pytest.mark.parametrize("program", ["contexts", "waits"])
CPU_LIBRARY = Path(pycuda.__file__).parent / "lib" / "libpycuda_cpu.so"


def run(program: str, devices: tuple[int, int], **environment: str) -> None:
    library = (
        CPU_LIBRARY if _driver._device_kind() == "cpu" else "libcuda.so.1"
    )
    done = subprocess.run(
        [sys.executable, HERE / f"switched_{program}.py", library]
        + [str(device) for device in devices],
        env={**os.environ, "PYCUDA_CPU_MEMORY": "512M", **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all right" in done.stdout


@pytest.mark.no_sanitizer
@PROGRAMS
def test_contexts_of_one_device(program: str) -> None:
    run(program, (0, 0))


@pytest.mark.cpu
@pytest.mark.no_sanitizer
@PROGRAMS
def test_contexts_of_two_devices(program: str) -> None:
    run(program, (0, 1), PYCUDA_DEVICE="cpu", PYCUDA_CPU_DEVICES="2")


@pytest.mark.gpu
@PROGRAMS
def test_contexts_of_two_gpus(program: str) -> None:
    if drv.Device.count() < 2:
        pytest.skip("needs two GPUs")
    run(program, (0, 1))
