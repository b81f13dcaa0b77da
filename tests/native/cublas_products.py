"""Products through the cuBLAS that PYCUDA_CUBLAS names: see test_cublas.py.

Prints the name of the requested check after it has passed.
"""

# SPDX-License-Identifier: MIT

import ctypes
import gc
import os
import sys

import ml_dtypes
import numpy as np

import pycuda.autoinit
import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda._array import blas

FIELDS = (
    "creates", "destroys", "calls", "batched", "a_op", "b_op", "m", "n", "k",
    "a_lead", "b_lead", "c_lead", "type", "c_type", "compute", "count", "mode",
    "stream",
)  # fmt: skip
DTYPES = {
    "float16": (np.float16, 2, 2, 68),
    "bfloat16": (ml_dtypes.bfloat16, 14, 0, 68),
    "float32": (np.float32, 0, 0, 68),
    "float64": (np.float64, 1, 1, 70),
    "complex64": (np.complex64, 4, 4, 68),
    "complex128": (np.complex128, 5, 5, 70),
}


class Record(ctypes.Structure):
    """The record that the library keeps of its calls."""

    _fields_ = [(name, ctypes.c_longlong) for name in FIELDS]


def record() -> Record:
    library = ctypes.CDLL(os.environ["PYCUDA_CUBLAS"])
    return Record.in_dll(library, "fake_record")


def numbers(shape, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, shape).astype("d")
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-3, 4, shape)
    return values.astype(dtype)


def check(a, b, calls=1, device=None):
    """Assert a right product, computed by the given number of calls."""
    before = record().calls
    da, db = device or (gpuarray.to_gpu(a), gpuarray.to_gpu(b))
    got = da @ db
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    want = (a.astype(wide) @ b.astype(wide)).astype(got.dtype)
    # Small integers, so that every sum is exact.
    assert np.array_equal(got.get(), want), (a.shape, b.shape)
    assert record().calls - before == calls, (a.shape, b.shape)


def check_dtypes():
    """Each dtype has its cudaDataType, those of the result and of the sums."""
    for dtype, kind, product, compute in DTYPES.values():
        check(numbers((5, 7), dtype), numbers((7, 3), dtype, 1))
        last = record()
        types = last.type, last.c_type, last.compute
        assert types == (kind, product, compute), dtype
        assert (last.m, last.n, last.k) == (3, 5, 7)
        assert last.mode == 16
    check(numbers((5, 7), np.int32), numbers((7, 3), np.int32), calls=0)
    check(numbers((5, 7)), numbers((7, 3), np.float64), calls=0)


def check_small():
    """Products that are too small to benefit do not use the library."""
    blas._LEAST = dict.fromkeys(blas._LEAST, 64**3)
    blas._is_ours = lambda types, task, _: ours(types, task, False)
    check(numbers((64, 63)), numbers((63, 64)), calls=0)
    assert record().creates == 0
    check(numbers((64, 64)), numbers((64, 64)))


def check_layouts():
    """Transposed and cut matrices, vectors, and unsupported layouts."""
    a, b = numbers((8, 6)), numbers((6, 10), seed=1)
    da, db = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    check(a, b, device=(da, db))
    assert (record().a_op, record().b_op) == (0, 0)
    assert (record().a_lead, record().b_lead, record().c_lead) == (10, 6, 10)
    check(b.T, a.T, device=(db.T, da.T))
    assert (record().a_op, record().b_op) == (1, 1)
    check(a, a.T, device=(da, da.T))
    check(a[2:6, 1:4], b[2:5, 3:9], device=(da[2:6, 1:4], db[2:5, 3:9]))
    assert (record().a_lead, record().b_lead) == (10, 6)
    check(a, b[:, 4], device=(da, db[:, 4]))
    check(a[3], b, device=(da[3], db))
    check(a[3], b[:, 4], device=(da[3], db[:, 4]))
    check(a[::2], b, device=(da[::2], db))
    check(a[:, ::2], b[:3], device=(da[:, ::2], db[:3]), calls=0)
    check(a[::-1], b, device=(da[::-1], db), calls=0)
    same = gpuarray.broadcast_to(da[0], (4, 6))
    check(np.broadcast_to(a[0], (4, 6)), b, device=(same, db), calls=0)
    out = gpuarray.zeros((10, 8), np.float32).T
    before = record().calls
    gpuarray.matmul(da, db, out=out)
    assert record().calls == before + 1
    assert np.array_equal(out.get(), a @ b)
    empty = gpuarray.zeros((3, 0), np.float32)
    assert not (empty @ empty.T).get().any()
    assert record().calls == before + 1


def check_batches():
    """Batches need a constant matrix stride for cuBLAS."""
    a, b = numbers((4, 5, 6)), numbers((4, 6, 3), seed=1)
    check(a, b)
    assert (record().batched, record().count) == (1, 4)
    check(a, b[0])
    assert record().count == 4
    check(numbers((2, 3, 5, 6)), numbers((2, 3, 6, 4), seed=1))
    assert record().count == 6
    check(numbers((2, 1, 5, 6)), numbers((1, 3, 6, 4), seed=1), calls=0)
    da, db = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    check(a[::2], b[::2], device=(da[::2], db[::2]))
    check(a[::-1], b, device=(da[::-1], db), calls=0)


def check_streams():
    """The stream is the given or entered one; captures do not use cuBLAS."""
    a = numbers((6, 6))
    device, stream = gpuarray.to_gpu(a), drv.Stream()
    drv.Context.synchronize()
    got = gpuarray.matmul(device, device, stream=stream)
    assert record().stream == stream.handle
    stream.synchronize()
    assert np.array_equal(got.get(), a @ a)
    with stream:
        device @ device
    assert record().stream == stream.handle
    stream.synchronize()
    calls = record().calls
    out = gpuarray.zeros((6, 6), np.float32)
    with stream.capture() as graph:
        gpuarray.matmul(device, device, out, stream=stream)
    assert record().calls == calls
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert np.array_equal(out.get(), a @ a)


def check_repeated():
    """A repeated product runs without Python code."""
    real = blas.multiply
    for a, b in (
        (numbers((8, 6)), numbers((6, 10), seed=1)),
        (numbers((6, 8)).T, numbers((10, 6), seed=1).T),
        (numbers((4, 5, 6)), numbers((4, 6, 3), seed=1)),
        (numbers(6), numbers((6, 10), seed=1)),
    ):
        device = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
        check(a, b, device=device)
        blas.multiply = None
        check(a, b, device=device)
        second_run = gpuarray.to_gpu(a + 1), device[1]
        check(a + 1, b, device=second_run)
        blas.multiply = real
    stream = drv.Stream()
    with stream, stream.capture() as graph:
        captured = device[0] @ device[1]
    with stream:
        graph.instantiate().launch(stream)
    stream.synchronize()
    assert np.array_equal(captured.get(), a @ b)
    check(a, b, device=device)


def check_first_in_capture():
    """A handle is not created during a capture, but after it."""
    a = numbers((6, 6))
    device, stream = gpuarray.to_gpu(a), drv.Stream()
    out = gpuarray.zeros((6, 6), np.float32)
    own = gpuarray.matmul(device.astype(np.int32), device.astype(np.int32))
    assert np.array_equal(own.get(), a @ a)
    drv.Context.synchronize()
    with stream.capture() as graph:
        gpuarray.matmul(device, device, out, stream=stream)
    assert record().creates == 0
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert np.array_equal(out.get(), a @ a)
    check(a, a)
    assert record().creates == 1


def check_contexts():
    """Each context has a handle, freed with the context-local storage."""
    from pycuda.tools import clear_context_caches

    a = numbers((4, 4))
    check(a, a)
    check(a, a)
    assert record().creates == 1
    other = drv.Device(0).make_context()
    check(a, a)
    assert record().creates == 2
    with drv.Stream().capture():
        clear_context_caches()
    assert record().destroys == 1, "an end would break the capture"
    clear_context_caches()
    gc.collect()
    assert record().destroys == 2
    other.pop()
    check(a, a)
    assert record().creates == 3


def check_unsupported():
    """FAKE_STATUS 15: our own kernels compute the product."""
    check(numbers((5, 7)), numbers((7, 3), seed=1))


def check_failure():
    """FAKE_STATUS 13: an exception with the status."""
    device = gpuarray.to_gpu(numbers((5, 5)))
    try:
        device @ device
    except drv.RuntimeError as error:
        text = str(error)
    assert text == "cublasGemmEx failed: CUBLAS_STATUS_EXECUTION_FAILED"


def check_no_memory():
    """FAKE_CREATE_STATUS 3: no handle, so our own kernels compute."""
    check(numbers((5, 7)), numbers((7, 3), seed=1), calls=0)


def check_off():
    """PYCUDA_CUBLAS=0: there is no cuBLAS."""
    assert _driver._cublas_open() is None
    a = numbers((5, 5))
    device = gpuarray.to_gpu(a)
    assert np.array_equal((device @ device).get(), a @ a)


def check_damaged():
    """PYCUDA_CUBLAS names an unusable library."""
    device = gpuarray.to_gpu(numbers((5, 5)))
    try:
        device @ device
    except RuntimeError as error:
        text = str(error)
    assert "PYCUDA_CUBLAS" in text, text


if __name__ == "__main__":
    assert pycuda.autoinit.context is not None
    ours = blas._is_ours
    blas._is_ours = lambda *_: False
    globals()[f"check_{sys.argv[1]}"]()
    print(sys.argv[1])
