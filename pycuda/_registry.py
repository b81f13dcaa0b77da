"""Objects of upper modules that lower modules use.

A module imports only modules below it (`docs/design/rooms.md`).  The few
objects that a lower module needs from above it are attributes of this module:
`GPUArray`, which `pycuda.gpuarray` assigns, and `SourceModule`.  An object
that no module has assigned yet comes from its loader, a function that imports
and returns it.  `pycuda/__init__.py` registers the loaders.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Name of an object -> function that imports and returns it.
_loaders: dict[str, Callable[[], Any]] = {}


def register_loader(loader: Callable[[], Any]) -> Callable[[], Any]:
    """Register `loader` for the object that has the loader's name."""
    _loaders[loader.__name__] = loader
    return loader


def __getattr__(name: str) -> Any:
    """Return the object called `name`, from its loader, and store it."""
    if name not in _loaders:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = _loaders[name]()
    return found
