"""Moving elements by index, for `pycuda.gpuarray`: take, put and so on."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda import _kernels
from pycuda._driver import ArrayBase

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray


def _new(shape: Any, like: GPUArray) -> GPUArray:
    from pycuda.gpuarray import GPUArray

    return GPUArray(shape, like.dtype, like.allocator)


def index_array(indices: Any, stream: drv.Stream | None = None) -> GPUArray:
    """Check that indices are integers along one axis; packed."""
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
    """All elements in C order, as they are if they lie so."""
    if array.flags.c_contiguous:
        return array
    return array.copy("C", stream)


def _check_out(out: Any, size: int, dtype: np.dtype) -> GPUArray:
    if out.dtype != dtype:
        raise TypeError(f"out has dtype {out.dtype}, expected {dtype}")
    if out.size < size:
        raise ValueError(f"out has {out.size} elements, expected {size}")
    if not out.flags.forc:
        raise ValueError("out must be contiguous")
    return out


def _gather(
    source: GPUArray,
    indices: GPUArray,
    out: GPUArray,
    count: int,
    stream: drv.Stream | None,
    put: GPUArray | None = None,
    offset: int = 0,
) -> None:
    """``out[put[i]] = source[indices[i] + offset]`` for i < count."""
    if count == 0:
        return
    kernel = _kernels.gather_kernel(
        source.dtype.itemsize,
        None if indices is None else indices.dtype,
        None if put is None else put.dtype,
    )
    arrays = [array for array in (indices, put) if array is not None]
    kernel(
        out,
        source,
        *arrays,
        np.int64(offset),
        np.uint64(count),
        block=(256, 1, 1),
        grid=(-(-count // 256), 1),
        stream=stream,
    )


def take(
    a: GPUArray,
    indices: GPUArray,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """``a.ravel()[indices]``; indices are not checked against the size."""
    indices = index_array(indices, stream)
    if out is None:
        out = _new(indices.shape, a)
    else:
        _check_out(out, indices.size, a.dtype)
    _gather(flat(a, stream), indices, out, indices.size, stream)
    return out


def multi_take(
    arrays: Sequence[GPUArray],
    indices: GPUArray,
    out: Sequence[GPUArray] | None = None,
    stream: drv.Stream | None = None,
) -> list[GPUArray]:
    """`take` from several arrays with the same indices."""
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
        return [_new(dest_shape, a) for a in arrays]
    if len(out) != len(arrays):
        raise ValueError("out must have as many arrays as arrays")
    for array, target in zip(arrays, out, strict=True):
        _check_out(target, 0, array.dtype)
    return list(out)


def multi_take_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    src_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: drv.Stream | None = None,
    src_offsets: Sequence[int] | None = None,
) -> list[GPUArray]:
    """``out[k][dest[i]] = arrays[k][src[i] + src_offsets[k]]``."""
    arrays = list(arrays)
    dest_indices, src_indices = (
        index_array(dest_indices, stream),
        index_array(src_indices, stream),
    )
    if dest_indices.size != src_indices.size:
        raise ValueError("dest_indices and src_indices must be equally long")
    offsets = [0] * len(arrays) if src_offsets is None else list(src_offsets)
    if len(offsets) != len(arrays):
        raise ValueError("src_offsets must have one entry an array")
    targets = _scatter_targets(arrays, dest_shape, out)
    for array, target, offset in zip(arrays, targets, offsets, strict=True):
        _gather(
            flat(array, stream), src_indices, target, src_indices.size, stream,
            dest_indices, int(offset),
        )  # fmt: skip
    return targets


def multi_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: drv.Stream | None = None,
) -> list[GPUArray]:
    """``out[k][dest_indices[i]] = arrays[k][i]``."""
    arrays = list(arrays)
    dest_indices = index_array(dest_indices, stream)
    for array in arrays:
        if array.size != dest_indices.size:
            raise ValueError(
                f"an array has {array.size} elements, dest_indices "
                f"{dest_indices.size}"
            )
    targets = _scatter_targets(arrays, dest_shape, out)
    for array, target in zip(arrays, targets, strict=True):
        _gather(
            flat(array, stream), None, target, array.size, stream, dest_indices
        )
    return targets
