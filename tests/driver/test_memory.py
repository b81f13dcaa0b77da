"""Memory: allocations of every kind, addresses, views, host memory."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(scope="module")
def double(context: Any) -> Any:
    from pycuda.compiler import SourceModule

    source = "__global__ void f(int *x) { x[threadIdx.x] *= 2; }"
    return SourceModule(source).get_function("f")


@pytest.mark.parametrize("size", [64, np.int64(64), np.uint8(64), True])
def test_sizes(drv: Any, size: Any) -> None:
    memory = drv.mem_alloc(size)
    base, length = drv.mem_get_address_range(memory)
    assert base == int(memory) and length >= int(size)


@pytest.mark.parametrize("size", [1.5, "64", None, [64], np.float32(64)])
def test_what_is_no_size(drv: Any, size: Any) -> None:
    with pytest.raises(TypeError):
        drv.mem_alloc(size)


def test_zero_and_too_much(drv: Any) -> None:
    with pytest.raises(drv.LogicError, match="cuMemAlloc failed: invalid arg"):
        drv.mem_alloc(0)
    with pytest.raises(drv.MemoryError, match="cuMemAlloc failed: out of mem"):
        drv.mem_alloc(1 << 50)
    with pytest.raises(OverflowError):
        drv.mem_alloc(-1)
    with pytest.raises(TypeError):
        drv.mem_alloc(bytes=5)


def test_out_of_memory_collects_garbage(drv: Any) -> None:
    class Cycle:
        pass

    gc.collect()
    gc.disable()
    try:
        thing: Any = Cycle()
        thing.me, thing.memory = thing, drv.mem_alloc(64)
        gone = weakref.ref(thing.memory)
        del thing
        assert gone() is not None
        with pytest.raises(drv.MemoryError):
            drv.mem_alloc(1 << 50)
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.cpu
def test_too_much_says_how_much(drv: Any) -> None:
    size = 1 << 50
    says = f"out of memory - {size} bytes requested"
    for call in (
        lambda: drv.mem_alloc(size),
        lambda: drv.mem_alloc_pitch(1 << 40, 1 << 10, 4),
        lambda: drv.mem_alloc_async(size),
        lambda: drv.managed_empty(size, np.int8),
        lambda: drv.pagelocked_empty(size, np.int8),
    ):
        with pytest.raises(drv.MemoryError, match=says):
            call()


def test_an_allocation(drv: Any) -> None:
    memory = drv.mem_alloc(64)
    memory.label = "mine"
    assert memory.label == "mine" and weakref.ref(memory)() is memory
    assert memory != drv.mem_alloc(64) and memory == memory
    address = int(memory)
    assert memory.__index__() == address == memory.__long__()
    assert np.intp(memory) + 4 == address + 4
    with pytest.raises(TypeError):
        _ = memory + 4
    memory.free()
    assert int(memory) == address
    with pytest.raises(drv.LogicError, match="device_allocation::free failed"):
        memory.free()
    with pytest.raises(drv.LogicError):
        drv.memset_d8(memory, 0, 1)


def test_to_device_and_back(drv: Any) -> None:
    table = np.arange(12, dtype=np.float32).reshape(3, 4)
    for given in (table, table.T, table[:, ::2], np.asfortranarray(table)):
        found = drv.from_device(drv.to_device(given), given.shape, "f4")
        np.testing.assert_array_equal(found, given)
    fortran = drv.from_device(drv.to_device(table.T), (3, 4), "f4", order="F")
    np.testing.assert_array_equal(fortran, table)
    assert drv.mem_alloc_like(table)
    with pytest.raises(drv.LogicError):
        drv.to_device(b"")
    with pytest.raises(TypeError):
        drv.to_device(5)


def test_pitch(drv: Any) -> None:
    memory, pitch = drv.mem_alloc_pitch(width=100, height=3, access_size=4)
    assert pitch >= 100 and pitch % 4 == 0
    drv.memset_d2d8(memory, pitch, 1, 100, 3)
    with pytest.raises(drv.LogicError, match="cuMemAllocPitch failed"):
        drv.mem_alloc_pitch(100, 3, 5)
    with pytest.raises(TypeError):
        drv.mem_alloc_pitch(100.0, 3, 4)


def test_ranges_and_info(drv: Any) -> None:
    memory = drv.mem_alloc(1 << 20)
    assert drv.mem_get_address_range(int(memory) + 5)[0] == int(memory)
    free, total = drv.mem_get_info()
    assert 0 < free <= total == drv.Device(0).total_memory()
    with pytest.raises(drv.LogicError, match="cuMemGetAddressRange failed"):
        drv.mem_get_address_range(8)


def test_memory_that_was_given_back_is_free(drv: Any) -> None:
    """Other processes may use memory too, but not in each iteration."""
    from pycuda import gpuarray

    for _ in range(50):
        before, _ = drv.mem_get_info()
        arrays = [gpuarray.empty(1 << 22, np.uint8) for _ in range(8)]
        taken = before - drv.mem_get_info()[0]
        del arrays
        stored = before - drv.mem_get_info()[0]
        if 16 << 20 <= taken < 48 << 20 and stored < 16 << 20:
            return
    pytest.fail(f"{taken} bytes were taken, of which {stored} were kept")


def test_as_buffer(drv: Any) -> None:
    """Only if the host can access the memory."""
    managed = drv.managed_empty(8, np.int32)
    managed[:] = 3
    view = managed.base.as_buffer(16, offset=8)
    assert isinstance(view, memoryview) and len(view) == 16
    assert np.frombuffer(view, np.int32).tolist() == [3] * 4
    with pytest.raises(TypeError):
        managed.base.as_buffer(1.5)
    with pytest.raises(OverflowError):
        managed.base.as_buffer(-1)


def test_as_buffer_lies_in_its_memory(drv: Any) -> None:
    memory = drv.managed_empty(16, np.uint8).base
    for size, offset in (
        (17, 0),
        (16, 1),
        (0, 17),
        (1 << 62, 8),
        (8, 1 << 63),
    ):
        with pytest.raises(ValueError, match="allocation of 16 bytes"):
            memory.as_buffer(size, offset)
    assert len(memory.as_buffer(0, 16)) == 0
    assert len(memory.as_buffer(offset=12, size=4)) == 4


def test_as_buffer_keeps_its_memory(drv: Any) -> None:
    array = drv.managed_empty(16, np.uint8)
    array[:] = np.arange(16)
    gone = weakref.ref(array.base)
    view = np.asarray(array.base.as_buffer(8, 4))
    del array
    gc.collect()
    assert view.tolist() == list(range(4, 12)) and view.flags.writeable
    assert gone() is not None
    del view
    gc.collect()
    assert gone() is None


# -- host memory


SHAPES = [4, (4,), [2, 2], (np.int64(2), 2), np.int32(4), ()]


@pytest.mark.parametrize("kind", ["pagelocked", "aligned", "managed"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(drv: Any, kind: str, shape: Any) -> None:
    made = getattr(drv, f"{kind}_zeros")(shape, np.float32)
    assert made.shape == np.zeros(shape).shape and not made.any()
    empty = getattr(drv, f"{kind}_empty")(shape, "f8", order="F")
    assert empty.dtype == np.float64 and empty.flags.f_contiguous


@pytest.mark.parametrize("kind", ["pagelocked", "aligned", "managed"])
def test_like(drv: Any, kind: str) -> None:
    like = getattr(drv, f"{kind}_empty_like")
    zeros_like = getattr(drv, f"{kind}_zeros_like")
    table = np.asfortranarray(np.ones((3, 4), np.int16))
    assert like(table).flags.f_contiguous
    assert zeros_like(table.T).flags.c_contiguous
    assert not zeros_like(table).any() and like(table).dtype == np.int16
    with pytest.raises(ValueError, match="could not detect"):
        like(np.ones((4, 4))[::2, ::2])


@pytest.mark.parametrize("kind", ["pagelocked", "aligned", "managed"])
def test_wrong_shapes_and_orders(drv: Any, kind: str) -> None:
    empty = getattr(drv, f"{kind}_empty")
    with pytest.raises(TypeError):
        empty(2.5, np.int32)
    with pytest.raises(TypeError):
        empty(4, "no such type")
    with pytest.raises((drv.LogicError, ValueError, TypeError, SystemError)):
        empty(4, np.int32, order="K")
    with pytest.raises((ValueError, OverflowError)):
        empty(-4, np.int32)


def test_pagelocked(drv: Any, device: str) -> None:
    flags = drv.host_alloc_flags
    both = flags.DEVICEMAP | flags.PORTABLE
    # Some GPU drivers do not report the PORTABLE flag.
    told = both if device == "cpu" else flags.DEVICEMAP
    array = drv.pagelocked_zeros(16, np.int32, mem_flags=both)
    base = array.base
    assert isinstance(base, drv.PagelockedHostAllocation)
    assert isinstance(base, drv.HostPointer)
    assert base.get_flags() & told == told
    assert base.get_device_pointer()
    keep = array[2:4]
    del array
    gc.collect()
    keep[:] = 5
    assert keep.sum() == 10
    other = drv.pagelocked_zeros(4, np.int32)
    other.base.free()
    with pytest.raises(drv.LogicError, match="pagelocked_host_allocation::fr"):
        other.base.free()
    with pytest.raises(drv.LogicError, match="cuMemHostAlloc failed"):
        drv.pagelocked_empty(4, np.int32, mem_flags=1 << 20)


def test_aligned(drv: Any) -> None:
    array = drv.aligned_zeros(10, np.int8, alignment=8192)
    assert array.ctypes.data % 8192 == 0
    assert isinstance(array.base, drv.AlignedHostAllocation)
    with pytest.raises(drv.LogicError, match="aligned_malloc failed"):
        drv.aligned_empty(10, np.int8, alignment=3)
    with pytest.raises(drv.LogicError, match="aligned_malloc failed"):
        drv.aligned_empty(10, np.int8, alignment=0)
    array.base.free()
    with pytest.raises(drv.LogicError, match="aligned_host_allocation::free"):
        array.base.free()


def test_managed_in_kernels(drv: Any, double: Any) -> None:
    """Managed arrays and their slices are passed by pointer."""
    array = drv.managed_empty(8, np.int32)
    array[:] = np.arange(8)
    assert isinstance(array.base, drv.ManagedAllocation)
    assert array.base.get_device_pointer() == int(array.base)
    double(array, block=(8, 1, 1))
    drv.Context.synchronize()
    double(array[4:], block=(4, 1, 1))
    drv.Context.synchronize()
    assert array.tolist() == [0, 2, 4, 6, 16, 20, 24, 28]
    assert array.base.attach(drv.mem_attach_flags.GLOBAL) is None
    with pytest.raises(drv.LogicError, match="cuMemAllocManaged failed"):
        drv.managed_empty(8, np.int32, mem_flags=99)
    with pytest.raises(drv.LogicError, match="cuStreamAttachMemAsync failed"):
        array.base.attach(99)


def test_registered(drv: Any, double: Any) -> None:
    own = np.zeros(4096, np.int32)
    own[:4] = 3
    array = drv.register_host_memory(
        own, flags=drv.mem_host_register_flags.DEVICEMAP
    )
    assert array.ctypes.data == own.ctypes.data
    base = array.base
    assert isinstance(base, drv.RegisteredHostMemory) and base.base is own
    address = np.intp(base.get_device_pointer())
    double(address, block=(4, 1, 1))
    drv.Context.synchronize()
    assert own[:5].tolist() == [6, 6, 6, 6, 0]
    base.unregister()
    with pytest.raises(drv.LogicError, match="registered_host_memory::free"):
        base.unregister()
    with pytest.raises((drv.LogicError, TypeError)):
        drv.register_host_memory([1, 2, 3])
    with pytest.raises((drv.LogicError, ValueError)):
        drv.register_host_memory(own[::2])


def test_registered_and_read_only(drv: Any) -> None:
    own = np.arange(4096)
    own.flags.writeable = False
    array = drv.register_host_memory(own)
    assert not array.flags.writeable and array.base.base is own
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    memory = drv.to_device(array)
    with pytest.raises((ValueError, BufferError), match="read-only"):
        drv.memcpy_dtoh(array, memory)


def test_every_kind_of_address(drv: Any) -> None:
    import pycuda.gpuarray as gpuarray

    class Holder(drv.PointerHolderBase):
        def get_pointer(self) -> int:
            return int(memory)

    memory = drv.mem_alloc(64)
    array = gpuarray.zeros(4, np.int32)
    pool = drv.DeviceMemoryPool()
    for target in (
        memory,
        int(memory),
        np.uint64(int(memory)),
        np.intp(memory),
        Holder(),
        array,
        array.gpudata,
        pool.allocate(64),
        drv.managed_empty(4, np.int32).base,
        drv.mem_alloc_async(64),
    ):
        drv.memset_d32(target, 7, 4)
        assert (drv.from_device(target, 4, np.int32) == 7).all()
    with pytest.raises(TypeError, match="expected a device address"):
        drv.memset_d32(1.0, 7, 4)
    assert int(Holder()) == int(memory) == Holder().__index__()


def test_many_small_allocations_lie_apart(drv: Any) -> None:
    size, count = 60000, 60
    for turn in range(2):
        held = [drv.mem_alloc(size) for _ in range(count)]
        starts = sorted(map(int, held))
        assert min(np.diff(starts)) >= size
        for number, memory in enumerate(held):
            drv.memset_d32(memory, number + turn, size // 4)
        for number, memory in enumerate(held):
            host = drv.from_device(memory, size // 4, np.int32)
            assert (host == number + turn).all()
        del held[::2], memory
        gc.collect()


@pytest.mark.cpu
def test_large_allocations_differ_in_their_offset_in_a_page(drv: Any) -> None:
    # Elements with equal indices would share the sets of the cache.
    arrays = [drv.mem_alloc(4 << 20) for _ in range(4)]
    addresses = [int(array) for array in arrays]
    assert len({address % 4096 for address in addresses}) == len(arrays)
    assert not any(address % 512 for address in addresses)
