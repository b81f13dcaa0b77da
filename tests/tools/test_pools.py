"""Memory pools that a program creates: sizes, statistics, lifetimes."""

# SPDX-License-Identifier: MIT

import builtins
import gc
import io
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray, tools

pytestmark = pytest.mark.usefixtures("context")

# size, its bin, the bytes of the bin
CLASSES = [
    (0, 0, 1), (1, 0, 1), (2, 16, 2), (3, 24, 3), (16, 64, 16),
    (17, 65, 17), (32, 80, 33), (100, 105, 103), (1000, 159, 1023),
    (1024, 160, 1087), (2**20, 320, 1114111),
]  # fmt: skip


def statistics(pool):
    return (
        pool.held_blocks,
        pool.active_blocks,
        pool.managed_bytes,
        pool.active_bytes,
    )


@pytest.fixture(params=["device", "page-locked"])
def pool(request):
    """Return a pool of either kind; `take(pool, bytes)` allocates from it."""
    if request.param == "device":
        yield tools.DeviceMemoryPool()
    else:
        yield tools.PageLockedMemoryPool()


def take(pool, size):
    if isinstance(pool, tools.DeviceMemoryPool):
        return pool.allocate(size)
    return pool.allocate((size,), np.uint8)


@pytest.mark.parametrize(("size", "number", "rounded"), CLASSES)
def test_size_classes(pool, size, number, rounded):
    assert pool.bin_number(size) == number
    assert pool.alloc_size(number) == rounded


def test_every_size_fits_its_class(pool):
    chance = random.Random(1)
    sizes = [*range(2000), *(chance.randrange(2**31) for _ in range(2000))]
    sizes += [2**k + d for k in range(2, 32) for d in (-1, 0, 1)]
    last = 0
    for size in sorted(sizes):
        number = pool.bin_number(size)
        assert pool.alloc_size(number) >= size
        assert pool.bin_number(pool.alloc_size(number)) == number
        assert number >= last
        last = number


def test_bad_sizes(pool):
    for call in (pool.bin_number, pool.alloc_size):
        with pytest.raises((TypeError, OverflowError, ValueError)):
            call(-1)
        with pytest.raises(TypeError):
            call(1.5)
    with pytest.raises((ValueError, OverflowError)):
        pool.alloc_size(10**6)
    with pytest.raises(TypeError):
        take(pool, "many")
    assert statistics(pool) == (0, 0, 0, 0)


def test_statistics(pool):
    assert statistics(pool) == (0, 0, 0, 0)
    first = take(pool, 1000)
    assert statistics(pool) == (0, 1, 1023, 1000)
    second = take(pool, 100)
    assert statistics(pool) == (0, 2, 1126, 1100)
    del first
    assert statistics(pool) == (1, 1, 1126, 100)
    third = take(pool, 1020)  # in the same size class
    assert statistics(pool) == (0, 2, 1126, 1120)
    del second, third
    assert statistics(pool) == (2, 0, 1126, 0)
    pool.free_held()
    assert statistics(pool) == (0, 0, 0, 0)


def test_statistics_cannot_be_set(pool):
    with pytest.raises(AttributeError):
        pool.held_blocks = 3


def address(block):
    return (
        int(block) if not isinstance(block, np.ndarray) else block.ctypes.data
    )


def test_the_last_block_freed_is_the_first_taken(pool):
    blocks = [take(pool, 512) for _ in range(3)]
    addresses = [address(block) for block in blocks]
    while blocks:
        del blocks[0]  # the third one is freed last
    taken = [take(pool, 512) for _ in range(3)]
    assert [address(block) for block in taken] == addresses[::-1]


def test_classes_do_not_share(pool):
    del_me = take(pool, 4096)
    del del_me
    block = take(pool, 2000)
    assert statistics(pool)[:2] == (1, 1)
    assert len(block) == 2000


def test_stop_holding(pool):
    block = take(pool, 100)
    held = take(pool, 100)
    del held
    pool.stop_holding()
    assert statistics(pool) == (0, 1, 103, 100)
    del block
    assert statistics(pool) == (0, 0, 0, 0)
    repeated = take(pool, 100)
    assert statistics(pool) == (0, 1, 103, 100)
    del repeated
    assert statistics(pool) == (0, 0, 0, 0)


def test_a_pool_lives_as_long_as_its_blocks(pool):
    block = take(pool, 64)
    where = address(block)
    del pool
    gc.collect()
    if isinstance(block, np.ndarray):
        block[:] = 7
        assert block.sum() == 7 * 64
    else:
        drv.memset_d8(block, 7, 64)
        assert int(block) == where


def test_pooled_device_allocations():
    pool = tools.DeviceMemoryPool()
    block = pool.allocate(100)
    assert isinstance(block, drv.PooledDeviceAllocation)
    assert len(block) == 100
    assert int(block) == block.__index__() == block.__long__() != 0
    assert not hasattr(block, "as_buffer")
    data = np.arange(25, dtype=np.float32)
    drv.memcpy_htod(block, data)
    assert (drv.from_device_like(block, data) == data).all()
    block.free()
    assert statistics(pool) == (1, 0, 103, 0)
    with pytest.raises(drv.LogicError):
        block.free()
    del block
    assert statistics(pool) == (1, 0, 103, 0)


def test_allocate_takes_what_numpy_counts_in():
    pool = tools.DeviceMemoryPool()
    stored = [pool.allocate(np.int64(100)), pool.allocate(size=100)]
    assert statistics(pool) == (0, 2, 206, 200)
    with pytest.raises(TypeError):
        pool.allocate()
    with pytest.raises(TypeError):
        pool.allocate(1.0)
    with pytest.raises(TypeError):
        pool.allocate(1, 2)
    with pytest.raises(TypeError):
        pool.allocate(bytes=3)
    del stored


def test_page_locked_arrays():
    pool = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
    array = pool.allocate((3, 5), np.float64)
    assert array.shape == (3, 5) and array.dtype == np.float64
    assert array.flags.c_contiguous and array.flags.writeable
    assert isinstance(array.base, drv.PooledHostAllocation)
    assert len(array.base) == 120
    assert pool.allocate([2, 3], "i4", order="F").flags.f_contiguous
    assert pool.allocate((), np.int8).shape == ()
    with pytest.raises(builtins.RuntimeError, match="order"):
        pool.allocate((3,), np.int8, order="K")
    with pytest.raises(TypeError):
        pool.allocate((3,), "no dtype")
    base = array.base
    base.free()
    with pytest.raises(drv.LogicError):
        base.free()


def test_page_locked_memory_with_flags():
    flags = drv.host_alloc_flags.DEVICEMAP
    pool = tools.PageLockedMemoryPool(tools.PageLockedAllocator(flags))
    array = pool.allocate((4,), np.int32)
    array[:] = 3
    assert array.tolist() == [3] * 4
    tools.PageLockedAllocator(flags=flags)
    with pytest.raises(TypeError):
        tools.PageLockedAllocator("flags")
    with pytest.raises(TypeError):
        tools.PageLockedMemoryPool(allocator=3)


def test_arrays_from_a_pool():
    pool = tools.DeviceMemoryPool()
    a = gpuarray.to_gpu(np.arange(100.0), allocator=pool.allocate)
    assert statistics(pool)[1] == 1
    b = 2 * a + a.copy()
    assert (b.get() == 3 * np.arange(100)).all()
    assert b.allocator == pool.allocate
    assert statistics(pool)[1] == 2
    assert float(gpuarray.sum(b).get()) == 3 * 4950
    del a, b
    gc.collect()
    assert statistics(pool)[1::2] == (0, 0)


def test_a_pool_under_load():
    """A few live blocks among hundreds, near the device's whole memory."""
    pool = tools.DeviceMemoryPool()
    free = min(drv.mem_get_info()[0], 2**30)
    chance = random.Random(2)
    alive = []
    for _ in range(300):
        alive.append(pool.allocate(chance.randrange(free // 64, free // 16)))
        if len(alive) > 10:
            del alive[chance.randrange(len(alive))]
        assert pool.active_blocks == len(alive)
    pool.stop_holding()
    assert pool.held_blocks == 0


def test_memory_that_is_not_there():
    pool = tools.DeviceMemoryPool()
    held = pool.allocate(2**20)
    del held
    with pytest.raises(drv.MemoryError, match="memory_pool::allocate"):
        pool.allocate(2**60)
    assert statistics(pool) == (0, 0, 0, 0), "what was held was given back"


def test_a_pool_serves_the_context_that_it_was_made_in():
    pool = tools.DeviceMemoryPool()
    other = drv.Device(0).make_context()
    try:
        block = pool.allocate(256)
    finally:
        other.pop()
    drv.memset_d8(block, 1, 256)
    assert drv.from_device(block, 256, np.uint8).sum() == 256


def test_a_pool_needs_a_context():
    with (
        ThreadPoolExecutor(1) as thread,  # this thread has no context
        pytest.raises(drv.LogicError, match="no currently active context"),
    ):
        thread.submit(tools.DeviceMemoryPool).result()


def test_a_pool_that_asks(monkeypatch):
    asked = []
    monkeypatch.setattr(
        builtins, "input", lambda text: asked.append(text) or "grid"
    )
    log = io.StringIO()
    pool = tools.DebugMemoryPool(interactive=True, logfile=log)
    stored = pool.allocate(1000)
    assert "name for place 1" in asked[0]
    assert "Enter" in asked[1]
    assert "grid: 1000 bytes; the pool grew by 1023 bytes" in log.getvalue()
    del stored
    pool.allocate(1000)
    assert "grew by 0 bytes" in log.getvalue()
    with pytest.raises(TypeError):
        pool.allocate("much")


@pytest.mark.parametrize(
    "kind", [tools.DeviceMemoryPool, tools.PageLockedMemoryPool]
)
def test_a_block_and_its_pool_in_a_circle(kind):
    gone = []

    class Pool(kind):
        def __del__(self):
            gone.append(kind)

    pool = Pool()
    block = take(pool, 64)
    pool.block = block.base if isinstance(block, np.ndarray) else block
    del pool, block
    assert gone == []
    gc.collect()
    assert gone == [kind]
