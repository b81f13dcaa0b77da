"""Idle memory and garbage are freed for calls that need device memory.

``limited_memory.c`` is the CPU device's driver with a memory limit;
``limited_memory_runner.py`` makes a call at the limit, in a separate process.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path

import drivers
import pytest

pytestmark = drivers.marks


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the driver with a memory limit."""
    return drivers.build("limited_memory.c", tmp_path_factory.mktemp("scarce"))


@pytest.mark.parametrize(
    "name",
    ["plain", "prepared", "again", "cooperative", "module", "array", "deep",
     "mipmap", "pitch", "alloc", "managed", "async", "pooled"],
)  # fmt: skip
def test_calls(library: Path, name: str) -> None:
    """Each call succeeds if memory can be freed, else raises a clear error."""
    assert (
        drivers.run(library, "limited_memory_runner.py", name) == f"{name}\n"
    )
