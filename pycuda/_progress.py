"""Progress bars on stderr for long work.

tqdm draws them if it is installed; otherwise one line is rewritten.  Nothing
is written if stderr is not a terminal.  The module needs no other part of the
package, so the tools of the project load it from the sources.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_COLUMNS = 78
_BAR = 30


class Progress:
    """A bar for a known number of steps.

    Parameters
    ----------
    total : int
        Number of steps.
    label : str
        What is done, for the start of the line.
    """

    def __init__(self, total: int, label: str) -> None:
        self._total, self._label, self._done = total, label, 0
        self._start = time.monotonic()
        self._bar: Any = None
        self._shown = sys.stderr.isatty() and total > 0
        if self._shown:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, desc=label, leave=False)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
        self.clear()

    def clear(self) -> None:
        """Empty the bar's line, before other output is written."""
        if not self._shown:
            return
        if self._bar is not None:
            self._bar.clear()
        else:
            print(f"\r{'':{_COLUMNS}}\r", end="", file=sys.stderr, flush=True)

    def begin(self, name: str) -> None:
        """Show the name of the step that begins."""
        if self._bar is not None:
            self._bar.set_postfix_str(name)
        elif self._shown:
            self._draw(name)

    def step(self) -> None:
        """Count a step as done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update()

    def _draw(self, name: str) -> None:
        bar = "#" * (_BAR * self._done // self._total)
        seconds = time.monotonic() - self._start
        line = (
            f"{self._label} [{bar:<{_BAR}}] {self._done}/{self._total} "
            f"{seconds:4.0f} s  {name}"
        )
        text = f"\r{line[:_COLUMNS]:<{_COLUMNS}}"
        print(text, end="", file=sys.stderr, flush=True)
