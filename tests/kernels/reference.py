"""Kernels of the test_reference_*.py files, and reference functions in C."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
from pycuda.compiler import SourceModule

SOURCE = Path(__file__).with_name("reference.c")


@cache
def library() -> ctypes.CDLL:
    """Compile `reference.c` with the system's compiler and load it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler for the reference")
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    built = (
        Path(tempfile.gettempdir()) / f"reference-{os.getuid()}-{digest}.so"
    )
    if not built.exists():
        scratch = built.with_suffix(f".{os.getpid()}")
        flags = ["-O1", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run(
            [compiler, *flags, str(SOURCE), "-o", str(scratch), "-lm"],
            check=True,
        )
        scratch.replace(built)
    loaded = ctypes.CDLL(str(built))
    loaded.sum_integers.restype = ctypes.c_int64
    return loaded


def call(name: str, *arguments):
    """Call a function of `reference.c`; arrays go by pointer."""
    return getattr(library(), name)(
        *(
            argument.ctypes.data_as(ctypes.c_void_p)
            if isinstance(argument, np.ndarray)
            else argument
            for argument in arguments
        )
    )


def kernel(source: str, name: str = "kernel", **keywords):
    """Compile `source` for the current device and return its kernel."""
    return SourceModule(source, **keywords).get_function(name)
