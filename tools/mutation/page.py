"""The page of switches, as Python sees it; switch.h is C's view of it.

tools/mutate.py installs this as `pycuda_mutation` beside the package that it
tests, with the page beside that; PYCUDA_MUTATION_PAGE names another.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import mmap
import os
from pathlib import Path

BYTES = 65536
HEAD = 4  # the number of the function that is off; 0: none


def open_page(path: Path) -> memoryview:
    """The page at `path`, shared with every process that has it open."""
    file = os.open(path, os.O_RDWR)
    try:
        return memoryview(mmap.mmap(file, BYTES))
    finally:
        os.close(file)


def make_page(path: Path) -> memoryview:
    """A page with nothing off; what is mapped already stays mapped."""
    path.touch()
    os.truncate(path, BYTES)
    page = open_page(path)
    switch_off(page, 0)
    return page


def switch_off(page: memoryview, number: int) -> None:
    """Switch one function off, or none with 0."""
    page[:HEAD] = number.to_bytes(HEAD, "little")


def take_called(page: memoryview) -> list[int]:
    """Functions called since the last time."""
    flags = bytes(page[HEAD:])
    page[HEAD:] = bytes(BYTES - HEAD)
    return [number for number, flag in enumerate(flags) if flag]


_path = Path(
    os.environ.get("PYCUDA_MUTATION_PAGE")
    or Path(__file__).with_name("pycuda_mutation.page")
)
_page = open_page(_path) if _path.exists() else None
_off = _page[:HEAD].cast("I") if _page is not None else None


def off(number: int) -> bool:
    """Whether the function is switched off; notes that it was called."""
    assert _page is not None and _off is not None
    _page[HEAD + number] = 1
    return _off[0] == number
