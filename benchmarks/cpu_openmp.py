"""Kernels of public kinds on the CPU device, compared with OpenMP.

Usage: ``python benchmarks/cpu_openmp.py [NAME ...] [--level x86-64-v3]
[--processor-time]``.  The
kernels are in `openmp/kernels.cu`, the loops that do the same in
`openmp/twins_*.c`, compiled by gcc and by clang 19 (-O3 -march=native
-fopenmp); the ratio is the time of the faster of both divided by the kernel's:
above 1 the kernel is faster.  The sides take turns of eight calls, so that
each side finds its arrays in the cache if they fit, and each figure is the
least of all calls, since other programs of the machine disturb the loops more:
their threads wait for each other.  A pause precedes each turn, because idle
threads of clang's OpenMP occupy a processor for 0.2 s.  All arrays are
compared with those of each twin (of two kernels, only the sums); a difference
makes the exit status 1.

With --processor-time both sides run on one thread, and the figures are the
time of the process on a processor.  Other programs disturb them less, but they
do not show how the work is distributed.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import BUILD, HERE

os.environ["PYCUDA_DEVICE"] = "cpu"
os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ.setdefault("PYCUDA_CPU_THREADS", "2")
TURNS, CALLS = 6, 8
PAUSE = 0.25  # s


def build_twins(level: str) -> list[ctypes.CDLL]:
    """Return the libraries that gcc and clang make of the twins."""
    flags = ["-O3", f"-march={level}", "-fopenmp", "-w"]
    libraries = []
    for compiler in ("gcc", "clang-19"):
        out = BUILD / f"twins-{compiler}-{level}.so"
        out.parent.mkdir(parents=True, exist_ok=True)
        command = [compiler, "-shared", "-fPIC", *flags, "-o", str(out)]
        names = ("twins_grids.c", "twins_other.c")
        sources = [str(HERE / "openmp" / name) for name in names]
        if os.spawnvp(os.P_WAIT, compiler, [*command, *sources, "-lm"]) == 0:
            libraries.append(ctypes.CDLL(str(out)))
        else:
            print(f"{compiler} cannot build the twins", file=sys.stderr)
    return libraries


def seconds(call: Callable[[], Any], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def twin_call(library: ctypes.CDLL, row: Any, values: list[Any]) -> Any:
    function = getattr(library, row.name)
    arguments = []
    for value in [*values, *row.twin]:
        if isinstance(value, np.ndarray):
            arguments.append(ctypes.c_void_p(value.ctypes.data))
        elif isinstance(value, np.floating):
            arguments.append(ctypes.c_float(value))
        else:
            arguments.append(ctypes.c_int(value))
    return lambda: function(*arguments)


def differs(row: Any, ours: list[Any], theirs: list[Any]) -> str:
    """Return a note on the first array that differs, or an empty string."""
    for at, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if not isinstance(a, np.ndarray):
            continue
        if not row.check:
            sums = a.sum(dtype=np.float64), b.sum(dtype=np.float64)
            if not np.isclose(*sums, rtol=1e-3):
                return f" WRONG: argument {at}, sums {sums[0]}, {sums[1]}"
            continue
        if a.dtype.kind == "f":
            # Sums that cancel have the rounding errors of their terms.
            small = max(1e-5, 1e-6 * float(abs(b).max(initial=0)))
            bad = ~np.isclose(a, b, rtol=2e-4, atol=small)
        else:
            bad = a != b
        if bad.any():
            where = int(np.argmax(bad.ravel()))
            pair = f"{a.flat[where]} and {b.flat[where]}"
            return (
                f" WRONG: argument {at}, {bad.sum()} elements from {where}: "
                f"{pair}, largest {abs(b).max()}"
            )
    return ""


def copied(values: list[Any]) -> list[Any]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


def compare(
    row: Any,
    twins: list[ctypes.CDLL],
    texture: list[np.ndarray],
    host: list[Any],
    results: list[Any],
) -> str:
    """Run each twin once on its own copies; return a note on differences."""
    notes = []
    for library in twins:
        copies = copied(host)
        twin_call(library, row, [*texture, *copies])()
        note = differs(row, results, copies)
        if note:
            notes.append(f"{note} ({Path(library._name).stem})")
    return "".join(notes)


def on_device(host: list[Any]) -> list[Any]:
    """Return the kernel's arguments, with the arrays on the device."""
    import pycuda.driver as cuda

    device = []
    for value in host:
        if isinstance(value, np.ndarray):
            memory = cuda.mem_alloc(value.nbytes)
            cuda.memcpy_htod(memory, value)
            device.append(memory)
        else:
            plain = isinstance(value, int)
            device.append(np.int32(value) if plain else value)
    return device


def measure(
    row: Any,
    module: Any,
    twins: list[ctypes.CDLL],
    clock: Callable[[], float],
) -> Any:
    """Return the seconds of kernel and twin, and a note."""
    import pycuda.driver as cuda

    host = row.make()
    kernel = module.get_function(row.name)
    device = on_device(host)
    textures = []
    if row.texture:
        texture = np.ones(row.texture, np.float32)
        textures = [texture]
        memory = cuda.mem_alloc(texture.nbytes)
        cuda.memcpy_htod(memory, texture)
        module.get_texref("line").set_address(memory, texture.nbytes)
    grid = (*row.grid, 1, 1)[:3]
    block = (*row.block, 1, 1)[:3]

    def ours() -> None:
        kernel(*device, block=block, grid=grid, shared=row.shared)
        cuda.Context.synchronize()

    ours()
    results = [
        cuda.from_device(d, h.shape, h.dtype)
        if isinstance(h, np.ndarray)
        else h
        for d, h in zip(device, host, strict=True)
    ]
    note = compare(row, twins, textures, host, results)
    arguments = [*textures, *copied(host)]
    calls = [ours, *(twin_call(library, row, arguments) for library in twins)]
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(TURNS):
        for taken, call in zip(times, calls, strict=True):
            if clock is time.perf_counter:
                time.sleep(PAUSE)
            taken += (seconds(call, clock) for _ in range(CALLS))
    best = [min(taken) for taken in times]
    return best[0], min(best[1:]), note


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--level", default="native")
    parser.add_argument("--processor-time", action="store_true")
    args = parser.parse_args()
    clock = time.perf_counter
    if args.processor_time:
        clock = time.process_time
        os.environ["OMP_NUM_THREADS"] = os.environ["PYCUDA_CPU_THREADS"] = "1"
    if args.level != "native":
        os.environ["PYCUDA_CPU_TARGET"] = args.level
    sys.path.insert(0, str(HERE))
    from openmp.rows import ROWS

    import pycuda.autoinit  # noqa: F401
    from pycuda import cpu
    from pycuda.compiler import SourceModule

    twins = build_twins(args.level)
    source = Path(HERE / "openmp" / "kernels.cu").read_text()
    module = SourceModule(source, no_extern_c=True)
    cpu.finish_compilation()
    print("| kernel | ours, ms | OpenMP, ms | ratio |\n|---|---|---|---|")
    ratios, wrong = [], 0
    for row in ROWS:
        if args.names and row.name not in args.names:
            continue
        own, other, note = measure(row, module, twins, clock)
        ratios.append(other / own)
        wrong += bool(note)
        print(
            f"| {row.name} | {own * 1e3:.3f} | {other * 1e3:.3f} |"
            f" {ratios[-1]:.2f}{note} |",
            flush=True,
        )
    print(
        f"\n{len(ratios)} kernels: geometric mean "
        f"{statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}"
    )
    if wrong:
        print(f"{wrong} kernels have WRONG results", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
