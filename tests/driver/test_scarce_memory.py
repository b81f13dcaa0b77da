"""Idle memory and garbage make room for whatever needs memory of a device.

``scarce.c`` is the CPU device's driver with a limit on memory;
``scarce_memory.py`` makes a call where it is reached, in a process of its own.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import drivers
import pytest

HERE = Path(__file__).parent

pytestmark = drivers.marks


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver with a limit, built."""
    return drivers.build("scarce.c", tmp_path_factory.mktemp("scarce"))


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
