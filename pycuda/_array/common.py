"""What the functions of `pycuda.gpuarray` check and make alike."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._driver import (
    ArrayBase,
    PlannedMethod,
    Shortcut,
    UsualCall,
    _apply,
)

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray

HOST_ARRAY = (
    "a host array cannot be mixed with a GPUArray: move it to the device with "
    "gpuarray.to_gpu(), or fetch the GPUArray with .get()"
)


def usual(function: Callable) -> Callable:
    """`function`, whose usual call is made in C (`src/array/usual.c`)."""
    return usual_as(function.__name__)(function)


def usual_as(name: str) -> Callable[[Callable], Callable]:
    """The same for a function that C knows by another name."""
    return lambda function: functools.update_wrapper(
        UsualCall(function, name), function
    )


def planned(function: Callable, reduces: bool = False) -> Callable:
    """`function`, repeated in C where an array and an axis is all it gets.

    It is a method, too (`src/array/planned.c`).  If it `reduces` as the
    kernels of its name do, all elements need no Python either.
    """
    return functools.update_wrapper(
        PlannedMethod(function, function.__name__, reduces), function
    )


def short(
    name: str, inputs: int = 1, reduces: bool = False
) -> Callable[[Callable], Callable]:
    """A function that is the operation `name` of so many arrays or numbers.

    In C where it gets nothing besides but `out` and `stream`
    (`src/array/shortcut.c`).
    """
    return lambda function: functools.update_wrapper(
        Shortcut(function, name, reduces, inputs), function
    )


def check_array(a: Any, name: str = "a") -> GPUArray:
    """`a`, if it is an array on the device; else TypeError."""
    if isinstance(a, ArrayBase):
        return a  # type: ignore[return-value]
    if isinstance(a, np.ndarray) and a.ndim:
        raise TypeError(HOST_ARRAY)
    raise TypeError(f"{name} must be a GPUArray, not {type(a).__name__}")


def check_arrays(arrays: Any, what: str) -> list[GPUArray]:
    """The arrays of a sequence of some; `what` names who needs it."""
    if isinstance(arrays, ArrayBase):
        arrays = [arrays[k] for k in range(len(arrays))]
    found = [check_array(a, f"{what}: each operand") for a in arrays]
    if not found:
        raise ValueError(f"need at least one array to {what}")
    return found


def normal_axis(axis: Any, ndim: int) -> int:
    """An axis counted from the front; numpy's AxisError if there is none."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim, "invalid axis")
    return axis % ndim


def make(
    model: GPUArray,
    shape: Sequence[int],
    dtype: Any,
    allocator: Callable | None = None,
    strides: Sequence[int] | None = None,
    order: str = "C",
) -> GPUArray:
    """A new array of the model's class and allocator.

    The class's own __init__, which may take what it will, is not called.
    """
    made = model.__class__.__new__(model.__class__)
    ArrayBase.__init__(
        made, shape, dtype, allocator or model.allocator, strides=strides,
        order=order,
    )  # fmt: skip
    return made


def apply(
    name: str, operands: tuple, out: Any = None, stream: Any = None
) -> GPUArray:
    """An operation on arrays and numbers; TypeError for anything else."""
    result = _apply(name, operands, out, None, stream)
    if result is NotImplemented:
        kinds = ", ".join(type(operand).__name__ for operand in operands)
        raise TypeError(f"{name} is for GPUArrays and numbers, not ({kinds})")
    return result


def using(stream: drv.Stream | None) -> AbstractContextManager[Any]:
    """A block in which all calls go to a stream; None: to the current one."""
    if stream is None:
        return nullcontext()
    if not hasattr(stream, "use"):
        raise TypeError(
            "stream must be a pycuda.driver.Stream or None, not "
            f"{type(stream).__name__}"
        )
    return stream.use()


def flattened(a: GPUArray, stream: drv.Stream | None) -> GPUArray:
    """One axis in C order; a view where strides can say it.

    A copy, if there must be one, is made on a stream.
    """
    with using(stream):
        return a.reshape(a.size)


def copy_into(
    target: GPUArray, source: GPUArray, stream: drv.Stream | None
) -> None:
    """``target[...] = source``, with a cast where it is needed."""
    if source.dtype == target.dtype and source.shape == target.shape:
        target.set(source, True, stream)
    else:
        _apply("copy", (source,), target, None, stream)


def at_axis(axis: int, entry: Any) -> tuple[Any, ...]:
    """A key that takes `entry` of one axis and all of those before."""
    return (slice(None),) * axis + (entry,)


def merged_axes(
    shape: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[list[int], list[list[int]]]:
    """Fewer axes that run through the same elements; at least one.

    Returns their lengths, and the steps of each operand in bytes.
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
    """`out`, if a result of this shape and dtype can go there."""
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
    """`result`, or `out` with its elements."""
    if out is None:
        return result
    copy_into(check_target(out, result.shape, result.dtype), result, stream)
    return out
