"""Entries: the oracle's questions to the compilers, made by feeds.

A feed is a Python module in `names/` whose `entries()` yields entries, or a
folder of `.cu` files whose sections are entries.  A section begins with `//:
name [option...]`; the rest of the line are NVRTC options for both compilers.
A section with a kernel `run(unsigned *out)` is also run by `python
tools/oracle results`: one block of 32 threads; `out` has 1,024 words of zeros,
and declared dynamic shared memory has 4,096 bytes.  Threads must not race: the
results of a GPU are compared word by word.

SPDX-License-Identifier: MIT
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SECTION = re.compile(r"^//:[ \t]*(\S+)[ \t]*(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """Source that a compiler accepts, refuses, or evaluates.

    Attributes
    ----------
    feed, name
        Together they name the entry in tables: `feed/name`.
    code
        Declarations at file scope; `$` is replaced by a unique number.
    headers
        Headers that are included first.
    value
        If not empty, an expression for which both compilers must compute the
        same integers: a list of constant expressions or `type(T)`s.
    alone
        Whether the entry is a separate source, never put in a batch.
    options
        NVRTC options for both compilers.
    function, calls
        Of a survey: the function, and the types of the arguments.
    """

    feed: str
    name: str
    code: str = ""
    headers: tuple[str, ...] = ()
    value: str = ""
    alone: bool = False
    options: tuple[str, ...] = ()
    function: str = ""
    calls: tuple[tuple[str, ...], ...] = ()

    @property
    def key(self) -> str:
        """The entry's name in tables."""
        return f"{self.feed}/{self.name}"


def sections(path: Path, feed: str) -> Iterator[Entry]:
    """Yield the entries of a `.cu` file, each to be compiled separately."""
    text = path.read_text()
    starts = list(SECTION.finditer(text))
    if not starts:
        yield Entry(feed, path.stem, text, alone=True)
        return
    ends = [match.start() for match in starts[1:]] + [len(text)]
    for match, end in zip(starts, ends, strict=True):
        line = text.count("\n", 0, match.end()) + 2
        code = f'#line {line} "{path.name}"{text[match.end() : end]}'
        name = f"{path.stem}/{match[1]}"
        yield Entry(
            feed, name, code, alone=True, options=tuple(match[2].split())
        )


def folder(path: Path) -> Iterator[Entry]:
    """Yield the entries of all `.cu` files in a folder, which names them."""
    for file in sorted(path.rglob("*.cu")):
        yield from sections(file, path.name)
