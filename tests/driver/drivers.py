"""Builds test drivers: the CPU device's, with a few functions replaced."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

marks = [
    pytest.mark.cpu,
    pytest.mark.no_sanitizer,
    pytest.mark.skipif(
        shutil.which("cc") is None, reason="no C compiler: apt install gcc"
    ),
]


def build(source: str, folder: Path) -> Path:
    """Build the library of a source, for ``PYCUDA_CPU_LIBRARY``.

    It is linked to the CPU device's library, which has all other functions.
    """
    import pycuda

    inside = Path(pycuda.__file__).parent / "lib/libpycuda_cpu.so"
    whole = Path(os.environ.get("PYCUDA_CPU_LIBRARY", inside)).resolve()
    built = folder / f"lib{Path(source).stem}.so"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command += [f"-I{ROOT}/src", str(HERE / source)]
    command += ["-Wl,--no-as-needed", str(whole), "-ldl"]
    command += [f"-Wl,-rpath,{whole.parent}", "-o", str(built)]
    subprocess.run(command, check=True)
    return built


def run(library: Path, program: str, name: str) -> str:
    """Run a program of this folder with that driver and return its output."""
    done = subprocess.run(
        [sys.executable, str(HERE / program), name],
        env=os.environ | {"PYCUDA_CPU_LIBRARY": str(library)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
