"""Start of many processes on one empty compile cache.

Usage: ``python benchmarks/cold_start.py [PROCESSES] [KERNELS]`` (64, 4). The
processes are distributed over the devices. Prints how many compilations they
ran together, and the seconds until the last one has ended, with the empty
cache, and again with the filled one.

SPDX-License-Identifier: MIT
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pycuda.driver as drv

WORKER = Path(__file__).resolve().parents[1] / "tests/compiler/cache_worker.py"


def start(folder: str, processes: int, kernels: int) -> tuple[int, float]:
    """Return the number of compilations, and the seconds, of a start."""
    drv.init()
    begin = time.perf_counter()
    workers = [
        subprocess.Popen(
            [sys.executable, "-P", str(WORKER), str(kernels)],
            env=os.environ
            | {
                "PYCUDA_CACHE_DIR": folder,
                "CUDA_DEVICE": str(index % drv.Device.count()),
                "OMP_NUM_THREADS": "1",
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        for index in range(processes)
    ]
    counts = [worker.communicate(timeout=500)[0] for worker in workers]
    seconds = time.perf_counter() - begin
    if any(worker.returncode for worker in workers):
        sys.exit("a process has failed")
    return sum(map(int, counts)), seconds


def main() -> None:
    """Print the table."""
    numbers = [int(argument) for argument in sys.argv[1:]] + [64, 4]
    if len(sys.argv) == 2:
        numbers = [int(sys.argv[1]), 4]
    processes, kernels = numbers[:2]
    with tempfile.TemporaryDirectory() as folder:
        print("| cache | processes | kernels | compilations | seconds |")
        print("|---|---:|---:|---:|---:|")
        for name in ("empty", "filled"):
            count, seconds = start(folder, processes, kernels)
            print(
                f"| {name} | {processes} | {kernels} | {count} "
                f"| {seconds:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
