"""Idle memory and garbage make room for whatever needs memory of a device.

``scarce/driver.c`` is the CPU device's driver with a limit on memory;
``scarce_memory.py`` makes a call where it is reached, in a process of its own.
"""

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

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.no_sanitizer,
    pytest.mark.skipif(
        shutil.which("cc") is None, reason="no C compiler: apt install gcc"
    ),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver with a limit, built."""
    import pycuda

    inside = Path(pycuda.__file__).parent / "lib/libpycuda_cpu.so"
    whole = Path(os.environ.get("PYCUDA_CPU_LIBRARY", inside)).resolve()
    built = tmp_path_factory.mktemp("scarce") / "libscarce.so"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command += [f"-I{ROOT}/src", str(HERE / "scarce/driver.c")]
    command += ["-Wl,--no-as-needed", str(whole), "-ldl"]
    command += [f"-Wl,-rpath,{whole.parent}", "-o", str(built)]
    subprocess.run(command, check=True)
    return built


@pytest.mark.parametrize(
    "name",
    ["plain", "prepared", "again", "cooperative", "module", "array", "deep",
     "mipmap", "pitch", "alloc", "managed", "async", "pooled"],
)  # fmt: skip
def test_calls(library: Path, name: str) -> None:
    """Each succeeds where there is room to be made, else says what lacks."""
    done = subprocess.run(
        [sys.executable, str(HERE / "scarce_memory.py"), name],
        env=os.environ | {"PYCUDA_CPU_LIBRARY": str(library)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"{name}\n"
