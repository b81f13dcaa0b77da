"""Subclasses of the driver's classes with their own __init__."""

# SPDX-License-Identifier: MIT

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

ONE = {"block": (4, 1, 1)}


@pytest.fixture(scope="module")
def twice(context: Any) -> Any:
    from pycuda.compiler import SourceModule

    return SourceModule("""
__global__ void twice(float *out, const float *x)
{ out[threadIdx.x] = 2 * x[threadIdx.x]; }
""").get_function("twice")


def named(kind: Any) -> Any:
    """Return a subclass that takes a name and passes the rest on."""

    class Named(kind):  # type: ignore[misc]
        def __init__(self, name: str, *args: Any) -> None:
            super().__init__(*args)
            self.name = name

    return Named


def test_handlers(drv: Any, twice: Any) -> None:
    x, out = np.arange(4, dtype="f4"), np.zeros(4, "f4")
    given = named(drv.In)("x", x)
    taken = named(drv.Out)("out", out)
    assert (given.name, given.array is x) == ("x", True)
    twice(taken, given, **ONE)
    assert out.tolist() == [0, 2, 4, 6]
    both = named(drv.InOut)("both", out)
    twice(both, both, **ONE)
    assert out.tolist() == [0, 4, 8, 12]
    assert named(drv.ArgumentHandler)("a", x).array is x
    with pytest.raises(TypeError):
        named(drv.In)("x")


def test_handler_without_array(drv: Any, twice: Any) -> None:
    class Lazy(drv.InOut):
        def __init__(self) -> None:
            pass

    for call in (
        lambda lazy: lazy.get_device_alloc(),
        lambda lazy: lazy.pre_call(None),
        lambda lazy: lazy.post_call(None),
        lambda lazy: twice(lazy, lazy, **ONE),
    ):
        with pytest.raises(TypeError, match="has no array"):
            call(Lazy())


def test_new_instead_of_init(drv: Any) -> None:
    class Tagged(drv.In):
        def __new__(cls, array: Any, tag: str) -> Any:
            self = super().__new__(cls, array)
            self.tag = tag
            return self

    x = np.zeros(3)
    tagged = Tagged(x, "t")
    assert tagged.array is x and tagged.tag == "t"


def test_streams_and_events(drv: Any) -> None:
    kind = named(drv.Stream)
    assert kind("s").flags == 0
    flags = 1
    stream = kind("s", flags)
    assert stream.name == "s" and stream.flags == flags
    array = np.arange(5)
    found = np.empty_like(array)
    memory = drv.mem_alloc(array.nbytes)
    drv.memcpy_htod_async(memory, array, stream)
    drv.memcpy_dtoh_async(found, memory, stream)
    event = named(drv.Event)("e", drv.event_flags.DISABLE_TIMING)
    event.record(stream).synchronize()
    assert found.tolist() == array.tolist() and event.name == "e"
    with pytest.raises(drv.LogicError, match="DISABLE_TIMING"):
        event.time_since(drv.Event().record())
    assert named(drv.Event)("e").record().synchronize().query()
    with pytest.raises(TypeError):
        kind("s", 0, 0, 0)

    class Silent(drv.Stream):
        def __init__(self, name: str) -> None:
            self.name = name

    silent = Silent("quiet")
    silent.synchronize()
    assert silent.handle != 0


def test_device(drv: Any) -> None:
    device = named(drv.Device)("first", 0)
    assert device == drv.Device(0) and device.name == "first"
    with pytest.raises(drv.LogicError, match="cuDeviceGet failed"):
        named(drv.Device)("none", 1000)

    class Nothing(drv.Device):
        def __init__(self) -> None:
            pass

    with pytest.raises(drv.LogicError):
        Nothing().total_memory()


def test_pools(drv: Any) -> None:
    allocator = named(drv.PageLockedAllocator)(
        "a", drv.host_alloc_flags.DEVICEMAP
    )
    pool = named(drv.PageLockedMemoryPool)("p", allocator)
    assert pool.allocate(3, np.float32).shape == (3,)
    assert named(drv.PageLockedMemoryPool)("p").allocate(1, "i1").size == 1
    assert len(named(drv.DeviceMemoryPool)("d").allocate(8)) == 8


def test_linker(drv: Any) -> None:
    from pycuda import compiler

    image = compiler.compile(
        "__global__ void nothing() {}", options=["-rdc=true"]
    )
    told: list[Any] = []
    linker = named(drv.Linker)("l", lambda *row: told.append(row))
    linker.add_data(image, drv.jit_input_type.CUBIN)
    linker.link_module().get_function("nothing")(**ONE)
    assert linker.name == "l" and told

    class Empty(drv.Linker):
        def __init__(self) -> None:
            pass

    with pytest.raises(TypeError, match="__init__"):
        Empty().link_module()


def test_own_device_memory(drv: Any, twice: Any) -> None:
    memory = drv.mem_alloc(64)

    class Placed(drv.InOut):
        def get_device_alloc(self) -> Any:
            return memory

    x = np.arange(4, dtype="f4")
    placed = Placed(x)
    twice(placed, placed, **ONE)
    assert x.tolist() == [0, 2, 4, 6] and placed.dev_alloc is None
    assert drv.from_device(memory, 4, "f4").tolist() == x.tolist()
    stream = drv.Stream()
    twice(placed, placed, **ONE, stream=stream)
    stream.synchronize()
    assert x.tolist() == [0, 4, 8, 12]
    x[:] = 1
    placed.pre_call(None)
    assert drv.from_device(memory, 4, "f4").tolist() == [1] * 4
    with pytest.raises(ValueError, match="64 bytes"):
        Placed(np.zeros(100)).pre_call(None)


def test_device_memory_of_the_wrong_kind(drv: Any, twice: Any) -> None:
    class Broken(drv.In):
        def get_device_alloc(self) -> Any:
            return None

    class Raising(drv.In):
        def get_device_alloc(self) -> Any:
            raise KeyError("none")

    x = np.zeros(4, "f4")
    with pytest.raises(TypeError, match="expected a device address"):
        twice(Broken(x), drv.In(x), **ONE)
    with pytest.raises(KeyError):
        twice(Raising(x), drv.In(x), **ONE)


def test_device_memory_made_anew(drv: Any, twice: Any) -> None:
    """Memory that a method returns stays alive until the launch."""

    class Fresh(drv.In):
        def get_device_alloc(self) -> Any:
            return drv.to_device(self.array)

    x, out = np.arange(4, dtype="f4"), np.zeros(4, "f4")
    twice(drv.Out(out), Fresh(x), **ONE)
    assert out.tolist() == [0, 2, 4, 6]
