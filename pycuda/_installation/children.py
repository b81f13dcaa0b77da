"""Runs parts of the examination in separate processes.

A broken driver, MPI library or kernel may crash or hang: the report then says
so instead of ending.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

_MARK = "pycuda-doctor:"
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from pycuda._installation import probes; "
    f"print('\\n{_MARK}' + json.dumps(getattr(probes, sys.argv[2])()))"
)


class ChildError(Exception):
    """A process failed; the text says how."""


def _describe(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    if done.returncode < 0:
        try:
            name = signal.Signals(-done.returncode).name
        except ValueError:  # a real-time signal
            name = f"signal {-done.returncode}"
        return f"the process ended by {name}"
    return lines[-1] if lines else f"exit status {done.returncode}"


def call(probe: str, seconds: float, **environment: str) -> Any:
    """Call a function of `probes` in a new process; return its result.

    Parameters
    ----------
    probe
        Name of the function.
    seconds
        Time after which the process is killed.
    environment
        Variables to set.

    Raises
    ------
    ChildError
        If the process raises, crashes or takes too long.
    """
    paths = [path or os.curdir for path in sys.path]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-W", "ignore", "-c", _START]
            + [json.dumps(paths), probe],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise ChildError(f"no result within {seconds:g} s") from None
    except OSError as error:
        raise ChildError(f"{sys.executable}: {error.strerror}") from None
    for line in reversed(done.stdout.splitlines()):
        if done.returncode == 0 and line.startswith(_MARK):
            return json.loads(line.removeprefix(_MARK))
    raise ChildError(_describe(done))
