"""`pycuda.driver.graphed`: functions replayed as graphs."""

# SPDX-License-Identifier: MIT

import dataclasses
import threading
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def step() -> Any:
    """Add arrays and a number, and count the runs."""

    @drv.graphed
    def step(a: Any, b: Any, factor: float = 2.0) -> Any:
        """Doc."""
        step.runs += 1
        a += factor * b
        return gpuarray.sum(a)

    step.runs = 0
    return step


def arrays() -> tuple[Any, Any]:
    return gpuarray.zeros(64, np.float32), gpuarray.ones(64, np.float32)


def test_it_replays(step: Any) -> None:
    a, b = arrays()
    for turn in range(1, 6):
        total = step(a, b)
        assert total.get() == 128 * turn
    assert step.runs == step.captures == 1
    assert step.__name__ == "step" and step.__doc__ == "Doc."
    assert step(a, b) is total  # the same array, with new contents
    a.fill(0)
    assert step(a, b).get() == 128


def test_other_arguments_are_captured_anew(step: Any) -> None:
    a, b = arrays()
    c = gpuarray.to_gpu(np.full(64, 3, np.float32))
    assert step(a, b).get() == 128
    assert step(a, c).get() == 128 + 6 * 64
    assert step(a, b, 1.0).get() == 192 + 6 * 64
    assert step(a, b, factor=1.0).get() == 256 + 6 * 64
    assert step(a[:32], b[:32]).get() is not None
    assert step.captures == 5
    step(a[:32], b[:32])  # other views of the same memory
    step(a, c)
    assert step.captures == 5
    step.clear()
    step(a, c)
    assert step.captures == 6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.0, -0.0),
        (1, 1.0),
        (1, True),
        (np.float32(1), np.float64(1)),
        ("a", b"a"),
        ((1, 2), [1, 2]),
        ({"x": 1}, {"x": 2}),
        (None, 0),
        (len, abs),
        (np.dtype("f4"), np.dtype("f8")),
    ],
)
def test_what_tells_arguments_apart(one: Any, other: Any) -> None:
    a, _ = arrays()

    @drv.graphed
    def touch(a: Any, extra: Any) -> None:
        a.fill(1)

    touch(a, one)
    touch(a, one)
    assert touch.captures == 1
    touch(a, other)
    assert touch.captures == 2
    touch(a, float("nan"))
    touch(a, float("nan"))
    assert touch.captures == 3


def test_arguments_that_cannot_be_told() -> None:
    @drv.graphed
    def touch(*rest: Any, **named: Any) -> None:
        raise AssertionError("not reached")

    with pytest.raises(TypeError, match=r"argument 1 of touch\(\) is a set"):
        touch(1, {1})
    with pytest.raises(TypeError, match=r"argument x of .* is a bytearray"):
        touch(x=[bytearray(2)])


def test_methods_and_objects() -> None:
    class Model:
        def __init__(self) -> None:
            self.a, self.b = arrays()

        @drv.graphed
        def step(self, factor: float) -> Any:
            self.a += factor * self.b
            return self.a

    @dataclasses.dataclass(frozen=True)
    class Setting:
        n: int

    one, two = Model(), Model()
    for _ in range(3):
        one.step(2.0)
    two.step(2.0)
    assert one.a.get()[0] == 6 and two.a.get()[0] == 2
    assert Model.step.captures == 2

    @drv.graphed
    def touch(a: Any, setting: Setting) -> None:
        a.fill(setting.n)

    touch(one.a, Setting(4))
    touch(one.a, Setting(4))
    assert touch.captures == 1
    assert one.a.get()[0] == 4


def test_the_oldest_goes() -> None:
    a, _ = arrays()

    @drv.graphed(maxsize=2)
    def fill(a: Any, value: int) -> None:
        a.fill(value)

    for value in (1, 2, 1, 3, 1):
        fill(a, value)
        assert a.get()[0] == value
    assert fill.captures == 3  # entry 2 was least recently used
    fill(a, 2)
    assert fill.captures == 4


def test_host_arrays_are_read_anew() -> None:
    host = drv.pagelocked_empty(64, np.float32)
    a, _ = arrays()

    @drv.graphed
    def load(a: Any, host: np.ndarray) -> None:
        a.set_async(host)
        a += 1

    for value in (1, 5):
        host[...] = value
        load(a, host)
        assert a.get()[0] == value + 1
    assert load.captures == 1
    load(a, drv.pagelocked_zeros(64, np.float32))
    assert a.get()[0] == 1 and load.captures == 2


def test_it_goes_to_the_current_stream(step: Any) -> None:
    a, b = arrays()
    step(a, b)
    b.fill(1)
    wait = SourceModule(
        "__global__ void wait(volatile int *flag) {"
        " const long long start = clock64();"
        " while (!*flag && clock64() - start < 20000000000LL) {} }"
    ).get_function("wait")
    flag = drv.pagelocked_zeros(1, np.int32, mem_flags=2)
    where = np.uintp(flag.base.get_device_pointer())
    drv.Context.synchronize()
    with drv.Stream(1).use() as stream:
        wait(where, block=(1, 1, 1))
        b.fill(2)
        total = step(a, b)
        held = not stream.is_done()
        flag[0] = 1
        assert held
        assert total.get() == 64 * 6


def test_within_a_capture_the_function_runs(step: Any) -> None:
    a, b = arrays()

    @drv.graphed
    def twice(a: Any, b: Any) -> None:
        step(a, b)
        step(a, b)

    twice(a, b)
    twice(a, b)
    assert a.get()[0] == 8
    assert step.runs == 2 and step.captures == 0
    assert twice.captures == 1


@pytest.mark.parametrize(
    "forbidden",
    [
        lambda a: a.get(),
        lambda a: bool(a[0] > 0),
        lambda a: a.set(np.zeros(64, np.float32)),
        lambda a: drv.memcpy_dtoh(np.empty(64, np.float32), a.gpudata),
        lambda a: drv.current_stream().synchronize(),
        lambda a: gpuarray.to_gpu(np.zeros(3)),
    ],
    ids=["get", "bool", "set", "memcpy_dtoh", "synchronize", "to_gpu"],
)
def test_what_cannot_be_captured(forbidden: Any) -> None:
    a, _ = arrays()

    @drv.graphed
    def read(a: Any) -> Any:
        a += 1
        return forbidden(a)

    for _ in range(2):
        with pytest.raises(drv.LogicError, match=r"read\(\) cannot be repl"):
            read(a)
    assert read.captures == 0
    assert drv.current_stream() is None
    assert (a + 1).get()[0] == 1  # nothing ran, and the context still works


def test_a_function_that_issues_nothing() -> None:
    other = drv.Stream()
    a, _ = arrays()

    @drv.graphed
    def elsewhere(a: Any) -> None:
        a.fill(1, stream=other)

    with pytest.raises(
        drv.LogicError, match="enqueued no work on the current"
    ):
        elsewhere(a)

    @drv.graphed
    def fails(a: Any) -> None:
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        fails(a)


def test_generators_and_wrong_uses() -> None:
    a, _ = arrays()

    @drv.graphed
    def lazy(a: Any) -> Any:
        a.fill(1)
        return (k for k in range(3))

    with pytest.raises(TypeError, match="generator or coroutine"):
        lazy(a)
    with pytest.raises(TypeError, match="expects a function, not int"):
        drv.graphed(3)
    with pytest.raises(ValueError, match="maxsize must be 1 or more"):
        drv.graphed(maxsize=0)(len)


def test_several_threads(step: Any) -> None:
    context = drv.Context.get_current()
    pairs = [arrays() for _ in range(4)]
    failed: list[BaseException] = []

    def work(pair: tuple[Any, Any]) -> None:
        context.push()
        try:
            with drv.Stream(1):
                for turn in range(1, 20):
                    assert step(*pair).get() == 128 * turn
        except BaseException as error:
            failed.append(error)
        finally:
            drv.Context.pop()

    drv.Context.synchronize()
    threads = [threading.Thread(target=work, args=(p,)) for p in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert step.captures == 4


def test_each_context_has_its_graphs(step: Any) -> None:
    a, b = arrays()
    step(a, b)
    other = drv.Device(0).make_context()
    try:
        pair = arrays()
        assert step(*pair).get() == 128
        assert step(*pair).get() == 256
        del pair
        step.clear()
    finally:
        other.pop()
        other.detach()
    assert step(a, b).get() == 256
