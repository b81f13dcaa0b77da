"""What tests of headers do that are NVIDIA's on a GPU.

They come with a toolkit or a package of pip's, which need not be there.
"""

import pytest

import pycuda.driver as cuda
from pycuda.compiler import compile


def skip_without(header: str, device: str) -> None:
    """Skip where the device is a GPU and `header` is not installed."""
    if device != "gpu":
        return
    try:
        compile(f"#include <{header}>\n__global__ void k() {{}}")
    except cuda.CompileError as error:
        if "pip install nvidia" not in error.msg:
            raise
        pytest.skip(f"NVIDIA's {header} is not installed")
