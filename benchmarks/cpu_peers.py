"""Kernels on the CPU device, PoCL, gcc and clang, for 2^12 to 2^24 elements.

Usage: ``python benchmarks/cpu_peers.py [--budget SECONDS]``.  All on one
thread: the same kernels as CUDA C (`cpu/kernels.cu`), as OpenCL C for PoCL
(`cpu/kernels.cl`), on grids of the same size, and as loops in C
(`cpu/reference.c`).  Histograms use as many blocks as the device holds, or
fewer for few bytes (`cpu/rows.py`).  Each peer runs in a separate process and
compares its results with NumPy's before a time counts.  PyOpenCL and PoCL are
installed from PyPI into ``build/benchmarks/opencl`` at the first call; if that
fails the column is empty, and a line gives the reason.

SPDX-License-Identifier: MIT
"""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean

import numpy as np
from common import BUILD, HERE, describe_machine, print_table
from cpu.rows import histogram_blocks

from pycuda._progress import Progress

FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp"]
BITS = range(12, 25, 4)
TASKS = ("multiply", "sine", "block_sum", "transpose", "histogram", "matmul")
PEERS = ("this package", "gcc", "clang", "PoCL")
OPENCL = ["pyopencl", "pocl-binary-distribution", "numpy"]


class Task:
    """One kernel at one size: its arrays, its shape, its expected result."""

    def __init__(self, name: str, bits: int) -> None:
        self.name, self.label = name, f"{name}, 2^{bits}"
        n = 1 << bits
        random = np.random.default_rng(bits)
        self.inputs = [random.random(n, np.float32)]
        self.n, self.block, self.grid = n, (256, 1), (n // 256, 1)
        if name == "multiply":
            self.inputs.append(random.random(n, np.float32))
            self.right = self.inputs[0] * self.inputs[1]
        elif name == "sine":
            self.right = np.sin(self.inputs[0])
        elif name == "block_sum":
            self.right = self.inputs[0].reshape(-1, 256).sum(axis=1)
        elif name == "histogram":
            self.inputs = [random.integers(0, 256, n, dtype=np.uint8)]
            self.right = np.bincount(self.inputs[0], minlength=256)
            self.right = self.right.astype(np.uint32)
            self.grid = (histogram_blocks(n, 1), 1)
        else:
            self.square(random, n)
        self.out = np.zeros_like(self.right)

    def square(self, random: np.random.Generator, n: int) -> None:
        """Return matrices of n elements, or of n multiplications."""
        product = self.name == "matmul"
        side = 1 << (int(n).bit_length() - 1) // (3 if product else 2)
        self.n = side
        one, two = random.random((2, side, side), np.float32)
        self.inputs = [one, two] if product else [one]
        self.right = one @ two if product else one.T.copy()
        self.label = f"{self.name}, {side}^{3 if product else 2}"
        self.block = (16, 16) if product else (32, 8)
        tile = self.block[0]
        self.grid = (side // tile, side // tile)

    def check(self, found: np.ndarray) -> None:
        """End the process if a result is wrong."""
        if not np.allclose(found, self.right, 1e-4, 1e-5):
            sys.exit(f"{self.label}: a wrong result")


def least(call: Callable[[], object], budget: float) -> float:
    """Return the least seconds of one call."""
    call()
    best, end = float("inf"), time.perf_counter() + budget
    while True:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return best


# ---- the peers, each in a separate process ----


def with_cuda() -> Callable[[Task], Callable]:
    """Measure kernels on the CPU device."""
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as cuda
    from pycuda import cpu
    from pycuda.compiler import SourceModule

    module = SourceModule((HERE / "cpu" / "kernels.cu").read_text())
    cpu.finish_compilation()

    def prepare(task: Task) -> Callable:
        function = module.get_function(task.name)
        out = cuda.to_device(task.out)
        passed = [out, *map(cuda.to_device, task.inputs), np.int32(task.n)]

        def call() -> None:
            function(*passed, block=(*task.block, 1), grid=task.grid)
            cuda.Context.synchronize()

        call()
        task.check(cuda.from_device_like(out, task.out))
        return call

    return prepare


def with_opencl() -> Callable[[Task], Callable]:
    """Measure kernels of OpenCL C by PoCL."""
    import pyopencl as cl

    platform = next(
        one for one in cl.get_platforms() if "Portable" in one.name
    )
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, (HERE / "cpu" / "kernels.cl").read_text())
    program.build(["-cl-fast-relaxed-math"])
    flags = cl.mem_flags.COPY_HOST_PTR | cl.mem_flags.READ_WRITE

    def prepare(task: Task) -> Callable:
        kernel = getattr(program, task.name)
        arrays = [
            cl.Buffer(context, flags, hostbuf=a)
            for a in (task.out, *task.inputs)
        ]
        kernel.set_args(*arrays, np.int32(task.n))
        shape = [g * b for g, b in zip(task.grid, task.block, strict=True)]

        def call() -> None:
            cl.enqueue_nd_range_kernel(queue, kernel, shape, task.block)
            queue.finish()

        call()
        found = np.empty_like(task.out)
        cl.enqueue_copy(queue, found, arrays[0])
        task.check(found)
        call.arrays = arrays  # a kernel does not own its arguments
        return call

    return prepare


def with_c(compiler: str) -> Callable[[Task], Callable]:
    """Measure loops in C."""
    BUILD.mkdir(parents=True, exist_ok=True)
    built = BUILD / f"reference-{compiler}.so"
    source = HERE / "cpu" / "reference.c"
    command = [shutil.which(compiler), str(source), "-o", str(built)]
    command += ["-shared", "-fPIC", *FLAGS, "-lm"]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(str(built))
    library.sum.restype = ctypes.c_float

    def prepare(task: Task) -> Callable:
        arrays = [task.out, *task.inputs]
        name = task.name
        if name == "block_sum":
            name, arrays = "sum", task.inputs
        function = getattr(library, name)
        passed = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
        passed.append(ctypes.c_long(task.n))
        found = function(*passed)
        if name == "sum":
            if not np.isclose(found, task.right.sum(), 1e-3):
                sys.exit(f"{task.label}: a wrong result")
        else:
            task.check(task.out)
        return lambda: function(*passed)

    return prepare


def child(peer: str, budget: float) -> None:
    """Print a line with each task's seconds, then all as JSON."""
    prepare = {
        "this package": with_cuda,
        "PoCL": with_opencl,
        "gcc": lambda: with_c("gcc"),
        "clang": lambda: with_c("clang"),
    }[peer]()
    seconds = {}
    for name in TASKS:
        for bits in BITS:
            task = Task(name, bits)
            call = prepare(task)
            seconds[task.label] = least(call, budget)
            print(task.label, file=sys.stderr, flush=True)
    print(json.dumps(seconds))


# ---- the table ----


def opencl_python() -> tuple[Path | None, str]:
    """Return a Python that has PyOpenCL and PoCL, or why there is none."""
    folder = BUILD / "opencl"
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if ready.exists():
        return python, ""
    steps = [
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", *OPENCL],
        [str(python), "-c", "import pyopencl; pyopencl.get_platforms()[0]"],
    ]
    for step in steps:
        try:
            done = subprocess.run(
                step, capture_output=True, text=True, timeout=180, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, str(error)
        if done.returncode:
            said = done.stderr.strip().split("\n")[-1]
            return None, said or f"status {done.returncode}"
    ready.touch()
    return python, ""


def measure(
    peer: str, python: str, budget: float, progress: Progress
) -> dict[str, float] | str:
    """Return a peer's seconds by row, or why there are none."""
    environment = os.environ | {
        "PYCUDA_DEVICE": "cpu",
        "PYCUDA_CPU_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "POCL_MAX_PTHREAD_COUNT": "1",
        "POCL_CPU_MAX_CU_COUNT": "1",
    }
    command = [python, __file__, "--peer", peer, "--budget", str(budget)]
    started = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = ""
    for line in started.stderr:
        said = line.strip() or said
        progress.begin(f"{peer}: {said[:30]}")
        if line.split(",")[0] in TASKS:
            progress.step()
    text = started.stdout.read()
    if status := started.wait():
        return said or f"its process ended with status {status}"
    return json.loads(text.strip().split("\n")[-1])


def ratios(found: dict, peer: str) -> list[float]:
    """Return a peer's seconds divided by ours, row by row."""
    if peer not in found:
        return []
    ours = found["this package"]
    return [found[peer][row] / ours[row] for row in ours]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--budget", type=float, default=0.5)
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        child(options.peer, options.budget)
        return
    found, missing = {}, []
    rows = len(PEERS) * len(TASKS) * len(BITS)
    with Progress(rows, "rows") as progress:
        for peer in PEERS:
            python, reason = sys.executable, ""
            if peer == "PoCL":
                made, reason = opencl_python()
                python = str(made)
            elif peer in ("gcc", "clang") and not shutil.which(peer):
                reason = f"{peer} is not installed"
            result = reason or measure(peer, python, options.budget, progress)
            if isinstance(result, str):
                missing.append(f"{peer} was left out: {result}")
            else:
                found[peer] = result
    if "this package" not in found:
        sys.exit("\n".join(missing))
    there = [peer for peer in PEERS if peer in found]
    heads = ["seconds", *there, *(f"{p} / ours" for p in there[1:])]
    table = []
    for k, row in enumerate(found["this package"]):
        speeds = [f"{ratios(found, peer)[k]:.2f}" for peer in there[1:]]
        table.append([row, *(found[peer][row] for peer in there), *speeds])
    describe_machine("one thread each")
    print_table(heads, table)
    print()
    for peer in there[1:]:
        speeds = ratios(found, peer)
        print(
            f"Speed beside {peer}, geometric mean: "
            f"{geometric_mean(speeds):.2f}; least: {min(speeds):.2f}."
        )
    print("\n".join(missing))


if __name__ == "__main__":
    main()
