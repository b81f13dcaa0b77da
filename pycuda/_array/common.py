"""Argument checks and helpers of the functions of `pycuda.gpuarray`."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from pycuda import _driver
from pycuda._driver import (
    ArrayBase,
    FastCall,
    FastUfunc,
    PlannedMethod,
    _apply,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray

#: Type of a function that a decorator replaces by one with the same signature.
_Function = TypeVar("_Function", bound=Callable[..., Any])

HOST_ARRAY = (
    "a host array cannot be mixed with a GPUArray: move it to the device with "
    "gpuarray.to_gpu(), or fetch the GPUArray with .get()"
)


def fast_call(function: _Function) -> _Function:
    """Give `function` a fast path in C (`src/array/fast_call.c`)."""
    return fast_call_as(function.__name__)(function)


def fast_call_as(name: str) -> Callable[[_Function], _Function]:
    """Give a function the fast path that C knows by the name `name`."""
    return lambda function: cast(
        "_Function",
        functools.update_wrapper(FastCall(function, name), function),
    )


def planned(function: _Function, reduces: bool = False) -> _Function:
    """Let `function` replay launch plans if called with an array and an axis.

    The result is a method, too (`src/array/planned_method.c`).  With
    `reduces`, C also handles the reduction of all elements, by the kernels of
    the same name.
    """
    return cast(
        "_Function",
        functools.update_wrapper(
            PlannedMethod(function, function.__name__, reduces), function
        ),
    )


def short(
    name: str, inputs: int = 1, reduces: bool = False
) -> Callable[[_Function], _Function]:
    """Return a decorator: the function is the operation `name`.

    The operation has `inputs` arrays or numbers as operands.  Calls whose only
    other arguments are `out` and `stream` run in C (`src/array/fast_ufunc.c`).
    """
    return lambda function: cast(
        "_Function",
        functools.update_wrapper(
            FastUfunc(function, name, reduces, inputs), function
        ),
    )


def check_array(a: Any, name: str = "a") -> GPUArray:
    """Return `a` if it is an array on the device, else raise TypeError."""
    if isinstance(a, ArrayBase):
        return a  # type: ignore[return-value]
    if isinstance(a, np.ndarray) and a.ndim:
        raise TypeError(HOST_ARRAY)
    raise TypeError(f"{name} must be a GPUArray, not {type(a).__name__}")


def check_arrays(arrays: Any, what: str) -> list[GPUArray]:
    """Return the arrays of a sequence; `what` names the caller in errors."""
    if isinstance(arrays, ArrayBase):
        arrays = [arrays[k] for k in range(len(arrays))]
    found = [check_array(a, f"{what}: each operand") for a in arrays]
    if not found:
        raise ValueError(f"need at least one array to {what}")
    return found


def normal_axis(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front, or raise NumPy's AxisError."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim, "invalid axis")
    return axis % ndim


def make(
    model: GPUArray,
    shape: Sequence[int],
    dtype: npt.DTypeLike,
    allocator: Callable[..., Any] | None = None,
    strides: Sequence[int] | None = None,
    order: str = "C",
) -> GPUArray:
    """Create an array of the model's class and allocator.

    The class's `__init__`, which may have other parameters, is not called.
    """
    made = model.__class__.__new__(model.__class__)
    ArrayBase.__init__(
        made, shape, dtype, allocator or model.allocator, strides=strides,
        order=order,
    )  # fmt: skip
    return made


def apply(
    name: str,
    operands: tuple[Any, ...],
    out: Any = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Apply an operation to arrays and numbers; raise TypeError for others."""
    result = _apply(name, operands, out, None, stream)
    if result is NotImplemented:
        kinds = ", ".join(type(operand).__name__ for operand in operands)
        raise TypeError(f"{name} is for GPUArrays and numbers, not ({kinds})")
    return result


def using(stream: drv.Stream | None) -> AbstractContextManager[Any]:
    """Return a context manager that makes `stream` the current one."""
    if stream is None:
        return nullcontext()
    return _driver._as_stream(stream).use()


def flattened(a: GPUArray, stream: drv.Stream | None) -> GPUArray:
    """Return the elements as one axis in C order; a view if possible.

    A copy, if one is needed, is made on `stream`.
    """
    with using(stream):
        return a.reshape(a.size)


def copy_into(
    target: GPUArray, source: GPUArray, stream: drv.Stream | None
) -> None:
    """Run ``target[...] = source``, with a cast if the dtypes differ."""
    if source.dtype == target.dtype and source.shape == target.shape:
        target.set(source, True, stream)
    else:
        _apply("copy", (source,), target, None, stream)


def at_axis(axis: int, entry: Any) -> tuple[Any, ...]:
    """Return a key that applies `entry` to one axis."""
    return (slice(None),) * axis + (entry,)


def merged_axes(
    shape: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[list[int], list[list[int]]]:
    """Merge axes that run through the same elements; return at least one.

    Returns the lengths, and the strides of each operand in bytes.
    """
    lengths: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        here = [operand[axis] for operand in strides]
        if lengths and all(
            own[-1] == step * length
            for own, step in zip(steps, here, strict=True)
        ):
            lengths[-1] *= length
            for own, step in zip(steps, here, strict=True):
                own[-1] = step
            continue
        lengths.append(length)
        for own, step in zip(steps, here, strict=True):
            own.append(step)
    if not lengths:
        return [1], [[0] for _ in strides]
    return lengths, steps


def check_target(
    out: Any, shape: Sequence[int], dtype: np.dtype, casting: str = "same_kind"
) -> GPUArray:
    """Return `out` if it can hold a result of this shape and dtype."""
    out = check_array(out, "out")
    if tuple(out.shape) != tuple(shape):
        raise ValueError(
            f"out has shape {out.shape}, the result {tuple(shape)}"
        )
    if not np.can_cast(dtype, out.dtype, casting):
        raise TypeError(
            f"cannot cast the result from {dtype} to out's {out.dtype} with "
            f"casting rule '{casting}'"
        )
    return out


def finish(
    result: GPUArray, out: GPUArray | None, stream: drv.Stream | None
) -> GPUArray:
    """Return `result`, or `out` after its elements were copied there."""
    if out is None:
        return result
    copy_into(check_target(out, result.shape, result.dtype), result, stream)
    return out
