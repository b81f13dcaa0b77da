"""ReductionKernel and the kernels for common reductions."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda import reduction, tools
from pycuda.reduction import ReductionKernel
from pycuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")


GPU_SHAPE = reduction._Shape(512, 4, 4, 64)


@pytest.fixture(params=["this device's shape", "many threads"], autouse=True)
def shape(request, monkeypatch):
    """Run each test also with a launch shape for a GPU."""
    tools.clear_context_caches()
    if request.param == "many threads":
        monkeypatch.setattr(reduction, "_shape", lambda: GPU_SHAPE)


SIZES = [1, 511, 513, 2048, 100_001, 1 << 20]


@pytest.mark.parametrize("n", SIZES)
def test_dot(n):
    x, y = (np.random.rand(n).astype(np.float32) for _ in range(2))
    kernel = ReductionKernel(
        np.float32,
        neutral="0",
        reduce_expr="a+b",
        map_expr="x[i]*y[i]",
        arguments="float *x, float *y",
    )
    got = kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(y))
    assert got.shape == () and got.dtype == np.float32
    np.testing.assert_allclose(got.get(), np.dot(x, y), rtol=1e-5)


@pytest.mark.sweep(most=40)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("what", ["max", "min"])
@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "f4", "f8"])
def test_extremes(n, what, dtype):
    x = (np.random.rand(n) * 250).astype(dtype)
    kernel = reduction.get_minmax_kernel(what, np.dtype(dtype))
    assert kernel(gpuarray.to_gpu(x)).get() == getattr(x, what)()


def test_extremes_keep_nan():
    x = np.random.rand(5000).astype(np.float32)
    x[1234] = np.nan
    kernel = reduction.get_minmax_kernel("max", np.dtype(np.float32))
    assert np.isnan(kernel(gpuarray.to_gpu(x)).get())


def test_the_default_map():
    kernel = ReductionKernel(np.int64, 0, "a+b", arguments="const long *in")
    x = np.arange(10_000)
    assert kernel(gpuarray.to_gpu(x)).get() == x.sum()


def test_scalars_and_names_in_expressions():
    kernel = ReductionKernel(
        np.float64,
        "0",
        "a + b",
        map_expr="i < n && tid < 512 ? alpha * x[i] : 0",
        arguments="double alpha, const double *x",
    )
    x = np.random.rand(3000)
    got = kernel(2.5, gpuarray.to_gpu(x)).get()
    np.testing.assert_allclose(got, 2.5 * x.sum(), rtol=1e-12)


STRUCT = """
struct extremes
{
  float low, high;
  __device__ extremes() {}
  __device__ extremes(float l, float h) : low(l), high(h) {}
  __device__ extremes(extremes const &o) : low(o.low), high(o.high) {}
  __device__ extremes(extremes const volatile &o)
    : low(o.low), high(o.high) {}
  __device__ extremes volatile &operator=(extremes const &o) volatile
  {
    low = o.low;
    high = o.high;
    return *this;
  }
  __device__ extremes &operator=(extremes const &o)
  {
    low = o.low;
    high = o.high;
    return *this;
  }
};
__device__ extremes both(extremes a, extremes b)
{
  return extremes(fminf(a.low, b.low), fmaxf(a.high, b.high));
}
"""


def test_a_struct():
    dtype = np.dtype([("low", np.float32), ("high", np.float32)])
    get_or_register_dtype("extremes", dtype)
    kernel = ReductionKernel(
        dtype,
        neutral="extremes(10000, -10000)",
        reduce_expr="both(a, b)",
        map_expr="extremes(x[i], x[i])",
        arguments="float *x",
        preamble=STRUCT,
    )
    x = np.random.randn(20_000).astype(np.float32)
    got = kernel(gpuarray.to_gpu(x)).get()
    assert got["low"] == x.min() and got["high"] == x.max()


def test_out_stream_and_allocator():
    kernel = reduction.get_sum_kernel(np.dtype("i4"), np.dtype("i4"))
    x = gpuarray.to_gpu(np.arange(10_000, dtype=np.int32))
    results = gpuarray.zeros(4, np.int32)
    asked = []

    def allocate(size):
        asked.append(size)
        return drv.mem_alloc(size)

    stream = drv.Stream()
    drv.Context.synchronize()
    out = results[2]
    assert kernel(x, out=out, stream=stream, allocator=allocate) is out
    stream.synchronize()
    total = 10_000 * 9_999 // 2
    assert results.get().tolist() == [0, 0, total, 0]
    small = gpuarray.to_gpu(np.arange(10, dtype=np.int32))
    asked.clear()
    assert kernel(small, allocator=allocate).get() == 45
    assert asked == [4]
    with pytest.raises(ValueError, match="same dtype"):
        kernel(x, out=gpuarray.zeros(1, np.float32))
    with pytest.raises(ValueError, match="out array is empty"):
        kernel(x, out=gpuarray.empty(0, np.int32))


def test_vectors_that_are_too_short():
    """Rejected if each element is read; accepted if a condition decides."""
    x, y = gpuarray.ones(1000, np.int32), gpuarray.ones(10, np.int32)
    arguments = "const int *x, const int *y"
    kernel = ReductionKernel("i4", "0", "a+b", "x[i]*y[i]", arguments)
    with pytest.raises(ValueError, match="'y' has 10 elements, but 'x' has"):
        kernel(x, y)
    assert kernel(y, x).get() == 10
    for expression in ("i < 10 ? x[i]+y[i] : x[i]", "x[i] + (i<10 && y[i])"):
        kernel = ReductionKernel("i4", "0", "a+b", expression, arguments)
        assert kernel(x, y).get() == 1010
    kernel = ReductionKernel("i4", "0", "a+b", "x[i]+y[i%10]", arguments)
    assert kernel(x, y).get() == 2000


def test_keywords_that_are_left_out():
    kernel = ReductionKernel("i4", "0", "a+b", arguments="const int *in")
    with pytest.warns(UserWarning, match="left out: range; .* pass a view"):
        total = kernel(gpuarray.ones(10, np.int32), range=slice(0, 5))
    assert total.get() == 10


def test_kernel_wrapper():
    kernel = reduction.get_sum_kernel(np.dtype("i4"), np.dtype("i4"))
    launches = []

    def wrapper(launch):
        def counted(*args, **kwargs):
            launches.append(args[4])
            return launch(*args, **kwargs)

        return counted

    x = gpuarray.to_gpu(np.ones(100_000, np.int32))
    assert kernel(x, kernel_wrapper=wrapper).get() == 100_000
    assert len(launches) == 2 and launches[0] is x.gpudata


def test_strided_input():
    host = np.arange(60, dtype=np.float32).reshape(6, 10)
    weights = np.arange(60, dtype=np.float32).reshape(10, 6)
    kernel = ReductionKernel(
        np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y"
    )
    x, y = gpuarray.to_gpu(host), gpuarray.to_gpu(weights)
    assert kernel(x, y.T).get() == (host * weights.T).sum()
    assert kernel(x[::2], y.T[::2]).get() == (host * weights.T)[::2].sum()


def test_wrong_arguments():
    kernel = reduction.get_sum_kernel(np.dtype("f4"), np.dtype("f4"))
    x = gpuarray.zeros(10, np.float32)
    with pytest.raises(TypeError, match="1 arguments expected"):
        kernel(x, x)
    with pytest.raises(TypeError, match="float32"):
        kernel(gpuarray.zeros(10, np.int32))
    with pytest.raises(ValueError, match="arguments="):
        ReductionKernel(np.float32, 0, "a+b")
    with pytest.raises(AssertionError, match="one vector"):
        ReductionKernel(np.float32, 0, "a+b", "x", arguments="float x")


def test_subsets():
    x = np.random.rand(1000)
    chosen = np.arange(0, 1000, 7, dtype=np.int32)
    gpu, index = gpuarray.to_gpu(x), gpuarray.to_gpu(chosen)
    f8, i4 = np.dtype("f8"), np.dtype("i4")
    total = reduction.get_subset_sum_kernel(f8, i4, f8)(index, gpu).get()
    np.testing.assert_allclose(total, x[chosen].sum(), rtol=1e-12)
    low = reduction.get_subset_minmax_kernel("min", f8, i4)(index, gpu)
    assert low.get() == x[chosen].min()
    product = reduction.get_subset_dot_kernel(f8, i4, f8, f8)
    np.testing.assert_allclose(
        product(index, gpu, gpu).get(), (x[chosen] ** 2).sum(), rtol=1e-12
    )


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8"])
def test_any_and_all(dtype):
    x = np.zeros(3000, dtype)
    any_of = reduction.get_any_kernel(np.dtype(bool), np.dtype(dtype))
    all_of = reduction.get_all_kernel(np.dtype(bool), np.dtype(dtype))
    assert not any_of(gpuarray.to_gpu(x)).get()
    x[2999] = 1
    assert any_of(gpuarray.to_gpu(x)).get()
    assert not all_of(gpuarray.to_gpu(x)).get()
    x[:] = 1
    assert all_of(gpuarray.to_gpu(x)).get()


@pytest.mark.sweep(most=6)
@pytest.mark.parametrize("dtype", ["i1", "i4", "u8", "f2", "f4", "f8", "c8"])
def test_letters_stand_for_types(dtype):
    total = ReductionKernel("T", "0", "a+b", arguments="const T *in")
    host = (np.arange(60) % 5).reshape(3, 20).astype(dtype)
    device = gpuarray.to_gpu(host)
    got = total(device)
    assert got.dtype == dtype
    assert got.get() == host.sum().astype(dtype)
    rows = total(device[:, ::2], axis=1, keepdims=True)
    want = host[:, ::2].sum(1, keepdims=True).astype(dtype)
    np.testing.assert_array_equal(rows.get(), want)
    if dtype not in ("f2", "c8"):  # C++ cannot add either type to a double
        assert total(device, dtype=np.float64).get() == float(host.sum())
    out = gpuarray.empty((), dtype)
    assert total(device, out=out) is out


def test_letters_in_expressions():
    weighed = ReductionKernel(
        np.float64,
        "0",
        "a+b",
        "(double)((T)(s * x[i]) * twice(y[i]))",
        "T s, const T *x, U *y, float f",
        preamble="__device__ U twice(U v) { return 2 * v; }\n",
    )
    x, y = np.array([1, 2, 3], "i2"), np.array([0.5, 0.25, 2])
    got = weighed(np.int16(3), gpuarray.to_gpu(x), gpuarray.to_gpu(y), 1.5)
    assert got.get() == (3 * x * 2 * y).sum()
    with pytest.raises(TypeError, match="4 arguments expected"):
        weighed(gpuarray.to_gpu(x))
    kernel = ReductionKernel("T", "0", "a+b", "x[i] * y[i]", "T *x, T *y")
    with pytest.raises(TypeError, match="T stands for int16 in"):
        kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(y))
    with pytest.raises(TypeError, match="must be a GPUArray"):
        kernel(gpuarray.to_gpu(x), x)
