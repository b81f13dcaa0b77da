"""GPUArrays in messages between Dask's processes.

Between workers of one host, large arrays are passed by IPC, from device to
device.  All other messages contain a host copy.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from typing import Any

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._array.ipc import dtype_of, dtype_text
from pycuda._dask import offers
from pycuda._dask.workers import ensure_context, worker_of_process
from pycuda.gpuarray import GPUArray

# size in bytes; a smaller array is faster as part of the message
_LEAST_OFFER = 256 << 10


def _packed(array: GPUArray) -> GPUArray:
    """Return the array, or a contiguous copy."""
    return array if array.flags.forc else array.copy("C")


def _is_for_this_host(context: Any) -> bool:
    """Return whether a message goes to another process of this host."""
    if not context or os.environ.get("PYCUDA_DASK_IPC") == "0":
        return False
    from distributed.comm.addressing import get_address_host

    ends = [
        str((context.get(end) or {}).get("address") or "")
        for end in ("sender", "recipient")
    ]
    if not all(end.startswith(("tcp://", "tls://")) for end in ends):
        return False
    return get_address_host(ends[0]) == get_address_host(ends[1])


def _offered(array: GPUArray, context: Any) -> dict[str, Any] | None:
    """Offer an array by IPC if the message is between workers of a host."""
    if array.nbytes < _LEAST_OFFER or not _is_for_this_host(context):
        return None
    if worker_of_process() is None:
        return None
    try:
        return offers.offer(array)
    except drv.Error:  # the array's memory cannot be shared
        return None


def dask_dumps(
    array: GPUArray, context: Any = None
) -> tuple[dict[str, Any], list[Any]]:
    """Return (header, frames) of Dask's serialisation family "dask"."""
    ensure_context()
    array = _packed(array)
    offered = _offered(array, context)
    if offered is not None:
        return {"offer": offered}, []
    host = array.get()
    header = {
        "shape": host.shape,
        "strides": host.strides,
        "dtype": dtype_text(host.dtype),
    }
    flat = host.ravel(order="K")
    return header, [flat.view(np.uint8).data if flat.size else b""]


def dask_loads(header: dict[str, Any], frames: list[Any]) -> GPUArray:
    """Return the array of a message."""
    ensure_context()
    if "offer" in header:
        return offers.take(header["offer"])
    shape, strides = tuple(header["shape"]), tuple(header["strides"])
    data = frames[0] if len(frames) == 1 else b"".join(frames)
    host = np.ndarray(shape, dtype_of(header["dtype"]), data, strides=strides)
    return gpuarray.to_gpu(host)


def cuda_dumps(array: GPUArray) -> tuple[dict[str, Any], list[Any]]:
    """Return (header, frames on the device) of the family "cuda".

    Used by transports, such as UCX, that send device memory themselves.
    """
    array = _packed(array)
    header = {
        "shape": array.shape,
        "strides": array.strides,
        "dtype": dtype_text(array.dtype),
    }
    order = "C" if array.flags.c_contiguous else "F"
    flat = array.reshape(-1, order=order)
    return header, [flat.view(np.uint8)]


def cuda_loads(header: dict[str, Any], frames: list[Any]) -> GPUArray:
    """Return the array of device frames, without a copy."""
    ensure_context()
    (frame,) = frames
    flat = gpuarray.asarray(frame).view(dtype_of(header["dtype"]))
    shape, strides = tuple(header["shape"]), tuple(header["strides"])
    order = "C"
    if len(shape) > 1 and strides[0] < strides[-1]:
        order = "F"
    return flat.reshape(shape, order=order)


def register() -> None:
    """Register with distributed.protocol, which is loaded."""
    from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
    from distributed.protocol.serialize import dask_deserialize, dask_serialize

    dask_serialize.register(GPUArray, dask_dumps)
    dask_deserialize.register(GPUArray, dask_loads)
    cuda_serialize.register(GPUArray, cuda_dumps)
    cuda_deserialize.register(GPUArray, cuda_loads)
