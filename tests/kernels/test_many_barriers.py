"""Kernels with more barriers and warp operations than a 64-bit mask has bits.

Up to 127 of them run as loops over threads between barriers, more on fibers.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.cpu._explain import explain

THREADS = 64


def rotations(count: int) -> str:
    """Return a kernel that has two barriers for each of `count` steps."""
    steps = "".join(
        f"u = s[(t + {step + 1}) % {THREADS}]; __syncthreads();"
        f"s[t] = u + t * {step}; __syncthreads();\n"
        for step in range(count)
    )
    return f"""
    extern "C" __global__ void rotate(unsigned *a)
    {{
        __shared__ unsigned s[{THREADS}];
        unsigned t = threadIdx.x, u;
        s[t] = a[t];
        __syncthreads();
        {steps}
        a[t] = s[t];
    }}"""


def rotated(a: np.ndarray, count: int) -> np.ndarray:
    t = np.arange(THREADS, dtype=np.uint32)
    for step in range(count):
        a = np.roll(a, -(step + 1)) + t * np.uint32(step)
    return a


def exchanges(count: int) -> str:
    """Return a kernel with a shuffle, and sometimes barriers, in each step."""
    across = f"s[t] = v; __syncthreads(); v += s[{THREADS - 1} - t];"
    steps = "".join(
        f"v = v * 3 + __shfl_xor_sync(~0u, v, {1 << step % 5});"
        f"{across + '__syncthreads();' if step % 9 == 4 else ''}\n"
        for step in range(count)
    )
    return f"""
    extern "C" __global__ void exchange(unsigned *a)
    {{
        __shared__ unsigned s[{THREADS}];
        unsigned t = threadIdx.x, v = a[t];
        {steps}
        a[t] = v;
    }}"""


def exchanged(v: np.ndarray, count: int) -> np.ndarray:
    t = np.arange(THREADS)
    for step in range(count):
        v = v * np.uint32(3) + v[t ^ (1 << step % 5)]
        v = v + v[::-1] if step % 9 == 4 else v
    return v


@pytest.mark.parametrize(
    ("name", "make", "model", "count"),
    [
        ("rotate", rotations, rotated, 31),
        ("rotate", rotations, rotated, 35),
        ("rotate", rotations, rotated, 70),
        ("exchange", exchanges, exchanged, 62),
    ],
)
def test_results(name, make, model, count):
    a = np.random.default_rng(3).integers(0, 1 << 31, THREADS, np.uint32)
    wanted = model(a, count)
    SourceModule(make(count), no_extern_c=True).get_function(name)(
        cuda.InOut(a), block=(THREADS, 1, 1)
    )
    assert np.array_equal(a, wanted)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("source", "level"),
    [
        (rotations(35), "regions"),
        (exchanges(62), "warps"),
        (rotations(70), "fibers"),
    ],
    ids=["71 barriers", "62 shuffles", "141 barriers"],
)
def test_levels(tmp_path, source, level):
    path = tmp_path / "kernel.cu"
    path.write_text(source)
    (kernel,) = explain(path)["kernels"]
    assert kernel["level"] == level
