"""A short soak test: threads, streams, and memory with constant contents.

``benchmarks/soak.py`` makes ten million operations.
"""

# SPDX-License-Identifier: MIT

import re
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).resolve().parents[2] / "benchmarks" / "soak.py"

# Sanitizers delay the reuse of freed memory, so memory use grows.
pytestmark = [pytest.mark.slow, pytest.mark.no_sanitizer, pytest.mark.alone]


def soak(*options: str, seconds: int) -> subprocess.CompletedProcess[str]:
    """Run the program for a while."""
    return subprocess.run(
        [sys.executable, str(SOAK), f"--seconds={seconds}", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


def test_soak() -> None:
    done = soak("--operations=60000", "--threads=3", seconds=60)
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.mark.slow
def test_soak_for_longer() -> None:
    done = soak("--operations=1000000", "--threads=8", seconds=240)
    assert done.returncode == 0, done.stdout


@pytest.mark.cpu
def test_soak_with_interruptions() -> None:
    done = soak("--threads=3", "--interrupts", seconds=25)
    assert done.returncode == 0, done.stdout
    found = re.search(r"(\d+) kernels interrupted, (\d+) timed", done.stdout)
    assert found and min(map(int, found.groups())) >= 2, done.stdout


@pytest.mark.cpu
def test_soak_with_modules() -> None:
    done = soak("--threads=3", "--modules", seconds=20)
    assert done.returncode == 0, done.stdout
    found = re.findall(r"(\d+) (ptx|linked|children|quick)", done.stdout)
    assert len(found) == 4, done.stdout
    assert min(int(number) for number, _ in found) >= 10, done.stdout


@pytest.mark.parametrize(
    ("plant", "said"),
    [("leak", "the host's memory grows"), ("value", "Wrong: after")],
)
def test_it_would_find(plant: str, said: str) -> None:
    done = soak(
        "--operations=600000", "--threads=2", f"--plant={plant}", seconds=8
    )
    assert done.returncode == 1
    assert said in done.stdout
