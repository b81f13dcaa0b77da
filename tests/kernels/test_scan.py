"""Inclusive and exclusive scans against NumPy, exact for integers."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.gpuarray as gpuarray
from pycuda import scan
from pycuda._kernels.scan import Shape
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(params=["this device's shape", "many threads"], autouse=True)
def shape(request, monkeypatch):
    """Run each test also with the launch shape for a GPU."""
    if request.param == "many threads":
        monkeypatch.setattr(scan, "_SHAPES", lambda: Shape(block=128))


SIZES = [1, 10, 127, 768, 769, 1536, 12_345, 100_000, 1 << 20]


def exclusive(x):
    return np.concatenate([[0], np.cumsum(x)[:-1]]).astype(x.dtype)


@pytest.mark.parametrize("n", SIZES)
def test_sums(n):
    x = np.random.randint(0, 100, n).astype(np.int32)
    including = InclusiveScanKernel(np.int32, "a+b", "0")
    gpu = gpuarray.to_gpu(x)
    assert including(gpu) is gpu
    assert (gpu.get() == np.cumsum(x)).all()
    without = ExclusiveScanKernel(np.int32, "a+b", "0")
    gpu = gpuarray.to_gpu(x)
    without(gpu)
    assert (gpu.get() == exclusive(x)).all()


@pytest.mark.parametrize("n", [5, 2000, 50_000])
def test_the_order_of_operands(n):
    """Composition of x -> m*x + c (mod 2**16) is not commutative."""
    factors = np.random.randint(0, 1 << 16, n).astype(np.uint32) | 1
    offsets = np.random.randint(0, 1 << 16, n).astype(np.uint32)
    pairs = (factors << 16 | offsets).astype(np.uint32)
    preamble = """
    __device__ unsigned then(unsigned f, unsigned g)
    {
      unsigned m = (f >> 16) * (g >> 16);
      unsigned c = (g >> 16) * (f & 0xffff) + (g & 0xffff);
      return m << 16 | (c & 0xffff);
    }
    """
    kernel = InclusiveScanKernel(np.uint32, "then(a, b)", preamble=preamble)
    got = kernel(gpuarray.to_gpu(pairs)).get()
    m, c = 1, 0
    for i in range(n):
        fm, fc = int(factors[i]) & 0xFFFF, int(offsets[i])
        m, c = m * fm & 0xFFFF, (fm * c + fc) & 0xFFFF
        assert got[i] == m << 16 | c


def test_output_and_new():
    x = np.arange(5000, dtype=np.int64)
    kernel = InclusiveScanKernel(np.int64, "a+b")
    gpu = gpuarray.to_gpu(x)
    out = gpuarray.empty_like(gpu)
    assert kernel(gpu, out) is out
    assert (out.get() == np.cumsum(x)).all()
    assert (kernel(gpu, "new").get() == np.cumsum(x)).all()
    assert (gpu.get() == x).all()


def test_maximum_and_complex():
    x = np.random.rand(3000).astype(np.float32)
    kernel = InclusiveScanKernel(np.float32, "fmaxf(a, b)")
    got = kernel(gpuarray.to_gpu(x)).get()
    assert (got == np.maximum.accumulate(x)).all()
    z = (x + 1j * x).astype(np.complex128)
    got = InclusiveScanKernel(np.complex128, "a+b")(gpuarray.to_gpu(z)).get()
    np.testing.assert_allclose(got, np.cumsum(z), rtol=1e-12)


def test_bad_input():
    with pytest.raises(ValueError, match="neutral element"):
        ExclusiveScanKernel(np.int32, "a+b")
    kernel = InclusiveScanKernel(np.int32, "a+b")
    x = gpuarray.zeros(10, np.int32)
    with pytest.raises(ValueError, match="same shape"):
        kernel(x, gpuarray.zeros(9, np.int32))
    with pytest.raises(RuntimeError, match="non-contiguous"):
        kernel(x[::2])
    with pytest.raises(ValueError, match="one dimension"):
        kernel(gpuarray.zeros((2, 3), np.int32))
    with pytest.raises(TypeError, match="int32"):
        kernel(gpuarray.zeros(10, np.float32))
    empty = gpuarray.empty(0, np.int32)
    assert kernel(empty) is empty


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "c16"])
@pytest.mark.parametrize("n", [1, 33, 5000, 70_001])
def test_sizes_of_elements(dtype, n):
    x = np.random.randint(0, 100, n).astype(dtype)
    gpu = gpuarray.to_gpu(x)
    expected = np.cumsum(x, dtype=dtype)
    got = InclusiveScanKernel(dtype, "a+b")(gpu, "new").get()
    assert (got == expected).all()
    got = ExclusiveScanKernel(dtype, "a+b", 0)(gpu, "new").get()
    assert (got == expected - x).all()


@pytest.mark.parametrize("offset", [1, 2, 3])
def test_addresses_that_are_not_aligned(offset):
    x = np.random.randint(0, 100, 40_000).astype(np.int32)
    whole = gpuarray.to_gpu(x)
    InclusiveScanKernel(np.int32, "a+b")(whole[offset:])
    x[offset:] = np.cumsum(x[offset:])
    assert (whole.get() == x).all()


def segmented(x, heads):
    """Return inclusive sums that restart at each segment head."""
    totals = np.cumsum(x)
    begin = np.maximum.accumulate(np.where(heads, np.arange(x.size), 0))
    return totals - np.where(begin > 0, totals[begin - 1], 0)


@pytest.mark.parametrize("n", [1, 100, 5000, 60_000])
@pytest.mark.parametrize("share", [0, 0.0003, 0.05, 1])
@pytest.mark.parametrize("dtype", [np.bool_, np.int32])
def test_segments(n, share, dtype):
    x = np.random.randint(0, 100, n)
    heads = (np.random.rand(n) < share).astype(dtype)
    gpu, on_device = gpuarray.to_gpu(x), gpuarray.to_gpu(heads)
    expected = segmented(x, heads)
    including = InclusiveScanKernel(np.int64, "a+b")
    got = including(gpu, "new", segments=on_device).get()
    assert (got == expected).all()
    without = ExclusiveScanKernel(np.int64, "a+b", 0)
    got = without(gpu, "new", segments=on_device).get()
    assert (got == expected - x).all()


def test_segments_of_another_shape():
    kernel = InclusiveScanKernel(np.int32, "a+b")
    x = gpuarray.zeros(10, np.int32)
    with pytest.raises(ValueError, match="segments must be"):
        kernel(x, segments=gpuarray.zeros(9, np.bool_))
    with pytest.raises(ValueError, match="segments must be"):
        kernel(x, segments=[0] * 10)


def test_rounded_sums_repeat():
    """Rounding does not depend on the order in which blocks run."""
    x = gpuarray.to_gpu(np.random.rand(1 << 20).astype(np.float32))
    kernel = InclusiveScanKernel(np.float32, "a+b")
    first = kernel(x, "new").get()
    for _ in range(5):
        assert (kernel(x, "new").get() == first).all()


def test_structs():
    from pycuda.tools import get_or_register_dtype

    kind = np.dtype([("low", np.float64), ("high", np.float64),
                     ("count", np.int32)])  # fmt: skip
    preamble = """
    #pragma pack(push, 4)
    struct scanned { double low, high; int count; };
    #pragma pack(pop)
    __device__ inline scanned join(scanned a, scanned b)
    {
      scanned both = {a.low < b.low ? a.low : b.low,
                      a.high > b.high ? a.high : b.high, a.count + b.count};
      return both;
    }
    """
    get_or_register_dtype("scanned", kind)
    x = np.zeros(20_000, kind)
    x["low"] = x["high"] = np.random.rand(x.size)
    x["count"] = 1
    kernel = InclusiveScanKernel(kind, "join(a, b)", preamble=preamble)
    got = kernel(gpuarray.to_gpu(x), "new").get()
    assert (got["low"] == np.minimum.accumulate(x["low"])).all()
    assert (got["high"] == np.maximum.accumulate(x["high"])).all()
    assert (got["count"] == np.arange(1, x.size + 1)).all()
