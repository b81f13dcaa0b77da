"""Arrays from and to other libraries: DLPack and the CUDA array interface."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda import _driver

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

CPU, CUDA = 1, 2  # device types of DLPack
_LEGACY = 1  # handle of CUDA's default stream


def _device() -> tuple[int, int]:
    """DLPack's name of the current context's device."""
    if _driver._device_kind() == "cpu":
        return CPU, 0
    current = drv.Context.get_device()
    ids = (drv.Device(i) == current for i in range(drv.Device.count()))
    return CUDA, list(ids).index(True)


def _stream_handle(stream: Any, device: tuple[int, int]) -> int:
    """The handle of a consumer's stream; -1 where it asks for no order."""
    if device[0] == CPU:
        if stream is not None:
            raise BufferError("stream must be None: the memory is a CPU's")
        return -1
    if stream is None:
        return _LEGACY
    if not isinstance(stream, int) or stream == 0 or stream < -1:
        raise BufferError(
            f"stream must be None, -1, 1, 2 or a handle, not {stream!r}"
        )
    return stream


class Exchange:
    """Base of `pycuda.gpuarray.GPUArray` that other libraries ask."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """(device type, device number) as DLPack numbers them."""
        return _device()

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The memory as a DLPack capsule, without a copy.

        Parameters
        ----------
        stream
            Handle of the stream that the consumer goes on with; 1 (and
            None): the default stream, -1: the consumer sees to the order.
        max_version
            The newest DLPack that the consumer knows.
        dl_device
            Where the memory is to be: here, or (1, 0) for a host copy.
        copy
            True: always a copy; False: BufferError where one is needed.
        """
        here = _device()
        if dl_device is not None and tuple(dl_device) != here:
            if tuple(dl_device) != (CPU, 0) or copy is False:
                raise BufferError(
                    f"the array is on device {here}; asked for {dl_device}"
                    f" with copy={copy}"
                )
            return self.get().__dlpack__(max_version=max_version)
        handle = _stream_handle(stream, here)
        array = self.copy() if copy else self
        if here[0] == CPU:
            drv.Context.synchronize()
        versioned = max_version is not None and max_version[0] >= 1
        return _driver._dlpack_give(array, *here, handle, versioned)


class _Registered:
    """Host memory that the driver knows as a device's, while this lives."""

    def __init__(self, low: int, size: int) -> None:
        window = (ctypes.c_char * size).from_address(low)
        try:
            self.memory = drv.register_host_memory(
                np.frombuffer(window, np.uint8)
            )
        except drv.Error as error:
            raise BufferError(
                f"{size} bytes at {low:#x} cannot be shared ({error}): ask "
                "for copy=True"
            ) from None


# (address, bytes) -> registration that some array still needs.
_registered: weakref.WeakValueDictionary[tuple[int, int], _Registered] = (
    weakref.WeakValueDictionary()
)


def _extent(address: int, shape: Any, strides: Any, size: int) -> tuple:
    """(first byte, bytes) that the elements lie in."""
    ends = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low = sum(end for end in ends if end < 0)
    high = sum(end for end in ends if end > 0)
    return address + low, high - low + size


def _register(x: Any, extent: tuple[int, int]) -> _Registered | None:
    """What makes host memory usable as device memory; None if it is."""
    while isinstance(x, np.ndarray):  # views of one array share memory
        extent = _extent(x.ctypes.data, x.shape, x.strides, x.itemsize)
        x = x.base
    known = _registered.get(extent)
    if known is None:
        try:
            _driver._pointer_device(extent[0])
            return None
        except drv.Error:
            known = _registered[extent] = _Registered(*extent)
    return known


def _wrap(
    address: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    dtype: np.dtype,
    owner: Any,
) -> GPUArray:
    """An array on memory that `owner` keeps alive."""
    from pycuda.gpuarray import GPUArray

    if 0 in shape:
        return GPUArray(shape, dtype)
    return GPUArray(shape, dtype, base=owner, gpudata=address, strides=strides)


def _dtype(name: str) -> np.dtype:
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def from_dlpack(x: Any, *, copy: bool | None = None) -> GPUArray:
    """An array on the memory of another library's array.

    Parameters
    ----------
    x
        An object with ``__dlpack__`` and ``__dlpack_device__`` whose memory
        is the current device's.
    copy
        True: a copy of it.  False or None: the memory itself.

    Raises
    ------
    BufferError
        The memory is elsewhere, is read-only, or has a dtype that NumPy
        lacks.
    """
    here, there = _device(), tuple(int(v) for v in x.__dlpack_device__())
    if there != here:
        raise BufferError(
            f"the memory is on DLPack's device {there}, this context's is "
            f"{here}: copy with gpuarray.asarray()"
        )
    current = drv.current_stream()
    handle = current.handle if current is not None else 0
    order = {} if here[0] == CPU else {"stream": handle or _LEGACY}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **order)
    except TypeError:  # from before DLPack 1.0
        capsule = x.__dlpack__(**order)
    address, shape, strides, name, _, read_only, holder = _driver._dlpack_take(
        capsule
    )
    if read_only and not copy:
        raise BufferError("the memory is read-only: ask for copy=True")
    dtype, owner = _dtype(name), holder
    if here[0] == CPU and 0 not in shape:
        extent = _extent(address, shape, strides, dtype.itemsize)
        owner = (holder, _register(x, extent))  # the last goes first
    array = _wrap(address, shape, strides, dtype, owner)
    if copy:
        array = array.copy()
        drv.Context.synchronize()
    return array


def _wait_for(handle: int) -> None:
    """Wait for what was issued on another library's stream.

    A capture takes in nothing from outside, so nothing is waited for there.
    """
    current = drv.current_stream()
    if current is not None and current.is_capturing:
        return
    stream = drv.Stream.from_handle(handle)
    if stream.is_capturing:
        return
    event = drv.Event(drv.event_flags.DISABLE_TIMING)
    event.record(stream)
    drv.Context.synchronize() if handle == 0 else event.synchronize()


def _from_interface(x: Any) -> GPUArray:
    """An array on the memory that a CUDA array interface describes."""
    interface = x.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise BufferError("masked arrays are not known here")
    address, read_only = interface["data"]
    if read_only:
        raise BufferError("the memory is read-only")
    dtype = np.dtype(interface["typestr"])
    if dtype.kind == "V" and interface.get("descr"):
        dtype = np.dtype([tuple(row) for row in interface["descr"]])
    if address and 0 not in interface["shape"]:
        _check_pointer(address)
    stream = interface.get("stream")
    if stream is not None:
        _wait_for(stream)
    return _wrap(
        address, interface["shape"], interface.get("strides"), dtype, x
    )


def _check_pointer(address: int) -> None:
    """Raise BufferError unless the address is this device's."""
    try:
        _driver._pointer_device(address)
    except drv.Error:
        raise BufferError(
            f"address {address:#x} is not the current device's memory"
        ) from None


def asarray(
    x: Any, dtype: Any = None, *, copy: bool | None = None
) -> GPUArray:
    """An array of what `x` holds, on its own memory where that can be.

    Parameters
    ----------
    x
        A GPUArray; an object with ``__cuda_array_interface__`` or
        ``__dlpack__``; or anything that ``numpy.asarray`` takes, which is
        copied to the device.
    dtype
        What to convert to.
    copy
        True: always a copy; False: ValueError where one is needed.
    """
    from pycuda.gpuarray import GPUArray, to_gpu

    made = False
    if isinstance(x, GPUArray):
        array = x
    elif hasattr(x, "__cuda_array_interface__"):
        array = _from_interface(x)
    elif (
        hasattr(x, "__dlpack_device__")
        and not isinstance(x, np.ndarray | np.generic)
        and tuple(x.__dlpack_device__()) == _device()
    ):
        array = from_dlpack(x)
    else:
        array, made = None, True
    converts = array is not None and (
        dtype is not None and array.dtype != np.dtype(dtype)
    )
    if copy is False and (made or converts):
        raise ValueError("a copy is needed, and copy=False forbids it")
    if array is None:
        return to_gpu(np.asarray(x, dtype))
    if converts:
        return array.astype(dtype)
    return array.copy() if copy else array
