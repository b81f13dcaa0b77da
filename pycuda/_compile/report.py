"""Reports to the user about a compilation: warnings and `CompileError`."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import NoReturn

import pycuda.driver as _drv
from pycuda._compile.source import FILE_NAME
from pycuda._compile.warn import warn_user


def succeeded(text: str) -> None:
    """Report the messages of a successful compilation, as PyCUDA does."""
    if not text.strip():
        return
    if "demoted" in text or "demoting" in text:
        warn_user(
            "The CUDA compiler demoted types of lesser precision: "
            "double may have become float."
        )
    warn_user(
        "The CUDA compiler succeeded, but said the following:\n" + text.strip()
    )


def failed(
    command: list[str],
    stdout: str,
    stderr: str,
    advice: str = "",
    path: str = FILE_NAME,
) -> NoReturn:
    """Raise `CompileError`; `command` begins with the compiler's name."""
    compiler = command[0].rpartition("/")[2]
    text = f"{compiler} compilation of {path} failed"
    if advice:
        text = f"{text}. {advice}"
    raise _drv.CompileError(text, command, stdout=stdout, stderr=stderr)
