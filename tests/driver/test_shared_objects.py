"""Many threads use and change the same objects at the same time.

With the GIL the interpreter switches threads as often as it can.  Without it
(``PYTHON_GIL=0`` of free-threaded Python) the threads run in parallel.  Each
test is for one kind of data that threads share; a fault is a wrong result, an
exception, or the end of the process.
"""

# SPDX-License-Identifier: MIT

import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

THREADS = 8
SOURCE = "__global__ void add(int *x, int n) { x[threadIdx.x] += n; }"
HOST = np.arange(64, dtype=np.float32)

with_rounds = pytest.mark.parametrize(
    "rounds", [50, pytest.param(1000, marks=pytest.mark.slow)]
)


@pytest.fixture(autouse=True)
def switches() -> Iterator[None]:
    """Switch threads after each microsecond."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[int], None], context: Any = None) -> None:
    """Run each of `works` in several threads; raise the first error.

    With `context`, the threads push it.
    """
    errors: list[BaseException] = []
    count = max(THREADS, len(works))
    start = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            start.wait()
            if context is not None:
                context.push()
            try:
                works[number % len(works)](number)
            finally:
                if context is not None:
                    drv.Context.pop()
        except BaseException as error:
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(number,)) for number in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@with_rounds
def test_contexts_come_and_go(context: Any, rounds: int) -> None:
    """The list of contexts, and their keys."""

    def create(number: int) -> None:
        for turn in range(rounds // 10):
            own = drv.Device(0).make_context()
            array = gpuarray.to_gpu(HOST)
            np.testing.assert_array_equal((array + turn).get(), HOST + turn)
            del array
            own.pop()
            own.detach()

    def look(number: int) -> None:
        for _ in range(rounds):
            assert all(own.handle for own in _driver._contexts())

    def drop(number: int) -> None:
        for _ in range(rounds // 10):
            _driver._drop_kernels()

    together(create, look, create, drop)
    assert drv.Context.get_current() == context


@with_rounds
def test_the_context_of_threads_changes(context: Any, rounds: int) -> None:
    """set_thread_context while new threads adopt the context."""
    array = gpuarray.to_gpu(HOST)

    def choose(number: int) -> None:
        for _ in range(rounds):
            drv.set_thread_context(context)

    def adopt(number: int) -> None:
        for _ in range(rounds // 10):
            results: list[Any] = []
            thread = threading.Thread(
                target=lambda out=results: out.append((array * 2).get())
            )
            thread.start()
            thread.join()
            np.testing.assert_array_equal(results[0], HOST * 2)

    drv.set_thread_context(context)
    try:
        together(choose, adopt)
    finally:
        drv.set_thread_context(None)


@with_rounds
def test_streams_are_entered(context: Any, rounds: int) -> None:
    """Each thread has its own current stream; all count the same total."""
    given = gpuarray.to_gpu(HOST)

    def work(number: int) -> None:
        stream = drv.Stream()
        for turn in range(rounds):
            with stream:
                assert drv.current_stream() == stream
                np.testing.assert_array_equal(
                    (given + number * turn).get(), HOST + number * turn
                )
            assert drv.current_stream() is None

    together(work, context=context)


@with_rounds
def test_graphs_are_captured(context: Any, rounds: int) -> None:
    """Open captures, and what their graphs keep alive."""

    def work(number: int) -> None:
        own = drv.Device(0).make_context()
        try:
            function = SourceModule(SOURCE).get_function("add")
            numbers = gpuarray.zeros(32, np.int32)
            stream = drv.Stream()
            drv.Context.synchronize()
            for turn in range(1, rounds // 10 + 1):
                with stream.capture() as graph:
                    function(
                        numbers,
                        np.int32(number),
                        block=(32, 1, 1),
                        stream=stream,
                    )
                graph.instantiate().launch(stream)
                stream.synchronize()
                assert (numbers.get() == number * turn).all()
            del function, numbers, stream, graph
        finally:
            own.pop()

    together(work)


@with_rounds
def test_launches_fill_the_queue(context: Any, rounds: int) -> None:
    """Counts of pending launches of several streams, and launch records."""
    function = SourceModule(SOURCE).get_function("add")

    def work(number: int) -> None:
        stream = drv.Stream()
        numbers = gpuarray.zeros(32, np.int32)
        drv.Context.synchronize()
        for _ in range(rounds * 5):
            function(numbers, np.int32(1), block=(32, 1, 1), stream=stream)
        stream.synchronize()
        assert (numbers.get() == rounds * 5).all()

    together(work, context=context)


@with_rounds
def test_memory_is_used_by_all(context: Any, rounds: int) -> None:
    """The last use of an allocation, and copies that are pending."""
    given = gpuarray.to_gpu(HOST)
    staged = drv.pagelocked_empty(64, np.float32)
    staged[:] = HOST

    def work(number: int) -> None:
        stream = drv.Stream()
        own = gpuarray.empty(64, np.float32)
        for turn in range(rounds):
            result = gpuarray.empty_like(given)
            drv.memcpy_dtod_async(
                result.gpudata, given.gpudata, given.nbytes, stream
            )
            own.set_async(staged if turn % 2 else HOST.copy(), stream)
            copy = result.get_async(stream)
            stream.synchronize()
            np.testing.assert_array_equal(copy, HOST)
            np.testing.assert_array_equal(own.get(), HOST)

    together(work, context=context)


@with_rounds
def test_memory_is_freed_by_other_threads(context: Any, rounds: int) -> None:
    """The default pool: one thread allocates, another one frees."""
    handed: queue.Queue[Any] = queue.Queue(maxsize=32)
    givers = THREADS // 2

    def give(number: int) -> None:
        for turn in range(rounds):
            size = 16 + (number * 7 + turn) % 5 * 100
            handed.put((gpuarray.zeros(size, np.int32) + number, number))
        handed.put(None)

    def take(number: int) -> None:
        while (item := handed.get()) is not None:
            array, expected = item
            assert (array.get() == expected).all()
            del array, item

    together(*[give, take] * givers, context=context)


@with_rounds
def test_pools_are_shared(context: Any, rounds: int) -> None:
    """DeviceMemoryPool and PageLockedMemoryPool."""
    device, host = DeviceMemoryPool(), PageLockedMemoryPool()

    def work(number: int) -> None:
        for turn in range(rounds):
            size = 64 + (number + turn) % 7 * 64
            array = gpuarray.zeros(size, np.int32, allocator=device.allocate)
            buffer = host.allocate(size, np.int32)
            buffer[:] = number
            array.set(buffer)
            assert (array.get() == number).all()
            if turn % 16 == 0:
                device.free_held()
                host.free_held()
            assert device.active_blocks > 0

    together(work, context=context)
    assert device.active_blocks == host.active_blocks == 0


@with_rounds
def test_kernels_are_dropped(context: Any, rounds: int) -> None:
    """Tables of kernels and plans, which other threads drop."""
    given = gpuarray.to_gpu(HOST)
    matrix = gpuarray.to_gpu(np.ones((8, 8), np.float32))

    def work(number: int) -> None:
        for turn in range(rounds):
            np.testing.assert_array_equal(
                (given * number + turn).get(), HOST * number + turn
            )
            assert given.sum().get() == HOST.sum()
            assert (matrix.sum(axis=turn % 2).get() == 8).all()
            np.testing.assert_array_equal(given[::2].get(), HOST[::2])
            np.testing.assert_array_equal(
                given[:: -1 - number % 3].copy().get(),
                HOST[:: -1 - number % 3],
            )

    def drop(number: int) -> None:
        for _ in range(max(2, rounds // 50)):
            _driver._drop_kernels()

    together(work, work, work, drop, context=context)


@with_rounds
def test_a_kernel_is_made_by_several_threads(
    context: Any, rounds: int
) -> None:
    """All threads use the kernel that the first one adds to the cache."""
    given = gpuarray.to_gpu(HOST)
    gate = threading.Barrier(THREADS)

    def work(number: int) -> None:
        try:
            for turn in range(rounds):
                if gate.wait() == 0:
                    _driver._drop_kernels()
                gate.wait()
                for _ in range(3):
                    np.testing.assert_array_equal(
                        (given * turn).get(), HOST * turn
                    )
        except BaseException:
            gate.abort()
            raise

    together(work, context=context)


@with_rounds
def test_kernel_objects_are_shared(context: Any, rounds: int) -> None:
    """An ElementwiseKernel and a ReductionKernel, with many sizes."""
    scale = ElementwiseKernel("float *y, float *x, float a", "y[i] = a * x[i]")
    largest = ReductionKernel(
        np.float32, "-1e30f", "fmaxf(a, b)", arguments="const float *in"
    )

    def work(number: int) -> None:
        for turn in range(rounds):
            x = gpuarray.to_gpu(HOST[: 8 + (number + turn) % 32])
            y = gpuarray.empty_like(x)
            scale(y, x, np.float32(number))
            np.testing.assert_array_equal(y.get(), x.get() * number)
            assert largest(x).get() == x.get().max()

    together(work, context=context)


@with_rounds
def test_attributes_of_an_array_change(context: Any, rounds: int) -> None:
    """Setters of `shape`, `dtype` and `gpudata` during reads."""
    array = gpuarray.to_gpu(np.zeros(64, np.float32))
    memory = [gpuarray.to_gpu(HOST * 0).gpudata for _ in range(3)]
    memory.append(array.gpudata)
    shapes = [(64,), (8, 8), (4, 4, 4), (2,) * 6]

    def change(number: int) -> None:
        for turn in range(rounds):
            array.shape = shapes[(number + turn) % 4]
            array.gpudata = memory[(number + turn) % 4]
            array.dtype = np.dtype((np.float32, np.int32)[turn % 2])

    def read(number: int) -> None:
        for _ in range(rounds):
            assert array.shape in shapes
            assert array.dtype in (np.float32, np.int32)
            assert int(array.gpudata) in [int(place) for place in memory]
            assert not array.get().any()
            assert not (array + 0).get().any()
            assert not array.reshape(64)[3:5].get().any()

    together(change, read, read, read, context=context)


@with_rounds
def test_attributes_change_in_another_context(
    context: Any, rounds: int
) -> None:
    """Setters in one context while operators in others read the array."""
    array = gpuarray.to_gpu(np.zeros(64, np.float32))
    memory = [gpuarray.to_gpu(HOST * 0).gpudata for _ in range(3)]
    memory.append(array.gpudata)
    shapes = [(64,), (8, 8), (4, 4, 4), (2,) * 6]
    allocators = [drv.mem_alloc, lambda size: drv.mem_alloc(size)]
    module = SourceModule(
        "__global__ void look(const void *x, int *y) {"
        " y[threadIdx.x] = ((const int *)x)[threadIdx.x]; }"
    )
    look = module.get_function("look")

    operations = (
        lambda: array + 0,
        lambda: 0 - array,
        lambda: array == 1,
        lambda: gpuarray.sum(array),
    )

    def change(number: int) -> None:
        own = drv.Device(0).make_context()
        try:
            for turn in range(rounds):
                array.shape = shapes[(number + turn) % 4]
                array.gpudata = memory[(number + turn) % 4]
                array.dtype = np.dtype((np.float32, np.int32)[turn % 2])
                array.allocator = allocators[turn % 2]
                array.base = memory[turn % 4]
        finally:
            own.pop()
            own.detach()

    def begin_again(number: int) -> None:
        own = drv.Device(0).make_context()
        try:
            for turn in range(rounds):
                array.__init__(  # type: ignore[misc]
                    shapes[turn % 4], np.float32, gpudata=memory[turn % 4]
                )
        finally:
            own.pop()
            own.detach()

    def read(number: int) -> None:
        context.push()
        try:
            zeros = gpuarray.zeros(64, np.int32)
            for _ in range(rounds):
                for operation in operations:
                    try:
                        assert not operation().get().any()
                    except RuntimeError as error:
                        assert "changed its shape during" in str(error)
                assert array.size == 64
                look(array, zeros, block=(64, 1, 1))
                assert not zeros.get().any()
        finally:
            drv.Context.pop()

    together(change, read, begin_again, read)


@with_rounds
def test_a_function_is_prepared_and_called(context: Any, rounds: int) -> None:
    """Formats of prepare(), and the cache of the previous call."""
    function = SourceModule(SOURCE).get_function("add")
    function.prepare("Pi")

    def prepare(number: int) -> None:
        for turn in range(rounds):
            function.prepare(("Pi", "PI")[turn % 2])
            assert function.arg_format in ("Pi", "PI")

    def call(number: int) -> None:
        for turn in range(rounds):
            numbers = gpuarray.zeros(32, np.int32)
            function.prepared_call(
                (1, 1), (32, 1, 1), numbers.gpudata, number + turn
            )
            function(numbers, np.int32(1), block=(32, 1, 1), grid=(1, 1))
            assert (numbers.get() == number + turn + 1).all()

    together(prepare, call, call, call, context=context)


@with_rounds
def test_lists_change_during_calls(context: Any, rounds: int) -> None:
    """Arguments that other threads change: blocks, indices, dicts."""
    function = SourceModule(SOURCE).get_function("add")
    block = [32, 1, 1]
    indices = list(range(32))
    given = gpuarray.to_gpu(HOST)

    def change(number: int) -> None:
        for turn in range(rounds * 4):
            block[:] = [32] if turn % 2 else [32, 1, 1]
            indices[:] = list(range(1000 + turn, 1000, -1))[-32:]
            indices[:] = list(range(turn % 32 + 1))

    def use(number: int) -> None:
        for _ in range(rounds):
            numbers = gpuarray.zeros(32, np.int32)
            try:
                function(numbers, np.int32(number), block=block)
                given[indices].get()
            except (IndexError, ValueError, RuntimeError, drv.LogicError):
                pass  # a list was read while it changed
            numbers.get()

    together(change, use, use, use, context=context)


@with_rounds
def test_callbacks_of_all_threads(context: Any, rounds: int) -> None:
    """Each callback runs once."""
    counts = [0] * THREADS
    done = threading.Semaphore(0)

    def reached(number: int) -> None:
        counts[number] += 1  # only the callback thread changes the list
        done.release()

    def work(number: int) -> None:
        stream = drv.Stream()
        for _ in range(rounds):
            stream.add_callback(reached, number)
        stream.synchronize()

    together(work, context=context)
    for _ in range(THREADS * rounds):
        assert done.acquire(timeout=60)
    assert counts == [rounds] * THREADS


@with_rounds
def test_arrays_of_another_context(context: Any, rounds: int) -> None:
    """Copies between contexts record the last use in another context."""
    given = gpuarray.to_gpu(HOST)

    def work(number: int) -> None:
        own = drv.Device(0).make_context()
        try:
            for turn in range(rounds // 5):
                copy = gpuarray.empty(64, np.float32)
                drv.memcpy_dtod(copy.gpudata, given.gpudata, given.nbytes)
                np.testing.assert_array_equal((copy + turn).get(), HOST + turn)
            del copy
        finally:
            own.pop()

    def owner(number: int) -> None:
        context.push()
        try:
            for turn in range(rounds):
                np.testing.assert_array_equal(
                    (given + turn).get(), HOST + turn
                )
        finally:
            drv.Context.pop()

    together(work, owner)
