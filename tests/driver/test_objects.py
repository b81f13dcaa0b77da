"""Objects of the driver: contexts, memory, streams, pools, textures."""

import copy
import gc
import pickle
import re
import threading
import traceback
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")


def test_device(drv: Any) -> None:
    device = drv.Device(0)
    assert drv.Device.count() >= 1
    assert re.fullmatch(r"[ -~]{4,}", device.name())
    assert len(device.compute_capability()) == 2
    assert device.total_memory() > 0
    assert drv.Device(device.pci_bus_id()) == device == drv.Device(np.int32(0))
    assert hash(device) == hash(drv.Device(0)) and device != 0
    assert device.warp_size == 32
    assert device.get_attribute(drv.device_attribute.WARP_SIZE) == 32
    assert isinstance(device.compute_mode, drv.compute_mode)
    with pytest.raises(AttributeError):
        _ = device.no_such_attribute
    with pytest.raises(drv.LogicError, match="cuDeviceGet failed"):
        drv.Device(1000)
    with pytest.raises(TypeError):
        drv.Device(1.5)


@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_attributes_by_the_names_of_enums(
    drv: Any, context: Any, case: Any
) -> None:
    from pycuda.compiler import SourceModule

    kernel = SourceModule("__global__ void k() {}").get_function("k")
    for thing, enum in (
        (drv.Device(0), drv.device_attribute),
        (kernel, drv.function_attribute),
    ):
        for name, member in enum.names.items():
            try:
                value = thing.get_attribute(member)
            except drv.Error:
                continue  # the driver may be older than the attribute
            if not callable(getattr(type(thing), case(name), None)):
                assert getattr(thing, case(name)) == value
        for wrong in ("names", "values", "__qualname_", "mro"):
            with pytest.raises(AttributeError, match=wrong):
                getattr(thing, wrong)


def test_versions(drv: Any) -> None:
    version = drv.get_driver_version()
    assert version >= 11000
    assert drv.get_version() == (version // 1000, version % 1000 // 10, 0)
    assert drv.get_curand_version() >= (10, 0, 0)
    assert drv.have_gl_ext() is False
    with pytest.raises(TypeError):
        drv.get_version(1)


def test_context_stack(drv: Any, context: Any) -> None:
    assert drv.Context.get_current() is context
    other = drv.Device(0).make_context()
    try:
        assert drv.Context.get_current() is other != context
        memory = drv.mem_alloc(64)
        context.push()
        assert drv.Context.get_current() is context
        memory.free()  # while another context is current
        drv.Context.pop()
        assert drv.Context.get_current() is other
    finally:
        other.detach()
    assert drv.Context.get_current() is context
    with pytest.raises(drv.LogicError, match="context::detach failed"):
        other.detach()
    with pytest.raises(drv.LogicError, match="detached"):
        other.push()


def test_memory_of_a_detached_context(drv: Any, context: Any) -> None:
    other = drv.Device(0).make_context()
    objects = [
        drv.mem_alloc(64),
        drv.Stream(),
        drv.Event(),
        drv.pagelocked_zeros(4, np.int32),
        drv.DeviceMemoryPool(),
    ]
    other.detach()
    objects.clear()
    assert drv.Context.get_current() is context


def test_primary_context(drv: Any, context: Any) -> None:
    primary = drv.Device(0).retain_primary_context()
    assert drv.Context.get_current() is context
    primary.push()
    assert drv.Context.get_current() is primary
    primary.detach()
    assert drv.Context.get_current() is context


def test_threads_have_their_own_stack(drv: Any, context: Any) -> None:
    seen = []

    def work() -> None:
        seen.append(drv.Context.get_current())
        with pytest.raises(drv.LogicError, match="no currently active"):
            drv.mem_alloc(4)
        with pytest.raises(drv.LogicError, match="cannot pop non-current"):
            drv.Context.pop()
        context.push()
        seen.append(drv.mem_alloc(64))
        drv.Context.pop()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[0] is None
    seen[1].free()  # from another thread than the one that allocated it


def test_copies(drv: Any) -> None:
    host = np.arange(1000, dtype=np.int32).reshape(10, 100)
    memory = drv.to_device(host)
    assert (drv.from_device(memory, (10, 100), np.int32) == host).all()
    assert (drv.from_device_like(memory, host) == host).all()
    other = drv.mem_alloc_like(host)
    drv.memcpy_dtod(other, memory, host.nbytes)
    back = bytearray(host.nbytes)
    drv.memcpy_dtoh(back, other)
    assert bytes(back) == host.tobytes()
    fortran = np.asfortranarray(host)
    drv.memcpy_htod(memory, fortran)
    assert (drv.from_device_like(memory, fortran) == fortran).all()
    drv.memcpy_peer(other, memory, host.nbytes)
    stream = drv.Stream()
    pinned = drv.pagelocked_empty_like(host)
    drv.memcpy_dtoh_async(pinned, memory, stream)
    stream.synchronize()
    assert (pinned.ravel() == fortran.ravel(order="K")).all()
    drv.memcpy_htod(memory, b"")


@pytest.mark.parametrize(
    "call",
    [
        lambda drv, m: drv.memcpy_htod(m, "text"),
        lambda drv, m: drv.memcpy_htod(m, [1, 2]),
        lambda drv, m: drv.memcpy_htod(m, np.zeros(8)[::2]),
        lambda drv, m: drv.memcpy_htod(1.5, b"x"),
        lambda drv, m: drv.memcpy_htod(None, b"x"),
        lambda drv, m: drv.memcpy_dtoh(b"xxxx", m),
        lambda drv, m: drv.memcpy_htod(m),
        lambda drv, m: drv.memcpy_htod(m, b"x", nothing=1),
        lambda drv, m: drv.mem_alloc(4.0),
        lambda drv, m: drv.mem_alloc("4"),
        lambda drv, m: drv.memcpy_htod_async(m, b"x", 7),
        lambda drv, m: m + 4,
    ],
)
def test_wrong_types(drv: Any, call: Any) -> None:
    with pytest.raises((TypeError, ValueError, BufferError)):
        call(drv, drv.mem_alloc(64))


def test_negative_and_huge_sizes(drv: Any) -> None:
    with pytest.raises(OverflowError):
        drv.mem_alloc(-1)
    with pytest.raises(OverflowError):
        drv.mem_alloc(2**70)
    with pytest.raises(drv.MemoryError, match="out of memory"):
        drv.mem_alloc(2**60)
    with pytest.raises(drv.LogicError):
        drv.mem_alloc(0)


@pytest.mark.parametrize(
    "bits, dtype", [(8, np.uint8), (16, np.uint16), (32, np.uint32)]
)
def test_memset(drv: Any, bits: int, dtype: Any) -> None:
    memory, count = drv.mem_alloc(400), 3200 // bits
    value = 2**bits - 3
    getattr(drv, f"memset_d{bits}")(memory, value, count)
    assert (drv.from_device(memory, count, dtype) == value).all()
    stream = drv.Stream()
    getattr(drv, f"memset_d{bits}_async")(memory, 1, count, stream)
    stream.synchronize()
    assert (drv.from_device(memory, count, dtype) == 1).all()
    getattr(drv, f"memset_d2d{bits}")(memory, 40, 5, 2, 3)
    rows = drv.from_device(memory, (3, 40 * 8 // bits), dtype)
    assert (rows[:, :2] == 5).all() and (rows[:, 2:] != 5).all()
    with pytest.raises(OverflowError):
        getattr(drv, f"memset_d{bits}")(memory, 2**bits, 1)


def test_pitch_and_ranges(drv: Any) -> None:
    memory, pitch = drv.mem_alloc_pitch(100, 10, 4)
    assert pitch >= 100
    base, size = drv.mem_get_address_range(int(memory) + 50)
    assert base == int(memory) and size >= 10 * pitch
    free, total = drv.mem_get_info()
    assert 0 < free <= total


@pytest.mark.parametrize("kind", ["pagelocked", "aligned", "managed"])
def test_host_memory(drv: Any, kind: str) -> None:
    empty = getattr(drv, f"{kind}_empty")
    zeros = getattr(drv, f"{kind}_zeros")
    array = zeros((3, 4), np.float32, order="F")
    assert array.flags.f_contiguous and not array.any()
    assert empty(5, "i4").shape == (5,)
    assert empty(np.int64(5), "i4").shape == (5,)
    like = getattr(drv, f"{kind}_empty_like")(array)
    assert like.shape == array.shape and like.flags.f_contiguous
    base = array.base
    expected = {
        "pagelocked": drv.PagelockedHostAllocation,
        "aligned": drv.AlignedHostAllocation,
        "managed": drv.ManagedAllocation,
    }[kind]
    assert type(base) is expected
    with pytest.raises(drv.LogicError, match="unrecognized order"):
        empty(5, "i4", order="A")
    with pytest.raises((TypeError, OverflowError)):
        empty(-1, "i4")


def test_aligned_memory(drv: Any) -> None:
    array = drv.aligned_zeros(10, np.float64, alignment=1 << 16)
    assert array.ctypes.data % (1 << 16) == 0
    for bad in (0, 3):
        with pytest.raises(drv.LogicError, match="aligned_malloc"):
            drv.aligned_empty(1, "i4", alignment=bad)


def test_registered_memory(drv: Any) -> None:
    host = np.zeros(4096, np.float32)
    array = drv.register_host_memory(host)
    array[3] = 5
    assert host[3] == 5 and array.base.base is host
    array.base.unregister()
    with pytest.raises(drv.LogicError):
        array.base.unregister()
    with pytest.raises(drv.LogicError, match="not contiguous"):
        drv.register_host_memory(host[::2])


def test_streams_and_events(drv: Any) -> None:
    stream = drv.Stream()
    start, end = drv.Event(), drv.Event()
    assert start.record(stream) is start
    assert end.record(stream).synchronize() is end
    assert end.query() and stream.is_done() and stream.handle
    assert end.time_since(start) >= 0 and start.time_till(end) >= 0
    stream.wait_for_event(end)
    with pytest.raises(drv.LogicError):
        drv.Event(drv.event_flags.DISABLE_TIMING).time_since(start)
    with pytest.raises(TypeError):
        stream.wait_for_event(stream)
    with pytest.raises(TypeError):
        end.time_since(1)


def test_pointer_holder(drv: Any) -> None:
    memory = drv.to_device(np.arange(4, dtype=np.int32))

    class Holder(drv.PointerHolderBase):
        def get_pointer(self) -> int:
            return int(memory)

    holder = Holder()
    assert int(holder) == int(memory)
    assert drv.from_device(holder, 4, np.int32).tolist() == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="must define get_pointer"):
        int(drv.PointerHolderBase())


def test_device_pool(drv: Any) -> None:
    pool = drv.DeviceMemoryPool()
    for size, number, rounded in [
        (0, 0, 1),
        (2, 16, 2),
        (3, 24, 3),
        (17, 65, 17),
        (32, 80, 33),
        (100, 105, 103),
        (1000, 159, 1023),
        (1024, 160, 1087),
        (2**20, 320, 1114111),
    ]:
        assert pool.bin_number(size) == number
        assert pool.alloc_size(number) == rounded
    first = pool.allocate(1000)
    address = int(first)
    assert len(first) == 1000
    assert (pool.active_blocks, pool.held_blocks) == (1, 0)
    assert (pool.managed_bytes, pool.active_bytes) == (1023, 1000)
    del first
    assert (pool.active_blocks, pool.held_blocks) == (0, 1)
    second = pool.allocate(1001)
    assert int(second) == address
    second.free()
    with pytest.raises(drv.LogicError):
        second.free()
    pool.free_held()
    assert pool.managed_bytes == 0
    third = pool.allocate(10)
    pool.stop_holding()
    del third
    assert pool.held_blocks == pool.managed_bytes == 0


def test_page_locked_pool(drv: Any) -> None:
    pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
    array = pool.allocate((3, 4), np.float32, order="F")
    array.fill(2)
    assert type(array.base) is drv.PooledHostAllocation
    assert len(array.base) == 48 and pool.active_blocks == 1
    del array
    assert pool.active_blocks == 0 and pool.held_blocks == 1


def test_default_pool_gives_memory_back(drv: Any) -> None:
    """Idle memory of the pool counts as free: mem_get_info trims it."""
    from pycuda import _driver

    handler = drv.In(np.zeros(64 << 20, np.uint8))
    memory = handler.get_device_alloc()
    assert isinstance(memory, drv.DeviceAllocation)
    address = int(memory)
    del handler, memory
    gc.collect()
    drv.mem_get_info()
    with pytest.raises(drv.LogicError, match="cuPointerGetAttribute failed"):
        _driver._pointer_device(address)


@pytest.mark.cpu  # fresh memory is zero there
def test_default_pool_keeps_large_blocks(drv: Any) -> None:
    from pycuda import gpuarray

    array = gpuarray.empty(300 << 20, np.uint8)
    array.fill(7)
    del array
    repeated = gpuarray.empty(300 << 20, np.uint8)
    assert repeated[5:6].get()[0] == 7
    del repeated
    drv.mem_get_info()
    assert gpuarray.empty(300 << 20, np.uint8)[5:6].get()[0] == 0


@pytest.mark.cpu  # fresh memory is zero there
def test_default_pool_keeps_several_blocks(drv: Any) -> None:
    from pycuda import gpuarray

    drv.mem_get_info()  # frees idle memory
    for _ in range(2):
        arrays = [gpuarray.empty(100 << 20, np.uint8) for _ in range(3)]
        marks = [array[5:6].get()[0] for array in arrays]
        for array in arrays:
            array.fill(7)
        del array, arrays
    assert marks == [7, 7, 7]


@pytest.mark.cpu  # fresh memory is zero there
def test_default_pool_gives_blocks_of_streams_that_are_done(drv: Any) -> None:
    from pycuda import gpuarray

    stream = drv.Stream()
    drv.mem_get_info()  # frees idle memory
    with stream:
        gpuarray.empty(300 << 20, np.uint8).fill(7)
    stream.synchronize()
    assert gpuarray.empty(300 << 20, np.uint8)[5:6].get()[0] == 7


@pytest.mark.cpu  # fresh memory is zero there
def test_default_pool_keeps_blocks_of_streams_that_are_gone(drv: Any) -> None:
    from pycuda import gpuarray

    drv.mem_get_info()  # frees idle memory
    with drv.Stream():
        arrays = [gpuarray.empty(100 << 20, np.uint8) for _ in range(3)]
        for array in arrays:
            array.fill(7)
        del array, arrays
    gc.collect()
    arrays = [gpuarray.empty(100 << 20, np.uint8) for _ in range(3)]
    assert [array[5:6].get()[0] for array in arrays] == [7, 7, 7]


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays(drv: Any, order: str) -> None:
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    array = drv.np_to_array(np.asarray(host, order=order), order)
    back = np.zeros_like(host, order=order)
    copy = drv.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(back)
    width, height = (4, 3) if order == "C" else (3, 4)
    copy.width_in_bytes = copy.dst_pitch = width * 4
    copy.height = copy.dst_height = height
    copy.depth = 1
    copy()
    assert (back == host).all()
    descriptor = drv.matrix_to_array(host, order).get_descriptor()
    assert (descriptor.width, descriptor.height) == (width, height)
    assert descriptor.format == drv.array_format.FLOAT
    assert descriptor.num_channels == 1


def test_memcpy_2d(drv: Any) -> None:
    host = np.arange(100, dtype=np.uint8).reshape(10, 10)
    memory = drv.to_device(host)
    part = np.zeros((4, 3), np.uint8)
    copy = drv.Memcpy2D()
    copy.set_src_device(memory)
    copy.src_pitch = 10
    copy.src_x_in_bytes, copy.src_y = 2, 5
    copy.set_dst_host(part)
    copy.dst_pitch = copy.width_in_bytes = 3
    copy.height = 4
    copy(aligned=True)
    assert (part == host[5:9, 2:5]).all()
    part[:] = 0
    stream = drv.Stream()
    copy(stream)
    stream.synchronize()
    assert (part == host[5:9, 2:5]).all()
    assert copy.src_memory_type == drv.memory_type.DEVICE


TEXTURE = """
texture<float, 2> tex;
texture<float, 1> line;
__global__ void sample(float *out, int width)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D(tex, x + 0.5f, y + 0.5f);
}
__global__ void fetch(float *out)
{
    out[threadIdx.x] = tex1Dfetch(line, threadIdx.x);
}
"""


def test_texture_references(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    module = SourceModule(TEXTURE)
    texref = module.get_texref("tex")
    sample = module.get_function("sample")
    for factor in (1, 2):  # the second binding replaces the first
        host = factor * np.arange(12, dtype=np.float32).reshape(3, 4)
        drv.matrix_to_texref(host, texref, order="C")
        out = np.zeros_like(host)
        sample(drv.Out(out), np.int32(4), block=(4, 3, 1), texrefs=[texref])
        assert (out == host).all()
    assert texref.get_address_mode(0) == drv.address_mode.CLAMP
    assert texref.get_filter_mode() == drv.filter_mode.POINT
    linear = drv.to_device(host)
    line = module.get_texref("line")
    line.set_address(linear, host.nbytes)
    line.set_format(drv.array_format.FLOAT, 1)
    assert line.get_address() == int(linear)
    out = np.zeros(12, np.float32)
    module.get_function("fetch")(drv.Out(out), block=(12, 1, 1))
    assert (out == host.ravel()).all()
    with pytest.raises(drv.LogicError, match="offset"):
        line.set_address(int(linear) + 4, 8)


PLAIN = """
texture<float, 2> tex;
surface<void, 2> surf;
__global__ void five(float *out) { out[0] = 5; }
__global__ void first(float *out) { out[0] = tex2D(tex, 0.5f, 0.5f); }
"""


@pytest.fixture(scope="module")
def plain(context: Any) -> Any:
    from pycuda.compiler import SourceModule

    return SourceModule(PLAIN)


def test_a_freed_array_stops_no_kernel(drv: Any, plain: Any) -> None:
    """Kernels that do not read the texture can be launched."""
    out = drv.to_device(np.zeros(1, np.float32))
    texref, one = plain.get_texref("tex"), {"block": (1, 1, 1)}
    array = drv.np_to_array(np.full((2, 2), 7, np.float32), "C")
    texref.set_array(array)
    array.free()
    plain.get_function("five")(out, **one)
    assert drv.from_device(out, 1, np.float32)[0] == 5
    memory = drv.mem_alloc(1024)
    texref.set_address(memory, 1024)
    memory.free()
    plain.get_function("five")(out, **one)
    with pytest.raises(drv.LogicError, match="'tex', whose memory was freed"):
        plain.get_function("first")(out, **one, texrefs=[texref])
    array = drv.np_to_array(np.full((2, 2), 7, np.float32), "C")
    texref.set_array(array)
    plain.get_function("first")(out, **one, texrefs=[texref])
    assert drv.from_device(out, 1, np.float32)[0] == 7


def test_errors_name_the_reference(drv: Any, plain: Any) -> None:
    texref = plain.get_texref("tex")
    wide = drv.ArrayDescriptor()
    wide.width, wide.height = 1 << 20, 2  # 131072 is the limit for such rows
    wide.format, wide.num_channels = drv.array_format.FLOAT, 1
    texref.set_address_2d(drv.mem_alloc(1 << 23), wide, 1 << 22)
    out = drv.mem_alloc(4)
    with pytest.raises(drv.LogicError, match="texture reference 'tex'"):
        plain.get_function("five")(out, block=(1, 1, 1))
    texref.set_array(drv.np_to_array(np.zeros((2, 2), np.float32), "C"))


@pytest.mark.parametrize("wrong", [3, [3], [None], "tex", 0.5])
def test_what_are_no_texrefs(drv: Any, plain: Any, wrong: Any) -> None:
    five, out = plain.get_function("five"), drv.mem_alloc(4)
    with pytest.raises(TypeError, match="texrefs must be"):
        five(out, block=(1, 1, 1), texrefs=wrong)
    with pytest.raises(TypeError, match="texrefs must be"):
        five.prepare("P", texrefs=wrong)
    texref = plain.get_texref("tex")
    with pytest.raises(TypeError, match="list of TextureReference"):
        five(out, block=(1, 1, 1), texrefs=texref)
    assert five.prepare("P", texrefs=(texref,)).texrefs == [texref]


def test_enums(drv: Any) -> None:
    flag = drv.ctx_flags.BLOCKING_SYNC
    assert flag == 4 and isinstance(flag, int)
    assert str(flag) == "BLOCKING_SYNC" == flag.name
    assert repr(flag) == "pycuda._driver.ctx_flags.BLOCKING_SYNC"
    assert str(drv.ctx_flags.SCHED_BLOCKING_SYNC) == "SCHED_BLOCKING_SYNC"
    assert type(flag | drv.ctx_flags.MAP_HOST) is int
    assert drv.ctx_flags.names["MAP_HOST"] is drv.ctx_flags.MAP_HOST
    assert len(drv.device_attribute.names) >= 107
    assert len(drv.device_attribute.values) >= 102
    assert drv.array3d_flags.ARRAY3D_LAYERED == 1
    with pytest.raises(RuntimeError, match="cannot be instantiated"):
        drv.host_alloc_flags()


def test_exceptions(drv: Any) -> None:
    for name in ["MemoryError", "LogicError", "LaunchError", "RuntimeError"]:
        cls = getattr(drv, name)
        assert issubclass(cls, drv.Error) and cls.__name__ == name
    assert not issubclass(drv.MemoryError, MemoryError)
    error = drv.CompileError("msg", ["nvcc", "-x"], "out", "err")
    assert str(error) == "msg\n[stderr:\nerr]\n[stdout:\nout]\n" + (
        "[command: nvcc -x]"
    )


def test_bad_images(drv: Any) -> None:
    for image in (b"", b"garbage" * 100, b"\x7fELF" + bytes(200)):
        with pytest.raises(drv.Error, match="cuModuleLoadDataEx failed"):
            drv.module_from_buffer(image)
    with pytest.raises(TypeError):
        drv.module_from_buffer("text")
    with pytest.raises(drv.RuntimeError, match="cuModuleLoad failed"):
        drv.module_from_file("/nonexistent/file.cubin")


def test_a_texture_reference_tells_its_format(drv: Any) -> None:
    reference = drv.TextureReference()
    reference.set_format(drv.array_format.SIGNED_INT16, 2)
    assert reference.get_format() == (drv.array_format.SIGNED_INT16, 2)


@pytest.mark.parametrize(
    "name",
    ["Error", "LogicError", "LaunchError", "MemoryError", "RuntimeError",
     "CompileError"],
)  # fmt: skip
def test_exceptions_have_their_public_name(drv: Any, name: str) -> None:
    kind = getattr(drv, name)
    assert kind.__module__ == "pycuda.driver"
    assert kind.__qualname__ == kind.__name__ == name
    error = kind("text")
    lines = traceback.format_exception_only(kind, error)
    assert lines == [f"pycuda.driver.{name}: text\n"]
    assert f"<class 'pycuda.driver.{name}'>" == repr(kind)
    error.note = [1]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        repeated = pickle.loads(pickle.dumps(error, protocol))
        assert type(repeated) is kind and str(repeated) == "text"
        assert repeated.note == [1]
    assert type(copy.deepcopy(error)) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_errors_pickled_under_the_private_name(drv: Any) -> None:
    old = b"cpycuda._driver\nLogicError\n(S'text'\ntR."
    repeated = pickle.loads(old)
    assert type(repeated) is drv.LogicError and str(repeated) == "text"
