"""Registration with other packages, whichever is imported first.

A package such as Dask has tables of functions per array type.  `pycuda` never
imports it: when `pycuda.gpuarray` is imported, the functions are registered
with the packages that are loaded already, and a finder in `sys.meta_path`
registers them with those that are imported later, after their own code ran.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Module of another package -> module of this package with a function
# `register`, which is called once, after the other package's module is
# imported.
_REGISTERED_BY = {
    "dask.sizeof": "pycuda._dask.sizes",
    "dask.tokenize": "pycuda._dask.tokens",
    "dask.array": "pycuda._dask.arrays",
    "distributed.protocol": "pycuda._dask.transfer",
    "distributed": "pycuda._dask.workers",
}


def _register(name: str) -> None:
    """Register with the module `name`.

    A version of the package that lacks what the registration needs must not
    break its import, nor ours.
    """
    own = _REGISTERED_BY.pop(name, None)
    if own is None:
        return
    try:
        importlib.import_module(own).register()
    except (ImportError, AttributeError) as error:
        warnings.warn(
            f"GPUArrays were not registered with {name}: {error}",
            RuntimeWarning,
            stacklevel=2,
        )


class _Finder:
    """A finder of `sys.meta_path` that registers after certain imports."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if name not in _REGISTERED_BY:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    _follow(spec.loader, name)
                return spec
        return None


def _follow(loader: Any, name: str) -> None:
    """Make a loader register after it has run the code of its module."""
    run = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        run(module)
        _register(name)

    loader.exec_module = exec_module


def install() -> None:
    """Register with all packages that are loaded, and with others later."""
    for name in tuple(_REGISTERED_BY):
        if name in sys.modules:
            _register(name)
    if _REGISTERED_BY:
        sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
