"""Mathematical functions of arrays, element by element.

Integers and bools are promoted as NumPy promotes them; arrays may have any
strides.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pycuda.gpuarray as _gpuarray
from pycuda import _driver
from pycuda._array.common import short
from pycuda._frexp import check_array as _check_array
from pycuda._frexp import frexp, ldexp, modf

if TYPE_CHECKING:
    from typing import Protocol

    import pycuda.driver as drv

    class _Unary(Protocol):
        def __call__(
            self,
            array: _driver.ArrayBase,
            stream_or_out: _gpuarray.GPUArray | drv.Stream | None = None,
            *,
            out: _gpuarray.GPUArray | None = None,
            stream: drv.Stream | None = None,
        ) -> _gpuarray.GPUArray: ...


__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos",
    "cosh", "exp", "exp2", "expm1", "fabs", "floor", "fmod", "frexp", "ldexp",
    "log", "log10", "log1p", "log2", "modf", "rint", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc",
]  # fmt: skip


def _make_unary(name: str, numpy_name: str) -> _Unary:
    """Return the function cumath.`name`, which NumPy calls `numpy_name`."""

    def function(
        array: Any,
        stream_or_out: Any = None,
        *,
        out: Any = None,
        stream: drv.Stream | None = None,
    ) -> Any:
        _check_array(name, array)
        if stream_or_out is not None:
            warnings.warn(
                f"the second positional argument of cumath.{name} is "
                "deprecated: name it out= or stream=",
                DeprecationWarning,
                stacklevel=2,
            )
            if isinstance(stream_or_out, _gpuarray.GPUArray):
                out = stream_or_out
            else:
                stream = stream_or_out
        return _driver._apply(numpy_name, (array,), out=out, stream=stream)

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"""`numpy.{numpy_name}` of every element.

    Parameters
    ----------
    array
        A GPUArray of any shape and strides.
    out
        GPUArray for the result, which is returned; default: a new one.
    stream
        Stream to run in.
    """
    return short(numpy_name)(function)


fabs: _Unary = _make_unary("fabs", "fabs")
ceil: _Unary = _make_unary("ceil", "ceil")
floor: _Unary = _make_unary("floor", "floor")
exp: _Unary = _make_unary("exp", "exp")
log: _Unary = _make_unary("log", "log")
log10: _Unary = _make_unary("log10", "log10")
sqrt: _Unary = _make_unary("sqrt", "sqrt")
sin: _Unary = _make_unary("sin", "sin")
cos: _Unary = _make_unary("cos", "cos")
tan: _Unary = _make_unary("tan", "tan")
asin: _Unary = _make_unary("asin", "arcsin")
acos: _Unary = _make_unary("acos", "arccos")
atan: _Unary = _make_unary("atan", "arctan")
sinh: _Unary = _make_unary("sinh", "sinh")
cosh: _Unary = _make_unary("cosh", "cosh")
tanh: _Unary = _make_unary("tanh", "tanh")

# Functions that the original PyCUDA lacks.
acosh: _Unary = _make_unary("acosh", "arccosh")
asinh: _Unary = _make_unary("asinh", "arcsinh")
atanh: _Unary = _make_unary("atanh", "arctanh")
cbrt: _Unary = _make_unary("cbrt", "cbrt")
exp2: _Unary = _make_unary("exp2", "exp2")
expm1: _Unary = _make_unary("expm1", "expm1")
log1p: _Unary = _make_unary("log1p", "log1p")
log2: _Unary = _make_unary("log2", "log2")
rint: _Unary = _make_unary("rint", "rint")
trunc: _Unary = _make_unary("trunc", "trunc")


@short("fmod", 2)
def fmod(
    arg: _gpuarray.GPUArray | float,
    mod: _gpuarray.GPUArray | float,
    stream: drv.Stream | None = None,
) -> _gpuarray.GPUArray:
    """Return the remainder of ``arg / mod`` with the sign of `arg`.

    See `numpy.fmod`.  One of the two may be a number.
    """
    if not isinstance(mod, _gpuarray.GPUArray):
        _check_array("fmod", arg)
    return _driver._apply("fmod", (arg, mod), stream=stream)
