"""Reads of shared memory before it is written: the report names the write."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu

PROGRAM = r"""
import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void reversed(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void early(float *x)
{
    __shared__ float s[64];
    x[threadIdx.x] = s[63 - threadIdx.x];
    s[threadIdx.x] = 1;
}
__global__ void never(float *x)
{
    __shared__ float s[64];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void behind(float *x)
{
    __shared__ float s[64];
    float t = s[63 - threadIdx.x];
    __syncthreads();
    s[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] = s[threadIdx.x] + t;
}
__global__ void own(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] += 1;
    x[threadIdx.x] = s[threadIdx.x];
}
__global__ void spin(float *x)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        while (flag == 0) {}
    x[threadIdx.x] = 1;
}
__global__ void bound(float *x)
{
    __shared__ int n;
    for (int i = 0; i < n; i++) x[threadIdx.x] += x[i];
    if (threadIdx.x == 9) n = 5;
}
__global__ void wild(float *x)
{
    __shared__ int n;
    x[n - 2000000000] = 1;
}
__global__ void asserted(float *x)
{
    __shared__ int n;
    if (n == 0) __trap();
}
__global__ void stride(float *x)
{
    __shared__ int step;
    int s = step;
    if (threadIdx.x == 63) step = 64;
    for (int i = threadIdx.x; i < 64; i += s) x[i] += 1;
}
''')
x = gpuarray.zeros(64, np.float32)
module.get_function(sys.argv[1])(x, block=(64, 1, 1), grid=(3, 1))
drv.Context.synchronize()
"""

BARRIER = "a barrier is missing: add __syncthreads() between lines 5 and 6"
BEFORE = "and add __syncthreads() after the write if another thread writes it"
# Kernel, checks, and parts of the report.
CASES = [
    ("reversed", "init", ":5:5 [block (0,0,0), thread (63,0,0)]; " + BARRIER),
    (
        "reversed",
        "memory,race,sync,init",
        "race: write of 4 bytes, data race in shared memory ('s'), no barrier "
        "between them ... add __syncthreads() between lines 5 and 6",
    ),
    (
        "early",
        "init",
        ":12:5 [block (0,0,0), thread (63,0,0)]; write it before line 11, "
        "with __syncthreads() in between",
    ),
    ("early", "memory,race,sync,init", "; write it before line 11, with"),
    ("never", "init", "; write it before line 17, " + BEFORE),
    ("never", "memory,race,sync,init", "write it before line 17, " + BEFORE),
    ("behind", "init", "write it before line 22, " + BEFORE),
    ("behind", "memory,race,sync,init", "before line 22, " + BEFORE),
    ("own", "init", "thread (0,0,0)]; write it before line 31 reads it"),
    ("spin", "init", "('flag') ... write it before line 38"),
    ("spin", "memory,race,sync,init", "('flag') ... write it before line 38"),
    ("bound", "init", ":45:29 [block (0,0,0), thread (9,0,0)]; write it bef"),
    ("wild", "init", "('n') ... write it before line 50"),
    ("wild", "memory,init", "init: read of 4 bytes, never written: shared"),
    ("stride", "init", "('step') ... write it before line 60"),
    ("asserted", "init", "init: read of 4 bytes, never written: shared"),
]


@pytest.mark.parametrize(("kernel", "checks", "said"), CASES)
def test_a_read_before_the_write(kernel, checks, said):
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, kernel],
        env={
            **os.environ,
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_CHECK": checks,
            "PYCUDA_CPU_THREADS": "1",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    reports = [
        line
        for line in done.stderr.splitlines()
        if line.startswith("PYCUDA_CPU_CHECK:")
    ]
    assert len(reports) == 1, done.stderr
    for part in said.split(" ... "):
        assert part in reports[0]
        assert part in done.stderr[done.stderr.index("pycuda.driver.La") :]
