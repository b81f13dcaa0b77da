"""The whole package on aarch64, under qemu-user (tools/aarch64).

The tests are skipped unless the tool was run once by hand, which fetches its
requirements.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools/aarch64"
NOT_FETCHED = 77
TESTS = ["tests/kernels/test_kernel_fuzz.py::test_random_kernels"]
TESTS += ["tests/kernels/test_reference_blocks.py"]

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.no_sanitizer,
    pytest.mark.skipif(
        platform.machine() != "x86_64",
        reason="is for x86-64: this machine's clang runs beside qemu",
    ),
]


def tool(*words: str, **settings: str) -> subprocess.CompletedProcess:
    """Run `tools/aarch64` without fetching, and without our own settings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYCUDA_")}
    env |= {"PYCUDA_VENV": sys.prefix, "PYCUDA_FETCH": "0"} | settings
    env.pop("PYTHONPATH", None)
    return subprocess.run(
        [TOOL, *words], capture_output=True, text=True, env=env
    )


@pytest.mark.slow
@pytest.mark.timeout(5400)
def test_programs_and_random_kernels():
    """Programs in C and Python on the device's aarch64 port."""
    done = tool(*TESTS)
    if done.returncode == NOT_FETCHED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "== all of it runs on aarch64" in done.stdout


def test_nothing_is_fetched_unasked(tmp_path):
    """The tool prints instructions and leaves the folder unchanged."""
    done = tool(PYCUDA_AARCH64=str(tmp_path / "none"))
    assert done.returncode == NOT_FETCHED
    assert "tools/aarch64" in done.stderr
    assert list((tmp_path / "none").iterdir()) == []


def test_sources_compile_for_aarch64(tmp_path: Path):
    """Files that include the processor's header, each on its own."""
    zig = Path(pytest.importorskip("ziglang").__path__[0]) / "zig"
    files = [
        path
        for path in sorted((ROOT / "src").rglob("*.c"))
        if '"cpu/arch/arch.h"' in path.read_text()
        and "x86_64" not in path.parts
    ]
    assert len(files) >= 15
    words = [zig, "cc", "-target", "aarch64-linux-gnu.2.28", "-std=gnu11"]
    words += ["-D_GNU_SOURCE", "-O0", "-I", ROOT / "src", "-c"]
    for path in files:
        done = subprocess.run(
            [*words, path, "-o", tmp_path / "object.o"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
