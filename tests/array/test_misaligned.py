"""Arrays of misaligned elements.

They are views of bytes, fields of packed records, and arrays with assigned
strides. On a GPU the first load of such an element destroys the context. The
CPU device reports it if its memory checks are on, so the calls run in a
process with the checks.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

from pycuda import cumath, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

WAYS = """
import numpy as np
import pycuda.autoinit
from pycuda import gpuarray

rng = np.random.default_rng(5)

def packed(dtype, shape):
    "A field of packed records: (the array, NumPy's)."
    host = np.zeros(shape, [("pad", "i1"), ("x", dtype)])
    host["x"] = rng.integers(0, 50, shape)
    return gpuarray.to_gpu(host)["x"], host["x"]

def shifted(dtype, shape):
    "A view of bytes that begins at an odd one."
    host = rng.integers(0, 50, shape).astype(dtype)
    there = gpuarray.to_gpu(np.frombuffer(b"?" + host.tobytes(), "u1"))
    return there[1:].view(dtype).reshape(shape), host
"""
CALLS = """
def same(found, expected):
    found = found.get() if isinstance(found, gpuarray.GPUArray) else found
    np.testing.assert_allclose(found, expected, rtol=1e-5)

SHAPES = ((4, 6), (3, 70), (70, 3), (300, 40))

for way in (packed, shifted):
    for dtype in DTYPES:
        for shape in SHAPES if dtype == "f4" else SHAPES[1::2]:
            a, host = way(dtype, shape)
            for name in ("sum", "max", "min", "mean", "var", "std",
                         "argmax", "argmin", "all", "any", "cumsum"):
                for axis in (None, 0, 1):
                    kind = "f8" if name in ("mean", "var", "std") else dtype
                    same(getattr(a, name)(axis=axis),
                         getattr(host.astype(kind), name)(axis=axis))
            out, there = way("i8" if dtype == "i4" else dtype, shape[:1])
            a.sum(1, out=out)
            same(out, host.sum(1))
            out, there = way("i8" if dtype == "i4" else dtype, shape)
            gpuarray.cumsum(a, 1, out=out)
            same(out, host.cumsum(1))
            line, values = way(dtype, shape[0] * shape[1])
            key, keys = way(dtype, 17)
            ordered = np.sort(values)
            line[...] = gpuarray.to_gpu(ordered)
            same(gpuarray.searchsorted(line, key),
                 np.searchsorted(ordered, keys))
            same(line.ptp(), np.ptp(ordered))
            same(gpuarray.trace(a), host.trace())
"""


def run_checked(code):
    """Run code in a separate process with checked memory accesses."""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", code],
        env={**os.environ, "PYCUDA_CPU_CHECK": "memory"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    "dtype",
    ["f4", *(pytest.param(d, marks=pytest.mark.slow) for d in ("i4", "f8"))],
)
def test_results_are_those_of_numpy(dtype):
    run_checked(f"{WAYS}\nDTYPES = ({dtype!r},)\n{CALLS}")


REPEATED = """
for dtype in ("f4", "i2", "f8"):
    there = gpuarray.to_gpu(np.arange(9, dtype=dtype))
    a, host = shifted(dtype, 9)
    for _ in range(3):
        assert ((there + there).get() == np.arange(9) * 2).all()
        assert ((there * 3).get() == np.arange(9) * 3).all()
    for _ in range(3):
        assert ((a + there).get() == host + np.arange(9)).all()
        assert ((there + a).get() == host + np.arange(9)).all()
        assert ((a * 3).get() == host * 3).all()
"""


def test_what_was_done_before_with_other_arrays():
    run_checked(WAYS + REPEATED)


def odd(dtype, n):
    """Return a view of zeroed bytes at an odd address."""
    return gpuarray.zeros(n * np.dtype(dtype).itemsize + 1, "u1")[1:].view(
        dtype
    )


@pytest.mark.parametrize("turns", [1, 2])  # the second call takes a fast path
def test_kernels_by_hand(context, turns):
    for _ in range(turns):
        add = ElementwiseKernel("float *y, float *x", "y[i] = x[i] + 1")
        good = gpuarray.zeros(8, np.float32)
        add(good, good)
        for arrays in ((odd("f4", 8), good), (good, odd("f4", 8))):
            for _ in range(turns):
                with pytest.raises(ValueError, match="'[xy]' are not aligned"):
                    add(*arrays)
        add(good, good)
        assert good.get().tolist() == [2] * 8
        scan = InclusiveScanKernel(np.int32, "a + b")
        with pytest.raises(ValueError, match="not aligned for int32"):
            scan(odd("i4", 8))
    total = ReductionKernel(np.float32, "0", "a+b", arguments="float *in")
    assert total(odd("f4", 100)).get() == 0


def test_functions_of_two_results(context):
    x = odd("f4", 8)
    x.fill(6)
    assert [r.get().tolist() for r in cumath.frexp(x)] == [[0.75] * 8, [3] * 8]
    assert [r.get().tolist() for r in cumath.modf(x)] == [[0] * 8, [6] * 8]
    assert cumath.ldexp(x, x).get().tolist() == [384] * 8
