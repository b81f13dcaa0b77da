"""Each call honors ``stream=`` and ``allocator=``.

A kernel that waits for the host delays a stream; the input changes after it,
and then the call follows. A call that does any of its work elsewhere sees the
old input.
"""

# SPDX-License-Identifier: MIT

import contextlib
import functools

import numpy as np
import pytest
from layouts import same

import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

SHORT = 500_000_000  # cycles

X = np.array([[0.5, -1.5, 2.25, 3.0], [4.5, 0.25, -0.75, 1.0]], np.float32)
OLD = np.full_like(X, 0.125)
INDEX = np.array([3, 0, 2], np.int32)

# name -> NumPy's function of X, and ours of the array, in a stream.
CALLS = {
    "fill": (
        lambda x: np.full_like(x, 7),
        lambda a, s: a.fill(7, stream=s),
    ),
    "astype": (
        lambda x: x.astype(np.int32),
        lambda a, s: a.astype(np.int32, stream=s),
    ),
    "astype same": (
        lambda x: x,
        lambda a, s: a.astype(np.float32, stream=s),
    ),
    "copy": (lambda x: x, lambda a, s: a.copy(stream=s)),
    "reverse": (
        lambda x: x[::-1, ::-1],
        lambda a, s: a.reverse(stream=s),
    ),
    "mul_add": (
        lambda x: 2 * x + 3 * x,
        lambda a, s: a.mul_add(2, a, 3, stream=s),
    ),
    "set_async": (
        lambda x: x,
        lambda a, s: _set_async(a, s),
    ),
    "any": (np.any, lambda a, s: gpuarray.any(a, stream=s)),
    "all": (np.all, lambda a, s: gpuarray.all(a, stream=s)),
    "method any": (np.any, lambda a, s: a.any(stream=s)),
    "method all": (np.all, lambda a, s: a.all(stream=s)),
    "sum": (np.sum, lambda a, s: gpuarray.sum(a, stream=s)),
    "sum of axis": (
        lambda x: np.sum(x, 0),
        lambda a, s: gpuarray.sum(a, stream=s, axis=0),
    ),
    "max": (np.max, lambda a, s: gpuarray.max(a, stream=s)),
    "min": (np.min, lambda a, s: gpuarray.min(a, stream=s)),
    "max of axis": (
        lambda x: np.max(x, 1),
        lambda a, s: gpuarray.max(a, stream=s, axis=1),
    ),
    "mean": (np.mean, lambda a, s: gpuarray.mean(a, stream=s)),
    "argmax": (
        lambda x: np.argmax(x, 1),
        lambda a, s: gpuarray.argmax(a, axis=1, stream=s),
    ),
    "cumsum": (
        lambda x: np.cumsum(x, 1),
        lambda a, s: gpuarray.cumsum(a, axis=1, stream=s),
    ),
    "dot": (
        lambda x: np.vdot(x, x),
        lambda a, s: gpuarray.dot(a, a, stream=s),
    ),
    "subset_sum": (
        lambda x: x.ravel()[INDEX].sum(),
        lambda a, s: gpuarray.subset_sum(_index(), a, stream=s),
    ),
    "subset_dot": (
        lambda x: (x.ravel()[INDEX] ** 2).sum(),
        lambda a, s: gpuarray.subset_dot(_index(), a, a, stream=s),
    ),
    "subset_min": (
        lambda x: x.ravel()[INDEX].min(),
        lambda a, s: gpuarray.subset_min(_index(), a, stream=s),
    ),
    "subset_max": (
        lambda x: x.ravel()[INDEX].max(),
        lambda a, s: gpuarray.subset_max(_index(), a, stream=s),
    ),
    "maximum": (
        lambda x: np.maximum(x, 1),
        lambda a, s: gpuarray.maximum(a, 1, stream=s),
    ),
    "minimum": (
        lambda x: np.minimum(x, 1),
        lambda a, s: gpuarray.minimum(a, 1, stream=s),
    ),
    "where": (
        lambda x: np.where(x != 0.125, x, 9).astype(x.dtype),
        lambda a, s: gpuarray.where(a, a, 9, stream=s),
    ),
    "if_positive": (
        lambda x: np.where(x > 0, x, 9).astype(x.dtype),
        lambda a, s: gpuarray.if_positive(a, a, 9, stream=s),
    ),
    "take": (
        lambda x: x.ravel()[INDEX],
        lambda a, s: gpuarray.take(a, _index(), stream=s),
    ),
    "multi_take": (
        lambda x: x.ravel()[INDEX],
        lambda a, s: gpuarray.multi_take([a], _index(), stream=s)[0],
    ),
    "multi_put": (
        lambda x: x.ravel()[::-1],
        lambda a, s: gpuarray.multi_put(
            [a], _backwards(), dest_shape=(8,), stream=s
        )[0],
    ),
    "multi_take_put": (
        lambda x: x.ravel()[::-1],
        lambda a, s: gpuarray.multi_take_put(
            [a], _backwards(), _forwards(), dest_shape=(8,), stream=s
        )[0],
    ),
    "concatenate": (
        lambda x: np.concatenate([x, x]),
        lambda a, s: gpuarray.concatenate([a, a], stream=s),
    ),
    "stack": (
        lambda x: np.stack([x, x], 1),
        lambda a, s: gpuarray.stack([a, a], 1, stream=s),
    ),
    "fabs": (np.fabs, lambda a, s: cumath.fabs(a, stream=s)),
    "floor": (np.floor, lambda a, s: cumath.floor(a, stream=s)),
    "fmod": (
        lambda x: np.fmod(x, x),
        lambda a, s: cumath.fmod(a, a, stream=s),
    ),
    "frexp": (
        lambda x: np.frexp(x)[0],
        lambda a, s: cumath.frexp(a, stream=s)[0],
    ),
    "modf": (
        lambda x: np.modf(x)[0],
        lambda a, s: cumath.modf(a, stream=s)[0],
    ),
    "ldexp": (
        lambda x: np.ldexp(x, np.trunc(x).astype(int)),
        lambda a, s: cumath.ldexp(a, a, stream=s),
    ),
    "ElementwiseKernel": (
        lambda x: 2 * x,
        lambda a, s: _twice(a, s),
    ),
    "ReductionKernel": (
        lambda x: (x * x).sum(),
        lambda a, s: _squares()(a, stream=s),
    ),
    "scan": (
        lambda x: np.cumsum(x[0]),
        lambda a, s: _scan()(a[0].copy(stream=s), stream=s),
    ),
}  # fmt: skip


# Cached memory that two unordered streams used is freed with a wait.
@functools.cache
def _index():
    return gpuarray.to_gpu(INDEX)


@functools.cache
def _backwards():
    return gpuarray.to_gpu(np.arange(7, -1, -1))


@functools.cache
def _forwards():
    return gpuarray.to_gpu(np.arange(8))


def _set_async(a, s):
    result = gpuarray.empty_like(a)
    result.set_async(a, stream=s)
    return result


# Loading a module may wait for the device, and so for the delayed stream.
@functools.cache
def _double():
    return ElementwiseKernel("float *x, float *z", "z[i] = 2*x[i]")


def _twice(a, s):
    result = gpuarray.empty(a.shape, a.dtype)
    _double()(a, result, stream=s)
    return result


@functools.cache
def _squares():
    return ReductionKernel(
        np.float32, "0", "a+b", "x[i]*x[i]", "const float *x"
    )


@functools.cache
def _scan():
    return InclusiveScanKernel(np.float32, "a+b")


@pytest.mark.parametrize("layout", ["packed", "strided"])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_streams(busy, name, layout):
    on_host, on_device = CALLS[name]
    if name == "scan" and layout == "strided":
        pytest.skip("scans take packed arrays")
    host = np.asarray(X, order="C" if layout == "packed" else "F")
    pinned = drv.pagelocked_empty(X.shape, X.dtype)
    pinned[...] = X
    wide = gpuarray.zeros((2, 8), np.float32)
    a = gpuarray.to_gpu(OLD)
    if layout == "strided":
        wide[:, ::2] = a
        a = wide[:, ::2]
    source = gpuarray.to_gpu(pinned)
    on_device(a, None)  # compiles the kernels
    drv.Context.synchronize()
    with busy(SHORT) as stream:
        a.set_async(source, stream=stream)
        result = on_device(a, stream)
    expected = np.asarray(on_host(host))
    got = result.get()
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-6)


# Calls that allocate host memory, or receive memory that is not page-locked.
FETCHES = {
    "get_async": lambda a, s: a.get_async(s),
    "get_async of a view": lambda a, s: a[:, ::2].get_async(s),
    "get": lambda a, s: a.get(async_=True, stream=s),
    "get_async into": lambda a, s: a.get_async(s, np.empty_like(X)),
    "memcpy_dtoh_async": lambda a, s: _copied(a, s),
}


def _copied(a, stream):
    host = np.empty_like(X)
    drv.memcpy_dtoh_async(host, a.gpudata, stream)
    return host


@pytest.mark.parametrize("entered", [False, True])
@pytest.mark.parametrize("name", FETCHES)
def test_results_that_make_their_own_memory_are_there(busy, name, entered):
    a, source = gpuarray.to_gpu(OLD), gpuarray.to_gpu(X)
    FETCHES[name](a, None)
    drv.Context.synchronize()
    with busy(SHORT) as stream:
        a.set_async(source, stream=stream)
        with stream if entered else contextlib.nullcontext():
            got = FETCHES[name](a, None if entered else stream).copy()
    np.testing.assert_array_equal(got, X[:, ::2] if "view" in name else X)


def test_the_stream_is_really_held(busy):
    a, source = gpuarray.to_gpu(OLD), gpuarray.to_gpu(X)
    a + 0  # compiles the kernel
    drv.Context.synchronize()
    with busy() as stream:
        a.set_async(source, stream=stream)
        early = a + 0  # on the default stream
        assert not stream.is_done()
        same(early, OLD)
    same(a, X)


# --- allocators ----------------------------------------------------------


class Recorder:
    """An allocator that records the requested sizes in bytes."""

    def __init__(self):
        self.sizes = []

    def __call__(self, size):
        self.sizes.append(size)
        return drv.mem_alloc(size)


ALLOCATED = {
    "GPUArray": lambda a, m: gpuarray.GPUArray((2, 4), np.float32, m),
    "empty": lambda a, m: gpuarray.empty((2, 4), np.float32, allocator=m),
    "zeros": lambda a, m: gpuarray.zeros((2, 4), allocator=m),
    "ones": lambda a, m: gpuarray.ones((2, 4), allocator=m),
    "to_gpu": lambda a, m: gpuarray.to_gpu(X, allocator=m),
    "to_gpu_async": lambda a, m: gpuarray.to_gpu_async(X, m),
    "concatenate": lambda a, m: gpuarray.concatenate([a, a], allocator=m),
    "stack": lambda a, m: gpuarray.stack([a, a], allocator=m),
    "logical_and": lambda a, m: gpuarray.logical_and(a, a, allocator=m),
    "logical_or": lambda a, m: gpuarray.logical_or(a, 1.0, allocator=m),
    "logical_not": lambda a, m: gpuarray.logical_not(a, allocator=m),
    "logical_and of scalars": lambda a, m: gpuarray.logical_and(
        1, 0, allocator=m
    ),
    "sum": lambda a, m: gpuarray.sum(a, allocator=m),
    "sum of axis": lambda a, m: gpuarray.sum(a, allocator=m, axis=0),
    "any": lambda a, m: gpuarray.any(a, allocator=m),
    "all": lambda a, m: a.all(allocator=m),
    "dot": lambda a, m: gpuarray.dot(a, a, allocator=m),
    "subset_sum": lambda a, m: gpuarray.subset_sum(_index(), a, allocator=m),
    "subset_dot": lambda a, m: gpuarray.subset_dot(
        _index(), a, a, allocator=m
    ),
    "ReductionKernel": lambda a, m: _squares()(a, allocator=m),
}


@pytest.mark.parametrize("name", sorted(ALLOCATED))
def test_allocators(name):
    recorder = Recorder()
    a = gpuarray.to_gpu(X)
    result = ALLOCATED[name](a, recorder)
    assert result.allocator is recorder
    assert result.nbytes in recorder.sizes


INHERITED = {
    "copy": lambda a: a.copy(),
    "slice": lambda a: a[1:],
    "astype": lambda a: a.astype(np.float64),
    "add": lambda a: a + 1,
    "reflected": lambda a: 1 - a,
    "compare": lambda a: a > 1,
    "negative": lambda a: -a,
    "empty_like": gpuarray.empty_like,
    "zeros_like": gpuarray.zeros_like,
    "reverse": lambda a: a.reverse(),
    "reshape": lambda a: a.T.reshape(8),
    "sin": cumath.sin,
    "frexp": lambda a: cumath.frexp(a)[1],
    "maximum": lambda a: gpuarray.maximum(a, 1),
    "take": lambda a: gpuarray.take(a, _index()),
    "max": gpuarray.max,
    "mul_add": lambda a: a.mul_add(1, a, 2),
    "conj": lambda a: a.astype(np.complex64).conj(),
    "real": lambda a: a.astype(np.complex64).real,
}


@pytest.mark.parametrize("name", sorted(INHERITED))
def test_results_take_the_allocator_of_their_input(name):
    recorder = Recorder()
    a = gpuarray.to_gpu(X, allocator=recorder)
    before = len(recorder.sizes)
    result = INHERITED[name](a)
    assert result.allocator is recorder
    assert result.base is not None or len(recorder.sizes) > before
