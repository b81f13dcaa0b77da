"""float32 sin and cos against the correctly rounded values.

For |x| <= 10 every result is the nearest float or one next to it, so that it
differs from that by less than 1e-7, as NumPy's results do.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

END = int(np.float32(10).view(np.uint32))
# The smallest x for which cos(x) is not 1.
SMALL = int(np.float32(2**-13).view(np.uint32))
CHUNK = 1 << 23
FUNCTIONS = {
    "sin": (cumath.sin, np.sin),
    "cos": (cumath.cos, np.cos),
}


def worst(name, bits):
    """Return (largest difference from the rounded value, largest ulp)."""
    ours, reference = FUNCTIONS[name]
    x = bits.view(np.float32)
    got = ours(gpuarray.to_gpu(x)).get().astype(np.float64)
    exact = reference(x.astype(np.float64))
    rounded = exact.astype(np.float32)
    difference = abs(got - rounded).max()
    return difference, (abs(got - exact) / abs(np.spacing(rounded))).max()


def check(name, bits, sign=0):
    difference, ulp = worst(name, bits | np.uint32(sign << 31))
    assert difference <= 1e-7
    assert ulp < 1.5


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sample(name):
    """Every 500th float, and all floats near multiples of pi / 2."""
    check(name, np.arange(SMALL, END, 499, dtype=np.uint32))
    for turn in range(1, 7):
        middle = np.float32(turn * np.pi / 2).view(np.uint32)
        near = np.arange(middle - 2000, middle + 2000, dtype=np.uint32)
        check(name, near, turn % 2)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_elsewhere(name):
    """Errors of up to 1.54 ulp are rare, and so are results two floats off."""
    rng = np.random.default_rng(3)
    x = np.exp(rng.uniform(np.log(10), np.log(3e38), 1 << 20))
    assert worst(name, x.astype(np.float32).view(np.uint32))[1] < 1.55


@pytest.mark.parametrize("name", FUNCTIONS)
def test_zeros_and_ends(name):
    x = np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45])
    ours, reference = FUNCTIONS[name]
    got = ours(gpuarray.to_gpu(x)).get()
    with np.errstate(invalid="ignore"):
        want = reference(x)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[:2]), np.signbit(want[:2]))


BOTH = """
__global__ void of_float(float *y, float *z, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sincosf(x[i], &y[i], &z[i]);
}
__global__ void of_double(double *y, double *z, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sincos(x[i], &y[i], &z[i]);
}
"""


@pytest.mark.parametrize("name", ["of_float", "of_double"])
def test_sincos(name):
    """Both results, for arguments of all sizes, zeros and limits."""
    dtype = np.float32 if name == "of_float" else np.float64
    rng = np.random.default_rng(4)
    x = np.exp(rng.uniform(-20, 40, 1 << 16)) * rng.choice([-1, 1], 1 << 16)
    near = np.arange(-40, 41) * np.pi / 4
    x = np.concatenate([x, near, near * 1e6, [0.0, -0.0, np.inf, np.nan]])
    x = x.astype(dtype)
    got = [gpuarray.empty(x.size, dtype) for _ in range(2)]
    kernel = SourceModule(BOTH).get_function(name)
    kernel(
        *got,
        gpuarray.to_gpu(x),
        np.int32(x.size),
        block=(256, 1, 1),
        grid=(-(-x.size // 256), 1),
    )
    with np.errstate(invalid="ignore"):
        want = np.sin(x.astype(np.longdouble)), np.cos(x.astype(np.longdouble))
    for ours, exact in zip(got, want, strict=True):
        found, rounded = ours.get(), exact.astype(dtype)
        error = abs(found.astype(np.longdouble) - exact) / np.spacing(
            abs(rounded)
        )
        good = (error < 1.6) | (np.isnan(found) & np.isnan(rounded))
        assert good.all(), x[~good][:5]
        zero = rounded == 0
        assert (np.signbit(found) == np.signbit(rounded))[zero].all()


@pytest.mark.slow
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_floats(name, sign):
    for first in range(SMALL, END + 1, CHUNK):
        end = min(first + CHUNK, END + 1)
        check(name, np.arange(first, end, dtype=np.uint32), sign)
    for first in range(0, SMALL, CHUNK):
        x = np.arange(first, first + CHUNK, dtype=np.uint32)
        x = (x[: SMALL - first] | np.uint32(sign << 31)).view(np.float32)
        got = FUNCTIONS[name][0](gpuarray.to_gpu(x)).get()
        assert np.array_equal(got, x if name == "sin" else np.ones_like(x))
