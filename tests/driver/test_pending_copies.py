"""Host memory of asynchronous copies stays alive until they are done."""

import ctypes
import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

# The kernel ends after a while if the host waits for the device.
HOLD = """
__global__ void hold(volatile int *flag, long long most)
{
    const long long start = clock64();
    while (!*flag && clock64() - start < most) { }
}
"""


class Held:
    """A stream that is blocked until it is released."""

    def __init__(self, drv: Any, kernel: Any) -> None:
        self.stream = drv.Stream()
        self.flag = drv.pagelocked_zeros(1, np.int32, mem_flags=2)
        self.kernel = kernel
        self.at = np.uintp(self.flag.base.get_device_pointer())

    def hold(self, most: int = 20_000_000_000) -> None:
        self.flag[0] = 0
        self.kernel(
            self.at, np.int64(most), block=(1, 1, 1), stream=self.stream
        )

    def release(self) -> None:
        self.flag[0] = 1


@pytest.fixture
def held(drv: Any, context: Any) -> Iterator[Held]:
    from pycuda.compiler import SourceModule

    hold = SourceModule(HOLD).get_function("hold")
    assert hold.num_regs > 0  # loads the kernel, which may wait
    made = Held(drv, hold)
    yield made
    made.release()
    made.stream.synchronize()


def pinned(drv: Any) -> Any:
    return drv.pagelocked_empty(1000, np.int32)


def pooled(drv: Any) -> Any:
    pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
    return pool.allocate(1000, np.int32)


def registered(drv: Any) -> Any:
    memory = drv.aligned_empty(1024, np.int32)
    return drv.register_host_memory(memory)[:1000]


def managed(drv: Any) -> Any:
    if not drv.Device(0).concurrent_managed_access:
        pytest.skip("the host cannot touch managed memory beside a kernel")
    return drv.managed_empty(1000, np.int32)


def plain_in(drv: Any, host: Any, memory: Any, stream: Any) -> None:
    drv.memcpy_htod_async(memory, host, stream)


def rows_in(drv: Any, host: Any, memory: Any, stream: Any) -> None:
    copy = drv.Memcpy2D()
    copy.set_src_host(host)
    copy.set_dst_device(memory)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 400
    copy.height = 10
    copy(stream)


def box_in(drv: Any, host: Any, memory: Any, stream: Any) -> None:
    copy = drv.Memcpy3D()
    copy.set_src_host(host)
    copy.set_dst_device(memory)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 400
    copy.height = copy.src_height = copy.dst_height = 10
    copy.depth = 1
    copy(stream)


def array_in(drv: Any, host: Any, memory: Any, stream: Any) -> None:
    import pycuda.gpuarray as gpuarray

    array = gpuarray.GPUArray(1000, np.int32, gpudata=memory)
    array.set_async(host, stream)


@pytest.mark.parametrize("kind", [pinned, pooled, registered, managed])
@pytest.mark.parametrize("copy", [plain_in, rows_in, box_in, array_in])
def test_sources_stay(
    drv: Any, held: Held, kind: Callable[..., Any], copy: Callable[..., Any]
) -> None:
    host = kind(drv)
    host[:] = np.arange(1000)
    memory = drv.mem_alloc(4000)
    gone = weakref.ref(host)
    held.hold()
    copy(drv, host, memory, held.stream)
    del host
    assert gone() is not None
    held.release()
    held.stream.synchronize()
    assert gone() is None
    found = drv.from_device(memory, 1000, np.int32)
    np.testing.assert_array_equal(found, np.arange(1000))


def test_targets_stay(drv: Any, held: Held) -> None:
    import pycuda.gpuarray as gpuarray

    source = gpuarray.to_gpu(np.arange(1000, dtype=np.int32))
    pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
    others = [pool.allocate(1000, np.int32) for _ in range(4)]
    first, second = others[:2]
    del others
    gone = [weakref.ref(first), weakref.ref(second)]
    held.hold()
    drv.memcpy_dtoh_async(first, source.gpudata, held.stream)
    source.get_async(held.stream, second)
    del first, second
    assert all(one() is not None for one in gone)
    assert (pool.active_blocks, pool.held_blocks) == (2, 2)
    others = [pool.allocate(1000, np.int32) for _ in range(2)]
    for other in others:
        other.fill(-1)
    held.release()
    held.stream.synchronize()
    assert all(one() is None for one in gone)
    assert all((other == -1).all() for other in others)


@pytest.mark.parametrize(
    "way", ["event", "query", "context", "is_done", "drop"]
)
def test_what_lets_go(drv: Any, held: Held, way: str) -> None:
    """Calls that detect that the copy is done, and the end of the stream."""
    host, memory = pinned(drv), drv.mem_alloc(4000)
    gone = weakref.ref(host)
    stream = held.stream if way != "drop" else drv.Stream()
    held.hold()
    if way == "drop":
        stream.wait_for_event(drv.Event().record(held.stream))
    drv.memcpy_htod_async(memory, host, stream)
    event = drv.Event().record(stream)
    del host
    assert not event.query() and gone() is not None
    held.release()
    if way == "event":
        event.synchronize()
    elif way == "query":
        while not event.query():
            pass
    elif way == "context":
        drv.Context.synchronize()
    elif way == "is_done":
        while not stream.is_done():
            pass
    del stream
    gc.collect()
    assert gone() is None


def test_later_copies_let_go_of_earlier_ones(drv: Any) -> None:
    """Without any wait, the number of pending copies is bounded."""
    stream, memory = drv.Stream(), drv.mem_alloc(4000)
    gone = []
    for _ in range(300):
        host = pinned(drv)
        gone.append(weakref.ref(host))
        drv.memcpy_htod_async(memory, host, stream)
        if len(gone) % 50 == 0:
            drv.from_device(memory, 10, np.int32)  # a wait of another kind
    assert sum(one() is not None for one in gone) < 150
    del host
    stream.synchronize()
    assert all(one() is None for one in gone)


def test_one_array_again_and_again(drv: Any, held: Held) -> None:
    import sys

    host, memory = pinned(drv), drv.mem_alloc(4000)
    before = sys.getrefcount(host)
    held.hold()
    for _ in range(100):
        drv.memcpy_htod_async(memory, host, held.stream)
    assert sys.getrefcount(host) == before + 1
    held.release()
    held.stream.synchronize()
    assert sys.getrefcount(host) == before


def test_other_host_memory_is_not_kept(drv: Any) -> None:
    """The call has read the memory when it returns."""
    stream, memory = drv.Stream(), drv.mem_alloc(4000)
    host = np.arange(1000, dtype=np.int32)
    drv.memcpy_htod_async(memory, host, stream)
    gone = weakref.ref(host)
    del host
    assert gone() is None
    stream.synchronize()
    found = drv.from_device(memory, 1000, np.int32)
    np.testing.assert_array_equal(found, np.arange(1000))


def test_a_wrapper_of_the_context_goes(drv: Any, held: Held) -> None:
    """Its pending copies are waited for, since no other object tracks them."""
    pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
    host, memory = pool.allocate(1000, np.int32), drv.mem_alloc(4000)
    host[:] = np.arange(1000)
    wrapper = drv.Context.attach()
    held.hold(500_000_000)
    drv.memcpy_htod_async(memory, host, held.stream)
    del host
    assert pool.active_blocks == 1
    wrapper.pop()
    del wrapper
    pool.allocate(1000, np.int32).fill(-1)
    held.release()
    held.stream.synchronize()
    found = drv.from_device(memory, 1000, np.int32)
    np.testing.assert_array_equal(found, np.arange(1000))


def test_the_context_goes_before_the_copies_are_done(drv: Any) -> None:
    other = drv.Device(0).make_context()
    host, memory, stream = pinned(drv), drv.mem_alloc(4000), drv.Stream()
    drv.memcpy_htod_async(memory, host, stream)
    drv.memcpy_htod_async(memory, host)
    gone = weakref.ref(host)
    del host
    other.detach()
    assert gone() is None


def test_the_capture_of_another_library_goes_on(drv: Any, device: str) -> None:
    """Nothing queries events that the capture has only recorded."""
    from pycuda import cpu

    name = "libcuda.so.1" if device == "gpu" else str(cpu.library())
    library, graph = ctypes.CDLL(name), ctypes.c_void_p()
    memory, hosts = drv.mem_alloc(4000), [pinned(drv) for _ in range(3)]
    stream = drv.Stream()
    handle = ctypes.c_void_p(stream.handle)
    assert library.cuStreamBeginCapture_v2(handle, 0) == 0
    for host in hosts:
        drv.memcpy_htod_async(memory, host, stream)
    assert library.cuStreamEndCapture(handle, ctypes.byref(graph)) == 0
    assert library.cuGraphDestroy(graph) == 0
