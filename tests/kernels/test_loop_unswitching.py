"""Kernels with many loop-invariant conditions.

LLVM unswitches a loop for each of them; without a limit, a dozen took minutes
to compile and made an image of megabytes.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule, compile

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]
N = 14
FLAGS = np.random.default_rng(4).integers(0, 2, N).astype(np.int32)
X = np.arange(64 * (N + 1), dtype=np.float32)
# Source of condition i, and its value for each threadIdx.y.
CONDITIONS = {
    "parameters": ("flag{i} > 0", lambda i, y: FLAGS[i]),
    "loaded": ("flags[{i}] > 0", lambda i, y: FLAGS[i]),
    "rows": ("(threadIdx.y * {i}) % 3 == 1", lambda i, y: y * i % 3 == 1),
    "blocks": ("(blockIdx.y + {i}) % 4 < 2", lambda i, y: i % 4 < 2),
    "joined": ("flag{i} && x[t] > 2", lambda i, y: FLAGS[i] & (X[:64] > 2)),
}
FORMS = {
    "branches": "if ({c}) a += x[t * {i} + {i}];",
    "selects": "a += {c} ? 1.0f / ({i} + 1) : t * {i}.0f;",
}


def source(condition, form):
    body = "\n  ".join(
        FORMS[form].format(c=CONDITIONS[condition][0].format(i=i), i=i)
        for i in range(N)
    )
    flags = ", ".join(f"int flag{i}" for i in range(N))
    return f"""
__global__ void k(float *__restrict__ y, const float *__restrict__ x,
                  const int *__restrict__ flags, {flags}) {{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0;
  {body}
  y[threadIdx.y * 64 + t] = a;
}}"""


def expected(condition, form, row):
    t, total = np.arange(64), np.zeros(64)
    for i in range(N):
        holds = CONDITIONS[condition][1](i, row)
        if form == "branches":
            total += np.where(holds, X[t * i + i], 0)
        else:
            total += np.where(holds, 1 / (i + 1), t * i)
    return total


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_loops_are_copied_a_few_times_only(condition, form):
    module = SourceModule(source(condition, form))
    y = np.zeros((3, 64), np.float32)
    module.get_function("k")(
        drv.Out(y), drv.In(X), drv.In(FLAGS), *FLAGS, block=(32, 3, 1),
        grid=(2, 1),
    )  # fmt: skip
    for row in range(3):
        want = expected(condition, form, row)
        assert np.allclose(y[row], want, rtol=1e-5), row
    assert len(compile(source(condition, form))) < 100_000


def test_a_loop_of_the_kernel():
    """Padded convolution windows, as kernel generators write them."""
    terms = "\n    ".join(
        f"a += (r < {i + 3} && blockIdx.x * 3 % {i + 2} < {i + 1} && "
        f"n > {i}) ? x[t + r * {i}] : 0.0f;"
        for i in range(N)
    )
    text = f"""
__global__ void k(float *y, const float *x, int n) {{
  int t = threadIdx.x;
  float a = 0;
  for (int r = 0; r < 4; r++) {{
    {terms}
  }}
  y[blockIdx.x * 32 + t] = a;
}}"""
    y = np.zeros((5, 32), np.float32)
    SourceModule(text).get_function("k")(
        drv.Out(y), drv.In(X), np.int32(9), block=(32, 1, 1), grid=(5, 1)
    )
    t, want = np.arange(32), np.zeros((5, 32))
    for b in range(5):
        for i in range(9):
            for r in range(min(4, i + 3)):
                if b * 3 % (i + 2) < i + 1:
                    want[b] += X[t + r * i]
    assert np.allclose(y, want, rtol=1e-5)
    assert len(compile(text)) < 100_000


def test_conditions_that_stores_may_change():
    """LLVM copies no loop for them, and other kernels keep their copies."""
    tests = "\n  ".join(
        f"if (flags[{i}] > 1) y[t * 10 + {i}] += {i};" for i in range(10)
    )
    steps = "\n    ".join(
        f"""for (int i = t; i < n; i += blockDim.x)
      if (x[i] > 0) y[i] += x[r * n + i] * {k};
    s[t] = a; __syncthreads(); a += s[t ^ 1]; __syncthreads();"""
        for k in range(6)
    )
    stored = f"""
__global__ void stored(float *y, const float *flags) {{
  int t = threadIdx.x;
  {tests}
}}"""
    gates = f"""
__global__ void gates(float *y, const float *x, int n, int m) {{
  __shared__ float s[256];
  int t = threadIdx.x;
  float a = 0;
  for (int r = 0; r < m; r++) {{
    {steps}
  }}
  y[t] = a;
}}"""
    assert len(compile(gates + stored)) > len(compile(gates))
