"""Variables that are too large: errors that name variable, size and limit."""

# SPDX-License-Identifier: MIT

import re

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]
LIMIT = str(1 << 30)

TOO_LARGE = {
    "device": ("__device__ char big[1ull << 40];", "", "big", 1 << 40),
    "device, all": (
        "__device__ char one[700 << 20]; __device__ char big[700 << 20];",
        "out[0] = one[3];",
        "big",
        700 << 20,
    ),
    "constant": ("__constant__ char big[5ull << 30];", "", "big", 5 << 30),
    "shared": (
        "",
        "__shared__ char big[1ull << 36]; big[t] = 1; out[0] = big[5];",
        "big",
        1 << 36,
    ),
    "local": (
        "",
        "volatile char big[3ull << 30]; big[t] = 1; out[0] = big[5];",
        "big",
        3 << 30,
    ),
    "local of a function": (
        "__device__ int f(int t)"
        "{ volatile char big[1ull << 33]; big[t] = 1; return big[5]; }",
        "out[0] = f(t);",
        "big",
        1 << 33,
    ),
}


@pytest.mark.parametrize("kind", TOO_LARGE)
def test_too_large(kind):
    before, body, name, size = TOO_LARGE[kind]
    use = f"out[1] = {name}[t];" if before and "f(" not in before else ""
    source = (
        f"{before}\n__global__ void k(int *out)"
        f"{{ int t = threadIdx.x; {body} {use} }}"
    )
    with pytest.raises(drv.CompileError) as caught:
        SourceModule(source)
    for text in (name, str(size), LIMIT):
        assert text in caught.value.stderr


def test_the_sum_of_local_variables_is_in_the_message():
    source = (
        "__global__ void k(int *out) { int t = threadIdx.x;"
        " volatile char one[1 << 30]; volatile char two[1 << 20];"
        " one[t] = two[t] = 1; out[0] = one[t + 1] + two[t + 1]; }"
    )
    with pytest.raises(drv.CompileError) as caught:
        SourceModule(source)
    found = re.search(r"function have (\d+)", caught.value.stderr)
    assert found and int(found[1]) > 1 << 30


def test_frames_that_may_be_too_large_together():
    body = "".join(
        f"__device__ int f{i}(int t) {{ volatile char a[600 << 20];"
        " a[t] = t; return a[t]; }\n"
        for i in range(4)
    )
    calls = " + ".join(f"f{i}(t)" for i in range(4))
    source = (
        f"{body}__global__ void k(int *out)"
        f"{{ int t = threadIdx.x; out[t] = {calls}; }}"
    )
    out = np.full(1, 7, np.int32)
    try:
        kernel = SourceModule(source).get_function("k")
        kernel(drv.InOut(out), block=(1, 1, 1))
    except drv.CompileError as error:
        assert "bytes" in error.stderr
    else:  # they share their memory
        assert out[0] == 0
