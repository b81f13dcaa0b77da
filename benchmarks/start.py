"""Time from nothing to a context: Python, NumPy, the driver, this package.

Usage: ``python benchmarks/start.py [--rounds N]``.  Processes take turns:
Python alone, Python that imports NumPy, a C program that makes a context
(``twins/start_twin.c``), ``import pycuda.autoinit``, and the equivalents of
CuPy and torch.  The goal: Python with NumPy, plus the C program, plus 0.02 s.
"""

import argparse
import statistics
import subprocess
import sys
import time

from common import build_c, describe_machine, print_table
from twin import cpu_library

OURS = 0.02  # seconds that the package itself may take
CUPY = "import cupy; cupy.zeros(1)"
TORCH = "import torch; torch.zeros(1, device='cuda')"
PROGRAMS = {
    "python": "pass",
    "python, numpy": "import numpy",
    "import pycuda.driver": "import pycuda.driver",
    "import pycuda.autoinit": "import pycuda.autoinit",
    "... with gpuarray and compiler": (
        "import pycuda.autoinit, pycuda.gpuarray, pycuda.compiler"
    ),
}
TWIN = "raw cuInit and context"


def process_seconds(command: list[str]) -> float:
    """Return the seconds from start to end, the driver's cleanup included."""
    start = time.perf_counter()
    subprocess.run(command, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def seconds_of(program: str) -> float | None:
    """Return the seconds of a Python process; None if it fails."""
    try:
        return process_seconds(
            [sys.executable, "-P", "-W", "ignore", "-c", program]
        )
    except subprocess.CalledProcessError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    twin = str(build_c("twins/start_twin.c", "-O2"))
    library = cpu_library()
    programs = dict(PROGRAMS)
    if library is None:
        programs |= {"cupy": CUPY, "torch": TORCH}
    times: dict[str, list[float]] = {name: [] for name in (*programs, TWIN)}
    for turn in range(rounds):
        for name, program in programs.items():
            if name in ("cupy", "torch") and turn > 2:
                continue  # seconds each
            taken = seconds_of(program)
            if taken is not None:
                times[name].append(taken)
        times[TWIN].append(process_seconds([twin, library or "libcuda.so.1"]))

    import pycuda.autoinit

    describe_machine(pycuda.autoinit.device.name())
    middle = {n: statistics.median(t) for n, t in times.items() if t}
    base = middle["python, numpy"] + middle[TWIN]
    rows = []
    for name, value in middle.items():
        goal = base + OURS if "autoinit" in name else None
        rows.append(
            [
                name,
                min(times[name]),
                value,
                "" if goal is None else f"<= {goal:.3f}",
                "" if goal is None else "yes" if value <= goal else "no",
            ]
        )
    print_table(["seconds", "least", "median", "goal", "met"], rows)


if __name__ == "__main__":
    main()
