"""The CUDA driver API as objects, with PyCUDA's names.

Most of it is compiled (:mod:`pycuda._driver`); this module has the functions
that need no speed.  Importing it loads no driver library: the first call that
needs one does.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda import _driver, _environment, _registry
from pycuda._driver import *  # noqa: F403

# isort: off
from pycuda._driver import (
    Array as Array,
    ArrayDescriptor as ArrayDescriptor,
    ArrayDescriptor3D as ArrayDescriptor3D,
    Device as Device,
    DeviceAllocation as DeviceAllocation,
    Error as Error,
    Memcpy2D as Memcpy2D,
    Memcpy3D as Memcpy3D,
    TextureReference as TextureReference,
    address_mode as address_mode,
    aligned_empty as aligned_empty,
    array3d_flags as array3d_flags,
    array_format as array_format,
    device_attribute as device_attribute,
    filter_mode as filter_mode,
    managed_empty as managed_empty,
    mem_alloc as mem_alloc,
    memcpy_dtoh as memcpy_dtoh,
    memcpy_htod as memcpy_htod,
    pagelocked_empty as pagelocked_empty,
)

# isort: on
# `import *` does not import names that are also Python's.
from pycuda._driver import MemoryError as MemoryError
from pycuda._driver import RuntimeError as RuntimeError
from pycuda._graphed import graphed as graphed

if TYPE_CHECKING:
    import numpy.typing as npt

    from pycuda._driver import (
        _AlignedArray,
        _ManagedArray,
        _PagelockedArray,
        _Shape,
    )
    from pycuda.compiler import SourceModule as SourceModule


_environment.warn_of_misspelt()

# Names of the original PyCUDA that `import *` does not import from _driver.
HostAllocation = _driver.PagelockedHostAllocation
ManagedAllocationOrStub = _driver.ManagedAllocation

TRSA_OVERRIDE_FORMAT = 1
TRSF_READ_AS_INTEGER = 1
TRSF_NORMALIZED_COORDINATES = 2
TR_DEFAULT = -1

CUDA_DEBUGGING = False


class CompileError(Error):
    """The compiler refused a source.

    Parameters
    ----------
    msg : str
        Description of the failure.
    command_line : list of str
        The compiler's command or options.
    stdout, stderr : str, optional
        The compiler's output.
    """

    def __init__(
        self,
        msg: str,
        command_line: Sequence[str] | None = None,
        stdout: str | None = None,
        stderr: str | None = None,
    ) -> None:
        super().__init__(msg, command_line, stdout, stderr)
        self.msg = msg
        self.command_line = command_line
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self) -> str:
        text = str(self.msg)
        for name, output in (("stderr", self.stderr), ("stdout", self.stdout)):
            if output:
                text += f"\n[{name}:\n{output}]"
        if self.command_line:
            text += f"\n[command: {' '.join(self.command_line)}]"
        return text


def set_debugging(flag: bool = True) -> None:
    """Make later compilations produce debug code, without the cache.

    Parameters
    ----------
    flag : bool
        Whether kernels are compiled with ``-g -G``.
    """
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = flag


_NEWER_ATTRIBUTES = frozenset(
    member
    for member in device_attribute.values.values()
    if member > device_attribute.MEMORY_POOLS_SUPPORTED
)


def _device_get_attributes(self: Device) -> dict[Any, Any]:
    """Return all attributes that the device supports."""
    result = {}
    for name, attribute in device_attribute.names.items():
        try:
            result[attribute] = self.get_attribute(attribute)
        except Error as reason:
            if attribute in _NEWER_ATTRIBUTES:
                continue  # An older driver may not have the attribute.
            warnings.warn(
                f"the device attribute {name} could not be read: {reason}",
                UserWarning,
                stacklevel=2,
            )
    return result


Device.get_attributes = _device_get_attributes


# -- device memory


def mem_alloc_like(ary: Any) -> DeviceAllocation:
    """Allocate as many bytes on the device as ``ary`` has.

    Raises
    ------
    MemoryError
        If the device has too little free memory.
    """
    return mem_alloc(ary.nbytes)


def to_device(bf_obj: Any) -> DeviceAllocation:
    """Copy a buffer to newly allocated device memory, in C order.

    Parameters
    ----------
    bf_obj
        Object with Python's buffer interface, of any strides.

    Returns
    -------
    DeviceAllocation
        Owns the memory.

    Raises
    ------
    MemoryError
        If the device has too little free memory.
    TypeError
        If the buffer holds Python objects.
    """
    view = memoryview(bf_obj)
    if "O" in view.format:
        raise TypeError(
            f"to_device: the {type(bf_obj).__name__} of format "
            f"{view.format!r} holds pointers to Python objects, which cannot "
            "be copied to the device"
        )
    data = view.tobytes()
    result = mem_alloc(len(data))
    memcpy_htod(result, data)
    return result


def from_device(
    devptr: Any, shape: _Shape, dtype: npt.DTypeLike, order: str = "C"
) -> np.ndarray:
    """Copy device memory into a new array.

    Parameters
    ----------
    devptr
        Address in device memory, or an allocation.
    shape, dtype
        Shape and dtype of the new array.
    order : {"C", "F"}
        Order of the elements in memory.

    Returns
    -------
    ndarray
        The copy, complete on return.
    """
    result = np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr: Any, other_ary: np.ndarray) -> np.ndarray:
    """Copy device memory into a new array like `other_ary`.

    Parameters
    ----------
    devptr
        Address in device memory, or an allocation.
    other_ary : ndarray
        Its shape and dtype determine how much is copied.

    Returns
    -------
    ndarray
        The copy, complete on return.
    """
    result = np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


# -- host memory


def _order_of(ary: np.ndarray) -> str:
    if ary.flags.c_contiguous:
        return "C"
    if ary.flags.f_contiguous:
        return "F"
    raise ValueError("could not detect array order: it is not contiguous")


def pagelocked_zeros(
    shape: _Shape, dtype: npt.DTypeLike, order: str = "C", mem_flags: int = 0
) -> _PagelockedArray:
    """Return page-locked zeros; see :func:`pagelocked_empty`."""
    result = pagelocked_empty(shape, dtype, order, mem_flags)
    result.fill(0)
    return result


def pagelocked_empty_like(
    array: np.ndarray, mem_flags: int = 0
) -> _PagelockedArray:
    """Return a page-locked array of the shape, dtype and order of `array`."""
    return pagelocked_empty(
        array.shape, array.dtype, _order_of(array), mem_flags
    )


def pagelocked_zeros_like(
    array: np.ndarray, mem_flags: int = 0
) -> _PagelockedArray:
    """Return page-locked zeros of the shape, dtype and order of `array`."""
    result = pagelocked_empty_like(array, mem_flags)
    result.fill(0)
    return result


def aligned_zeros(
    shape: _Shape,
    dtype: npt.DTypeLike,
    order: str = "C",
    alignment: int = 4096,
) -> _AlignedArray:
    """Return zeros at an address that is a multiple of `alignment` bytes."""
    result = aligned_empty(shape, dtype, order, alignment)
    result.fill(0)
    return result


def aligned_empty_like(
    array: np.ndarray, alignment: int = 4096
) -> _AlignedArray:
    """Return an aligned array of the shape, dtype and order of `array`."""
    return aligned_empty(array.shape, array.dtype, _order_of(array), alignment)


def aligned_zeros_like(
    array: np.ndarray, alignment: int = 4096
) -> _AlignedArray:
    """Return aligned zeros of the shape, dtype and order of `array`."""
    result = aligned_empty_like(array, alignment)
    result.fill(0)
    return result


def managed_zeros(
    shape: _Shape, dtype: npt.DTypeLike, order: str = "C", mem_flags: int = 0
) -> _ManagedArray:
    """Return zeros in memory that host and device share.

    See :func:`managed_empty` for the parameters.
    """
    result = managed_empty(shape, dtype, order, mem_flags)
    result.fill(0)
    return result


def managed_empty_like(array: np.ndarray, mem_flags: int = 0) -> _ManagedArray:
    """Return a managed array of the shape, dtype and order of `array`."""
    return managed_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def managed_zeros_like(array: np.ndarray, mem_flags: int = 0) -> _ManagedArray:
    """Return managed zeros of the shape, dtype and order of `array`."""
    result = managed_empty_like(array, mem_flags)
    result.fill(0)
    return result


# -- arrays and textures

_ARRAY_FORMATS = {
    np.dtype(np.uint8): array_format.UNSIGNED_INT8,
    np.dtype(np.uint16): array_format.UNSIGNED_INT16,
    np.dtype(np.uint32): array_format.UNSIGNED_INT32,
    np.dtype(np.int8): array_format.SIGNED_INT8,
    np.dtype(np.int16): array_format.SIGNED_INT16,
    np.dtype(np.int32): array_format.SIGNED_INT32,
    np.dtype(np.float16): array_format.HALF,
    np.dtype(np.float32): array_format.FLOAT,
}


def dtype_to_array_format(dtype: npt.DTypeLike) -> array_format:
    """Return the array_format of a dtype.

    Raises
    ------
    TypeError
        If no array format has such elements.
    """
    try:
        return _ARRAY_FORMATS[np.dtype(dtype)]
    except KeyError:
        raise TypeError(
            f"cannot convert dtype '{np.dtype(dtype)}' to array format"
        ) from None


# Dtypes that CUDA arrays store as several 32-bit integers.
_SPLIT_CHANNELS = {
    np.dtype(np.float64): 2,
    np.dtype(np.complex64): 2,
    np.dtype(np.complex128): 4,
}


def _format_and_channels(dtype: np.dtype, split: bool) -> tuple[Any, int]:
    if split and dtype in _SPLIT_CHANNELS:
        return array_format.SIGNED_INT32, _SPLIT_CHANNELS[dtype]
    return dtype_to_array_format(dtype), 1


def matrix_to_array(
    matrix: np.ndarray, order: str, allow_double_hack: bool = False
) -> Array:
    """Copy a matrix into a new CUDA array.

    Parameters
    ----------
    matrix : ndarray, shape (height, width)
        float64 only with ``allow_double_hack``, as two int32 channels.
    order : {"C", "F"}
        "C": the array's x axis runs along a row; "F": down a column.
    allow_double_hack : bool
        Whether float64 is accepted.

    Returns
    -------
    Array
        The new CUDA array.

    Raises
    ------
    ValueError
        If `matrix` has another number of axes than 2.
    LogicError
        If `order` is neither "C" nor "F".
    """
    if matrix.ndim != 2:
        raise ValueError(
            f"a matrix has 2 dimensions, not {matrix.ndim}: np_to_array and "
            "make_multichannel_2d_array take arrays of 3"
        )
    if order.upper() == "C":
        height, width = matrix.shape
        matrix = np.ascontiguousarray(matrix)
    elif order.upper() == "F":
        width, height = matrix.shape
        matrix = np.asfortranarray(matrix)
    else:
        raise _driver.LogicError("order must be either F or C")
    split = allow_double_hack and matrix.dtype == np.float64
    descriptor = ArrayDescriptor()
    descriptor.width = width
    descriptor.height = height
    descriptor.format, descriptor.num_channels = _format_and_channels(
        matrix.dtype, split
    )
    array = Array(descriptor)
    copy = Memcpy2D()
    copy.set_src_host(matrix)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = width * matrix.itemsize
    copy.height = height
    copy(aligned=True)
    return array


def _array_for(
    shape: tuple[int, ...], dtype: np.dtype, order: str, surface: bool
) -> tuple[Array, tuple[int, int, int]]:
    """Return a new CUDA array and its (width, height, depth)."""
    if order not in ("C", "F"):
        raise _driver.LogicError("order must be either F or C")
    if len(shape) not in (2, 3):
        raise _driver.LogicError("CUDA arrays have two or three dimensions")
    lengths = tuple(reversed(shape)) if order == "C" else tuple(shape)
    width, height = lengths[:2]
    depth = lengths[2] if len(lengths) == 3 else 0
    descriptor = ArrayDescriptor3D()
    descriptor.width = width
    descriptor.height = height
    descriptor.depth = depth
    descriptor.format, descriptor.num_channels = _format_and_channels(
        dtype, True
    )
    if surface:
        descriptor.flags = array3d_flags.SURFACE_LDST
        if depth == 0:
            descriptor.flags |= array3d_flags.ARRAY3D_LAYERED
            descriptor.depth = 1
    return Array(descriptor), (width, height, max(depth, 1))


def _fill_array(
    source: Any,
    set_source: Callable[[Memcpy3D, Any], None],
    order: str,
    surface: bool,
) -> Array:
    array, (width, height, depth) = _array_for(
        source.shape, source.dtype, order, surface
    )
    copy = Memcpy3D()
    set_source(copy, source)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = width * source.dtype.itemsize
    copy.src_height = copy.height = height
    copy.depth = depth
    copy()
    return array


def np_to_array(
    nparray: np.ndarray, order: str, allowSurfaceBind: bool = False
) -> Array:
    """Copy a 2-D or 3-D array into a new CUDA array.

    Parameters
    ----------
    nparray : ndarray
        float64 and complex64 become two int32 channels, complex128 four.
    order : {"C", "F"}
        The axis that becomes x: the last ("C") or the first ("F").
    allowSurfaceBind : bool
        Whether a SurfaceReference may be bound to it.

    Returns
    -------
    Array
        The new CUDA array.
    """
    if order == "C":
        nparray = np.ascontiguousarray(nparray)
    elif order == "F":
        nparray = np.asfortranarray(nparray)
    return _fill_array(
        nparray,
        lambda copy, source: copy.set_src_host(source),
        order,
        allowSurfaceBind,
    )


def gpuarray_to_array(
    gpuarray: Any, order: str, allowSurfaceBind: bool = False
) -> Array:
    """Copy a GPUArray into a new CUDA array; see :func:`np_to_array`.

    Raises
    ------
    TypeError
        If `gpuarray` is no GPUArray.
    """
    if not isinstance(gpuarray, _driver.ArrayBase):
        raise TypeError(
            f"expected a GPUArray, not {type(gpuarray).__name__}; "
            "np_to_array takes arrays of NumPy"
        )
    flags = gpuarray.flags
    contiguous = {"C": flags.c_contiguous, "F": flags.f_contiguous}
    if not contiguous.get(order, True):
        gpuarray = gpuarray.copy(order)
    return _fill_array(
        gpuarray,
        lambda copy, source: copy.set_src_device(source.gpudata),
        order,
        allowSurfaceBind,
    )


def make_multichannel_2d_array(ndarray: np.ndarray, order: str) -> Array:
    """Copy an array of several channels into a new CUDA array.

    Parameters
    ----------
    ndarray : ndarray
        Shape (height, width, channels) with order "C", (channels, width,
        height) with order "F".
    order : {"C", "F"}
        Order of the axes.

    Returns
    -------
    Array
        The new CUDA array.

    Raises
    ------
    LogicError
        If `order` is neither "C" nor "F".
    """
    if order.upper() == "C":
        height, width, channels = ndarray.shape
        ndarray = np.ascontiguousarray(ndarray)
    elif order.upper() == "F":
        channels, width, height = ndarray.shape
        ndarray = np.asfortranarray(ndarray)
    else:
        raise _driver.LogicError("order must be either F or C")
    descriptor = ArrayDescriptor()
    descriptor.width = width
    descriptor.height = height
    descriptor.format = dtype_to_array_format(ndarray.dtype)
    descriptor.num_channels = channels
    array = Array(descriptor)
    copy = Memcpy2D()
    copy.set_src_host(ndarray)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = width * channels * ndarray.itemsize
    copy.height = height
    copy(aligned=True)
    return array


def bind_array_to_texref(ary: Array, texref: TextureReference) -> None:
    """Bind an array, with clamped coordinates and no interpolation."""
    texref.set_array(ary)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_address_mode(1, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(
    matrix: np.ndarray, texref: TextureReference, order: str
) -> None:
    """Copy a matrix into a new CUDA array and bind it to `texref`."""
    bind_array_to_texref(matrix_to_array(matrix, order), texref)


def get_curand_version() -> tuple[int, int, int]:
    """Return the version of cuRAND whose generators this package has."""
    return (10, 40, 0)


# hidden from type checkers: with __getattr__ they accept every name
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Look up names that programs from before 2010 expect here."""
        if name != "SourceModule":
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}"
            )
        warnings.warn(
            "pycuda.driver.SourceModule is deprecated: it is in "
            "pycuda.compiler",
            DeprecationWarning,
            stacklevel=2,
        )
        return _registry.SourceModule
