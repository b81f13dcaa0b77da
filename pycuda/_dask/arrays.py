"""GPUArrays as chunks of dask.array, and its backend "pycuda".

Dask calls NumPy's functions, which GPUArrays implement, except those of its
own dispatch tables.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import math
import os
from typing import Any

import numpy as np

from pycuda import gpuarray
from pycuda._array.dispatch import replace
from pycuda.gpuarray import GPUArray


def _numel(x: GPUArray, **options: Any) -> Any:
    """Return the number of elements along the axes, on the device."""
    axis, keepdims = options.get("axis"), options.get("keepdims", False)
    dtype = np.dtype(options.get("dtype") or np.float64)
    if axis is None:
        axes = tuple(range(x.ndim))
    else:
        given = axis if isinstance(axis, (tuple, list)) else (axis,)
        axes = tuple(one % x.ndim for one in given)
    count = math.prod(x.shape[one] for one in axes)
    shape = tuple(
        1 if k in axes else length
        for k, length in enumerate(x.shape)
        if keepdims or k not in axes
    )
    return gpuarray.full(shape, count, dtype)


def _nannumel(x: GPUArray, **options: Any) -> Any:
    """Return the number of elements that are no NaN."""
    return np.sum(~np.isnan(x), **options)


def _percentile(
    a: GPUArray, q: Any, method: str = "linear"
) -> tuple[Any, int]:
    """Return (percentiles of a chunk, its length), for Dask to merge."""
    if len(a) == 0:
        return None, 0
    return np.percentile(a, q, method=method), len(a)


def _einsum(*operands: Any, **options: Any) -> Any:
    """Return numpy.einsum; Dask always passes all of its options."""
    for name in ("casting", "order", "optimize"):
        options.pop(name, None)
    if options.get("dtype") is None:
        options.pop("dtype", None)
    return np.einsum(*operands, **options)


def _to_host(data: Any, **_: Any) -> Any:
    return data.get()


def _to_device(data: Any, **_: Any) -> Any:
    return data if isinstance(data, GPUArray) else gpuarray.to_gpu(data)


def _register_functions(dispatch: Any) -> None:
    rows = {
        "concatenate_lookup": np.concatenate,
        "take_lookup": np.take,
        "tensordot_lookup": np.tensordot,
        "einsum_lookup": _einsum,
        "empty_lookup": gpuarray.empty,
        "divide_lookup": np.divide,
        "percentile_lookup": _percentile,
        "numel_lookup": _numel,
        "nannumel_lookup": _nannumel,
        "to_numpy_dispatch": _to_host,
    }
    for name, function in rows.items():
        table = getattr(dispatch, name, None)
        if table is not None:  # some versions of Dask lack this dispatch table
            table.register(GPUArray, function)


# The dtype with which dask.array.unique tests whether chunks can be record
# arrays. If they can, it copies each chunk to a record array on the host.
_PROBE = [("a", int), ("b", float)]


def _answer_probe(empty_like: Any) -> Any:
    """Make numpy.empty_like of a GPUArray refuse the records of `_PROBE`.

    dask.array.unique then calls numpy.unique for each chunk.
    """

    @functools.wraps(empty_like)
    def function(prototype: Any, dtype: Any = None, *args: Any, **kw: Any):  # type: ignore[no-untyped-def]
        if isinstance(dtype, list) and dtype == _PROBE:
            raise TypeError("dask.array.unique does not need records")
        return empty_like(prototype, dtype, *args, **kw)

    return function


def _wrap_scipy(utils: Any) -> None:
    """Let Dask's calls of scipy.linalg take GPUArrays, by host copies.

    SciPy solves triangular systems and factorises blocks on the host only.
    """
    original = utils.scipy_linalg_safe

    @functools.wraps(original)
    def call(name: str, *args: Any, **options: Any) -> Any:
        if not any(isinstance(value, GPUArray) for value in args):
            return original(name, *args, **options)
        host = [v.get() if isinstance(v, GPUArray) else v for v in args]
        result = original(name, *host, **options)
        if isinstance(result, tuple):
            return tuple(_to_device(np.asarray(part)) for part in result)
        return _to_device(np.asarray(result))

    utils.scipy_linalg_safe = call


def _register_backend(da: Any, backends: Any) -> None:
    from dask import config

    def on_device(name: str) -> Any:
        def create(*args: Any, meta: Any = None, **options: Any) -> Any:
            meta = gpuarray.empty((0,), np.float64) if meta is None else meta
            with config.set({"array.backend": "numpy"}):
                return getattr(da, name)(*args, meta=meta, **options)

        return staticmethod(create)

    class PyCUDABackend(backends.ArrayBackendEntrypoint):
        """Creation functions of dask.array that make GPUArrays."""

        ones = on_device("ones")
        zeros = on_device("zeros")
        empty = on_device("empty")
        full = on_device("full")

        @classmethod
        def to_backend_dispatch(cls) -> Any:
            return _to_device

        @classmethod
        def to_backend(cls, data: Any, **options: Any) -> Any:
            if isinstance(data._meta, GPUArray):
                return data
            return data.map_blocks(_to_device, **options)

        @staticmethod
        def arange(*args: Any, like: Any = None, **options: Any) -> Any:
            like = gpuarray.empty((0,), np.float64) if like is None else like
            with config.set({"array.backend": "numpy"}):
                return da.arange(*args, like=like, **options)

        @property
        def RandomState(self) -> Any:
            raise NotImplementedError(
                "NumPy's random numbers are made on the host: use "
                "dask.array.random with the backend 'numpy', then "
                ".to_backend('pycuda'), or map_blocks with pycuda.curandom"
            )

        default_bit_generator = RandomState

    backends.array_creation_dispatch.register_backend(
        "pycuda", PyCUDABackend()
    )


def register() -> None:
    """Register with dask.array, which is loaded.

    Dask runs its tasks in threads.  Those without a context take the oldest
    one of the process, unless PYCUDA_THREAD_CONTEXT=0 forbids it or the
    program has chosen one.
    """
    import dask.array as da
    from dask.array import backends, dispatch, utils

    da.register_chunk_type(GPUArray)
    _register_functions(dispatch)
    _register_backend(da, backends)
    _wrap_scipy(utils)
    replace(np.empty_like, _answer_probe)
    os.environ.setdefault("PYCUDA_THREAD_CONTEXT", "1")
