"""PyCUDA's interface to CUDA, on GPUs and on the CPU.

``import pycuda`` loads no driver; ``import pycuda.autoinit`` does.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from pycuda import _registry

VERSION: tuple[int, int] = (2026, 1)
VERSION_STATUS: str = ""
VERSION_TEXT: str = ".".join(str(part) for part in VERSION) + VERSION_STATUS


def _warn_of_original() -> None:
    """Warn if the original distribution is installed in the same folder.

    In another folder it does no harm: Python found this package first.
    """
    import os
    import warnings

    folder = os.path.dirname(__path__[0])

    def is_original(name: str) -> bool:
        if not (name.startswith("pycuda-") and name.endswith("-info")):
            return False
        if not name[7:8].isdigit():
            return False
        path = os.path.join(folder, name, "INSTALLER")
        if not os.path.isfile(path):
            return True
        try:
            with open(path, "rb") as file:
                # `python -m pycuda provide` installs a distribution whose file
                # INSTALLER contains this line. Any other distribution of this
                # name is the original.
                return file.readline(100).strip() != b"pycuda-c provide"
        except OSError:
            return True

    try:
        names = os.listdir(folder)
    except OSError:
        return
    if any(is_original(name) for name in names):
        warnings.warn(
            f"the distribution 'pycuda' is installed in {folder} together "
            "with 'pycuda-c'; both provide the package 'pycuda', and "
            "files of one may be used with files of the other. Remove it "
            "with 'pip uninstall pycuda', then reinstall this one with "
            "'pip install --force-reinstall --no-deps pycuda-c'; "
            "'python -m pycuda provide' then satisfies packages that "
            "require 'pycuda'",
            UserWarning,
            stacklevel=3,
        )


_warn_of_original()
del _warn_of_original


# `typing` has this constant, but importing `typing` takes milliseconds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pycuda import cumath as cumath
    from pycuda import curandom as curandom
    from pycuda import reduction as reduction

# Modules that programs use as attributes of the package after
# `import pycuda.gpuarray` alone.
_LAZY = ("cumath", "curandom", "reduction")


# hidden from type checkers: with __getattr__ they accept every name
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a module of `_LAZY`, or explain why `_driver` is missing."""
        if name in _LAZY:
            import importlib

            return importlib.import_module(f"{__name__}.{name}")
        if name == "_driver":
            import os

            if os.path.isfile(os.path.join(__path__[0], "meson.build")):
                raise ImportError(
                    f"{__path__[0]} contains the sources, not the built "
                    "package, and Python found it first, in the current "
                    "folder: start in another folder, or with python -P"
                )
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@_registry.register_loader
def GPUArray() -> object:
    """Return the class GPUArray, for `_registry`."""
    # Delayed import: programs without arrays do not load pycuda.gpuarray.
    from pycuda.gpuarray import GPUArray

    return GPUArray


@_registry.register_loader
def SourceModule() -> object:
    """Return SourceModule, for programs that use driver.SourceModule."""
    # Delayed import: programs that compile nothing do not load the compiler.
    from pycuda.compiler import SourceModule

    return SourceModule


del GPUArray, SourceModule
