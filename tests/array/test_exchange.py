"""Import and export through DLPack and the CUDA array interface.

On the CPU device NumPy is the other library; on a GPU CuPy and torch, if
installed.
"""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from layouts import both, numbers, orders, same, shapes, views

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("shared")


DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]
SLOW = """
__global__ void late(int *a, long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
    *a = 1;
}
"""


def peers():
    """Return libraries that share memory with arrays on this device."""
    from pycuda import _driver

    if _driver._device_kind() == "cpu":
        return [np]
    found = []
    for name in ("cupy", "torch"):
        try:
            found.append(__import__(name))
        except ImportError:
            continue
    return found


def to_host(array):
    """Convert an array of another library to NumPy."""
    for name in ("get", "numpy"):
        if hasattr(array, name):
            moved = array.cpu() if hasattr(array, "cpu") else array
            return np.asarray(getattr(moved, name)())
    return np.asarray(array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_out(dtype):
    host, device = both(numbers((3, 4), dtype))
    for peer in peers():
        theirs = peer.from_dlpack(device.T)
        assert tuple(theirs.shape) == (4, 3)
        np.testing.assert_array_equal(to_host(theirs), host.T)
        shared = peer.from_dlpack(device)
        device[1, 2] = device[0, 0]
        drv.Context.synchronize()
        assert to_host(shared)[1, 2] == host[0, 0]
        device[1, 2] = host[1, 2]


@pytest.mark.cpu
@settings(max_examples=100)
@given(
    host=shapes.map(lambda shape: numbers(shape, "f4")),
    order=orders,
    view=views,
)
def test_layouts_there_and_back(host, order, view):
    host, device = both(host, order, view)
    theirs = np.from_dlpack(device)
    assert theirs.shape == host.shape
    np.testing.assert_array_equal(theirs, host)
    repeated = gpuarray.from_dlpack(theirs.copy())
    same(repeated, host)
    same(repeated + 1, host + np.float32(1))


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", DTYPES)
def test_in_from_numpy(dtype):
    host = numbers((5, 6), dtype)
    device = gpuarray.from_dlpack(host)
    assert device.dtype == host.dtype and device.strides == host.strides
    same(device, host)
    same(device[::2, 1:].copy(), host[::2, 1:])
    device.fill(1)
    drv.Context.synchronize()
    assert host.sum() == 30
    copied = gpuarray.from_dlpack(host, copy=True)
    host[...] = 0
    assert copied.get().sum() == 30
    host.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"):
        gpuarray.from_dlpack(host)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "c8"])
def test_in_from_peers(dtype):
    host = numbers((5, 6), dtype)
    for peer in peers():
        if peer.__name__ == "cupy":
            theirs = peer.asarray(host)
        else:
            theirs = peer.from_numpy(host).cuda()
        ours = gpuarray.from_dlpack(theirs)
        same(ours, host)
        ours.fill(1)
        drv.Context.synchronize()
        assert to_host(theirs).real.sum() == 30
        shared = gpuarray.asarray(theirs)
        assert shared.ptr == ours.ptr


def test_the_memory_lives_as_long_as_its_users():
    array = gpuarray.zeros(1000, np.float32)
    gone = weakref.ref(array)
    capsule = array.__dlpack__()
    del array
    gc.collect()
    assert gone() is not None
    del capsule
    gc.collect()
    assert gone() is None


@pytest.mark.cpu
def test_foreign_memory_lives_as_long_as_the_array():
    host = np.ones(1000, np.float32)
    gone = weakref.ref(host)
    device = gpuarray.from_dlpack(host)
    view = device[10:20]
    del host, device
    gc.collect()
    assert gone() is not None
    assert view.get().sum() == 10
    del view
    gc.collect()
    assert gone() is None


def test_consumers_wait_for_the_array():
    """This fails if __dlpack__ ignores the streams."""
    late = SourceModule(SLOW).get_function("late")
    # A stream that does not wait for the default stream.
    stream = drv.Stream(1)
    array = gpuarray.zeros(1, np.int32)
    drv.Context.synchronize()
    late(array, np.int64(300_000_000), block=(1, 1, 1), stream=stream)
    for peer in peers():
        assert to_host(peer.from_dlpack(array))[0] == 1


@pytest.mark.gpu
def test_a_stream_of_the_consumer_waits():
    late = SourceModule(SLOW).get_function("late")
    mine, theirs = drv.Stream(1), drv.Stream(1)
    array, seen = gpuarray.zeros((2, 1), np.int32)
    drv.Context.synchronize()
    late(array, np.int64(300_000_000), block=(1, 1, 1), stream=mine)
    array.__dlpack__(stream=theirs.handle)
    drv.memcpy_dtod_async(seen.ptr, array.ptr, 4, theirs)
    theirs.synchronize()
    assert seen.get()[0] == 1


def test_versions_and_refusals():
    array = gpuarray.zeros((2, 3), np.float32)
    assert 'dltensor"' in repr(array.__dlpack__())
    assert "versioned" in repr(array.__dlpack__(max_version=(1, 0)))
    assert "versioned" not in repr(array.__dlpack__(max_version=(0, 8)))
    here = array.__dlpack_device__()
    array.__dlpack__(dl_device=here)
    host = np.from_dlpack(array.get())
    assert host.shape == (2, 3)
    with pytest.raises(BufferError, match="the array is on device"):
        array.__dlpack__(dl_device=(7, 0))
    with pytest.raises(BufferError, match="stream"):
        array.__dlpack__(stream="x")
    fields = gpuarray.empty(3, np.dtype([("a", "i4"), ("b", "f4")]))
    with pytest.raises(BufferError, match="dtype"):
        fields.__dlpack__()
    with pytest.raises(TypeError, match="capsule"):
        from pycuda import _driver

        _driver._dlpack_import(3)


class Interface:
    """An object that only has a CUDA array interface."""

    def __init__(self, array, **changes):
        self.keep = array
        self.__cuda_array_interface__ = {
            **array.__cuda_array_interface__,
            **changes,
        }


def test_interfaces():
    host, device = both(numbers((4, 5), "f4"))
    ours = gpuarray.asarray(Interface(device[:, 1:]))
    same(ours, host[:, 1:])
    ours.fill(0)
    assert device.get()[:, 1:].sum() == 0
    same(gpuarray.asarray(Interface(device, strides=None)), device.get())
    with pytest.raises(BufferError, match="read-only"):
        gpuarray.asarray(Interface(device, data=(device.ptr, True)))
    with pytest.raises(BufferError, match="not the current device's"):
        gpuarray.asarray(Interface(device, data=(4096, False)))
    with pytest.raises(BufferError, match="masked"):
        gpuarray.asarray(Interface(device, mask=device))
    stream = drv.Stream()
    same(gpuarray.asarray(Interface(device, stream=stream.handle)),
         device.get())  # fmt: skip


def test_asarray():
    host = numbers((3, 4), "i4")
    device = gpuarray.asarray(host)
    same(device, host)
    assert gpuarray.asarray(device) is device
    assert gpuarray.asarray(device, copy=True) is not device
    same(gpuarray.asarray(device, np.float64), host.astype("f8"))
    same(
        gpuarray.asarray([[1, 2], [3, 4]], "f4"), np.float32([[1, 2], [3, 4]])
    )
    same(gpuarray.asarray(2.5), np.asarray(2.5))
    with pytest.raises(ValueError, match="copy=False"):
        gpuarray.asarray(host, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        gpuarray.asarray(device, "f4", copy=False)


@pytest.mark.cpu
def test_memory_that_another_lends_the_old_way():
    """Unversioned capsules, as libraries before DLPack 1.0 produce."""

    class Old:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    lent = gpuarray.to_gpu(np.arange(12, dtype=np.int32).reshape(3, 4))
    gone = weakref.ref(lent)
    taken = gpuarray.from_dlpack(Old(lent))
    lent[1, 2] = 77
    assert taken[1, 2].get() == 77 and taken.shape == (3, 4)
    view = taken[1:]
    del lent, taken
    gc.collect()
    assert gone() is not None, "a view is there"
    del view
    gc.collect()
    assert gone() is None
