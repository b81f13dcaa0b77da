"""The programs in README.md and docs/ run unchanged.

Objects that a page's fragments assume to exist are created first, by page.
"""

# SPDX-License-Identifier: MIT

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SNIPPET = re.compile(r"```python\n(.*?)```", re.DOTALL)

LIKELY = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
"""
KERNEL = """
kernel = SourceModule(
    "__global__ void kernel(float *x) { x[threadIdx.x] += 1; }"
).get_function("kernel")
stream = cuda.Stream()
"""
BEFORE = {
    "arrays.md": """
import scipy.sparse
columns = [0, 2]
values = np.float32(7)
points = gpuarray.zeros(5, np.dtype([("x", "f4"), ("y", "f4")]))
x = gpuarray.arange(10, dtype=np.int32)
y = x
grid = gpuarray.zeros((4, 5), np.int32)
mat = scipy.sparse.eye(50, format="csr") * 3.0
rhs = np.ones(50)
""",
    "devices.md": KERNEL,
    "graphs.md": KERNEL
    + """
array = a = gpuarray.zeros(256, np.float32)
streams, results = [cuda.Stream(), cuda.Stream()], []
parts = [gpuarray.zeros(4, np.float32), gpuarray.zeros(4, np.float32)]
source = [np.ones(256, np.float32), np.zeros(256, np.float32)]
position, velocity = gpuarray.zeros(8), gpuarray.ones(8)
force = lambda x: -x
""",
    "textures.md": """
matrix = np.ones((64, 64), np.float32)
descriptor = cuda.ArrayDescriptor3D()
descriptor.width = descriptor.height = 16
descriptor.format = cuda.array_format.FLOAT
descriptor.num_channels = 1
descriptor.flags = cuda.array3d_flags.SURFACE_LDST
array = cuda.Array(descriptor)
out = np.zeros(256, np.float32)
kernel = SourceModule('''
__global__ void kernel(cudaTextureObject_t t, cudaSurfaceObject_t s, float *o)
{
    int i = threadIdx.y * 16 + threadIdx.x;
    surf2Dwrite(1.0f, s, threadIdx.x * 4, threadIdx.y);
    o[i] = tex2D<float>(t, 0.5f, 0.5f);
}
''').get_function("kernel")
""",
    "tools.md": "x = np.ones(4, np.float32)\n",
}
# A program with several processes: tests/mpi runs it.
ELSEWHERE = {"mpi.md"}
# pycuda.debug.check is refused on a GPU.
CPU_ONLY = {"checks.md"}
NEEDS = {"arrays.md": ("ml_dtypes", "scipy")}


def snippets(page):
    return SNIPPET.findall(page.read_text())


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, marks=[pytest.mark.cpu] * (p.name in CPU_ONLY))
        for p in PAGES
        if snippets(p) and p.name not in ELSEWHERE
    ],
    ids=lambda page: page.name,
)
def test_the_programs_of_a_page(page):
    for package in NEEDS.get(page.name, ()):
        pytest.importorskip(package)
    program = "\n".join([LIKELY, BEFORE.get(page.name, ""), *snippets(page)])
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_pages_that_are_prepared_are_there():
    assert {*BEFORE, *ELSEWHERE} <= {page.name for page in PAGES}
