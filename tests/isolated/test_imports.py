"""What importing the package costs beyond numpy."""

# SPDX-License-Identifier: MIT

from isolated import run

# Small ones of the standard library; what is not here takes milliseconds.
FEW = {
    "__future__", "atexit", "copy", "dataclasses", "string", "_string",
    "_blake2",
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
