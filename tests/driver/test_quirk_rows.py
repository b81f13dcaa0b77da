"""Each quirk of PyCUDA's driver: kept, fixed or improved, row by row.

Rows B1 to B35 are those of the project's plan; other quirks are tested with
the arrays and the tools.
"""

import gc
import pickle
import struct
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
struct pair { double x, y; };
struct floats { float v[4]; };
__global__ void fill(int *to, int n)
{ to[threadIdx.x + blockDim.x * threadIdx.y + 8 * blockIdx.x] = n; }
__global__ void bytes(float *to, floats f, int i)
{ to[0] = f.v[0]; to[1] = f.v[3]; to[2] = i; }
__global__ void aligned(double *to, int i, pair p)
{ to[0] = i; to[1] = p.x; to[2] = p.y; }
__global__ void truth(int *to, bool b) { *to = b ? 5 : 6; }
__global__ void half(unsigned short *to, unsigned short h) { *to = h; }
__global__ void twice(int *a) { a[threadIdx.x] *= 2; }
__global__ void slow(int *a)
{
    const long long start = clock64();
    while (clock64() - start < 20000000LL) { }
    a[threadIdx.x] += 1;
}
"""
ONE = {"block": (1, 1, 1)}


def ints(drv: Any, count: int = 1) -> Any:
    return drv.to_device(np.zeros(count, np.int32))


def read(drv: Any, memory: Any, count: int = 1) -> list[int]:
    return drv.from_device(memory, count, np.int32).tolist()


def test_b1_numpy_integers_and_lists(drv: Any, get: Any) -> None:
    memory = drv.mem_alloc(np.int64(64))
    get("fill")(memory, np.int32(3), block=[np.int32(4), 1, 1], grid=[1, 1])
    assert read(drv, memory, 4) == [3] * 4
    assert drv.Device(np.int32(0)) == drv.Device(0)
    assert drv.pagelocked_empty(np.int64(4), np.int32).shape == (4,)
    for wrong in (lambda: drv.mem_alloc(4.0), lambda: drv.Device(0.0)):
        with pytest.raises(TypeError):
            wrong()


def test_b2_blocks_of_one_and_two_numbers(drv: Any, get: Any) -> None:
    memory = ints(drv, 16)
    get("fill")(memory, np.int32(1), block=(4, 2), grid=2)
    get("fill")(memory, np.int32(2), block=4)
    assert read(drv, memory, 16) == [2] * 4 + [1] * 12
    for wrong in ({"block": (1, 1, 1, 1)}, {**ONE, "grid": (1, 1, 1, 1)}):
        with pytest.raises((ValueError, drv.LogicError)):
            get("fill")(memory, np.int32(1), **wrong)


@pytest.mark.parametrize("value", [1, 1.0, True, None, b"12345678"])
def test_b3_python_scalars_are_refused(
    drv: Any, get: Any, value: object
) -> None:
    with pytest.raises(TypeError, match=r"parameter #1 \(0-based\)"):
        get("fill")(ints(drv), value, **ONE)


def test_b4_bool_and_half(drv: Any, get: Any) -> None:
    memory = ints(drv)
    for value, wanted in ((np.bool_(True), 5), (np.bool_(False), 6)):
        get("truth")(memory, value, **ONE)
        assert read(drv, memory) == [wanted]
    get("half")(memory, np.float16(1.5), **ONE)
    found = drv.from_device(memory, 1, np.float16)
    assert found[0] == 1.5


def test_b5_arrays_by_value_and_structs_aligned(drv: Any, get: Any) -> None:
    out = drv.to_device(np.zeros(3, np.float32))
    value = np.array([1, 2, 3, 4], np.float32)
    get("bytes")(out, value, np.int32(9), **ONE)
    assert drv.from_device(out, 3, np.float32).tolist() == [1, 4, 9]
    out = drv.to_device(np.zeros(3))
    pair = np.array([(2.5, 3.5)], [("x", "f8"), ("y", "f8")])[0]
    get("aligned")(out, np.int32(1), pair, **ONE)
    assert drv.from_device(out, 3, np.float64).tolist() == [1, 2.5, 3.5]


def test_b6_slices_of_managed_arrays_are_pointers(drv: Any, get: Any) -> None:
    managed = drv.managed_empty(8, np.int32)
    managed[:] = 3
    get("twice")(managed, block=(2, 1, 1))
    get("twice")(managed[4:], block=(2, 1, 1))
    drv.Context.synchronize()
    assert managed.tolist() == [6, 6, 3, 3, 6, 6, 3, 3]


def test_b7_b8_handlers(drv: Any, get: Any) -> None:
    """Handlers run in stream order, or copy immediately without one."""
    host = drv.pagelocked_zeros(4, np.int32)
    stream = drv.Stream()
    for _ in range(5):
        get("slow")(drv.InOut(host), block=(4, 1, 1), stream=stream)
    stream.synchronize()
    assert host.tolist() == [5] * 4
    plain = np.zeros(4, np.int32)
    get("slow")(drv.InOut(plain), block=(4, 1, 1))
    assert plain.tolist() == [1] * 4


def test_b9_time_kernel(drv: Any, get: Any) -> None:
    memory = ints(drv)
    seconds = get("slow")(memory, **ONE, time_kernel=True)
    assert 0.001 < seconds < 60
    assert get("slow")(memory, **ONE) is None


def test_b10_prepare_belongs_to_its_object(drv: Any, get: Any) -> None:
    first, second = get("fill"), get("fill")
    assert first is not second
    memory = ints(drv)
    assert first.prepare("Pi") is first
    first.prepared_call((1, 1), (1, 1, 1), memory, 4)
    assert read(drv, memory) == [4]
    with pytest.raises(Exception, match="prepare"):
        second.prepared_call((1, 1), (1, 1, 1), memory, 4)


@pytest.mark.parametrize("kind", [int, float, object])
def test_b11_other_types_are_pointers(drv: Any, get: Any, kind: type) -> None:
    memory = ints(drv)
    get("twice").prepare([kind]).prepared_call((1, 1), (1, 1, 1), int(memory))
    drv.Context.synchronize()


def test_b12_struct_error(drv: Any, get: Any) -> None:
    from pycuda import _pvt_struct

    assert issubclass(_pvt_struct.error, struct.error)
    call = get("fill").prepare("Pi").prepared_call
    with pytest.raises(struct.error):
        call((1, 1), (1, 1, 1), ints(drv), "x")


def test_b13_both_spellings(drv: Any) -> None:
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height = 4, 1
    descriptor.format = drv.array_format.FLOAT
    descriptor.num_channels = 1
    for prefix in ("", "py_"):
        array = drv.Array(descriptor)
        into = getattr(drv, f"{prefix}memcpy_htoa")
        back = getattr(drv, f"{prefix}memcpy_atoh")
        host, found = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
        into(array, 0, host)
        back(found, array, 0)
        assert (found == host).all()
    assert drv.array3d_flags.LAYERED == drv.array3d_flags.ARRAY3D_LAYERED
    assert callable(drv.Function.set_shared_config)


def test_b14_peer_copies_without_contexts(drv: Any) -> None:
    one, two = drv.to_device(np.arange(4, dtype=np.int32)), ints(drv, 4)
    drv.memcpy_peer(two, one, 16)
    assert read(drv, two, 4) == [0, 1, 2, 3]


def test_b15_registered_memory(drv: Any) -> None:
    host = drv.aligned_zeros(1024, np.int32)
    shared = drv.register_host_memory(host)
    shared[:] = 7
    assert (host == 7).all()
    shared.base.unregister()
    with pytest.raises(drv.LogicError):
        shared.base.unregister()


def test_b16_managed_memory_needs_no_flags(drv: Any) -> None:
    assert drv.managed_zeros((2, 3), np.float32).sum() == 0
    assert drv.managed_empty_like(np.zeros(5)).shape == (5,)


def test_b17_ipc_handles_of_any_bytes(drv: Any) -> None:
    handle = drv.mem_get_ipc_handle(drv.mem_alloc(64))
    for given in (handle, bytes(handle), memoryview(handle)):
        with pytest.raises(drv.LogicError, match="cuIpcOpenMemHandle failed"):
            # The handle is parsed and recognized as this process's own.
            drv.IPCMemoryHandle(given)


@pytest.mark.parametrize("make", ["Memcpy2D", "Memcpy3D", "Memcpy3DPeer"])
def test_b18_b19_copies(drv: Any, make: str) -> None:
    """Copies are called without arguments; attributes stay set."""
    copy, out = getattr(drv, make)(), ints(drv, 4)
    copy.set_src_host(np.arange(4, dtype=np.int32))
    copy.set_dst_device(out)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
    copy.height = 1
    if make != "Memcpy2D":
        copy.depth = 1
    others = [np.full(4, 9, np.int32) for _ in range(100)]
    assert copy() is None and others
    assert read(drv, out, 4) == [0, 1, 2, 3]


def test_b20_the_current_context_is_the_object(drv: Any, context: Any) -> None:
    assert drv.Context.get_current() is context
    assert drv.Context.attach() == context
    drv.Context.pop()


def test_b21_b22_contexts_that_are_left(drv: Any) -> None:
    code = """
import warnings
warnings.simplefilter("ignore")
import pycuda.driver as drv
drv.init()
left = drv.Device(0).make_context()
first = drv.Device(0).retain_primary_context()
first.push()
memory = drv.to_device(b"abcd")
second = drv.Device(0).retain_primary_context()
del second
assert bytes(drv.from_device(memory, 4, "u1")) == b"abcd"
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_b23_detach_destroys_at_once(drv: Any) -> None:
    made = drv.Device(0).make_context()
    repeated = drv.Context.get_current()
    memory = drv.mem_alloc(64)
    made.detach()
    with pytest.raises(drv.LogicError):
        drv.memset_d8(memory, 0, 64)
    with pytest.raises(drv.LogicError, match="cannot detach from invalid"):
        repeated.detach()


def test_b24_other_threads_free(drv: Any) -> None:
    from pycuda import _driver

    memory = [drv.mem_alloc(1 << 26)]
    address = int(memory[0])
    assert _driver._pointer_device(address) == 0
    thread = threading.Thread(target=memory.clear)
    thread.start()
    thread.join()
    with pytest.raises(drv.LogicError):
        _driver._pointer_device(address)


def test_b25_freed_memory(drv: Any) -> None:
    memory = drv.mem_alloc(64)
    address = int(memory)
    memory.free()
    assert int(memory) == address
    with pytest.raises(drv.LogicError, match="device_allocation::free"):
        memory.free()


def test_b26_nothing_at_all(drv: Any) -> None:
    from pycuda import gpuarray

    with pytest.raises(drv.LogicError, match="cuMemAlloc failed"):
        drv.mem_alloc(0)
    empty = gpuarray.zeros((0, 3), np.float32)
    assert (empty + 1).get().shape == (0, 3)


def test_b27_garbage_is_collected_before_memory_is_refused(drv: Any) -> None:
    class Knot:
        """Memory in a cycle that only the garbage collector frees."""

        def __init__(self) -> None:
            self.memory, self.me = drv.mem_alloc(64), self

    gc.collect()
    gc.disable()
    try:
        gone = weakref.ref(Knot())
        assert gone() is not None
        with pytest.raises(drv.MemoryError, match="cuMemAlloc failed"):
            drv.mem_alloc(1 << 60)
        assert gone() is None
    finally:
        gc.enable()


def test_b28_b29_classes_of_errors(drv: Any) -> None:
    import builtins

    for kind in (drv.LogicError, drv.LaunchError, drv.RuntimeError):
        assert kind.__mro__[1:3] == (drv.Error, Exception)
    assert drv.MemoryError.__mro__[1] is drv.Error
    assert not issubclass(drv.MemoryError, builtins.MemoryError)
    assert not issubclass(drv.RuntimeError, builtins.RuntimeError)
    with pytest.raises(drv.LogicError) as caught:
        drv.Device(1000)
    assert caught.value.args == (str(caught.value),)
    assert not hasattr(caught.value, "code")


def test_b30_launches_beside_a_busy_thread(drv: Any, get: Any) -> None:
    """Few launches hold the GIL: no thread waits for a switch interval."""
    memory, stop = ints(drv), threading.Event()
    fill, value = get("fill"), np.int32(1)

    def turn() -> None:
        while not stop.is_set():
            pass

    fill(memory, value, **ONE)
    drv.Context.synchronize()
    thread = threading.Thread(target=turn)
    thread.start()
    try:
        best = min(
            launches_take(drv, fill, memory, value, 20) for _ in range(10)
        )
    finally:
        stop.set()
        thread.join()
    assert best < 20 * 0.005 / 2  # the switch interval is 5 ms


def launches_take(
    drv: Any, fill: Any, memory: Any, value: Any, count: int
) -> float:
    start = time.perf_counter()
    for _ in range(count):
        fill(memory, value, **ONE)
    taken = time.perf_counter() - start
    drv.Context.synchronize()
    return taken


def test_b31_version_of_the_generators(drv: Any) -> None:
    major, minor, patch = drv.get_curand_version()
    assert major >= 10 and minor % 10 == 0 and 0 <= patch < 10


def test_b31_version_of_the_headers(device: str) -> None:
    """The version of the headers from which the generators are compiled."""
    from pycuda import curandom

    version = curandom.get_curand_version()
    assert version[0] >= 10 if device == "gpu" else version == (10, 4, 0)


def test_b32_occupancy_and_splay(drv: Any) -> None:
    from pycuda import gpuarray, tools

    device = tools.DeviceData()
    assert device.max_threads >= 512 and device.warp_size == 32
    record = tools.OccupancyRecord(device, 256, shared_mem=1024)
    assert 1 <= record.tb_per_mp <= 64 and 0 < record.occupancy <= 1
    grid, block = gpuarray.splay(1000)
    assert grid[0] * block[0] >= 1000 or block[0] >= 32


def test_b33_enumerations(drv: Any) -> None:
    member = drv.device_attribute.WARP_SIZE
    assert (
        isinstance(member, int)
        and member == 10
        and str(member) == ("WARP_SIZE")
    )
    assert repr(member) == "pycuda._driver.device_attribute.WARP_SIZE"
    assert drv.device_attribute.names["WARP_SIZE"] == member
    assert drv.device_attribute.values[10] == member
    assert drv.Device(0).get_attribute(member) == 32
    assert type(drv.event_flags.BLOCKING_SYNC | drv.event_flags(2)) is int
    drv.Event(1).record()  # flags may be plain integers


def test_b34_kinds_of_memory(drv: Any) -> None:
    assert issubclass(drv.ManagedAllocation, drv.DeviceAllocation)
    assert drv.HostAllocation is drv.PagelockedHostAllocation
    assert isinstance(
        drv.managed_empty(4, np.int32).base, drv.DeviceAllocation
    )


def test_b35_handles_as_objects(drv: Any, get: Any, context: Any) -> None:
    for thing in (drv.Stream(), drv.Event(), drv.mem_alloc(4), get("fill")):
        thing.note = "mine"
        assert thing.note == "mine" and weakref.ref(thing)() is thing
        with pytest.raises((TypeError, pickle.PicklingError)):
            pickle.dumps(thing)
