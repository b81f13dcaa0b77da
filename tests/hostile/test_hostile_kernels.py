"""Hostile kernels: an error each time, and the process goes on.

``./run fuzz hostile`` runs them for as long as one likes.
"""

import pytest
from hostile_fuzz import CHECKS, HostileError, run
from hostile_generator import program

# Its allocator is not made for kernels that are left in the middle, nor are
# its redzones for null and foreign pointers.
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
    told = run(20, 1000, checks)
    assert told["tally"]["launches"] > 100
    assert told["grown_mib"] < 256


def test_what_dies_or_is_wrong_is_told(monkeypatch) -> None:
    """A process that has no answer, and kernels said to fail that do not."""
    monkeypatch.setenv("PYCUDA_CPU_LIBRARY", "/no/such/library.so")
    monkeypatch.setenv("PYCUDA_DEVICE", "cpu")
    with pytest.raises(HostileError, match="no end"):
        run(1, 0, "", count=1)
    monkeypatch.undo()
    monkeypatch.setenv("PYCUDA_HOSTILE_EXPECT", "fail")
    with pytest.raises(HostileError, match="that must fail did not"):
        run(5, 0, "", count=5)


def test_programs_are_made_again() -> None:
    assert program(7, set()) == program(7, set())
    assert program(7, set()) != program(8, set())
