"""Runs nvcc, if the caller names one or NVRTC cannot compile the source.

Called by `pycuda.compiler`.  Each run has a separate folder, which is removed
unless `keep`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pycuda._compile.includes import find_program
from pycuda._compile.source import FILE_NAME
from pycuda._compile.warn import warn_user

if TYPE_CHECKING:
    import subprocess


@functools.cache
def version(nvcc: str) -> str:
    """Return the output of `nvcc --version`."""
    import subprocess

    try:
        done = subprocess.run(
            [nvcc, "--version"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        warn_user(f"The version of {nvcc!r} cannot be determined: {error}")
        return "nvcc unknown version"
    return done.stdout


def require(nvcc: str, advice: str) -> None:
    """Raise FileNotFoundError, with the advice, if `nvcc` cannot be run."""
    if find_program(nvcc) is None:
        raise FileNotFoundError(
            f"the compiler {nvcc!r} was not found; {advice}"
        )


def command(
    nvcc: str,
    options: list[str],
    target: str,
    arch: str | None,
    code: str | None,
    include_dirs: list[str],
) -> list[str]:
    """Return the command that compiles kernel.cu in the current folder."""
    words = [nvcc, f"--{target}", *options]
    if arch is not None:
        words += ["-arch", arch]
    if code is not None:
        words += ["-code", code]
    return [*words, *(f"-I{d}" for d in include_dirs), FILE_NAME]


@dataclass
class Result:
    """Output of nvcc; `image` is None if it failed."""

    image: bytes | None
    status: int
    stdout: str
    stderr: str
    path: str


def run(words: list[str], source: str, target: str, keep: bool) -> Result:
    """Compile `source` in a separate folder."""
    folder = _new_folder()
    path = os.path.join(folder, FILE_NAME)
    try:
        with open(path, "w") as stream:
            stream.write(source)
        words = [*words, "--keep"] if keep else words
        done = _execute(words, folder)
        image = None
        made = os.path.join(folder, f"kernel.{target}")
        if done.returncode == 0 and os.path.exists(made):
            with open(made, "rb") as stream:
                image = stream.read()
        return Result(image, done.returncode, done.stdout, done.stderr, path)
    finally:
        if keep:
            print(f"*** compiler output in {folder}")
        else:
            _remove_folder(folder)


def _new_folder() -> str:
    import tempfile

    return tempfile.mkdtemp(prefix="pycuda-")


def _remove_folder(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _execute(
    words: list[str], folder: str
) -> subprocess.CompletedProcess[str]:
    import subprocess

    return subprocess.run(
        words,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def preprocess(
    source: str, options: list[str], nvcc: str
) -> tuple[int, str, str]:
    """Run the preprocessor alone; return (exit status, text, stderr)."""
    folder = _new_folder()
    try:
        with open(os.path.join(folder, FILE_NAME), "w") as stream:
            stream.write(source)
        words = [nvcc, "--preprocess", *options, FILE_NAME]
        words += ["--compiler-options", "-P"]
        done = _execute(words, folder)
        return done.returncode, done.stdout, done.stderr
    finally:
        _remove_folder(folder)
