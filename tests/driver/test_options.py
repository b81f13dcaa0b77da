"""Each optional argument in interface.toml, passed once, and its effect."""

# SPDX-License-Identifier: MIT

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

TABLE = tomllib.loads((Path(__file__).parent / "interface.toml").read_text())
COVERED: set[str] = set()


def covers(text: str) -> Callable[[Any], Any]:
    """Declare the arguments, "name.argument", that a test passes."""
    COVERED.update(text.split())
    return lambda test: test


def options(text: str) -> Iterator[str]:
    """Return names of the optional arguments of one entry."""
    parts = text.removeprefix("static").split(",")
    for place, part in enumerate(part.strip() for part in parts):
        if "=" in part:
            yield part.partition("=")[0]
        elif part.endswith("?"):
            yield f"{place}"


def test_every_option_is_given() -> None:
    wanted = set()
    for name, text in TABLE["functions"].items():
        wanted |= {f"{name}.{option}" for option in options(text)}
    for kind, entry in TABLE["classes"].items():
        for method, text in entry.get("methods", {}).items():
            found = options(text)
            wanted |= {f"{kind}.{method}.{option}" for option in found}
    assert wanted - COVERED == set()
    assert COVERED - wanted == set()


# -- host memory

KINDS = {
    "pagelocked": {"mem_flags": 2},
    "aligned": {"alignment": 1 << 16},
    "managed": {"mem_flags": 1},
}


@covers(
    """
    pagelocked_empty.order pagelocked_zeros.order
    aligned_empty.order aligned_zeros.order
    managed_empty.order managed_zeros.order
    """
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["empty", "zeros"])
def test_order(drv: Any, kind: str, form: str) -> None:
    make = getattr(drv, f"{kind}_{form}")
    for order, strides in (("F", (4, 12)), ("C", (16, 4))):
        made = make((3, 4), np.float32, order=order)
        assert made.strides == strides
        assert form == "empty" or not made.any()


@covers(
    """
    pagelocked_empty.mem_flags pagelocked_zeros.mem_flags
    pagelocked_empty_like.mem_flags pagelocked_zeros_like.mem_flags
    aligned_empty.alignment aligned_zeros.alignment
    aligned_empty_like.alignment aligned_zeros_like.alignment
    managed_empty.mem_flags managed_zeros.mem_flags
    managed_empty_like.mem_flags managed_zeros_like.mem_flags
    """
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["empty", "zeros"])
def test_flags_and_alignment(drv: Any, kind: str, form: str) -> None:
    options = KINDS[kind]
    like = np.full((3, 4), 7, np.int16)
    for made in (
        getattr(drv, f"{kind}_{form}")((3, 4), np.int16, **options),
        getattr(drv, f"{kind}_{form}_like")(like, **options),
    ):
        assert made.shape == (3, 4) and made.dtype == np.int16
        assert form == "empty" or not made.any()
        if kind == "aligned":
            assert made.ctypes.data % (1 << 16) == 0
        elif kind == "pagelocked":
            assert made.base.get_flags() & 2
        else:
            assert made.base.get_device_pointer() == made.ctypes.data


@covers("register_host_memory.flags")
def test_flags_of_registered_memory(drv: Any) -> None:
    flags = drv.mem_host_register_flags
    own = np.zeros(4096, np.uint8)
    array = drv.register_host_memory(own, flags.DEVICEMAP | flags.PORTABLE)
    drv.memset_d8(array.base.get_device_pointer(), 5, 16)
    assert own[:16].tolist() == [5] * 16
    array.base.unregister()
    with pytest.raises(drv.LogicError, match="cuMemHostRegister failed"):
        drv.register_host_memory(own, flags=1 << 20)


# -- copies and fills


@covers(
    """
    memcpy_dtod_async.stream memcpy_dtoh_async.stream memcpy_htod_async.stream
    memset_d8_async.stream memset_d16_async.stream memset_d32_async.stream
    memset_d2d8_async.stream memset_d2d16_async.stream
    memset_d2d32_async.stream memcpy_peer_async.stream
    """
)
def test_the_stream_is_the_one_given(drv: Any) -> None:
    """The stream captures each call, so the call used that stream."""
    memory, other = drv.mem_alloc(64), drv.mem_alloc(64)
    host = drv.pagelocked_zeros(16, np.uint32)
    calls = [
        lambda s: drv.memcpy_dtod_async(other, memory, 16, stream=s),
        lambda s: drv.memcpy_dtoh_async(host, memory, stream=s),
        lambda s: drv.memcpy_htod_async(memory, host, stream=s),
        lambda s: drv.memset_d8_async(memory, 1, 16, stream=s),
        lambda s: drv.memset_d16_async(memory, 1, 16, stream=s),
        lambda s: drv.memset_d32_async(memory, 1, 16, stream=s),
        lambda s: drv.memset_d2d8_async(memory, 8, 1, 2, 2, stream=s),
        lambda s: drv.memset_d2d16_async(memory, 8, 1, 2, 2, stream=s),
        lambda s: drv.memset_d2d32_async(memory, 8, 1, 2, 2, stream=s),
    ]
    for index, call in enumerate(calls):
        stream = drv.Stream()
        with stream.capture() as graph:
            call(stream)
        assert graph.node_count == 1, index
    stream = drv.Stream()
    drv.memset_d32(memory, 9, 16)
    drv.memcpy_peer_async(other, memory, 64, stream=stream)
    stream.synchronize()
    assert (drv.from_device(other, 16, np.uint32) == 9).all()


@covers(
    """
    memcpy_peer.dest_context memcpy_peer.src_context
    memcpy_peer_async.dest_context memcpy_peer_async.src_context
    """
)
def test_contexts_of_peers(drv: Any, context: Any) -> None:
    data = np.arange(16, dtype=np.int32)
    source = drv.to_device(data)
    other = drv.Device(0).make_context()
    try:
        for name in ("memcpy_peer", "memcpy_peer_async"):
            target = drv.to_device(np.zeros_like(data))
            getattr(drv, name)(
                target, source, 64, dest_context=other, src_context=context
            )
            drv.Context.synchronize()
            context.push()
            drv.Context.synchronize()
            drv.Context.pop()
            found = drv.from_device_like(target, data)
            np.testing.assert_array_equal(found, data)
            target.free()
    finally:
        other.detach()


@covers("from_device.order")
def test_order_of_what_comes_back(drv: Any) -> None:
    table = np.arange(6, dtype=np.int16).reshape(2, 3)
    memory = drv.to_device(table)
    found = drv.from_device(memory, (3, 2), np.int16, order="F")
    assert found.flags.f_contiguous
    np.testing.assert_array_equal(found, table.T)


@covers("DeviceAllocation.as_buffer.offset PointerHolderBase.as_buffer.offset")
def test_offset_of_a_buffer(drv: Any) -> None:
    managed = drv.managed_empty(8, np.int32)
    managed[:] = np.arange(8)

    class Holder(drv.PointerHolderBase):
        def get_pointer(self) -> int:
            return int(managed.base)

    for thing in (managed.base, Holder()):
        view = thing.as_buffer(8, offset=12)
        assert np.frombuffer(view, np.int32).tolist() == [3, 4]


# -- arrays and references


def read_array(drv: Any, array: Any, kind: Any, shape: Any) -> np.ndarray:
    """Return the contents of a 2-D CUDA array."""
    found = np.zeros(shape, kind)
    copy = drv.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(found)
    copy.width_in_bytes = copy.dst_pitch = found.strides[0]
    copy.height = shape[0]
    copy(aligned=True)
    return found


@covers("matrix_to_array.allow_double_hack")
def test_doubles_as_two_channels(drv: Any) -> None:
    table = np.arange(6.0).reshape(2, 3)
    array = drv.matrix_to_array(table, "C", allow_double_hack=True)
    descriptor = array.get_descriptor()
    assert (descriptor.width, descriptor.height) == (3, 2)
    assert descriptor.num_channels == 2
    assert descriptor.format == drv.array_format.SIGNED_INT32
    found = read_array(drv, array, np.float64, (2, 3))
    np.testing.assert_array_equal(found, table)
    fortran = drv.matrix_to_array(table, "F", allow_double_hack=True)
    found = read_array(drv, fortran, np.float64, (3, 2))
    np.testing.assert_array_equal(found, table.T)


@covers("np_to_array.allowSurfaceBind gpuarray_to_array.allowSurfaceBind")
@pytest.mark.parametrize("name", ["np_to_array", "gpuarray_to_array"])
def test_arrays_for_surfaces(drv: Any, name: str) -> None:
    from pycuda import gpuarray

    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    if name == "gpuarray_to_array":
        given = gpuarray.to_gpu(given)
    array = getattr(drv, name)(given, "C", allowSurfaceBind=True)
    wanted = drv.array3d_flags.SURFACE_LDST
    assert array.get_descriptor_3d().flags & wanted
    plain = getattr(drv, name)(given, "C")
    assert not plain.get_descriptor_3d().flags & wanted


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_views(drv: Any, order: str) -> None:
    """Elements arrive at their positions, whatever the view's strides."""
    from pycuda import gpuarray

    table = np.arange(48, dtype=np.float32).reshape(6, 8)
    whole = gpuarray.to_gpu(table)
    for index in (
        np.s_[:, :],
        np.s_[1:, ::2],
        np.s_[::-1, 3:],
        np.s_[2:4],
    ):
        for view, wanted in (
            (whole[index], table[index]),
            (whole.T[index], table.T[index]),
        ):
            array = drv.gpuarray_to_array(view, order)
            wanted = wanted if order == "C" else wanted.T
            found = read_array(drv, array, np.float32, wanted.shape)
            np.testing.assert_array_equal(found, wanted)
    with pytest.raises(drv.LogicError, match="order must be either F or C"):
        drv.gpuarray_to_array(whole, "K")


REFERENCES = """
texture<float, 1> line;
surface<void, 2> canvas;
__global__ void fetch(float *out)
{
    out[threadIdx.x] = tex1Dfetch(line, threadIdx.x);
}
__global__ void paint(float value)
{
    surf2Dwrite(value, canvas, threadIdx.x * 4, threadIdx.y);
}
"""


@covers("TextureReference.set_address.allow_offset")
def test_an_address_with_an_offset(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    module = SourceModule(REFERENCES)
    line = module.get_texref("line")
    line.set_format(drv.array_format.FLOAT, 1)
    memory = drv.to_device(np.arange(64, dtype=np.float32))
    with pytest.raises(drv.LogicError, match="offset"):
        line.set_address(int(memory) + 12, 64)
    offset = line.set_address(int(memory) + 12, 64, allow_offset=True)
    out = np.zeros(8, np.float32)
    module.get_function("fetch")(drv.Out(out), block=(8, 1, 1), texrefs=[line])
    assert out[offset // 4 :].tolist() == list(range(3, 11 - offset // 4))


@covers("SurfaceReference.set_array.flags")
def test_flags_of_a_surface(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    module = SourceModule(REFERENCES)
    canvas = module.get_surfref("canvas")
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth = 4, 2, 0
    descriptor.format, descriptor.num_channels = drv.array_format.FLOAT, 1
    descriptor.flags = drv.array3d_flags.SURFACE_LDST
    array = drv.Array(descriptor)
    canvas.set_array(array, flags=0)
    assert canvas.get_array().handle == array.handle
    module.get_function("paint")(np.float32(2.5), block=(4, 2, 1))
    found = read_array(drv, array, np.float32, (2, 4))
    assert (found == 2.5).all()


# -- contexts, streams, events, modules


@covers("init.flags")
def test_init_takes_no_flags(drv: Any) -> None:
    assert drv.init(flags=0) is None
    with pytest.raises(drv.LogicError, match="cuInit failed"):
        drv.init(flags=2)


@covers("Device.make_context.flags Context.attach.flags")
def test_flags_of_contexts(drv: Any, context: Any) -> None:
    flag = drv.ctx_flags.SCHED_BLOCKING_SYNC
    made = drv.Device(0).make_context(flags=flag)
    try:
        repeated = drv.Context.attach(flags=0)
        assert repeated == made and drv.Context.get_current() is repeated
        memory = drv.to_device(np.arange(4, dtype=np.int32))
        assert drv.from_device(memory, 4, np.int32)[3] == 3
        del memory
        repeated.detach()
    finally:
        drv.Context.pop() if drv.Context.get_current() is made else None
    assert drv.Context.get_current() is context


@covers("Context.enable_peer_access.flags")
def test_flags_of_peer_access(drv: Any, context: Any) -> None:
    with pytest.raises(drv.Error, match="cuCtxEnablePeerAccess failed"):
        drv.Context.enable_peer_access(context, flags=7)
    with pytest.raises(TypeError):
        drv.Context.enable_peer_access(context, flags="x")


@covers("Event.__init__.flags Event.record.stream Stream.__init__.flags")
def test_flags_of_events_and_streams(drv: Any) -> None:
    stream = drv.Stream(flags=1)
    assert stream.flags == 1 and drv.Stream().flags == 0
    plain, start, end = (
        drv.Event(flags=drv.event_flags.DISABLE_TIMING),
        drv.Event(flags=drv.event_flags.BLOCKING_SYNC),
        drv.Event(),
    )
    assert start.record(stream=stream) is start
    end.record(stream)
    plain.record(stream=stream).synchronize()
    end.synchronize()
    assert end.time_since(start) >= 0
    with pytest.raises(drv.LogicError, match="cuEventElapsedTime failed"):
        plain.time_since(start)


@covers("ManagedAllocation.attach.stream")
def test_managed_memory_of_a_stream(drv: Any) -> None:
    array = drv.managed_zeros(4, np.int32)
    stream = drv.Stream()
    flag = drv.mem_attach_flags.SINGLE
    assert array.base.attach(flag, stream=stream) is None
    stream.synchronize()
    drv.memset_d32_async(array.base, 6, 4, stream=stream)
    stream.synchronize()
    assert array.tolist() == [6] * 4
    with pytest.raises(drv.LogicError, match="cuStreamAttachMemAsync failed"):
        array.base.attach(77, stream=stream)


@covers("module_from_buffer.options module_from_buffer.message_handler")
def test_options_of_modules(drv: Any) -> None:
    from pycuda.compiler import compile

    image = compile("__global__ void f(int *x) { *x = 8; }")
    told: list[Any] = []
    module = drv.module_from_buffer(
        image,
        options=[(drv.jit_option.MAX_REGISTERS, 32)],
        message_handler=lambda *words: told.append(words),
    )
    out = np.zeros(1, np.int32)
    module.get_function("f")(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 8
    assert told and told[0][0] is True
    with pytest.raises((TypeError, ValueError)):
        drv.module_from_buffer(image, options=["fast"])


@covers("Linker.add_data.name")
def test_names_of_what_is_linked(drv: Any) -> None:
    told: list[Any] = []
    linker = drv.Linker(lambda *words: told.append(words), None, True)
    with pytest.raises(drv.Error, match="cuLinkAddData failed"):
        linker.add_data(b"no image", drv.jit_input_type.CUBIN, name="my_part")
    assert told[0][0] is False
    with pytest.raises(TypeError):
        linker.add_data(b"no image", drv.jit_input_type.CUBIN, name=5)


@covers("IPCMemoryHandle.__init__.1")
def test_flags_of_ipc(drv: Any) -> None:
    handle = bytes(drv.mem_get_ipc_handle(drv.mem_alloc(1 << 20)))
    with pytest.raises(drv.Error, match="cuIpcOpenMemHandle failed"):
        drv.IPCMemoryHandle(handle, 99)
    with pytest.raises(TypeError):
        drv.IPCMemoryHandle(handle, "lazily")


# -- pools, debugging


@covers(
    """
    PageLockedAllocator.__init__.0 PageLockedMemoryPool.__init__.0
    PageLockedMemoryPool.allocate.order
    """
)
def test_a_pool_of_an_allocator(drv: Any) -> None:
    flags = drv.host_alloc_flags
    pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(flags.PORTABLE))
    made = pool.allocate((3, 4), np.float32, order="F")
    assert made.shape == (3, 4) and made.strides == (4, 12)
    assert (pool.active_blocks, pool.held_blocks) == (1, 0)
    del made
    assert (pool.active_blocks, pool.held_blocks) == (0, 1)
    pool.free_held()
    assert pool.held_blocks == 0


@covers("set_debugging.flag")
def test_debugging_is_switched(drv: Any) -> None:
    before = drv.CUDA_DEBUGGING
    try:
        drv.set_debugging()
        assert drv.CUDA_DEBUGGING is True
        drv.set_debugging(flag=False)
        assert drv.CUDA_DEBUGGING is False
    finally:
        drv.set_debugging(before)
