"""Operations with overlapping inputs and outputs: indices, values, bounds."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

from pycuda import curandom, gpuarray
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")


def check(host, change):
    """Assert that a change in place gives NumPy's result."""
    device = gpuarray.to_gpu(host)
    change(device, gpuarray)
    change(host, np)
    assert np.array_equal(device.get(), host)


@pytest.mark.parametrize(
    "change",
    [
        lambda a, xp: a.__setitem__(a, 7),
        lambda a, xp: a.__setitem__((a,), 7),
        lambda a, xp: a.__setitem__(a, a),
        lambda a, xp: a.__setitem__(a[::-1], a),
        lambda a, xp: a.__setitem__(a[:500], a[500:]),
        lambda a, xp: a[100:900].__setitem__(a[:500] % 800, 3),
        lambda a, xp: xp.put(a, a, a[::-1]),
        lambda a, xp: xp.put_along_axis(a, a, 7, 0),
        lambda a, xp: xp.put_along_axis(a, a, a[::-1].copy(), 0),
    ],
)
def test_an_array_that_is_its_own_index(change):
    check(np.random.default_rng(5).permutation(1000), change)


def test_rows_whose_indices_lie_among_them():
    host = np.random.default_rng(6).permutation(40).reshape(40, 1) % 40
    check(host, lambda a, xp: a.__setitem__(a[:, 0], 5))
    check(host, lambda a, xp: a.__setitem__(a[:20, 0], a[20:]))


def test_results_in_the_indices():
    host = np.random.default_rng(7).permutation(1000)
    index = gpuarray.to_gpu(host)
    gpuarray.take(index, index, out=index)
    assert np.array_equal(index.get(), host[host])
    index = gpuarray.to_gpu(host)
    values = gpuarray.arange(1000, dtype=host.dtype) * 2
    gpuarray.take(values, index, out=index)
    assert np.array_equal(index.get(), host * 2)
    matrix = gpuarray.to_gpu(host.reshape(100, 10))
    rows = matrix[:50, 3] % 100
    into = matrix[:50]
    gpuarray.take(matrix, rows, out=into, axis=0)
    expected = host.reshape(100, 10)[host.reshape(100, 10)[:50, 3] % 100]
    assert np.array_equal(into.get(), expected)


def test_several_arrays_one_of_which_has_the_indices():
    host = np.array([2, 0, 1])
    index, other = gpuarray.to_gpu(host), gpuarray.zeros(3, host.dtype)
    values = gpuarray.to_gpu(np.array([10, 20, 30]))
    gpuarray.multi_put([values, values], index, out=[index, other])
    assert index.get().tolist() == other.get().tolist() == [20, 30, 10]
    index, other = gpuarray.to_gpu(host), gpuarray.zeros(3, host.dtype)
    gpuarray.multi_take_put(
        [values, values], index, gpuarray.to_gpu(host), out=[index, other]
    )
    assert index.get().tolist() == other.get().tolist() == [10, 20, 30]


@pytest.mark.parametrize("kind", [InclusiveScanKernel, ExclusiveScanKernel])
def test_scans_into_what_they_read(kind):
    scan = kind(np.int32, "a+b", 0)
    host = np.arange(5000, dtype=np.int32) % 7
    sums = np.cumsum(host[:-1], dtype=np.int32)
    expected = sums if kind is InclusiveScanKernel else sums - host[:-1]
    for source, target in ((slice(-1), slice(1, None)), (slice(-1),) * 2):
        row = gpuarray.to_gpu(host)
        scan(row[source], row[target])
        assert np.array_equal(row[target].get(), expected)


def test_scans_into_their_segments():
    heads = gpuarray.to_gpu((np.arange(5000) % 3 == 0).astype(np.int32))
    ones = gpuarray.ones(5000, np.int32)
    InclusiveScanKernel(np.int32, "a+b")(ones, heads, segments=heads)
    assert np.array_equal(heads.get(), np.arange(5000) % 3 + 1)
    flags = gpuarray.to_gpu((np.arange(5000) % 3 == 0).astype(np.int8))
    ones = gpuarray.ones(5000, np.int8)
    InclusiveScanKernel(np.int8, "a+b")(ones, flags, segments=flags)
    assert np.array_equal(flags.get(), np.arange(5000) % 3 + 1)


def test_draws_into_their_parameters():
    draw = curandom.PhiloxRandomNumberGenerator(3)
    n = 2000

    def filled(value):
        return gpuarray.to_gpu(np.full(n, value))

    low, high = filled(100.0), filled(101.0)
    for into in (low, high):
        into.fill(100.0 if into is low else 101.0)
        got = draw.uniform(low, high, out=into).get()
        assert 100 <= got.min() < got.max() <= 101
        low.fill(100.0)
    place = filled(1000.0)
    assert abs(draw.normal(place, 1.0, out=place).get().mean() - 1000) < 1
    width = filled(1000.0)
    found = draw.normal(0.0, width, out=width).get()
    assert 900 < found.std() < 1100
    scale = filled(1000.0)
    assert 900 < draw.exponential(scale, out=scale).get().mean() < 1100
