"""Arrays of more than 2**31 and of more than 2**32 elements.

They need a GPU with enough memory. Every result is checked at positions that a
32-bit index would miss: beyond both limits and at the end.
"""

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, curandom, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.slow,
    pytest.mark.alone,  # up to half of an H100's memory
    pytest.mark.usefixtures("context"),
]

SIZES = [2**31 + 4097, 2**32 + 4099]


@pytest.fixture(params=SIZES, ids=["2^31", "2^32"])
def n(request):
    """Return a length for which three float16 arrays fit in free memory."""
    if drv.mem_get_info()[0] < 8 * request.param:
        pytest.skip("the device has too little free memory")
    yield request.param
    drv.Context.synchronize()


def places(n):
    """Return indices on both sides of the limits, and the ends."""
    near = [0, 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, n - 1]
    return [i for i in near if i < n]


def ramp(n):
    """0, 1, ..., 250, 0, 1, ...: the low bits of an index do not give it."""
    a = gpuarray.empty(n, np.uint8)
    fill = ElementwiseKernel("unsigned char *a", "a[i] = i % 251")
    fill(a)
    return a


def test_elementwise(n):
    a = ramp(n)
    b = a + 1
    c = b[::-1] * a
    roots = cumath.sqrt(a.astype(np.float16))
    for i in places(n):
        x = i % 251
        assert a[i].get() == x
        assert b[i].get() == x + 1
        assert c[i].get() == np.uint8((n - 1 - i) % 251 + 1) * np.uint8(x)
        assert roots[i].get() == np.float16(np.sqrt(np.float32(x)))


def test_views_and_copies(n):
    a = ramp(n)
    tail = a[2**31 :]
    assert tail.shape == (n - 2**31,)
    np.testing.assert_array_equal(tail[-10:].get(), np.arange(n - 10, n) % 251)
    odd = a[1::2].copy()
    assert odd[-1].get() == (2 * (odd.size - 1) + 1) % 251
    tail[-5:] = 7
    np.testing.assert_array_equal(a[-6:].get()[1:], [7] * 5)
    assert a.reshape(-1, 1)[n - 6, 0].get() == (n - 6) % 251


def test_fancy_index(n):
    a = ramp(n)
    where = np.array(places(n))
    got = gpuarray.take(a, gpuarray.to_gpu(where.astype(np.int64)))
    np.testing.assert_array_equal(got.get(), where % 251)


def test_reductions(n):
    a = ramp(n)
    whole, rest = divmod(n, 251)
    expected = whole * (250 * 251 // 2) + rest * (rest - 1) // 2
    assert gpuarray.sum(a, dtype=np.uint64).get() == expected
    assert gpuarray.max(a).get() == 250
    a[n - 1] = 255
    assert gpuarray.max(a).get() == 255
    assert gpuarray.argmax(a).get() == n - 1
    count = ReductionKernel(
        np.int64, "0", "a+b", "x[i] == 255", "const unsigned char *x"
    )
    assert count(a).get() == 1
    folded = a[: n - n % 4096].reshape(-1, 4096)
    rows = gpuarray.max(folded, axis=1)
    assert rows.shape == (n // 4096,) and rows[-1].get() == 250


def test_scan(n):
    a = gpuarray.zeros(n, np.uint8)
    for i in places(n):
        a[i] = 1
    InclusiveScanKernel(np.uint8, "a+b")(a)
    for k, i in enumerate(places(n)):
        assert a[i].get() == k + 1
    assert a[2**31 - 2].get() == 2


def test_random(n):
    values = curandom.rand(n, np.float32)
    first, last = values[: 2**20].get(), values[-(2**20) :].get()
    assert last.min() >= 0 and last.max() <= 1
    assert abs(last.astype(np.float64).mean() - 0.5) < 0.002
    assert (first == last).mean() < 0.01
