"""Reductions over some axes, against NumPy."""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from layouts import both, numbers, orders, same, shapes, views

from pycuda import gpuarray
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

EXACT = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax",
         "count_nonzero"]  # fmt: skip
ROUNDED = ["sum", "mean", "var", "std"]
DTYPES = ["?", "i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16"]


def close(device, host):
    """Assert that results are equal up to rounding of the last digits."""
    host = np.asarray(host)
    got = device.get()
    assert got.shape == host.shape and got.dtype == host.dtype
    eps = np.finfo(host.dtype).eps
    np.testing.assert_allclose(got, host, rtol=64 * eps, atol=400 * eps)


def both_ways(name, host, device, **arguments):
    """Return NumPy's and the device's result, or None twice if both raise."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, name)(host, **arguments)
    except ValueError as error:
        with pytest.raises(type(error)):
            getattr(gpuarray, name)(device, **arguments)
        return None, None
    return getattr(gpuarray, name)(device, **arguments), expected


@st.composite
def cases(draw, dtypes=tuple(DTYPES)):
    shape = draw(shapes)
    host, device = both(
        numbers(shape, draw(st.sampled_from(dtypes)), draw(st.integers(0, 9))),
        draw(orders),
        draw(views),
    )
    axis = draw(
        st.none()
        | st.integers(-host.ndim, max(host.ndim - 1, 0))
        | st.sets(st.integers(0, max(host.ndim - 1, 0))).map(tuple)
    )
    return host, device, axis


@settings(max_examples=100, deadline=None)
@given(case=cases(("?", "i1", "u2", "i4", "u8", "f4", "c16")),
       name=st.sampled_from(EXACT), keepdims=st.booleans())  # fmt: skip
def test_exact(case, name, keepdims):
    host, device, axis = case
    if name in ("sum", "prod") and host.dtype.kind in "fc":
        name = "max"
    if name in ("argmin", "argmax") and isinstance(axis, tuple):
        axis = axis[0] if axis else None
    got, expected = both_ways(name, host, device, axis=axis, keepdims=keepdims)
    if got is not None:
        same(got, expected)


@settings(max_examples=80, deadline=None)
@given(case=cases(), name=st.sampled_from(ROUNDED), keepdims=st.booleans())
def test_rounded(case, name, keepdims):
    host, device, axis = case
    got, expected = both_ways(name, host, device, axis=axis, keepdims=keepdims)
    if got is not None and np.asarray(expected).dtype.kind in "fc":
        close(got, expected)
    elif got is not None:
        same(got, expected)


LONG = [((300, 1000), 0), ((300, 1000), 1), ((7, 70000), 1), ((70000, 7), 0),
        ((200000,), 0), ((5, 300, 77), 1), ((5, 300, 77), (0, 2)),
        ((40, 30, 20, 10), (1, 3)), ((3000, 3), 1), ((3, 3000), 0),
        ((2, 100000, 2), (0, 1)), ((90000, 40), 0)]  # fmt: skip


@pytest.mark.sweep(most=4)
@pytest.mark.parametrize("shape,axis", LONG, ids=str)
@pytest.mark.parametrize("order", "CF")
def test_long(shape, axis, order):
    host, device = both(numbers(shape, "i4"), order)
    same(gpuarray.sum(device, axis=axis), host.sum(axis=axis))
    same(gpuarray.max(device[..., ::-1], axis=axis),
         host[..., ::-1].max(axis=axis))  # fmt: skip
    if isinstance(axis, int):
        same(device.argmin(axis), host.argmin(axis))
    floats, on_device = both(numbers(shape, "f4", 2), order)
    wide = floats.astype("f8")
    for name in ("sum", "mean", "var", "std"):
        got = getattr(on_device, name)(axis)
        exact = getattr(wide, name)(axis=axis)
        assert got.dtype == np.float32
        # Accumulated in float64 and rounded once.
        bound = 2**-24 * abs(exact) + 2**-40 * np.abs(wide).sum(axis=axis)
        assert np.all(abs(got.get() - exact) <= bound)


@settings(max_examples=100, deadline=None)
@given(case=cases(), name=st.sampled_from(["cumsum", "cumprod"]))
def test_scans(case, name):
    host, device, axis = case
    axis = axis[0] if isinstance(axis, tuple) and axis else axis
    axis = None if axis == () or host.ndim == 0 else axis
    # Long products overflow at positions that depend on the order.
    assume(name == "cumsum" or host.dtype.kind in "biu" or host.size <= 30)
    got = getattr(gpuarray, name)(device, axis)
    if host.dtype.kind not in "fc":
        same(got, getattr(np, name)(host, axis))
        return
    wide = np.dtype("c16" if host.dtype.kind == "c" else "f8")
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(host.astype(wide), axis)
        reach = np.maximum.accumulate(abs(expected), axis or 0)
    # Intermediate overflow depends on the order.
    fits = reach < np.finfo(host.dtype).max / 4
    assert got.shape == expected.shape and got.dtype == host.dtype
    eps = np.finfo(host.dtype).eps
    np.testing.assert_allclose(
        got.get()[fits], expected[fits], rtol=64 * eps, atol=400 * eps
    )


@pytest.mark.parametrize("shape,axis", LONG[:6], ids=str)
@pytest.mark.parametrize("order", "CF")
def test_long_scans(shape, axis, order):
    host, device = both(numbers(shape, "i4"), order)
    same(device.cumsum(axis), host.cumsum(axis))
    same(device.cumsum(), host.cumsum())
    whole, on_device = both(numbers(shape, "i8"), order)
    on_device.cumsum(axis, out=on_device)
    same(on_device, whole.cumsum(axis))
    floats, on_device = both(numbers(shape, "f4"), order)
    np.testing.assert_allclose(
        on_device.cumsum(axis).get(), floats.astype("f8").cumsum(axis),
        rtol=1e-5, atol=1e-2,
    )  # fmt: skip


@pytest.mark.sweep(most=14)
@pytest.mark.parametrize("char", "bBhHiIqQ")
@pytest.mark.parametrize("out", [None, *"bHiQ"])
def test_scans_of_integers_wrap(char, out):
    info = np.iinfo(char)
    for n in (1, 7, 8, 9, 16, 1001):
        rng = np.random.default_rng(n)
        host = rng.integers(info.min, info.max, (3, n), char, endpoint=True)
        device = gpuarray.to_gpu(host)
        for axis in (0, 1, None):
            expected = host.cumsum(axis, dtype=out)
            same(device.cumsum(axis, dtype=out), expected)
        part, expected = device[:, ::-1], host[:, ::-1].cumsum(1, dtype=out)
        same(part.cumsum(1, dtype=out), expected)


@pytest.mark.parametrize("at", [(0, 0), (2, 500), (4, 999)])
def test_nan(at):
    host = numbers((5, 1000), "f4")
    host[at] = np.nan
    host[4, 3] = np.nan
    device = gpuarray.to_gpu(host)
    for axis in (0, 1):
        for name in ("min", "max", "sum", "argmin", "argmax"):
            got, expected = both_ways(name, host, device, axis=axis)
            np.testing.assert_allclose(
                got.get(), expected, rtol=1e-5, atol=1e-4
            )


def test_out_and_dtype():
    host, device = both(numbers((40, 50), "i1"))
    out = gpuarray.zeros((50,), np.int64)
    assert gpuarray.sum(device, axis=0, out=out) is out
    same(out, host.sum(axis=0))
    wide = gpuarray.zeros((2, 40), np.float64)
    assert device.mean(1, out=wide[1, ::-1]).shape == (40,)
    same(wide[1], host.mean(1)[::-1])
    same(device.sum(0, np.int8), host.sum(0, np.int8))
    same(device.prod(1, np.uint16), host.prod(1, np.uint16))
    same(device.sum(0, np.float64), host.sum(0, np.float64))
    same(gpuarray.sum(device, np.int32), host.sum(dtype=np.int32))
    with pytest.raises(ValueError, match="out has shape"):
        device.sum(1, out=out)
    with pytest.raises(TypeError, match="same_kind"):
        device.mean(0, out=out)
    with pytest.raises(TypeError, match="GPUArray"):
        device.sum(0, out=np.zeros(50))
    # A sum whose result overlaps its source.
    square, on_device = both(numbers((30, 30), "i8"))
    on_device.sum(0, out=on_device[3])
    same(on_device[3], square.sum(0))


def test_bad_axes():
    device = gpuarray.zeros((2, 3), np.float32)
    for axis in (2, -3, (0, 2)):
        with pytest.raises(np.exceptions.AxisError):
            device.sum(axis)
    with pytest.raises(ValueError, match="repeated"):
        device.sum((0, 0))
    with pytest.raises(TypeError, match="axis"):
        device.argmax((0, 1))
    with pytest.raises(TypeError, match="GPUArray"):
        gpuarray.mean(np.zeros(3))


def test_scans_out():
    host, device = both(numbers((40, 50), "i2"))
    out = gpuarray.zeros((40, 50), np.float64)
    assert device.cumsum(1, out=out) is out
    same(out, host.cumsum(1).astype("f8"))
    same(device.cumprod(0, np.uint8), host.cumprod(0, np.uint8))
    square, on_device = both(numbers((30, 30), "i8"))
    on_device.cumsum(0, out=on_device.T)
    same(on_device.T, square.cumsum(0))
    with pytest.raises(ValueError, match="out has shape"):
        device.cumsum(out=out)
    with pytest.raises(np.exceptions.AxisError):
        device.cumsum(2)


def test_degrees_of_freedom():
    host, device = both(numbers((6, 9), "c16"))
    close(device.var(0, ddof=1), host.var(0, ddof=1))
    close(gpuarray.std(device, ddof=2), host.std(ddof=2))
    close(gpuarray.std(device, correction=2), host.std(ddof=2))
    close(np.var(device, 0, correction=1), host.var(0, ddof=1))
    with pytest.raises(ValueError, match="simultaneously"):
        device.var(ddof=1, correction=1)


def test_streams_and_allocator():
    import pycuda.driver as drv

    calls = []

    def allocator(size):
        calls.append(size)
        return drv.mem_alloc(size)

    stream = drv.Stream()
    host, device = both(numbers((10, 20), "f8"))
    got = gpuarray.sum(
        device, axis=0, stream=stream, allocator=allocator, keepdims=True
    )
    stream.synchronize()
    close(got, host.sum(0, keepdims=True))
    assert calls == [160]


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_ptp(dtype, axis):
    host = numbers((5, 4, 6), dtype)
    device = gpuarray.to_gpu(host)
    want = np.ptp(host, axis=axis)
    same(gpuarray.ptp(device, axis), want)
    same(device.ptp(axis=axis, keepdims=True), np.ptp(host, axis, None, True))
    out = gpuarray.empty(np.shape(want), np.float64)
    assert gpuarray.ptp(device[::-1], axis, out) is out
    same(out, np.asarray(np.ptp(host[::-1], axis), np.float64))
    with pytest.raises(ValueError, match="no elements"):
        gpuarray.ptp(gpuarray.empty((0, 3), dtype))
    with pytest.raises(ValueError, match="out has shape"):
        gpuarray.ptp(device, 1, gpuarray.empty(3, dtype))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("view", ["whole", "transposed", "reversed"])
def test_scan_kernels_along_axes(axis, view, exclusive):
    """The operation is not commutative, so the operand order shows."""
    kind = ExclusiveScanKernel if exclusive else InclusiveScanKernel
    kernel = kind(np.int32, "b == 0 ? a : b", 0)
    host, device = both(numbers((7, 9, 5), "i4"), "C", view)
    segments = numbers(host.shape, "i1", 3) > 3
    for marks in (None, segments):
        want = np.zeros_like(host)
        last = np.zeros(np.take(host, 0, axis).shape, host.dtype)
        for k in range(host.shape[axis]):
            at = (slice(None),) * (axis % 3) + (k,)
            if marks is not None:
                last = np.where(marks[at], 0, last)
            now = np.where(host[at] == 0, last, host[at])
            want[at] = last if exclusive else now
            last = now
        heads = None if marks is None else gpuarray.to_gpu(marks)
        same(kernel(device, "new", segments=heads, axis=axis), want)
    out = gpuarray.empty(host.shape, np.int32, order="F")
    assert kernel(device, out, axis=axis) is out
    once = kernel(device, axis=axis)
    assert once is device
    same(device, out.get())
    empty = gpuarray.empty((0, 4), np.int32)
    assert kernel(empty, axis=1) is empty
    with pytest.raises(np.exceptions.AxisError):
        kernel(device, axis=3)
    with pytest.raises(TypeError, match="int32"):
        kernel(device.astype(np.float32), axis=0)


def test_mean_of_no_complex_numbers():
    for shape, axis in ((0, None), ((2, 0), 1)):
        mean = gpuarray.mean(gpuarray.empty(shape, "c8"), axis).get()
        assert np.isnan(mean.real).all()
        assert np.isnan(mean.imag).all()


def test_reduction_kernels_take_a_dtype():
    host = np.full((3, 400), 100, np.int8)
    device = gpuarray.to_gpu(host)
    kernel = ReductionKernel(np.int8, "0", "a+b", arguments="char *in")
    assert kernel(device).dtype == np.int8
    same(kernel(device, dtype=np.int32), np.asarray(120_000, np.int32))
    rows = kernel(device, axis=1, dtype=np.float64, keepdims=True)
    same(rows, np.full((3, 1), 40_000.0))
    out = gpuarray.empty(3, np.int64)
    assert kernel(device, axis=1, dtype=np.int64, out=out) is out
    same(out, np.full(3, 40_000))
    with pytest.raises(ValueError, match="dtype"):
        kernel(device, dtype=np.int32, out=gpuarray.empty((), np.int8))
