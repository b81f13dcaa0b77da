"""The check ``streams`` finds operations that no event orders."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import cases_streams
import pytest

from pycuda.jupyter._reports import CheckReport

HERE = Path(__file__).parent

pytestmark = pytest.mark.cpu


def _environment(folder, checks, threads="2"):
    return dict(
        os.environ,
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_CHECK=checks,
        PYCUDA_CPU_CHECK_REPORT=str(folder / "report.jsonl"),
        PYCUDA_CPU_THREADS=threads,
    )


@pytest.fixture(scope="module", params=["1", "2"])
def found(request, tmp_path_factory):
    """Return the reports of all programs, with one and two CPU threads."""
    folder = tmp_path_factory.mktemp("streams")
    output = folder / "found.json"
    done = subprocess.run(
        [sys.executable, HERE / "streams_runner.py", output],
        env=_environment(folder, "streams,continue", request.param),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(output.read_text())


@pytest.mark.parametrize(
    "program", cases_streams.MISSING, ids=lambda program: program.__name__
)
def test_missing_order_is_reported(found, program):
    kind = cases_streams.MISSING[program]
    reports = found["missing"][program.__name__]
    assert [report["kind"] for report in reports] == [kind]
    for row in (reports[0], reports[0]["other"]):
        assert row["file"].endswith("cases_streams.py")
        assert row["line"] > 0
    assert found["ordered"][program.__name__] == []


@pytest.mark.parametrize(
    "program", cases_streams.RIGHT, ids=lambda program: program.__name__
)
def test_right_programs_have_no_report(found, program):
    assert found["right"][program.__name__] == []


def test_enough_programs():
    assert len(cases_streams.MISSING) >= 20


def _line(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def test_a_report_names_both_operations(found):
    (report,) = found["missing"]["download_after_kernel"]
    program = cases_streams.download_after_kernel
    helper = cases_streams.Streams.run
    assert report["check"] == "streams"
    assert report["operation"] == "a copy"
    assert report["file"].endswith("cases_streams.py")
    assert report["line"] == _line(program, "memcpy_dtoh_async")
    assert report["access"] == "reads"
    other = report["other"]
    assert other["operation"] == "kernel put"
    assert other["access"] == "writes"
    assert other["line"] == _line(helper, "kernel(*arguments")
    assert other["source_line"] == 3
    assert report["stream"] != other["stream"]
    assert "wait_for_event(event)" in report["remedy"]
    assert "allocated by cuMemAlloc" in report["message"]


def test_a_report_in_a_notebook(found):
    (data,) = found["missing"]["read_after_write"]
    report = CheckReport(data, lambda file, line: "", lambda text: text)
    lines = repr(report).splitlines()
    assert lines[0].startswith(f"{data['file']}:{data['line']}: streams: ")
    assert lines[1].startswith("__global__ void get(")
    facts = [line.split(": ", 1) for line in lines[2:]]
    assert [name.strip() for name, _ in facts] == [
        "operation",
        "other operation",
        "remedy",
    ]
    assert facts[0][1].startswith("kernel get in stream")
    assert facts[1][1].startswith("kernel put in stream")
    assert "<table>" in report._repr_html_()


def test_the_report_is_the_error_of_the_next_synchronization(tmp_path):
    program = (
        "import cases_streams, pycuda.autoinit\n"
        "import pycuda.driver as drv\n"
        "s = cases_streams.Streams(False)\n"
        "cases_streams.read_after_write(s)\n"
        "try:\n"
        "    drv.Context.synchronize()\n"
        "except drv.LaunchError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=HERE,
        env=_environment(tmp_path, "streams"),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "streams: kernel get in stream" in done.stdout, done.stderr
    assert "kernel put in stream" in done.stdout
    assert "__global__ void put(float *a)" in done.stdout
