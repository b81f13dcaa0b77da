"""Kernels for the operations of `pycuda.gpuarray`.

The C extension calls `make_kernel` if its kernel table has no entry, and
`resolve_types` for an operation on new types.  It caches both results, so
nothing here is on a fast path.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycuda import _driver
from pycuda._kernels.maps import Map
from pycuda._kernels.moves import make_line, make_rows
from pycuda._kernels.operations import resolve_types
from pycuda._kernels.reductions import make_reduction

_MAKERS: dict[str, Callable[..., tuple[Any, int, int, int]]] = {
    "map": lambda *fields: Map(*fields).make(),
    "reduce": make_reduction,
    "line": make_line,
    "rows": make_rows,
}


def make_kernel(key: tuple) -> tuple[Any, int, int, int]:
    """Compile the kernel that a key of the C extension describes.

    Returns
    -------
    tuple
        The `pycuda.driver.Function`, the threads of a block, the elements per
        thread, and for reductions the maximum number of blocks of stage 1.
    """
    kind, *fields = key
    return _MAKERS[kind](*fields)


def serve() -> None:
    """Register these functions with the C extension."""
    _driver._set_kernel_factory(make_kernel)
    _driver._set_type_resolver(resolve_types)
