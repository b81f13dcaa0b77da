"""Compile errors: few frames, and short lists of overloaded functions."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler, gpuarray
from pycuda._compile.nvrtc import advice
from pycuda._compile.overloads import shorten
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

TYPO = "__global__ void k(float *x) { x[0] = 2 * y; }"


def elementwise(text: str) -> Callable[[], Any]:
    x = gpuarray.zeros((4, 6), np.float32)
    kernel = ElementwiseKernel("float *x", text)
    return lambda: kernel(x[:, ::2])


def reduction(axis: int | None) -> Callable[[], Any]:
    x = gpuarray.zeros((4, 6), np.float32)
    return lambda: ReductionKernel(
        np.float32, "0", "a + y", arguments="float *x"
    )(x, axis=axis)


CALLS: dict[str, Callable[[], Callable[[], Any]]] = {
    "SourceModule": lambda: lambda: SourceModule(TYPO),
    "compile": lambda: lambda: compiler.compile(TYPO),
    "compile_plain": lambda: (
        lambda: compiler.compile_plain(TYPO, [], False, "nvcc", False)
    ),
    "ElementwiseKernel": lambda: elementwise("x[i] = y"),
    "ElementwiseKernel, loop": lambda: elementwise("x[i + 0] = y"),
    "ReductionKernel": lambda: reduction(None),
    "ReductionKernel, axis": lambda: reduction(0),
    "ScanKernel": lambda: (
        lambda: InclusiveScanKernel(np.float32, "a + y")(
            gpuarray.zeros(7, np.float32)
        )
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_compile_error_has_few_frames(name: str) -> None:
    call = CALLS[name]()
    with pytest.raises(drv.CompileError) as caught:
        call()
    frames = traceback.extract_tb(caught.value.__traceback__)
    own = [f for f in frames if f.filename != __file__]
    assert len(own) <= 3, [f"{f.name}: {f.line}" for f in own]
    # The compiler's text comes before its command.
    text = str(caught.value)
    assert text.index("error: ") < text.index("[command: ")


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("atomicAdd(f, 1.0f);", "given 'float' but can be float *, double *"),
        ("atomicAdd(f, 1.0f);", "; & takes the address of a variable"),
        ("atomicAdd(s, 1);", "was given 'short *' but can be int *, uns"),
        ("atomicAdd(l, 1LL);", "; it can be cast: (unsigned long long *)"),
        ("atomicMax(d, 1.0);", "1st argument of atomicMax was given 'double"),
        ("atomicAdd(i, 1, 2);", "atomicAdd takes 2 arguments, not 3"),
        ("*i = max(*i, 2.5f, 3);", "max takes 2 arguments, not 3"),
        ("*i = max(*i, 2.5f);", "functions of this name fit"),
        ("t[0] = __shfl_down_sync(~0u, t[0], 1);", "2nd argument of __shfl_d"),
        ("*i = abs(1u);", "abs has no form for these types: convert the"),
        ("*d = sqrt(t[0]);", "1st argument of sqrt was given 'text' but can"),
    ],
)
def test_lists_of_functions_are_short(body: str, said: str) -> None:
    source = f"""struct text {{ int a; }};
__global__ void k(int *i, short *s, long long *l, double *d, text *t, float f)
{{
    {body}
}}"""
    with pytest.raises(drv.CompileError) as caught:
        SourceModule(source)
    log = caught.value.stderr
    assert said in log
    assert log.startswith("kernel.cu:4:")
    assert body.strip() in log
    assert len(log.split("\n")) <= 5
    assert "pycuda/cuda" not in log


@pytest.mark.parametrize(
    "log",
    [
        'k.cu(3): error: no instance of overloaded function "atomicAdd" '
        "matches the argument list\n  argument types are: (float, float)",
        "k.cu:3:2: error: no matching function for call to 'atomicMax'",
    ],
)
def test_advice_about_atomic_functions(log: str) -> None:
    assert "as in atomicAdd(&x[i], value)" in advice(log, True)


OWN = """\
__device__ void f(int *x) { }
__device__ void f(float *x) { }
__global__ void k(double *x, short *s)
{
    f(x);
    atomicAdd(s, 1);
    s[0] = y;
}"""


@pytest.mark.cpu
def test_functions_of_the_program_stay() -> None:
    with pytest.raises(drv.CompileError) as caught:
        SourceModule(OWN)
    log = caught.value.stderr
    assert log.count("note: candidate function") == 2
    places = [line for line in log.split("\n") if "error: " in line]
    assert [place.split(":")[1] for place in places] == ["5", "6", "7"]
    assert "1st argument of atomicAdd was given 'short *'" in log


@pytest.mark.parametrize(
    "log",
    [
        "",
        "kernel.cu:1:2: error: no\n  1 | x\n    | ^",
        "text without a head\nkernel.cu:1:2: note: alone\n",
        'kernel.cu(3): error: identifier "y" is undefined\n\n1 error detected',
    ],
)
def test_other_logs_stay_as_they_are(log: str) -> None:
    assert shorten(log) == log
