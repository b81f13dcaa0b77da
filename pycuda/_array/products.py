"""Products of matrices and vectors, for `pycuda.gpuarray`."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.axes import Log, reduce_axes
from pycuda._array.common import (
    apply,
    check_array,
    check_target,
    copy_into,
    fast_call,
    flattened,
    make,
    normal_axis,
    using,
)
from pycuda._array.layout import is_misaligned, overlap
from pycuda._array.matrices import Matrices, multiply
from pycuda._array.shaping import broadcast_to, diagonal, moveaxis
from pycuda._array.statistics import Reductions
from pycuda._driver import ArrayBase, _apply
from pycuda._kernels.operations import c_type

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


# --- matmul --------------------------------------------------------------


@functools.cache
def _result_type(a: np.dtype, b: np.dtype) -> np.dtype:
    found = np.matmul.resolve_dtypes((a, b, None))[-1]
    c_type(found)
    return found


def _joined(a: GPUArray, b: GPUArray) -> tuple[int, ...]:
    """Return the shape of the product of matrices."""
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"matmul: {a.shape} by {b.shape}: the first has {a.shape[-1]} "
            f"columns, the second {b.shape[-2]} rows"
        )
    if a.ndim == 2 and b.ndim == 2:
        return a.shape[0], b.shape[1]
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(
            f"matmul: the axes before the last two do not broadcast: {a.shape}"
            f" and {b.shape}"
        ) from None
    return (*batch, a.shape[-2], b.shape[-1])


def _has_unaligned_stride(a: GPUArray) -> bool:
    """Return whether a stride is no multiple of the element size."""
    return is_misaligned(a) or any(step % a.itemsize for step in a.strides)


def _usable(target: GPUArray, dtype: np.dtype, inputs: Sequence[Any]) -> bool:
    """Return whether kernels can write the product to `target`."""
    return (
        target.dtype == dtype
        and not _has_unaligned_stride(target)
        and not any(overlap(target, x) for x in inputs)
        and all(
            step or length == 1
            for step, length in zip(target.strides, target.shape, strict=True)
        )
    )


@fast_call
def matmul(
    x1: GPUArray,
    x2: GPUArray,
    /,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the matrix product ``x1 @ x2``.

    Parameters
    ----------
    x1, x2
        Matrices in the last two axes; the axes before broadcast.  An array of
        one axis is a row on the left and a column on the right, and its axis
        is not in the result.
    out
        Array that receives the result.
    stream
        Stream of the launches; default: the current one.

    Returns
    -------
    GPUArray
        `out`, or a new array of shape (..., rows of `x1`, columns of `x2`).

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Notes
    -----
    float16 is accumulated in float32; integers wrap around.
    """
    a, b = check_array(x1, "x1"), check_array(x2, "x2")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(
            "matmul: an operand has no axes; use * to multiply by a number"
        )
    dtype = _result_type(a.dtype, b.dtype)
    row, column = a.ndim == 1, b.ndim == 1
    a = a[None] if row else a
    b = b[:, None] if column else b
    shape = _joined(a, b)
    final = (
        *shape[:-2],
        *(() if row else shape[-2:-1]),
        *(() if column else shape[-1:]),
    )
    if out is not None:
        check_target(out, final, dtype)
    log = Log()
    as_is = (
        out is None
        and stream is None
        and not (_has_unaligned_stride(a) or _has_unaligned_stride(b))
    )
    a, b = (
        x.copy("C", stream) if _has_unaligned_stride(x) else x for x in (a, b)
    )
    target = out
    if out is None or not _usable(out, dtype, (a, b)):
        target = make(a, final, dtype)
    whole = target
    if row:
        whole = whole[..., None, :] if not column else whole[..., None]
    if column:
        whole = whole[..., None]
    if len(shape) > 2:
        a, b = (broadcast_to(x, (*shape[:-2], *x.shape[-2:])) for x in (a, b))
    if multiply(Matrices(a, b, whole, stream, log)) and as_is:
        log.keep("matmul", (x1, x2), None, target)
    if out is not None and target is not out:
        copy_into(out, target, stream)
    return target if out is None else out


def vecdot(
    x1: GPUArray,
    x2: GPUArray,
    /,
    out: GPUArray | None = None,
    *,
    axis: int = -1,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return inner products along an axis; `x1` is conjugated.

    Parameters
    ----------
    x1, x2
        Arrays that broadcast together, with equal lengths along `axis`.
    out
        Array that receives the result.
    axis
        Axis of the vectors.
    stream
        Stream of the launches; default: the current one.

    Raises
    ------
    ValueError
        If the vectors' lengths differ.
    """
    a, b = check_array(x1, "x1"), check_array(x2, "x2")
    a, b = (moveaxis(x, axis, -1) for x in (a, b))
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"vecdot: lengths {a.shape[-1]} and {b.shape[-1]} differ"
        )
    if a.dtype.kind == "c":
        a = _apply("conjugate", (a,), None, None, stream)
    found = matmul(a[..., None, :], b[..., None], stream=stream)[..., 0, 0]
    if out is None:
        return found
    copy_into(check_target(out, found.shape, found.dtype), found, stream)
    return out


def outer(
    a: GPUArray,
    b: GPUArray,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the products of all pairs of elements of `a` and `b`.

    Both are flattened; the result's shape is (size of `a`, size of `b`).
    """
    a, b = check_array(a, "a"), check_array(b, "b")
    a, b = (flattened(x, stream) for x in (a, b))
    return _apply("multiply", (a[:, None], b[None]), out, None, stream)


def inner(
    a: GPUArray, b: GPUArray, /, *, stream: drv.Stream | None = None
) -> GPUArray:
    """Return sums of products over the last axes of both."""
    a, b = check_array(a, "a"), check_array(b, "b")
    if a.ndim == 0 or b.ndim == 0:
        return _apply("multiply", (a, b), None, None, stream)
    return tensordot(a, b, ((-1,), (-1,)), stream=stream)


def tensordot(
    a: GPUArray,
    b: GPUArray,
    axes: Any = 2,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return sums of products over some axes of both.

    Parameters
    ----------
    a, b
        The arrays.
    axes
        A number: the last axes of `a` and the first axes of `b`; or a pair:
        (axes of `a`, axes of `b`).
    stream
        Stream of the launches; default: the current one.

    Raises
    ------
    ValueError
        If the lengths of the summed axes differ.
    """
    a, b = check_array(a, "a"), check_array(b, "b")
    if isinstance(axes, (int, np.integer)):
        mine = list(range(a.ndim - axes, a.ndim))
        other = list(range(axes))
    else:
        mine, other = (
            list(x) if isinstance(x, Sequence) else [x] for x in axes
        )
    mine = [normal_axis(k, a.ndim) for k in mine]
    other = [normal_axis(k, b.ndim) for k in other]
    if [a.shape[k] for k in mine] != [b.shape[k] for k in other]:
        raise ValueError("shape-mismatch for sum")
    left = [k for k in range(a.ndim) if k not in mine]
    right = [k for k in range(b.ndim) if k not in other]
    count = math.prod(a.shape[k] for k in mine)
    shape = [a.shape[k] for k in left] + [b.shape[k] for k in right]
    with using(stream):
        rows = a.transpose([*left, *mine]).reshape(
            math.prod(a.shape[k] for k in left), count
        )
        columns = b.transpose([*other, *right]).reshape(
            count, math.prod(b.shape[k] for k in right)
        )
    return matmul(rows, columns, stream=stream).reshape(shape)


def numpy_dot(a: Any, b: Any, out: GPUArray | None = None) -> GPUArray:
    """Run ``numpy.dot``; `pycuda.gpuarray.dot` is PyCUDA's and flattens."""
    if not isinstance(a, ArrayBase) or not isinstance(b, ArrayBase) or (
        a.ndim == 0 or b.ndim == 0
    ):  # fmt: skip
        return apply("multiply", (a, b), out)
    if b.ndim <= 2:
        return matmul(a, b) if out is None else matmul(a, b, out)
    found = tensordot(a, b, ((-1,), (-2,)))
    if out is None:
        return found
    copy_into(check_target(out, found.shape, found.dtype), found, None)
    return out


def trace(
    a: GPUArray,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: npt.DTypeLike | None = None,
    out: GPUArray | None = None,
    *,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return the sum along a diagonal.

    Parameters
    ----------
    a, offset, axis1, axis2
        As in `diagonal`.
    dtype
        Dtype of accumulator and result; default: as in `sum`.
    out
        Array that receives the result.
    stream
        Stream of the launches; default: the current one.
    """
    line = diagonal(a, offset, axis1, axis2)
    if dtype is None and out is None and stream is None:
        return Reductions.sum(line, -1)
    return reduce_axes("sum", line, -1, False, dtype, out, 0, stream)
