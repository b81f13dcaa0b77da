"""Kernels on the CPU device compared with loops in C, NumPy and PoCL.

Usage: ``python benchmarks/cpu_kernels.py``.  The reference is the fastest of
`cpu/reference.c` by gcc and, if there is an OpenMP library for it, by clang 19
(-O3 -march=native -ffast-math -fopenmp), and NumPy, in the same run.  Every
result is compared with the reference's before its time counts.  The kernels
are also measured for x86-64-v3 and on one thread, in separate processes.  The
gain by a second thread is reported for the loops, too: a machine with
processors that share caches and power gains less than a factor of two.
"""

import json
import os
import sys
import time
from statistics import geometric_mean

from common import (
    best_of,
    build_c,
    describe_machine,
    least_seconds,
    print_table,
    run_json,
)
from cpu.rows import Row, Workload

os.environ["PYCUDA_DEVICE"] = "cpu"
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp"]


def build_reference() -> str:
    return str(build_c("cpu/reference.c", *FLAGS, shared=True))


def loop_name(row: Row) -> str:
    return f"{row.name}, loop"


def child() -> None:
    """Print the kernels' seconds, by row, as JSON."""
    rows = Workload(build_reference()).rows()
    seconds = {}
    for row in rows:
        row.kernel()
        seconds[row.name] = least_seconds(row.kernel, budget=0.6)
        if row.compute_bound:
            row.loop()
            loop = least_seconds(row.loop, budget=0.6)
            seconds[loop_name(row)] = loop
    print(json.dumps(seconds))


def measure(row: Row) -> tuple[float, float, float | None, bool]:
    """Return seconds of kernel, loop and NumPy; check the results.

    They take turns, so that interference affects all of them, with pauses in
    which the threads of the previous one stop looking for work.
    """
    row.loop()
    row.kernel()
    right = bool(row.right())
    best = [float("inf")] * 3
    ways = [row.kernel, row.loop, row.numpy]
    for _ in range(3):
        for k, way in enumerate(ways):
            if way:
                time.sleep(0.01)
                best[k] = min(best[k], least_seconds(way, 30, 0.1))
    return best[0], best[1], best[2] if row.numpy else None, right


def print_launches(work: Workload) -> None:
    """Print the time of launching an empty kernel."""
    nothing = work.module.get_function("nothing").prepare("")

    def issue() -> None:
        nothing.prepared_call((1, 1), (1, 1, 1))

    def done() -> None:
        nothing.prepared_call((1, 1), (1, 1, 1))
        work.synchronize()

    issued = best_of(issue, work.synchronize)
    finished = best_of(done, work.synchronize)
    print(
        f"\nEmpty kernel: {issued:.2f} us to issue, {finished:.2f} us done "
        "(goal 1.0)."
    )


def main() -> None:
    if sys.argv[1:] == ["--child"]:
        child()
        return
    older = run_json(
        [sys.executable, __file__, "--child"], PYCUDA_CPU_TARGET="x86-64-v3"
    )
    alone = run_json(
        [sys.executable, __file__, "--child"],
        PYCUDA_CPU_THREADS="1",
        OMP_NUM_THREADS="1",
    )
    work = Workload(build_reference())
    table, wrong, speeds = [], [], []
    for row in work.rows():
        mine, c, numpy, right = measure(row)
        if not right:
            wrong.append(row.name)
        best = min(c, numpy) if numpy else c
        speeds.append(best / mine)
        scaling = ["", ""]
        if row.compute_bound:
            gains = alone[row.name] / mine, alone[loop_name(row)] / c
            scaling = [f"{gain:.2f}" for gain in gains]
        table.append(
            [
                row.name,
                c,
                numpy,
                mine,
                f"{best / mine:.2f}",
                f"{best / older[row.name]:.2f}",
                f">= {row.goal}",
                "yes" if best / mine >= row.goal else "no",
                *scaling,
            ]
        )
    describe_machine(work.device)
    heads = ["seconds", "gcc", "NumPy", "this package", "speed", "speed, v3"]
    heads += ["goal", "met", "times one thread's", "the loop's"]
    print_table(heads, table)
    print(
        f"\nSpeed, geometric mean: {geometric_mean(speeds):.2f} (goal 1.0); "
        f"least: {min(speeds):.2f} (goal 0.5)."
    )
    print_launches(work)
    if wrong:
        sys.exit(f"wrong numbers: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
