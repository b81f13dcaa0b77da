"""Modules that importing the package loads in addition to NumPy."""

# SPDX-License-Identifier: MIT

import subprocess
import sys
from pathlib import Path

from isolated import run

# Small standard modules; others take milliseconds to import.
FEW = {
    "__future__", "atexit", "copy", "dataclasses", "string", "_string",
    "_blake2", "errno",
}  # fmt: skip


def test_little_is_imported_beside_numpy():
    printed = run(
        """
        import sys
        import numpy
        before = set(sys.modules)
        import pycuda.autoinit
        import pycuda.compiler
        import pycuda.gpuarray
        print(*sorted(set(sys.modules) - before))
        """
    )
    found = {m for m in printed.split() if m.split(".")[0] != "pycuda"}
    assert found <= FEW, found - FEW


def test_the_package_alone_imports_no_numpy():
    printed = run("import sys, pycuda; print('numpy' in sys.modules)")
    assert printed == "False\n"


def test_the_sources_are_not_the_package():
    """Python searches the current folder first; the error says so."""
    root = Path(__file__).parents[2]
    for module in ("pycuda.driver", "pycuda.autoinit", "pycuda.compiler"):
        done = subprocess.run(
            [sys.executable, "-c", f"import {module}"],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1
        assert "contains the sources" in done.stderr and "-P" in done.stderr
    printed = run(
        """
        import pycuda
        try:
            pycuda.nothing
        except AttributeError as error:
            print(error)
        """
    )
    assert printed == "module 'pycuda' has no attribute 'nothing'\n"
