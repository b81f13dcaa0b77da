"""Cached launch plans of reductions and scans.

A repeated call gives the first result, whatever changed in between.
"""

# SPDX-License-Identifier: MIT

import gc
import inspect
import pickle
import sys
import weakref

import numpy as np
import pytest
from layouts import VIEWS, both, numbers, same, seen

import pycuda.driver as drv
from pycuda import _driver, gpuarray

pytestmark = pytest.mark.usefixtures("context")

NAMES = ["sum", "prod", "mean", "var", "std", "min", "max", "argmin",
         "argmax", "cumsum", "cumprod"]  # fmt: skip
EXACT = ["sum", "min", "max", "argmin", "argmax", "cumsum"]


@pytest.fixture
def planned(monkeypatch):
    """Record the plans that Python created."""
    from pycuda._array import axes

    made = []

    def note(*arguments):
        made.append(arguments)
        return _driver._plan_set(*arguments)

    monkeypatch.setattr(axes, "_plan_set", note)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_the_second_call_needs_no_python(name, planned, device):
    if device == "gpu" and name.startswith("cum"):
        pytest.skip("packed rows are scanned as one, with memory to clear")
    # A shape that no other test uses.
    host, device = both(numbers((37, 41 + len(name)), "f8"))
    first = getattr(device, name)(1).get()
    assert len(planned) == 1
    for argument in ({"axis": 1}, {}):
        args = () if argument else (1,)
        second_run = getattr(device, name)(*args, **argument)
        assert np.array_equal(second_run.get(), first)
        assert (
            second_run.dtype == first.dtype and second_run.shape == first.shape
        )
    assert len(planned) == 1
    getattr(device, name)(0)
    getattr(device[:, ::-1], name)(1)
    assert len(planned) == 3


def frames_of(call):
    """Return a call's result and the names of the Python functions it ran."""
    frames = []
    sys.setprofile(lambda frame, event, _: frames.append(
        (event, frame.f_code.co_name)
    ))  # fmt: skip
    try:
        result = call()
    finally:
        sys.setprofile(None)
    called = [name for event, name in frames if event == "call"]
    return result, [name for name in called if name != "<lambda>"]


@pytest.mark.parametrize("name", [*NAMES, "any", "all"])
def test_functions_repeat_what_methods_do(name, device):
    if device == "gpu" and name.startswith("cum"):
        pytest.skip("packed rows are scanned as one, with memory to clear")
    function = getattr(gpuarray, name)
    host, device = both(numbers((39, 43 + len(name)), "f8"))
    want = function(device, axis=1)
    second_run, frames = frames_of(lambda: function(device, axis=1))
    assert frames == []
    same(second_run, want.get())
    assert second_run.shape == getattr(host, name)(axis=1).shape
    other, frames = frames_of(lambda: function(device, axis=0))
    assert frames, "nothing is known of this axis"
    assert other.shape == getattr(host, name)(axis=0).shape
    assert inspect.signature(function).parameters["axis"].default is None
    with pytest.raises(np.exceptions.AxisError):
        function(device, axis=2)
    with pytest.raises(TypeError):
        function(host, axis=1)


@pytest.mark.parametrize("axes", [(0,), (0, 1), (1, -1), (-3, 2), (0, 1, 2)])
def test_axes_of_a_tuple(axes):
    host, device = both(numbers((5, 6, 7 + len(axes)), "i4"))
    for given in (axes, axes[::-1]):
        same(device.sum(given), host.sum(given))
        second_run, frames = frames_of(lambda given=given: device.sum(given))
        assert frames == []
        same(second_run, host.sum(given))
    same(device.sum(()), host.sum(()))
    same(device.sum(axis=2), host.sum(axis=2))
    with pytest.raises(ValueError, match="repeated"):
        device.sum((0, 0))
    with pytest.raises(np.exceptions.AxisError):
        device.sum((0, 3))


@pytest.mark.parametrize("name", ["sum", "max", "min"])
def test_all_elements_need_no_python(name):
    host, device = both(numbers((23, 29), "i4"))
    want = getattr(device, name)().get()
    assert want == getattr(host, name)()
    for arguments in ((), (None,)):
        result, frames = frames_of(
            lambda a=arguments: getattr(device, name)(*a)
        )
        assert frames == []
        assert result.shape == ()
        assert result.get() == want
    short = device[:2].astype(np.float16)
    same(getattr(short, name)(), getattr(host[:2].astype(np.float16), name)())
    if name != "sum":
        with pytest.raises(ValueError, match="empty"):
            getattr(device[:0], name)()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_layouts(name):
    """Arrays that differ in one property do not share a launch plan."""
    hosts = [numbers(shape, dtype, seed) for seed, (shape, dtype) in enumerate(
        [((12, 34), "i4"), ((34, 12), "i4"), ((12, 34), "u4"),
         ((12, 34), "f4"), ((3, 4, 34), "i4"), ((408,), "i4"),
         ((12, 34), "?")])]  # fmt: skip
    for _ in range(2):
        for host in hosts:
            for order in "CF":
                for view in ("whole", "transposed", "reversed"):
                    mine, device = both(host, order, view)
                    for axis in (None, *range(-host.ndim, host.ndim)):
                        if host.dtype == bool and name == "cumsum":
                            continue
                        want = np.asarray(getattr(mine, name)(axis))
                        if want.dtype.kind == "f" and name in (
                            "sum", "cumsum",
                        ):  # fmt: skip
                            got = getattr(device, name)(axis)
                            np.testing.assert_allclose(
                                got.get(), want, rtol=1e-4, atol=1e-4
                            )
                            continue
                        same(getattr(device, name)(axis), want)


def test_new_contents_and_addresses():
    for shift in range(20):
        host = numbers((30, 33), "i4", shift)
        device = gpuarray.to_gpu(host)
        same(device.sum(0), host.sum(0))
        device += 1
        same(device.sum(0), host.sum(0) + 30)
        flat = gpuarray.to_gpu(host.ravel())
        part = flat[shift : shift + 900].reshape(30, 30)
        same(part.max(1), host.ravel()[shift : shift + 900]
             .reshape(30, 30).max(1))  # fmt: skip


def test_contexts():
    host = numbers((21, 43), "i4")
    outer = gpuarray.to_gpu(host)
    same(outer.sum(0), host.sum(0))
    for _ in range(3):
        inner = drv.Context.get_device().make_context()
        try:
            device = gpuarray.to_gpu(host * 2)
            same(device.sum(0), host.sum(0) * 2)
            same(device.sum(0), host.sum(0) * 2)
            del device
        finally:
            inner.pop()
            inner.detach()
    same(outer.sum(0), host.sum(0))


def test_other_arguments_are_heard():
    host, device = both(numbers((22, 44), "i4"))
    for _ in range(2):
        same(device.sum(0), host.sum(0))
        same(device.sum(0, keepdims=True), host.sum(0, keepdims=True))
        same(device.sum(0, np.int32), host.sum(0, np.int32))
        same(device.sum((0, 1)), np.asarray(host.sum((0, 1))))
        same(device.sum(np.int64(0)), host.sum(0))
        out = gpuarray.zeros(44, np.int64)
        assert device.sum(0, out=out) is out
        same(out, host.sum(0))
        wide = host.astype("f8")
        np.testing.assert_allclose(
            device.var(0, ddof=1).get(), wide.var(0, ddof=1)
        )
        np.testing.assert_allclose(device.var(0).get(), wide.var(0))
        with pytest.raises(np.exceptions.AxisError):
            device.sum(2)
        with pytest.raises(TypeError):
            device.sum(0, 1, 2, 3, 4, 5)
        with pytest.raises(TypeError):
            gpuarray.GPUArray.sum()
        with pytest.raises(TypeError, match="GPUArray"):
            gpuarray.GPUArray.mean(host)


def test_any_takes_a_stream_first():
    host, device = both(numbers((9, 8), "i4"))
    same(device.any(axis=0), host.any(axis=0))
    same(device.any(drv.Stream()), np.asarray(host.any()))
    same(device.all(axis=0), host.all(axis=0))


def test_allocators_and_classes():
    calls = []

    def allocator(size):
        calls.append(size)
        return drv.mem_alloc(size)

    class Mine(gpuarray.GPUArray):
        pass

    host = numbers((10, 20), "f8")
    device = gpuarray.to_gpu(host, allocator=allocator)
    del calls[:]
    for _ in range(3):
        device.max(0)
    assert calls == [160] * 3
    mine = Mine(host.shape, host.dtype)
    mine.set(host)
    for _ in range(2):
        assert type(mine.max(0)) is Mine
        same(mine.max(0), host.max(0))


class Turned(gpuarray.GPUArray):
    """A subclass with results of another layout than the plan's."""

    def _new_like_me(self, dtype=None, order="C"):
        return gpuarray.empty(
            self.shape[::-1], dtype or self.dtype, order="C"
        ).T


def test_results_that_lie_otherwise():
    host = numbers((10, 21), "i8")
    plain = gpuarray.to_gpu(host)
    same(plain.cumsum(0), host.cumsum(0))
    mine = Turned(host.shape, host.dtype)
    mine.set(host)
    for _ in range(2):
        same(mine.cumsum(0), host.cumsum(0))


def test_an_allocator_that_makes_plans():
    host = numbers((6, 600), "i4")
    others = [gpuarray.to_gpu(numbers((6, 7 + k), "i4")) for k in range(40)]

    def allocator(size):
        for other in others:
            other.sum(0)
        return drv.mem_alloc(size)

    device = gpuarray.to_gpu(host)
    device.sum(1)
    device.allocator = allocator
    for _ in range(5):
        same(device.sum(1), host.sum(1))


def test_it_looks_like_a_method():
    sum_ = gpuarray.GPUArray.sum
    assert inspect.signature(sum_).parameters["axis"].default is None
    assert sum_.__doc__ and sum_.__name__ == "sum"
    device = gpuarray.zeros(3, np.float32)
    assert device.sum.__self__ is device
    assert "axis" in inspect.signature(device.sum).parameters
    assert pickle.loads(pickle.dumps(device.sum)) is not None
    for views in VIEWS:
        assert seen(device, views).sum().get() == 0


def test_bad_plans():
    device = gpuarray.zeros((3, 4), np.float32)
    for launches in (((None, (1, 1, 1), (1, 1), 0, ()),), ((1,),)):
        with pytest.raises(TypeError):
            _driver._plan_set("sum", (device,), 0, device, (), launches)
    with pytest.raises(TypeError):
        _driver._plan_set("sum", (3,), 0, device, (), ())
    with pytest.raises(ValueError, match="too much"):
        _driver._plan_set("sum", (device,), 0, device, (1,) * 9, ())
    assert (device.sum(0).get() == 0).all()


def test_a_plan_that_is_replaced_lets_go(planned):
    _, device = both(numbers((5, 59), "f4"))
    device.sum(1)
    (arguments,) = planned
    function = arguments[-1][0][0]
    before = sys.getrefcount(function)
    for _ in range(5):
        device.sum(1)  # uses the plan
        _driver._plan_set(*arguments)
    assert sys.getrefcount(function) == before


WRAPPERS = {
    "method": lambda f: _driver.PlannedMethod(f, "cumsum"),
    "shortcut": lambda f: _driver.FastUfunc(f, "sum"),
    "usual": lambda f: _driver.FastCall(f, "roll"),
}


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_method_goes_with_its_function(kind):
    def method(a, axis=None):
        pass

    made = WRAPPERS[kind](method)
    gone = weakref.ref(method)
    del method
    assert gone() is not None
    del made
    assert gone() is None


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_method_that_its_function_knows_goes_too(kind):
    def method(a, axis=None):
        pass

    method.known = WRAPPERS[kind](method)
    gone = weakref.ref(method)
    del method
    gc.collect()
    assert gone() is None
