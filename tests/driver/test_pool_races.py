"""The default pool never reuses memory that pending work still writes.

A delayed kernel writes late into memory that has been freed; new memory of the
same size is allocated and filled: the late values must not appear. Each case
also runs with its rule turned off: then they appear.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

# The gate opens after a while if the pool waits for the device.
SOURCE = """
__global__ void late(volatile int *flag, int *to, long long most)
{
    const long long start = clock64();
    while (!*flag && clock64() - start < most) { }
    to[threadIdx.x] = -1;
}
"""
SHORT, LONG = 500_000_000, 20_000_000_000
COUNT = 1000
OTHER_STREAMS, ESCAPED, SCATTERED, ENDING_STREAMS = 1, 2, 4, 8


class Late:
    """Kernels that write -1 after the gate opens."""

    def __init__(self, drv: Any) -> None:
        from pycuda.compiler import SourceModule

        self.drv = drv
        self.kernel = SourceModule(SOURCE).get_function("late")
        self.flag = drv.pagelocked_zeros(1, np.int32, mem_flags=2)
        self.at = np.uintp(self.flag.base.get_device_pointer())
        self.sevens = drv.pagelocked_empty(COUNT, np.int32)
        self.sevens.fill(7)
        self.most = SHORT
        self.open()
        memory = drv.mem_alloc(4 * COUNT)
        self.write(memory, drv.Stream())
        drv.Context.synchronize()

    def write(self, to: Any, stream: Any) -> None:
        most = np.int64(self.most)
        self.kernel(self.at, to, most, block=(COUNT, 1, 1), stream=stream)

    def close(self) -> None:
        self.flag[0] = 0

    def open(self) -> None:
        self.flag[0] = 1

    def without(self, rule: int) -> None:
        """Turn a rule off; then nothing waits, however slow the machine."""
        from pycuda import _driver

        _driver._pool_without(rule)
        self.most = LONG

    def old(self) -> Any:
        """Return free memory of the pool."""
        from pycuda import gpuarray

        array = gpuarray.zeros(COUNT, np.int32)
        self.drv.Context.synchronize()
        return array

    def new(self, stream: Any) -> Any:
        """Allocate memory after the old one was freed, filled with sevens."""
        handler = self.drv.In(self.sevens)
        handler.get_device_alloc()
        handler.pre_call(stream)
        stream.synchronize()
        return handler.dev_alloc


@pytest.fixture
def late(drv: Any, context: Any) -> Iterator[Late]:
    from pycuda import _driver

    drv.mem_get_info()  # trims the pool: no block of other tests remains
    made = Late(drv)
    made.close()
    yield made
    made.open()
    _driver._pool_without(0)
    drv.Context.synchronize()


def another_stream(late: Late, one: Any, two: Any) -> None:
    late.write(late.old(), one)


def integer(late: Late, one: Any, two: Any) -> None:
    old = late.old()
    late.write(np.uintp(int(old.gpudata)), one)


def attribute(late: Late, one: Any, two: Any) -> None:
    old = late.old()
    late.write(np.uintp(old.ptr), one)


def array_interface(late: Late, one: Any, two: Any) -> None:
    old = late.old()
    late.write(np.uintp(old.__cuda_array_interface__["data"][0]), one)


def index(late: Late, one: Any, two: Any) -> None:
    old = late.old()
    late.write(np.uintp(old.gpudata.__index__()), one)


class Holder:
    """A program's own object that owns the memory."""

    def __init__(self, gpudata: Any) -> None:
        self.gpudata = gpudata


def behind_an_object(late: Late, one: Any, two: Any) -> None:
    late.write(Holder(late.old().gpudata), one)


def behind_an_array(late: Late, one: Any, two: Any) -> None:
    from pycuda import gpuarray

    holder = Holder(late.old().gpudata)
    late.write(gpuarray.GPUArray(COUNT, np.int32, gpudata=holder), one)


def two_streams(late: Late, one: Any, two: Any) -> None:
    old = late.old()
    late.write(old, one)
    late.drv.memset_d32_async(old.gpudata, 0, COUNT, two)
    two.synchronize()


RACES = {
    "another stream": (another_stream, OTHER_STREAMS),
    "gpudata of an object": (behind_an_object, OTHER_STREAMS),
    "gpudata of an array's object": (behind_an_array, OTHER_STREAMS),
    "int()": (integer, ESCAPED),
    ".ptr": (attribute, ESCAPED),
    "__index__": (index, ESCAPED),
    "__cuda_array_interface__": (array_interface, ESCAPED),
    "two streams": (two_streams, SCATTERED),
}


def found(late: Late, race: Callable[..., None], flags: int) -> Any:
    """Return the contents of the new memory after all work is done."""
    one, two = (late.drv.Stream(flags) for _ in range(2))
    race(late, one, two)
    new = late.new(two)
    late.open()
    late.drv.Context.synchronize()
    return late.drv.from_device(new, COUNT, np.int32)


@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("flags", [0, 1], ids=["blocking", "non-blocking"])
def test_nothing_is_used_too_early(late: Late, name: str, flags: int) -> None:
    race, _ = RACES[name]
    assert (found(late, race, flags) == 7).all()


@pytest.mark.parametrize("name", RACES)
def test_each_rule_is_needed(late: Late, name: str) -> None:
    race, rule = RACES[name]
    late.without(rule)
    # The pool scatters memory of non-blocking streams, which also suffices.
    flags = 0 if rule == OTHER_STREAMS else 1
    assert (found(late, race, flags) == -1).all()


def stream_ended(late: Late) -> Any:
    """The only stream that used the memory is deleted before its work."""
    one, two = late.drv.Stream(), late.drv.Stream()
    late.write(late.old(), one)
    del one
    new = late.new(two)
    late.open()
    late.drv.Context.synchronize()
    return late.drv.from_device(new, COUNT, np.int32)


def test_a_stream_that_ends(late: Late) -> None:
    assert (stream_ended(late) == 7).all()


def test_streams_that_end_must_be_waited_for(late: Late) -> None:
    late.without(ENDING_STREAMS)
    assert (stream_ended(late) == -1).all()


def test_memory_outlives_the_stream_it_came_from(drv: Any) -> None:
    """Its first use is after the deletion of the stream that allocated it."""
    from pycuda import gpuarray

    with drv.Stream():
        gpuarray.empty(COUNT, np.int32).fill(3)
        array = gpuarray.empty(COUNT, np.int32)
    array.fill(7)
    assert (array.get() == 7).all()
