"""Skips tests of headers that are NVIDIA's own on a GPU.

Such headers come with a CUDA toolkit or a pip package, which may not be
installed.
"""

import pytest

import pycuda.driver as cuda
from pycuda.compiler import compile


def skip_without(header: str, device: str) -> None:
    """Skip the test if the device is a GPU and `header` is not installed."""
    if device != "gpu":
        return
    try:
        compile(f"#include <{header}>\n__global__ void k() {{}}")
    except cuda.CompileError as error:
        if "pip install nvidia" not in error.msg:
            raise
        pytest.skip(f"NVIDIA's {header} is not installed")
