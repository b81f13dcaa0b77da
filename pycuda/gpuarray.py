"""Arrays on the device with NumPy's interface.

`GPUArray` keeps shape, strides and dtype in C (`pycuda._driver.ArrayBase`):
indexing, operators, comparisons, copies and reductions run without a Python
frame.  This module adds the less frequent methods and the functions.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
import pycuda.elementwise as elementwise
from pycuda import _driver, _histograms, _import_hooks, _registry
from pycuda._array.common import apply
from pycuda._array.constructors import (
    arange,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    packed_strides,
    zeros,
    zeros_like,
)
from pycuda._array.creation import (
    diag,
    eye,
    identity,
    linspace,
    meshgrid,
)
from pycuda._array.dispatch import dispatch, dispatch_ufunc
from pycuda._array.dispatch import provide as _provide
from pycuda._array.exchange import (
    Exchange,
    asarray,
    from_dlpack,
    to_gpu,
    to_gpu_async,
)
from pycuda._array.gather import multi_put, multi_take, multi_take_put
from pycuda._array.joining import (
    append,
    column_stack,
    concat,
    concatenate,
    diff,
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
    repeat,
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
    expand_dims,
    flip,
    fliplr,
    flipud,
    hsplit,
    matrix_transpose,
    moveaxis,
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
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase, _apply, _are_alike, _set_array_class
from pycuda._frexp import modf as _modf
from pycuda._frexp import numpy_frexp as _numpy_frexp
from pycuda._kernels import factory as _factory
from pycuda._vector_types import NAMES, vec
from pycuda.tools import get_or_register_dtype

if TYPE_CHECKING:
    # The functions that `FUNCTIONS` adds at run time.
    from pycuda._array.mathematics_table import *  # noqa: F403
    from pycuda._driver import _Shape

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

# `import *` excludes those FUNCTIONS that have the name of a builtin.
globals().update(FUNCTIONS)
__all__ += sorted(name for name in FUNCTIONS if not hasattr(builtins, name))

# --- launch shapes -------------------------------------------------------


def splay(
    n: int, dev: drv.Device | None = None
) -> tuple[tuple[int, int], tuple[int, int, int]]:
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


# --- sums of two arrays with weights -------------------------------------

# NumPy's type character -> C's type name and the suffix of the intrinsics.
_WEIGHTED = {"f": ("float", "f"), "d": ("double", "d")}
# Largest integer weight for the kernel: a double represents it exactly.
_MOST_WEIGHT = 1 << 53


@by_context
def _weighted_kernel(char: str) -> elementwise.ElementwiseKernel:
    """Compile ``z = a * x + b * y``, each step rounded as in NumPy."""
    name, letter = _WEIGHTED[char]
    product = f"__{letter}mul_rn"
    return elementwise.ElementwiseKernel(
        f"{name} *z, {name} *x, {name} a, {name} *y, {name} b",
        f"z[i] = __{letter}add_rn({product}(a, x[i]), {product}(b, y[i]))",
        name="weighted_sum",
    )


def _weighted_sum(
    x: GPUArray, a: Any, y: GPUArray, b: Any,
    out: GPUArray | None = None, stream: drv.Stream | None = None,
) -> GPUArray:  # fmt: skip
    """Return ``a * x + b * y``, by one kernel for contiguous arrays."""
    if (
        out is None
        and (type(a) is float or type(a) is int)
        and (type(b) is float or type(b) is int)
        and -_MOST_WEIGHT <= a <= _MOST_WEIGHT
        and -_MOST_WEIGHT <= b <= _MOST_WEIGHT
        and _are_alike(x, y)
        and (char := x.dtype.char) in _WEIGHTED
    ):
        out = x._new_like_me()
        _weighted_kernel(char)(out, x, a, y, b, stream=stream)
        return out
    left = _apply("multiply", (x, a), None, None, stream)
    right = _apply("multiply", (y, b), None, None, stream)
    return _apply("add", (left, right), out, None, stream)


# --- the array -----------------------------------------------------------


def _rebuild(
    cls: type, host: np.ndarray, state: dict[str, Any] | None
) -> GPUArray:
    """Recreate an array from a pickle.

    If the thread has no current context but the process has exactly one, the
    array is created in that context.
    """
    if drv.Context.get_current() is None:
        contexts = _driver._contexts()
        if len(contexts) == 1:
            with contexts[0]:
                return _rebuild(cls, host, state)
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
    def _grid(self) -> tuple[Any, ...]:
        return self.__dict__.get("_grid") or splay(self.size)[0]

    @_grid.setter
    def _grid(self, value: tuple[Any, ...]) -> None:
        self.__dict__["_grid"] = value

    @property
    def _block(self) -> tuple[Any, ...]:
        return self.__dict__.get("_block") or splay(self.size)[1]

    @_block.setter
    def _block(self, value: tuple[Any, ...]) -> None:
        self.__dict__["_block"] = value

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError(
            "a GPUArray is not converted to a host array implicitly: fetch "
            "it with .get(), or move host data to the device with "
            "gpuarray.to_gpu()"
        )

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        """Run NumPy's ufuncs on device arrays and scalars."""
        return dispatch_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...],
        kwargs: dict[Any, Any],
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
        add_timer: Callable[..., Any] | None = None,
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
            Offset of the array's first element from the bound address,
            counted in elements.
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

        With ``allow_double_hack`` or ``allow_complex_hack``, doubles or
        complex numbers are read as groups of 32-bit words.

        Returns
        -------
        float
            Offset of the array's first element from the bound address,
            counted in elements.

        Raises
        ------
        RuntimeError
            If the array has gaps.
        TypeError
            If textures cannot hold the dtype, or only with one of the hacks.
        ValueError
            If `channels` is not 1 and a hack uses the channels.
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
_registry.GPUArray = GPUArray
empty = GPUArray


# --- shape ---------------------------------------------------------------


def reshape(a: GPUArray, *shape: _Shape, **kwargs: Any) -> GPUArray:
    """Return ``a.reshape(*shape)``."""
    return a.reshape(*shape, **kwargs)


def transpose(a: GPUArray, axes: Sequence[int] | None = None) -> GPUArray:
    """Return ``a.transpose(axes)``."""
    return a.transpose(axes)


# --- selection -----------------------------------------------------------


def _operand_shape(value: Any) -> tuple[Any, ...] | None:
    return value.shape if isinstance(value, ArrayBase) else None


def if_positive(
    criterion: GPUArray,
    then_: Any,
    else_: Any,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Select elements of ``then_`` where criterion > 0, else ``else_``.

    Raises
    ------
    ValueError
        If the shapes differ, or the dtypes of ``then_`` and ``else_``.
    """
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


# --- private names that programs use -----------------------------------


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
    return packed_strides(model)


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
    for name, dtype in NAMES.items():
        get_or_register_dtype(name, dtype)


_register_vector_types()
_factory.serve()
_provide(
    globals(),
    {"divmod": divmod, "modf": _modf, "frexp": _numpy_frexp},
    _histograms.FUNCTIONS,
)
_import_hooks.install()
