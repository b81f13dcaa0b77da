"""Operations per second of several threads, beside threads of plain C.

Usage: ``python benchmarks/threads.py [--seconds N] [--devices N]``.

Each thread has a context, on one of the first N devices (all of them without
`--devices`) in turn, and repeats one operation: a launch by `prepared_call`,
or the sum of two arrays of 1024 elements.  The C twin's threads call
`cuLaunchKernel` with the same kernel.  All rows are measured in one process,
in turn, for each number of threads.  The table has operations per second of
all threads together, their ratio to the twin's, and to one thread.

With the GIL the rows show how far it lets threads run in parallel.  Without
it (free-threaded Python) they should scale as the twin's.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
from common import describe_machine, print_table
from twin import Twin

SOURCE = """
extern "C" __global__ void scale(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i] * 2;
}
"""
THREADS = (1, 2, 4, 8, 16)
BATCH = 1000  # operations between two looks at the clock
TWIN, LAUNCH, SUM = "cuLaunchKernel in C", "prepared_call", "a + b"


def batches(twin: Twin) -> dict[str, Callable[[], object]]:
    """Return functions that perform BATCH operations in this thread."""
    import pycuda.driver as cuda
    from pycuda import gpuarray
    from pycuda.compiler import SourceModule

    function = SourceModule(SOURCE, no_extern_c=True).get_function("scale")
    call = function.prepare("PPi").prepared_call
    a = gpuarray.to_gpu(np.ones(1024, np.float32))
    b = gpuarray.zeros_like(a)
    memory = (a.gpudata, b.gpudata)
    twin.open()

    def launch() -> None:
        for _ in range(BATCH):
            call((4, 1), (256, 1, 1), *memory, 1024)
        cuda.Context.synchronize()

    def add() -> None:
        for _ in range(BATCH):
            a + b
        cuda.Context.synchronize()

    return {
        TWIN: lambda: twin.measure("launch"),
        LAUNCH: launch,
        SUM: add,
    }


def measure(
    twin: Twin, count: int, seconds: float, devices: int
) -> dict[str, float]:
    """Return operations per second of `count` threads, for each row."""
    import pycuda.driver as cuda

    barrier = threading.Barrier(count)
    totals = dict.fromkeys((TWIN, LAUNCH, SUM), 0.0)
    guard = threading.Lock()
    errors: list[BaseException] = []

    def work(number: int) -> None:
        context = cuda.Device(number % devices).make_context()
        try:
            for row, batch in batches(twin).items():
                batch()
                barrier.wait()
                done, start = 0, time.perf_counter()
                while (took := time.perf_counter() - start) < seconds:
                    batch()
                    done += BATCH
                with guard:
                    totals[row] += done / took
                barrier.wait()
        except BaseException as error:
            errors.append(error)
            barrier.abort()
        finally:
            context.pop()

    threads = [
        threading.Thread(target=work, args=[number]) for number in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return totals


def main() -> None:
    import pycuda.driver as cuda

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--devices", type=int, default=0)
    arguments = parser.parse_args()
    cuda.init()
    devices = arguments.devices or cuda.Device.count()
    context = cuda.Device(0).make_context()
    twin = Twin()
    describe_machine(cuda.Device(0).name())
    enabled = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"{'With' if enabled else 'Without'} the GIL. Devices: {devices}.\n")
    rows: list[list[object]] = []
    alone: dict[str, float] = {}  # rates of one thread
    for count in THREADS:
        totals = measure(twin, count, arguments.seconds, devices)
        for row, rate in totals.items():
            ratio = f"{rate / totals[TWIN]:.2f}" if row != TWIN else ""
            scale = f"{rate / alone.setdefault(row, rate):.2f}"
            rows.append([str(count), row, f"{rate:,.0f}", ratio, scale])
    context.pop()
    heads = ["threads", "operation", "per second", "to C", "to one thread"]
    print_table(heads, rows)


if __name__ == "__main__":
    main()
