"""Methods of NumPy's arrays that PyCUDA's GPUArray lacks."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array import (
    mathematics,
    products,
    reductions,
    selecting,
    shaping,
    sorting,
)
from pycuda._array.common import fast_call_as
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


class Methods:
    """Base of `pycuda.gpuarray.GPUArray` with NumPy's methods."""

    __slots__ = ()

    if TYPE_CHECKING:
        # Python iterates by __getitem__, but type checkers need __iter__.
        def __iter__(self) -> Iterator[GPUArray]: ...

    # -- operators

    def __divmod__(self, other: Any) -> tuple[GPUArray, GPUArray]:
        return _pair(self, other)

    def __rdivmod__(self, other: Any) -> tuple[GPUArray, GPUArray]:
        return _pair(other, self)

    @fast_call_as("matmul")
    def __matmul__(self, other: ArrayBase) -> GPUArray:
        return products.matmul(self, other) if _multiplies(other) else (
            NotImplemented
        )  # fmt: skip

    def __rmatmul__(self, other: ArrayBase) -> GPUArray:
        return products.matmul(other, self) if _multiplies(other) else (
            NotImplemented
        )  # fmt: skip

    def __imatmul__(self, other: ArrayBase) -> GPUArray:
        if not _multiplies(other):
            return NotImplemented
        return products.matmul(self, other, self)

    # -- conversion to Python numbers

    def item(self, *args: Any) -> Any:
        """Return one element as a Python number.

        Parameters
        ----------
        *args
            Nothing if there is only one element; an index in C order; or an
            index for each axis.

        Raises
        ------
        ValueError
            If no index is given for an array of several elements.
        IndexError
            If an index is out of range.
        """
        return _chosen(self, args).get().item()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        return self.get().tolist()  # type: ignore[attr-defined]

    def __int__(self) -> int:
        return int(_only(self))

    def __float__(self) -> float:
        return float(_only(self))

    def __complex__(self) -> complex:
        return complex(_only(self))

    def __index__(self) -> int:
        array: Any = self
        if array.ndim or array.dtype.kind not in "iu":
            raise TypeError(
                "only integer scalar arrays can be converted to a scalar index"
            )
        return operator.index(self.item())

    def __format__(self, form: str) -> str:
        """Format the element of an array without axes."""
        array: Any = self
        if array.ndim == 0 and form:
            return format(array.item(), form)
        return object.__format__(self, form)

    def __contains__(self, value: Any) -> bool:
        """Return whether any element equals `value`, which broadcasts."""
        array: Any = self
        found = array == value
        return (
            found if isinstance(found, bool) else bool(reductions.any(found))
        )

    # -- shape

    @property
    def mT(self) -> GPUArray:
        """The array with its last two axes exchanged, as a view."""
        return shaping.matrix_transpose(self)

    def flatten(self, order: str = "C") -> GPUArray:
        """Return a copy with one axis."""
        array: Any = self
        if order in ("A", "K"):
            order = "C" if array.flags.c_contiguous else "F"
        return array.copy(order).reshape(array.size, order=order)

    def swapaxes(self, axis1: int, axis2: int) -> GPUArray:
        """Return a view with two axes exchanged."""
        return shaping.swapaxes(self, axis1, axis2)

    def diagonal(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1
    ) -> GPUArray:
        """Return a diagonal; see `pycuda.gpuarray.diagonal`."""
        return shaping.diagonal(self, offset, axis1, axis2)

    def trace(
        self,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: npt.DTypeLike | None = None,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Return the sum of a diagonal; see `pycuda.gpuarray.trace`."""
        return products.trace(
            self, offset, axis1, axis2, dtype, out, stream=stream
        )

    def repeat(
        self,
        repeats: Any,
        axis: int | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Repeat elements; see `pycuda.gpuarray.repeat`."""
        return selecting.repeat(self, repeats, axis, stream=stream)

    # -- elements

    def nonzero(
        self, *, stream: drv.Stream | None = None
    ) -> tuple[GPUArray, ...]:
        """Find nonzero elements; see `pycuda.gpuarray.nonzero`."""
        return selecting.nonzero(self, stream=stream)

    @fast_call_as("take")
    def take(
        self,
        indices: Any,
        axis: int | None = None,
        out: GPUArray | None = None,
        mode: str = "raise",
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Return elements by index; see `pycuda.gpuarray.take`."""
        return selecting.take(self, indices, out, stream, axis=axis, mode=mode)

    def put(
        self,
        indices: Any,
        values: Any,
        mode: str = "raise",
        *,
        stream: drv.Stream | None = None,
    ) -> None:
        """Assign elements by index; see `pycuda.gpuarray.put`."""
        selecting.put(self, indices, values, mode, stream=stream)

    def choose(
        self,
        choices: Any,
        out: GPUArray | None = None,
        mode: str = "raise",
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Choose elements among arrays; see `pycuda.gpuarray.choose`."""
        return selecting.choose(self, choices, out, mode, stream=stream)

    def compress(
        self,
        condition: Any,
        axis: int | None = None,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Select by a condition; see `pycuda.gpuarray.compress`."""
        return selecting.compress(condition, self, axis, out, stream=stream)

    def sort(
        self,
        axis: int = -1,
        kind: str | None = None,
        order: Any = None,
        *,
        stable: bool | None = None,
        stream: drv.Stream | None = None,
    ) -> None:
        """Sort along an axis, in place; see `pycuda.gpuarray.sort`."""
        sorting.sort_in_place(self, axis, kind, order, stable, stream)

    def argsort(
        self,
        axis: int | None = -1,
        kind: str | None = None,
        order: Any = None,
        *,
        stable: bool | None = None,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Return the indices that sort; see `pycuda.gpuarray.argsort`."""
        return sorting.argsort(
            self, axis, kind, order, stable=stable, stream=stream
        )

    def searchsorted(
        self,
        v: Any,
        side: str = "left",
        sorter: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Find insertion points; see `pycuda.gpuarray.searchsorted`."""
        return sorting.searchsorted(self, v, side, sorter, stream=stream)

    def clip(
        self,
        min: Any = None,
        max: Any = None,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Limit the elements to bounds; see `pycuda.gpuarray.clip`."""
        return selecting.clip(self, min, max, out, stream=stream)

    def round(
        self,
        decimals: int = 0,
        out: GPUArray | None = None,
        *,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Round to a number of decimals; see `pycuda.gpuarray.round`."""
        return mathematics.round(self, decimals, out, stream=stream)


def _multiplies(other: Any) -> bool:
    """Return whether @ is supported; raise with advice for host arrays."""
    return isinstance(other, (ArrayBase, np.ndarray))


def _pair(left: Any, right: Any) -> Any:
    quotient = _apply("floor_divide", (left, right))
    if quotient is NotImplemented:
        return NotImplemented
    return quotient, _apply("remainder", (left, right))


def _only(array: Any) -> Any:
    """Return the value of an array that is used as a Python number."""
    if array.size != 1:
        raise TypeError(
            "only arrays of one element can be converted to Python scalars"
        )
    return array.item()


def _chosen(array: Any, args: tuple[Any, ...]) -> ArrayBase:
    """Return the element that the arguments of `item` select."""
    if len(args) == 1 and isinstance(args[0], tuple):
        args = args[0]
    if not args:
        if array.size != 1:
            raise ValueError(
                "can only convert an array of size 1 to a Python scalar"
            )
        return array.reshape(())
    places = [operator.index(k) for k in args]
    if len(places) == 1 and array.ndim != 1:
        (position,) = places
        if not -array.size <= position < array.size:
            raise IndexError(
                f"index {position} is out of bounds for size {array.size}"
            )
        places, rest = [], position % array.size
        for length in reversed(array.shape):
            places.insert(0, rest % length)
            rest //= length
    if len(places) != array.ndim:
        raise ValueError("incorrect number of indices for array")
    return array[tuple(places)]
