"""Compilations of programs that have no context.

SPDX-License-Identifier: MIT
"""

import subprocess
import sys

import pytest

PROGRAM = """
import pycuda.driver as cuda
from pycuda.compiler import compile
if {init}:
    cuda.init()
image = compile("__global__ void set(int *p) {{ *p = 5; }}", cache_dir=False)
import numpy, pycuda.autoinit
function = cuda.module_from_buffer(image).get_function("set")
p = numpy.zeros(1, numpy.int32)
function(cuda.Out(p), block=(1, 1, 1))
print(p[0])
"""


@pytest.mark.parametrize("init", [False, True])
def test_an_image_of_a_program_without_context_runs(init):
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-W",
            "ignore",
            "-c",
            PROGRAM.format(init=init),
        ],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "5\n", "")
