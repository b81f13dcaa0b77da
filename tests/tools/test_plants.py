"""Planted faults: each has its place in the sources; releases have none."""

# SPDX-License-Identifier: MIT

import re
import signal
import subprocess
from pathlib import Path

import plants
import pytest

import pycuda

SOURCES = Path(plants.ROOT) / "src" / "jit"


def test_every_fault_has_one_place():
    used = [
        name
        for path in SOURCES.glob("*/*.c")
        for name in re.findall(r"PLANTED_FAULT\((\w+)\)", path.read_text())
    ]
    assert set(used) == set(plants.plants())
    assert len(used) >= len(plants.plants()) >= 20


@pytest.mark.cpu
def test_a_release_has_no_faults():
    program = Path(pycuda.__file__).parent / "bin" / "pycuda-jit"
    content = program.read_bytes()
    assert b"PYCUDA_CPU_TARGET" in content
    assert b"PYCUDA_JIT_PLANT" not in content


@pytest.mark.parametrize(
    ("status", "printed", "symptom"),
    [
        (1, "regions, seed 3, regions -O3: wrote 1, not 2", "wrong numbers"),
        (1, "warps, range(0, 5): an illegal memory access", "an error"),
        (1, "grids, range(0, 5): nvcc compilation failed", "not compiled"),
        (-signal.SIGALRM, "", "does not end"),
        (-signal.SIGSEGV, "", "ends the process (-11)"),
    ],
)
def test_what_a_search_says(status, printed, symptom, monkeypatch):
    def run(command, **options):
        lines = "5 kernels, last regions range(0, 5)\n" + printed
        return subprocess.CompletedProcess(command, status, lines, "")

    monkeypatch.setattr(subprocess, "run", run)
    found = plants.search(Path("pycuda-jit"), "wrong_lane", 0)
    assert found == (5 + plants.GROUP, symptom)


def test_what_is_not_found_is_told(monkeypatch):
    def run(command, **options):
        lines = "500 kernels, last grids range(0, 5)\n500 kernels, 0 differ"
        return subprocess.CompletedProcess(command, 0, lines, "")

    monkeypatch.setattr(subprocess, "run", run)
    found = plants.search(Path("pycuda-jit"), "wrong_lane", 0)
    assert found == (500, "")
    rows = plants.table({"wrong_lane": found}, plants.plants())
    assert "| > 500 | **not found** |" in rows[-1]
