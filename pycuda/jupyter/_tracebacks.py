"""Tracebacks without the frames of this package."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import types
from collections.abc import Callable
from typing import Any

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


def _is_own(frames: types.TracebackType) -> bool:
    return frames.tb_frame.f_code.co_filename.startswith(_PACKAGE)


def without_own_frames(
    frames: types.TracebackType | None,
) -> types.TracebackType | None:
    """Return a copy of a traceback without the frames of this package.

    The first frame stays, so that no traceback becomes empty.
    """
    shown = []
    first = frames
    while frames is not None:
        if frames is first or not _is_own(frames):
            shown.append(frames)
        frames = frames.tb_next
    result = None
    for frame in reversed(shown):
        result = types.TracebackType(
            result, frame.tb_frame, frame.tb_lasti, frame.tb_lineno
        )
    return result


class HiddenFrames:
    """Makes a shell's tracebacks show the program's frames only.

    ``%xmode Verbose`` shows all frames, and ``%debug`` stops in all of them.

    Parameters
    ----------
    shell
        The IPython shell.
    before
        Called before a traceback is shown.
    shorten
        Called with each text of a traceback; returns the text to show.
    """

    def __init__(
        self,
        shell: Any,
        before: Callable[[], None],
        shorten: Callable[[str], str],
    ) -> None:
        self._formatter = shell.InteractiveTB
        self._original = self._formatter.structured_traceback
        self._before = before
        self._shorten = shorten

    def open(self) -> None:
        """Replace the method that formats tracebacks."""
        self._formatter.structured_traceback = self._structured

    def close(self) -> None:
        """Restore the method that formats tracebacks."""
        self._formatter.__dict__.pop("structured_traceback", None)

    def _structured(
        self,
        etype: Any,
        value: Any,
        frames: Any = None,
        *rest: Any,
        **options: Any,
    ) -> list[str]:
        self._before()
        if self._formatter.mode != "Verbose":
            if isinstance(frames, types.TracebackType):
                frames = without_own_frames(frames)
            self._clean_chain(value)
        lines = self._original(etype, value, frames, *rest, **options)
        return self._shorten("\n".join(lines)).split("\n")

    def _clean_chain(self, value: Any) -> None:
        """Shorten the tracebacks of the exceptions that led to `value`."""
        seen = {id(value)}
        while isinstance(value, BaseException):
            value = value.__cause__ or value.__context__
            if value is None or id(value) in seen:
                return
            seen.add(id(value))
            value.__traceback__ = without_own_frames(value.__traceback__)
