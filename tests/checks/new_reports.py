"""Reads the reports of kernel checks that a function causes."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def new_reports(function: Callable[[], object]) -> list[dict[str, Any]]:
    """Call the function; return what it adds to PYCUDA_CPU_CHECK_REPORT."""
    report = os.environ["PYCUDA_CPU_CHECK_REPORT"]
    before = os.path.getsize(report) if os.path.exists(report) else 0
    function()
    if not os.path.exists(report):
        return []
    with open(report) as stream:
        stream.seek(before)
        return [json.loads(line) for line in stream]


def run_checked(
    arguments: list[str], checks: str, path: Path, **more: Any
) -> tuple[list[dict[str, Any]], str]:
    """Run Python on the CPU device with checks; return reports and stderr.

    Parameters
    ----------
    arguments
        Arguments of Python.
    checks
        As in PYCUDA_CPU_CHECK; a kernel continues after a report.
    path
        File for the reports.
    more
        Environment variables, and `input` for the program's stdin.
    """
    done = subprocess.run(
        [sys.executable, "-P", *arguments],
        input=more.pop("input", None),
        env={
            **os.environ,
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_CHECK": f"{checks},continue",
            "PYCUDA_CPU_CHECK_REPORT": str(path),
            **more,
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    with path.open() as stream:
        return [json.loads(row) for row in stream], done.stderr
