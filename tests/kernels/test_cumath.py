"""cumath against NumPy, in float32 and float64; tolerances are absolute."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda import cumath

pytestmark = pytest.mark.usefixtures("context")

# name: (NumPy's name, low, high, largest error)
FUNCTIONS = {
    "ceil": ("ceil", -10, 10, 0),
    "floor": ("floor", -10, 10, 0),
    "fabs": ("fabs", -10, 10, 0),
    "exp": ("exp", -3, 3, 1e-5),
    "log": ("log", 1e-5, 1, 2e-6),
    "log10": ("log10", 1e-5, 1, 1e-6),
    "sqrt": ("sqrt", 1e-5, 1, 2e-7),
    "sin": ("sin", -10, 10, 1e-6),
    "cos": ("cos", -10, 10, 1e-6),
    "asin": ("arcsin", -0.9, 0.9, 5e-7),
    "acos": ("arccos", -0.9, 0.9, 5e-7),
    "tan": ("tan", -1.47, 1.47, 1e-5),
    "atan": ("arctan", -10, 10, 3e-7),
    "sinh": ("sinh", -3, 3, 3e-6),
    "cosh": ("cosh", -3, 3, 3e-6),
    "tanh": ("tanh", -3, 3, 2e-6),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_unary(name, dtype):
    numpy_name, low, high, error = FUNCTIONS[name]
    x = np.random.uniform(low, high, 1777).astype(dtype)
    got = getattr(cumath, name)(gpuarray.to_gpu(x))
    assert got.dtype == dtype
    expected = getattr(np, numpy_name)(x)
    assert abs(got.get() - expected).max() <= error


@pytest.mark.parametrize("name", ["exp", "sin", "cos", "sqrt", "log", "tanh"])
def test_complex(name):
    x = np.random.uniform(-2, 2, 500) + 1j * np.random.uniform(-2, 2, 500)
    for dtype, error in ((np.complex64, 3e-5), (np.complex128, 1e-12)):
        got = getattr(cumath, name)(gpuarray.to_gpu(x.astype(dtype))).get()
        expected = getattr(np, name)(x.astype(dtype))
        # Near a pole an error in x is amplified by |f|**2.
        slope = 1 + abs(expected) ** 2
        assert (abs(got - expected) / slope).max() <= error


def test_integers_are_promoted():
    for dtype in (np.int16, np.int32, np.uint8, np.int64, bool):
        x = np.arange(2).astype(dtype)
        got = cumath.exp(gpuarray.to_gpu(x))
        assert got.dtype.kind == "f" and got.dtype.itemsize >= 4
        np.testing.assert_allclose(
            got.get(), np.exp(x.astype(got.dtype)), rtol=1e-6
        )


def test_strided_out_and_stream():
    host = np.random.rand(8, 10).astype(np.float32)
    x = gpuarray.to_gpu(host)
    np.testing.assert_allclose(
        cumath.sqrt(x[::2, ::3]).get(), np.sqrt(host[::2, ::3]), rtol=1e-6
    )
    out = gpuarray.zeros((8, 10), np.float32)
    stream = drv.Stream()
    drv.Context.synchronize()
    assert cumath.sqrt(x, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_allclose(out.get(), np.sqrt(host), rtol=1e-6)
    with pytest.warns(DeprecationWarning):
        assert cumath.sqrt(x, out) is out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_results(dtype):
    x = np.random.uniform(-100, 100, 777).astype(dtype)
    gpu = gpuarray.to_gpu(x)
    significand, exponent = cumath.frexp(gpu)
    expected = np.frexp(x)
    assert (significand.get() == expected[0]).all()
    assert (exponent.get() == expected[1]).all()
    assert (cumath.ldexp(significand, exponent).get() == x).all()
    fraction, whole = cumath.modf(gpu)
    expected = np.modf(x)
    assert (fraction.get() == expected[0]).all()
    assert (whole.get() == expected[1]).all()
    y = np.random.uniform(1, 5, 777).astype(dtype)
    assert (cumath.fmod(gpu, gpuarray.to_gpu(y)).get() == np.fmod(x, y)).all()


def test_what_is_no_gpuarray():
    with pytest.raises(TypeError, match="to_gpu"):
        cumath.sin(np.zeros(3))
    with pytest.raises(TypeError, match="to_gpu"):
        cumath.sin(1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sine_and_cosine_stay_within_one(dtype):
    """Results never exceed 1: acos(cos(x)) and sqrt(1-sin(x)**2) are
    finite."""
    rng = np.random.default_rng(1)
    x = np.concatenate(
        [
            rng.uniform(-1e5, 1e5, 100_000),
            np.arange(-100_000, 100_000) * (np.pi / 2),
            np.linspace(0, 2 * np.pi, 1_000_003),
        ]
    ).astype(dtype)
    for function in (cumath.sin, cumath.cos):
        y = function(gpuarray.to_gpu(x)).get()
        assert np.abs(y).max() == 1
