"""A program's own functions with names and types of CUDA's, in extern "C"."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule, compile

# Definition, call and value, with another value than CUDA's function has.
OWN = [
    ("int max(int a, int b) { return a + b; }", "max(3, 4)", 7),
    ("inline int min(int a, int b) { return a - b; }", "min(3, 4)", -1),
    ("long long llmax(long long a, long long b) { return a * b; }",
     "llmax(3, 4)", 12),
    ("double rsqrt(double a) { return a + 1; }", "rsqrt(4.)", 5),
    ("float sinpif(float a) { return a + 2; }", "sinpif(1.f)", 3),
    ("double norm3d(double a, double b, double c) { return a + b + c; }",
     "norm3d(1., 2., 4.)", 7),
    ("float rhypotf(float a, float b) { return a + b; }",
     "rhypotf(1.f, 2.f)", 3),
    ("double erfcx(double a) { return a + 3; }", "erfcx(1.)", 4),
    ("int abs(int a) { return a + 1; }", "abs(-3)", -2),
    ("inline long labs(long a) { return a + 2; }", "labs(-3l)", -1),
    ("long long llabs(long long a) { return a + 3; }", "llabs(-3ll)", 0),
]  # fmt: skip


def test_the_program_calls_its_own(context):
    definitions = "".join(f"__device__ {text}\n" for text, _, _ in OWN)
    stores = "".join(f"o[{i}] = {call};" for i, (_, call, _) in enumerate(OWN))
    module = SourceModule(
        f"{definitions}__global__ void k(double *o) {{ {stores}"
        f" o[{len(OWN)}] = max(1.5f, 2.5f) + max(1u, 7u) + min(3.0, 4.0); }}"
    )
    out = np.zeros(len(OWN) + 1)
    module.get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [value for _, _, value in OWN] + [12.5]


def test_outside_extern_c(context):
    own = OWN[-3:] + [
        ("static inline int min(int a, int b) { return 7; }", "min(1, 2)", 7)
    ]
    definitions = "".join(f"__device__ {text}\n" for text, _, _ in own)
    stores = "".join(f"o[{i}] = {call};" for i, (_, call, _) in enumerate(own))
    module = SourceModule(
        f'{definitions}extern "C" __global__ void k(double *o)'
        f" {{ {stores} o[{len(own)}] = abs(-2.5f) + abs(-1.5); }}",
        no_extern_c=True,
    )
    out = np.zeros(len(own) + 1)
    module.get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [value for _, _, value in own] + [4]


@pytest.mark.parametrize(
    "text",
    [
        "float max(float a, float b) { return a; }",
        "int max(int a, int b, int c) { return a; }",
        "float rsqrt(float a) { return a; }",
        "float sqrt(float a) { return a; }",
        "float pow(float a, int b) { return a; }",
    ],
)
def test_other_types_are_refused(context, text):
    with pytest.raises(drv.CompileError):
        compile(f"__device__ {text}", cache_dir=False)
