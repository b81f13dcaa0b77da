"""Sums of difficult terms: equal, of alternating sign, badly scaled.

A sum of n terms is within 2 ulp x ceil(log2 n) of the exact one, in ulp of the
sum of the terms' magnitudes: errors must not grow with the number of terms. On
the CPU device each test also runs the kernels for GPUs.
"""

# SPDX-License-Identifier: MIT

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._kernels import building

pytestmark = pytest.mark.usefixtures("context")

SHAPES = [(1,), (7,), (100,), (127,), (1000,), (33333,), (300000,),
          (300, 400), (2, 60000), (60000, 2), (3000, 40), (40, 3000),
          (20, 70, 50), (1000, 3, 33)]  # fmt: skip
LAYOUTS = {
    "C": lambda a: a,
    "F": lambda a: a.T,
    "reversed": lambda a: a[..., ::-1],
    "every second": lambda a: a[::2],
    "columns": lambda a: a[..., 1:] if a.shape[-1] > 1 else a,
}


def terms(kind, size, value, rng):
    """Return `size` float64 numbers whose sum is hard to compute."""
    k = np.arange(size)
    if kind == "equal":
        return np.full(size, value)
    if kind == "alternating":
        return np.where(k % 2, -value, value * (1 + 1e-3))
    if kind == "powers":
        return value * 2.0 ** -(k % 40)
    if kind == "falling":
        return value * 0.999**k
    if kind == "rising":
        return value * 0.999 ** (size - k)
    if kind == "one large":
        return np.where(k == size // 3, 1e7 * value, value)
    return rng.normal(0, value, size)


KINDS = ["equal", "alternating", "powers", "falling", "rising", "one large",
         "normal"]  # fmt: skip


@pytest.fixture(
    scope="module",
    params=["this device's", pytest.param("a GPU's", marks=pytest.mark.slow)],
)
def kernels(request):
    """Run in a new context, with the array kernels of one kind of device."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "a GPU's":
            patch.setattr(building, "runs_threads_in_turn", lambda: False)
        context = drv.Context.get_device().make_context()
        yield
        context.pop()
        context.detach()


@st.composite
def arrays(draw, dtypes=("f4", "f8", "f4", "f8", "c8", "c16")):
    """Return (host array, its device copy) in one of the layouts."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    shape = draw(st.sampled_from(SHAPES))
    value = draw(st.sampled_from([0.1, 1 / 3, 0.7, 1.0, 1e-30, 12345.678]))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    kinds = draw(st.tuples(*[st.sampled_from(KINDS)] * 2))
    host = terms(kinds[0], math.prod(shape), value, rng)
    if dtype.kind == "c":
        host = host + 1j * terms(kinds[1], math.prod(shape), value, rng)
    host = host.astype(dtype).reshape(shape)
    layout = LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))]
    return layout(host), layout(gpuarray.to_gpu(host))


def wide(host, dtype=None):
    """Convert to numbers with at least 64 bits of precision."""
    return host.astype(np.clongdouble if host.dtype.kind == "c" else "g")


def added(values, axis):
    """Sum pairwise in long double, far more accurately than required."""
    axes = range(values.ndim) if axis is None else np.atleast_1d(axis)
    stored = [k for k in range(values.ndim) if k not in axes]
    shape = [values.shape[k] for k in stored]
    rows = values.transpose([*stored, *axes]).reshape([*shape, -1])
    return np.ascontiguousarray(rows).sum(-1)


def ulp(size, dtype):
    """Return the spacing of floating-point numbers at a magnitude."""
    kind = np.finfo(dtype).dtype
    return np.spacing(np.abs(size).astype(kind)).astype("g")


def within(got, want, size, count, also=0):
    """Assert that each part of `got` is within the bound of `want`."""
    steps = max(math.ceil(math.log2(max(count, 1))), 1)
    parts = [np.real, np.imag] if got.dtype.kind == "c" else [np.real]
    for part in parts:
        allowed = 2 * steps * ulp(part(size), got.dtype) + also
        error = np.abs(part(wide(got)) - part(want))
        assert np.all(error <= allowed), (
            f"{np.max(error / allowed):.2f} times the bound"
        )


def magnitudes(values):
    """Return magnitudes of the real parts and of any imaginary parts."""
    if values.dtype.kind != "c":
        return abs(values)
    return abs(values.real) + 1j * abs(values.imag)


def axes_of(data, ndim):
    return data.draw(
        st.none() | st.integers(0, ndim - 1)
        | st.sets(st.integers(0, ndim - 1), min_size=1).map(tuple)
    )  # fmt: skip


def count_of(host, axis):
    axes = range(host.ndim) if axis is None else np.atleast_1d(axis)
    return math.prod(host.shape[k] for k in axes)


@settings(max_examples=40)
@given(pair=arrays(), data=st.data())
def test_sums(kernels, pair, data):
    host, device = pair
    axis = axes_of(data, host.ndim)
    values = wide(host)
    got = gpuarray.sum(device, axis=axis).get()
    within(got, added(values, axis), added(magnitudes(values), axis),
           count_of(host, axis))  # fmt: skip


@settings(max_examples=15)
@given(pair=arrays(), data=st.data())
def test_means(kernels, pair, data):
    host, device = pair
    axis = axes_of(data, host.ndim)
    values, count = wide(host), count_of(host, axis)
    size = added(magnitudes(values), axis) / count
    mean = added(values, axis) / count
    within(device.mean(axis).get(), mean, size, count)


@settings(max_examples=15)
@given(pair=arrays(("f4", "f8")), data=st.data())
def test_variances(kernels, pair, data):
    host, device = pair
    axis = axes_of(data, host.ndim)
    values, count = wide(host), count_of(host, axis)
    mean = np.asarray(added(values, axis) / count)
    axes = range(host.ndim) if axis is None else np.atleast_1d(axis)
    away = values - np.expand_dims(mean, tuple(axes))
    var = added(away * away, axis) / count
    # The mean of float64 is itself rounded.
    also = ulp(mean, "f8") ** 2
    within(device.var(axis).get(), var, var, count, also)
    root = np.sqrt(var)
    within(device.std(axis).get(), root, root, count, ulp(mean, "f8"))


@settings(max_examples=40)
@given(pair=arrays())
def test_dot(kernels, pair):
    host, device = pair
    other = host[..., ::-1].copy()
    a, b = wide(host), wide(other)
    got = gpuarray.dot(device, gpuarray.to_gpu(other)).get()
    size = added(abs(a * b), None)
    if got.dtype.kind == "c":
        size = size * (1 + 1j)
    # Rounding of the product counts as one more step.
    within(got, added(a * b, None), size, 2 * host.size)


@settings(max_examples=40)
@given(pair=arrays(), data=st.data())
def test_running_sums(kernels, pair, data):
    host, device = pair
    axis = data.draw(st.none() | st.integers(0, host.ndim - 1))
    values = wide(host)
    want = np.cumsum(values, axis)
    size = np.cumsum(magnitudes(values), axis)
    count = host.size if axis is None else host.shape[axis]
    # Sequential addition in long double: 11 bits more than float64.
    also = 0
    if got_wide(host):
        also = ulp(size, host.dtype) * count / 2048
    within(device.cumsum(axis).get(), want, size, count, also)


def got_wide(host):
    return host.dtype.char in "dD"


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_infinite_terms(kernels, dtype):
    """A rounding error of an infinite sum does not make it NaN."""
    host = np.ones((300, 300), dtype)
    host[5, 7] = np.inf
    device = gpuarray.to_gpu(host)
    for axis in (None, 0, 1):
        assert np.array_equal(device.sum(axis).get(), host.sum(axis))
        assert np.array_equal(device.cumsum(axis).get(), np.cumsum(host, axis))
    largest = gpuarray.to_gpu(np.full((300, 300), np.finfo(dtype).max, dtype))
    assert np.isinf(gpuarray.sum(largest).get())
    assert np.isinf(largest.cumsum().get()[-1])
