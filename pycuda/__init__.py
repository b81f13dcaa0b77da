"""PyCUDA's interface to CUDA, on GPUs and on the CPU.

``import pycuda`` loads no driver; ``import pycuda.autoinit`` does.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

VERSION: tuple[int, int] = (2026, 1)
VERSION_STATUS: str = ""
VERSION_TEXT: str = ".".join(str(part) for part in VERSION) + VERSION_STATUS


def _warn_of_twin() -> None:
    """Warn if the other distribution of this package is installed too."""
    import os
    import sys
    import warnings

    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        if any(
            name.startswith("pycuda-")
            and name[7:8].isdigit()
            and name.endswith("-info")
            for name in names
        ):
            warnings.warn(
                f"the distribution 'pycuda' is installed in {folder} beside "
                "'pycuda-c'; both provide the package 'pycuda', and files of "
                "one may be used with files of the other. Remove it with "
                "'pip uninstall pycuda', then reinstall this one with 'pip "
                "uninstall pycuda-c' and 'pip install pycuda-c'",
                UserWarning,
                stacklevel=3,
            )
            return


def __getattr__(name: str) -> object:
    """Explain the error if the source folder hides the installed package."""
    if name == "_driver":
        import os

        if os.path.isfile(os.path.join(__path__[0], "meson.build")):
            raise ImportError(
                f"{__path__[0]} holds the sources, not the built package, "
                "and Python found it first, in the current folder: start in "
                "another folder, or with python -P"
            )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_warn_of_twin()
del _warn_of_twin
