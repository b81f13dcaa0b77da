"""Copies and fills:

1-D, 2-D, 3-D, peers, arrays; synchronous or in streams.
"""

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(params=["at once", "in a stream"])
def stream(request: pytest.FixtureRequest, drv: Any) -> Any:
    """None, or a Stream."""
    return drv.Stream(1) if request.param == "in a stream" else None


def placed(drv: Any, data: np.ndarray) -> Any:
    """Return a device copy that non-blocking streams see too."""
    memory = drv.to_device(data)
    drv.Context.synchronize()
    return memory


def done(stream: Any) -> None:
    if stream is not None:
        stream.synchronize()


def call(drv: Any, name: str, stream: Any, *arguments: Any) -> Any:
    """Call the function, or its _async form on the stream."""
    if stream is None:
        return getattr(drv, name)(*arguments)
    return getattr(drv, name + "_async")(*arguments, stream=stream)


@pytest.mark.parametrize("size", [0, 1, 3, 63, 4096, 70_001, 1 << 20])
def test_there_and_back(drv: Any, stream: Any, size: int) -> None:
    memory, other = drv.mem_alloc(size + 16), drv.mem_alloc(size + 16)
    data = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    back = np.zeros_like(data)
    drv.memset_d8(other, 170, size + 16)
    drv.Context.synchronize()
    assert call(drv, "memcpy_htod", stream, int(memory) + 3, data) is None
    call(drv, "memcpy_dtod", stream, int(other) + 5, int(memory) + 3, size)
    call(drv, "memcpy_dtoh", stream, back, int(other) + 5)
    done(stream)
    np.testing.assert_array_equal(back, data)
    whole = drv.from_device(other, size + 16, np.uint8)
    assert (whole[:5] == 170).all() and (whole[5 + size :] == 170).all()


WAIT = """
__global__ void wait(volatile int *flag, int *seen)
{
    // Ends by itself: a copy that keeps Python's lock fails the test.
    const long long start = clock64();
    while (!*flag && clock64() - start < 4000000000LL) { }
    *seen = *flag;
}
"""


@pytest.mark.parametrize("size", [1, 1 << 16])
@pytest.mark.parametrize("own_stream", [False, True])
def test_the_device_may_wait_for_python(
    drv: Any, size: int, own_stream: bool
) -> None:
    """A copy that waits for a kernel releases the GIL."""
    from pycuda.compiler import SourceModule

    wait = SourceModule(WAIT).get_function("wait")
    flag = drv.pagelocked_zeros(
        1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    where = np.uintp(int(flag.base.get_device_pointer()))
    seen = placed(drv, np.zeros(size, np.int32))
    back = np.zeros(size, np.int32)
    thread = threading.Timer(0.1, flag.fill, (1,))
    with drv.Stream() if own_stream else contextlib.nullcontext():
        wait(where, seen, block=(1, 1, 1))
        thread.start()
        drv.memcpy_dtoh(back, seen)
    thread.join()
    assert back[0] == 1


@pytest.mark.parametrize(
    "source",
    [
        b"abcdefgh",
        bytearray(b"abcdefgh"),
        memoryview(b"abcdefgh"),
        np.frombuffer(b"abcdefgh", np.int32),
        np.array(7.5),
        np.float64(7.5),
        np.asfortranarray(np.arange(8, dtype=np.uint8).reshape(2, 4)),
        np.zeros(8, np.bool_),
        np.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_kinds_of_sources(drv: Any, source: Any) -> None:
    memory = drv.mem_alloc(8)
    drv.memcpy_htod(memory, source)
    back = bytearray(8)
    drv.memcpy_dtoh(back, memory)
    wanted = (
        source.tobytes("A") if hasattr(source, "tobytes") else bytes(source)
    )
    assert bytes(back) == wanted


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda d, m: d.memcpy_htod(m, "text"), TypeError),
        (lambda d, m: d.memcpy_htod(m, [1, 2]), TypeError),
        (lambda d, m: d.memcpy_htod(m, np.zeros(9)[::2]), ValueError),
        (lambda d, m: d.memcpy_dtoh(b"12345678", m), (BufferError, TypeError)),
        (lambda d, m: d.memcpy_htod(1.5, b"1"), TypeError),
        (lambda d, m: d.memcpy_dtod(m, m, -1), OverflowError),
        (lambda d, m: d.memcpy_dtod(m, m, 1.0), TypeError),
        (lambda d, m: d.memcpy_dtod(m, m), TypeError),
        (lambda d, m: d.memcpy_htod_async(m, b"1", stream=0), TypeError),
        (lambda d, m: d.memset_d8(m, 256, 1), OverflowError),
        (lambda d, m: d.memset_d16(m, -1, 1), OverflowError),
        (lambda d, m: d.memset_d32(m, 1.5, 1), TypeError),
    ],
)
def test_what_cannot_be_copied(
    drv: Any, wrong: Callable[..., Any], error: Any
) -> None:
    with pytest.raises(error):
        wrong(drv, drv.mem_alloc(64))


@pytest.mark.parametrize("dtype", [object, [("a", "i4"), ("b", object)]])
def test_arrays_of_python_objects(drv: Any, dtype: Any) -> None:
    array = np.empty(4, dtype)
    memory = drv.mem_alloc(array.nbytes)
    says = "holds pointers to Python objects"
    for host in (array, memoryview(array)) if dtype is object else (array,):
        for call in (
            lambda: drv.memcpy_htod(memory, host),  # noqa: B023
            lambda: drv.memcpy_dtoh(host, memory),  # noqa: B023
            lambda: drv.memcpy_htod_async(memory, host),  # noqa: B023
            lambda: drv.memcpy_dtoh_async(host, memory),  # noqa: B023
            lambda: drv.to_device(host),  # noqa: B023
            lambda: drv.Memcpy2D().set_src_host(host),  # noqa: B023
            lambda: drv.Memcpy3D().set_dst_host(host),  # noqa: B023
        ):
            with pytest.raises(TypeError, match=says):
                call()
    for kind in (drv.In, drv.InOut):
        with pytest.raises(TypeError, match=says):
            kind(array).pre_call(None)
    with pytest.raises(TypeError, match=says):
        drv.Out(array).post_call(None)


def test_an_address_that_is_none(drv: Any) -> None:
    with pytest.raises(drv.LogicError, match="cuMemcpyHtoD failed: invalid"):
        drv.memcpy_htod(0, b"1234")


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_fills(drv: Any, stream: Any, bits: int) -> None:
    dtype = np.dtype(f"u{bits // 8}")
    memory = placed(drv, np.zeros(100, dtype))
    value = (1 << bits) - 3
    start = int(memory) + 10 * dtype.itemsize
    call(drv, f"memset_d{bits}", stream, start, np.uint64(value), 50)
    done(stream)
    found = drv.from_device(memory, 100, dtype)
    assert (found[10:60] == value).all()
    assert not found[:10].any() and not found[60:].any()


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_fills_of_rows(drv: Any, stream: Any, bits: int) -> None:
    dtype = np.dtype(f"u{bits // 8}")
    table = np.zeros((6, 16), dtype)
    memory = placed(drv, table)
    pitch = table.strides[0]
    name = f"memset_d2d{bits}"
    call(drv, name, stream, int(memory) + pitch, pitch, 77, 9, 4)
    done(stream)
    table[1:5, :9] = 77
    np.testing.assert_array_equal(drv.from_device_like(memory, table), table)
    with pytest.raises(drv.LogicError, match="cuMemsetD2D"):
        call(drv, name, stream, memory, 1, 77, 9, 4)  # rows overlap


# -- 2-D


def test_2d_host_to_device_and_back(drv: Any, stream: Any) -> None:
    table = np.arange(48, dtype=np.int32).reshape(6, 8)
    memory, pitch = drv.mem_alloc_pitch(32, 6, 4)
    there = drv.Memcpy2D()
    there.set_src_host(table)
    there.set_dst_device(memory)
    there.src_pitch, there.dst_pitch = 32, pitch
    there.width_in_bytes, there.height = 32, 6
    there(stream) if stream else there(aligned=True)
    back = np.zeros((4, 5), np.int32)
    some = drv.Memcpy2D()
    some.set_src_device(int(memory))
    some.set_dst_host(back)
    some.src_pitch, some.dst_pitch = pitch, 20
    some.src_x_in_bytes, some.src_y = np.int64(8), 1
    some.width_in_bytes, some.height = 20, 4
    some(stream) if stream else some(aligned=False)
    done(stream)
    np.testing.assert_array_equal(back, table[1:5, 2:7])
    assert some.src_y == 1 and some.width_in_bytes == 20
    assert some.src_memory_type == drv.memory_type.DEVICE


def test_2d_between_devices_and_arrays(drv: Any, stream: Any) -> None:
    table = np.arange(48, dtype=np.float32).reshape(6, 8)
    memory = placed(drv, table)
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height = 8, 6
    descriptor.format = drv.array_format.FLOAT
    descriptor.num_channels = 1
    array = drv.Array(descriptor)
    there = drv.Memcpy2D()
    there.set_src_device(memory)
    there.set_dst_array(array)
    there.src_pitch = there.width_in_bytes = 32
    there.height = 6
    there(stream) if stream else there()
    back = drv.Memcpy2D()
    back.set_src_array(array)
    result = np.zeros((6, 8), np.float32)
    back.set_dst_host(result)
    back.dst_pitch = back.width_in_bytes = 32
    back.height = 6
    back(stream) if stream else back(aligned=True)
    done(stream)
    np.testing.assert_array_equal(result, table)


def test_2d_mistakes(drv: Any) -> None:
    copy = drv.Memcpy2D()
    copy.set_src_host(np.zeros(16, np.uint8))
    copy.set_dst_device(drv.mem_alloc(64))
    copy.width_in_bytes, copy.height = 16, 2
    copy.src_pitch, copy.dst_pitch = 8, 16
    with pytest.raises(drv.LogicError, match="cuMemcpy2D"):
        copy(aligned=True)
    with pytest.raises(TypeError):
        copy.set_src_host("text")
    with pytest.raises(TypeError):
        copy.set_dst_device("text")
    with pytest.raises((TypeError, OverflowError)):
        copy.height = -1
    with pytest.raises(TypeError):
        copy.width_in_bytes = 1.5


def test_2d_keeps_its_ends(drv: Any) -> None:
    """The descriptor keeps references to its source and destination."""
    import gc

    copy = drv.Memcpy2D()
    copy.set_src_host(np.arange(16, dtype=np.uint8))
    memory = drv.mem_alloc(16)
    copy.set_dst_device(memory)
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 16
    copy.height = 1
    gc.collect()
    _ = [np.full(16, 9, np.uint8) for _ in range(50)]
    copy(aligned=True)
    found = drv.from_device(memory, 16, np.uint8)
    np.testing.assert_array_equal(found, np.arange(16))


@pytest.mark.parametrize("kind", ["Memcpy2D", "Memcpy3D"])
@pytest.mark.parametrize("end", ["src", "dst"])
def test_a_buffer_stays_while_it_is_set(drv: Any, kind: str, end: str) -> None:
    data = bytearray(range(64)) * 1024
    copy = getattr(drv, kind)()
    for setter in ("host", "unified"):
        getattr(copy, f"set_{end}_{setter}")(data)
        with pytest.raises(BufferError):
            data.clear()
    memory = drv.mem_alloc(len(data))
    getattr(copy, f"set_{end}_device")(memory)
    data.extend(b"more")
    getattr(copy, f"set_{end}_host")(data)
    del copy
    data.clear()


def test_a_cycle_through_a_copy(drv: Any) -> None:
    import gc
    import weakref

    class Buffer(np.ndarray):  # type: ignore[type-arg]
        pass

    copy = drv.Memcpy2D()
    array = np.zeros(4).view(Buffer)
    array.copy_of_it = copy  # type: ignore[attr-defined]
    copy.set_src_host(array)
    copy.set_dst_host(array)
    gone = weakref.ref(array)
    del copy, array
    gc.collect()
    assert gone() is None


# -- 3-D


@pytest.mark.parametrize("kind", ["Memcpy3D", "Memcpy3DPeer"])
def test_3d(drv: Any, context: Any, stream: Any, kind: str) -> None:
    box = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
    memory = placed(drv, box)
    target = placed(drv, np.zeros_like(box))
    copy = getattr(drv, kind)()
    copy.set_src_device(memory)
    copy.set_dst_device(target)
    if kind == "Memcpy3DPeer":
        copy.set_src_context(context)
        copy.set_dst_context(context)
    copy.src_pitch = copy.dst_pitch = 24
    copy.src_height = copy.dst_height = 5
    copy.src_x_in_bytes, copy.src_y, copy.src_z = 8, 1, 2
    copy.dst_x_in_bytes, copy.dst_y, copy.dst_z = 0, 2, 1
    copy.width_in_bytes, copy.height, copy.depth = 16, 3, 2
    copy(stream) if stream else copy()
    done(stream)
    wanted = np.zeros_like(box)
    wanted[1:3, 2:5, :4] = box[2:4, 1:4, 2:]
    np.testing.assert_array_equal(drv.from_device_like(target, box), wanted)
    copy.width_in_bytes = 25 << 10
    with pytest.raises(drv.LogicError, match="cuMemcpy3D"):
        copy()


def test_3d_host_and_none(drv: Any) -> None:
    box = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    memory = drv.mem_alloc(24)
    copy = drv.Memcpy3D()
    copy.set_src_host(box)
    copy.set_dst_device(memory)
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 4
    copy.src_height = copy.dst_height = copy.height = 3
    copy.depth = 2
    copy(None)
    drv.Context.synchronize()
    np.testing.assert_array_equal(drv.from_device_like(memory, box), box)


# -- arrays of one dimension


def test_1d_arrays(drv: Any) -> None:
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height = 16, 0
    descriptor.format = drv.array_format.UNSIGNED_INT8
    descriptor.num_channels = 1
    first, second = drv.Array(descriptor), drv.Array(descriptor)
    data = np.arange(16, dtype=np.uint8)
    memory = placed(drv, data)
    drv.memcpy_dtoa(first, 4, memory, 12)
    drv.memcpy_htoa(first, 0, b"\x09\x08\x07\x06")
    drv.memcpy_atoa(second, 0, first, 0, 16)
    back = np.zeros(16, np.uint8)
    drv.memcpy_atoh(back, second, 0)
    wanted = [9, 8, 7, 6, *range(12)]
    assert back.tolist() == wanted
    drv.memcpy_atod(memory, second, 8, 8)
    assert drv.from_device(memory, 8, np.uint8).tolist() == wanted[8:]
    with pytest.raises(drv.LogicError, match="cuMemcpyDtoA failed"):
        drv.memcpy_dtoa(first, 8, memory, 16)
    with pytest.raises(TypeError):
        drv.memcpy_atod(memory, "array", 0, 1)
    first.free()
    first.free()  # memory may be freed several times
    with pytest.raises(drv.LogicError):
        drv.memcpy_atod(memory, first, 0, 1)


# -- peers


def test_peers(drv: Any, context: Any, stream: Any) -> None:
    """Two contexts of one device, named explicitly or not."""
    data = np.arange(100, dtype=np.int32)
    source = placed(drv, data)
    same = drv.mem_alloc(400)
    call(drv, "memcpy_peer", stream, same, source, 400)
    done(stream)
    np.testing.assert_array_equal(drv.from_device_like(same, data), data)
    other = drv.Device(0).make_context()
    try:
        target = drv.mem_alloc(400)
        drv.memcpy_peer(
            target, source, 400, dest_context=other, src_context=context
        )
        found = drv.from_device_like(target, data)
        np.testing.assert_array_equal(found, data)
        with pytest.raises(TypeError, match="expected a Context"):
            drv.memcpy_peer(target, source, 400, dest_context=1)
    finally:
        other.detach()


def boxed(drv: Any, make: str, **sizes: int) -> Any:
    copy = getattr(drv, make)()
    for name, value in sizes.items():
        setattr(copy, name, value)
    return copy


@pytest.mark.parametrize("make", ["Memcpy2D", "Memcpy3D", "Memcpy3DPeer"])
@pytest.mark.parametrize(
    "sizes",
    [
        {"width_in_bytes": 44, "height": 10},
        {"width_in_bytes": 40, "height": 11},
        {"width_in_bytes": 40, "height": 10, "src_y": 1, "dst_y": 1},
        {"src_x_in_bytes": 4, "dst_x_in_bytes": 4, "width_in_bytes": 40},
        {"width_in_bytes": 4, "height": 2, "src_pitch": 400},
        {"width_in_bytes": 4, "height": 2, "src_pitch": 2**63},
        {"width_in_bytes": 2**62, "height": 2**62},
    ],
    ids=str,
)
def test_copies_that_leave_the_host_memory(
    drv: Any, make: str, sizes: dict[str, int]
) -> None:
    """Rejected before anything is read or written."""
    sizes = {"src_pitch": 40, "height": 10} | sizes
    sizes |= {"dst_pitch": sizes["src_pitch"]}
    if make != "Memcpy2D":
        sizes |= {"depth": 1}
    host = np.zeros((10, 10), np.float32)
    memory = drv.mem_alloc(4000)
    outward = boxed(drv, make, **sizes)
    outward.set_src_device(memory)
    outward.set_dst_host(host)
    inward = boxed(drv, make, **sizes)
    inward.set_src_host(host)
    inward.set_dst_device(memory)
    arguments = [(True,)] if make == "Memcpy2D" else [()]
    for given in [*arguments, (drv.Stream(),)]:
        with pytest.raises(drv.LogicError, match="the target's host memory"):
            outward(*given)
        with pytest.raises(drv.LogicError, match="source's host memory, whi"):
            inward(*given)


def test_rows_of_a_larger_matrix(drv: Any) -> None:
    """The view is the start of the copy; its base array sets the bounds."""
    matrix = np.arange(100, dtype=np.float32).reshape(10, 10)
    memory = drv.mem_alloc(400)
    copy = boxed(drv, "Memcpy2D", width_in_bytes=12, height=9, src_pitch=40)
    copy.set_src_host(matrix[1, 3:6])
    copy.set_dst_device(memory)
    copy.dst_pitch = 12
    copy()
    found = drv.from_device(memory, (9, 3), np.float32)
    np.testing.assert_array_equal(found, matrix[1:, 3:6])
    copy.height = 10
    with pytest.raises(drv.LogicError, match="needs 372 bytes of .* 348"):
        copy()


def test_ends_that_were_replaced(drv: Any) -> None:
    """Setting only the memory type does not restore an earlier object."""
    memory = placed(drv, np.arange(4, dtype=np.int32))
    copy = boxed(drv, "Memcpy2D", width_in_bytes=16, height=1)
    copy.set_src_host(np.zeros(4, np.int32))
    copy.set_dst_host(np.zeros(4, np.int32))
    copy.set_src_device(memory)
    copy.set_dst_device(memory)
    copy.src_memory_type = drv.memory_type.HOST
    with pytest.raises(drv.LogicError, match="source's host memory was not"):
        copy()
    copy.set_src_device(memory)
    copy.dst_memory_type = drv.memory_type.HOST
    with pytest.raises(drv.LogicError, match="target's host memory was not"):
        copy()


def test_peers_whose_context_is_gone(drv: Any) -> None:
    other = drv.Device(0).make_context()
    other.pop()
    memory = drv.mem_alloc(64)
    copy = boxed(drv, "Memcpy3DPeer", width_in_bytes=8, height=1, depth=1)
    copy.set_src_device(memory)
    copy.set_dst_device(memory)
    copy.dst_x_in_bytes = 32
    copy.set_src_context(other)
    other.detach()
    with pytest.raises(drv.LogicError, match="context of the copy was det"):
        copy()


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_several_channels(drv: Any, order: str) -> None:
    rows = np.arange(3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4)
    given = rows if order == "C" else rows.T.copy(order="F")
    array = drv.make_multichannel_2d_array(given, order)
    told = array.get_descriptor()
    assert (told.width, told.height, told.num_channels) == (5, 3, 4)
    back, copy = np.zeros_like(rows), drv.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 5 * 4 * 4
    copy.height = 3
    copy(aligned=False)
    assert (back == rows).all()


def test_logarithms(drv: Any) -> None:
    for number in (1, 2, 3, 8, 1023, 1024):
        assert drv.bitlog2(number) == number.bit_length() - 1
