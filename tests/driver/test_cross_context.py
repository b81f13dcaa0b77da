"""Memory of another context, used while its own work is pending.

The test runs in a separate process, because the number of CPU devices is fixed
when a process starts.
"""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda.driver as drv

PROGRAM = Path(__file__).parent / "cross_context.py"


def run(device: int, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, PROGRAM, str(device)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all right" in done.stdout


@pytest.mark.no_sanitizer
def test_two_contexts_of_one_device() -> None:
    run(0)


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_two_devices() -> None:
    run(1, PYCUDA_DEVICE="cpu", PYCUDA_CPU_DEVICES="2")


@pytest.mark.gpu
def test_two_gpus() -> None:
    if drv.Device.count() < 2:
        pytest.skip("needs two GPUs")
    run(1)
