"""Kernels for the operations of `pycuda.gpuarray`.

The C extension asks `make_kernel` when its kernel table has no entry, and
`resolve_types` when it meets an operation on types that it has not seen.  Both
answers are kept in C, so nothing here is on a hot path.
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
        The `pycuda.driver.Function`, the threads of a block, the elements
        that a thread does, and for reductions the most blocks of stage 1.
    """
    kind, *fields = key
    return _MAKERS[kind](*fields)


def serve() -> None:
    """Tell the C extension whom to ask."""
    _driver._set_kernel_factory(make_kernel)
    _driver._set_type_resolver(resolve_types)
