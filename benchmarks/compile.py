"""Time to compile a small kernel: first, later, and from the disk cache.

Usage: ``python benchmarks/compile.py``.  Each row is measured in separate
processes with a separate cache folder, in turn with a C twin
(``twins/compile_twin.c``): NVRTC alone on the same source, and the driver
alone on the image.  For the cached row it also verifies that a cache hit
starts no process (strace, if it is installed) and loads no compiler
(/proc/self/maps).
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

from common import build_c, describe_machine, print_table, run_json
from twin import cpu_library, device_kind

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
    "cpu": {"first": 0.05, "later": 0.05, "kept": 0.002},
    "gpu": {"first": 0.055, "later": 0.020, "kept": 0.001},
}
COMPILERS = re.compile(r"libnvrtc|libLLVM|libclang|pycuda-jit|ziglang")
STARTED = re.compile(r"\b(execve|fork|vfork|clone3?)\(")
BEGIN, END = "/benchmark-compile-begins", "/benchmark-compile-ends"


def child(cache: str, numbers: list[str]) -> None:
    """Compile one source per number; print seconds and loaded libraries."""
    import pycuda.autoinit
    from pycuda.compiler import SourceModule

    seconds = []
    # Paths that don't exist: looking them up marks the interval in strace's
    # log.
    Path(BEGIN).exists()
    for number in numbers:
        source = SOURCE.replace("NUMBER", number)
        start = time.perf_counter()
        SourceModule(source, cache_dir=cache).get_function("saxpy")
        seconds.append(time.perf_counter() - start)
    Path(END).exists()
    from pycuda import _driver

    maps = Path("/proc/self/maps").read_text()
    loaded = sorted({line.split()[-1] for line in maps.splitlines()})
    print(
        json.dumps(
            {
                "seconds": seconds,
                "compilers": [p for p in loaded if COMPILERS.search(p)],
                "device": pycuda.autoinit.device.name(),
                "arch": pycuda.autoinit.device.compute_capability(),
                # This call opens NVRTC, so it follows the check of the maps.
                "nvrtc": _driver._nvrtc_info()[:2],
            }
        )
    )


def run_child(cache: str, *numbers: str, before: tuple[str, ...] = ()) -> dict:
    """Run `child` in a separate process, with the words `before` in front."""
    command = [*before, sys.executable, __file__, "--child", cache, *numbers]
    return run_json(command)


class Twin:
    """`twins/compile_twin.c` on the source that `child` compiles."""

    def __init__(self) -> None:
        self._program = str(build_c("twins/compile_twin.c", "-O2"))
        self._driver = cpu_library() or "libcuda.so.1"

    def measure(self, folder: str, told: dict) -> dict[str, float]:
        """Return seconds of each row; `told` is the output of `child`."""
        nvrtc, major = told["nvrtc"]
        arch = "".join(map(str, told["arch"]))
        options = [f"--gpu-architecture=sm_{arch}"]
        options += ["--no-cache", "--minimal"] if major >= 13 else []
        source = Path(folder, "kernel.cu")
        text = SOURCE.replace("NUMBER", "the twin's")
        source.write_text(f'extern "C" {{{text}}}')
        begin, end = [self._program, self._driver], [str(source), "saxpy"]
        made = run_json([*begin, nvrtc, *end, *options])
        return made | run_json([*begin, "-", *end])


def processes_started(cache: str, number: str) -> list[str] | None:
    """Count processes and threads that a hit starts; None: no strace."""
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
    goals, twin = GOALS[device_kind()], Twin()
    ours: dict[str, list[float]] = {row: [] for row in goals}
    raw: dict[str, list[float]] = {row: [] for row in goals}
    for attempt in range(9):
        with tempfile.TemporaryDirectory() as cache:
            numbers = [f"{attempt}.{k}" for k in range(4)]
            cold = run_child(cache, *numbers)
            warm = run_child(cache, *numbers)
            ours["first"].append(cold["seconds"][0])
            ours["later"] += cold["seconds"][1:]
            ours["kept"].append(warm["seconds"][0])
            started = processes_started(cache, numbers[0])
            for row, seconds in twin.measure(cache, cold).items():
                raw[row].append(seconds)

    describe_machine(warm["device"])
    rows = []
    for name, goal in goals.items():
        least, middle = min(ours[name]), statistics.median(ours[name])
        bound = statistics.median(raw[name])
        figures = [least, middle, min(raw[name]), bound, middle / bound]
        met = "yes" if middle <= goal else "no"
        rows.append([name, *figures, f"<= {goal}", met])
    heads = ["seconds", "least", "median", "raw, least", "raw, median"]
    print_table([*heads, "ratio", "goal", "met"], rows)
    print("raw: NVRTC and the driver alone, called from C.")
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
