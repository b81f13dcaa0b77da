"""Warnings of copies to the host of memory that nothing has written."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pathlib import Path

import pytest
from test_behaviour import run

pytestmark = pytest.mark.cpu

HEAD = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule('''
struct pair { double x; int n; };
__global__ void fill(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1;
}
__global__ void pairs(pair *out, int n)
{
    int i = threadIdx.x;
    if (i < n) { out[i].x = i; out[i].n = i; }
}
''')
n = np.int32(300)
few = dict(block=(256, 1, 1))
enough = dict(block=(256, 1, 1), grid=(2, 1))
def launch(out, **shape):
    module.get_function("fill")(out, n, **shape)
def filled(**shape):
    x = gpuarray.empty(300, np.float32)
    launch(x, **shape)
    return x
"""
START = "PYCUDA_CPU_CHECK warning: init: nothing has written 176 bytes"

# Program -> number of warnings.
INCOMPLETE = {
    "Out": ("launch(drv.Out(np.zeros(300, np.float32)), **few)", 1),
    "get": ("filled(**few).get()", 1),
    "twice": ("x = filled(**few); x.get(); x.get()", 1),
    "async": (
        "s = drv.Stream(); x = filled(**few); x.get_async(s); s.synchronize()",
        1,
    ),
    "page-locked": (
        "drv.memcpy_dtoh(drv.pagelocked_empty(300, np.float32),"
        " filled(**few).gpudata)",
        1,
    ),
    "reused memory": (
        "for shape in (enough, few, few):\n"
        "    x = filled(**shape); x.get(); del x",
        2,
    ),
}
COMPLETE = {
    "enough blocks": "launch(drv.Out(np.zeros(300, np.float32)), **enough)",
    "the written part": "filled(**few)[:256].get()",
    "zeros": "gpuarray.zeros(300, np.float32).get()",
    "array functions": """
x = filled(**enough)
(2 * x + 1).get(), gpuarray.sum(x).get(), x[::2].get(), x.astype("f8").get()
gpuarray.arange(7, dtype=np.int8).get(), gpuarray.to_gpu(np.ones(3)).get()
x.fill(3); x.get()
""",
    "memset": "m = drv.mem_alloc(100); drv.memset_d8(m, 0, 100);"
    " drv.memcpy_dtoh(np.empty(100, np.uint8), m)",
    "padding": """
m = drv.mem_alloc(800)
module.get_function("pairs")(m, np.int32(50), block=(64, 1, 1))
drv.memcpy_dtoh(np.empty(800, np.uint8), m)
""",
    "InOut": "launch(drv.InOut(np.zeros(300, np.float32)), **few)",
}


@pytest.mark.parametrize("name", INCOMPLETE)
def test_unwritten_elements(name: str, tmp_path: Path) -> None:
    program, count = INCOMPLETE[name]
    done, reports = run(HEAD + program, "init", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(START) == count, done.stderr
    assert "44 from index 256 on" in done.stderr
    assert "program.py:" in done.stderr
    assert "(n + 255) // 256" in done.stderr
    assert reports == []


def test_complete_arrays(tmp_path: Path) -> None:
    program = "\n".join([HEAD, *COMPLETE.values()])
    done, reports = run(program, "init", tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert reports == []


def test_no_warning_without_the_check(tmp_path: Path) -> None:
    program = HEAD + "filled(**few).get()"
    assert run(program, "memory,race,sync", tmp_path)[0].stderr == ""
