"""Every call uses the right stream.

It is the one that captures, the one of a ``with`` statement, or ``stream=``.
During a capture nothing may run: the input changes afterwards, and only nodes
of the graph see the change. Otherwise a kernel delays the stream, the input
changes after the delay, and then the call follows: work on any other stream
would see the old input.
"""

# SPDX-License-Identifier: MIT

import inspect
import threading
from typing import Any

import numpy as np
import pytest
import stream_calls
import stream_numpy
import stream_waiting
from stream_calls import NO_WORK, RANDOM, Call

import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

NON_BLOCKING = 1
OLD = 0.125
POISON = 99


CALLS = {**stream_numpy.calls(), **stream_calls.calls()}
WAITING = {**stream_waiting.waiting(), **stream_numpy.waiting()}


def check(call: Call, result: Any) -> None:
    got = result.get() if isinstance(result, gpuarray.GPUArray) else result
    if call.numpy is RANDOM:
        assert not (got == POISON).all()
        return
    with np.errstate(all="ignore"):
        expected = np.asarray(call.numpy(call.input))
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)


def inputs(call: Call) -> tuple[Any, Any]:
    """Return an array of old values, and one of the values it will receive."""
    new = gpuarray.to_gpu(np.ascontiguousarray(call.input))
    old = gpuarray.empty_like(new)
    old.fill(OLD)
    return old, new


@pytest.mark.parametrize("name", sorted(CALLS))
def test_captured(name: str) -> None:
    call = CALLS[name]
    old, new = inputs(call)
    call.ours(old)  # compiles the kernels
    old.fill(OLD)
    stream = drv.Stream(NON_BLOCKING)
    drv.Context.synchronize()
    with stream.capture() as graph:
        result = call.ours(old)
    assert graph.node_count > 0
    if result is not old:
        result.fill(POISON)
    old.set(new)
    drv.Context.synchronize()
    graph.launch(stream)
    stream.synchronize()
    check(call, result)


def ways(table: dict[str, Call], *always: str) -> list[tuple[str, str]]:
    """Yield each call with each way to select its stream."""
    pairs = [(name, way) for name in sorted(table) for way in always]
    offer = [name for name in sorted(table) if table[name].takes_stream]
    return pairs + [(name, "stream=") for name in offer]


@pytest.mark.parametrize(("name", "way"), ways(CALLS, "with", "use"))
def test_behind(busy: Any, name: str, way: str) -> None:
    call = CALLS[name]
    old, new = inputs(call)
    call.ours(old)
    old.fill(OLD)
    drv.Context.synchronize()
    with busy() as stream:
        old.set_async(new, stream=stream)
        if way == "stream=":
            result = call.ours(old, stream=stream)
        elif way == "use":
            with stream.use():
                result = call.ours(old)
        else:
            stream.__enter__()  # leaving the block would wait
            result = call.ours(old)
            stream.__exit__(KeyError, KeyError(), None)
        held = not stream.is_done()
    assert held, "the call waited for the stream"
    check(call, result)


@pytest.mark.parametrize(("name", "way"), ways(WAITING, "use"))
def test_waits_for_the_stream(busy: Any, name: str, way: str) -> None:
    call = WAITING[name]
    old, new = inputs(call)
    call.ours(old)
    old.fill(OLD)
    drv.Context.synchronize()
    with busy(20_000_000) as stream:
        old.set_async(new, stream=stream)
        if way == "use":
            with stream.use():
                result = call.ours(old)
        else:
            result = call.ours(old, stream=stream)
        drv.Context.synchronize()
    check(call, result)


def offered(what: Any, names: Any) -> set[str]:
    """Return public functions and operators among a class's attributes."""
    known = set(dir(object)) - {f"__{op}__" for op in COMPARISONS}
    return {
        name
        for name in names
        if name not in known
        and (name.startswith("__") or not name.startswith("_"))
        and (inspect.isclass(what) or callable(getattr(what, name)))
    }


COMPARISONS = ["lt", "le", "eq", "ne", "gt", "ge"]


@pytest.mark.parametrize(
    "module", ["gpuarray", "GPUArray", "cumath", "driver"]
)
def test_no_call_is_forgotten(module: str) -> None:
    """A new function must be added to the table or to NO_WORK."""
    there = {
        "gpuarray": lambda: offered(gpuarray, gpuarray.__all__),
        "GPUArray": lambda: offered(gpuarray.GPUArray, dir(gpuarray.GPUArray)),
        "cumath": lambda: offered(cumath, cumath.__all__),
        "driver": lambda: {
            name
            for name in dir(drv)
            if name.lower().startswith(("memcpy", "memset", "from_device"))
        },
    }[module]()
    tried = {
        name.split(":")[0].removeprefix(f"{module}.")
        for name in [*CALLS, *WAITING]
        if name.startswith(f"{module}.")
    }
    # Attributes that Python gives to classes: 3.13, and where a class or its
    # base has annotations.
    there -= {"__firstlineno__", "__static_attributes__", "__annotations__"}
    there -= {"__annotate_func__", "__annotations_cache__"}
    assert tried <= there
    none = NO_WORK[module] | stream_numpy.NO_WORK.get(module, set())
    assert there - tried == none


def test_calls_with_stream_are_tried_with_it() -> None:
    for name, call in CALLS.items():
        path = name.split(":")[0].split(".")
        owner = {"gpuarray": gpuarray, "GPUArray": gpuarray.GPUArray}
        if ":" in name or path[0] not in owner:
            continue
        function = getattr(owner[path[0]], path[1])
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):
            continue
        assert call.takes_stream == ("stream" in parameters), name


# --- which stream is current ----------------------------------------------


def test_the_newest_counts() -> None:
    one, two = drv.Stream(), drv.Stream(NON_BLOCKING)
    assert drv.current_stream() is None
    with one as entered:
        assert entered is one and drv.current_stream() is one
        with two.use() as inner:
            assert inner is two and drv.current_stream() is two
            with one.capture():
                assert drv.current_stream() is one
                with two.use():
                    assert drv.current_stream() is two
                assert drv.current_stream() is one
            assert drv.current_stream() is two
        assert drv.current_stream() is one
        with one:
            assert drv.current_stream() is one
        assert drv.current_stream() is one
    assert drv.current_stream() is None


def test_blocks_may_end_in_any_order() -> None:
    one, two = drv.Stream(), drv.Stream()
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    assert drv.current_stream() is two
    two.__exit__(None, None, None)
    assert drv.current_stream() is None
    with pytest.raises(RuntimeError, match="stream that it has not entered"):
        one.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="stream that it has not entered"):
        two.use().__exit__(None, None, None)


def test_exceptions_leave_the_stream() -> None:
    stream = drv.Stream()
    with pytest.raises(KeyError), stream:
        raise KeyError
    with pytest.raises(KeyError), stream.use():
        raise KeyError
    assert drv.current_stream() is None


def test_each_thread_has_its_own() -> None:
    stream, seen = drv.Stream(), []
    context = drv.Context.get_current()

    def look() -> None:
        context.push()
        seen.append(drv.current_stream())
        other = drv.Stream()
        other.__enter__()  # the thread ends without leaving the block
        seen.append(drv.current_stream() is other)
        drv.Context.pop()

    with stream:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert drv.current_stream() is stream
    assert seen == [None, True]
    assert drv.current_stream() is None


def test_each_context_has_its_own(context: Any) -> None:
    with drv.Stream() as stream:
        other = drv.Device(0).make_context()
        try:
            assert drv.current_stream() is None
            assert (gpuarray.zeros(4, np.float32) + 1).get().sum() == 4
            with drv.Stream() as inner:
                assert drv.current_stream() is inner
        finally:
            other.pop()
        assert drv.current_stream() is stream
        other.detach()


def test_a_stream_that_is_gone_is_refused(context: Any) -> None:
    other = drv.Device(0).make_context()
    stream = drv.Stream()
    other.pop()
    other.detach()
    with pytest.raises(drv.LogicError, match="context"), stream:
        pass
    assert drv.current_stream() is None


def test_a_capture_inside_does_not_wait() -> None:
    stream = drv.Stream()
    a = gpuarray.to_gpu(stream_calls.X)
    a + 1
    with stream.capture() as graph, stream:
        result = a + 1
    graph.launch()
    np.testing.assert_array_equal(result.get(), stream_calls.X + 1)


def test_events_are_recorded_on_it(busy: Any) -> None:
    with busy() as stream:
        with stream.use():
            event = drv.Event().record()
        assert not event.query()
    event.synchronize()


def test_out_is_there_when_a_call_without_stream_returns(busy: Any) -> None:
    kernel = SourceModule(
        "__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }"
    ).get_function("fill")
    host = drv.pagelocked_zeros(32, np.int32)
    with busy(20_000_000) as stream, stream.use():
        kernel(drv.Out(host), block=(32, 1, 1))
        assert host[31] == 31
    with busy() as stream, stream.use():
        host[...] = 0
        kernel(drv.Out(host), block=(32, 1, 1), stream=stream)
        assert host[31] == 0
    assert host[31] == 31


SLOW = """
__global__ void slow(float *x, int n, volatile int *flag)
{
    // Ends by itself where the host waits for the device: no test hangs.
    const long long start = clock64();
    while (!*flag && clock64() - start < 20000000000LL) {
    }
    for (int i = 0; i < n; i++) {
        x[i] = 7;
    }
}
"""


@pytest.mark.parametrize("first", [NON_BLOCKING, None])
def test_a_block_given_early_waits_on_its_first_stream(
    first: int | None,
) -> None:
    """Memory freed early waits on its first stream.

    A block of memory that a running kernel writes becomes free again for the
    kernel's stream; if another stream uses it first, that one waits for the
    kernel.
    """
    size = 1 << 12
    slow = SourceModule(SLOW).get_function("slow")
    flag = drv.pagelocked_zeros(
        1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    where = np.uintp(int(flag.base.get_device_pointer()))
    one = drv.Stream(first) if first is not None else drv.Stream()
    two = drv.Stream(NON_BLOCKING)
    early = drv.pagelocked_empty(size, np.float32)
    with two.use():
        gpuarray.empty(size, np.float32).fill(0)  # compiles the kernel
    drv.Context.synchronize()
    with one.use():
        freed = gpuarray.empty(size, np.float32)
        slow(freed, np.int32(size), where, block=(1, 1, 1))
        del freed
        repeated = gpuarray.empty(size, np.float32)
    assert not one.is_done()
    repeated.fill(5, stream=two)
    repeated.get_async(two, early)
    flag[0] = 1
    drv.Context.synchronize()
    assert (early == 5).all()
    assert (repeated.get() == 5).all()


def test_temporaries_of_a_stream_are_kept_for_it(busy: Any) -> None:
    """A stream's temporaries are reused by that stream.

    Memory that was allocated for one stream and first used on another one
    returns to the pool, so no cuMemFree waits for the device.
    """
    x = gpuarray.zeros(100, np.float32)
    gpuarray.var(x)
    drv.Context.synchronize()
    with busy() as stream:
        for _ in range(3):
            gpuarray.var(x, stream=stream)
            gpuarray.empty_like(x).fill(1, stream=stream)
        assert not stream.is_done()
