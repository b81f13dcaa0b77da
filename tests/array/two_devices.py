"""Arrays of another device; run by test_interop_matrix.py.

Needs two devices. Each function is a test; the first failure ends the process.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import _driver, gpuarray

VALUES = np.arange(24, dtype=np.float32).reshape(4, 6)


class Interface:
    """An array of another library on another device."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


class Capsules:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, *, stream=None, max_version=None):
        return self.array.__dlpack__(stream=stream, max_version=max_version)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def home(array):
    return _driver._memory_home(array)[1]


def same(array, values):
    assert home(array) == (0 if array.size else -1)
    assert array.dtype == values.dtype
    np.testing.assert_array_equal(array.get(), values)


def test_copies_of_every_layout(far):
    views = [
        (far, VALUES), (far.T, VALUES.T), (far[1:, ::2], VALUES[1:, ::2]),
        (far[::-1], VALUES[::-1]), (far[2, 3], VALUES[2, 3]),
        (far[:0], VALUES[:0]),
    ]  # fmt: skip
    for kind in (lambda a: a, Interface, Capsules):
        for view, values in views:
            same(gpuarray.asarray(kind(view)), values)
            same(
                gpuarray.asarray(kind(view), np.float64),
                values.astype(np.float64),
            )
            same(gpuarray.asarray(kind(view), copy=True), values)
            if kind is not Interface:
                same(gpuarray.from_dlpack(kind(view), copy=True), values)
    np.testing.assert_array_equal(far.get(), VALUES)


def test_a_copy_is_one(far):
    ours = gpuarray.asarray(far)
    ours.fill(7)
    assert ours.get().sum() == 7 * 24
    np.testing.assert_array_equal(far.get(), VALUES)


def test_device_and_to_device(far):
    near = gpuarray.to_gpu(VALUES)
    there, here = drv.Device(1), drv.Device(0)
    assert (far.device, near.device) == (there, here)
    assert (far.T.device, far[1:, ::2].device) == (there, there)
    assert gpuarray.empty(0, np.float32).device == here
    assert far.to_device(1) is far
    assert near.to_device(here) is near
    for view, values in ((far, VALUES), (far[::2].T, VALUES[::2].T)):
        same(view.to_device(here), values)
        assert (view.to_device(0) + near.ravel()[0]).device == here
    for view, values in ((near, VALUES), (near[:, ::-1], VALUES[:, ::-1])):
        moved = view.to_device(1)
        assert moved.device == there
        assert home(moved) == 1
        np.testing.assert_array_equal(moved.get(), values)
        with pytest.raises(drv.LogicError, match=r"device 1 \(.*device 0 \("):
            moved + 1
        context = _driver._memory_home(moved)[0]
        assert context == _driver._memory_home(far)[0]
        with context:
            np.testing.assert_array_equal((moved + far[0, 0]).get(), values)
    moved = near[:0].to_device(1)
    assert (moved.shape, moved.dtype) == ((0, 6), near.dtype)
    stream = drv.Stream()
    near.fill(5, stream=stream)
    assert (near.to_device(1, stream=stream).get() == 5).all()
    for wrong in ("cuda:1", None, 1.5):
        with pytest.raises(TypeError, match="Device or its number"):
            near.to_device(wrong)
    with pytest.raises(drv.LogicError):
        near.to_device(drv.Device.count())


def test_refusals_name_both_devices(far):
    both = r"device 1 \(.*device 0 \("
    for x in (far, Interface(far), Capsules(far)):
        with pytest.raises(ValueError, match=both):
            gpuarray.asarray(x, copy=False)
    for x in (far, Capsules(far)):
        for copy in (None, False):
            with pytest.raises(BufferError, match=both):
                gpuarray.from_dlpack(x, copy=copy)


def test_elements_of_kernels(far):
    """Kernels can use a peer's memory if access was enabled."""
    from pycuda.compiler import SourceModule

    kernel = SourceModule(
        "__global__ void k(float *x) { x[threadIdx.x] += 1; }"
    ).get_function("k")
    foreign = Interface(far)
    with pytest.raises(drv.LogicError, match=r"device 1 \(.*device 0 \("):
        kernel(foreign, block=(6, 1, 1))
    kernel.prepare("P")
    with pytest.raises(drv.LogicError, match=r"device 1 \(.*device 0 \("):
        kernel.prepared_call((1, 1), (6, 1, 1), foreign)
    peer = _driver._memory_home(far)[0]
    here = drv.Context.get_current()
    if not drv.Device(0).can_access_peer(drv.Device(1)):
        return
    here.enable_peer_access(peer)
    kernel(foreign, block=(6, 1, 1))
    drv.Context.synchronize()
    here.disable_peer_access(peer)
    assert far.get()[0].tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(drv.LogicError, match="device 1"):
        kernel(foreign, block=(6, 1, 1))


def test_operations_name_both_devices(far):
    """This includes our own arrays: a GPU's context would be lost."""
    both = r"device 1 \(.*device 0 \("
    near = gpuarray.to_gpu(VALUES)
    for operation in (
        lambda: far + 1, lambda: near + far, lambda: far.sum(),
        lambda: np.sin(far), lambda: far[[0, 1]], lambda: far.max(),
    ):  # fmt: skip
        with pytest.raises(drv.LogicError, match=both):
            operation()
        with pytest.raises(drv.LogicError, match=both):
            operation()  # a second call, on the fast path
    np.testing.assert_array_equal((near + near).get(), 2 * VALUES)


def test_another_context_of_the_device(far):
    """Another context of the device has a separate address space."""
    from pycuda.compiler import SourceModule

    near = gpuarray.to_gpu(VALUES)
    shared = drv.managed_zeros(4, np.float32)
    kernel = SourceModule(
        "__global__ void k(float *x) { x[threadIdx.x] += 1; }"
    ).get_function("k")
    kernel(near[0], block=(4, 1, 1))
    context = drv.Device(0).make_context()
    try:
        same_kernel = SourceModule(
            "__global__ void k(float *x) { x[threadIdx.x] += 1; }"
        ).get_function("k")
        for x in (near, Interface(near), Capsules(near)):
            with pytest.raises(drv.LogicError, match="another context of"):
                same_kernel(x, block=(4, 1, 1))
            with pytest.raises(ValueError, match="another context of"):
                gpuarray.asarray(x, copy=False)
            ours = gpuarray.asarray(x)
            same_kernel(ours, block=(4, 1, 1))
            assert ours.get()[0].tolist() == [2, 3, 4, 5, 4, 5]
        with pytest.raises(drv.LogicError, match="another context of"):
            near + 1
        with pytest.raises(BufferError, match="another context of"):
            gpuarray.from_dlpack(Capsules(near))
        same_kernel(shared, block=(4, 1, 1))
        drv.Context.synchronize()
        assert shared.tolist() == [1, 1, 1, 1]
    finally:
        context.pop()
        context.detach()
    assert near.get()[0].tolist() == [1, 2, 3, 4, 4, 5]


def test_devices_of_dlpack(far):
    """DLPack reports the array's device, even without a current context."""
    near = gpuarray.to_gpu(VALUES)
    kind = 2 if _driver._device_kind() == "gpu" else 1
    expected = (kind, 1 if kind == 2 else 0)
    assert far.__dlpack_device__() == expected
    assert far[1:].__dlpack_device__() == expected
    assert near.__dlpack_device__() == (kind, 0)
    context = drv.Context.get_current()
    drv.Context.pop()
    try:
        assert far.__dlpack_device__() == expected
        assert near.__dlpack_device__() == (kind, 0)
        assert gpuarray.GPUArray.__dlpack_device__(far[:0])[0] == kind
        assert "dltensor" in repr(near.__dlpack__())
        assert drv.Context.get_current() is None
    finally:
        context.push()


def test_interfaces_wait_for_their_own_context(far):
    """The number of a default stream would name the wrong device's stream."""
    assert far.__cuda_array_interface__["stream"] is None


def test_times_across_devices(far):
    """The clocks of two devices are unrelated."""
    context = _driver._memory_home(far)[0]
    here = drv.Event().record()
    context.push()
    there, later = drv.Event().record(), drv.Event().record()
    later.synchronize()
    assert later.time_since(there) >= 0
    drv.Context.pop()
    here.synchronize()
    with pytest.raises(drv.LogicError, match="handle"):
        there.time_since(here)


def test_a_capture_of_both_devices(far):
    context = _driver._memory_home(far)[0]
    near = gpuarray.zeros(24, np.float32)
    forked, stream = drv.Event(), drv.Stream()
    context.push()
    joined, other = drv.Event(), drv.Stream()
    drv.Context.pop()
    with stream.capture() as graph:
        near += 1
        forked.record(stream)
        context.push()
        with other:
            other.wait_for_event(forked)
            assert other.is_capturing
            total = far * 2 + far  # a temporary of the other device
            total = total.ravel()
            joined.record(other)
        drv.Context.pop()
        stream.wait_for_event(joined)
        drv.memcpy_peer_async(
            near.gpudata, total.gpudata, 96, drv.Context.get_current(),
            context, stream,
        )  # fmt: skip
        near += 1
    assert not other.is_capturing
    del total
    context.push()
    filler = [gpuarray.zeros(24, np.float32) for _ in range(8)]
    far += 1
    drv.Context.synchronize()
    drv.Context.pop()
    run = graph.instantiate()
    del graph
    run.launch(stream)
    np.testing.assert_array_equal(near.get(), 3 * VALUES.ravel() + 4)
    context.push()
    far -= 1
    drv.Context.synchronize()
    assert not any(a.get().any() for a in filler)
    drv.Context.pop()
    run.launch(other)  # a stream of a context that is not current
    other.synchronize()
    np.testing.assert_array_equal(near.get(), 3 * VALUES.ravel() + 1)


def main():
    drv.init()
    assert drv.Device.count() > 1
    near, other = (drv.Device(i).retain_primary_context() for i in (0, 1))
    near.push()
    tests = [f for name, f in globals().items() if name.startswith("test_")]
    for test in tests:
        other.push()
        far = gpuarray.to_gpu(VALUES)
        drv.Context.pop()
        test(far)
        assert drv.Context.get_current() == near
    drv.Context.pop()
    print(f"{len(tests)} passed")


if __name__ == "__main__":
    main()
