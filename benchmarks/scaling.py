"""Time of operations as arrays grow, beside kernels written by hand.

Usage: ``python benchmarks/scaling.py [--from 10] [--to 30] [--step 2]
[--budget SECONDS]``.

At each size, a power of two, this package's operation and a kernel of
``twins/twin.cu``, launched by a loop in C, take turns in one process.  CuPy
and torch do the same work in separate processes.  A figure is the median of
the rounds, the ratio is that of both figures of each round; the spread is from
the least to the greatest round.  The handwritten kernels write to given
memory, and so do the rows with ``out=``; operations that allocate their result
do so here.  Python's statements are in the loop itself.  On a GPU each size
runs on the processor with the fastest launches at that time.  The goal: within
a tenth of the handwritten kernel at each size.
"""

import argparse
import ctypes
import json
import os
import statistics
import sys
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import (
    build_c,
    describe_machine,
    print_table,
    quiet_cores,
    run_json,
)
from twin import Twin as LaunchTwin
from twin import cpu_library, device_kind

GOAL = 1.10
ROUNDS = 41
BATCH_SECONDS = 0.004
ROWS = {
    # row: bytes per element that are read and written
    "copy": 8,
    "fill": 4,
    "x + y": 12,
    "add(x, y, out=z)": 12,
    "a*x + y, ElementwiseKernel": 12,
    "sin(x)": 8,
    "sin(x, out=z)": 8,
    "sum(x)": 4,
    "dot(x, y)": 8,
    "transpose copy": 8,
}
# seconds of a number of calls in a row, and a wait
Call = Callable[[int], float]


class Twin:
    """The handwritten kernels, and the loop that launches them."""

    def __init__(self) -> None:
        from pycuda import compiler

        self._loops = ctypes.CDLL(
            str(build_c("twins/launch_loop.c", "-O2", shared=True))
        )
        self._loops.loop_run.restype = ctypes.c_double
        self._loops.loop_copy.restype = ctypes.c_double
        driver = cpu_library() or "libcuda.so.1"
        if self._loops.loop_open(driver.encode()):
            sys.exit(f"{driver} lacks functions that the twin needs")
        path = Path(__file__).parent / "twins" / "twin.cu"
        image = bytes(compiler.compile(path.read_text(), no_extern_c=True))
        self.module = ctypes.c_void_p()
        self.references: list[Any] = [image]
        if self._loops.loop_module(image, ctypes.byref(self.module)):
            sys.exit("the twin's kernels could not be loaded")

    def kernel(
        self, name: str, grid: int, block: tuple[int, int], *values: Any
    ) -> Call:
        """Return launches of one kernel with these arguments."""
        function = ctypes.c_void_p()
        if self._loops.loop_function(
            self.module, f"twin_{name}".encode(), ctypes.byref(function)
        ):
            sys.exit(f"the twin has no kernel twin_{name}")
        pointers = (ctypes.c_void_p * len(values))(
            *(ctypes.addressof(value) for value in values)
        )
        self.references.append((values, pointers))
        return lambda count: self._loops.loop_run(
            function, grid, *block, pointers, count
        )

    def copy(self, target: int, source: int, size: int) -> Call:
        """Return copies by the driver."""
        addresses = (ctypes.c_uint64(target), ctypes.c_uint64(source))
        return lambda count: self._loops.loop_copy(
            *addresses, ctypes.c_size_t(size), count
        )


def batches_of(
    statements: dict[str, str], names: dict[str, Any], finish: Callable
) -> dict[str, Call]:
    """Return batches of Python's statements, with `names` as variables."""
    setup = "; ".join(f"{name} = names[{name!r}]" for name in names)

    def batch(statement: str) -> Call:
        timer = timeit.Timer(statement, setup, globals={"names": names})

        def run(count: int) -> float:
            finish()
            start = time.perf_counter()
            timer.timeit(count)
            finish()
            return time.perf_counter() - start

        return run

    return {row: batch(statement) for row, statement in statements.items()}


def shape_of(n: int) -> tuple[int, int]:
    """Return rows and columns of n elements as a matrix."""
    rows = 1 << (n.bit_length() - 1) // 2
    return rows, n // rows


def twin_calls(twin: Twin, n: int, x: Any, y: Any, z: Any) -> dict[str, Call]:
    """Return the C call for each row."""
    from pycuda import gpuarray
    from pycuda.driver import Context, device_attribute

    a, b, c = (ctypes.c_uint64(int(array.ptr)) for array in (x, y, z))
    blocks, flat = n // 1024, (256, 1)
    units = Context.get_device().get_attribute(
        device_attribute.MULTIPROCESSOR_COUNT
    )
    some = max(1, min(n // 4096, 8 * units))
    parts = gpuarray.zeros(some + 1, np.float32)
    done = gpuarray.zeros(1, np.uint32)
    twin.references.append((parts, done))
    left = [ctypes.c_uint64(int(v.ptr)) for v in (parts, done)]
    vectors = ctypes.c_size_t(n // 4)
    rows, columns = shape_of(n)
    total = ctypes.c_uint64(int(parts.ptr) + 4 * some)
    return {
        "copy": twin.copy(c.value, a.value, 4 * n),
        "fill": twin.kernel("fill", blocks, flat, c, ctypes.c_float(1)),
        "x + y": twin.kernel("add", blocks, flat, a, b, c),
        "add(x, y, out=z)": twin.kernel("add", blocks, flat, a, b, c),
        "a*x + y, ElementwiseKernel": twin.kernel(
            "axpy", blocks, flat, a, b, c, ctypes.c_float(2)
        ),
        "sin(x)": twin.kernel("sin", blocks, flat, a, c),
        "sin(x, out=z)": twin.kernel("sin", blocks, flat, a, c),
        "sum(x)": twin.kernel("sum", some, flat, a, vectors, *left, total),
        "dot(x, y)": twin.kernel(
            "dot", some, flat, a, b, vectors, *left, total
        ),
        "transpose copy": twin.kernel(
            "transpose", n // 1024, (32, 8), a, c,
            ctypes.c_int(rows), ctypes.c_int(columns),
        ),
    }  # fmt: skip


def verify(
    raw: dict[str, Call], n: int, z: Any, references: list[Any]
) -> None:
    """Verify the handwritten kernels: x is 0.5 and y 0.25."""
    parts = references[1][0]
    expected = {
        "copy": 0.5,
        "fill": 1,
        "x + y": 0.75,
        "add(x, y, out=z)": 0.75,
        "a*x + y, ElementwiseKernel": 1.25,
        "sin(x)": np.sin(np.float32(0.5)),
        "sin(x, out=z)": np.sin(np.float32(0.5)),
        "transpose copy": 0.5,
    }
    for row, call in raw.items():
        z.fill(-1)
        if call(2) < 0:
            sys.exit(f"{row}: the twin's launch failed")
        if row in expected:
            got = z[:: max(1, n // 1024)].get()
            right = np.allclose(got, expected[row], rtol=1e-6)
        else:
            share = 0.5 if row == "sum(x)" else 0.125
            right = np.allclose(parts[-1].get(), share * n, rtol=1e-4)
        if not right:
            sys.exit(f"{row}: the twin's kernel is wrong at {n} elements")


# Statements that are the same for every package.
SHARED = {"x + y": "x + y", "transpose copy": "turned[...] = square.T"}


def our_calls(n: int, x: Any, y: Any, z: Any) -> dict[str, Call]:
    """Return this package's call for each row."""
    import pycuda.driver as cuda
    from pycuda import cumath, gpuarray
    from pycuda.elementwise import ElementwiseKernel

    axpy = ElementwiseKernel(
        "float a, float *x, float *y, float *z", "z[i] = a * x[i] + y[i]"
    )
    names = {
        "x": x, "y": y, "z": z, "axpy": axpy, "sin": cumath.sin,
        "square": x.reshape(shape_of(n)), "bytes_": 4 * n,
        "turned": z.reshape(shape_of(n)[::-1]), "add": gpuarray.add,
        "sum": gpuarray.sum, "dot": gpuarray.dot, "target": z.gpudata,
        "source": x.gpudata, "memcpy_dtod_async": cuda.memcpy_dtod_async,
    }  # fmt: skip
    statements = SHARED | {
        "copy": "memcpy_dtod_async(target, source, bytes_)",
        "fill": "z.fill(1)",
        "add(x, y, out=z)": "add(x, y, out=z)",
        "a*x + y, ElementwiseKernel": "axpy(2, x, y, z)",
        "sin(x)": "sin(x)",
        "sin(x, out=z)": "sin(x, out=z)",
        "sum(x)": "sum(x)",
        "dot(x, y)": "dot(x, y)",
    }
    return batches_of(statements, names, cuda.Context.synchronize)


def batch_size(call: Call) -> int:
    """Return how many calls in a row take about `BATCH_SECONDS`."""
    call(1)
    seconds = max(call(4) / 4, 1e-7)
    return int(min(500, max(1, BATCH_SECONDS / seconds)))


def figures(seconds: list[float]) -> dict[str, float]:
    """Return microseconds: the median, least and greatest."""
    return {
        "median": 1e6 * statistics.median(seconds),
        "least": 1e6 * min(seconds),
        "most": 1e6 * max(seconds),
    }


def take_turns(raw: Call, ours: Call) -> dict[str, Any]:
    """Measure both calls of one operation, round by round."""
    counts = batch_size(raw), batch_size(ours)
    rounds = [
        (raw(counts[0]) / counts[0], ours(counts[1]) / counts[1])
        for _ in range(ROUNDS)
    ]
    return {
        "raw": figures([one for one, _ in rounds]),
        "ours": figures([other for _, other in rounds]),
        "ratio": statistics.median(other / one for one, other in rounds),
    }


def take_alone(call: Call) -> dict[str, float]:
    """Measure one call without a counterpart."""
    count = batch_size(call)
    return figures([call(count) / count for _ in range(ROUNDS)])


def measure_ours(log2: int) -> dict:
    """Measure this package and the handwritten kernels, at one size."""
    import pycuda.driver as cuda
    from pycuda import gpuarray

    n = 1 << log2
    x, y = (gpuarray.empty(n, np.float32).fill(v) for v in (0.5, 0.25))
    z = gpuarray.empty_like(x)
    if "twin" not in _cached:
        _cached["twin"], _cached["launches"] = Twin(), LaunchTwin()
        _cached["cores"] = os.sched_getaffinity(0)
    if device_kind() == "gpu":
        os.sched_setaffinity(0, _cached["cores"])
        os.sched_setaffinity(0, _cached["launches"].quiet_cores()[:1])
    raw = twin_calls(_cached["twin"], n, x, y, z)
    ours = our_calls(n, x, y, z)
    verify(raw, n, z, _cached["twin"].references)
    result = {row: take_turns(raw[row], ours[row]) for row in ROWS}
    cuda.Context.synchronize()
    _cached["twin"].references[1:] = []
    return result


def measure_library(log2: int, xp: Any, finish: Any, extra: Any) -> dict:
    """Measure CuPy or torch, at one size."""
    x, y, z, axpy = extra(1 << log2)
    names = {
        "x": x, "y": y, "z": z, "axpy": axpy, "sin": xp.sin, "add": xp.add,
        "dot": xp.dot, "square": x.reshape(shape_of(1 << log2)),
        "turned": z.reshape(shape_of(1 << log2)[::-1]),
    }  # fmt: skip
    statements = SHARED | {
        "copy": "z[...] = x",
        "fill": "z[...] = 1",
        "add(x, y, out=z)": "add(x, y, out=z)",
        "a*x + y, ElementwiseKernel": "axpy(x, y, z)",
        "sin(x)": "sin(x)",
        "sin(x, out=z)": "sin(x, out=z)",
        "sum(x)": "x.sum()",
        "dot(x, y)": "dot(x, y)",
    }
    return {
        row: take_alone(call)
        for row, call in batches_of(statements, names, finish).items()
    }


def measure_cupy(log2: int) -> dict:
    import cupy

    kernel = cupy.ElementwiseKernel(
        "float32 a, float32 x, float32 y", "float32 z", "z = a * x + y"
    )

    def arrays(n: int) -> tuple:
        x, y, z = (cupy.full(n, v, cupy.float32) for v in (0.5, 0.25, 0))
        return x, y, z, lambda x, y, z: kernel(2, x, y, z)

    finish = cupy.cuda.Device().synchronize
    return measure_library(log2, cupy, finish, arrays)


def measure_torch(log2: int) -> dict:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch has no GPU")

    def arrays(n: int) -> tuple:
        x, y, z = (
            torch.full((n,), v, dtype=torch.float32, device="cuda")
            for v in (0.5, 0.25, 0)
        )
        return x, y, z, lambda x, y, z: torch.add(y, x, alpha=2, out=z)

    return measure_library(log2, torch, torch.cuda.synchronize, arrays)


_cached: dict[str, Any] = {}
PEERS = {"ours": measure_ours, "CuPy": measure_cupy, "torch": measure_torch}


def peer(name: str, options: argparse.Namespace) -> None:
    """Run a peer's process: all sizes, until the time is up."""
    start, found = time.monotonic(), {}
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    if name == "ours":
        import pycuda.autoinit

        found["device"] = pycuda.autoinit.device.name()
    for log2 in sizes_of(options):
        try:
            found[str(log2)] = PEERS[name](log2)
        except ImportError:
            sys.exit(77)
        # out of memory, mostly: the smaller sizes count
        except Exception as error:
            print(f"2^{log2}: {error}", file=sys.stderr)
            break
        if time.monotonic() - start > options.budget / len(PEERS):
            print(f"the time is up after 2^{log2}", file=sys.stderr)
            break
    print(json.dumps(found))


def sizes_of(options: argparse.Namespace) -> list[int]:
    """Return the logarithms of the sizes."""
    return list(range(options.first, options.last + 1, options.step))


def report(ours: dict, others: dict[str, dict]) -> None:
    """Print a table per operation, with a line per size."""
    for row, size in ROWS.items():
        heads = [f"{row}: us", "kernel by hand", "spread", "this package"]
        heads += ["ratio", "met", "GB/s", *others]
        lines = []
        for log2, found in ours.items():
            raw, mine = found[row]["raw"], found[row]["ours"]
            ratio = found[row]["ratio"]
            spread = 100 * (raw["most"] - raw["least"]) / raw["median"]
            bandwidth = size * (1 << int(log2)) / mine["median"] / 1e3
            cells = [
                other.get(log2, {}).get(row, {}).get("median")
                for other in others.values()
            ]
            lines.append(
                [
                    f"2^{log2}",
                    raw["median"],
                    f"{spread:.0f} %",
                    mine["median"],
                    f"{ratio:.2f}",
                    "yes" if ratio <= GOAL else f"no, by {ratio - GOAL:.2f}",
                    bandwidth,
                    *cells,
                ]
            )
        print(f"\n{row}\n")
        print_table(heads, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--from", dest="first", type=int, default=10)
    parser.add_argument("--to", dest="last", type=int)
    parser.add_argument("--step", type=int, default=2)
    parser.add_argument("--budget", type=float, default=90)
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    parser.add_argument("--core", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.last is None:
        options.last = 30 if device_kind() == "gpu" else 22
    if options.peer:
        peer(options.peer, options)
        return
    command = [sys.executable, __file__, f"--from={options.first}"]
    command += [f"--to={options.last}", f"--step={options.step}"]
    command += [f"--budget={options.budget}"]
    ours = run_json([*command, "--peer=ours"])
    others = {}
    if device_kind() == "gpu":
        for name in ["CuPy", "torch"]:
            words = [f"--peer={name}", f"--core={quiet_cores()[0]}"]
            found = run_json([*command, *words], may_fail=True)
            if found and "failed" not in found:
                others[name] = found
    describe_machine(ours.pop("device"))
    report(ours, others)


if __name__ == "__main__":
    main()
