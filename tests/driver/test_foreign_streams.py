"""Streams of other libraries: __cuda_stream__, and torch's cuda_stream."""

# SPDX-License-Identifier: MIT

import gc
import weakref

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, curandom, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

N = 256
SOURCE = """
__global__ void slow(float *x, int rounds)
{
    float a = x[threadIdx.x] * 0;
    for (int i = 0; i < rounds; i++)
        a = a * 0.999f + x[(i + threadIdx.x) % 256] * 0;
    x[threadIdx.x] = 5 + a;
}
__global__ void add(float *x) { x[threadIdx.x] += 1; }
"""
NON_BLOCKING = 1


class Method:
    """As cuda.core, CuPy and numba-cuda give their streams."""

    def __init__(self, handle):
        self.value = handle

    def __cuda_stream__(self):
        return 0, self.value


class Attribute:
    """As the first versions of cuda.core did."""

    def __init__(self, handle):
        self.__cuda_stream__ = (0, handle)


class LikeTorch:
    def __init__(self, handle):
        self.cuda_stream = handle

    def __index__(self):
        raise TypeError("a stream is no number")


KINDS = [Method, Attribute, LikeTorch]


@pytest.fixture(scope="module")
def kernels(context):
    module = SourceModule(SOURCE)
    slow, add = (module.get_function(name) for name in ("slow", "add"))
    slow.prepare("Pi")
    add.prepare("P")
    return slow, add


@pytest.fixture
def native(context):
    return drv.Stream(NON_BLOCKING)


def rounds():
    from pycuda import _driver

    return np.int32(20_000 if _driver._device_kind() == "cpu" else 100_000)


def test_our_stream_has_the_protocol(native):
    assert native.__cuda_stream__() == (0, native.handle)
    taken = drv.Stream.from_handle(native)
    assert taken.handle == native.handle
    assert drv.Stream.from_handle(taken).handle == native.handle


def launched(x, s, kernels):
    kernels[1](x, block=(N, 1, 1), stream=s)


def prepared(x, s, kernels):
    kernels[1].prepared_async_call((1, 1), (N, 1, 1), s, x)


def host_round_trip(x, s, kernels):
    host = drv.pagelocked_empty(N, np.float32)
    drv.memcpy_dtoh_async(host, x.gpudata, s)
    drv.Stream.from_handle(s).synchronize()
    drv.memcpy_htod_async(x.gpudata, host + 1, s)


def device_copy(x, s, kernels):
    y = gpuarray.empty_like(x)
    drv.memcpy_dtod_async(y.gpudata, x.gpudata, x.nbytes, s)
    launched(y, s, kernels)
    drv.memcpy_dtod_async(x.gpudata, y.gpudata, x.nbytes, s)


def copy_2d(x, s, kernels):
    y = gpuarray.empty_like(x)
    copy = drv.Memcpy2D()
    copy.set_src_device(x.gpudata)
    copy.set_dst_device(y.gpudata)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = x.nbytes
    copy.height = 1
    copy(s)
    launched(y, s, kernels)
    x.set_async(y, stream=s)


def memset(x, s, kernels):
    event = drv.Event().record(s)
    event.synchronize()
    assert x.get()[0] == 5
    drv.memset_d32_async(x.gpudata, 0x40C00000, N, s)  # 6


def stream_memory(x, s, kernels):
    memory = drv.mem_alloc_async(x.nbytes, s)
    drv.memcpy_dtod_async(memory, x.gpudata, x.nbytes, s)
    launched(memory, s, kernels)
    drv.memcpy_dtod_async(x.gpudata, memory, x.nbytes, s)
    memory.free(s)


def elementwise(x, s, kernels):
    ElementwiseKernel("float *x", "x[i] += 1")(x, stream=s)


def functions(x, s, kernels):
    x.set_async(cumath.fabs(x, stream=s), stream=s)
    launched(x, s, kernels)


def entered(x, s, kernels):
    with drv.Stream.from_handle(s).use():
        x += 1


def replayed(x, s, kernels):
    stream = drv.Stream(NON_BLOCKING)
    with stream.capture() as graph:
        kernels[1](x, block=(N, 1, 1), stream=stream)
    graph.instantiate().launch(s)


WAYS = [
    launched, prepared, host_round_trip, device_copy, copy_2d, memset,
    stream_memory, elementwise, functions, entered, replayed,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_work_follows_the_stream(native, kernels, way, kind):
    """The slow kernel on the stream is done before the call's work."""
    x = gpuarray.zeros(N, np.float32)
    drv.Context.synchronize()
    foreign = kind(native.handle)
    kernels[0](x, rounds(), block=(N, 1, 1), stream=foreign)
    way(x, foreign, kernels)
    native.synchronize()
    np.testing.assert_array_equal(x.get(), np.full(N, 6, np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_results_on_the_stream(native, kernels, kind):
    x = gpuarray.zeros(N, np.float32)
    drv.Context.synchronize()
    s = kind(native.handle)
    kernels[0](x, rounds(), block=(N, 1, 1), stream=s)
    total = ReductionKernel(
        np.float32, "0", "a + b", "x[i]", "float *x"
    )(x, stream=s)  # fmt: skip
    sums = InclusiveScanKernel(np.float32, "a + b")(
        x, gpuarray.empty_like(x), stream=s
    )
    numbers = curandom.XORWOWRandomNumberGenerator().gen_uniform(
        64, np.float32, stream=s
    )
    assert total.get(stream=s) == 5 * N
    assert sums.get(stream=s)[-1] == 5 * N
    assert 0 < numbers.get(stream=s).mean() < 1
    assert x.get(stream=s)[3] == 5
    pool = drv.AsyncMemoryPool()
    assert int(pool.allocate(64, s)) != 0
    assert x.to_device(x.device, stream=s) is x


@pytest.mark.parametrize("handle", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_the_default_stream_is_not_the_current_one(kernels, kind, handle):
    """0 and 1 mean CUDA's default stream, also inside `with stream`."""
    x = gpuarray.zeros(N, np.float32)
    kernels[1](x, block=(N, 1, 1), stream=kind(handle))
    assert x.get()[0] == 1
    stream = drv.Stream(NON_BLOCKING)
    with stream.use():
        y = gpuarray.zeros(N, np.float32)
        stream.synchronize()
        kernels[0](y, rounds(), block=(N, 1, 1), stream=kind(handle))
        event = drv.Event().record(kind(handle))
        assert stream.is_done()
        event.synchronize()
        assert y.get()[0] == 5


def test_a_wrapped_stream_keeps_its_object(native):
    foreign = Method(native.handle)
    seen = weakref.ref(foreign)
    wrapped = drv.Stream.from_handle(foreign)
    del foreign
    assert seen() is not None
    assert wrapped.is_done()
    del wrapped
    gc.collect()
    assert seen() is None


def test_cycles_are_collected(native):
    foreign = Method(native.handle)
    foreign.stream = drv.Stream.from_handle(foreign)
    seen = weakref.ref(foreign)
    del foreign
    gc.collect()
    assert seen() is None


class Wrong:
    def __init__(self, answer):
        self.answer = answer

    def __cuda_stream__(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("stream", "error", "text"),
    [
        (Wrong(5), TypeError, r"return \(version, handle\)"),
        (Wrong((0,)), TypeError, r"return \(version, handle\)"),
        (Wrong((0, "x")), TypeError, r"return \(version, handle\)"),
        (Wrong((1, 0)), TypeError, "has version 1, expected 0"),
        (Wrong((1 << 70, 0)), TypeError, "expected 0"),
        (Wrong((0, -1)), (OverflowError, ValueError), ""),
        (Wrong((0, 1 << 70)), (OverflowError, ValueError), ""),
        (Wrong(KeyError("mine")), KeyError, "mine"),
        (5, TypeError, "with __cuda_stream__, or None, not int"),
        ("s", TypeError, "with __cuda_stream__, or None, not str"),
        (object(), TypeError, "with __cuda_stream__, or None, not object"),
    ],
)
def test_wrong_streams(kernels, stream, error, text):
    x = gpuarray.zeros(N, np.float32)
    for call in (
        lambda: launched(x, stream, kernels),
        lambda: drv.Event().record(stream),
        lambda: x.get(stream=stream),
        lambda: x.fill(1, stream=stream),
        lambda: drv.mem_alloc_async(8, stream),
        lambda: curandom.rand((4,), stream=stream),
        lambda: gpuarray.sum(x, stream=stream),
    ):
        with pytest.raises(error, match=text or None):
            call()


@pytest.mark.gpu
def test_cuda_core(kernels):
    core = pytest.importorskip("cuda.core")
    device = core.Device(0)
    device.set_current()  # uses the device's primary context
    stream = device.create_stream(drv.Stream(NON_BLOCKING))
    x = gpuarray.zeros(N, np.float32)
    drv.Context.synchronize()
    launched(x, stream, kernels)
    stream.sync()
    assert x.get()[0] == 1
