"""State that array operations store in a context is released with it."""

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from isolated import run

import pycuda.driver as drv
from pycuda import _driver, cumath, curandom, gpuarray, tools
from pycuda._kernels import factory
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

NUMBERS = np.arange(3000, dtype=np.float32)[::-1].copy()


def add() -> Any:
    a = gpuarray.to_gpu(NUMBERS)
    return (a + a).get(), NUMBERS * 2


def reduce() -> Any:
    return gpuarray.sum(gpuarray.to_gpu(NUMBERS)).get(), NUMBERS.sum()


def reduce_blocks() -> Any:
    a = gpuarray.zeros(1 << 17, np.int64) + 3
    return gpuarray.sum(a).get(), 3 << 17


def reduce_axis() -> Any:
    table = NUMBERS.reshape(30, 100)
    return gpuarray.to_gpu(table).sum(0).get(), table.sum(0)


def scan() -> Any:
    table = NUMBERS.reshape(30, 100)
    return gpuarray.to_gpu(table).cumsum(1).get(), table.cumsum(1)


def sort() -> Any:
    return gpuarray.sort(gpuarray.to_gpu(NUMBERS)).get(), NUMBERS[::-1]


def fancy() -> Any:
    where = np.array([5, 1, 7])
    a = gpuarray.to_gpu(NUMBERS)
    return a[gpuarray.to_gpu(where)].get(), NUMBERS[where]


def fancy_walk() -> Any:
    where, table = np.array([5, 1]), NUMBERS.reshape(30, 100)
    a = gpuarray.to_gpu(table)
    return a[:, gpuarray.to_gpu(where)].get(), table[:, where]


def mask() -> Any:
    a = gpuarray.to_gpu(NUMBERS)
    return a[a > 5].get(), NUMBERS[NUMBERS > 5]


def product() -> Any:
    table = np.ones((200, 200), np.float32)
    a = gpuarray.to_gpu(table)
    return (a @ a).get(), table @ table


def copy() -> Any:
    a = gpuarray.to_gpu(NUMBERS.reshape(30, 100))
    target = gpuarray.zeros((100, 30), np.float32)
    target[...] = a.T
    return target.get(), NUMBERS.reshape(30, 100).T


def fill() -> Any:
    return gpuarray.empty(70, np.float32).fill(3).get(), np.full(70, 3)


def function() -> Any:
    a = gpuarray.to_gpu(NUMBERS)
    return cumath.frexp(a)[0].get(), np.frexp(NUMBERS)[0]


def random() -> Any:
    a = curandom.rand((100,))
    return (a < 2).get(), True


def generator() -> Any:
    made = curandom.XORWOWRandomNumberGenerator(
        lambda n: gpuarray.zeros(n, np.int32)
    )
    return (made.gen_uniform(100, np.float32) < 2).get(), True


def kernels() -> Any:
    a = gpuarray.to_gpu(NUMBERS)
    ElementwiseKernel("float *x", "x[i] += 1")(a)
    InclusiveScanKernel(np.float32, "a > b ? a : b")(a)
    made = ReductionKernel(
        np.float32, "0", "a+b", arguments="float *x", map_expr="x[i]"
    )
    return made(a).get(), np.float32(3000) * 3000


WORKS = [
    add, reduce, reduce_blocks, reduce_axis, scan, sort, fancy, fancy_walk,
    mask, product, copy, fill, function, random, generator, kernels,
]  # fmt: skip


def check(work: Callable[[], Any]) -> None:
    found, wanted = work()
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def worked_in(work: Callable[[], Any]) -> Any:
    """Return a new current context in which the work ran twice."""
    made = drv.Device(0).make_context()
    for _ in range(2):
        check(work)
    return made


@pytest.mark.parametrize("work", WORKS)
def test_a_detached_context_goes(work: Callable[[], Any]) -> None:
    made = worked_in(work)
    gone = weakref.ref(made)
    made.detach()
    del made
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("work", WORKS)
def test_a_context_that_nobody_has_goes(
    context: Any, work: Callable[[], Any]
) -> None:
    made = worked_in(work)
    gone = weakref.ref(made)
    drv.Context.pop()
    del made
    gc.collect()
    assert gone() is None
    assert drv.Context.get_current() == context
    check(work)


def test_detaching_leaves_nothing_to_the_collector() -> None:
    made = worked_in(add)
    gone = weakref.ref(made)
    gc.disable()
    try:
        made.detach()
        del made
        assert gone() is None
    finally:
        gc.enable()


def test_what_users_have_keeps_a_context() -> None:
    made = worked_in(add)
    stored = gpuarray.to_gpu(NUMBERS)
    gone = weakref.ref(made)
    drv.Context.pop()
    del made
    gc.collect()
    with gone():  # type: ignore[union-attr]
        assert (stored + 1).get().tolist() == (NUMBERS + 1).tolist()
    del stored
    gc.collect()
    assert gone() is None


def test_another_thread_collects(context: Any) -> None:
    """The thread has its own context, or none."""
    for own in (None, drv.Device(0).make_context()):
        if own is not None:
            own.pop()
        made = worked_in(sort)
        gone = weakref.ref(made)
        drv.Context.pop()
        del made

        def collect(own: Any = own) -> None:
            if own is not None:
                own.push()
            gc.collect()
            assert drv.Context.get_current() == own
            if own is not None:
                check(sort)
                drv.Context.pop()

        thread = threading.Thread(target=collect)
        thread.start()
        thread.join()
        assert gone() is None
    assert drv.Context.get_current() == context
    check(sort)


def contexts_follow_each_other() -> None:
    """Make and end contexts; print the least loss of free memory."""
    free = []
    for turn in range(12):
        made = drv.Device(0).make_context()
        for work in (add, reduce, reduce_axis, scan, fancy, copy, fill):
            check(work)
        big = gpuarray.zeros(1 << 20, np.float32)
        assert (big + turn).get()[-1] == turn
        del big
        if turn % 2:
            made.detach()
        else:
            drv.Context.pop()
        del made
        gc.collect()
        with drv.Device(0).retain_primary_context():
            free.append(drv.mem_get_info()[0])
    # Other processes may use a GPU's memory too, but not in each iteration.
    after = free[3:]
    print(min(after[i] - after[i + 2] for i in range(len(after) - 2)))


def test_contexts_follow_each_other() -> None:
    """New contexts often have the addresses of earlier ones.

    A process of its own has the CPU device's memory to itself.
    """
    code = f"import sys; sys.path[:] = {sys.path!r}\n"
    code += "import test_contexts as own; own.drv.init()\n"
    code += "own.contexts_follow_each_other()"
    assert int(run(code)) < 2 << 20


def test_one_context_ends_before_another() -> None:
    first, second = worked_in(sort), worked_in(sort)
    for work in (add, reduce, fancy, copy):
        check(work)
    drv.Context.pop()
    for work in (add, reduce, fancy, copy):
        check(work)
    first.detach()
    with second:
        for work in (add, sort, reduce, fancy, copy):
            check(work)
    second.detach()


def test_a_primary_context_has_two_owners() -> None:
    first = drv.Device(0).retain_primary_context()
    second = drv.Device(0).retain_primary_context()
    for made in (first, second):
        with made:
            check(add)
            check(fancy)
    first.detach()
    with second:
        check(add)
        check(fancy)
        check(sort)


def test_detached_while_another_works() -> None:
    """Each thread works in its own context."""
    failed: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        made = drv.Device(0).make_context()
        try:
            while not done.is_set():
                for work in (add, reduce, fancy):
                    check(work)
        except BaseException as error:
            failed.append(error)
        made.detach()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(20):
            worked_in(add).detach()
    finally:
        done.set()
        thread.join()
    assert not failed


# --- clear_context_caches ------------------------------------------------


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return weak references to Functions that the factory has created."""
    functions = []

    def make(key: tuple) -> Any:
        answer = factory.make_kernel(key)
        functions.append(weakref.ref(answer[0]))
        return answer

    _driver._set_kernel_factory(make)
    yield functions
    factory.serve()


def test_kernels_are_let_go(made: Any) -> None:
    with drv.Device(0).make_context() as current:
        for work in (add, reduce, fancy, copy, fill):
            check(work)
        count = len(made)
        assert count >= 5 and all(function() for function in made)
        check(add)
        assert len(made) == count
        tools.clear_context_caches()
        assert not any(function() for function in made)
        for work in (add, reduce, fancy, copy, fill):
            for _ in range(2):
                check(work)
        assert len(made) == 2 * count
        drv.Context.pop()
    current.detach()


def test_all_contexts_let_them_go(context: Any, made: Any) -> None:
    other = drv.Device(0).make_context()
    check(add)
    drv.Context.pop()
    count = len(made)
    assert count > 0
    tools.clear_context_caches()
    assert not any(function() for function in made)
    with other:
        check(add)
    assert len(made) == 2 * count
    other.detach()


@pytest.mark.parametrize("work", WORKS)
def test_all_is_made_anew(work: Callable[[], Any]) -> None:
    for _ in range(2):
        check(work)
        tools.clear_context_caches()
    for _ in range(2):
        check(work)


def test_kernels_of_a_graph_stay(made: Any) -> None:
    a = gpuarray.to_gpu(NUMBERS)
    tools.clear_context_caches()
    a - 3  # compiled before the capture
    stream = drv.Stream()
    with stream.capture() as graph:
        first = a - 3
        tools.clear_context_caches()
        second = a + 7  # compiled within the capture
    tools.clear_context_caches()
    gc.collect()
    assert any(function() for function in made)
    a.fill(10)
    drv.Context.synchronize()
    graph.launch(stream)
    stream.synchronize()
    assert first.get().tolist() == [7] * 3000
    assert second.get().tolist() == [17] * 3000
    del graph, first, second
    gc.collect()
    tools.clear_context_caches()
    assert not any(function() for function in made)


def test_an_allocator_clears_the_caches() -> None:
    """The allocator runs between the lookup of a kernel and its launch."""

    def allocate(size: int) -> Any:
        tools.clear_context_caches()
        return drv.mem_alloc(size)

    a = gpuarray.to_gpu(NUMBERS, allocator=allocate)
    table = a.reshape(30, 100)
    works: list[tuple[Callable[[], Any], Any]] = [
        (lambda: a + a, NUMBERS * 2),
        (lambda: a * 2.5, NUMBERS * 2.5),
        (lambda: gpuarray.sum(a), NUMBERS.sum()),
        (lambda: table.sum(0), NUMBERS.reshape(30, 100).sum(0)),
    ]
    for work, wanted in works:
        for _ in range(3):
            assert work().get().tolist() == wanted.tolist()


def test_a_handle_of_cublas_is_let_go() -> None:
    a = gpuarray.zeros((256, 256), np.float32) + 1
    for _ in range(2):
        made = a @ a
        product = _driver._cublas_product(
            (0, 0), (False, False), (256, 256, 256), (256, 256, 256),
            (0, 0, 0), 1,
        )  # fmt: skip
        if not _driver._cublas_gemm(product, a, a, made, None):
            pytest.skip("there is no cuBLAS")
        tools.clear_context_caches()
        assert _driver._cublas_gemm(product, a, a, made, None) is None
        assert made.get()[3, 4] == 256


def test_caches_are_cleared_while_another_works(context: Any) -> None:
    """Another thread launches in the same context until its queue is full."""
    failed: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        context.push()
        a, b = gpuarray.to_gpu(NUMBERS), gpuarray.to_gpu(NUMBERS)
        try:
            for _ in range(6):
                b.fill(0)
                for _ in range(2000):
                    b += a
                assert b.get()[0] == np.float32(2999 * 2000)
                check(reduce)
        except BaseException as error:
            failed.append(error)
        done.set()
        del a, b
        drv.Context.pop()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        tools.clear_context_caches()
    thread.join()
    assert not failed


# --- user caches by context ------------------------------------------------


def test_what_is_remembered_goes_with_detach() -> None:
    @tools.context_dependent_memoize
    def remembered() -> Any:
        return drv.Stream()

    scale = ElementwiseKernel("float *x", "x[i] *= 2")
    scanned = InclusiveScanKernel(np.float32, "a+b")
    made = drv.Device(0).make_context()
    stream = weakref.ref(remembered())
    gone = weakref.ref(made)
    scale(gpuarray.to_gpu(NUMBERS))
    scanned(gpuarray.to_gpu(NUMBERS))
    made.detach()
    del made
    gc.collect()
    assert stream() is None
    scale(gpuarray.to_gpu(NUMBERS))
    scanned(gpuarray.to_gpu(NUMBERS))
    gc.collect()
    assert gone() is None


def test_what_is_remembered_holds_a_context() -> None:
    """Cached results keep a context alive until the caches are cleared."""

    @tools.context_dependent_memoize
    def remembered() -> int:
        return 5

    made = drv.Device(0).make_context()
    assert remembered() == 5
    gone = weakref.ref(made)
    drv.Context.pop()
    del made
    gc.collect()
    assert gone() is not None
    tools.clear_context_caches()
    gc.collect()
    assert gone() is None
