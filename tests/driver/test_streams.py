"""Streams: order, flags, priorities, foreign handles, Python callbacks."""

import gc
import threading
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void hold(volatile int *flag)
{
    // Ends by itself where the host waits for the device: no test hangs.
    const long long start = clock64();
    while (!*flag && clock64() - start < 20000000000LL) { }
}
__global__ void add(int *x, int y) { *x += y; }
__global__ void twice(int *x) { *x *= 2; }
"""
ONE = {"block": (1, 1, 1)}


@pytest.fixture(scope="module")
def kernels(context: Any) -> Any:
    from pycuda.compiler import SourceModule

    get_function = SourceModule(SOURCE).get_function
    for name in ("hold", "add", "twice"):
        # Loads the kernel, which may wait.
        assert get_function(name).num_regs > 0
    return get_function


class Gate:
    """A kernel that keeps its stream busy until `open` is called."""

    def __init__(self, drv: Any, kernels: Any, stream: Any) -> None:
        mapped = drv.host_alloc_flags.DEVICEMAP
        self.flag = drv.pagelocked_zeros(1, np.int32, mem_flags=mapped)
        address = np.intp(self.flag.base.get_device_pointer())
        kernels("hold")(address, stream=stream, **ONE)

    def open(self) -> None:
        self.flag[0] = 1


def test_in_order_and_is_done(drv: Any, kernels: Any) -> None:
    stream = drv.Stream()
    x = drv.to_device(np.array([1], np.int32))
    gate = Gate(drv, kernels, stream)
    kernels("add")(x, np.int32(2), stream=stream, **ONE)
    kernels("twice")(x, stream=stream, **ONE)
    assert stream.is_done() is False
    gate.open()
    assert stream.synchronize() is None
    assert stream.is_done() is True
    assert drv.from_device(x, 1, np.int32)[0] == 6


def test_wait_for_event(drv: Any, kernels: Any) -> None:
    one, two = drv.Stream(), drv.Stream(flags=1)
    x = drv.to_device(np.array([1], np.int32))
    gate = Gate(drv, kernels, one)
    kernels("add")(x, np.int32(2), stream=one, **ONE)
    event = drv.Event().record(one)
    assert two.wait_for_event(event) is None
    kernels("twice")(x, stream=two, **ONE)
    assert not two.is_done() and not event.query()
    gate.open()
    two.synchronize()
    assert drv.from_device(x, 1, np.int32)[0] == 6
    with pytest.raises(TypeError, match="expected an Event, got"):
        two.wait_for_event(one)


def test_flags_and_priorities(drv: Any) -> None:
    least, greatest = drv.Context.priority_range()
    assert least >= greatest
    assert drv.Stream().flags == 0
    assert drv.Stream(1).flags == 1
    assert drv.Stream(priority=greatest).priority == greatest
    assert drv.Stream(0, np.int32(least)).priority == least
    with pytest.raises(drv.LogicError, match="cuStreamCreate failed"):
        drv.Stream(flags=1 << 20)
    with pytest.raises(TypeError):
        drv.Stream(priority="high")
    with pytest.raises(TypeError):
        drv.Stream(1.5)


def test_with_waits(drv: Any, kernels: Any) -> None:
    x = drv.to_device(np.array([3], np.int32))
    with drv.Stream() as stream:
        for _ in range(50):
            kernels("add")(x, np.int32(1), stream=stream, **ONE)
    assert stream.is_done()
    assert drv.from_device(x, 1, np.int32)[0] == 53
    with pytest.raises(KeyError), drv.Stream():
        raise KeyError("own")


def test_a_stream_of_others(drv: Any, kernels: Any) -> None:
    own = drv.Stream(1)
    x = drv.to_device(np.array([3], np.int32))
    foreign = drv.Stream.from_handle(own.handle)
    assert foreign.handle == own.handle and foreign.flags == 1
    gate = Gate(drv, kernels, own)
    kernels("twice")(x, stream=foreign, **ONE)
    assert not foreign.is_done()
    gate.open()
    foreign.synchronize()
    assert drv.from_device(x, 1, np.int32)[0] == 6
    del foreign
    gc.collect()
    assert own.is_done()  # the stream was not destroyed
    with pytest.raises(TypeError):
        drv.Stream.from_handle("0")


def test_a_handle_that_is_none(drv: Any) -> None:
    """An address that is not mapped, or one of device memory."""
    for handle in (12345, 2**47, int(drv.mem_alloc(64))):
        with pytest.raises(drv.LogicError, match="invalid resource handle"):
            drv.Stream.from_handle(handle)


def test_callbacks_come_in_order(drv: Any, kernels: Any) -> None:
    stream = drv.Stream()
    seen: list[int] = []
    done = threading.Event()
    gate = Gate(drv, kernels, stream)
    for i in range(100):
        stream.add_callback(seen.append, i)
    stream.launch_host_function(done.set)
    assert not seen and not done.is_set()
    gate.open()
    assert done.wait(20)
    assert seen == list(range(100))


def test_callbacks_may_use_the_driver(drv: Any, context: Any) -> None:
    """Callbacks run in a thread of their own, which can push a context."""
    stream = drv.Stream()
    found: list[Any] = []
    done = threading.Event()
    memory = drv.to_device(np.arange(4, dtype=np.int32))

    def work() -> None:
        found.append(drv.Context.get_current())
        with context:
            found.append(drv.from_device(memory, 4, np.int32).sum())
        done.set()

    stream.add_callback(work)
    assert done.wait(20)
    assert found == [None, 6]


def test_an_exception_in_a_callback(
    drv: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = drv.Stream()
    told: list[Any] = []
    done = threading.Event()
    monkeypatch.setattr(threading, "excepthook", told.append)

    def wrong() -> None:
        raise KeyError("in a callback")

    stream.add_callback(wrong)
    stream.add_callback(done.set)
    assert done.wait(20)
    assert [hook.exc_type for hook in told] == [KeyError]


def test_arguments_of_callbacks(drv: Any) -> None:
    stream = drv.Stream()
    with pytest.raises(TypeError, match="must be callable"):
        stream.add_callback(1)
    with pytest.raises(TypeError, match="keyword arguments are not supported"):
        stream.add_callback(print, end="")
    with pytest.raises(TypeError, match="must be callable"):
        stream.add_callback()


def test_callbacks_let_go(drv: Any) -> None:
    import weakref

    class Thing:
        pass

    stream = drv.Stream()
    done = threading.Event()
    thing = Thing()
    gone = weakref.ref(thing)
    stream.add_callback(lambda one: None, thing)
    stream.add_callback(done.set)
    del thing
    assert done.wait(20)
    gc.collect()
    assert gone() is None


def test_a_stream_of_a_context_that_is_gone(drv: Any) -> None:
    other = drv.Device(0).make_context()
    stream = drv.Stream()
    other.detach()
    for call in (stream.synchronize, stream.is_done, stream.capture):
        with pytest.raises(drv.LogicError, match="was detached"):
            call()
    memory = drv.mem_alloc(16)
    with pytest.raises(drv.LogicError, match="was detached"):
        drv.memset_d8_async(memory, 0, 16, stream=stream)


@pytest.mark.parametrize("wrong", [0, 1.5, "stream", object()])
def test_what_is_no_stream(drv: Any, kernels: Any, wrong: Any) -> None:
    memory = drv.mem_alloc(16)
    with pytest.raises(TypeError, match="must be a pycuda.driver.Stream"):
        drv.memset_d8_async(memory, 0, 16, stream=wrong)
    with pytest.raises(TypeError, match="must be a pycuda.driver.Stream"):
        kernels("twice")(memory, stream=wrong, **ONE)


@pytest.mark.cpu
def test_host_functions_run_while_kernels_fill_the_device(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    hold = SourceModule("""
__global__ void hold(volatile int *flag, int *seen, int i)
{
    const long long start = clock64();
    while (!*flag && clock64() - start < 10000000000LL) { }
    seen[i] = *flag;
}
""").get_function("hold")
    count = drv.Device(0).multiprocessor_count
    flag = drv.pagelocked_zeros(
        1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    seen = drv.to_device(np.zeros(count, np.int32))
    streams = [drv.Stream() for _ in range(count)]
    at = np.uintp(flag.base.get_device_pointer())
    for i, stream in enumerate(streams):
        hold(at, seen, np.int32(i), block=(1, 1, 1), stream=stream)
    other = drv.Stream()
    other.add_callback(flag.fill, 1)
    other.synchronize()
    for stream in streams:
        stream.synchronize()
    assert (drv.from_device(seen, count, np.int32) == 1).all()


def test_the_default_stream_waits_for_one_that_has_ended(drv: Any) -> None:
    """Deleted streams order later work like existing ones."""
    from pycuda.compiler import SourceModule

    # In a new context no pool waits for streams.
    context = drv.Device(0).make_context()
    try:
        get_function = SourceModule(SOURCE).get_function
        hold, add, twice = map(get_function, ("hold", "add", "twice"))
        assert all(f.num_regs > 0 for f in (hold, add, twice))
        numbers = drv.to_device(np.zeros(3, np.int32))
        each = [np.uintp(int(numbers) + 4 * i) for i in range(3)]
        flag = drv.pagelocked_zeros(
            1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
        )
        where = np.uintp(int(flag.base.get_device_pointer()))
        timer = threading.Timer(0.2, lambda: flag.__setitem__(0, 1))
        streams = [drv.Stream() for _ in range(3)]
        for stream, number in zip(streams, each, strict=True):
            hold(where, stream=stream, **ONE)
            add(number, np.int32(3), stream=stream, **ONE)
        del stream, streams
        timer.start()
        for number in each:
            twice(number, **ONE)
        assert drv.from_device(numbers, 3, np.int32).tolist() == [6, 6, 6]
        timer.join()
    finally:
        context.pop()
        context.detach()
