"""Stream-ordered memory: mem_alloc_async and AsyncMemoryPool."""

import gc
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(scope="module")
def drv(context: Any) -> Any:
    import pycuda.driver as drv

    if not drv.Device(0).memory_pools_supported:
        pytest.skip("the device has no memory pools")
    return drv


def test_allocate_use_and_free(drv: Any) -> None:
    stream = drv.Stream()
    data = np.arange(1000, dtype=np.int32)
    memory = drv.mem_alloc_async(4000, stream)
    assert isinstance(memory, drv.DeviceAllocation)
    drv.memcpy_htod_async(memory, data, stream)
    back = drv.pagelocked_empty(1000, np.int32)
    drv.memcpy_dtoh_async(back, memory, stream)
    assert memory.free(stream) is None
    stream.synchronize()
    np.testing.assert_array_equal(back, data)
    with pytest.raises(drv.LogicError, match="device_allocation::free"):
        memory.free()
    with pytest.raises(drv.LogicError):
        drv.memset_d8(memory, 0, 4)


def test_as_an_array_and_an_argument(drv: Any) -> None:
    import pycuda.gpuarray as gpuarray

    array = gpuarray.GPUArray(100, np.float32, allocator=drv.mem_alloc_async)
    array.fill(2)
    assert isinstance(array.gpudata, drv.AsyncAllocation)
    assert ((array + 1).get() == 3).all()


def test_statistics(drv: Any) -> None:
    pool = drv.AsyncMemoryPool()
    assert pool.used_bytes == pool.used_high == 0 and pool.handle
    first, second = pool.allocate(1 << 20), pool.allocate(size=1 << 19)
    assert pool.used_bytes == 3 << 19 == pool.used_high
    assert pool.reserved_bytes >= pool.used_bytes
    second.free()
    drv.Context.synchronize()
    assert pool.used_bytes == 1 << 20 and pool.used_high == 3 << 19
    pool.reset_high()
    assert pool.used_high == 1 << 20 <= pool.reserved_high
    del first
    gc.collect()
    drv.Context.synchronize()
    assert pool.used_bytes == 0
    pool.trim()
    assert pool.reserved_bytes == 0
    pool.release_threshold = 1 << 30
    pool.allocate(1 << 20).free()
    drv.Context.synchronize()
    assert pool.used_bytes == 0 and pool.reserved_bytes >= 1 << 20
    pool.trim()
    assert pool.reserved_bytes == 0
    with pytest.raises(AttributeError):
        pool.used_bytes = 3


def test_limits(drv: Any) -> None:
    pool = drv.AsyncMemoryPool()
    assert pool.release_threshold == 0
    pool.release_threshold = np.int64(1 << 20)
    assert pool.release_threshold == 1 << 20
    with pytest.raises(TypeError):
        pool.release_threshold = 1.5
    with pytest.raises(OverflowError):
        pool.release_threshold = -1
    pool.trim(keep=1 << 10)
    with pytest.raises(drv.LogicError, match="cuMemAllocAsync failed"):
        pool.allocate(0)
    for call in (pool.allocate, pool.trim):
        with pytest.raises(TypeError):
            call("many")


def test_a_pool_of_limited_size(drv: Any) -> None:
    """A GPU rounds the limit up, and its driver may be too old for limits."""
    try:
        pool = drv.AsyncMemoryPool(max_size=64 << 20)
    except drv.LogicError:
        pytest.skip("the driver knows no limited pools")
    stored = pool.allocate(32 << 20)
    with pytest.raises(drv.MemoryError):
        pool.allocate(256 << 20)
    del stored
    drv.Context.synchronize()
    assert pool.allocate(32 << 20)


def test_the_devices_pool(drv: Any) -> None:
    pool = drv.AsyncMemoryPool.default()
    before = pool.used_bytes
    memory = drv.mem_alloc_async(1 << 20)
    assert pool.used_bytes == before + (1 << 20)
    memory.free(stream=None)
    drv.Context.synchronize()
    assert pool.used_bytes == before


def test_used_on_several_streams(drv: Any) -> None:
    """Memory freed on one stream waits for the other stream that used it."""
    one, two = drv.Stream(1), drv.Stream(1)
    memory = drv.mem_alloc_async(1 << 22, one)
    one.synchronize()
    for _ in range(20):
        drv.memset_d32_async(memory, 5, 1 << 20, two)
    host = drv.pagelocked_empty(1 << 20, np.int32)
    drv.memcpy_dtoh_async(host, memory, two)
    del memory
    others = [drv.mem_alloc_async(1 << 22, one) for _ in range(4)]
    for other in others:
        drv.memset_d32_async(other, 9, 1 << 20, one)
    two.synchronize()
    assert (host == 5).all()


def test_a_pool_outlives_its_user(drv: Any) -> None:
    pool = drv.AsyncMemoryPool()
    memory = pool.allocate(100)
    del pool
    gc.collect()
    drv.memset_d8(memory, 7, 100)
    assert (drv.from_device(memory, 100, np.uint8) == 7).all()


def test_of_a_current_stream_that_is_gone(drv: Any) -> None:
    pool = drv.AsyncMemoryPool()
    with drv.Stream():
        memory, dropped = pool.allocate(4096), pool.allocate(4096)
    gc.collect()
    memory.free()
    del dropped
    gc.collect()
    drv.Context.synchronize()
    assert pool.used_bytes == 0


def test_of_a_context_that_is_gone(drv: Any) -> None:
    other = drv.Device(0).make_context()
    pool = drv.AsyncMemoryPool()
    memory = pool.allocate(100)
    other.detach()
    with pytest.raises(drv.LogicError):
        drv.memset_d8(memory, 0, 4)
    memory.free()
    del memory, pool
    gc.collect()


def test_in_a_capture(drv: Any) -> None:
    """Captures record no pool operations; freed memory returns afterwards."""
    stream = drv.Stream()
    pool = drv.AsyncMemoryPool()
    dropped, used = pool.allocate(1 << 20, stream), pool.allocate(64, stream)
    freed = pool.allocate(1 << 20, stream)
    with stream.capture() as graph:
        del dropped
        gc.collect()
        freed.free(stream)
        with pytest.raises(drv.LogicError):
            freed.free()
        with pytest.raises(
            drv.LogicError, match="cannot contain this allocation"
        ):
            drv.mem_alloc_async(64)
        drv.memset_d32_async(used, 6, 16)
    assert graph.node_count == 1
    drv.Context.synchronize()
    assert pool.used_bytes < 1 << 20
    graph.launch(stream)
    stream.synchronize()
    assert (drv.from_device(used, 16, np.int32) == 6).all()
