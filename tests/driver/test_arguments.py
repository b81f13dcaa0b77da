"""Kernel arguments: scalars, records by the kernel's layout, and quirks.

The quirks are those of PyCUDA that programs rely on.
"""

import struct
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
struct mixed { char c; double d; short s; float v[2]; };
__global__ void half_bits(int *out, unsigned short h, bool b, char c)
{ out[0] = h; out[1] = b; out[2] = c; }
__global__ void record(double *out, char before, mixed m, int after)
{
    out[0] = before; out[1] = m.c; out[2] = m.d; out[3] = m.s;
    out[4] = m.v[0]; out[5] = m.v[1]; out[6] = after;
}
__global__ void vector(float *out, int n, float4 v)
{ out[0] = n; out[1] = v.x; out[2] = v.y; out[3] = v.z; out[4] = v.w; }
__global__ void pointer(int *x, int n) { x[0] = n; }
__global__ void writes_both(float *a, float *b) { a[0] = b[0] = 1; }
__global__ void numbers(double *out, float2 z, double2 w, long long i)
{ out[0] = z.x; out[1] = z.y; out[2] = w.x; out[3] = w.y; out[4] = i; }
"""
MIXED = np.dtype(
    [("c", "i1"), ("d", "f8"), ("s", "i2"), ("v", "f4", 2)], align=True
)
ONE = {"block": (1, 1, 1)}


def room(drv: Any, count: int, dtype: str) -> Any:
    return drv.to_device(np.zeros(count, dtype))


def test_half_and_bool(drv: Any, get: Any) -> None:
    out = room(drv, 3, "i4")
    half = np.float16(1.5)
    get("half_bits")(out, half, np.bool_(True), np.int8(-5), **ONE)
    found = drv.from_device(out, 3, np.int32)
    assert found.tolist() == [int(half.view(np.uint16)), 1, -5]


def test_complex(drv: Any, get: Any) -> None:
    out = room(drv, 5, "f8")
    get("numbers")(
        out, np.complex64(1 + 2j), np.complex128(3 + 4j), np.int64(-9), **ONE
    )
    assert drv.from_device(out, 5, "f8").tolist() == [1, 2, 3, 4, -9]


def one_record() -> np.ndarray:
    made = np.zeros((), MIXED)
    made["c"], made["d"], made["s"], made["v"] = 1, 2.5, 3, (4, 5)
    return made


@pytest.mark.parametrize(
    "given",
    [one_record(), one_record()[()], one_record().reshape(1)],
    ids=["array", "void", "one element"],
)
def test_records(drv: Any, get: Any, given: Any) -> None:
    """Records are aligned as the kernel expects, after any other argument."""
    out = room(drv, 7, "f8")
    get("record")(out, np.int8(9), given, np.int32(8), **ONE)
    assert drv.from_device(out, 7, "f8").tolist() == [9, 1, 2.5, 3, 4, 5, 8]


def test_a_record_of_another_size(drv: Any, get: Any) -> None:
    out = room(drv, 7, "f8")
    packed = np.zeros((), np.dtype([("c", "i1"), ("d", "f8")]))
    with pytest.raises(TypeError, match="kernel 'record'"):
        get("record")(out, np.int8(9), packed, np.int32(8), **ONE)


def test_vectors(drv: Any, get: Any) -> None:
    import pycuda.gpuarray as gpuarray

    out = room(drv, 5, "f4")
    value = gpuarray.vec.make_float4(1, 2, 3, 4)
    get("vector")(out, np.int32(7), value, **ONE)
    assert drv.from_device(out, 5, "f4").tolist() == [7, 1, 2, 3, 4]
    vector = get("vector").prepare(["P", np.int32, gpuarray.vec.float4])
    vector.prepared_call((1, 1), (1, 1, 1), out, 8, value)
    assert drv.from_device(out, 5, "f4").tolist() == [8, 1, 2, 3, 4]


@pytest.mark.parametrize("wrong", [5, 1.5, True, None, b"12345678", [1], "x"])
def test_what_has_no_size(drv: Any, get: Any, wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"invalid type on parameter #1 \(0-"):
        get("pointer")(room(drv, 1, "i4"), wrong, **ONE)


def test_addresses(drv: Any, get: Any) -> None:
    """An address plus an offset is a NumPy integer of pointer size."""
    memory = room(drv, 4, "i4")
    get("pointer")(np.intp(memory) + 4, np.int32(6), **ONE)
    get("pointer")(np.uintp(int(memory) + 8), np.int32(7), **ONE)
    assert drv.from_device(memory, 4, "i4").tolist() == [0, 6, 7, 0]

    class Other:
        __cuda_array_interface__ = {
            "data": (int(memory), False),
            "shape": (4,),
            "typestr": "<i4",
            "version": 3,
        }

    class Old:
        gpudata = memory

    get("pointer")(Other(), np.int32(8), **ONE)
    assert drv.from_device(memory, 1, "i4")[0] == 8
    get("pointer")(Old(), np.int32(9), **ONE)
    assert drv.from_device(memory, 1, "i4")[0] == 9


class Foreign:
    def __init__(self, gpudata: Any) -> None:
        self.gpudata = gpudata


@pytest.mark.parametrize("gpudata", [None, "x", 1.5])
def test_no_address_in_gpudata(drv: Any, get: Any, gpudata: Any) -> None:
    thing = Foreign(gpudata)
    with pytest.raises(TypeError, match=r"parameter #0 \(0-based\).*Foreign"):
        get("pointer")(thing, np.int32(1), **ONE)
    with pytest.raises(TypeError, match=r"device address.*Foreign"):
        drv.memset_d8(thing, 0, 4)


def test_empty_array_is_a_null_pointer(drv: Any) -> None:
    from pycuda import gpuarray
    from pycuda.compiler import SourceModule

    source = "__global__ void see(long *out, void *x) { out[0] = (long)x; }"
    see = SourceModule(source).get_function("see")
    out = drv.to_device(np.ones(1, np.int64))
    see(out, gpuarray.empty(0, np.float32), **ONE)
    assert drv.from_device(out, 1, np.int64)[0] == 0


def test_prepare_is_of_one_object(drv: Any, get: Any) -> None:
    """Each call of get_function returns a separate object."""
    first, second = get("pointer"), get("pointer")
    assert first is not second and first.prepare("Pi") is first
    assert first.arg_format == "Pi" and first.texrefs == []
    with pytest.raises(RuntimeError, match="call prepare"):
        second.prepared_call((1, 1), (1, 1, 1), room(drv, 1, "i4"), 1)
    assert first.prepare(["P", np.dtype("i4")]).arg_format == "Pi"


def old_calls(drv: Any, function: Any) -> dict[str, Any]:
    """Prepared calls that take the block from _set_block_shape."""
    stream = drv.Stream()
    grid = (1, 1)
    return {
        "prepared_call": lambda *a: function.prepared_call(grid, *a),
        "prepared_async_call": lambda *a: function.prepared_async_call(
            grid, stream, *a
        ),
        "prepared_timed_call": lambda *a: function.prepared_timed_call(
            grid, *a
        )(),
    }


CALLS = ["prepared_call", "prepared_async_call", "prepared_timed_call"]


@pytest.mark.parametrize("name", CALLS)
def test_prepared_without_block(drv: Any, get: Any, name: str) -> None:
    function = get("pointer").prepare("Pi")
    call = old_calls(drv, function)[name]
    memory = room(drv, 1, "i4")
    with pytest.raises(TypeError, match=f"{name}.*'pointer': block must be"):
        call(memory, 3)
    function._set_block_shape(1, 1, 1)
    for value, given in enumerate((memory, int(memory), np.intp(memory))):
        with pytest.warns(DeprecationWarning, match=f"block size to {name}"):
            call(given, value)
        drv.Context.synchronize()
        assert drv.from_device(memory, 1, "i4")[0] == value
    with (
        pytest.warns(DeprecationWarning),
        pytest.raises(struct.error, match="exactly 2"),
    ):
        call(memory, 3, 4)


def test_prepared_without_block_on_the_default_stream(
    drv: Any, get: Any
) -> None:
    function = get("pointer").prepare("Pi")
    function._set_block_shape(1, 1, 1)
    memory = room(drv, 1, "i4")
    with pytest.warns(DeprecationWarning):
        function.prepared_async_call((1, 1), None, memory, 8)
    assert drv.from_device(memory, 1, "i4")[0] == 8
    function.prepared_call((1, 1), 1, memory, 9)
    assert drv.from_device(memory, 1, "i4")[0] == 9


@pytest.mark.parametrize("kind", [int, float, object, bool])
def test_types_that_mean_a_pointer(get: Any, kind: Any) -> None:
    assert get("pointer").prepare([kind, np.int32]).arg_format == "Pi"


def test_prepared_mistakes(drv: Any, get: Any) -> None:
    memory = room(drv, 1, "i4")
    pointer = get("pointer").prepare("Pi")
    with pytest.raises(struct.error, match="exactly 2"):
        pointer.prepared_call((1, 1), (1, 1, 1), memory)
    with pytest.raises(struct.error):
        pointer.prepared_call((1, 1), (1, 1, 1), memory, 1.5)
    with pytest.raises(struct.error):
        pointer.prepared_call((1, 1), (1, 1, 1), memory, 1 << 40)
    with pytest.raises(TypeError, match="unknown keyword arguments"):
        pointer.prepared_call((1, 1), (1, 1, 1), memory, 1, shared=4)


def test_prepared_words_of_64_bits(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    store = SourceModule(
        "__global__ void store(unsigned long long *p, unsigned long long x)"
        "{ *p = x; }"
    ).get_function("store")
    memory = room(drv, 1, "u8")
    store.prepare("PQ")
    for value in (0, 2**63 - 1, 2**63, 3 << 62, 2**64 - 1):
        store.prepared_call((1, 1), (1, 1, 1), memory, value)
        assert drv.from_device(memory, 1, "u8")[0] == value
    for value in (-1, -5, 2**64):
        with pytest.raises(struct.error, match="out of range"):
            store.prepared_call((1, 1), (1, 1, 1), memory, value)


def test_out_is_there_when_the_call_returns(drv: Any, get: Any) -> None:
    result = np.zeros(1, np.int32)
    get("pointer")(drv.Out(result), np.int32(5), **ONE)
    assert result[0] == 5
    stream = drv.Stream(1)
    handler = drv.InOut(result)
    assert handler.array is result and handler.dev_alloc is None
    get("pointer")(handler, np.int32(6), stream=stream, **ONE)
    stream.synchronize()
    assert result[0] == 6 and handler.get_device_alloc()


@pytest.mark.parametrize("kind", ["Out", "InOut"])
def test_out_is_looked_at_before_the_launch(
    drv: Any, get: Any, kind: str
) -> None:
    out = room(drv, 1, "f4")
    vector = np.zeros(4, "f4")
    handler = getattr(drv, kind)(vector)
    vector.flags.writeable = False
    with pytest.raises(ValueError, match="Out needs a writable"):
        get("writes_both")(out, handler, **ONE)
    assert drv.from_device(out, 1, "f4")[0] == 0, "nothing ran"


def test_time_kernel(drv: Any, get: Any) -> None:
    memory = room(drv, 1, "i4")
    seconds = get("pointer")(memory, np.int32(1), time_kernel=True, **ONE)
    assert isinstance(seconds, float) and 0 < seconds < 10
    with pytest.raises(AssertionError):
        get("pointer")(
            memory, np.int32(1), time_kernel=True, stream=drv.Stream(), **ONE
        )
    timer = (
        get("pointer")
        .prepare("Pi")
        .prepared_timed_call((1, 1), (1, 1, 1), memory, 3)
    )
    assert 0 <= timer() < 10
    assert drv.from_device(memory, 1, "i4")[0] == 3


@pytest.mark.parametrize(
    ("how", "error", "text"),
    [
        ({}, ValueError, "must specify block size"),
        ({"block": (1, 1, 1), "blok": 1, "b": 2}, ValueError, "blok,b|b,blok"),
        ({"block": (1, 1.5)}, TypeError, "block"),
        ({"block": (1, 1, 1, 1)}, Exception, "block"),
        ({"block": "1"}, TypeError, "block"),
        ({"block": 1, "grid": (1, -1)}, OverflowError, "."),
        ({"block": 1, "shared": None}, TypeError, "."),
    ],
)
def test_geometry(
    drv: Any, get: Any, how: dict[str, Any], error: Any, text: str
) -> None:
    with pytest.raises(error, match=text):
        get("pointer")(room(drv, 1, "i4"), np.int32(1), **how)
