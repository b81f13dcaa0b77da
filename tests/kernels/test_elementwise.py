"""ElementwiseKernel: results equal NumPy's exactly unless noted."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.elementwise import (
    ElementwiseKernel,
    ScalarArg,
    VectorArg,
    get_elwise_kernel,
)

pytestmark = pytest.mark.usefixtures("context")

SIZES = [1, 31, 257, 100_003]


@pytest.mark.parametrize("n", SIZES)
def test_linear_combination(n):
    x, y = (np.random.rand(n).astype(np.float32) for _ in range(2))
    kernel = ElementwiseKernel(
        "float a, float *x, float b, float *y, float *z",
        "z[i] = a*x[i] + b*y[i]",
        "linear_combination",
    )
    z = gpuarray.empty(n, np.float32)
    kernel(5, gpuarray.to_gpu(x), 6, gpuarray.to_gpu(y), z)
    np.testing.assert_allclose(z.get(), 5 * x + 6 * y, rtol=1e-6)


@pytest.mark.parametrize(
    "operation",
    [
        "z[i] = x[i] + 1",
        "int t = x[i]; t += 1; z[i] = t",
        "if (x[i] < 0) { continue; } z[i] = x[i] + 1",
        "z[i] = x[i] + 1; // done\n",
        "size_t k = i; z[k] = x[k] + 1 + 0 * (int)(total_threads - tid)",
        "z[i] = x[i] + 1; i += total_threads; if (i < n) z[i] = x[i] + 1",
    ],
)
@pytest.mark.parametrize("n", SIZES)
def test_forms_of_operations(operation, n):
    x = np.arange(n, dtype=np.int32)
    z = gpuarray.zeros(n, np.int32)
    kernel = ElementwiseKernel("int *x, int *z", operation)
    kernel(gpuarray.to_gpu(x), z)
    assert (z.get() == x + 1).all()


def test_loop_prep_and_after_loop():
    kernel = ElementwiseKernel(
        "int *x, int *count",
        "mine += x[i]",
        loop_prep="int mine = 0",
        after_loop="atomicAdd(count, mine)",
        preamble="/* none */",
    )
    count = gpuarray.zeros(1, np.int32)
    kernel(gpuarray.to_gpu(np.ones(5000, np.int32)), count)
    assert count.get()[0] == 5000


@pytest.mark.parametrize("step", [1, 17, -1, -3, None])
def test_slice_and_range(step):
    n = 1000
    kernel = ElementwiseKernel("int *z", "z[i] = i")
    for part in (slice(10, 900, step), slice(900, 10, step)):
        z = gpuarray.zeros(n, np.int32)
        kernel(z, slice=part)
        expected = np.zeros(n, np.int32)
        expected[part] = np.arange(n)[part]
        assert (z.get() == expected).all()
    z = gpuarray.zeros(n, np.int32)
    kernel(z, range=slice(5, 25, 2))
    assert z.get().nonzero()[0].tolist() == list(range(5, 25, 2))
    with pytest.raises(TypeError, match="both range and slice"):
        kernel(z, range=slice(0, 1, 1), slice=slice(0, 1))


def test_a_stream():
    z = gpuarray.zeros(1000, np.int32)
    stream = drv.Stream()
    drv.Context.synchronize()
    ElementwiseKernel("int *z", "z[i] = i")(z, stream=stream)
    stream.synchronize()
    assert (z.get() == np.arange(1000)).all()


def test_strided_arrays():
    host = np.arange(60, dtype=np.float32).reshape(6, 10)
    base = gpuarray.to_gpu(host)
    kernel = ElementwiseKernel("float *x, float *z", "z[i] = 2 * x[i]")
    cases = [
        (base[::2, 1::3], host[::2, 1::3]),
        (base.T, host.T),
        (base[:, 3], host[:, 3]),
        (base[::-1], host[::-1]),
    ]
    for view, expected in cases:
        z = gpuarray.zeros(expected.shape, np.float32)
        kernel(view, z)
        assert (z.get() == 2 * expected).all()
    target = gpuarray.zeros((6, 20), np.float32)
    kernel(base, target[:, ::2])
    assert (target.get()[:, ::2] == 2 * host).all()
    assert (target.get()[:, 1::2] == 0).all()


def test_arrays_in_one_order_need_no_strides():
    host = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    z = gpuarray.empty((3, 4), np.float32, order="F")
    ElementwiseKernel("float *x, float *z", "z[i] = x[i] + 1")(
        gpuarray.to_gpu(host), z
    )
    assert (z.get() == host + 1).all()


def test_types_of_arrays_are_checked():
    kernel = ElementwiseKernel("float *x, float *z", "z[i] = x[i]")
    z = gpuarray.zeros(4, np.float32)
    mask = gpuarray.to_gpu(np.array([True, False, True, True]))
    kernel(mask, z)
    assert z.get().tolist() == [1, 0, 1, 1]
    with pytest.raises(TypeError, match=r"'x'.*float32.*float64"):
        kernel(gpuarray.zeros(4, np.float64), z)
    with pytest.raises(TypeError, match="to_gpu"):
        kernel(np.zeros(4, np.float32), z)
    with pytest.raises(TypeError, match="2 arguments expected"):
        kernel(z)
    with pytest.raises(TypeError, match="invalid keyword"):
        kernel(z, z, streams=None)


def test_no_vector():
    with pytest.raises(AssertionError, match="one vector"):
        ElementwiseKernel("float x", "x = i")


def test_an_empty_array():
    ElementwiseKernel("float *x", "x[i] = 1")(gpuarray.empty(0, np.float32))


def test_a_list_of_arguments_is_not_changed():
    arguments = [VectorArg(np.float32, "x"), ScalarArg(np.float32, "a")]
    kernel = ElementwiseKernel(arguments, "x[i] = a")
    x = gpuarray.empty(10, np.float32)
    kernel(x, 3)
    kernel(x, 4, slice=slice(0, 5))
    assert x.get().tolist() == [4] * 5 + [3] * 5
    assert len(arguments) == 2


def test_complex_numbers():
    x = (np.random.rand(100) + 1j * np.random.rand(100)).astype(np.complex64)
    z = gpuarray.empty(100, np.complex64)
    kernel = ElementwiseKernel(
        "pycuda::complex<float> a, pycuda::complex<float> *x, "
        "pycuda::complex<float> *z",
        "z[i] = a * conj(x[i])",
    )
    kernel(2j, gpuarray.to_gpu(x), z)
    np.testing.assert_allclose(z.get(), 2j * x.conj(), rtol=1e-6)


def test_prepared_kernel():
    kernel = get_elwise_kernel("int *z, int a", "z[i] = a + i")
    z = gpuarray.zeros(1000, np.int32)
    kernel.prepared_async_call((2, 1), (64, 1, 1), None, z.gpudata, 3, 1000)
    assert (z.get() == 3 + np.arange(1000)).all()
