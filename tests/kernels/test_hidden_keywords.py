"""Macros that hide keywords from the search in an operation's text."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

from pycuda import gpuarray
from pycuda._kernels import macros, writes
from pycuda._kernels.calls import parse_arguments
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

pytestmark = pytest.mark.usefixtures("context")

FORMS = {
    "tid": ("z[i] = X + 1 + 0 * (int)i", "X", "(tid - tid)"),
    "total_threads": ("z[i] = X > 0", "X", "total_threads"),
    "continue": ("if (i == 2) { z[i] = 1; X; } z[i] = 1", "X", "continue"),
    "moved": ("z[i] = 1; X; if (i < n) z[i] = 1", "X", "i += total_threads"),
    "nested": ("z[i] = X", "X", "Y(1)\n#define Y(a) (a + ZERO)\n"
               "#define ZERO (tid - tid)"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_words_of_the_loop_in_macros(form):
    operation, name, body = FORMS[form]
    kernels = [ElementwiseKernel(
        "int *z", operation, preamble=f"#define {name} {body}\n"
    )]  # fmt: skip
    if "\n" not in body:
        kernels += [
            ElementwiseKernel("int *z", operation, options=options)
            for options in ([f"-D{name}={body}"], ["-D", f"{name}={body}"])
        ]
    for kernel in kernels:
        z = gpuarray.zeros(100_003, np.int32)
        kernel(z)
        assert (z.get() == 1).all()


def test_macros_with_arguments():
    kernel = ElementwiseKernel(
        "int *z", "SKIP_IF(i % 3 == 1); z[i] = 1",
        preamble="#define SKIP_IF(what) \\\n  if (what) continue",
    )  # fmt: skip
    z = gpuarray.zeros(1000, np.int32)
    kernel(z)
    assert (z.get() == (np.arange(1000) % 3 != 1)).all()


def test_macros_of_a_programs_own_header(tmp_path):
    (tmp_path / "words.h").write_text("#define SKIP continue\n")
    kernel = ElementwiseKernel(
        "int *z", "if (i == 2) SKIP; z[i] = 1",
        preamble='#include "words.h"\n', options=[f"-I{tmp_path}"],
    )  # fmt: skip
    z = gpuarray.zeros(5, np.int32)
    kernel(z)
    assert z.get().tolist() == [1, 1, 0, 1, 1]


def test_functions_keep_the_form_without_a_loop():
    kernel = ElementwiseKernel(
        "float *z", "z[i] = TWICE(half_of(z[i]))",
        preamble="#define TWICE(v) (2 * (v))\n"
        "__device__ float half_of(float v)"
        " { for (;;) { if (v < 0) continue; return v / 2; } }",
    )  # fmt: skip
    assert kernel._one_a_thread


@pytest.mark.parametrize(
    ("operation", "preamble"),
    [
        ("G(m) z[i] = y[i]", "#define G(m) if (i < m)"),
        ("z[i] = UP_TO(m, y[i])", "#define UP_TO(m, v) i < m ? v : 0"),
        ("while (i < m) { z[i] = y[i]; break; }", ""),
        ("for (; i < m;) { z[i] = y[i]; break; }", ""),
    ],
)
def test_conditions_in_macros_and_loops(operation, preamble):
    kernel = ElementwiseKernel(
        "int m, int *z, int *y", operation, preamble=preamble
    )
    z = gpuarray.zeros(10, np.int32)
    for _ in range(2):
        kernel(4, z, gpuarray.zeros(4, np.int32) + 7)
        assert z.get().tolist() == [7] * 4 + [0] * 6


def test_conditions_in_macros_of_maps():
    arguments, preamble = "int *x, int *y", "#define G(v) (i < 4 ? v : 0)"
    kernel = ReductionKernel(
        np.int32, "0", "a+b", "x[i] + G(y[i])", arguments, preamble=preamble
    )
    x, y = gpuarray.ones(10, np.int32), gpuarray.ones(4, np.int32)
    assert kernel(x, y).get() == 14
    kernel = ReductionKernel(
        np.int32, "0", "a+b", "x[i] + G(y)", arguments,
        preamble="#define G(v) v[i]",
    )  # fmt: skip
    with pytest.raises(ValueError, match="'y' has 4 elements"):
        kernel(x, y)


@pytest.mark.parametrize(
    ("preamble", "text", "expected"),
    [
        ("", "a b", "a b"),
        ("#define a 1", "a ab a", "1 ab 1"),
        ("# define f(x, y) x+y /* f */", "f(1, (2, 3)) f", "1+(2, 3) f"),
        ("#define f() 7", "f() f", "7 f"),
        ("#define f(x) x##_t x", "f(a)", "a_t a"),
        ("#define f(x, ...) g(__VA_ARGS__)", "f(1, 2, 3)", "g(2, 3)"),
        ("#define a b\n#define b c", "a", "c"),
        ("#define a 1\n#define a 2", "a", "1\n2"),
        ("#define a(x) 1\n#define a 2", "a", "2"),
        ("#define a a", "a", "a"),
        ("// #define a 1", "a", "a"),
        ("#define f(x) 1", "f(2", "f(2"),
        ("#define a\\\n 3", "a", "3"),
    ],
)
def test_expansion(preamble, text, expected):
    assert macros.find(preamble, []).expand(text) == expected


def test_expansion_ends():
    found = macros.find("#define a a a\n#define f(x) f(x) f(x)", [])
    assert len(found.expand("a f(1)")) < 1 << 18


def test_macros_of_options():
    found = macros.find("", ["-DA", "-D", "B=2", "--define-macro=C(x)=x+1"])
    assert found.expand("A B C(4)") == "1 2 4+1"
    assert not found.may_be_more
    assert macros.find("", ["-include", "words.h"]).may_be_more
    assert not macros.find("#include <cmath>", ["--no such"]).may_be_more


@pytest.mark.parametrize(
    ("operation", "surely", "perhaps"),
    [
        ("z[i] = x[i]", "z", "z"),
        ("z[i] += x[i] == 1", "z", "z"),
        ("z[i]++; --x[i]", "zx", "zx"),
        ("z[k[i]] = x[i + 1]", "z", "z"),
        ("atomicAdd(&z[0], x[i])", "z", "z"),
        ("f((int *)&z[0], x[i])", "z", "z"),
        ("z[i] = 3 & x[i]", "z", "z"),
        ("z[i] = k && x[i]", "z", "z"),
        ("f(z, x[i])", "", "z"),
        ("*(z + i) = x[i]", "", "z"),
        ("(z[i]) = x[i]", "", "z"),
        ("z[i].re = x[i].real()", "", "z"),
        ("z[i].real(x[i])", "", "z"),
        ("float &r = z[i]; r = x[i]", "", "zx"),
        ("float v = z[i] >= x[i]", "", ""),
        ('asm("" : "=f"(z[i]) : "f"(x[i]))', "", "zx"),
    ],
)
def test_what_an_operation_changes(operation, surely, perhaps):
    declared = "float *z, float *x, const float *k"
    arguments = parse_arguments(declared)
    for preamble, has_files in (
        ("__device__ void f(float *v, const float &w);", False),
        ("__device__ void f(float &v, float &w);", False),
        ("", True),
    ):
        found = writes.of(arguments, declared, operation, preamble, has_files)
        sure, may = (
            {
                a.name
                for a, is_in in zip(arguments, which, strict=True)
                if is_in
            }
            for which in found
        )
        assert sure == set(surely)
        by_reference = has_files or "float &v" in preamble
        assert may == set("zx" if by_reference else perhaps)
