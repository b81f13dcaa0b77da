"""Helpers for tests of sorts."""

# SPDX-License-Identifier: MIT

from typing import Any

from pycuda import gpuarray
from pycuda._array import sorting


def sort_in_turn(monkeypatch: Any, threads: int) -> None:
    """Use the sort for sequential threads, on any device."""
    monkeypatch.setattr(sorting, "_device", lambda: (True, threads))
    monkeypatch.setattr(sorting, "_keep", lambda *arguments: None)
    monkeypatch.setattr(gpuarray, "sort", sorting.sort.__wrapped__)
