"""Run a piece of Python in a process of its own."""

import os
import subprocess
import sys
import textwrap

# For code that runs by itself: heap() tells how much of the C heap is in use.
HEAP = """
import ctypes

class Heap(ctypes.Structure):
    names = ("arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks"
             " fordblks keepcost").split()
    _fields_ = [(name, ctypes.c_size_t) for name in names]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Heap

def heap():
    now = libc.mallinfo2()
    return now.uordblks + now.hblkhd  # bytes
"""


def run(
    code: str,
    *,
    environment: dict[str, str] | None = None,
    status: int = 0,
    seconds: int = 120,
) -> str:
    """Run ``code``; check its exit status and that it prints no error.

    Returns what it printed. Anything on stderr fails the test.
    """
    variables = {**os.environ, "PYTHONWARNINGS": "error"}
    variables["PYTHONFAULTHANDLER"] = "1"  # a crash tells where
    variables.update(environment or {})
    # What the fall-back to the CPU device says is no error here.
    variables.setdefault("PYCUDA_DEVICE", "auto")
    # Free memory is the device's own, whatever other processes do.
    variables.setdefault("PYCUDA_CPU_MEMORY", "4G")
    prelude = (
        "import warnings\n"
        "warnings.filterwarnings('ignore', message='.*CPU device.*')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", prelude + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=variables,
        check=False,
    )
    assert done.returncode == status, (done.returncode, done.stderr)
    assert done.stderr == "", done.stderr
    return done.stdout
