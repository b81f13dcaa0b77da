"""Time to compile a small kernel: first, later, and from the disk cache.

Usage: ``python benchmarks/compile.py``.  Each row is measured in processes of
its own over a cache folder of its own.  For the cached row it is also shown
that the hit starts no process (strace, where it is installed) and loads no
compiler (/proc/self/maps).
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import describe_machine, print_table, run_json
from launch import device_kind

SOURCE = """
/* NUMBER */
__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
GOALS = {
    "cpu": {"first": 0.05, "later": 0.05, "cached": 0.002},
    "gpu": {"first": 0.055, "later": 0.020, "cached": 0.001},
}
COMPILERS = re.compile(r"libnvrtc|libLLVM|libclang|pycuda-jit|ziglang")
STARTED = re.compile(r"\b(execve|fork|vfork|clone3?)\(")
BEGIN, END = "/benchmark-compile-begins", "/benchmark-compile-ends"


def child(cache: str, numbers: list[str]) -> None:
    """Compile one source a number; print seconds and what is loaded."""
    import pycuda.autoinit
    from pycuda.compiler import SourceModule

    seconds = []
    # Paths that don't exist: their look-ups mark the place in strace's log.
    Path(BEGIN).exists()
    for number in numbers:
        source = SOURCE.replace("NUMBER", number)
        start = time.perf_counter()
        SourceModule(source, cache_dir=cache).get_function("saxpy")
        seconds.append(time.perf_counter() - start)
    Path(END).exists()
    maps = Path("/proc/self/maps").read_text()
    loaded = sorted({line.split()[-1] for line in maps.splitlines()})
    print(
        json.dumps(
            {
                "seconds": seconds,
                "compilers": [p for p in loaded if COMPILERS.search(p)],
                "device": pycuda.autoinit.device.name(),
            }
        )
    )


def run_child(cache: str, *numbers: str, before: tuple[str, ...] = ()) -> dict:
    """`child` in a process of its own, `before` being put in front."""
    command = [*before, sys.executable, __file__, "--child", cache, *numbers]
    return run_json(command)


def processes_started(cache: str, number: str) -> list[str] | None:
    """Calls that start a process or thread during a hit; None: no strace."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    log = str(Path(cache, "strace.log"))
    run_child(cache, number, before=(strace, "-f", "-o", log))
    lines = Path(log).read_text(errors="replace").splitlines()
    marks = [
        next(i for i, line in enumerate(lines) if mark in line)
        for mark in (BEGIN, END)
    ]
    return [
        line
        for line in lines[marks[0] : marks[1]]
        if STARTED.search(line) and "CLONE_THREAD" not in line
    ]


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3:])
        return
    first, later, cached, goals = [], [], [], GOALS[device_kind()]
    for attempt in range(5):
        with tempfile.TemporaryDirectory() as cache:
            numbers = [f"{attempt}.{k}" for k in range(4)]
            cold = run_child(cache, *numbers)
            first.append(cold["seconds"][0])
            later += cold["seconds"][1:]
            warm = run_child(cache, *numbers)
            cached.append(warm["seconds"][0])
            started = processes_started(cache, numbers[0])

    describe_machine(warm["device"])
    rows = []
    for name, figures in zip(goals, (first, later, cached), strict=True):
        middle = statistics.median(figures)
        met = "yes" if middle <= goals[name] else "no"
        rows.append([name, min(figures), middle, f"<= {goals[name]}", met])
    print_table(["seconds", "least", "median", "goal", "met"], rows)
    print("\nWhile a kernel came from the cache of another process:")
    if started is None:
        print("- processes started: not looked at (strace is not installed)")
    else:
        print(f"- processes started: {len(started)} {started or ''}")
    print(f"- compiler libraries loaded: {warm['compilers'] or 'none'}")
    if started or warm["compilers"]:
        sys.exit("a hit must start no process and load no compiler")


if __name__ == "__main__":
    try:
        main()
    except subprocess.TimeoutExpired as error:
        sys.exit(f"took more than {error.timeout} s: {error.cmd}")
