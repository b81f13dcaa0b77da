"""Arrays from and for other libraries: DLPack and the CUDA array interface."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import ctypes
import operator
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda import _driver, _mpi_support, _registry
from pycuda._array import ipc
from pycuda._array.constructors import upload

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda._driver import _Shape
    from pycuda.gpuarray import GPUArray

CPU, CUDA = 1, 2  # device types of DLPack
_LEGACY = 1  # handle of CUDA's default stream
_NOT_FOREIGN = (_driver.ArrayBase, np.ndarray, np.generic)
_NOTHING = object()


def _device(ordinal: int | None = None) -> tuple[int, int]:
    """Return DLPack's name of a device; by default the current context's.

    All of the CPU device's virtual devices are DLPack's CPU, whose only number
    is 0.
    """
    if _driver._device_kind() == "cpu":
        return CPU, 0
    if ordinal is None:
        drv.Context.get_device()  # raises LogicError if no context is current
        ordinal = _driver._current_device()
    return CUDA, ordinal


def _named(ordinal: int) -> str:
    return f"device {ordinal} ({drv.Device(ordinal).name()})"


def _home(array: Any) -> int:
    """Return the ordinal of the device that has an array's memory.

    An empty array has no memory: the answer is the current context's device,
    or 0.
    """
    ordinal = _driver._memory_home(array)[1]
    return ordinal if ordinal >= 0 else max(_driver._current_device(), 0)


@contextlib.contextmanager
def _at_home(array: Any) -> Iterator[None]:
    """Make the context of an array's memory current.

    Memory that is not this package's belongs to its device's primary context,
    which all other libraries use.
    """
    context, ordinal = _driver._memory_home(array)
    if context is None and ordinal not in (-1, _driver._current_device()):
        context = drv.Device(ordinal).retain_primary_context()
    if context is None or context == drv.Context.get_current():
        yield
        return
    context.push()
    try:
        yield
    finally:
        drv.Context.pop()


def _stream_handle(stream: Any, device: tuple[int, int]) -> int:
    """Return a consumer's stream handle; -1 if it asks for no ordering."""
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


def _is_from_mpi(stream: int | None, version: Any, copy: bool | None) -> bool:
    """Return whether ``__dlpack__`` was called as mpi4py calls it.

    It passes ``stream=-1``, and since 4.1 also ``max_version`` and
    ``copy=False``.  Others, such as cuda.core, pass no ``copy``.
    """
    return (
        stream == -1
        and (version is None or copy is False)
        and "mpi4py.MPI" in sys.modules
    )


def _prepare_for_mpi(array: Any) -> None:
    """Wait for an array's memory, which mpi4py passes to MPI.

    mpi4py calls ``__dlpack__`` before it passes an address to MPI, in any call
    with an array.  An MPI that is not CUDA-aware would crash.
    """
    if not _mpi_support.is_cuda_aware():
        raise BufferError(
            "this MPI library is not CUDA-aware, so that it cannot use an "
            "array on the device: use pycuda.mpi.Communicator, or pass "
            "array.get()"
        )
    _driver._memory_wait(array)


def _context_on(device: drv.Device) -> drv.Context:
    """Return a context of a device.

    The current one if it is of that device, otherwise the newest one that the
    process uses there, otherwise the device's primary context.
    """
    current = drv.Context.get_current()
    candidates = _driver._contexts()
    if current is not None:
        candidates.insert(0, current)
    for context in candidates:
        with context:
            if drv.Context.get_device() == device:
                return context
    return device.retain_primary_context()


class Exchange(ipc.Shared):
    """Base of `pycuda.gpuarray.GPUArray` for exchange with others.

    It has DLPack's methods and those that name and change the device.
    """

    @property
    def device(self) -> drv.Device:
        """The device that has the array's memory.

        For an empty array, which has none: the current context's device.
        """
        return drv.Device(_home(self))

    def to_device(
        self, device: drv.Device | int, /, *, stream: drv.Stream | None = None
    ) -> GPUArray:
        """Return the array on a device.

        Parameters
        ----------
        device
            A `pycuda.driver.Device` or its number.
        stream
            Stream of the current context whose work the copy follows.

        Returns
        -------
        GPUArray
            The array itself if it is there already.  Otherwise a copy in the
            current context if that is on the device, else in a context that
            the process uses there, else in the device's primary context.
            The copy is complete.

        Raises
        ------
        TypeError
            If `device` is neither a Device nor an integer.
        pycuda.driver.LogicError
            If there is no such device.
        """
        if not isinstance(device, drv.Device):
            try:
                device = drv.Device(operator.index(device))
            except TypeError:
                raise TypeError(
                    "expected a pycuda.driver.Device or its number, not "
                    f"{device!r}"
                ) from None
        if device == self.device and self.size:
            return self
        if stream is not None:
            _driver._as_stream(stream).synchronize()
        with _context_on(device):
            return _brought(self)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's (device type, device number) of the memory."""
        return _device(_home(self))

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return the memory as a DLPack capsule, without a copy if possible.

        Parameters
        ----------
        stream
            Handle of the stream on which the consumer uses the memory.  1 or
            None is the default stream; -1 means that the consumer orders the
            work.
        max_version
            The newest version of DLPack that the consumer knows.
        dl_device
            Device on which the memory is wanted: this one, or (1, 0) for a
            copy on the host.
        copy
            True: always copy.  False: raise BufferError if a copy is needed.

        Returns
        -------
        capsule
            Owns a reference to the memory.

        Raises
        ------
        BufferError
            If the memory cannot be given to this consumer.
        """
        here = _device(_home(self))
        if _is_from_mpi(stream, max_version, copy) and here[0] == CUDA:
            _prepare_for_mpi(self)
        versioned = max_version is not None and max_version[0] >= 1
        with _at_home(self):
            if dl_device is not None and tuple(dl_device) != here:
                if tuple(dl_device) != (CPU, 0) or copy is False:
                    raise BufferError(
                        f"the array is on device {here}, not on {dl_device}"
                        f" with copy={copy}"
                    )
                return self.get().__dlpack__(max_version=max_version)
            handle = _stream_handle(stream, here)
            array = self.copy() if copy else self
            if here[0] == CPU and array.size:
                drv.Context.synchronize()
            return _driver._dlpack_export(array, *here, handle, versioned)


class _Registered:
    """Host memory, registered with the driver for this object's life."""

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


# (address, size in bytes) -> registration of host memory that arrays use.
_registered: weakref.WeakValueDictionary[tuple[int, int], _Registered] = (
    weakref.WeakValueDictionary()
)


def _extent(
    address: int, shape: _Shape, strides: Any, size: int
) -> tuple[Any, ...]:
    """Return (first byte, size in bytes) of the memory of some elements."""
    ends = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low = sum(end for end in ends if end < 0)
    high = sum(end for end in ends if end > 0)
    return address + low, high - low + size


def _register(x: Any, extent: tuple[int, int]) -> _Registered | None:
    """Register host memory as device memory; None if it already is."""
    # register the base array, because all its views share its memory
    while isinstance(x, np.ndarray):
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
    """Create an array on memory that `owner` keeps alive."""
    if 0 in shape:
        return _registry.GPUArray(shape, dtype)
    return _registry.GPUArray(
        shape, dtype, base=owner, gpudata=address, strides=strides
    )


def _dtype(name: str) -> np.dtype:
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def _current_handle() -> int:
    current = drv.current_stream()
    return current.handle if current is not None else 0


def _capsule(x: Any, order: dict[str, Any]) -> Any:
    try:
        return x.__dlpack__(max_version=(1, 0), **order)
    except TypeError:  # the producer is older than DLPack 1.0
        return x.__dlpack__(**order)


def _taken(x: Any, order: dict[str, Any]) -> tuple[GPUArray, bool]:
    """Return (array on a producer's memory, whether it is read-only)."""
    address, shape, strides, name, _, read_only, holder = (
        _driver._dlpack_import(_capsule(x, order))
    )
    dtype, owner = _dtype(name), holder
    if _device()[0] == CPU and 0 not in shape:
        extent = _extent(address, shape, strides, dtype.itemsize)
        # a tuple releases its last item, here the registration, first
        owner = (holder, _register(x, extent))
    return _wrap(address, shape, strides, dtype, owner), read_only


def _foreign_dlpack(x: Any, ordinal: int) -> tuple[GPUArray, bool]:
    """Run `_taken` for another device's array, in that device's context."""
    drv.Device(ordinal).retain_primary_context().push()
    try:
        return _taken(x, {"stream": _LEGACY})
    finally:
        drv.Context.pop()


def _from_producer(x: Any) -> tuple[GPUArray, bool]:
    """Return (array of an object with DLPack, whether it is read-only)."""
    here, there = _device(), tuple(int(v) for v in x.__dlpack_device__())
    if there == here == (CPU, 0):
        return _taken(x, {})
    if there[0] != here[0]:
        raise BufferError(
            f"the memory is on DLPack's device {there}, this context's is "
            f"{here}: copy with gpuarray.asarray()"
        )
    if there != here:
        return _foreign_dlpack(x, there[1])
    return _taken(x, {"stream": _current_handle() or _LEGACY})


def _brought(array: GPUArray) -> GPUArray:
    """Copy another device's array to the current device.

    The host waits for all work on the array's memory, then for the copy.
    """
    here = drv.Context.get_current()
    _driver._memory_wait(array)
    with _at_home(array):
        there = drv.Context.get_current()
        dense = array if array.flags.forc else array.copy("C")
        drv.Context.synchronize()
    order = "C" if dense.flags.c_contiguous else "F"
    result = _registry.GPUArray(dense.shape, dense.dtype, order=order)
    if dense.size:
        drv.memcpy_peer(
            result.gpudata, dense.gpudata, dense.nbytes, here, there
        )
        drv.Context.synchronize()
    return result


def _is_foreign(array: GPUArray) -> bool:
    """Return whether the memory belongs to another device or context."""
    return _driver._memory_is_foreign(array)


def _refusal(array: GPUArray) -> str:
    home, here = _home(array), _driver._current_device()
    if home == here:
        return (
            f"the memory belongs to another context of {_named(home)}: copy "
            "it with gpuarray.asarray()"
        )
    return (
        f"the memory is on {_named(home)}, the current context is on "
        f"{_named(here)}: copy it with gpuarray.asarray()"
    )


def from_dlpack(x: Any, *, copy: bool | None = None) -> GPUArray:
    """Create an array on the memory of another library's array.

    Parameters
    ----------
    x
        An object with ``__dlpack__`` and ``__dlpack_device__``, on the
        current device.
    copy
        True: copy it, from any device.  False or None: use the memory
        itself.

    Returns
    -------
    GPUArray
        Keeps `x`'s memory alive, or owns the copy.

    Raises
    ------
    BufferError
        If the memory is on another device, is read-only, or has a dtype that
        NumPy lacks.
    """
    array, read_only = _from_producer(x)
    if _is_foreign(array):
        if not copy:
            raise BufferError(_refusal(array))
        return _brought(array)
    if read_only and not copy:
        raise BufferError("the memory is read-only: ask for copy=True")
    if copy:
        array = array.copy()
        drv.Context.synchronize()
    return array


def _is_capturing() -> bool:
    current = drv.current_stream()
    return current is not None and current.is_capturing


def _wait_for(handle: int) -> None:
    """Wait for the work that was issued on another library's stream.

    Does nothing during a capture, which cannot include outside work.
    """
    if _is_capturing():
        return
    stream = drv.Stream.from_handle(handle)
    if stream.is_capturing:
        return
    event = drv.Event(drv.event_flags.DISABLE_TIMING)
    event.record(stream)
    drv.Context.synchronize() if handle == 0 else event.synchronize()


def _order_unnamed(x: Any) -> None:
    """Wait for the producer of an interface that names no stream.

    Before version 3 the interface does not tell which stream works on the
    memory. If the producer has DLPack, that orders its stream before the
    current one; otherwise the host waits for the device.
    """
    if _is_capturing():
        return
    try:
        if _device()[0] == CUDA and hasattr(x, "__dlpack__"):
            _capsule(x, {"stream": _current_handle() or _LEGACY})
            return
    # the producer's DLPack failed, for instance for an unsupported dtype
    except (BufferError, RuntimeError):
        pass
    drv.Context.synchronize()


def _from_interface(x: Any, interface: Any) -> tuple[GPUArray, bool]:
    """Return the array of a CUDA array interface, and `_is_foreign` of it.

    Raises TypeError if an entry is wrong.  The entries are checked one by one
    only after something has failed.
    """
    try:
        return _described(x, interface)
    except BufferError:
        raise
    except Exception:
        _interface_check(interface)
        raise


def _described(x: Any, interface: dict[str, Any]) -> tuple[GPUArray, bool]:
    if interface.get("mask") is not None:
        raise BufferError("masked arrays are not supported")
    address, read_only = interface["data"]
    if read_only:
        raise BufferError("the memory is read-only")
    dtype = np.dtype(interface["typestr"])
    if dtype.kind == "V" and interface.get("descr"):
        dtype = np.dtype([tuple(row) for row in interface["descr"]])
    if dtype.hasobject:
        raise TypeError("device memory cannot hold Python objects")
    shape, strides = interface["shape"], interface.get("strides")
    is_empty = 0 in shape
    if not is_empty:
        _check_pointer(address)
    array = _wrap(address, shape, strides, dtype, x)
    is_far = _is_foreign(array)
    if is_empty or is_far:
        if interface.get("stream") is not None:
            # raises TypeError unless it is an integer
            operator.index(interface["stream"])
        # the caller copies foreign memory, and that copy waits for the device
        return array, is_far
    if interface.get("stream") is not None:
        _wait_for(interface["stream"])
    elif "stream" not in interface and interface.get("version", 0) < 3:
        _order_unnamed(x)
    return array, is_far


def _wrong_entry(name: str, wanted: str, found: Any) -> TypeError:
    return TypeError(
        f"{name} of __cuda_array_interface__ must be {wanted}, not {found!r}"
    )


def _interface_check(interface: Any) -> None:
    """Raise TypeError for the first wrong entry."""
    if not isinstance(interface, dict):
        raise TypeError(
            "__cuda_array_interface__ must be a dict, not "
            f"{type(interface).__name__}"
        )
    data = interface.get("data")
    pair = isinstance(data, tuple | list) and len(data) == 2
    address = operator.index(data[0] or 0) if pair and _counts(data[0]) else -1
    if not 0 <= address < 1 << 64:
        raise _wrong_entry("data", "(address of 64 bits, read_only)", data)
    _dtype_check(interface)
    shape = _numbers_check(interface, "shape")
    count = len(shape)
    if data[0] is None and 0 not in shape:
        raise _wrong_entry("data", "an address, as there are elements", data)
    if interface.get("strides") is not None:
        found = _numbers_check(interface, "strides")
        if len(found) != count:
            raise _wrong_entry(
                "strides", f"a tuple of {count} integers", found
            )
    for name in "stream", "version":
        if not _counts(interface.get(name)):
            raise _wrong_entry(name, "an integer", interface[name])


def _counts(value: Any) -> bool:
    """Return whether a value is None or an integer."""
    return value is None or hasattr(type(value), "__index__")


def _dtype_check(interface: dict[str, Any]) -> None:
    typestr, descr = interface.get("typestr"), interface.get("descr")
    try:
        dtype = np.dtype(typestr) if isinstance(typestr, str) else None
    except (TypeError, ValueError):
        dtype = None
    if dtype is None or dtype.hasobject:
        raise _wrong_entry("typestr", "a text such as '<f4'", typestr)
    if dtype.kind == "V" and descr:
        try:
            np.dtype([tuple(row) for row in descr])
        except (TypeError, ValueError):
            wanted = "rows of names and types"
            raise _wrong_entry("descr", wanted, descr) from None


def _numbers_check(interface: dict[str, Any], name: str) -> tuple[int, ...]:
    """Raise TypeError unless an entry is a tuple of integers, lengths >= 0."""
    found = interface.get(name)
    try:
        numbers = tuple(operator.index(n) for n in found)
    except TypeError:
        numbers = None
    if numbers is None or isinstance(found, str | bytes | bytearray):
        raise _wrong_entry(name, "a tuple of integers", found)
    if name == "shape" and min(numbers, default=0) < 0:
        raise _wrong_entry(name, "a tuple of lengths", found)
    return numbers


def _check_pointer(address: int) -> None:
    """Raise BufferError unless the address belongs to a device."""
    try:
        _driver._pointer_device(address)
    except drv.Error:
        raise BufferError(
            f"address {address:#x} is not the current device's memory"
        ) from None


def is_foreign(x: Any) -> bool:
    """Return whether `x` is a device array of another library."""
    if isinstance(x, _NOT_FOREIGN):
        return False
    if hasattr(x, "__cuda_array_interface__"):
        return True
    return (
        hasattr(x, "__dlpack_device__")
        and int(x.__dlpack_device__()[0]) == _device()[0]
    )


def borrow(x: Any, stream: drv.Stream | None = None) -> Any:
    """Wrap another library's array as a GPUArray, for kernels.

    The given stream, or the current one, waits for the producer.  Any other
    object is returned unchanged.  Raises BufferError if the memory belongs to
    another device.
    """
    if not is_foreign(x):
        return x
    if stream is None:
        return asarray(x, copy=False)
    with _driver._as_stream(stream).use():
        return asarray(x, copy=False)


def as_array(
    value: Any, dtype: npt.DTypeLike, stream: drv.Stream | None = None
) -> Any:
    """Wrap an array-like object's memory as GPUArray, else return `value`.

    `dtype` is used if the object has none.  The stream waits for the producer
    of another library's array.
    """
    if isinstance(value, _driver.ArrayBase):
        return value
    if not hasattr(value, "gpudata"):
        return borrow(value, stream)
    strides = getattr(value, "strides", None)
    order = "C"
    if strides is None:
        flags = value.flags
        if not flags.forc:
            raise RuntimeError(
                "kernels cannot deal with non-contiguous arrays that have no "
                "strides"
            )
        if not getattr(flags, "c_contiguous", True):
            order = "F"
    return _registry.GPUArray(
        value.shape if hasattr(value, "shape") else (value.size,),
        getattr(value, "dtype", dtype),
        getattr(value, "allocator", None) or drv.mem_alloc,
        order=order,
        base=value,
        gpudata=value.gpudata,
        strides=strides,
    )


def asarray(
    x: Any, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None
) -> GPUArray:
    """Convert `x` to an array, on its own memory if possible.

    Parameters
    ----------
    x
        A GPUArray; an object with ``__cuda_array_interface__`` or
        ``__dlpack__``; or anything that ``numpy.asarray`` takes.  Memory of
        the host, of another device or of another context is copied to the
        current one.
    dtype
        Dtype to convert to; default: the dtype of `x`.
    copy
        True: always copy.  False: raise ValueError if a copy is needed.

    Returns
    -------
    GPUArray
        `x` itself, a view of its memory, or a copy.

    Raises
    ------
    ValueError
        If ``copy=False`` and a copy is needed.
    BufferError
        If the memory is read-only, unless ``copy=True``.
    """
    is_ours = isinstance(x, _NOT_FOREIGN)
    interface = _NOTHING
    if not is_ours:
        interface = getattr(x, "__cuda_array_interface__", _NOTHING)
    if interface is not _NOTHING:
        array, is_far = _from_interface(x, interface)
    elif is_ours and isinstance(x, _driver.ArrayBase):
        array, is_far = x, _is_foreign(x)
    elif is_ours or not is_foreign(x):
        if copy is False:
            raise ValueError(
                "a copy is needed, and copy=False forbids it: the memory is "
                "the host's"
            )
        return upload(np.asarray(x, dtype))
    else:
        array, read_only = _from_producer(x)
        is_far = _is_foreign(array)
        if read_only and not copy:
            raise BufferError("the memory is read-only: ask for copy=True")
    converts = dtype is not None and array.dtype != np.dtype(dtype)
    if copy is False and (is_far or converts):
        reason = _refusal(array) if is_far else f"its dtype is {array.dtype}"
        raise ValueError(
            f"a copy is needed, and copy=False forbids it: {reason}"
        )
    if is_far:
        array, copy = _brought(array), None
    if converts:
        return array.astype(dtype)
    return array.copy() if copy else array


# What `to_gpu` copies.
_ARRAYS = (np.ndarray, _driver.ArrayBase)


def _source(ary: Any) -> GPUArray:
    """Convert another library's device array, or raise TypeError."""
    if not hasattr(ary, "__cuda_array_interface__"):
        raise TypeError(
            f"to_gpu expects a numpy array, not {type(ary).__name__}: make "
            "one with numpy.asarray()"
        )
    return asarray(ary)


def to_gpu(
    ary: np.ndarray | GPUArray, allocator: Callable[..., Any] = drv.mem_alloc
) -> GPUArray:
    """Copy a host or device array to the device, keeping its axis order."""
    source = ary if isinstance(ary, _ARRAYS) else _source(ary)
    return upload(source, allocator)


def to_gpu_async(
    ary: np.ndarray | GPUArray,
    allocator: Callable[..., Any] = drv.mem_alloc,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Copy a host or device array to the device, in stream order.

    The host memory must not change before the copy is done.  The copy is
    asynchronous only if that memory is page-locked.
    """
    source = ary if isinstance(ary, _ARRAYS) else _source(ary)
    return upload(source, allocator, True, stream)
