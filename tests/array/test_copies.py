"""Transfers, copies, casts and shape changes, against NumPy."""

# SPDX-License-Identifier: MIT

import copy
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import NUMBERS, both, numbers, orders, same, shapes, views

import pycuda.driver as drv
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

RECORD = np.dtype([("a", "f4"), ("b", "i2")])


@settings(max_examples=60, deadline=None)
@given(
    shape=shapes,
    order=orders,
    view=views,
    dtype=st.sampled_from(["?", "i2", "f4", "c16", "f2", "S3", RECORD]),
)
def test_round_trips(shape, order, view, dtype):
    values = numbers(shape, "i4")
    host = values.astype(dtype) if dtype != RECORD else np.zeros(shape, dtype)
    if dtype == RECORD:
        host["a"] = values
        host["b"] = values
    host, device = both(host, order, view)
    np.testing.assert_array_equal(device.get(), host)
    np.testing.assert_array_equal(device.copy().get(), host)
    np.testing.assert_array_equal(gpuarray.to_gpu(host).get(), host)
    target = np.empty_like(host)
    assert device.get(target) is target
    np.testing.assert_array_equal(target, host)
    fresh = gpuarray.empty_like(device)
    fresh.set(host)
    np.testing.assert_array_equal(fresh.get(), host)
    fresh.set(device)
    np.testing.assert_array_equal(fresh.get(), host)


@pytest.mark.sweep
@pytest.mark.parametrize("target", NUMBERS)
@pytest.mark.parametrize("source", NUMBERS)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_astype(source, target):
    host = np.abs(numbers((4, 6), source)).astype(source)
    device = gpuarray.to_gpu(host)
    same(device.astype(target), host.astype(target))


def test_astype_keeps_order():
    host, device = both(numbers((3, 4), "f4"), "F")
    assert device.astype(np.float64).flags.f_contiguous
    same(device[1:, ::2].astype(np.int32), host[1:, ::2].astype(np.int32))


@settings(max_examples=60, deadline=None)
@given(shape=shapes, order=orders, view=views, new=st.sampled_from("CF"),
       data=st.data())  # fmt: skip
def test_reshape(shape, order, view, new, data):
    host, device = both(numbers(shape, "i4"), order, view)
    sizes = [n for n in range(1, host.size + 1) if host.size % n == 0]
    first = data.draw(st.sampled_from(sizes or [1]))
    same(
        device.reshape(first, -1, order=new),
        host.reshape((first, -1) if host.size else (first, 0), order=new),
    )
    same(device.ravel(), host.ravel())
    axes = data.draw(st.permutations(range(host.ndim)))
    same(device.transpose(axes), host.transpose(axes))
    same(device.T, host.T)
    same(device.squeeze(), host.squeeze())
    same(device[..., None].squeeze(), host[..., None].squeeze())


LAYOUTS = {
    "C": lambda a: a,
    "F": lambda a: a.copy("F"),
    "permuted": lambda a: a.transpose((1, 0, 2)),
    "with gaps": lambda a: a[:, ::2],
    "reversed": lambda a: a[::-1],
    "broadcast": lambda a: gpuarray.broadcast_to(a[:1], a.shape),
}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reshape_is_packed_in_its_order(layout, order):
    """A reshaped view is contiguous in its order: kernels rely on it."""
    a = LAYOUTS[layout](gpuarray.to_gpu(numbers((4, 6, 2), "i4")))
    contiguous = {"C": a.flags.c_contiguous, "F": a.flags.f_contiguous}
    for shape in (a.shape, a.shape[::-1], (1, *a.shape), (a.size,), (-1, 2)):
        made = a.reshape(shape, order=order)
        same(made, a.get().reshape(shape, order=order))
        flags = made.flags
        assert flags.c_contiguous if order == "C" else flags.f_contiguous
        assert (made.ptr == a.ptr) == contiguous[order]
    assert a.reshape(a.shape).flags.c_contiguous  # C order is the default


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.stored = array


@pytest.mark.parametrize("layout", LAYOUTS)
def test_to_gpu_copies_what_is_on_the_device(layout):
    a = LAYOUTS[layout](gpuarray.to_gpu(numbers((4, 6, 2), "i4")))
    stream, sizes = drv.Stream(), []

    def allocate(size):
        sizes.append(size)
        return drv.mem_alloc(size)

    for made in (
        gpuarray.to_gpu(a),
        gpuarray.to_gpu(a, allocate),
        gpuarray.to_gpu_async(a),
        gpuarray.to_gpu_async(a, allocate, stream),
        gpuarray.to_gpu(Foreign(a)),
    ):
        stream.synchronize()
        same(made, a.get())
        assert made.ptr != a.ptr and type(made) is gpuarray.GPUArray
        if layout in "CF":
            assert made.strides == a.strides
        made.fill(0)
    assert sizes == [a.size * 4] * 2
    same(gpuarray.to_gpu(gpuarray.zeros((0, 3), "f4")), np.zeros((0, 3), "f4"))
    same(gpuarray.to_gpu(a[0, 0, 0]), a[0, 0, 0].get())


def test_get_into_an_array_on_the_device():
    a = gpuarray.to_gpu(numbers((4, 6), "i4"))
    for fetch in (a.get, lambda ary: a.get_async(ary=ary)):
        target = gpuarray.zeros((8, 12), np.int32)[::2, ::2]
        assert fetch(target) is target
        same(target, a.get())
        with pytest.raises(TypeError, match="float32.*int32"):
            fetch(gpuarray.zeros((4, 6), np.float32))
        with pytest.raises(ValueError, match="5 elements|24 elements"):
            fetch(gpuarray.zeros(5, np.int32))
    flat = gpuarray.zeros(24, np.int32)
    with pytest.warns(UserWarning, match="reshaping"):
        flat.set(a.copy("F"))
    same(flat, a.get().ravel())


def test_ravel_is_packed():
    """The result is contiguous even if strides could express it."""
    host, device = both(np.arange(24) % 3 == 0)
    for key in (slice(None, None, -1), slice(None, None, 2)):
        flat = device[key].ravel()
        assert flat.flags.c_contiguous and flat.ptr != device[key].ptr
        same(flat, host[key].ravel())
        for name in ("nonzero", "flatnonzero", "argwhere"):
            got = getattr(gpuarray, name)(device[key])
            want = getattr(np, name)(host[key])
            same(*((x[0] if name == "nonzero" else x) for x in (got, want)))
    assert device.ravel().ptr == device.ptr
    many = gpuarray.broadcast_to(device[:1], (5,))
    same(gpuarray.flatnonzero(many), np.arange(5))


def test_reshape_errors():
    device = gpuarray.zeros((3, 4), np.float32)
    with pytest.raises(ValueError, match="total size"):
        device.reshape(5, 5)
    with pytest.raises(ValueError, match="one unknown"):
        device.reshape(-1, -1)
    with pytest.raises(ValueError, match="invalid order"):
        device.reshape(12, order="X")
    with pytest.raises(ValueError, match="axes"):
        device.transpose((0, 0))


def test_view_as_another_dtype():
    host, device = both(np.arange(12, dtype="f4").reshape(3, 4))
    same(device.view(np.int32), host.view(np.int32))
    same(device.view(np.int16), host.view(np.int16))
    same(device.view(np.float64), host.view(np.float64))
    with pytest.raises(ValueError, match="new type"):
        gpuarray.zeros((3, 3), np.float32).view(np.float64)


@pytest.mark.parametrize("view", ["whole", "every second", "transposed"])
@pytest.mark.parametrize("dtype", [*NUMBERS, "f2", RECORD], ids=str)
def test_fill(dtype, view):
    host, device = both(np.zeros((5, 6), dtype), "C", view)
    value = np.ones((), dtype)[()]
    host[...] = value
    assert device.fill(value) is device
    np.testing.assert_array_equal(device.get(), host)


def test_getting_what_is_dense_takes_no_device_memory():
    """Contiguous arrays in any axis order; others are packed there first."""
    sizes = []

    def allocator(size):
        sizes.append(size)
        return drv.mem_alloc(size)

    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    a = gpuarray.to_gpu(x, allocator=allocator)
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)):
        got = a.transpose(order).get()
        assert np.array_equal(got, x.transpose(order))
    assert sizes == [x.nbytes]
    assert np.array_equal(a[:, ::2].get(), x[:, ::2])
    assert sizes == [x.nbytes, x[:, ::2].nbytes]


def test_set_and_get_errors():
    device = gpuarray.zeros((3, 4), np.float32)
    with pytest.raises(ValueError, match="elements"):
        device.set(np.zeros(5, "f4"))
    with pytest.raises(ValueError, match="dtype"):
        device.set(np.zeros((3, 4), "f8"))
    with pytest.raises(TypeError, match="dtype"):
        device.get(np.zeros((3, 4), "f8"))
    with pytest.raises(TypeError, match="numpy array"):
        device.set([1, 2])
    with pytest.warns(UserWarning, match="shape"):
        device.set(np.ones(12, "f4"))
    with pytest.warns(DeprecationWarning, match="shape"):
        flat = device.get(np.zeros(12, "f4"))
    assert flat.sum() == 12


def test_pickle_and_copy():
    for order in "CF":
        host, device = both(numbers((3, 4), "f4"), order)
        for twin in (
            pickle.loads(pickle.dumps(device)),
            copy.copy(device),
            copy.deepcopy(device),
        ):
            same(twin, host)
            assert twin.strides == device.strides
            twin.fill(0)
            same(device, host)


def test_text_is_the_hosts():
    host, device = both(numbers((3, 4), "f4"))
    assert str(device) == str(host)
    assert repr(device) == repr(host)


@pytest.mark.parametrize("shape", [(4, 3), (5,), (2, 3, 4), (3, 2)], ids=str)
def test_shapes_that_do_not_fit(shape):
    target = gpuarray.zeros((3, 4), np.float32)
    wrong = gpuarray.zeros(shape, np.float32) + 1
    text = f"must be same shape, or broadcast: src {re.escape(str(shape))}"
    with pytest.raises(ValueError, match=text):
        target[...] = wrong
    with pytest.raises(ValueError, match=text):
        target[:, ::-1] = wrong
    assert not target.get().any()
