"""The functions unique, also along axes, and isin, against NumPy."""

# SPDX-License-Identifier: MIT

import itertools

import numpy as np
import pytest
from test_sorting import DTYPES, SHORT, numbers, orderly

from pycuda import gpuarray
from pycuda._array import sets

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("char", [*"?befdD", *SHORT])
def test_unique(char):
    host = numbers((20, 30), char)
    got = gpuarray.unique(gpuarray.to_gpu(host), True, True, True)
    want = np.unique(orderly(host), True, True, True)
    assert got[0].dtype == host.dtype
    for ours, theirs in zip(got, want, strict=True):
        ours = orderly(ours.get())
        assert np.array_equal(ours, theirs, equal_nan=ours.dtype.kind in "fc")


def test_unique_counts_nan_as_the_standard_says():
    host = np.array([1, np.nan, 1, np.nan], np.float32)
    found = gpuarray.unique_all(gpuarray.to_gpu(host))
    assert found.counts.get().tolist() == [2, 1, 1]
    assert found.inverse_indices.get().tolist() == [0, 1, 0, 2]
    assert gpuarray.unique(gpuarray.to_gpu(host)).size == 2


def test_unique_of_nothing():
    empty = gpuarray.empty(0, np.float32)
    for part in gpuarray.unique(empty, True, True, True):
        assert part.shape == (0,)


# --- along an axis -------------------------------------------------------


def few(shape, char, seed=0):
    """Return values with duplicates, zeros of both signs, and NaN."""
    rng, dtype = np.random.default_rng(seed), np.dtype(char)
    made = rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "fcV":
        made[rng.random(shape) < 0.2] = dtype.type(-0.0)
        made[rng.random(shape) < 0.1] = np.nan
    if dtype.kind == "c":
        made.imag[rng.random(shape) < 0.1] = np.nan
    return made


def comparable(host):
    """Replace float16 NaN, which NumPy cannot order in composite keys."""
    return host.astype("f4") if host.dtype.name == "float16" else orderly(host)


def check_axis(host, device, axis, **options):
    flags = (True, True, True)
    wanted = np.unique(comparable(host), *flags, axis=axis, **options)
    got = gpuarray.unique(device, *flags, axis=axis, **options)
    assert got[0].dtype == host.dtype
    for ours, theirs in zip(got, wanted, strict=True):
        ours = comparable(ours.get())
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        assert np.array_equal(ours, theirs, equal_nan=ours.dtype.kind in "fc")


@pytest.mark.sweep(most=8)
@pytest.mark.parametrize("char", DTYPES)
def test_rows(char):
    for seed, shape in enumerate([(60, 2), (40, 3), (30, 5), (20, 2, 3)]):
        host = few(shape, char, seed)
        check_axis(host, gpuarray.to_gpu(host), 0)


@pytest.mark.parametrize(
    "shape",
    [(9,), (0,), (1, 1), (6, 1), (1, 6), (0, 3), (3, 0), (0, 0), (2, 0, 2),
     (3, 4, 5), (2, 2, 2, 2)],
)  # fmt: skip
def test_every_axis(shape):
    host = few(shape, "f")
    for axis, equal_nan in itertools.product(
        range(-len(shape), len(shape)), (True, False)
    ):
        check_axis(host, gpuarray.to_gpu(host), axis, equal_nan=equal_nan)


def test_rows_of_views():
    host = few((12, 6, 4), "h")
    device = gpuarray.to_gpu(host)
    for view in (
        lambda a: a.transpose((2, 0, 1)),
        lambda a: a[::-1, ::2, 1:],
        lambda a: a[:, 3],
    ):
        for axis in (0, 1, -1):
            check_axis(view(host), view(device), axis)


def test_many_rows():
    """Ranks of pairs exceed 32 bits."""
    host = np.random.default_rng(3).integers(0, 90, (70_000, 3))
    check_axis(host, gpuarray.to_gpu(host), 0)
    wide = host.reshape(10, -1) % 2
    check_axis(wide, gpuarray.to_gpu(wide), 0)


def test_results_asked_for_one_by_one():
    host = few((30, 2), "i")
    device = gpuarray.to_gpu(host)
    for name in ("return_index", "return_inverse", "return_counts"):
        got = gpuarray.unique(device, axis=0, **{name: True})
        want = np.unique(host, axis=0, **{name: True})
        assert len(got) == 2
        for ours, theirs in zip(got, want, strict=True):
            assert np.array_equal(ours.get(), theirs)
    values = np.unique(device, axis=0, sorted=True)  # NumPy's own function
    assert isinstance(values, gpuarray.GPUArray)
    assert np.array_equal(values.get(), np.unique(host, axis=0))


def test_errors(monkeypatch):
    a = gpuarray.zeros((2, 3), np.float32)
    for axis in (2, -3):
        with pytest.raises(np.exceptions.AxisError, match=str(axis)):
            gpuarray.unique(a, axis=axis)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.unique(gpuarray.zeros((), np.float32), axis=0)
    for axis in (1.5, "x"):
        with pytest.raises(TypeError):
            gpuarray.unique(a, axis=axis)
    with pytest.raises(TypeError, match="arithmetic"):
        gpuarray.unique(gpuarray.empty(3, np.dtype([("x", "i4")])), axis=0)
    with pytest.raises(TypeError, match="to_gpu"):
        gpuarray.unique(np.zeros((2, 2)), axis=0)
    monkeypatch.setattr(sets, "_MOST_ROWS", 1)
    with pytest.raises(ValueError, match="axis of length 2: at most 1"):
        gpuarray.unique(a, axis=0)


# --- isin ----------------------------------------------------------------


def test_isin():
    a, b = numbers((7, 9), "b"), numbers(12, "b", 1)
    da, db = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    assert np.array_equal(gpuarray.isin(da, db).get(), np.isin(a, b))
    none = gpuarray.isin(da, db[:0], invert=True).get()
    assert none.all()
