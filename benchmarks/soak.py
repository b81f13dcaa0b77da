"""Ten million operations in several threads and streams, checked on samples.

Usage: ``python benchmarks/soak.py [--operations N] [--seconds S] [--threads T]
[--seed K] [--interrupts] [--modules]``.

Each thread works on its own streams and on the default one, with arrays of
random sizes and dtypes.  Each array is filled with one whole number that the
thread knows, so that the least and the greatest element reveal any wrong one.
Threads pass arrays to each other, ordered by events.  With ``--interrupts``
(on the CPU device) the main thread also interrupts endless kernels by SIGINT
and by the time limit, each in a separate context.  With ``--modules`` the
threads also load, link, compile and unload modules.  At the end the memory of
the host and of the device must be the same as after the first fifth.  Ends
with status 1 if anything is wrong.

SPDX-License-Identifier: MIT
"""

import argparse
import collections
import gc
import os
import random
import resource
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import soak_modules
from interruptions import Interruptions

import pycuda.driver as cuda
from pycuda import cumath, curandom, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

NON_BLOCKING = 1
LARGEST = 14  # log2 of the elements of most arrays
HUGE = 20  # log2 of the elements of one array in a hundred
MAX_VALUE = 64  # so small that all sums are exact
HOST_SLACK = 16 << 20
# A GPU's driver takes memory in steps of 2 MiB, up to three of them after the
# first fifth, and then no more: six million operations grow by one step.
DEVICE_SLACK = 16 << 20
DTYPES = [np.float32, np.float64, np.int32, np.int64, np.complex64]
SOURCE = """
__global__ void add_number(float *x, int n, float number)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] += number; }
}
"""


class Wrong(Exception):
    """A wrong result."""


class Shared:
    """State that all threads share; counted under the GIL."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.context = cuda.Context.get_current()
        self.stop = threading.Event()
        self.pause = threading.Event()
        self.paused = threading.Barrier(options.threads + 1)
        self.done = [0] * options.threads
        self.failures: list[str] = []
        self.handed: collections.deque[Any] = collections.deque(maxlen=64)
        self.leaked: list[Any] = []  # objects that --plant=leak keeps
        self.double = ElementwiseKernel("float *x, float *z", "z[i] = 2*x[i]")
        self.total = ReductionKernel(
            np.float32, "0", "a+b", "x[i]", "const float *x"
        )
        self.scan = InclusiveScanKernel(np.float32, "a+b")
        self.add_number = SourceModule(SOURCE).get_function("add_number")


class Worker:
    """One thread's operations."""

    def __init__(self, shared: Shared, number: int) -> None:
        self.shared, self.number = shared, number
        self.random = random.Random(f"{shared.options.seed}/{number}")
        self.streams: list[Any] = []
        self.modules: soak_modules.Modules | None = None
        self.steps: list[Callable[[Any, int], tuple[Any, int]]] = [
            self.add, self.subtract, self.in_place, self.negate, self.copy,
            self.slice, self.reverse, self.cast, self.choose, self.clip,
            self.take, self.transpose, self.fill, self.function, self.kernel,
            self.elementwise, self.host, self.assign,
        ]  # fmt: skip

    # Each returns an array and the value of all its elements.

    def add(self, x: Any, value: int) -> tuple[Any, int]:
        k = self.random.randrange(8)
        return x + k, value + k

    def subtract(self, x: Any, value: int) -> tuple[Any, int]:
        return x + x - 3, 2 * value - 3

    def in_place(self, x: Any, value: int) -> tuple[Any, int]:
        x *= 2
        x -= 1
        return x, 2 * value - 1

    def negate(self, x: Any, value: int) -> tuple[Any, int]:
        return -x, -value

    def copy(self, x: Any, value: int) -> tuple[Any, int]:
        return x.copy(), value

    def slice(self, x: Any, value: int) -> tuple[Any, int]:
        if x.size < 8:
            return x, value
        first, step = self.random.randrange(3), self.random.choice([1, 2, -1])
        return x[first:][::step] + 1, value + 1

    def reverse(self, x: Any, value: int) -> tuple[Any, int]:
        return x[::-1] * 1, value

    def cast(self, x: Any, value: int) -> tuple[Any, int]:
        if x.dtype.kind == "c":
            return x.real, value
        return x.astype(self.random.choice(DTYPES)), value

    def choose(self, x: Any, value: int) -> tuple[Any, int]:
        if x.dtype.kind == "c":
            return x, value
        return gpuarray.where(x > 0, x, 5), value if value > 0 else 5

    def clip(self, x: Any, value: int) -> tuple[Any, int]:
        if x.dtype.kind == "c":
            return abs(x), abs(value)
        return gpuarray.maximum(x, -4), max(value, -4)

    def take(self, x: Any, value: int) -> tuple[Any, int]:
        index = gpuarray.arange(0, x.size, 2, dtype=np.int32)
        return x[index], value

    def transpose(self, x: Any, value: int) -> tuple[Any, int]:
        if x.size % 4:
            return x, value
        return x.reshape(4, x.size // 4).T.copy("C").ravel(), value

    def fill(self, x: Any, value: int) -> tuple[Any, int]:
        value = self.random.randrange(-9, 9)
        return x.fill(value), value

    def function(self, x: Any, value: int) -> tuple[Any, int]:
        if x.dtype != np.float32:
            return x, value
        return cumath.fabs(cumath.floor(x)), abs(value)

    def kernel(self, x: Any, value: int) -> tuple[Any, int]:
        if x.dtype != np.float32 or not x.flags.c_contiguous:
            return x, value
        self.shared.add_number(
            x, np.int32(x.size), np.float32(2), block=(128, 1, 1),
            grid=(-(-x.size // 128), 1),
        )  # fmt: skip
        return x, value + 2

    def elementwise(self, x: Any, value: int) -> tuple[Any, int]:
        if x.dtype != np.float32 or not x.flags.c_contiguous:
            return x, value
        result = gpuarray.empty_like(x)
        self.shared.double(x, result)
        return result, 2 * value

    def host(self, x: Any, value: int) -> tuple[Any, int]:
        if x.size > 4096:
            return x, value
        return gpuarray.to_gpu(x.get() + 1), value + 1

    def assign(self, x: Any, value: int) -> tuple[Any, int]:
        x[: x.size // 2] = x[x.size - x.size // 2 :]
        return x, value

    # Operations outside the chains.

    def new(self) -> tuple[Any, int]:
        most = HUGE if self.random.random() < 0.01 else LARGEST
        size = int(2 ** self.random.uniform(0, most))
        value = self.random.randrange(-8, 9)
        x = gpuarray.empty(size, self.random.choice(DTYPES))
        return x.fill(value), value

    def check(self, x: Any, value: int, what: str) -> None:
        """Check the least and greatest element; now and then the sum."""
        if self.shared.options.plant == "value":
            value += 1
        parts = [x.real, x.imag] if x.dtype.kind == "c" else [x]
        for part, wanted in zip(parts, [value, 0], strict=False):
            low = gpuarray.min(part).get()
            high = gpuarray.max(part).get()
            if low != wanted or high != wanted:
                raise Wrong(
                    f"after {what}: {x.size} of {x.dtype}: from {low} to "
                    f"{high}, not {wanted}"
                )
        if x.dtype == np.float32 and abs(value) * x.size < 1 << 24:
            flat = x if x.flags.c_contiguous else x.copy("C")
            sums = [gpuarray.sum(flat), self.shared.total(flat)]
            sums.append(self.shared.scan(flat.copy())[-1])
            for total in sums:
                if total.get() != value * x.size:
                    raise Wrong(
                        f"sum of {x.size} of {value}: {total.get()} after "
                        f"{what}"
                    )
            self.count(4)

    def count(self, operations: int) -> None:
        self.shared.done[self.number] += operations

    def hand_over(self, x: Any, value: int) -> tuple[Any, int]:
        """Exchange arrays with another thread, ordered by events."""
        handed, stream = self.shared.handed, cuda.current_stream()
        handed.append((x, value, cuda.Event(2).record()))
        try:
            x, value, event = handed.popleft()
        except IndexError:
            return self.new()
        if stream is None:
            event.synchronize()
        else:
            stream.wait_for_event(event)
        return x.copy(), value

    def chain(self) -> None:
        """Run about twenty operations on one array in sequence, checked."""
        x, value = self.new()
        names = ["fill"]
        for _ in range(20):
            step = self.random.choice(self.steps)
            x, value = step(x, value)
            names.append(step.__name__)
            if abs(value) > MAX_VALUE or x.size < 2:
                x, value = self.new()
                names = ["fill"]
        self.count(24)
        if self.random.random() < 0.05:
            x, value = self.hand_over(x, value)
            names.append("hand over")
        if self.random.random() < 0.02:
            uniform = curandom.rand(x.size)
            if not 0 <= gpuarray.max(uniform).get() < 1:
                raise Wrong(f"a random number of {uniform.get().max()}")
            self.count(2)
        if self.shared.options.modules and self.random.random() < 0.02:
            self.use_module()
        if self.random.random() < 0.1:
            self.check(x, value, ", ".join(names))
        if self.shared.options.plant == "leak":
            self.shared.leaked.append(bytes(1 << 16))

    def use_module(self) -> None:
        """Run a kernel of a module that comes and goes."""
        if self.modules is None:
            self.modules = soak_modules.Modules(self.random)
        size = self.random.randrange(1, 5000)
        x, value, kind = self.modules.add(
            gpuarray.empty(size, np.float32).fill(1), 1
        )
        self.check(x, value, kind)
        self.count(2)

    def warm_up(self) -> None:
        """Run each step once with each dtype.

        Kernels that are compiled later would look like a memory leak.
        """
        for dtype in DTYPES:
            for size in (5, 1 << 12, 1 << 16):
                x = gpuarray.empty(size, dtype).fill(1)
                for step in self.steps:
                    result, value = step(x.copy(), 1)
                    self.check(result, value, step.__name__)
                    self.check(result[::2], value, step.__name__)
        curandom.rand(8)

    def rest(self) -> None:
        """Let the main thread measure the memory."""
        cuda.Context.synchronize()
        self.shared.paused.wait()
        self.shared.paused.wait()

    def run(self) -> None:
        """Run the thread."""
        shared = self.shared
        shared.context.push()
        try:
            self.streams = [None, cuda.Stream(), cuda.Stream(NON_BLOCKING)]
            while not shared.stop.is_set():
                if shared.pause.is_set():
                    self.rest()
                stream = self.random.choice(self.streams)
                if stream is None:
                    self.chain()
                elif self.random.random() < 0.5:
                    with stream.use():
                        self.chain()
                else:
                    with stream:
                        self.chain()
        except BaseException:
            shared.failures.append(traceback.format_exc())
            shared.stop.set()
            shared.paused.abort()
        finally:
            self.streams.clear()
            if self.modules:
                self.modules.loaded.clear()
            cuda.Context.pop()


def host_bytes() -> int:
    """Return the resident memory of the process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def memory_now(shared: Shared) -> tuple[int, int]:
    """Return host and device bytes in use, with all threads at rest."""
    shared.pause.set()
    shared.paused.wait()
    shared.pause.clear()
    shared.handed.clear()
    gc.collect()
    cuda.Context.synchronize()
    idle, total = cuda.mem_get_info()  # releases idle blocks first
    used = host_bytes(), total - idle
    shared.paused.wait()
    return used


def interrupt(shared: Shared, interruptions: Interruptions) -> None:
    """Interrupt kernels once; a wrong effect is a failure of the run."""
    try:
        interruptions.when_due()
    except Exception:
        shared.failures.append(traceback.format_exc())
        shared.stop.set()


def watch(
    shared: Shared, interruptions: Interruptions | None
) -> tuple[list[tuple[int, int]], float]:
    """Wait for the end; return memory after each fifth, and the seconds."""
    options, start = shared.options, time.monotonic()
    found: list[tuple[int, int]] = []
    while True:
        time.sleep(0.2)
        if interruptions:
            interrupt(shared, interruptions)
        done, seconds = sum(shared.done), time.monotonic() - start
        share = max(done / options.operations, seconds / options.seconds)
        if sys.stderr.isatty():
            line = f"{done:,} operations, {seconds:.0f} s"
            print(f"\r{line:<50}", end="", file=sys.stderr)
        if shared.stop.is_set():
            break
        if share * 5 >= len(found) + 1:
            try:
                found.append(memory_now(shared))
            except threading.BrokenBarrierError:
                break
        if share >= 1 and len(found) >= 2:  # growth needs two measurements
            break
    shared.stop.set()
    return found, time.monotonic() - start


def verdict(shared: Shared, memory: list[tuple[int, int]]) -> int:
    """Print the faults; return the exit status."""
    for failure in shared.failures:
        print(failure)
    if shared.failures or len(memory) < 2:
        print("failed")
        return 1
    status = 0
    for name, slack, values in zip(
        ["host", "device"],
        [HOST_SLACK, DEVICE_SLACK],
        zip(*memory, strict=True),
        strict=True,
    ):
        text = ", ".join(f"{value / 1e6:.1f}" for value in values)
        grown = values[-1] - values[0]
        print(f"{name} memory, MB: {text}; grown by {grown / 1e6:.1f}")
        if grown > slack:
            print(f"the {name}'s memory grows")
            status = 1
    print("failed" if status else "passed")
    return status


def read_options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=290)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--interrupts", action="store_true")
    parser.add_argument("--modules", action="store_true")
    parser.add_argument("--plant", choices=["leak", "value"])
    return parser.parse_args()


def main() -> None:
    options = read_options()
    # Free memory of the CPU device then depends on this process alone.
    os.environ.setdefault("PYCUDA_CPU_MEMORY", "2G")
    if options.interrupts:
        os.environ.setdefault("PYCUDA_CPU_TIMEOUT", "2")
    if options.modules:
        soak_modules.prepare()
    cuda.init()
    context = cuda.Device(0).make_context()
    print(f"{cuda.Device(0).name()}; {options.threads} threads", flush=True)
    shared = Shared(options)
    workers = [Worker(shared, k) for k in range(options.threads)]
    start = time.monotonic()
    if not options.plant:
        workers[0].warm_up()
    shared.done[0] = 0
    print(f"compiled in {time.monotonic() - start:.1f} s", flush=True)
    interruptions = Interruptions() if options.interrupts else None
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    memory, seconds = watch(shared, interruptions)
    for thread in threads:
        thread.join()
    done = sum(shared.done)
    print(
        f"\n{done:,} operations in {seconds:.1f} s, "
        f"{seconds / max(done, 1) * 1e6:.2f} us each; seed {options.seed}"
    )
    if interruptions:
        print(interruptions.report())
    if options.modules:
        print(soak_modules.report([worker.modules for worker in workers]))
    status = verdict(shared, memory)
    workers.clear()
    shared.handed.clear()
    context.pop()
    sys.stdout.flush()
    sys.exit(status)


if __name__ == "__main__":
    main()
