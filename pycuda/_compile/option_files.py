"""Files of nvcc options (--options-file), and limits of their total size.

Called by `options`.  A file of options can name further files, each any number
of times, so ten small files can expand to billions of options.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from pycuda._compile import files

# Limits of one command line. Linux limits a command to 2 MiB.
MAX_BYTES = 1 << 20
MAX_FILES = 1000
MAX_DEPTH = 16


class OptionError(ValueError):
    """An option that no available compiler can follow."""


def split_line(text: str, whose: str) -> list[str]:
    """Split a line of options as a shell does; `whose` names its origin."""
    import shlex  # Imported here: it takes time, and few programs need it.

    try:
        return shlex.split(text)
    except ValueError as error:
        raise OptionError(f"the options in {whose}: {error}") from None


class OptionFiles:
    """Reads the option files of one command line and adds up their size."""

    def __init__(self) -> None:
        # files that are being read; each is named in the previous one
        self._open: list[str] = []
        self._files = 0
        self._bytes = 0

    @contextlib.contextmanager
    def read(self, paths: list[str]) -> Iterator[list[str]]:
        """Yield the options of some files, and of the files that these name.

        Parameters
        ----------
        paths
            The files of one ``--options-file``.

        Yields
        ------
        list of str
            The options of all files, in order.

        Raises
        ------
        OptionError
            If a file cannot be read, includes itself, or the files of this
            command line exceed a limit.
        """
        words: list[str] = []
        for path in paths:
            words += split_line(self._text(path), f"the file {path!r}")
        before = len(self._open)
        self._open += [os.path.realpath(path) for path in paths]
        try:
            if before >= MAX_DEPTH:
                raise OptionError(
                    f"the options file {paths[0]!r} is nested more than "
                    f"{MAX_DEPTH} deep"
                )
            yield words
        finally:
            del self._open[before:]

    def _text(self, path: str) -> str:
        """Return the content of one file, which counts towards the limits."""
        if os.path.realpath(path) in self._open:
            raise OptionError(f"the options file {path!r} includes itself")
        try:
            content = files.read_regular(path, MAX_BYTES)
            text = content.decode()
        except (OSError, ValueError) as error:
            raise OptionError(f"the options file {path!r}: {error}") from None
        self._files += 1
        self._bytes += len(content)
        if self._files > MAX_FILES or self._bytes > MAX_BYTES:
            raise OptionError(
                f"the options files come to {self._bytes} bytes in "
                f"{self._files} files at {path!r}, counted each time that "
                f"one is included; at most {MAX_BYTES} bytes in "
                f"{MAX_FILES} files are read"
            )
        return text
