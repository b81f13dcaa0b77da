"""PYCUDA_CPU_CHECK finds planted faults, each at its line and thread."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CHECKS = ("memory", "sync", "race", "init")
RIGHT = ("right", "right_values", "right_returns")

pytestmark = pytest.mark.cpu


def _cases(name):
    spec = importlib.util.spec_from_file_location(
        f"cases_{name}", HERE / f"cases_{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_cases(path, checks, folder, threads="1"):
    """Return the reports of each case of a file, by name."""
    output, report = folder / "found.json", folder / "report.jsonl"
    env = dict(
        os.environ,
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_CHECK=checks,
        PYCUDA_CPU_CHECK_REPORT=str(report),
        PYCUDA_CPU_THREADS=threads,
    )
    done = subprocess.run(
        [sys.executable, HERE / "check_runner.py", path, output],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(output.read_text())


@pytest.fixture(scope="session")
def found(tmp_path_factory):
    """Run a case file once, when a test first needs it."""
    stored = {}

    def get(name):
        if name not in stored:
            stored[name] = run_cases(
                HERE / f"cases_{name}.py",
                f"{name},continue",
                tmp_path_factory.mktemp(name),
            )
        return stored[name]

    return get


def _line(source, mark):
    """Return the marked line's number; the source starts with a newline."""
    for number, text in enumerate(source.split("\n"), 1):
        if "//" in text and mark in text.split("//")[1]:
            return number
    return None


def _everything():
    for check in CHECKS:
        for case in _cases(check).CASES:
            yield pytest.param(check, case, id=f"{check}-{case['name']}")


def check_report(case, report):
    """Assert that a report has the data that the case specifies."""
    assert report["kind"] == case["kind"], report
    assert report["remedy"] or report["check"] != "sync", report
    assert report["kernel"] == case.get("kernel", "k")
    if case.get("anywhere"):
        return
    assert report["line"] == _line(case["source"], "HERE"), report
    assert report["column"] > 0
    assert tuple(report["thread"]) == case["thread"], report
    if "block_index" in case:
        assert tuple(report["block"]) == case["block_index"], report
    if "object" in case:
        assert report["object"] == case["object"], report
    if "allocation" in case:
        allocation = report["allocation"]
        assert allocation["bytes"] == case["allocation"][0]
        assert allocation["offset"] == case["allocation"][1]
        assert "check_runner.py:" in allocation["made_at"]
    if _line(case["source"], "OTHER"):
        assert report["other"]["line"] == _line(case["source"], "OTHER")
    if "other" in case:
        assert tuple(report["other"]["thread"]) == case["other"], report
    if "text" in case:
        assert case["text"] in report["message"], report


@pytest.mark.parametrize("check, case", list(_everything()))
def test_planted_fault(found, check, case):
    reports = found(check)[case["name"]]
    assert isinstance(reports, list), reports
    assert reports, "nothing was found"
    assert all(report["check"] == check for report in reports)
    check_report(case, reports[0])


@pytest.fixture(scope="session")
def found_in_heap(tmp_path_factory):
    return run_cases(
        HERE / "cases_heap.py",
        "race,continue",
        tmp_path_factory.mktemp("heap"),
    )


@pytest.mark.parametrize(
    "case", _cases("heap").CASES, ids=lambda case: case["name"]
)
def test_memory_of_the_heap_that_others_had(found_in_heap, case):
    reports = found_in_heap[case["name"]]
    if "kind" in case:
        assert reports, "nothing was found"
        check_report(case, reports[0])
    else:
        assert reports == []


@pytest.fixture(scope="session")
def found_in_right(tmp_path_factory):
    """Run the correct kernels under all checks together."""
    reports = {}
    for name in RIGHT:
        reports |= run_cases(
            HERE / f"cases_{name}.py",
            "memory,race,sync,init,continue",
            tmp_path_factory.mktemp(name),
        )
    return reports


@pytest.mark.parametrize(
    "name", [case["name"] for file in RIGHT for case in _cases(file).CASES]
)
def test_right_kernel(found_in_right, name):
    assert found_in_right[name] == []
