"""Indexing and assignment, against NumPy."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import both, numbers, orders, same, shapes, views

from pycuda import _driver, gpuarray

pytestmark = pytest.mark.usefixtures("context")

bounds = st.one_of(st.none(), st.integers(-12, 12))
steps = st.one_of(st.none(), st.integers(-4, 4).filter(bool))
entries = st.one_of(
    st.builds(slice, bounds, bounds, steps),
    st.integers(-8, 8),
    st.just(Ellipsis),
    st.none(),
)
keys = st.one_of(entries, st.lists(entries, max_size=5).map(tuple))


@settings(max_examples=150, deadline=None)
@given(shape=shapes, order=orders, view=views, key=keys)
def test_same_view_as_numpy(shape, order, view, key):
    host, device = both(numbers(shape, "i4"), order, view)
    try:
        expected = host[key]
    except IndexError:
        with pytest.raises(IndexError):
            device[key]
        return
    got = device[key]
    same(got, expected)
    if expected.size and isinstance(expected, np.ndarray):
        for axis, length in enumerate(expected.shape):
            if length > 1:
                assert got.strides[axis] == expected.strides[axis]


@settings(max_examples=60, deadline=None)
@given(
    shape=shapes, order=orders, view=views, key=keys, kind=st.integers(0, 2)
)
def test_assignment(shape, order, view, key, kind):
    host, device = both(numbers(shape, "i4"), order, view)
    host = host.copy()
    try:
        target = host[key]
    except IndexError:
        return
    value = numbers(np.shape(target), "i4", 5)
    if kind == 0:
        value = 17
        host[key] = device[key] = value
    elif kind == 1:
        host[key] = value
        device[key] = np.asarray(value)
    else:
        host[key] = value
        device[key] = gpuarray.to_gpu(np.asarray(value))
    same(device, host)


def test_overlapping_assignment():
    host, device = both(np.arange(100, dtype="i4"))
    host[1:] = host[:-1].copy()
    device[1:] = device[:-1]
    same(device, host)
    host[:] = host[::-1].copy()
    device[:] = device[::-1]
    same(device, host)


def test_assignment_broadcasts_and_checks():
    host, device = both(numbers((4, 5), "f4"))
    row = np.arange(5, dtype="f4")
    host[1:3] = row
    device[1:3] = gpuarray.to_gpu(row)
    device[1:3] = row
    same(device, host)
    host[0] = device[0] = np.arange(5)
    host[1] = np.arange(5)
    device[1] = gpuarray.to_gpu(np.arange(5))
    host[2] = device[2] = [1, 2, 3, 4, 5]
    same(device, host)
    with pytest.raises(ValueError, match="shape"):
        device[0] = gpuarray.to_gpu(np.zeros(4, "f4"))
    with pytest.raises(TypeError, match="GPUArray or ndarray"):
        device[0] = object()
    with pytest.raises(ValueError, match="deleted"):
        del device[0]


@pytest.mark.parametrize("key", [1.0, [1.5], "a", 1j, object], ids=repr)
def test_what_is_no_index(key):
    device = gpuarray.to_gpu(numbers((2, 2), "f4"))
    with pytest.raises(IndexError):
        device[key]
    with pytest.raises(IndexError):
        device[key] = 1


def test_out_of_range():
    device = gpuarray.to_gpu(numbers((2, 3), "f4"))
    with pytest.raises(IndexError, match="axis 1 out of range"):
        device[0, 3]
    with pytest.raises(IndexError, match="too many"):
        device[0, 0, 0]
    with pytest.raises(IndexError, match="Ellipsis"):
        device[..., ...]
    assert device[(None,) * 30].ndim == 32
    for key in ((None,) * 31, (None,) * 32 + (0,)):
        with pytest.raises(IndexError, match="at most 32 axes"):
            device[key]


def test_views_hold_their_memory():
    host, device = both(np.arange(50, dtype="f4"))
    view = device[10:40:3]
    assert view.base is device
    assert isinstance(view.gpudata, int)
    assert device.T.gpudata is device.gpudata
    del device
    junk = [gpuarray.zeros(50, np.float32) for _ in range(4)]
    same(view, host[10:40:3])
    assert len(junk) == 4


def test_iteration_gives_views():
    host, device = both(numbers((3, 4), "f4"))
    for row, expected in zip(device, host, strict=True):
        same(row, expected)
    assert list(gpuarray.zeros((), np.float32)) == []
    assert len(device) == 3
    with pytest.raises(TypeError):
        len(gpuarray.zeros((), np.float32))


def test_iteration_of_the_class_below():
    """GPUArray iterates by __getitem__, unlike its base class."""
    host = np.arange(6, dtype=np.int32).reshape(2, 3)
    base = _driver.ArrayBase((2, 3), np.dtype(np.int32))
    base.set(host)
    rows = list(base)
    assert [row.get().tolist() for row in rows] == host.tolist()
    assert all(row.base is base for row in rows)
    assert list(_driver.ArrayBase((0, 2), np.dtype(np.int32))) == []
