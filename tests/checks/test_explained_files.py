"""``pycuda.cpu explain`` of Python files: each text with a kernel."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path

import pytest

from pycuda.compiler import compile
from pycuda.cpu._explain import CompileError, code, explain

pytestmark = pytest.mark.cpu

PROGRAM = r'''
import pycuda.autoinit
from pycuda.compiler import compile

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


# Sources that SourceModule compiles, and the kernel of each.
COMPILED = {
    "names of the prelude": """
__global__ void k(float *x)
{ x[0] = INFINITY * M_PI + NAN + min(3, (int)CHAR_BIT); }
""",
    "a template": """
template <typename T> __device__ T twice(T x) { return x + x; }
__global__ void k(float *x) { x[0] = twice(x[0]); }
""",
    "overloads": """
__device__ int f(int x) { return x; }
__device__ float f(float x) { return x; }
__global__ void k(float *x) { x[0] = f(x[0]); }
""",
    "a header of the package": """#include <cuda_fp16.h>
#include <cmath>
__global__ void k(__half *x) { x[0] = __float2half(sqrtf(2)); }
""",
    "a compound literal": """
__global__ void k(float2 *x) { x[0] = (float2){1, 2}; }
""",
}


@pytest.mark.parametrize("about", COMPILED)
@pytest.mark.parametrize("suffix", ["py", "cu"])
def test_what_source_module_compiles(
    tmp_path: Path, about: str, suffix: str
) -> None:
    source = COMPILED[about]
    compile(
        source,
        no_extern_c=about in ("a template", "overloads"),
        cache_dir=False,
    )
    path = tmp_path / f"program.{suffix}"
    path.write_text(f'A = r"""{source}"""' if suffix == "py" else source)
    (kernel,) = explain(path)["kernels"]
    assert "k" in kernel["name"]
    assert kernel["file"] == path.name


def test_options_of_nvcc_and_default_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "program.cu"
    path.write_text("__global__ void k(int *x) { x[0] = SIZE; }")
    assert explain(path, ["-DSIZE=3", "--ptxas-options=-v"])["kernels"]
    monkeypatch.setattr("pycuda.compiler.DEFAULT_NVCC_FLAGS", ["-DSIZE=4"])
    assert explain(path)["kernels"]


def test_the_error_is_that_of_the_text(tmp_path: Path) -> None:
    """A text with a template that fails is not blamed for its templates."""
    path = tmp_path / "program.py"
    path.write_text(
        'A = """template <int N> __device__ int f() { return N; }\n'
        '__global__ void k(int *x) { x[0] = f<3>() + z; }"""\n'
    )
    with pytest.raises(CompileError) as caught:
        explain(path)
    assert "program.py:2:45: error: use of undeclared" in str(caught.value)
    assert "linkage" not in str(caught.value)


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
