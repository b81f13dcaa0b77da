"""Counts of the kernel check ``bank``: memory transactions by source line."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import overload

_HEADINGS = (
    "line",
    "memory",
    "access",
    "requests",
    "transactions",
    "ideal",
    "excess",
    "worst",
)


@dataclass(frozen=True)
class AccessCount:
    """Memory transactions of the accesses in one source line.

    A request is one execution of an access by a warp.  The hardware serves it
    by transactions: of shared memory one for each word of the bank with the
    most words, of global memory one for each sector of 32 bytes.

    Attributes
    ----------
    kernel : str
        Name of the kernel.
    file : str
        Name of the source file.
    line : int
        Line in the file, from 1; 0 if it is not known.
    source : str
        Text of the line, or ''.
    space : str
        ``'shared'`` or ``'global'``.
    access : str
        ``'read'``, ``'write'`` or ``'atomic operation'``.
    requests : int
        Number of requests.
    transactions : int
        Number of transactions that the hardware needs for the requests.
    ideal : int
        Number of transactions without bank conflicts, or if the bytes of each
        request were contiguous.
    worst : int
        Largest ratio of transactions to the ideal number in one request: 32 if
        32 lanes access different words of one bank.
    uncounted : int
        Number of accesses by threads that were not counted, since a warp
        executed the access more than 4096 times between two barriers.
    """

    kernel: str
    file: str
    line: int
    source: str
    space: str
    access: str
    requests: int
    transactions: int
    ideal: int
    worst: int
    uncounted: int

    @property
    def excess(self) -> int:
        """Transactions above the ideal number.

        In shared memory, these are the bank conflicts; in global memory, the
        sectors that are transferred in vain.
        """
        return self.transactions - self.ideal

    @property
    def remedy(self) -> str:
        """The usual way to need fewer transactions, or '' without excess."""
        if not self.excess:
            return ""
        if self.space == "shared":
            return (
                "add an element to the rows of the shared array, so that the "
                "lanes access different banks"
            )
        return "let neighbouring threads access neighbouring addresses"


class AccessCounts(Sequence[AccessCount]):
    """The counts of all source lines; printed and displayed as a table.

    Parameters
    ----------
    rows : list of AccessCount
        The counts, in the order of the table.
    complete : bool
        Whether there was enough memory to count all accesses.

    Attributes
    ----------
    complete : bool
        Whether all accesses were counted.  If not, the sum of the `uncounted`
        of all rows is the number of those missing, or there was not enough
        memory to count them.
    """

    complete: bool

    def __init__(self, rows: list[AccessCount], complete: bool = True) -> None:
        self._rows = rows
        self._had_memory = complete
        self.complete = complete and not any(row.uncounted for row in rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> AccessCount: ...

    @overload
    def __getitem__(self, index: slice) -> AccessCounts: ...

    def __getitem__(self, index: int | slice) -> AccessCount | AccessCounts:
        """Return a row, or several rows as a new table."""
        if isinstance(index, slice):
            return AccessCounts(self._rows[index], self._had_memory)
        return self._rows[index]

    def _kernels(self) -> Iterator[tuple[str, list[AccessCount]]]:
        """Yield each kernel with its file, and its rows."""
        titles = {(row.kernel, row.file) for row in self._rows}
        for kernel, file in sorted(titles):
            rows = [
                row
                for row in self._rows
                if (row.kernel, row.file) == (kernel, file)
            ]
            yield f"kernel {kernel} ({os.path.basename(file)})", rows

    @staticmethod
    def _cells(row: AccessCount) -> list[str]:
        worst = f"{row.worst}x" if row.excess else ""
        return [
            str(row.line or "?"),
            row.space,
            row.access,
            str(row.requests),
            str(row.transactions),
            str(row.ideal),
            str(row.excess or ""),
            worst,
        ]

    def _note(self) -> str:
        missing = sum(row.uncounted for row in self._rows)
        if not self._had_memory:
            return "some accesses were not counted: not enough memory"
        return f"{missing} accesses were not counted" if missing else ""

    def __repr__(self) -> str:
        """Return the counts as a table of text, one for each kernel."""
        if not self._rows:
            return self._note() or "no accesses were counted"
        parts = []
        for title, rows in self._kernels():
            cells = [list(_HEADINGS), *map(self._cells, rows)]
            widths = [
                max(map(len, column)) for column in zip(*cells, strict=True)
            ]
            parts.append(title)
            sources = ["", *(row.source.strip() for row in rows)]
            for texts, source in zip(cells, sources, strict=True):
                line = "  ".join(
                    text.ljust(width) if 0 < i < 3 else text.rjust(width)
                    for i, (text, width) in enumerate(
                        zip(texts, widths, strict=True)
                    )
                )
                parts.append(f"  {line}  {source}".rstrip())
        return "\n".join([*parts, *filter(None, [self._note()])])

    def _repr_html_(self) -> str:
        """Return the counts as HTML tables; lines with an excess are bold."""
        if not self._rows:
            return f"<p>{self._note() or 'no accesses were counted'}</p>"
        parts = []
        for title, rows in self._kernels():
            head = "".join(f"<th>{name}</th>" for name in _HEADINGS)
            parts.append(
                f"<p><b>{escape(title)}</b></p><table><tr>{head}"
                "<th style='text-align:left'>source</th></tr>"
            )
            for row in rows:
                weight = " style='font-weight:bold'" if row.excess else ""
                cells = "".join(
                    f"<td>{escape(text)}</td>" for text in self._cells(row)
                )
                parts.append(
                    f"<tr{weight}>{cells}<td style='text-align:left'><code>"
                    f"{escape(row.source.strip())}</code></td></tr>"
                )
            parts.append("</table>")
        if self._note():
            parts.append(f"<p>{self._note()}</p>")
        return "".join(parts)


def parse(text: str) -> AccessCounts:
    """Return the counts that lines of JSON describe, sorted by line."""
    lines = [json.loads(line) for line in text.split("\n") if line]
    rows = [AccessCount(**line) for line in lines if "incomplete" not in line]
    rows.sort(
        key=lambda row: (
            row.kernel,
            row.file,
            row.line,
            row.space,
            row.access,
        )
    )
    return AccessCounts(rows, len(rows) == len(lines))
