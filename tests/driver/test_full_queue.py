"""Launches release the GIL while the driver's queue is full.

``limited_queue.c`` is the CPU device's driver with a queue of 1024 launches;
``full_queue_runner.py`` fills it in a separate process.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path

import drivers
import pytest

pytestmark = drivers.marks


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the driver with the short queue."""
    return drivers.build("limited_queue.c", tmp_path_factory.mktemp("room"))


def counts(library: Path, name: str) -> list[int]:
    """Return counts: launches waiting with and without the GIL, events."""
    printed = drivers.run(library, "full_queue_runner.py", name)
    return [int(word) for word in printed.split()]


@pytest.mark.parametrize(
    "name", ["ended_streams", "many_streams", "waits", "churn"]
)
def test_nobody_waits_with_the_lock(library: Path, name: str) -> None:
    """All launches that had to wait had released the GIL."""
    stored, given, _ = counts(library, name)
    assert given > 0, "no launch found the queue full"
    assert stored == 0


def test_refused_launches_make_no_events(library: Path) -> None:
    """The events would belong to another context than the kernel."""
    assert counts(library, "refused") == [0, 0, 0]
