"""Cooperative grids with as many blocks as occupancy allows."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpu

RUNNER = Path(__file__).with_name("cooperative_grids.py")
# Threads per block: blocks per multiprocessor.
BLOCKS = {32: 32, 48: 32, 1024: 2}


def run(case: str, threads: int, workers: int, checks: str) -> str:
    env = dict(
        os.environ,
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_THREADS=str(workers),
        PYCUDA_CPU_CHECK=checks,
    )
    done = subprocess.run(
        [sys.executable, "-P", RUNNER, case, str(threads)],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("checks", ["", "race,sync"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("threads", BLOCKS)
def test_rounds(threads: int, workers: int, checks: str) -> None:
    """Blocks exchange results through memory in several rounds."""
    said = run("rounds", threads, workers, checks)
    assert said.startswith(f"{BLOCKS[threads]} right: "), said
    assert "too many blocks" in said


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("case", ["own_barrier", "one_barrier", "recursive"])
def test_waits(case: str, workers: int) -> None:
    """Barriers of the program's own, a single block, stack guards."""
    said = run(case, 64, workers, "")
    assert said.startswith("32 right: "), said


@pytest.mark.parametrize(
    ("case", "reason"),
    [("fails", "an illegal memory access"), ("leaves_out", "launch failure")],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_failures(case: str, reason: str, workers: int) -> None:
    """The launch ends if a block fails or never reaches the barrier."""
    said = run(case, 64, workers, "")
    assert said.startswith("failed: ") and reason in said, said


def test_beside_another_kernel() -> None:
    """A busy worker's share of the blocks does not delay the grid."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one worker: the other kernel would wait for ever")
    assert run("beside", 64, 2, "") == "right\n"


@pytest.mark.parametrize("workers", [1, 2])
def test_races(workers: int) -> None:
    """The grid barrier orders accesses; without it there is a data race."""
    assert "right: " in run("one_barrier", 64, workers, "race")
    said = run("no_barrier", 64, workers, "race")
    assert said.startswith("failed: ") and "data race" in said, said
