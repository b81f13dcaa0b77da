"""Many threads compute at the same time, with their own contexts or one.

The interpreter switches threads as often as it can: one thread uses caches of
launches, kernels and memory in the middle of another thread's call.  Each
thread must get its own results.
"""

# SPDX-License-Identifier: MIT

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

THREADS = 16
SOURCE = "__global__ void add(int *x, int n) { x[threadIdx.x] += n; }"
HOST = np.arange(64, dtype=np.float32)

# Without the GIL, 1000 rounds ended with a crash in each run (decision 32).
with_rounds = pytest.mark.parametrize(
    "rounds", [100, pytest.param(1000, marks=pytest.mark.slow)]
)


@pytest.fixture(autouse=True)
def switches() -> Iterator[None]:
    """Switch threads after each microsecond."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], None]) -> None:
    """Run `work` in all threads; raise the first error."""
    errors: list[BaseException] = []
    start = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(number,))
        for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def compute(number: int, turn: int, given: Any) -> None:
    """Array operations whose results depend on the thread and the round."""
    size = 8 + (number + turn) % 5
    part = (given * 2 + number)[3 : 3 + size]
    expected = (HOST * 2 + number)[3 : 3 + size]
    np.testing.assert_array_equal(part.get(), expected)
    assert part.sum().get() == expected.sum()
    part -= turn
    np.testing.assert_array_equal(
        cumath.fabs(-part).get(), abs(expected - turn)
    )


def launch(function: Any, number: int, turn: int) -> None:
    """Launches by name and prepared, of the same function."""
    numbers = gpuarray.zeros(32, np.int32)
    function(numbers, np.int32(number), block=(32, 1, 1))
    function.prepared_call((1, 1), (32, 1, 1), numbers.gpudata, turn)
    assert (numbers.get() == number + turn).all()


@with_rounds
def test_each_thread_has_a_context(context: Any, rounds: int) -> None:
    def work(number: int) -> None:
        own = drv.Device(0).make_context()
        try:
            function = SourceModule(SOURCE).get_function("add")
            function.prepare("Pi")
            given = gpuarray.to_gpu(HOST)
            for turn in range(rounds):
                compute(number, turn, given)
                launch(function, number, turn)
            del given, function
        finally:
            own.pop()

    together(work)
    assert drv.Context.get_current() == context


@with_rounds
def test_all_threads_have_one_context(context: Any, rounds: int) -> None:
    """They share arrays, a function, a stream and a pool of memory."""
    given, stream, pool = (
        gpuarray.to_gpu(HOST),
        drv.Stream(),
        DeviceMemoryPool(),
    )
    function = SourceModule(SOURCE).get_function("add")
    function.prepare("Pi")

    def work(number: int) -> None:
        context.push()
        try:
            for turn in range(rounds):
                compute(number, turn, given)
                launch(function, number, turn)
                own = gpuarray.zeros(64, np.float32, allocator=pool.allocate)
                own.set_async(HOST + number, stream)
                event = drv.Event().record(stream)
                event.synchronize()
                np.testing.assert_array_equal(own.get(), HOST + number)
        finally:
            drv.Context.pop()

    together(work)
    np.testing.assert_array_equal(given.get(), HOST)
    assert pool.active_blocks == 0
