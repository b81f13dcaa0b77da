"""Warnings that point at the user's line, not at this package's."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable

# The search for the first caller outside this package skips frames of this
# file: a context manager adds such frames between frames of the package.
_SKIPPED = contextlib.__file__
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def warn_user(text: str) -> None:
    """Give a UserWarning at the first caller outside this package."""
    frame = sys._getframe(1)
    level = 2
    while frame.f_back and frame.f_code.co_filename.startswith(
        (_PACKAGE, _SKIPPED)
    ):
        frame = frame.f_back
        level += 1
    warnings.warn(text, UserWarning, stacklevel=level)


def number_from_environment(
    name: str, default: float, warn: Callable[[str], None]
) -> float:
    """Return the number >= 0 in an environment variable, or `default`.

    If the text is no such number, `warn(text)` is called.
    """
    text = os.environ.get(name, "")
    try:
        number = float(text) if text else default
    except ValueError:
        number = -1.0
    if not number >= 0:
        warn(text)
        return default
    return number
