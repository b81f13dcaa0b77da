"""Reductions of whole arrays, against NumPy."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from layouts import NUMBERS, REAL, both, numbers, same

from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

SIZES = [1, 31, 257, 5000, 300001]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_sum(dtype, size):
    host, device = both(numbers((size,), dtype))
    got = gpuarray.sum(device)
    expected = host.sum()
    assert got.shape == () and got.dtype == expected.dtype
    # A generous bound for pairwise summation: sum of |x| times a few ulp.
    if host.dtype.kind in "fc":
        eps = np.finfo(host.dtype).eps
        wide = host.astype("c16" if host.dtype.kind == "c" else "f8")
        bound = 64 * eps * np.abs(wide).sum()
        assert abs(got.get() - wide.sum()) <= bound
    else:
        assert got.get() == expected


@pytest.mark.parametrize("size", [1, 300, 70001])
@pytest.mark.parametrize("dtype", REAL)
def test_max_min_any_all(dtype, size):
    host, device = both(numbers((size,), dtype))
    same(gpuarray.max(device), host.max())
    same(gpuarray.min(device), host.min())
    same(gpuarray.any(device), np.any(host))
    same(gpuarray.all(device), np.all(host))
    same(device.any(), np.any(host))
    same(device.all(), np.all(host))


@pytest.mark.parametrize("position", [0, 70, 69999])
def test_nan_propagates(position):
    host = numbers((70000,), "f4")
    host[position] = np.nan
    device = gpuarray.to_gpu(host)
    assert np.isnan(gpuarray.max(device).get())
    assert np.isnan(gpuarray.min(device).get())
    assert np.isnan(gpuarray.sum(device).get())


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("place", [0, 1, 130, 255, 256, 511, 590, 599])
def test_nan_between_smaller_and_greater_numbers(place, dtype):
    for sign in (1, -1):
        host = sign * np.arange(-299, 301).astype(dtype)
        host[place] = np.nan
        device = gpuarray.to_gpu(host)
        same(gpuarray.max(device), host.max())
        same(gpuarray.min(device), host.min())


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("size", [7, 255, 256, 257, 511, 70001])
def test_extremes_of_no_numbers(dtype, value, size):
    """NaN at each position among values that are compared together."""
    places = {0, 1, 5, size // 2, size - 2, size - 1}
    for place in places:
        host = numbers((size,), dtype)
        host[place] = value
        device = gpuarray.to_gpu(host)
        same(gpuarray.max(device), host.max())
        same(gpuarray.min(device), host.min())
    full = np.full(size, value, dtype)
    same(gpuarray.max(gpuarray.to_gpu(full)), full.max())


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
@pytest.mark.parametrize("length", [1, 127, 128, 129, 300, 4096, 4500])
def test_first_of_equals(dtype, length):
    """The first of equal values, at each position of a row."""
    for place in {0, length // 3, length // 2, length - 1}:
        host = np.zeros((3, length), dtype)
        host[1, place:] = 5
        host[2, place] = -1
        device = gpuarray.to_gpu(host)
        for name in ("argmax", "argmin"):
            got = getattr(device, name)(1).get()
            assert np.array_equal(got, getattr(host, name)(1)), (name, place)


@pytest.mark.parametrize("view", ["transposed", "reversed", "every second"])
def test_strided_inputs(view):
    host, device = both(numbers((60, 70), "i4"), "C", view)
    assert gpuarray.sum(device).get() == host.sum()
    assert gpuarray.max(device).get() == host.max()
    other, other_device = both(numbers(host.shape, "i4", 3), "F")
    assert gpuarray.dot(device, other_device).get() == (host * other).sum()


def test_dtype_overrides():
    host, device = both(np.full(300, 100, "i1"))
    same(gpuarray.sum(device, dtype=np.int8), host.sum(dtype=np.int8))
    assert gpuarray.sum(device).get() == 30000
    same(gpuarray.sum(device, np.float64), np.float64(30000))


def test_empty():
    device = gpuarray.zeros(0, np.float32)
    assert gpuarray.sum(device).get() == 0
    assert not gpuarray.any(device).get()
    assert gpuarray.all(device).get()
    for function in (gpuarray.max, gpuarray.min):
        with pytest.raises(ValueError, match="empty"):
            function(device)


@pytest.mark.parametrize("types", [("f4", "f4"), ("i4", "i4"), ("f4", "f8"),
                                   ("c8", "c8"), ("c8", "f4"), ("i1", "i4")],
                         ids=str)  # fmt: skip
def test_dot(types):
    a, b = numbers((5001,), types[0], 1), numbers((5001,), types[1], 2)
    got = gpuarray.dot(gpuarray.to_gpu(a), gpuarray.to_gpu(b))
    expected = np.dot(a, b)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got.get(), expected, rtol=1e-4)


def test_dot_shapes():
    a = gpuarray.zeros((3, 4), np.float32)
    with pytest.raises(ValueError, match="shapes differ"):
        gpuarray.dot(a, gpuarray.zeros((4, 3), np.float32))


@pytest.mark.parametrize("index", ["i4", "u4", "i8"])
def test_subsets(index):
    a, b = numbers((1000,), "f8", 1), numbers((1000,), "f8", 2)
    chosen = np.random.default_rng(0).integers(0, 1000, 333).astype(index)
    ga, gb, gi = (gpuarray.to_gpu(x) for x in (a, b, chosen))
    np.testing.assert_allclose(
        gpuarray.subset_sum(gi, ga).get(), a[chosen].sum(), rtol=1e-12
    )
    np.testing.assert_allclose(
        gpuarray.subset_dot(gi, ga, gb).get(),
        np.dot(a[chosen], b[chosen]),
        rtol=1e-12,
    )
    same(gpuarray.subset_max(gi, ga), a[chosen].max())
    same(gpuarray.subset_min(gi, ga), a[chosen].min())


def test_truth():
    for shape in [(), (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1)]:
        assert gpuarray.ones(shape, np.float32)
        assert not gpuarray.zeros(shape, np.float32)
    for shape in [(0,), (2,)]:
        with pytest.raises(ValueError, match="ambiguous"):
            bool(gpuarray.zeros(shape, np.float32))


def test_allocator_and_result_is_an_array():
    import pycuda.driver as drv

    calls = []

    def allocator(size):
        calls.append(size)
        return drv.mem_alloc(size)

    device = gpuarray.to_gpu(numbers((10,), "f4"))
    result = gpuarray.sum(device, allocator=allocator)
    assert isinstance(result, gpuarray.GPUArray)
    assert calls == [4]


def test_subsets_check_their_indices():
    a = gpuarray.to_gpu(np.arange(5, dtype=np.float32))
    assert (
        gpuarray.subset_sum(gpuarray.to_gpu(np.array([-1, 0])), a).get() == 4
    )
    bad = gpuarray.to_gpu(np.array([1, 5]))
    for function in (
        gpuarray.subset_sum, gpuarray.subset_max, gpuarray.subset_min
    ):  # fmt: skip
        with pytest.raises(IndexError, match="index 5"):
            function(bad, a).get()
    with pytest.raises(IndexError, match="index 5"):
        gpuarray.subset_dot(bad, a, a).get()
