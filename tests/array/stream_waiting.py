"""Table of synchronous calls, by name.

The counterpart of `stream_calls`, for ``test_current_stream.py``.
"""

# SPDX-License-Identifier: MIT

from collections.abc import Callable
from typing import Any

import numpy as np
from stream_calls import (
    ONE,
    Call,
    X,
    into,
    kernel,
    plain,
    prepared,
    with_stream,
)

import pycuda.driver as drv
from pycuda import gpuarray


def waiting() -> dict[str, Call]:
    """Return the synchronous calls, which cannot be captured."""
    host = np.empty_like(X)

    def fetched(copy: Callable[[Any], Any]) -> Any:
        host[...] = 0
        copy(host)
        return host.copy()

    def page_locked() -> Any:
        return drv.pagelocked_zeros(X.shape, X.dtype)

    def flat(a: Any, to: Any = None) -> Any:
        copy, there = drv.Memcpy2D(), gpuarray.zeros_like(a)
        copy.set_src_device(a.gpudata)
        if to is None:
            copy.set_dst_device(there.gpudata)
        else:
            copy.set_dst_host(to)
        copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
        copy.height = 2
        return copy, there

    def flat_out(a: Any, to: Any = host, **aligned: bool) -> Any:
        to[...] = 0
        flat(a, to)[0](**aligned)
        return to.copy()

    def flat_over(a: Any) -> Any:
        copy, there = flat(a)
        copy(True)
        return there

    def deep(a: Any, to: Any = host) -> Any:
        to[...] = 0
        copy = drv.Memcpy3D()
        copy.set_src_device(a.gpudata)
        copy.set_dst_host(to)
        copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
        copy.height = copy.src_height = copy.dst_height = 2
        copy.depth = 1
        copy()
        return to.copy()

    def through_array(a: Any) -> Any:
        array = drv.np_to_array(np.zeros((1, 8), np.float32), "C")
        drv.memcpy_dtoa(array, 0, a.gpudata, 32)
        there = gpuarray.zeros_like(a)
        drv.memcpy_atod(there.gpudata, array, 0, 32)
        return there

    def given(argument: Any, result: Any) -> Any:
        kernel("twice")(argument, **ONE)
        return result

    def in_and_out(a: Any) -> Any:
        # These calls follow the delay, so the copies of their arguments wait.
        copied = a.get()
        return given(drv.InOut(copied), copied)

    def page_locked_in_and_out(a: Any) -> Any:
        copied = page_locked()
        copied[...] = X
        return given(drv.InOut(copied), copied).copy()

    def timed(a: Any) -> Any:
        assert (
            prepared().prepared_timed_call((1, 1), (8, 1, 1), a.gpudata)() >= 0
        )
        return a

    def cleared(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda a: (call(a), a)[1]

    table = {
        "GPUArray.get": plain(np.copy, lambda a: a.get()),
        "GPUArray.get:stream": with_stream(np.copy, lambda a, **s: a.get(**s)),
        "GPUArray.get:strided": plain(np.transpose, lambda a: a.T[:].get()),
        "GPUArray.get:given": plain(
            np.copy, lambda a: fetched(lambda h: a.get(h))
        ),
        "GPUArray.__getitem__:host": plain(
            lambda x: x.ravel()[[3, 0, 2]], lambda a: a.ravel()[[3, 0, 2]]
        ),
        "GPUArray.__bool__": plain(
            lambda x: np.bool_(True), lambda a: np.bool_(bool(a[0, 0] > 0.2))
        ),
        "GPUArray.set": plain(lambda x: X + 1, lambda a: (a.set(X + 1), a)[1]),
        "gpuarray.to_gpu": plain(lambda x: X, lambda a: gpuarray.to_gpu(X)),
        "gpuarray.asarray": plain(lambda x: X, lambda a: gpuarray.asarray(X)),
        "driver.memcpy_dtoh": plain(
            np.copy, lambda a: fetched(lambda h: drv.memcpy_dtoh(h, a.gpudata))
        ),
        "driver.memcpy_htod": plain(
            lambda x: X + 1,
            cleared(lambda a: drv.memcpy_htod(a.gpudata, X + 1)),
        ),
        "driver.memcpy_dtod": plain(
            np.copy,
            lambda a: into(
                a, lambda r: drv.memcpy_dtod(r.gpudata, a.gpudata, a.nbytes)
            ),
        ),
        "driver.memcpy_peer": plain(
            np.copy,
            lambda a: into(
                a, lambda r: drv.memcpy_peer(r.gpudata, a.gpudata, a.nbytes)
            ),
        ),
        "driver.from_device": plain(
            np.copy, lambda a: drv.from_device_like(a.gpudata, X)
        ),
        "driver.Memcpy2D": plain(np.copy, lambda a: flat_out(a, aligned=True)),
        "driver.Memcpy2D:unaligned": plain(
            np.copy, lambda a: flat_out(a, aligned=False)
        ),
        "driver.Memcpy2D:device": plain(np.copy, flat_over),
        "driver.Memcpy2D:page-locked": plain(
            np.copy, lambda a: flat_out(a, page_locked(), aligned=True)
        ),
        "driver.Memcpy3D": plain(np.copy, deep),
        "driver.Memcpy3D:page-locked": plain(
            np.copy, lambda a: deep(a, page_locked())
        ),
        "driver.memcpy_dtoa": plain(np.copy, through_array),
        "Function.__call__:InOut": plain(lambda x: 2 * x, in_and_out),
        "Function.__call__:InOut:page-locked": plain(
            lambda x: 2 * X, page_locked_in_and_out
        ),
        "Function.prepared_timed_call": plain(lambda x: 2 * x, timed),
    }
    for bits in (8, 16, 32):
        name, count = f"memset_d{bits}", 8 * X.nbytes // bits
        table[f"driver.{name}"] = plain(
            np.zeros_like,
            cleared(
                lambda a, f=name, n=count: getattr(drv, f)(a.gpudata, 0, n)
            ),
        )
        name = f"memset_d2d{bits}"
        table[f"driver.{name}"] = plain(
            np.zeros_like,
            cleared(
                lambda a, f=name, n=count: getattr(drv, f)(
                    a.gpudata, X.nbytes, 0, n, 1
                )
            ),
        )
    return table
