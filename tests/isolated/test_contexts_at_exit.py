"""Processes end whatever contexts, graphs and pools they leave behind."""

# SPDX-License-Identifier: MIT

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("contexts_at_exit.py")


def check(processes: int, contexts: int) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(processes), str(contexts), "100"],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, (done.stdout, done.stderr)


def test_some_processes() -> None:
    check(2, 12)


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.alone
def test_many_processes_on_one_gpu() -> None:
    check(8, 40)


@pytest.mark.cpu
@pytest.mark.slow
def test_many_processes_on_the_cpu_device() -> None:
    check(6, 40)
