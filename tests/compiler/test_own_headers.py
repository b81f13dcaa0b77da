"""Headers of a program with the names of headers of the package.

A header of include_dirs wins, and its includes in quotes find its neighbours
first, as with NVRTC and nvcc.
"""

# SPDX-License-Identifier: MIT

import pytest

from pycuda import driver as drv
from pycuda.compiler import compile

KERNEL = "\n__global__ void k(int *p) { *p = 1; }\n"
MARK = "#error found"
NAMES = [
    "cuda_fp16.h",
    "curand_kernel.h",
    "cuda_runtime_api.h",
    "thrust/version.h",
    "cuda/std/version",
    "pycuda-complex.hpp",
    "cstdint",
    "vector",
]


def found(folder, files, source):
    """Return whether the compilation reaches MARK."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    try:
        compile(source + KERNEL, include_dirs=[str(folder)], cache_dir=False)
    except drv.CompileError as error:
        assert "found" in str(error), error
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_a_header_of_the_program_wins(context, tmp_path, name):
    assert found(tmp_path, {name: MARK}, f"#include <{name}>")
    assert found(tmp_path, {name: MARK}, f'#include "{name}"')


def test_neighbours(context, tmp_path):
    name = "math_constants.h"
    quoted = {"sub/mine.h": f'#include "{name}"', f"sub/{name}": MARK}
    assert found(tmp_path, quoted, '#include "sub/mine.h"')
    # In angle brackets only the folders of the program are searched.
    angled = {"sub/mine.h": f"#include <{name}>"}
    assert not found(tmp_path, angled, '#include "sub/mine.h"')


def test_headers_of_the_package_keep_their_own_neighbours(context, tmp_path):
    source = "#include <cuda_bf16.h>\n__device__ __nv_bfloat16 b;\n"
    assert not found(tmp_path, {"cuda_bf16.hpp": MARK}, source)
