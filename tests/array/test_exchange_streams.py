"""Other libraries wait for our streams, and we wait for theirs.

A kernel delays a stream; after it an array receives its values. A party that
ignores the stream sees the old values. The producers and consumers are classes
in this file, so that they run on every device; on a GPU CuPy, Numba and torch
take part too, if installed.
"""

# SPDX-License-Identifier: MIT

import contextlib
import gc

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("shared")

NON_BLOCKING = 1
DEFAULT = 1  # the number of the default stream
SOURCE = """
__global__ void wait(volatile int *flag, long long most)
{
    // Ends by itself where the host waits for the device: no test hangs.
    const long long start = clock64();
    while (!*flag && clock64() - start < most) {
    }
}
__global__ void copy(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x];
}
"""
NEW = np.arange(8, dtype=np.float32)
ONE = {"block": (8, 1, 1), "grid": (1, 1)}


@pytest.fixture
def kernels(shared):
    module = SourceModule(SOURCE)
    return module.get_function("wait"), module.get_function("copy")


@pytest.fixture
def late(kernels):
    """Yield (stream, array): the array receives NEW after the block ends.

    The delay also ends after `most` clocks, for a host that waits within the
    block.
    """
    flag = drv.pagelocked_zeros(
        1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    where = np.uintp(int(flag.base.get_device_pointer()))
    new = gpuarray.to_gpu(NEW)

    @contextlib.contextmanager
    def make(most=20_000_000_000):
        stream = drv.Stream(NON_BLOCKING)
        with stream.use():
            array = gpuarray.zeros(8, np.float32)
        stream.synchronize()
        flag[0] = 0
        kernels[0](where, np.int64(most), block=(1, 1, 1), stream=stream)
        array.set_async(new, stream=stream)
        try:
            yield stream, array
        finally:
            flag[0] = 1
            stream.synchronize()

    return make


class Foreign:
    """An array of another library that only has an interface."""

    def __init__(self, array, stream):
        self.keep = array
        self.__cuda_array_interface__ = {
            **array.__cuda_array_interface__,
            "stream": stream,
        }


def consume(interface, stream):
    """Copy on `stream`, by the rules of version 3 of the interface."""
    with stream.use():
        seen = gpuarray.zeros(8, np.float32)
    if interface["stream"] is not None:
        event = drv.Event()
        event.record(drv.Stream.from_handle(interface["stream"]))
        stream.wait_for_event(event)
    drv.memcpy_dtod_async(seen.ptr, interface["data"][0], NEW.nbytes, stream)
    return seen


# --- our arrays in other libraries -----------------------------------------


def test_the_interface_names_the_stream(late):
    with late() as (stream, array):
        assert array.__cuda_array_interface__["stream"] == stream.handle
        assert array[2:].__cuda_array_interface__["stream"] == stream.handle
        fresh = gpuarray.zeros(3, np.float32)
        assert fresh.__cuda_array_interface__["stream"] == DEFAULT
        with stream.use():
            made = gpuarray.zeros(3, np.float32)
        assert made.__cuda_array_interface__["stream"] == stream.handle
    assert gpuarray.zeros(0).__cuda_array_interface__["stream"] is None


def test_consumers_of_the_interface_wait(late):
    mine = drv.Stream(NON_BLOCKING)
    with late() as (_, array):
        seen = consume(array.__cuda_array_interface__, mine)
        assert not mine.is_done()
    mine.synchronize()
    assert np.array_equal(seen.get(), NEW)


def test_several_streams_have_no_number(late, kernels):
    """If there are several streams, the export waits for pending work."""
    other = drv.Stream(NON_BLOCKING)
    with late(50_000_000) as (stream, array):
        kernels[1](array, gpuarray.zeros(8, np.float32), **ONE, stream=other)
        assert array.__cuda_array_interface__["stream"] is None
        assert stream.is_done()
        assert np.array_equal(array.get(), NEW)


def test_memory_of_others_has_no_number(late):
    with late(50_000_000) as (stream, array):
        view = gpuarray.GPUArray(8, np.float32, gpudata=array.ptr)
        assert view.__cuda_array_interface__["stream"] is None
        assert stream.is_done()


def test_a_stream_that_is_gone_is_not_named():
    array = gpuarray.empty(8, np.float32)
    stream = drv.Stream(NON_BLOCKING)
    array.fill(3, stream=stream)
    del stream
    gc.collect()
    assert array.__cuda_array_interface__["stream"] is None
    assert array.__dlpack__() is not None
    assert array.get().sum() == 24


def test_captures_go_on(kernels):
    """Neither exports nor imports of an interface break a capture."""
    array, seen = gpuarray.to_gpu(NEW), gpuarray.zeros(8, np.float32)
    drv.Context.synchronize()
    stream, elsewhere = drv.Stream(NON_BLOCKING), drv.Stream(NON_BLOCKING)
    foreign = Foreign(array, elsewhere.handle)
    with stream.capture() as graph:
        kernels[1](foreign, seen, **ONE)
        interface = seen.__cuda_array_interface__
    assert interface["stream"] == stream.handle
    graph.launch(stream)
    stream.synchronize()
    assert np.array_equal(seen.get(), NEW)


@pytest.mark.parametrize("number", [DEFAULT, "own", "elsewhere"])
def test_asarray_in_a_capture(kernels, number):
    array, seen = gpuarray.to_gpu(NEW), gpuarray.zeros(8, np.float32)
    stream, elsewhere = drv.Stream(), drv.Stream(NON_BLOCKING)
    handles = {"own": stream.handle, "elsewhere": elsewhere.handle}
    foreign = Foreign(array, handles.get(number, number))
    drv.Context.synchronize()
    with stream.capture() as graph:
        kernels[1](gpuarray.asarray(foreign), seen, **ONE)
    graph.launch(stream)
    stream.synchronize()
    assert np.array_equal(seen.get(), NEW)


def test_consumers_of_dlpack_join_a_capture(kernels):
    array, seen = gpuarray.zeros(8, np.float32), gpuarray.zeros(8, np.float32)
    stream, other = drv.Stream(), drv.Stream(NON_BLOCKING)
    drv.Context.synchronize()
    with stream.capture() as graph:
        array += 2
        _driver._dlpack_export(array, 2, 0, stream.handle, True)
        _driver._dlpack_export(array, 2, 0, other.handle, True)
        kernels[1](array, seen, **ONE, stream=other)
        with pytest.raises(drv.LogicError, match="cannot join a capture"):
            _driver._dlpack_export(array, 2, 0, DEFAULT, True)
        stream.wait_for_event(drv.Event().record(other))
    assert (graph.node_count, graph.edge_count) == (2, 1)
    graph.launch(stream)
    stream.synchronize()
    assert np.array_equal(seen.get(), np.full(8, 2))


# --- arrays of other libraries here ----------------------------------------


@pytest.mark.parametrize("way", ["stream=", "use", "default"])
def test_kernels_wait_for_the_interface(late, kernels, way):
    mine, seen = drv.Stream(NON_BLOCKING), gpuarray.zeros(8, np.float32)
    drv.Context.synchronize()
    with late() as (stream, array):
        foreign = Foreign(array, stream.handle)
        if way == "stream=":
            kernels[1](foreign, seen, **ONE, stream=mine)
        elif way == "use":
            with mine.use():
                kernels[1](foreign, seen, **ONE)
        else:
            kernels[1](foreign, seen, **ONE)
        assert not stream.is_done()
    drv.Context.synchronize()
    assert np.array_equal(seen.get(), NEW)


def test_copies_wait_for_the_interface(late):
    with late(50_000_000) as (stream, array):
        got = drv.from_device(Foreign(array, stream.handle), 8, np.float32)
        assert np.array_equal(got, NEW)


def test_asarray_waits_for_the_interface(late):
    with late(50_000_000) as (stream, array):
        ours = gpuarray.asarray(Foreign(array, stream.handle))
        assert ours.ptr == array.ptr
        assert np.array_equal((ours + 0).get(), NEW)


@pytest.mark.parametrize("number", [None, DEFAULT, 2])
def test_default_streams(late, kernels, number):
    """None requests no ordering; 1 and 2 are default streams."""
    array, seen = gpuarray.to_gpu(NEW), gpuarray.zeros(8, np.float32)
    kernels[1](Foreign(array, number), seen, **ONE)
    assert np.array_equal(seen.get(), NEW)


@pytest.mark.parametrize("number", ["x", -1, 1 << 70])
def test_what_is_no_stream(kernels, number):
    array = gpuarray.to_gpu(NEW)
    with pytest.raises((TypeError, OverflowError)):
        kernels[1](Foreign(array, number), array, **ONE)


class Producer:
    """A foreign array that offers DLPack and records its stream."""

    def __init__(self, array):
        self.array, self.told = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, max_version=None, **order):
        self.told.append(order)
        return self.array.__dlpack__(max_version=max_version, **order)


def test_producers_are_told_the_stream(late, device):
    """On the CPU device no stream is passed: the producer waits."""
    mine = drv.Stream(NON_BLOCKING)
    with late(50_000_000) as (_, array):
        producer = Producer(array)
        with mine.use():
            result = gpuarray.from_dlpack(producer) + 0
    expected = {} if device == "cpu" else {"stream": mine.handle}
    assert producer.told == [expected]
    mine.synchronize()
    assert np.array_equal(result.get(), NEW)


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["cupy", "torch", "numba.cuda"])
def test_libraries_wait(late, name):
    library = pytest.importorskip(name)
    takes = {
        "cupy": lambda a: library.asarray(a).get(),
        "torch": lambda a: library.from_dlpack(a).cpu().numpy(),
        "numba.cuda": lambda a: library.as_cuda_array(a).copy_to_host(),
    }
    with late(50_000_000) as (_, array):
        got = takes[name](array)
        assert np.array_equal(got, NEW)
