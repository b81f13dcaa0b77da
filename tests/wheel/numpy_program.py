"""A program that runs with NumPy 1.26 and with NumPy 2: arrays and dtypes.

It compares with numbers, not with NumPy's rules, which differ.
"""

# SPDX-License-Identifier: MIT

import sys

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.gpuarray as gpuarray
from pycuda import curandom, scan
from pycuda.compiler import SourceModule

assert np.__version__.startswith(sys.argv[1]), np.__version__

# A scalar of each dtype, converted by the extension.
for dtype in "?bBhHiIlLefdFD":
    a = gpuarray.full(5, 1, dtype)
    a[2] = 0
    a.fill(1)
    a[1:3] = np.dtype(dtype).type(0)
    assert a.dtype == dtype and a.itemsize == np.dtype(dtype).itemsize
    assert a.get().tolist() == [1, 0, 0, 1, 1], dtype
    assert gpuarray.arange(3, dtype=dtype if dtype != "?" else "b").size == 3

# Types of results follow NumPy 2 with either version.
x = gpuarray.arange(12, dtype=np.float32).reshape(3, 4)
assert (x + 1.5).dtype == np.float32
assert (x + np.float64(1.5)).dtype == np.float64
assert (x.astype(np.uint8) + 1).dtype == np.uint8

# Fields, subarrays and alignment are read from the dtype.
pairs = np.zeros(4, [("a", np.int32), ("b", np.float64, 2)])
pairs["b"][:, 1] = [1, 2, 3, 4]
device = gpuarray.to_gpu(pairs)
assert device["b"].get()[:, 1].tolist() == [1, 2, 3, 4]

# NumPy's functions of arrays, reductions over axes, sorting, indexing.
assert np.sum(x, axis=0).get().tolist() == [12, 15, 18, 21]
assert np.concatenate([x, x]).shape == (6, 4)
assert np.transpose(x).get()[1].tolist() == [1, 5, 9]
assert gpuarray.roll(x, 1, axis=1).get()[0].tolist() == [3, 0, 1, 2]
assert x[gpuarray.to_gpu(np.array([2, 0]))].get()[:, 0].tolist() == [8, 0]
assert gpuarray.sort(-x, axis=1).get()[0].tolist() == [-3, -2, -1, 0]
try:
    x.sum(axis=2)
except np.exceptions.AxisError as error:
    assert "axis 2 is out of bounds" in str(error)
else:
    raise AssertionError("an axis that does not exist was accepted")

total = gpuarray.to_gpu(np.arange(5, dtype=np.int32))
scan.InclusiveScanKernel(np.int32, "a + b")(total)
assert total.get().tolist() == [0, 1, 3, 6, 10]
sobol = curandom.ScrambledSobol32RandomNumberGenerator()
assert 0.4 < sobol.gen_uniform(1000, np.float32).get().mean() < 0.6

twice = SourceModule(
    "__global__ void twice(float *a, int n) { if (threadIdx.x < n)"
    " a[threadIdx.x] *= 2; }"
).get_function("twice")
y = gpuarray.arange(4, dtype=np.float32)
twice(y, np.int32(4), block=(32, 1, 1))
assert y.get().tolist() == [0, 2, 4, 6]
print("Success")
