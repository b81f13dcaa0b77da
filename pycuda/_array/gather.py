"""Gather and scatter by index, for `pycuda.gpuarray`: take, put and so on.

Arrays are treated as flat.  Out-of-range indices are handled as in
`pycuda._array.indexing`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda import _registry
from pycuda._array import indexing
from pycuda._driver import ArrayBase, _apply

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


def index_array(indices: Any, stream: drv.Stream | None = None) -> GPUArray:
    """Return contiguous indices; raise unless integers with one axis."""
    if not isinstance(indices, ArrayBase):
        raise TypeError(
            f"indices must be a GPUArray, not {type(indices).__name__}"
        )
    if indices.dtype.kind not in "iu":
        raise TypeError(f"indices must be integers, not {indices.dtype}")
    if indices.ndim != 1:
        raise ValueError("indices must have one axis")
    return flat(indices, stream)


def flat(array: GPUArray, stream: drv.Stream | None = None) -> GPUArray:
    """Return all elements in C order; `array` itself if it is contiguous."""
    if array.flags.c_contiguous:
        return array
    return array.copy("C", stream)


def in_one_axis(array: GPUArray, stream: drv.Stream | None = None) -> GPUArray:
    """Return all elements as one axis; a view if they are in C order."""
    whole = flat(array, stream)
    return whole if whole.ndim == 1 else whole.reshape(whole.size)


def check_dtype(out: GPUArray, dtype: np.dtype) -> None:
    """Raise TypeError unless `out` has this dtype."""
    if out.dtype != dtype:
        raise TypeError(f"out has dtype {out.dtype}, expected {dtype}")


def check_out(out: Any, size: int, dtype: np.dtype) -> GPUArray:
    """Return `out` if `size` contiguous elements can be written to it."""
    check_dtype(out, dtype)
    if out.size < size:
        raise ValueError(f"out has {out.size} elements, expected {size}")
    if not out.flags.forc:
        raise ValueError("out must be contiguous")
    return out


def take(
    a: GPUArray,
    indices: GPUArray,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return ``a.ravel()[indices]``; negative indices count from the end.

    An out-of-range index gives 0, and an IndexError at the next ``get()`` or
    the next indexing by an array.
    """
    indices = index_array(indices, stream)
    if out is not None:
        check_out(out, indices.size, a.dtype)
        a = indexing.apart(out, a, stream)
    return indexing.get(in_one_axis(a, stream), indices, out, stream)


def multi_take(
    arrays: Sequence[GPUArray],
    indices: GPUArray,
    out: Sequence[GPUArray] | None = None,
    stream: drv.Stream | None = None,
) -> list[GPUArray]:
    """Run `take` on several arrays with the same indices.

    Raises
    ------
    ValueError
        If `out` has another number of arrays than `arrays`.
    """
    if out is None:
        out = [None] * len(arrays)
    if len(out) != len(arrays):
        raise ValueError("out must have as many arrays as arrays")
    return [
        take(array, indices, target, stream)
        for array, target in zip(arrays, out, strict=True)
    ]


def _scatter_targets(
    arrays: Sequence[GPUArray],
    dest_shape: Any,
    out: Sequence[GPUArray] | None,
) -> list[GPUArray]:
    if out is None:
        if dest_shape is None:
            raise ValueError("dest_shape or out must be given")
        return [
            _registry.GPUArray(dest_shape, a.dtype, a.allocator)
            for a in arrays
        ]
    if len(out) != len(arrays):
        raise ValueError("out must have as many arrays as arrays")
    for array, target in zip(arrays, out, strict=True):
        check_out(target, 0, array.dtype)
    return list(out)


def memory_order(target: GPUArray) -> GPUArray:
    """Return the elements of a contiguous array in memory order."""
    if target.ndim == 1:
        return target
    return (target if target.flags.c_contiguous else target.T).reshape(
        target.size
    )


def _put(
    target: GPUArray,
    indices: GPUArray,
    values: GPUArray,
    stream: drv.Stream | None,
) -> None:
    row = memory_order(target)
    if stream is None:
        row[indices] = values
    else:
        indexing.set(row, indices, values, stream)


def multi_take_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    src_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: drv.Stream | None = None,
    src_offsets: Sequence[int] | None = None,
) -> list[GPUArray]:
    """Run ``out[k][dest[i]] = arrays[k][src[i] + src_offsets[k]]``.

    Raises
    ------
    ValueError
        If the numbers of indices differ, or `src_offsets` has another number
        of entries than there are arrays.
    """
    arrays = list(arrays)
    dest_indices, src_indices = (
        index_array(dest_indices, stream),
        index_array(src_indices, stream),
    )
    if dest_indices.size != src_indices.size:
        raise ValueError("dest_indices and src_indices must be equally long")
    offsets = [0] * len(arrays) if src_offsets is None else list(src_offsets)
    if len(offsets) != len(arrays):
        raise ValueError("src_offsets must have one entry per array")
    targets = _scatter_targets(arrays, dest_shape, out)
    # Copy the indices if they share memory with a target: otherwise a write to
    # the target would change the indices for the next target.
    for target in targets:
        dest_indices = indexing.apart(target, dest_indices, stream)
        src_indices = indexing.apart(target, src_indices, stream)
    for array, target, offset in zip(arrays, targets, offsets, strict=True):
        source = src_indices
        if offset:
            number = np.int64(offset)
            source = _apply("add", (source, number), None, None, stream)
        values = take(array, source, None, stream)
        _put(target, dest_indices, values, stream)
    return targets


def multi_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: drv.Stream | None = None,
) -> list[GPUArray]:
    """Run ``out[k][dest_indices[i]] = arrays[k][i]``.

    Raises
    ------
    ValueError
        If an array has another size than `dest_indices`.
    """
    arrays = list(arrays)
    dest_indices = index_array(dest_indices, stream)
    for array in arrays:
        if array.size != dest_indices.size:
            raise ValueError(
                f"an array has {array.size} elements, dest_indices "
                f"{dest_indices.size}"
            )
    targets = _scatter_targets(arrays, dest_shape, out)
    # Copy the indices if they share memory with a target: otherwise a write to
    # the target would change the indices for the next target.
    for target in targets:
        dest_indices = indexing.apart(target, dest_indices, stream)
    for array, target in zip(arrays, targets, strict=True):
        _put(target, dest_indices, in_one_axis(array, stream), stream)
    return targets
