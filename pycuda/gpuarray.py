"""Arrays on the device with NumPy's interface.

`GPUArray` keeps shape, strides and dtype in C (`pycuda._driver.ArrayBase`):
indexing, operators, comparisons, copies and reductions run without a Python
frame.  This module adds the less frequent methods and the functions.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import pycuda.driver as drv
from pycuda._array.common import apply, make, usual
from pycuda._array.creation import (
    diag,
    eye,
    full,
    full_like,
    identity,
    linspace,
    meshgrid,
)
from pycuda._array.dispatch import dispatch, dispatch_ufunc
from pycuda._array.exchange import Exchange, asarray, from_dlpack
from pycuda._array.gather import multi_put, multi_take, multi_take_put
from pycuda._array.joining import (
    append,
    column_stack,
    concat,
    concatenate,
    dstack,
    hstack,
    stack,
    vstack,
)
from pycuda._array.legacy import Legacy
from pycuda._array.mathematics import (
    FUNCTIONS,
    imag,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    real,
)
from pycuda._array.mathematics import (
    divmod as divmod,
)
from pycuda._array.mathematics import (
    round as round,
)
from pycuda._array.mathematics import (
    weighted_sum as _weighted_sum,
)
from pycuda._array.methods import Methods
from pycuda._array.products import (
    inner,
    matmul,
    outer,
    tensordot,
    trace,
    vecdot,
)
from pycuda._array.reductions import (
    all,
    any,
    dot,
    max,
    min,
    subset_dot,
    subset_max,
    subset_min,
    subset_sum,
    sum,
)
from pycuda._array.scans import cumprod, cumsum
from pycuda._array.selecting import (
    argwhere,
    choose,
    clip,
    compress,
    extract,
    flatnonzero,
    nonzero,
    put,
    put_along_axis,
    take,
    take_along_axis,
    where,
)
from pycuda._array.sets import (
    isin,
    unique,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from pycuda._array.shaping import (
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_arrays,
    broadcast_to,
    diagonal,
    diff,
    expand_dims,
    flip,
    fliplr,
    flipud,
    hsplit,
    matrix_transpose,
    moveaxis,
    repeat,
    roll,
    split,
    squeeze,
    swapaxes,
    tile,
    tril,
    triu,
    unstack,
    vsplit,
)
from pycuda._array.sorting import argsort, searchsorted, sort
from pycuda._array.statistics import (
    Reductions,
    argmax,
    argmin,
    count_nonzero,
    mean,
    prod,
    ptp,
    std,
    var,
)
from pycuda._array.storage import load, save, savez
from pycuda._driver import ArrayBase, _apply, _set_array_class
from pycuda._kernels import factory as _factory
from pycuda._vector_types import NAMES, vec

__all__ = [
    "GPUArray",
    "all",
    "any",
    "append",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "array_split",
    "asarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "choose",
    "clip",
    "column_stack",
    "compress",
    "concat",
    "concatenate",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "diag",
    "diagonal",
    "diff",
    "dot",
    "dstack",
    "empty",
    "empty_like",
    "expand_dims",
    "extract",
    "eye",
    "flatnonzero",
    "flip",
    "fliplr",
    "flipud",
    "from_dlpack",
    "full",
    "full_like",
    "hsplit",
    "hstack",
    "identity",
    "if_positive",
    "imag",
    "inner",
    "isin",
    "linspace",
    "load",
    "logical_and",
    "logical_not",
    "logical_or",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "nonzero",
    "ones",
    "ones_like",
    "outer",
    "prod",
    "ptp",
    "put",
    "put_along_axis",
    "real",
    "repeat",
    "reshape",
    "roll",
    "save",
    "savez",
    "searchsorted",
    "sort",
    "splay",
    "split",
    "squeeze",
    "stack",
    "std",
    "subset_dot",
    "subset_max",
    "subset_min",
    "subset_sum",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tensordot",
    "tile",
    "to_gpu",
    "to_gpu_async",
    "trace",
    "transpose",
    "tril",
    "triu",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vec",
    "vecdot",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

# Some of these have the names of builtins, so `import *` excludes them.
globals().update(FUNCTIONS)
__all__ += sorted(name for name in FUNCTIONS if not hasattr(builtins, name))

# --- launch shapes -------------------------------------------------------


def splay(n: int, dev: drv.Device | None = None) -> tuple[tuple, tuple]:
    """Return grid and block for a grid-stride loop over n elements.

    Returns
    -------
    tuple
        ``((blocks, 1), (threads, 1, 1))``.
    """
    dev = dev or drv.Context.get_device()
    warp = dev.get_attribute(drv.device_attribute.WARP_SIZE)
    processors = dev.get_attribute(drv.device_attribute.MULTIPROCESSOR_COUNT)
    most_blocks, most_threads = 32 * processors, 128
    if n < warp:
        blocks, threads = 1, warp
    elif n < most_blocks * warp:
        blocks, threads = -(-n // warp), warp
    elif n < most_blocks * most_threads:
        warps = -(-n // warp)
        blocks, threads = most_blocks, -(-warps // most_blocks) * warp
    else:
        blocks, threads = most_blocks, most_threads
    return (blocks, 1), (threads, 1, 1)


# --- the array -----------------------------------------------------------


def _rebuild(cls: type, host: np.ndarray, state: dict | None) -> GPUArray:
    """Recreate an array from a pickle."""
    array = cls.__new__(cls)
    order = "F" if host.flags.f_contiguous and host.ndim > 1 else "C"
    if host.flags.c_contiguous:
        order = "C"
    ArrayBase.__init__(
        array, host.shape, host.dtype, strides=host.strides, order=order
    )
    array.set(host)
    if state:
        array.__dict__.update(state)
    return array


class GPUArray(ArrayBase, Reductions, Exchange, Methods, Legacy):
    """An n-dimensional array on the device.

    Parameters
    ----------
    shape : int or iterable of int
        Lengths of the axes.
    dtype : anything that numpy.dtype takes
        Dtype of the elements.
    allocator : callable, optional
        Takes a number of bytes, returns an object that is a device address.
    base : object, optional
        Owner of the memory of ``gpudata``.
    gpudata : optional
        Memory to use in place of new memory.
    strides : tuple of int, optional
        Bytes between elements.
    order : {"C", "F"}
        Order of the axes in memory, if no strides are given.
    """

    __array_priority__ = 100

    @property
    def _grid(self) -> tuple:
        return self.__dict__.get("_grid") or splay(self.size)[0]

    @_grid.setter
    def _grid(self, value: tuple) -> None:
        self.__dict__["_grid"] = value

    @property
    def _block(self) -> tuple:
        return self.__dict__.get("_block") or splay(self.size)[1]

    @_block.setter
    def _block(self, value: tuple) -> None:
        self.__dict__["_block"] = value

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError(
            "a GPUArray does not become a host array by itself: fetch it with "
            ".get(), or move host data to the device with gpuarray.to_gpu()"
        )

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        """Run NumPy's ufuncs on device arrays and scalars."""
        return dispatch_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self, func: Callable, types: Any, args: tuple, kwargs: dict
    ) -> Any:
        """Run NumPy's functions on device arrays."""
        return dispatch(func, args, kwargs)

    # -- elements

    @property
    def real(self) -> GPUArray:
        """The real part: self, or a new array if the dtype is complex."""
        if self.dtype.kind != "c":
            return self
        return _apply("real", (self,))

    @property
    def imag(self) -> GPUArray:
        """The imaginary part, as a new array."""
        if self.dtype.kind != "c":
            return zeros_like(self)
        return _apply("imag", (self,))

    def conj(self, out: GPUArray | None = None) -> GPUArray:
        """Complex conjugate; self if the dtype is real and out is None."""
        if self.dtype.kind != "c" and out is None:
            return self
        return _apply("conjugate", (self,), out)

    conjugate = conj

    def reverse(self, stream: drv.Stream | None = None) -> GPUArray:
        """Return the elements in reverse (C) order, in the same shape."""
        result = self._new_like_me()
        backwards = self[(slice(None, None, -1),) * self.ndim]
        result.set(backwards, True, stream)
        return result

    def mul_add(
        self,
        selffac: Any,
        other: GPUArray,
        otherfac: Any,
        add_timer: Callable | None = None,
        stream: drv.Stream | None = None,
        out: GPUArray | None = None,
    ) -> GPUArray:
        """Return ``selffac * self + otherfac * other``."""
        return _weighted_sum(self, selffac, other, otherfac, out, stream)

    # -- textures

    def bind_to_texref(
        self, texref: drv.TextureReference, allow_offset: bool = False
    ) -> float:
        """Bind the memory to a texture reference.

        Returns
        -------
        float
            Offset of the first element in elements.
        """
        offset = texref.set_address(self.gpudata, self.nbytes, allow_offset)
        return offset / self.itemsize

    def bind_to_texref_ext(
        self,
        texref: drv.TextureReference,
        channels: int = 1,
        allow_double_hack: bool = False,
        allow_complex_hack: bool = False,
        allow_offset: bool = False,
    ) -> float:
        """Bind the memory and set the format that the dtype needs.

        With a hack, doubles and complex numbers are read as pairs of 32-bit
        words.

        Returns
        -------
        float
            Offset of the first element in elements.
        """
        if not self.flags.forc:
            raise RuntimeError(
                "only contiguous arrays may be used as arguments to this "
                "operation"
            )
        dtype, as_integer = self.dtype, False
        if dtype.kind not in "iufc":
            raise TypeError(f"textures cannot hold dtype {dtype}")
        hacks = {
            np.dtype(np.float64): (allow_double_hack, np.int32, 2),
            np.dtype(np.complex64): (allow_complex_hack, np.int32, 2),
            np.dtype(np.complex128): (allow_complex_hack, np.int32, 4),
        }
        allowed, word, words = hacks.get(dtype, (False, None, 1))
        if allowed:
            if channels != 1:
                raise ValueError(
                    f"{dtype} takes all channels of a texture: channels must "
                    "be 1"
                )
            dtype, channels, as_integer = np.dtype(word), words, True
        elif words > 1:
            raise TypeError(
                f"textures cannot hold {dtype} unless allow_double_hack or "
                "allow_complex_hack is given"
            )
        texref.set_format(drv.dtype_to_array_format(dtype), channels)
        if as_integer or dtype.kind in "iu":
            texref.set_flags(texref.get_flags() | drv.TRSF_READ_AS_INTEGER)
        return self.bind_to_texref(texref, allow_offset)


_set_array_class(GPUArray)
empty = GPUArray


# --- creation ------------------------------------------------------------


def _packed_strides(host: np.ndarray) -> tuple[int, ...]:
    """Return strides of a contiguous copy with the same axis order."""
    axes = sorted(
        range(host.ndim), key=lambda axis: -builtins.abs(host.strides[axis])
    )
    strides, step = [0] * host.ndim, host.itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= builtins.max(host.shape[axis], 1)
    return tuple(strides)


def _to_gpu(
    ary: np.ndarray | GPUArray,
    allocator: Callable,
    asynchronous: bool,
    stream: drv.Stream | None,
) -> GPUArray:
    if not isinstance(ary, np.ndarray) and not isinstance(ary, ArrayBase):
        if not hasattr(ary, "__cuda_array_interface__"):
            raise TypeError(
                f"to_gpu takes a numpy array, not {type(ary).__name__}: make "
                "one with numpy.asarray()"
            )
        ary = asarray(ary)
    if ary.dtype.hasobject:
        raise TypeError(f"dtype {ary.dtype} holds Python objects")
    if ary.flags.c_contiguous:
        result = GPUArray(ary.shape, ary.dtype, allocator)
    elif ary.flags.f_contiguous:
        result = GPUArray(ary.shape, ary.dtype, allocator, order="F")
    else:
        result = GPUArray(
            ary.shape, ary.dtype, allocator, strides=_packed_strides(ary)
        )
    result.set(ary, asynchronous, stream)
    return result


def to_gpu(
    ary: np.ndarray | GPUArray, allocator: Callable = drv.mem_alloc
) -> GPUArray:
    """Copy a host or device array to the device, keeping its axis order."""
    return _to_gpu(ary, allocator, False, None)


def to_gpu_async(
    ary: np.ndarray | GPUArray,
    allocator: Callable = drv.mem_alloc,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Copy a host or device array to the device, in stream order.

    The host memory must not change before the copy is done.  The copy is
    asynchronous only if that memory is page-locked.
    """
    return _to_gpu(ary, allocator, True, stream)


@usual
def zeros(
    shape: Any,
    dtype: Any = np.float64,
    allocator: Callable = drv.mem_alloc,
    order: str = "C",
) -> GPUArray:
    """Create an array filled with zeros."""
    return _filled(GPUArray(shape, dtype, allocator, order=order), 0)


@usual
def ones(
    shape: Any,
    dtype: Any = np.float64,
    allocator: Callable = drv.mem_alloc,
    order: str = "C",
) -> GPUArray:
    """Create an array filled with ones."""
    return _filled(GPUArray(shape, dtype, allocator, order=order), 1)


def _filled(array: GPUArray, number: int) -> GPUArray:
    value = np.full((), number, array.dtype) if number else (
        np.zeros((), array.dtype)
    )  # fmt: skip
    return array.fill(value)


@usual
def empty_like(
    other_ary: GPUArray, dtype: Any = None, order: str = "K"
) -> GPUArray:
    """Create an uninitialised array of the shape of another one.

    Parameters
    ----------
    order : {"C", "F", "A", "K"}
        "A": "F" if the other is Fortran-contiguous only, else "C"; "K": the
        order that the other's axes have in memory.
    """
    if not isinstance(other_ary, ArrayBase):
        raise TypeError(
            f"a GPUArray is needed, not {type(other_ary).__name__}"
        )
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"Unsupported order: {order}")
    dtype = other_ary.dtype if dtype is None else np.dtype(dtype)
    flags = other_ary.flags
    strides = None
    if order == "A" or (order == "K" and flags.forc):
        order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    if order == "K":
        model = np.lib.stride_tricks.as_strided(
            np.empty(0, other_ary.dtype), other_ary.shape, other_ary.strides
        )
        strides = tuple(
            stride // other_ary.itemsize * dtype.itemsize
            for stride in _packed_strides(model)
        )
        order = "C"
    return make(
        other_ary, other_ary.shape, dtype, strides=strides, order=order
    )


@usual
def zeros_like(
    other_ary: GPUArray, dtype: Any = None, order: str = "K"
) -> GPUArray:
    """Create zeros in the shape of another array; see `empty_like`."""
    return _filled(empty_like(other_ary, dtype, order), 0)


@usual
def ones_like(
    other_ary: GPUArray, dtype: Any = None, order: str = "K"
) -> GPUArray:
    """Create ones in the shape of another array; see `empty_like`."""
    return _filled(empty_like(other_ary, dtype, order), 1)


_ARANGE_NAMES = ("start", "stop", "step", "dtype")


def _arange_arguments(args: tuple, kwargs: dict) -> dict[str, Any]:
    given = dict(kwargs)
    for name in given:
        if name not in _ARANGE_NAMES:
            raise ValueError(f"unexpected keyword argument '{name}'")
    values = list(args)
    found: dict[str, Any] = {}
    if values and isinstance(values[-1], np.dtype):
        found["dtype"] = values.pop()
    if len(values) > 3:
        raise ValueError("too many arguments")
    names = ("stop",) if len(values) == 1 else ("start", "stop", "step")
    found.update(zip(names, values, strict=False))
    for name, value in given.items():
        if found.get(name) is not None:
            raise ValueError(
                f"may not specify '{name}' by position and keyword"
            )
        found[name] = value
    if found.get("stop") is None:
        raise ValueError("arange needs a stop")
    return found


@usual
def arange(
    *args: Any, stream: drv.Stream | None = None, **kwargs: Any
) -> GPUArray:
    """Return evenly spaced numbers; of ([start,] stop[, step][, dtype]).

    Element i is ``start + i * step``; there are ``ceil((stop - start) /
    step)``.
    """
    found = _arange_arguments(args, kwargs)
    start, step = found.get("start"), found.get("step")
    start = 0 if start is None else start
    step = 1 if step is None else step
    dtype = found.get("dtype")
    if dtype is None:
        dtype = np.array([start, found["stop"], step]).dtype
        if dtype != np.float32:
            warnings.warn(
                "behavior change: arange guessed dtype other than float32. "
                "suggest specifying explicit dtype.",
                stacklevel=2,
            )
    dtype = np.dtype(dtype)
    if step == 0:
        raise ValueError("arange: step must not be 0")
    size = int(np.ceil((found["stop"] - start) / step))
    result = GPUArray((builtins.max(size, 0),), dtype)
    if result.size == 0:
        return result
    if result.size == 1:
        step = 1  # no step is taken, and 1 may have no value in the dtype
    if dtype.kind == "u" and step < 0:
        step = int(step) % 2 ** (8 * dtype.itemsize)
    numbers = (np.array(start, dtype)[()], np.array(step, dtype)[()])
    return _apply("arange", numbers, result, None, stream)


# --- shape ---------------------------------------------------------------


def reshape(a: GPUArray, *shape: Any, **kwargs: Any) -> GPUArray:
    """Return ``a.reshape(*shape)``."""
    return a.reshape(*shape, **kwargs)


def transpose(a: GPUArray, axes: Sequence[int] | None = None) -> GPUArray:
    """Return ``a.transpose(axes)``."""
    return a.transpose(axes)


# --- selection -----------------------------------------------------------


def _operand_shape(value: Any) -> tuple | None:
    return value.shape if isinstance(value, ArrayBase) else None


def if_positive(
    criterion: GPUArray,
    then_: Any,
    else_: Any,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Select elements of ``then_`` where criterion > 0, else ``else_``."""
    for value in (then_, else_):
        if _operand_shape(value) not in (None, criterion.shape):
            raise ValueError("shapes do not match")
    if (
        isinstance(then_, ArrayBase)
        and isinstance(else_, ArrayBase)
        and then_.dtype != else_.dtype
    ):
        raise ValueError("dtypes do not match")
    return apply("if_positive", (criterion, then_, else_), out, stream)


# --- for programs that use private names -------------------------------


def _get_common_dtype(obj1: Any, obj2: Any) -> np.dtype:
    """Return the dtype of ``obj1 + obj2`` by NumPy's promotion."""
    kinds = []
    for value in (obj1, obj2):
        if isinstance(value, (ArrayBase, np.ndarray, np.generic)):
            kinds.append(value.dtype)
        else:
            kinds.append(value)
    return np.result_type(*kinds)


def _compact_strides(a: GPUArray) -> tuple[int, ...]:
    """Return strides of a contiguous array with a's axis order."""
    model = np.lib.stride_tricks.as_strided(
        np.empty(0, a.dtype), a.shape, a.strides
    )
    return _packed_strides(model)


def _memcpy_discontig(
    dst: GPUArray | np.ndarray,
    src: GPUArray | np.ndarray,
    async_: bool = False,
    stream: drv.Stream | None = None,
) -> None:
    """Copy between arrays of one shape and dtype, in any layouts."""
    if dst.shape != src.shape:
        raise ValueError("src and dst must be same shape")
    if dst.dtype != src.dtype:
        raise TypeError("src and dst must have same dtype")
    if isinstance(dst, ArrayBase):
        dst.set(src, async_, stream)
    elif isinstance(src, ArrayBase):
        src.get(dst, False, async_, stream)
    else:
        dst[...] = src


def _register_vector_types() -> None:
    from pycuda.tools import get_or_register_dtype

    for name, dtype in NAMES.items():
        get_or_register_dtype(name, dtype)


_register_vector_types()
_factory.serve()

# Programs that import this module use these as attributes of pycuda.
import pycuda.cumath  # noqa: E402
import pycuda.curandom  # noqa: E402
import pycuda.elementwise as elementwise  # noqa: E402, F401
import pycuda.reduction  # noqa: E402, F401
