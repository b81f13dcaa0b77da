"""Idle memory and garbage make room for whatever needs memory of a device.

``scarce.c`` is the CPU device's driver with a limit on memory;
``scarce_memory.py`` makes a call where it is reached, in a process of its own.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path

import drivers
import pytest

pytestmark = drivers.marks


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver with a limit, built."""
    return drivers.build("scarce.c", tmp_path_factory.mktemp("scarce"))


@pytest.mark.parametrize(
    "name",
    ["plain", "prepared", "again", "cooperative", "module", "array", "deep",
     "mipmap", "pitch", "alloc", "managed", "async", "pooled"],
)  # fmt: skip
def test_calls(library: Path, name: str) -> None:
    """Each succeeds where there is room to be made, else says what lacks."""
    assert drivers.run(library, "scarce_memory.py", name) == f"{name}\n"
