"""NVIDIA's cuda-core, unmodified, on the CPU device.

It is not a test requirement; the slow test installs it into a virtual
environment.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("core_vector_add.py")

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]


def _run(python, path=""):
    return subprocess.run(
        [python, "-m", "pycuda.cpu", "run", str(PROGRAM)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
        env=dict(os.environ, PYTHONPATH=path) if path else None,
    )


def _has_core():
    try:
        return importlib.util.find_spec("cuda.core") is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.skipif(not _has_core(), reason="cuda-core is not installed")
def test_vector_addition():
    done = _run(sys.executable)
    assert done.stdout.endswith("Success\n"), done.stderr


@pytest.mark.slow
def test_in_an_environment_of_its_own(tmp_path):
    import pycuda

    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    python = tmp_path / "bin" / "python"
    got = subprocess.run(
        [python, "-m", "pip", "install", "-q", "numpy", "ziglang==0.14.*"]
        + ["cuda-core", "cuda-bindings"],
        capture_output=True,
        text=True,
    )
    if got.returncode:
        pytest.skip("cuda-core cannot be installed: " + got.stderr[-200:])
    done = _run(python, str(Path(pycuda.__file__).parents[1]))
    assert done.stdout.endswith("Success\n"), done.stderr
