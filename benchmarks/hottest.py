"""Bandwidth that the hottest kernels reach, and that of the device's copy.

Usage: ``python benchmarks/hottest.py [--log2 26] [--events]``.

If Nsight Compute (``ncu``) is installed and may read the counters, prints its
figures for one launch of each: bytes per second to and from DRAM, and the unit
that is nearest to its limit, which explains why they are not higher.
Otherwise, and with ``--events``, prints the bytes that the operation has to
move divided by the time between two events.
"""

import argparse
import csv
import io
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from common import describe_machine, print_table

TURNS, IN_A_ROW = 7, 10
METRICS = {
    "gpu__time_duration.sum": "ns",
    "dram__bytes.sum": "bytes",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "DRAM",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed": "L2",
    "l1tex__throughput.avg.pct_of_peak_sustained_elapsed": "L1",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "SM",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy",
}
PLACES = ["/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/ncu"]
Row = tuple[int, Callable[[], object]]  # bytes moved, the call


def operations(log2: int) -> dict[str, Row]:
    """Return ten operations, each of which is one kernel."""
    from pycuda import cumath, curandom, gpuarray
    from pycuda.elementwise import ElementwiseKernel
    from pycuda.scan import InclusiveScanKernel

    n = 1 << log2
    x, y = (gpuarray.empty(n, np.float32).fill(v) for v in (0.5, 0.25))
    z = gpuarray.empty_like(x)
    square = x.reshape(1 << log2 // 2, n >> log2 // 2)
    half = square.shape[1] // 2
    turned = z.reshape(square.shape[::-1])
    axpy = ElementwiseKernel(
        "float a, float *x, float *y, float *z", "z[i] = a * x[i] + y[i]"
    )
    scan = InclusiveScanKernel(np.float32, "a+b")

    def transpose() -> None:
        turned[...] = square.T

    return {
        "x + y": (12 * n, lambda: x + y),
        "sin(x)": (8 * n, lambda: cumath.sin(x)),
        "a*x + y, ElementwiseKernel": (12 * n, lambda: axpy(2, x, y, z)),
        "sum(x)": (4 * n, lambda: gpuarray.sum(x)),
        "dot(x, y)": (8 * n, lambda: gpuarray.dot(x, y)),
        "inclusive scan": (8 * n, lambda: scan(x, z)),
        "uniform random floats": (4 * n, lambda: curandom.rand((n,))),
        "x[:, :half] + x[:, half:]": (
            6 * n,
            lambda: square[:, :half] + square[:, half:],
        ),
        "x.sum(0)": (4 * n, lambda: gpuarray.sum(square, axis=0)),
        "transpose copy": (8 * n, transpose),
    }


def seconds_of(call: Callable[[], object]) -> float:
    """Return the median time of one call on the device, between events."""
    import pycuda.driver as cuda

    start, end, found = cuda.Event(), cuda.Event(), []
    call()
    for _ in range(TURNS):
        start.record()
        for _ in range(IN_A_ROW):
            call()
        end.record()
        end.synchronize()
        found.append(end.time_since(start) * 1e-3 / IN_A_ROW)
    return statistics.median(found)


def copy_speed(log2: int) -> float:
    """Return bytes per second, read and written, of the driver's copy."""
    import pycuda.driver as cuda

    size = 4 << log2
    source, target = cuda.mem_alloc(size), cuda.mem_alloc(size)
    seconds = seconds_of(lambda: cuda.memcpy_dtod_async(target, source, size))
    return 2 * size / seconds


def by_events(log2: int) -> None:
    """Print the table without counters."""
    copy = copy_speed(log2)
    rows: list[list[Any]] = [["copy by the driver", copy / 1e9, "1.00"]]
    for name, (size, call) in operations(log2).items():
        speed = size / seconds_of(call)
        rows.append([name, speed / 1e9, f"{speed / copy:.2f}"])
    print_table(["GB/s, by events", "this package", "of copy"], rows)


def run_profiled(log2: int) -> None:
    """Run one launch of each for ncu, after one launch to compile it."""
    import pycuda.driver as cuda

    for _, call in operations(log2).values():
        call()
        cuda.Context.synchronize()
        cuda.start_profiler()
        call()
        cuda.Context.synchronize()
        cuda.stop_profiler()


def ncu_path() -> str | None:
    """Return the path of Nsight Compute, if it is installed."""
    found = shutil.which("ncu")
    return found or next((p for p in PLACES if os.access(p, os.X_OK)), None)


def counters(ncu: str, log2: int) -> list[dict[str, str]] | None:
    """Return a row per kernel; None if the counters cannot be read."""
    command = [ncu, "--csv", "--page=raw", "--profile-from-start=off"]
    command += [f"--metrics={','.join(METRICS)}", "--print-units=base"]
    command += [sys.executable, __file__, "--profiled", f"--log2={log2}"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False
    )
    lines = [line for line in done.stdout.split("\n") if line.startswith('"')]
    if done.returncode or len(lines) < 3:
        said = (done.stdout + done.stderr).strip().split("\n")
        why = [line for line in said if "==ERROR==" in line or "ERR_" in line]
        print(f"ncu gives nothing: {(why or said)[-1].strip()}\n")
        return None
    head, _, *rows = csv.reader(io.StringIO("\n".join(lines)))
    return [dict(zip(head, row, strict=True)) for row in rows]


def metric_value(row: dict[str, str], metric: str) -> float:
    """Return a metric of ncu, which may have commas as separators."""
    return float(row[metric].replace(",", ""))


def by_counters(rows: list[dict[str, str]], copy: float, log2: int) -> None:
    """Print the table with counters, with operations' names if possible.

    An operation's name is possible if each is one kernel.
    """
    operations_named = list(operations(log2))
    named = len(rows) == len(operations_named)
    lines: list[list[Any]] = []
    for k, row in enumerate(rows):
        kernel = row["Kernel Name"].split("(")[0]
        nanoseconds = metric_value(row, "gpu__time_duration.sum")
        speed = metric_value(row, "dram__bytes.sum") / nanoseconds
        units = {
            name: metric_value(row, metric)
            for metric, name in METRICS.items()
            if metric.endswith("pct_of_peak_sustained_elapsed")
        }
        nearest = max(units, key=lambda name: units[name])
        active = "sm__warps_active.avg.pct_of_peak_sustained_active"
        lines.append(
            [
                operations_named[k] if named else kernel,
                kernel,
                nanoseconds / 1e3,
                speed,
                f"{speed * 1e9 / copy:.2f}",
                f"{nearest} {units[nearest]:.0f} %",
                f"{metric_value(row, active):.0f} %",
            ]
        )
    heads = ["by Nsight Compute", "kernel", "us", "GB/s of DRAM", "of copy"]
    print_table([*heads, "nearest to its limit", "warps active"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--log2", type=int, default=26)
    parser.add_argument("--events", action="store_true")
    parser.add_argument("--profiled", action="store_true", help="under ncu")
    options = parser.parse_args()
    import pycuda.autoinit

    if options.profiled:
        run_profiled(options.log2)
        return
    describe_machine(pycuda.autoinit.device.name())
    ncu = None if options.events else ncu_path()
    rows = counters(ncu, options.log2) if ncu else None
    if rows:
        copy = copy_speed(options.log2)
        print(f"The driver's copy: {copy / 1e9:.0f} GB/s.\n")
        by_counters(rows, copy, options.log2)
        print()
    by_events(options.log2)


if __name__ == "__main__":
    main()
