"""``pycuda.cpu explain`` of Python files: each text with a kernel."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path

import pytest

from pycuda.cpu._explain import CompileError, code, explain

pytestmark = pytest.mark.cpu

PROGRAM = r'''
import pycuda.autoinit
from pycuda.compiler import SourceModule

# __global__ in a comment
NAMES = f"__global__ {3} in a formatted text", "nothing"
COMMENT = "// __global__ in a comment of C++"
one = SourceModule("""
__global__ void one(float *x)
{
    x[threadIdx.x] = 1;
}
""")
two = SourceModule(r"""#include <cstdio>
__global__ void two(float *x) { printf("%f\n", x[threadIdx.x]); }""")
'''


def test_all_kernels_of_a_program(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    told = explain(path)
    lines = PROGRAM.split("\n")
    for name, kernel in zip(("one", "two"), told["kernels"], strict=True):
        assert name in kernel["name"]
        assert kernel["file"] == "program.py"
        # the line of the kernel's head, or of the brace that opens its body
        assert f"void {name}" in "".join(
            lines[kernel["line"] - 2 : kernel["line"]]
        )
    text = code(path, "ir")
    assert "one" in text and "two" in text


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("x = 1\n", "has no text with a __global__ function"),
        ("x = 1\n", "keep=True"),
        ("x = (1\n", "was never closed"),
        ("x = '\\0'\n\0", "null bytes"),
        (
            'A = """\n\n__global__ void k(int *x) { y; }"""\n',
            "program.py:3:29: error: use of undeclared identifier 'y'",
        ),
    ],
)
def test_programs_without_kernels(
    tmp_path: Path, program: str, said: str
) -> None:
    path = tmp_path / "program.py"
    path.write_text(program)
    with pytest.raises(CompileError) as caught:
        explain(path)
    assert said in str(caught.value)
