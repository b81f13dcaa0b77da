"""Hints for sources with Python's syntax, and warnings of silent mistakes."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._compile import habits
from pycuda.compiler import compile
from pycuda.elementwise import ElementwiseKernel

sys.path.insert(0, str(Path(__file__).parent))

from test_nvidia_nvrtc import compile as nvidia_compile

KERNEL = """\
__global__ void k(float *x, int *m, int n, float dx)
{
    int i = threadIdx.x;
    %s
}"""

# Statement -> part of the hint.
MISTAKES = {
    "x[i] = dx ** 2;": "no operator **",
    "x[i] = n**2;": "no operator **",
    "x[i] = x[i]**-1;": "no operator **",
    "x[i] = dx**0.5f;": "pow(x, 2)",
    "x[i] = x[i // 2];": "// begins a comment",
    "int h = n // 2;\n    x[i] = h;": "// begins a comment",
    "x[i] = (n // 2) * 3;": "// begins a comment",
    "x[i] = x[(n + 1) // 2];": "// begins a comment",
    "x[i] = dx ^ 2;": "exclusive or",
    "x[i] = dx % 2;": "fmodf(x, y)",
    "x[i] %= 2;": "fmodf(x, y)",
    "x[i][0] = 1;": "x[row * width + column]",
    "x[i] = x.shape[0];": "neither the shape",
    "if (i < x.size) x[i] = 1;": "neither the shape",
    "x[i] = dx.sqrt();": "no methods",
    "x[i] = True;": "write true",
    "if (i == None) x[i] = 1;": "nullptr",
    "x[i] = 1 if i < n else 2;": "condition ? a : b",
    "if i < n: x[i] = 1;": "parentheses",
    "if (i < n):\n        x[i] = 1;": "not a colon",
    "for j in range(n):\n        x[j] = 1;": "for (int j = 0; j < n; j++)",
    "while i < n: i += 1;": "parentheses",
    "y = x[i];\n    x[i] = y;": "declared with its type",
    "x[i] = x[i]  # comment": "a comment begins with //",
    "# comment\n    x[i] = 1;": "a comment begins with //",
    "pass;": "{}",
    "x[i] = len(x);": "as a parameter",
    "x[i] = np.sin(dx);": "no prefix",
    "x[i] = math.sin(dx);": "no prefix",
    "if (i > n) x[i] = 1;\n    elif (i) x[i] = 2;": "else if",
    "float a = [1, 2];": "float a[2] = {1, 2}",
    "print(i);": "printf(",
    "x[1:3] = 1;": "no slices",
    "def f(z): return z;": "functions begin with",
    "lambda z: z;": "write a function",
}

# Errors of C++ that get no hint.
OTHERS = [
    "x[i] = 2",
    "x[i] = unknown;",
    "x[i] = unknown(1);",
    "x[i] = 2  // two, or more",
    "x[i] = (n + 1  // one\n    ;",
    "float *y = m;",
    "*n = 2;",
    "float2 p = dx; // half of it",
    "x[i] = m;",
]


@pytest.mark.parametrize("statement", MISTAKES)
def test_the_hint_of_a_mistake(statement: str) -> None:
    with pytest.raises(drv.CompileError) as caught:
        compile(KERNEL % statement, cache_dir=False)
    last = caught.value.stderr.split("\n")[-1]
    assert last.startswith("hint: ")
    assert MISTAKES[statement] in last
    assert last in str(caught.value)


@pytest.mark.parametrize("statement", MISTAKES)
def test_the_hint_of_a_mistake_by_nvrtc(statement: str) -> None:
    source = KERNEL % statement
    result, log = nvidia_compile(source)
    assert result
    assert MISTAKES[statement] in habits.hint(log, source), log


@pytest.mark.parametrize("statement", OTHERS)
def test_other_errors_have_no_hint(statement: str) -> None:
    source = KERNEL % statement
    with pytest.raises(drv.CompileError) as caught:
        compile(source, cache_dir=False)
    assert "hint: " not in caught.value.stderr


@pytest.mark.parametrize("statement", OTHERS)
def test_other_errors_have_no_hint_by_nvrtc(statement: str) -> None:
    source = KERNEL % statement
    result, log = nvidia_compile(source)
    assert result
    assert habits.hint(log, source) == "", log


def test_two_indices() -> None:
    source = KERNEL % "x[i] = x[i, 0];"
    with pytest.warns(UserWarning, match=r"hint: x\[i, j\] is x\[j\]"):
        compile(source, cache_dir=False)
    result, log = nvidia_compile(source)
    assert result == 0
    assert "x[i * width + j]" in habits.hint_about_warnings(log)


# Statement -> values that the warning names.
TRUNCATED = {
    "x[i] = (1/2) * dx;": ["1/2 is 0", "1.0f / 2"],
    "x[i] = 1 / 3 * dx;": ["1 / 3 is 0"],
    "x[i] = 4/3 * 3.14f * dx;": ["4/3 is 1", "4.0f / 3"],
    "x[i] = dx - 3/2;": ["3/2 is 1"],
    "float y = dx + sinf(1 / 2); x[i] = y;": ["1 / 2 is 0"],
}
# Statements of which no warning tells.
EXACT = [
    "x[i] = dx * 2/3;",
    "x[i] = dx / 3 / 2;",
    "x[i] = 1.0f / 2;",
    "x[i] = 1 / 2.0f;",
    "x[i] = 1/2.f + 1u/2;",
    "x[i] = 4 / 2 * dx;",
    "int h = 7 / 2; x[i] = h;",
    "x[i] = x[7/2];",
    "x[i] = 1; // 1/2",
    "x[i] = 1; /* 1/2 */ printf(\"1/2 %d\", '1');",
    "x[i] = n1/2;",
    "x[i] = (n + 1)/2;",
    "\n#define HALF 1/2\n    x[i] = dx * HALF;",
]


@pytest.mark.parametrize("statement", TRUNCATED)
def test_truncated_quotients(statement: str) -> None:
    with pytest.warns(UserWarning) as caught:
        compile(KERNEL % statement, cache_dir=False)
    (warning,) = caught
    assert str(warning.message).startswith("kernel.cu:4: ")
    assert warning.filename == __file__
    for part in TRUNCATED[statement]:
        assert part in str(warning.message)


@pytest.mark.parametrize("statement", EXACT)
def test_other_quotients(statement: str) -> None:
    source = "__device__ const int n1 = 3;\n" + KERNEL % statement
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile(source, options=["-Wno-unused"], cache_dir=False)


def test_truncated_quotients_of_an_expression(
    context: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    with pytest.warns(UserWarning, match="1/2 is 0"):
        ElementwiseKernel("float *x", "x[i] = 1/2 * x[i]")(
            gpuarray.zeros(4, np.float32)
        )


def test_disabled_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile(KERNEL % "x[i] = 1/2;", options=["-w"], cache_dir=False)


def test_own_kernels_have_no_such_quotients() -> None:
    root = Path(habits.__file__).parents[1] / "_kernels" / "templates"
    files = list(root.rglob("*.cu*"))
    assert len(files) > 20
    found = {
        path.name: said
        for path in files
        if (said := habits.truncated_quotients(path.read_text()))
    }
    assert found == {}


@pytest.mark.cpu
def test_the_command_of_the_cpu_device() -> None:
    with pytest.raises(drv.CompileError) as caught:
        compile("x", options=["-DA=1"], cache_dir=False)
    error = caught.value
    assert error.msg == "clang compilation of kernel.cu failed"
    assert error.command_line == ["clang", "--define-macro=A=1", "kernel.cu"]
    assert re.search(r"\n\[command: clang --define-macro=A=1", str(error))
