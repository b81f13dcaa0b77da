"""Caches on storage that is full, read-only, late or of another time."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import resource, signal, sys, warnings
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

{before}
said = []
warnings.showwarning = lambda message, *rest: said.append(str(message))
for number in (1, 2):
    module = SourceModule(
        "__global__ void k(int *a) {{ *a = %d; }}" % number
    )
    value = np.zeros(1, np.int32)
    module.get_function("k")(drv.Out(value), block=(1, 1, 1))
    assert value[0] == number
print(len(said), *said, sep="\\n")
"""


def compiled(folder: Path, before: str = "") -> list[str]:
    """Compile and run two kernels; what was warned of."""
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", PROGRAM.format(before=before)],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={**os.environ, "PYCUDA_CACHE_DIR": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[1:]


def entries(folder: Path) -> list[Path]:
    """Files of the cache, without those that were not completed."""
    return [path for path in folder.rglob("*") if path.is_file()]


def test_full_disk(tmp_path: Path) -> None:
    """Writes stop after 1,000 bytes, as where a quota is reached."""
    said = compiled(
        tmp_path,
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))",
    )
    assert len(said) == 1 and str(tmp_path) in said[0], said
    assert "PYCUDA_CACHE_DIR" in said[0]
    assert entries(tmp_path) == []  # nothing that is not whole
    assert compiled(tmp_path) == []
    assert entries(tmp_path)


def test_read_only_home() -> None:
    """Where no folder can be made, one warning names it."""
    said = compiled(Path("/proc/no-such-folder/cache"))
    assert len(said) == 1 and "/proc/no-such-folder/cache" in said[0], said


def test_renamed_file_is_not_visible(tmp_path: Path) -> None:
    """NFS may show other machines' files late: each miss is compiled."""
    lost = "import os; os.rename = lambda *names: None"
    assert compiled(tmp_path, lost) == []
    assert [p for p in tmp_path.rglob("*.cubin")] == []
    assert compiled(tmp_path) == []


LATE = """
import os
rename, late = os.rename, []
os.rename = lambda *names: late.append(names)
"""


def test_renamed_file_is_visible_late(tmp_path: Path) -> None:
    """The file appears after another process has written the same."""
    assert compiled(tmp_path) == []
    before = {path: path.read_bytes() for path in entries(tmp_path)}
    assert compiled(tmp_path, LATE) == []
    assert {p: p.read_bytes() for p in entries(tmp_path)} == before


@pytest.mark.parametrize("years", [-30, 30])
def test_clock_set(tmp_path: Path, years: int) -> None:
    """Entries from the future, or from long ago, are used and stay."""
    assert compiled(tmp_path) == []
    files = entries(tmp_path)
    then = time.time() + years * 365 * 86400
    for path in files:
        os.utime(path, (then, then))
    inodes = {path: path.stat().st_ino for path in files}
    assert compiled(tmp_path) == []
    assert {path: path.stat().st_ino for path in files} == inodes
