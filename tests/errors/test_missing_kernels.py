"""Functions that a program looks up as kernels, and that are none."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest

import pycuda.driver as drv
from pycuda._launch.declarations import describe_missing_kernel
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("void twice(float *x)", "(line 5) is not a kernel: declare it '__gl"),
        ("static void twice(float *x)", "declare it '__global__ void twice'"),
        ("int twice(float *x)", "twice', with the result type void"),
        ("__device__ void twice(float *x)", "declared __device__: declare it"),
        ("__device__ float\n*twice(float *x, int n)", "(line 6) is not a ker"),
    ],
)
def test_functions_that_are_no_kernels(declared: str, said: str) -> None:
    source = f"""
// void twice(int) is described here
/* void twice(int) {{
*/
{declared}
{{
    x[0] *= 2;
}}
__global__ void other(float *x) {{ x[0] = 1; }}
"""
    if "int n" not in declared and "int twice" not in declared:
        with pytest.raises(drv.LogicError, match="is not a kernel") as caught:
            SourceModule(source).get_function("twice")
        assert said in str(caught.value)
    assert said in describe_missing_kernel(source, "twice")


@pytest.mark.parametrize(
    "source",
    [
        "__global__ void twice(float *x) { }",
        "__global__ void\n__launch_bounds__(64)\ntwice(float *x) { }",
        "__global__ void k(float *x) { twice(x); }",
        "// void twice(float *x) { }\n",
        "void twice(float *x);",
        "void twices(float *x) { }",
        "__global__ void k(float *x) { if (x) return twice(x); { } }",
    ],
)
def test_sources_without_such_a_function(source: str) -> None:
    assert describe_missing_kernel(source, "twice") == ""


def test_other_names_and_sources() -> None:
    assert describe_missing_kernel(None, "twice") == ""
    assert describe_missing_kernel("void f() { }", "f(") == ""
    assert describe_missing_kernel("void f() { }", b"f") == ""
