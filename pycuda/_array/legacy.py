"""Private methods of PyCUDA's GPUArray that existing programs call."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


def _named(operation: str) -> Callable[..., Any]:
    def method(
        self: Any,
        other: Any,
        out: GPUArray | None,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        return _apply(operation, (self, other), out, None, stream)

    method.__doc__ = f"`numpy.{operation}` of self and other, into out."
    return method


class Legacy:
    """Base of `pycuda.gpuarray.GPUArray` with old and private methods."""

    __div__: Any = ArrayBase.__truediv__
    __rdiv__: Any = ArrayBase.__rtruediv__
    __idiv__: Any = ArrayBase.__itruediv__

    _elwise_multiply = _named("multiply")
    _div = _named("true_divide")

    def _axpbyz(
        self,
        selffac: Any,
        other: GPUArray,
        otherfac: Any,
        out: GPUArray | None,
        add_timer: Callable[..., Any] | None = None,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Compute ``selffac * self + otherfac * other`` into `out`."""
        return self.mul_add(  # type: ignore[attr-defined]
            selffac, other, otherfac, add_timer, stream, out
        )

    def _axpbz(
        self,
        selffac: Any,
        other: Any,
        out: GPUArray | None,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Compute ``selffac * self + other``; `other` is a number."""
        left = _apply("multiply", (self, selffac), None, None, stream)
        return _apply("add", (left, other), out, None, stream)

    def _rdiv_scalar(
        self,
        other: Any,
        out: GPUArray | None,
        stream: drv.Stream | None = None,
    ) -> GPUArray:
        """Compute ``other / self`` into `out`; `other` is a number."""
        return _apply("true_divide", (other, self), out, None, stream)

    def _pow(self, other: Any, new: bool) -> GPUArray:
        """Compute ``self ** other``, into a new array or into self."""
        return _apply("power", (self, other), None if new else self)
