"""Reads the reports of kernel checks that a function causes."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
from collections.abc import Callable
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
