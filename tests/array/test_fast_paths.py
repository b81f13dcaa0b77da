"""Calls that run in C without a Python frame, and their slow paths."""

# SPDX-License-Identifier: MIT

import gc
import inspect
import pickle
import sys
import weakref

import numpy as np
import pytest

import pycuda.cumath as cumath
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda import _driver
from pycuda._kernels import factory
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")


def numbers(n=1000):
    return np.linspace(0.1, 1.0, n, dtype=np.float32)


def scale_kernel():
    return ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]")


@pytest.mark.parametrize("name", ["sin", "sqrt", "floor", "tanh"])
def test_function_takes_any_form_of_call(name):
    x = numbers()
    array, out = gpuarray.to_gpu(x), gpuarray.empty(x.size, np.float32)
    function, want = getattr(cumath, name), getattr(np, name)(x)
    for got in (
        function(array),
        function(array=array),
        function(array, out=out),
        function(array, stream=drv.Stream()),
        function(array[::-1])[::-1],
    ):
        drv.Context.synchronize()
        np.testing.assert_allclose(got.get(), want, rtol=1e-5)
    assert function(gpuarray.empty(0, np.float32)).shape == (0,)


def test_function_looks_like_one():
    assert pickle.loads(pickle.dumps(cumath.sin)) is cumath.sin
    assert pickle.loads(pickle.dumps(gpuarray.sum)) is gpuarray.sum
    assert cumath.sin.__name__ == "sin"
    assert "numpy.sin" in cumath.sin.__doc__
    assert "stream" in inspect.signature(gpuarray.sum).parameters


def test_function_refuses_what_is_no_array():
    with pytest.raises(TypeError, match=r"cumath\.sin expects a GPUArray"):
        cumath.sin(numbers())
    with pytest.raises(TypeError):
        cumath.sin()
    with pytest.raises(TypeError):
        gpuarray.sum(gpuarray.to_gpu(numbers()), bad=1)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex64])
def test_reductions_take_any_form_of_call(dtype):
    x = np.arange(1, 40).astype(dtype).reshape(3, 13)
    array = gpuarray.to_gpu(x)
    for given, host in ((array, x), (array.T, x.T), (array[:, 1:], x[:, 1:])):
        for got in (gpuarray.sum(given), gpuarray.sum(given, dtype=None)):
            assert got.get() == host.sum()
            assert got.dtype == host.sum().dtype
    assert gpuarray.sum(gpuarray.empty(0, dtype)).get() == 0
    assert bool(gpuarray.any(array).get()) is True
    with pytest.raises(ValueError, match="max"):
        gpuarray.max(gpuarray.empty(0, np.float32))


def test_kernel_leaves_its_plan_and_returns():
    x = numbers()
    kernel, array = scale_kernel(), gpuarray.to_gpu(x)
    z = gpuarray.empty_like(array)
    for factor in range(1, 4):
        kernel(factor, array, z)
        np.testing.assert_array_equal(z.get(), np.float32(factor) * x)
        kernel(factor, array[::-1], z)
        np.testing.assert_array_equal(z.get(), np.float32(factor) * x[::-1])
        kernel(factor, array[:10], z[10:20])
        np.testing.assert_array_equal(
            z.get()[10:20], np.float32(factor) * x[:10]
        )
        kernel(-1, array, z, slice=slice(0, 5))
        np.testing.assert_array_equal(z.get()[:5], -x[:5])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda k, x, z: k(2, x), TypeError, "3 arguments expected"),
        (lambda k, x, z: k(2, x.get(), z), TypeError, "to_gpu"),
        (lambda k, x, z: k(2, x, z, foo=1), TypeError, "foo"),
        (lambda k, x, z: k(2, x, z, stream=3), TypeError, "Stream"),
        (lambda k, x, z: k(2, x.astype(np.int32), z), TypeError, "int32"),
        (lambda k, x, z: k("a", x, z), Exception, "float"),
    ],
)
@pytest.mark.parametrize("planned", [False, True])
def test_kernel_refuses_with_and_without_a_plan(planned, call, error, text):
    kernel, array = scale_kernel(), gpuarray.to_gpu(numbers())
    z = gpuarray.empty_like(array)
    if planned:
        kernel(1, array, z)
    with pytest.raises(error, match=text):
        call(kernel, array, z)


def test_kernel_may_be_derived_from():
    class Counting(ElementwiseKernel):
        calls = 0

        def __call__(self, *args, **kwargs):
            self.calls += 1
            return super().__call__(*args, **kwargs)

    kernel = Counting("float *x, float *z", "z[i] = x[i]")
    array = gpuarray.to_gpu(numbers())
    z = gpuarray.empty_like(array)
    for _ in range(3):
        kernel(array, z)
    assert kernel.calls == 3
    np.testing.assert_array_equal(z.get(), array.get())


def test_kernel_in_a_second_context():
    kernel = scale_kernel()
    x = numbers(10)

    def run():
        array = gpuarray.to_gpu(x)
        z = gpuarray.empty_like(array)
        kernel(2, array, z)
        return z.get()

    first = run()
    other = drv.Device(0).make_context()
    try:
        second = run()
    finally:
        other.detach()
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(run(), first)


def test_kernel_is_collected():
    kernel, array = scale_kernel(), gpuarray.to_gpu(numbers())
    kernel(1, array, array)
    kernel.itself = kernel
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


@pytest.fixture
def asked():
    """Record requests from C to Python: to make kernels or resolve dtypes."""
    found = []

    def kernel(key):
        found.append(key)
        return factory.make_kernel(key)

    def dtypes(*key):
        found.append(key)
        return factory.resolve_types(*key)

    _driver._set_kernel_factory(kernel)
    _driver._set_type_resolver(dtypes)
    yield found
    factory.serve()


def test_python_is_asked_once(asked):
    context = drv.Context.get_device().make_context()
    try:
        a = gpuarray.to_gpu(np.arange(600, dtype=np.uint16))
        for wanted in (None, 0, 0):
            before = len(asked)
            found = (a + a).get(), (a * np.float32(0.5)).get()
            assert (found[0] == 2 * np.arange(600)).all()
            assert (found[1] == np.arange(600) / 2).all()
            total = a.sum()
            assert int(total.get()) == 599 * 300
            if wanted is None:
                assert len(asked) >= before + 3, "other operations"
            else:
                assert len(asked) == before, asked[before:]
        del a, total
    finally:
        context.pop()
        context.detach()


@pytest.mark.parametrize("call", [
    lambda a: cumath.sin(a),
    lambda a: gpuarray.sum(a),
    lambda a: a + a,
], ids=["function", "sum", "sum of two"])  # fmt: skip
def test_a_second_call_runs_no_python(call):
    a = gpuarray.to_gpu(numbers())
    call(a)
    frames = []

    def profile(frame, event, argument):
        if event == "call":
            frames.append(frame.f_code.co_qualname)

    sys.setprofile(profile)
    try:
        call(a)
    finally:
        sys.setprofile(None)
    assert len(frames) == 1, frames
