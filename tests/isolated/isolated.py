"""Run a piece of Python in a process of its own."""

import os
import subprocess
import sys
import textwrap


def run(
    code: str, *, environment: dict[str, str] | None = None, status: int = 0
) -> str:
    """Run ``code``; check its exit status and that it prints no error.

    Returns what it printed. Anything on stderr fails the test.
    """
    variables = {**os.environ, "PYTHONWARNINGS": "error"}
    variables.update(environment or {})
    # What the fall-back to the CPU device says is no error here.
    variables.setdefault("PYCUDA_DEVICE", "auto")
    prelude = (
        "import warnings\n"
        "warnings.filterwarnings('ignore', message='.*CPU device.*')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", prelude + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env=variables,
        check=False,
    )
    assert done.returncode == status, (done.returncode, done.stderr)
    assert done.stderr == "", done.stderr
    return done.stdout
