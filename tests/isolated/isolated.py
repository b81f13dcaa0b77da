"""Runs Python code in a separate process."""

import os
import subprocess
import sys
import textwrap

# Prelude of the code: heap() returns the number of bytes in use on the C heap.
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

    Returns its output. Anything on stderr fails the test.
    """
    variables = {**os.environ, "PYTHONWARNINGS": "error"}
    variables["PYTHONFAULTHANDLER"] = "1"  # a crash prints the stack
    variables.update(environment or {})
    # The warning about the fallback to the CPU device is not an error here.
    variables.setdefault("PYCUDA_DEVICE", "auto")
    # Free memory is then the device's own, whatever other processes use.
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
    said = [
        line
        for line in done.stderr.splitlines()
        if not line.startswith("qemu: uncaught target signal")
    ]
    assert said == [], done.stderr
    return done.stdout
