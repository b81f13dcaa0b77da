"""The page of switches, as Python sees it; switch.h is C's view.

tools/mutate.py installs this as `pycuda_mutation` next to the package that it
tests, together with the page; PYCUDA_MUTATION_PAGE names another page.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import mmap
import os
from pathlib import Path

BYTES = 65536
HEAD = 4  # the number of the function that is off; 0: none


def open_page(path: Path) -> memoryview:
    """Map the page at `path`, shared with all processes that map it."""
    file = os.open(path, os.O_RDWR)
    try:
        return memoryview(mmap.mmap(file, BYTES))
    finally:
        os.close(file)


def make_page(path: Path) -> memoryview:
    """Write a page with nothing off; existing mappings stay valid."""
    path.touch()
    os.truncate(path, BYTES)
    page = open_page(path)
    switch_off(page, 0)
    return page


def switch_off(page: memoryview, number: int) -> None:
    """Switch one function off, or none with 0."""
    page[:HEAD] = number.to_bytes(HEAD, "little")


def take_called(page: memoryview) -> list[int]:
    """Return the functions called since the last call of this one."""
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
    """Return whether the function is off; record that it was called."""
    assert _page is not None and _off is not None
    _page[HEAD + number] = 1
    return _off[0] == number
