"""The check ``bank`` counts memory transactions as worked out by hand."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
from pathlib import Path

import cases_bank
import pytest

import pycuda.debug
from pycuda._access_counts import parse

HERE = Path(__file__).parent

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="module", params=["1", "2"])
def found(request, tmp_path_factory):
    """Return the counts of all cases, on one and on two CPU threads."""
    output = tmp_path_factory.mktemp("bank") / "found.json"
    done = subprocess.run(
        [sys.executable, HERE / "bank_runner.py", output],
        env=dict(
            os.environ,
            PYCUDA_DEVICE="cpu",
            PYCUDA_CPU_CHECK="bank",
            PYCUDA_CPU_THREADS=request.param,
        ),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(output.read_text())


def _marked(source, mark):
    for number, line in enumerate(source.split("\n"), 1):
        if line.endswith(f"// {mark}"):
            return number
    raise AssertionError(f"no line is marked {mark}")


@pytest.mark.parametrize("name", cases_bank.CASES)
def test_counts(found, name):
    case = cases_bank.CASES[name]
    rows = found[name]["rows"]
    for mark, expected in case["expected"].items():
        line = _marked(case["source"], mark)
        counts = sorted(
            (
                row["space"],
                row["access"],
                row["requests"],
                row["transactions"],
                row["ideal"],
                row["worst"],
            )
            for row in rows
            if row["line"] == line
        )
        assert counts == sorted(expected), mark
    assert {row["kernel"] for row in rows} == {"k"}
    uncounted = sum(row["uncounted"] for row in rows)
    assert uncounted == case.get("uncounted", 0)


def test_table(found):
    text = found["transpose"]["text"].splitlines()
    assert text[0].startswith("kernel k (")
    assert text[1].split() == [
        "line", "memory", "access", "requests", "transactions", "ideal",
        "excess", "worst",
    ]  # fmt: skip
    row = next(line for line in text if "shared  read" in line)
    assert row.split()[:8] == [
        "9", "shared", "read", "32", "1024", "32", "992", "32x",
    ]  # fmt: skip
    assert row.endswith("out[y * 32 + x] = tile[x][y];  // store")


def test_html(found):
    html = found["transpose"]["html"]
    assert html.count("<table>") == 1
    bold = html.split("<tr style='font-weight:bold'>")
    assert len(bold) == 2
    assert "<td>992</td><td>32x</td>" in bold[1]


def test_uncounted_accesses_are_named():
    row = {
        "kernel": "k", "file": "a.cu", "line": 3, "source": "x[i] = 1;",
        "space": "global", "access": "write", "requests": 4096,
        "transactions": 4096, "ideal": 4096, "worst": 1, "uncounted": 7,
    }  # fmt: skip
    counts = parse(json.dumps(row) + "\n")
    assert repr(counts).endswith("7 accesses were not counted")
    assert "7 accesses were not counted" in counts._repr_html_()
    assert counts[0].excess == 0
    assert len(counts[:1]) == 1
    assert not counts.complete


def test_lack_of_memory_is_named():
    counts = parse('{"incomplete": true}\n')
    text = "some accesses were not counted: not enough memory"
    assert len(counts) == 0 and not counts.complete
    assert repr(counts) == text
    assert text in counts._repr_html_()
    assert not counts[:0].complete
    assert parse("").complete


def test_selection():
    assert "bank" in pycuda.debug.CHECKS
    assert repr(parse("")) == "no accesses were counted"


LATIN_1 = """
import sys
import numpy as np
import pycuda.autoinit
import pycuda.debug
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule(
    '#include "line.h"\\n'
    "__global__ void k(float *x) { put(x); }",
    options=["-I" + sys.argv[1]],
)
module.get_function("k")(
    drv.InOut(np.zeros(32, np.float32)), block=(32, 1, 1)
)
(row,) = pycuda.debug.access_counts(clear=True)
print(ascii(row.source))
"""


@pytest.mark.parametrize(
    ("encoding", "remark", "shown"),
    [
        ("latin-1", "caf\xe9", "caf\\ufffd"),
        ("utf-8", "a\u2028b\x85", "a\\u2028b\\x85"),
    ],
)
def test_source_lines_of_any_encoding(tmp_path, encoding, remark, shown):
    text = (
        f"__device__ void put(float *x) {{ x[threadIdx.x] = 1; }} // {remark}"
    )
    (tmp_path / "line.h").write_bytes(f"{text}\n".encode(encoding))
    done = subprocess.run(
        [sys.executable, "-P", "-c", LATIN_1, tmp_path],
        env=dict(os.environ, PYCUDA_DEVICE="cpu", PYCUDA_CPU_CHECK="bank"),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert shown in done.stdout


#: Cases in which an H100 counts other transactions, and why.
DIFFERENT = {
    "float2_stride": "-G divides accesses of float2 in two",
    "histogram": "an H100 needs one more for the atomic operations",
    "not_counted": "-G reads the constants like global memory",
    "long_loop": "the check counts the first 4096 turns only",
}


@pytest.mark.parametrize("name", cases_bank.CASES)
def test_transactions_are_those_of_an_h100(found, name):
    """As Nsight Compute counted them (tools/record_banks.py)."""
    recorded = json.loads((HERE / "bank_h100.json").read_text())
    counts = collections.Counter()
    for row in found[name]["rows"]:
        counts[f"{row['space']} {row['access']}"] += row["transactions"]
    assert (dict(counts) != recorded[name]) == (name in DIFFERENT)
