"""Random kernels under all checks.

Nothing is reported for correct kernels, and faults planted in them are found
at their lines. The kernels are those of tests/kernels (kernel_corpus.py), as
thread loops and on fibers. ``PYCUDA_CPU_CHECK=memory,race,sync,init ./run fuzz
kernels`` runs any number of them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RUNNER = HERE / "random_runner.py"
KINDS = ("regions", "warps", "grids", "features")
GROUP = 8

pytestmark = pytest.mark.cpu


def run(folder: Path, kind: str, first: int, *more: str) -> dict:
    """Run a group of kernels in a process and return its reports."""
    output = folder / "found.json"
    env = dict(
        os.environ,
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_CHECK="memory,race,sync,init,continue",
        PYCUDA_CPU_CHECK_REPORT=str(folder / "report.jsonl"),
    )
    done = subprocess.run(
        [sys.executable, "-P", RUNNER, output, kind, str(first), *more],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(output.read_text())


def check_right(folder: Path, kind: str, first: int) -> None:
    found = run(folder, kind, first, f"--count={GROUP}")
    assert found["reports"] == []
    assert found["differences"] == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_reported(tmp_path, kind):
    check_right(tmp_path, kind, 20)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 10_064, GROUP))
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_reported_of_many(tmp_path, kind, first):
    check_right(tmp_path, kind, first)


@pytest.mark.parametrize("kind", KINDS)
def test_planted_faults_are_found(tmp_path, kind):
    found = run(tmp_path, kind, 0, "--count=4", "--plant")
    assert len(found["planted"]) >= 12
    told = {
        (report["kernel"], report["check"], report["line"])
        for report in found["reports"]
    }
    for one in found["planted"]:
        assert (one["kernel"], one["check"], one["line"]) in told
