"""Typical mistakes of beginners, and what the message must say."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
__global__ void one(float *x) { x[threadIdx.x] = 1; }
"""
SYNTAX = "__global__ void f(int *x)\n{\n    *x = 1\n}\n"

# The mistake, the exception, and parts of its text.
MISTAKES = [
    (
        "k(a, 8, block=(8, 1, 1))",
        TypeError,
        "parameter 'int n' of kernel 'k' was given the Python int 8: pass "
        "numpy.int32(8)",
    ),
    (
        "k(host, n, block=(8, 1, 1))",
        TypeError,
        "'float *x', but was given a host array (ndarray of float32) ... or "
        "wrap a host array in pycuda.driver.In, Out or InOut",
    ),
    (
        "k(n, n, block=(8, 1, 1))",
        TypeError,
        "'float *x', but was given a number (numpy.int32)",
    ),
    (
        "k(a, n)",
        ValueError,
        "kernel 'k': give block=(256, 1, 1), and grid= for more than one "
        "block",
    ),
    (
        "one((1,), (8,), (a,))",
        ValueError,
        "CuPy's order; here: one(x, block=(8, 1, 1), grid=(1, 1))",
    ),
    (
        "one[1, 8](a)",
        TypeError,
        "Numba's form; here: one(x, block=(8, 1, 1), grid=(1, 1))",
    ),
    ("one(a, blok=(8, 1, 1))", ValueError, "blok: did you mean block=?"),
    (
        "one(a, block=(8, 1, 1), grid=(8 / 8, 1))",
        TypeError,
        "(n + 255) // 256 rounds up; n // 256 leaves the rest out",
    ),
    (
        "k(a, block=(8, 1, 1))",
        TypeError,
        "kernel 'k(float *x, int n)' takes 2 parameters ... 'int n' has none",
    ),
    (
        "SourceModule(SYNTAX)",
        drv.CompileError,
        "kernel.cu ... expected ... [command:",
    ),
    (
        "one(drv.InOut(a), block=(8, 1, 1))",
        ValueError,
        "InOut copies a host array: pass a GPUArray directly",
    ),
]


@pytest.mark.parametrize(
    ("mistake", "kind", "said"), MISTAKES, ids=[row[0] for row in MISTAKES]
)
def test_a_mistake_on_the_host(mistake, kind, said):
    module = SourceModule(SOURCE)
    host = np.zeros(8, np.float32)
    names = {
        "k": module.get_function("k"),
        "one": module.get_function("one"),
        "a": gpuarray.to_gpu(host),
        "host": host,
        "n": np.int32(8),
        "drv": drv,
        "SourceModule": SourceModule,
        "SYNTAX": SYNTAX,
    }
    with warnings.catch_warnings(), pytest.raises(kind) as caught:
        warnings.simplefilter("ignore")
        exec(mistake, names)
    text = str(caught.value)
    at = 0
    for part in said.split(" ... "):
        at = text.find(part, at)
        assert at >= 0, (part, text)


@pytest.mark.parametrize("name", ["fft.fft", "fft.irfft2", "fft.fftn"])
def test_a_function_without_a_form_for_gpuarrays(name):
    package, short = name.split(".")
    function = getattr(getattr(np, package), short)
    square = gpuarray.to_gpu(np.eye(4, dtype=np.float32))
    with pytest.raises(TypeError) as caught:
        function(square)
    text = str(caught.value)
    assert f"numpy.{name} is not implemented for GPUArrays" in text
    assert f"use numpy.{name}(a.get()) on the host" in text
    assert f"cupy.{name}(cupy.asarray(a))" in text


PROGRAM = r"""import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void beyond(float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i + n] = 1;
}
__global__ void reversed(float *x, float *y, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void sum(float *x, float *y, int n)
{
    *y += x[threadIdx.x];
}
__global__ void unset(float *x, float *y, int n)
{
    float t;
    t += x[threadIdx.x];
    y[0] = t;
}
''')
x = gpuarray.zeros(1000, np.float32)  # line 31
y = gpuarray.zeros(1, np.float32)
shift = np.int32(sys.argv[2])
kernel = module.get_function(sys.argv[1])
if sys.argv[1] == 'unset':
    pass
elif sys.argv[3:] == ['view']:
    view = gpuarray.zeros(2000, np.float32)[::2]
    kernel(view, y, shift, block=(250, 1, 1), grid=(4, 1))
elif len(sys.argv) > 3:
    host = np.zeros(1000, np.float32)
    kernel(drv.In(host), y, shift, block=(250, 1, 1), grid=(4, 1))
else:
    # several blocks of 'reversed' would race for x, too
    blocks = 1 if sys.argv[1] == 'reversed' else 4
    kernel(x, y, shift, block=(256, 1, 1), grid=(blocks, 1))
drv.Context.synchronize()
"""
ALL = "memory,race,sync,init"
# Arguments, checks, and what stderr must have, in this order.
FAULTS = {
    "an unchecked fault": (
        ["beyond", "1000000000"],
        "",
        "illegal memory access ... pycuda.driver.Device(0).make_context() "
        "makes a new one ... PYCUDA_DEVICE=cpu PYCUDA_CPU_CHECK=memory",
    ),
    "out of bounds": (
        ["beyond", "0"],
        "memory",
        "after the end of the 4000 bytes ... prog.py:31, parameter 'x'; "
        "offset 4000: index 1000 of 1000 elements of 4 bytes ... as in "
        "`if (i < n)` ... "
        "    5 |     x[i + n] = 1; ... ^",
    ),
    "a race": (
        ["reversed", "0"],
        "race",
        "data race in shared memory ('s') ... add __syncthreads() between "
        "lines 10 and 11 ... 10 |     s[threadIdx.x]",
    ),
    "an update by all threads": (["sum", "0"], "race", "use atomicAdd"),
    "a missing barrier under all checks": (
        ["reversed", "0"],
        ALL,
        "add __syncthreads() between lines 10 and 11",
    ),
    "a missing barrier under init": (
        ["reversed", "0"],
        "init",
        "before the write at kernel.cu:10: ... thread (255,0,0)]; a barrier "
        "is missing: add __syncthreads() between lines 10 and 11",
    ),
    "In where Out was meant": (
        ["beyond", "0", "in"],
        ALL,
        "'float *x', which the kernel writes, but pycuda.driver.In does not "
        "copy it back: pass Out or InOut",
    ),
    "a view with gaps": (
        ["beyond", "0", "view"],
        ALL,
        "'float *x' and was given a view that is not contiguous, with the "
        "strides (8,)",
    ),
    "a variable that is never set": (
        ["unset", "0"],
        "",
        "variable 't' is uninitialized when used here",
    ),
}


@pytest.mark.cpu
@pytest.mark.parametrize("mistake", FAULTS)
def test_a_mistake_in_a_kernel(mistake, tmp_path):
    arguments, checks, said = FAULTS[mistake]
    program = tmp_path / "prog.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-P", str(program), *arguments],
        env={
            **os.environ,
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_CHECK": checks,
            "PYCUDA_DISABLE_CACHE": "1",  # a cached image has no warnings
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    text, at = done.stderr, 0
    for part in said.split(" ... "):
        at = text.find(part, at)
        assert at >= 0, (part, text)
