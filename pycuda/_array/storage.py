"""Arrays in files, in numpy's formats: .npy and .npz."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as drv
from pycuda._array.common import check_array

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray


def _fetched(arr: Any, name: str) -> np.ndarray:
    """A host copy, of a dtype that the format can name."""
    host = check_array(arr, name).get()
    if host.dtype.kind == "V" and host.dtype.names is None and (
        host.dtype.type is not np.void
    ):  # fmt: skip
        raise TypeError(
            f"numpy's files cannot name dtype {host.dtype}: save the array "
            "as another with astype(), or its bytes with view()"
        )
    return host


def save(file: Any, arr: GPUArray) -> None:
    """Save an array as ``numpy.save`` does, in the same order of axes."""
    np.save(file, _fetched(arr, "arr"), allow_pickle=False)


def savez(file: Any, *args: GPUArray, **kwds: GPUArray) -> None:
    """Save several arrays in one file, as ``numpy.savez`` does."""
    np.savez(
        file,
        *(_fetched(arr, "each operand") for arr in args),
        **{name: _fetched(arr, name) for name, arr in kwds.items()},
    )


def load(file: Any, allocator: Callable = drv.mem_alloc) -> Any:
    """What `save` or `savez` saved: an array, or a dict of them.

    Files that numpy wrote can be read, unless they hold Python objects.
    """
    from pycuda.gpuarray import to_gpu

    found = np.load(file, allow_pickle=False)
    if isinstance(found, np.ndarray):
        return to_gpu(found, allocator)
    with found:
        return {name: to_gpu(found[name], allocator) for name in found.files}
