"""500 saved random kernels with checksums of their expected output.

`tools/save_kernels.py` wrote them. Random kernels change with their
generators; these do not. The file has their sources and launch shapes, and a
checksum for each chunk of `PIECE` numbers of the result of the NumPy
interpreter.
"""

# SPDX-License-Identifier: MIT

import json
import lzma
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from kernel_machine import INPUT

KINDS = ["regions", "warps", "grids"]  # of kernel_corpus.GENERATORS
FILE = Path(__file__).with_name("data") / "kernels.json.xz"
PIECE = 64  # numbers


@dataclass
class Saved:
    """A kernel; its shape has the names that `kernel_corpus.output` uses."""

    name: str
    text: str
    block: tuple[int, int, int]
    grid: tuple[int, int, int]
    p: int
    q: int
    numbers: int  # the count of numbers that the kernel writes
    checksums: list[int]

    def outputs(self) -> int:
        return self.numbers


def input_numbers() -> np.ndarray:
    """Return the kernels' input; it does not depend on a library's version."""
    numbers = np.arange(1, INPUT + 1, dtype=np.uint32) * np.uint32(0x9E3779B9)
    for shift in (15, 13):
        numbers = (numbers ^ numbers >> np.uint32(shift)) * np.uint32(739981)
    return numbers ^ numbers >> np.uint32(16)


def checksums(out: np.ndarray) -> list[int]:
    """Return a checksum for each chunk of the output."""
    little = out.astype("<u4")
    return [
        zlib.crc32(little[first : first + PIECE].tobytes())
        for first in range(0, out.size, PIECE)
    ]


def load() -> list[Saved]:
    """Return all saved kernels, in the order of the file."""
    rows = json.loads(lzma.decompress(FILE.read_bytes()))
    return [
        Saved(**{**row, "block": tuple(row["block"]), "grid": (*row["grid"],)})
        for row in rows
    ]


def save(kernels: list[Saved]) -> int:
    """Write the file and return its size in bytes."""
    text = json.dumps([asdict(kernel) for kernel in kernels])
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    return FILE.write_bytes(lzma.compress(text.encode(), filters=filters))


def wrong_at(kernel: Saved, out: np.ndarray) -> str:
    """Describe the numbers that differ from the saved ones, or return ""."""
    pairs = zip(kernel.checksums, checksums(out), strict=True)
    for piece, (right, found) in enumerate(pairs):
        if right != found:
            first = piece * PIECE
            last = min(first + PIECE, out.size) - 1
            return f"{kernel.name}: some of the numbers {first} to {last}"
    return ""
