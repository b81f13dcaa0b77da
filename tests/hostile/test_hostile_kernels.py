"""Hostile kernels: an error each time, and the process survives.

``./run fuzz hostile`` runs them for any length of time.
"""

import os
import sys
from pathlib import Path

import pytest
from hostile_fuzz import CHECKS, HostileError, run, watched
from hostile_generator import program

# AddressSanitizer's allocator does not support kernels that are abandoned, and
# its redzones do not cover null and foreign pointers.
pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]


@pytest.mark.parametrize("checks", CHECKS)
def test_some(checks: str) -> None:
    told = run(3, 0, checks, count=6)
    tally = told["tally"]
    assert tally["launches"] > 30
    assert tally["fail, failed"] > 5 and tally["ok, passed"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("checks", CHECKS)
def test_many(checks: str) -> None:
    told = run(6, 1000, checks)
    assert told["tally"]["launches"] > 100
    assert told["grown_mib"] < 256


def test_what_dies_or_is_wrong_is_told(monkeypatch) -> None:
    """A process that crashes, and kernels marked as failing that succeed."""
    monkeypatch.setenv("PYCUDA_CPU_LIBRARY", "/no/such/library.so")
    monkeypatch.setenv("PYCUDA_DEVICE", "cpu")
    with pytest.raises(HostileError, match="no end"):
        run(1, 0, "", count=1)
    monkeypatch.undo()
    monkeypatch.setenv("PYCUDA_HOSTILE_EXPECT", "fail")
    with pytest.raises(HostileError, match="that must fail did not"):
        run(5, 0, "", count=5)


WAITS = "import time; time.sleep(100)"
COMPUTES = "while True: pass"
GOES_ON = """
import sys, time
for i in range(12):
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    time.sleep(0.05)
    with open(sys.argv[1], "a") as log:
        print("a step", file=log)
"""


@pytest.mark.parametrize(
    ("program", "still", "waiting", "hangs"),
    [
        (WAITS, 100, 0.3, "no progress in 0."),
        (COMPUTES, 0.2, 100, "no progress in 0."),
        (GOES_ON, 0.4, 100, ""),
    ],
)
def test_what_hangs_is_ended(
    tmp_path: Path, program: str, still: float, waiting: float, hangs: str
) -> None:
    """Neither a waiting process nor a computing one runs forever."""
    log = tmp_path / "log"
    log.touch()
    status, _, hung = watched(
        [sys.executable, "-c", program, str(log)],
        dict(os.environ),
        log,
        still,
        waiting,
    )
    assert hung.startswith(hangs) and bool(hung) == bool(hangs)
    assert bool(status) == bool(hangs)


def test_programs_are_made_again() -> None:
    assert program(7, set()) == program(7, set())
    assert program(7, set()) != program(8, set())
