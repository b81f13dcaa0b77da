"""Pytest plugin of tools/mutate.py's copy: selects tests, records calls.

Installed there as `pycuda_mutation_plugin`.  PYCUDA_MUTATION_TESTS names a
file of test ids, one per line, to run in that order; PYCUDA_MUTATION_CALLS
names a file that gets a line of JSON per test: id, outcome, seconds, numbers
of the called functions.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pycuda_mutation
import pytest

_page = pycuda_mutation._page
_tests = os.environ.get("PYCUDA_MUTATION_TESTS")
_calls = os.environ.get("PYCUDA_MUTATION_CALLS")
_reports: dict[str, pytest.TestReport] = {}
_seconds = 0.0


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Select the requested tests, in the requested order."""
    if _tests is None:
        return
    ids = Path(_tests).read_text().splitlines()
    position = {name: index for index, name in enumerate(ids)}
    dropped = [item for item in items if item.nodeid not in position]
    items[:] = [item for item in items if item.nodeid in position]
    items.sort(key=lambda item: position[item.nodeid])
    config.hook.pytest_deselected(items=dropped)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item,
) -> Iterator[None]:
    """Record the calls of a test, its fixtures and imports included."""
    global _seconds
    _seconds = 0.0
    _reports.clear()
    result = yield
    if _calls is not None:
        worst = [r.outcome for r in _reports.values() if r.outcome != "passed"]
        line = {
            "test": item.nodeid,
            "outcome": worst[0] if worst else "passed",
            "seconds": round(_seconds, 3),
            "called": pycuda_mutation.take_called(_page),
        }
        with open(_calls, "a") as file:
            file.write(json.dumps(line) + "\n")
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record the outcomes of the test's phases."""
    global _seconds
    _seconds += report.duration
    _reports[report.when] = report
