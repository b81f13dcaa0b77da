"""Graphs: captures of streams, launches, updates, object lifetimes."""

import gc
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void add(int *x, int y) { x[threadIdx.x] += y; }
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }
__global__ void sum(int *to, const int *a, const int *b)
{ to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
"""
BLOCK = (32, 1, 1)


@pytest.fixture(scope="module")
def kernels(context: Any) -> Any:
    from pycuda.compiler import SourceModule

    return SourceModule(SOURCE).get_function


@pytest.fixture
def x(context: Any) -> Any:
    import pycuda.gpuarray as gpuarray

    return gpuarray.to_gpu(np.arange(32, dtype=np.int32))


def add_then_twice(drv: Any, kernels: Any, stream: Any, x: Any, y: int) -> Any:
    """Return a graph that computes (x + y) * 2."""
    with stream.capture() as graph:
        kernels("add")(x, np.int32(y), block=BLOCK, stream=stream)
        kernels("twice")(x, block=BLOCK, stream=stream)
    return graph


def test_capture_runs_nothing_and_launch_all(
    drv: Any, kernels: Any, x: Any
) -> None:
    stream = drv.Stream()
    start = np.arange(32)
    assert not stream.is_capturing
    with stream.capture() as graph:
        assert stream.is_capturing
        kernels("add")(x, np.int32(5), block=BLOCK, stream=stream)
        kernels("twice")(x, block=BLOCK, stream=stream)
    assert not stream.is_capturing
    assert (graph.node_count, graph.edge_count) == (2, 1)
    stream.synchronize()
    np.testing.assert_array_equal(x.get(), start)
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(x.get(), (start + 5) * 2)
    run.launch()  # on the default stream
    np.testing.assert_array_equal(x.get(), ((start + 5) * 2 + 5) * 2)
    assert graph.handle and run.handle


def test_prepared_calls_copies_and_fills(
    drv: Any, kernels: Any, x: Any
) -> None:
    stream = drv.Stream()
    host = drv.pagelocked_empty(32, np.int32)
    back = drv.pagelocked_zeros(32, np.int32)
    host[:] = 7
    add = kernels("add").prepare("Pi")
    other = drv.mem_alloc(128)
    with stream.capture() as graph:
        drv.memcpy_htod_async(x.gpudata, host, stream)
        add.prepared_async_call((1, 1), BLOCK, stream, x.gpudata, 3)
        drv.memcpy_dtod_async(other, x.gpudata, 128, stream)
        drv.memset_d32_async(x.gpudata, 1, 32, stream=stream)
        drv.memcpy_dtoh_async(back, other, stream)
    assert graph.node_count == 5
    for given in (7, 11):
        host[:] = given
        graph.launch(stream)
        stream.synchronize()
        assert (back == given + 3).all()
        assert (x.get() == 1).all()


def test_fork_and_join_by_events(drv: Any, kernels: Any, x: Any) -> None:
    import pycuda.gpuarray as gpuarray

    one, two = drv.Stream(), drv.Stream()
    a, b, c = (gpuarray.zeros_like(x) for _ in range(3))
    forked, joined = drv.Event(), drv.Event()
    total = kernels("sum")
    drv.Context.synchronize()
    with one.capture() as graph:
        forked.record(one)
        two.wait_for_event(forked)
        assert two.is_capturing
        total(a, x, x, block=BLOCK, stream=one)
        total(b, x, x, block=BLOCK, stream=two)
        kernels("twice")(b, block=BLOCK, stream=two)
        joined.record(two)
        one.wait_for_event(joined)
        total(c, a, b, block=BLOCK, stream=one)
    assert not two.is_capturing
    assert (graph.node_count, graph.edge_count) == (4, 3)
    graph.launch(two)
    two.synchronize()
    np.testing.assert_array_equal(c.get(), np.arange(32) * 6)


def test_work_that_was_not_joined(drv: Any, kernels: Any, x: Any) -> None:
    one, two = drv.Stream(), drv.Stream()
    event = drv.Event()
    unjoined = pytest.raises(drv.LogicError, match="unjoined work - let the")
    with unjoined, one.capture() as graph:
        event.record(one)
        two.wait_for_event(event)
        kernels("twice")(x, block=BLOCK, stream=two)
    assert not one.is_capturing and not two.is_capturing
    with pytest.raises(drv.LogicError, match="has not ended, or failed"):
        graph.launch()
    assert graph.handle == 0


def test_array_operations_follow_the_capture(drv: Any, x: Any) -> None:
    """Within the with statement, the capturing stream is the default one."""
    import pycuda.cumath as cumath
    import pycuda.gpuarray as gpuarray

    stream = drv.Stream()
    start = np.arange(32, dtype=np.float32)
    given = gpuarray.to_gpu(start)
    _ = gpuarray.sum(cumath.sqrt(given * 2 + 1))  # compiled before the capture
    with stream.capture() as graph:
        middle = given * 2 + 1
        result = cumath.sqrt(middle)
        total = gpuarray.sum(result)
        blank = gpuarray.zeros(8, np.int32)
        result[:4] = 0
    for factor in (1, 3):
        given.set(start * factor)
        drv.memset_d8(blank.gpudata, 255, 32)
        drv.Context.synchronize()
        graph.launch(stream)
        stream.synchronize()
        wanted = np.sqrt(start * factor * 2 + 1)
        np.testing.assert_allclose(total.get(), wanted.sum(), rtol=1e-6)
        wanted[:4] = 0
        np.testing.assert_allclose(result.get(), wanted, rtol=1e-6)
        assert (blank.get() == 0).all()


def test_elementwise_kernels_follow_the_capture(drv: Any, x: Any) -> None:
    from pycuda.elementwise import ElementwiseKernel

    shift = ElementwiseKernel("int *x, int by", "x[i] += by", "shift")
    shift(x, 0)
    stream = drv.Stream()
    with stream.capture() as graph:
        shift(x, 2)
        shift(x, 3)
    assert graph.node_count == 2
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(x.get(), np.arange(32) + 5)


def test_the_default_stream_is_its_own_in_other_threads(
    drv: Any, context: Any, x: Any
) -> None:
    # A stream that does not wait for the default stream.
    stream = drv.Stream(1)
    results: list[Any] = []

    def work() -> None:
        context.push()
        try:
            results.append((x + 1).get())
        finally:
            context.pop()

    with stream.capture() as graph:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert graph.node_count == 0
    np.testing.assert_array_equal(results[0], np.arange(32) + 1)


@pytest.mark.parametrize(
    ("forbidden", "text"),
    [
        (lambda drv, s, x: s.synchronize(), "call in a capture must not wait"),
        (lambda drv, s, x: s.is_done(), "stream is capturing"),
        (lambda drv, s, x: drv.Context.synchronize(), "stream is capturing"),
        (
            lambda drv, s, x: x.get(),
            "a synchronous call cannot be captured",
        ),
        (lambda drv, s, x: drv.memset_d8(x.gpudata, 0, 4), "memset_d8 failed"),
    ],
    ids=["synchronize", "is_done", "Context.synchronize", "get", "memset_d8"],
)
def test_calls_that_wait_are_refused(
    drv: Any, x: Any, forbidden: Callable[..., Any], text: str
) -> None:
    stream = drv.Stream()
    with pytest.raises(drv.LogicError, match=text), stream.capture():
        forbidden(drv, stream, x)
    assert not stream.is_capturing
    np.testing.assert_array_equal(x.get(), np.arange(32))


def test_an_error_of_the_block_goes_first(drv: Any, x: Any) -> None:
    stream = drv.Stream()
    with pytest.raises(KeyError), stream.capture():
        _ = x + 1
        raise KeyError("own")
    assert not stream.is_capturing


def test_an_event_from_outside(drv: Any) -> None:
    stream, other = drv.Stream(), drv.Stream()
    event = drv.Event().record(other)
    outside = pytest.raises(drv.LogicError, match="uncaptured work")
    with outside, stream.capture():
        stream.wait_for_event(event)


@pytest.mark.parametrize("how", ["query", "synchronize"])
def test_an_event_of_a_capture(drv: Any, how: str) -> None:
    """A captured event has no state, and a query breaks the capture."""
    stream, inside = drv.Stream(), drv.Event()
    spoilt = pytest.raises(drv.LogicError, match="cuStreamEndCapture failed")
    with spoilt, stream.capture():
        inside.record()  # on the capturing stream
        with pytest.raises(drv.LogicError, match="last recorded in a capt"):
            getattr(inside, how)()
    assert not stream.is_capturing
    inside.record(stream).synchronize()
    assert inside.query()


def test_modes(drv: Any) -> None:
    stream = drv.Stream()
    for mode in ("global", "thread_local"):
        refused = pytest.raises(drv.LogicError, match="cuMemAlloc failed")
        with refused, stream.capture(mode=mode):
            drv.mem_alloc(64)
    with stream.capture("relaxed"):
        drv.mem_alloc(64)
    with pytest.raises(ValueError, match="'relaxed', 'thread_local' or"):
        stream.capture("strict")
    capture = stream.capture()
    with capture, pytest.raises(drv.LogicError, match="cuStreamBeginCapture"):
        capture.__enter__()


def test_update(drv: Any, kernels: Any, x: Any) -> None:
    stream = drv.Stream()
    start = np.arange(32)
    run = add_then_twice(drv, kernels, stream, x, 1).instantiate()
    for y in (2, 3):
        run.update(add_then_twice(drv, kernels, stream, x, y))
        x.set(start.astype(np.int32))
        run.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(x.get(), (start + y) * 2)
    with stream.capture() as smaller:
        kernels("twice")(x, block=BLOCK, stream=stream)
    with pytest.raises(drv.LogicError, match="differ in their nodes"):
        run.update(smaller)
    with pytest.raises(TypeError, match="expected a Graph"):
        run.update(run)


def test_a_graph_in_a_capture(drv: Any, kernels: Any, x: Any) -> None:
    stream = drv.Stream()
    inner = add_then_twice(drv, kernels, stream, x, 1).instantiate()
    with stream.capture() as outer:
        inner.launch()
        kernels("add")(x, np.int32(100), block=BLOCK)
        inner.launch(stream)
    del inner
    gc.collect()
    assert (outer.node_count, outer.edge_count) == (3, 2)
    outer.launch(stream)
    stream.synchronize()
    wanted = ((np.arange(32) + 1) * 2 + 100 + 1) * 2
    np.testing.assert_array_equal(x.get(), wanted)


def test_graphs_in_captures_stay_as_they_were(
    drv: Any, kernels: Any, x: Any
) -> None:
    """A captured Graph or GraphExec keeps its state of that time."""
    stream = drv.Stream()
    first = add_then_twice(drv, kernels, stream, x, 1)
    run = first.instantiate()
    run.update(add_then_twice(drv, kernels, stream, x, 5))
    with stream.capture() as outer:
        run.launch(stream)
        first.launch(stream)
    run.update(add_then_twice(drv, kernels, stream, x, 7))
    gone = weakref.ref(first)
    del run, first
    gc.collect()
    assert gone() is not None
    outer.launch(stream)
    stream.synchronize()
    wanted = ((np.arange(32) + 5) * 2 + 1) * 2
    np.testing.assert_array_equal(x.get(), wanted)
    del outer
    gc.collect()
    assert gone() is None
    failed = pytest.raises(drv.LogicError, match="has not ended, or failed")
    with failed, stream.capture() as unfinished:
        unfinished.launch(stream)


def test_graphs_let_go_of_each_other(drv: Any, kernels: Any, x: Any) -> None:
    """Graphs form no reference cycles, so no garbage collection is needed."""
    stream = drv.Stream()
    graph = add_then_twice(drv, kernels, stream, x, 1)
    run = graph.instantiate()
    graph.launch(stream)
    run.launch(stream)
    stream.synchronize()
    gone = [weakref.ref(graph), weakref.ref(run)]
    gc.collect()
    gc.disable()
    try:
        del graph, run
        assert all(one() is None for one in gone)
    finally:
        gc.enable()


def test_what_a_graph_uses_stays(drv: Any, kernels: Any) -> None:
    """A graph keeps arrays, functions and host memory alive."""
    import pycuda.gpuarray as gpuarray

    stream = drv.Stream()
    result = gpuarray.zeros(32, np.int32)
    array = gpuarray.to_gpu(np.full(32, 4, np.int32))
    with stream.capture() as graph:
        kernels("twice")(array, block=BLOCK, stream=stream)
        kernels("sum")(result, array, array, block=BLOCK, stream=stream)
    gone = weakref.ref(array)
    del array
    gc.collect()
    assert gone() is not None
    run = graph.instantiate()
    del graph
    gc.collect()
    others = [gpuarray.zeros(32, np.int32) for _ in range(64)]
    run.launch(stream)
    stream.synchronize()
    assert (result.get() == 16).all()
    assert all((other.get() == 0).all() for other in others)
    del run
    gc.collect()
    assert gone() is None


def test_host_memory_of_copies_stays(drv: Any) -> None:
    stream = drv.Stream()
    target = drv.mem_alloc(4096)
    host = drv.pagelocked_empty(1024, np.int32)
    host[:] = 6
    rows = np.full((4, 16), 8, np.int32)
    copy = drv.Memcpy2D()
    copy.set_src_host(rows)
    copy.set_dst_device(int(target) + 1024)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 64
    copy.height = 4
    with stream.capture() as graph:
        drv.memcpy_htod_async(target, host, stream)
        copy(stream)
    gone = [weakref.ref(host), weakref.ref(rows)]
    del host, rows, copy
    gc.collect()
    assert all(one() is not None for one in gone)
    graph.launch(stream)
    stream.synchronize()
    found = drv.from_device(target, 1024, np.int32)
    assert (found[:256] == 6).all() and (found[256:320] == 8).all()
    del graph
    gc.collect()
    assert all(one() is None for one in gone)


def test_updates_let_go_of_the_old_arrays(drv: Any, kernels: Any) -> None:
    import pycuda.gpuarray as gpuarray

    stream = drv.Stream()

    def graph_of(array: Any) -> Any:
        with stream.capture() as graph:
            kernels("twice")(array, block=BLOCK, stream=stream)
        return graph

    first = gpuarray.zeros(32, np.int32)
    run = graph_of(first).instantiate()
    gone = weakref.ref(first)
    del first
    second = gpuarray.to_gpu(np.ones(32, np.int32))
    run.launch(stream)
    stream.synchronize()
    run.update(graph_of(second))
    gc.collect()
    assert gone() is None
    run.launch(stream)
    stream.synchronize()
    assert (second.get() == 2).all()


def test_temporaries_of_a_capture_are_not_reused(drv: Any) -> None:
    """A reduction's partial results belong to the graph."""
    import pycuda.gpuarray as gpuarray

    stream = drv.Stream()
    values = gpuarray.to_gpu(np.ones(1 << 20, np.float32))
    _ = gpuarray.sum(values).get()
    with stream.capture() as graph:
        total = gpuarray.sum(values)
    gc.collect()
    others = [gpuarray.zeros(n, np.float32) for n in (64, 256, 1024) * 20]
    graph.launch(stream)
    stream.synchronize()
    assert total.get() == 1 << 20
    assert all((other.get() == 0).all() for other in others)


def test_callbacks_in_a_graph(drv: Any, kernels: Any, x: Any) -> None:
    stream = drv.Stream()
    seen: list[Any] = []
    done = threading.Semaphore(0)

    def note(*values: Any) -> None:
        seen.append(values)
        done.release()

    with stream.capture() as graph:
        kernels("twice")(x, block=BLOCK, stream=stream)
        stream.add_callback(note, "reached", 1)
    assert graph.node_count == 2
    time.sleep(0.01)
    assert not seen
    for _ in range(3):
        graph.launch(stream)
    for _ in range(3):
        assert done.acquire(timeout=20)
    assert seen == [("reached", 1)] * 3


def test_dropped_while_it_runs(drv: Any, kernels: Any) -> None:
    import pycuda.gpuarray as gpuarray

    stream = drv.Stream()
    array = gpuarray.to_gpu(np.ones(32, np.int32))
    with stream.capture() as graph:
        for _ in range(20):
            kernels("twice")(array, block=BLOCK, stream=stream)
    graph.launch(stream)
    del graph
    gc.collect()
    stream.synchronize()
    assert (array.get() == 1 << 20).all()


def test_captures_that_are_left_open(drv: Any, x: Any) -> None:
    """A capture that is dropped, and one whose context is detached."""
    stream = drv.Stream()
    stream.capture().__enter__()
    gc.collect()
    assert not stream.is_capturing
    np.testing.assert_array_equal((x + 1).get(), np.arange(32) + 1)
    other = drv.Device(0).make_context()
    capture = drv.Stream().capture()
    graph = capture.__enter__()
    other.detach()
    with pytest.raises(drv.LogicError, match="invalid device context"):
        capture.__exit__(None, None, None)
    with pytest.raises(drv.LogicError, match="invalid device context"):
        graph.launch()
    np.testing.assert_array_equal((x + 1).get(), np.arange(32) + 1)


def test_made_by_captures_only(drv: Any) -> None:
    for kind in (drv.Graph, drv.GraphExec):
        with pytest.raises(RuntimeError, match="cannot be instantiated"):
            kind()


def test_many_nodes_and_threads(drv: Any, context: Any, kernels: Any) -> None:
    """One executable graph, launched from several threads."""
    import pycuda.gpuarray as gpuarray

    array = gpuarray.zeros(32, np.int32)
    stream = drv.Stream()
    with stream.capture() as graph:
        for _ in range(500):
            kernels("add")(array, np.int32(1), block=BLOCK, stream=stream)
    run = graph.instantiate()

    def work() -> None:
        context.push()
        try:
            own = drv.Stream()
            for _ in range(5):
                run.launch(own)
            own.synchronize()
        finally:
            context.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (array.get() == 500 * 20).all()
