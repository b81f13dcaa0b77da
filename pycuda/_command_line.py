"""Exit status of the package's command lines, also after failed writes."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def run(name: str, main: Callable[[list[str]], int]) -> int:
    """Call ``main(arguments)``; return the exit status.

    An error of the system is one line on stderr, and status 1.  A reader that
    has closed its pipe, such as ``head``, needs no message.
    """
    try:
        try:
            status = main(sys.argv[1:])
        except SystemExit:  # argparse raises it after printing the help
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            print(f"{name}: {error}", file=sys.stderr)
        # Discard the buffered output, since Python would write it at exit and
        # fail once more.
        _discard_output()
        status = 1
    return status


def _discard_output() -> None:
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
        os.close(descriptor)
    except (OSError, ValueError, AttributeError):
        sys.stdout = None  # type: ignore[assignment]
