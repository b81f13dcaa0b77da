"""Reports of the checks: the source line, the index and the remedy."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys

import pytest
from new_reports import run_checked

pytestmark = pytest.mark.cpu

PROGRAM = r"""
import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

source = '''__global__ void beyond(float *x)
{
	x[threadIdx.x + 4] = 1;  // after a tab
}
__global__ void before(double *x) { x[(int)threadIdx.x - 2] = 1; }
__global__ void part(char *x) { *(short *)(x + 2 * threadIdx.x) = 1; }
__global__ void reversed(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];

    x[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void total(float *x) { x[0] += threadIdx.x; }
__global__ void count(int *x) { x[0]++; }
__global__ void last(float *x) { x[0] = threadIdx.x; }
__global__ void shift(float *x)
{
    if (threadIdx.x) x[threadIdx.x] = x[threadIdx.x - 1];
}
__global__ void blocks(float *x)
{
    if (threadIdx.x == 0) x[blockIdx.x] = x[(blockIdx.x + 1) % gridDim.x];
}
__global__ void unset(float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void early(float *x)
{
    __shared__ float s[64];
    x[threadIdx.x] = s[63 - threadIdx.x];
    s[threadIdx.x] = 1;
}
#line 400 "other.cu"
__global__ void numbered(float *x) { x[threadIdx.x + 1] = 2; }
'''
if sys.argv[1] == "cpp":
    source = source.replace("__global__", 'extern "C" __global__')
module = SourceModule(source, no_extern_c=sys.argv[1] == "cpp")
x = drv.mem_alloc(256)
drv.memset_d32(x, 0, 64)
y, z, t = drv.mem_alloc(256), drv.mem_alloc(256), drv.mem_alloc(256)
for name, arguments in [
    ("beyond", (x,)), ("before", (x,)), ("reversed", (x,)), ("total", (x,)),
    ("count", (x,)), ("last", (x,)), ("shift", (x,)), ("blocks", (x,)),
    ("unset", (y, z)), ("early", (t,)), ("numbered", (x,)),
]:
    grid = (4 if name == "blocks" else 1, 1)
    block = (32 if name == "before" else 64, 1, 1)
    module.get_function(name)(*arguments, block=block, grid=grid)
    drv.Context.synchronize()
"""

# Kernel -> kind of the report, text of the line, parts of message and remedy.
WANTED = {
    "beyond": (
        "out-of-bounds",
        "\tx[threadIdx.x + 4] = 1;  // after a tab",
        ", parameter 'x'; offset 256: index 64 of 64 elements of 4 bytes)",
        "as in `if (i < n)`",
    ),
    "before": (
        "out-of-bounds",
        "x[(int)threadIdx.x - 2] = 1; }",
        ", parameter 'x'; offset -16: index -2 of 32 elements of 8 bytes)",
        "the access is before the first element: check that the index is not",
    ),
    "reversed": (
        "shared-race",
        "    s[threadIdx.x] = x[threadIdx.x];",
        "no barrier between them",
        "add __syncthreads() between lines 10 and 12",
    ),
    "total": ("global-race", "x[0] += threadIdx.x;", "'x'", "use atomicAdd"),
    "count": ("global-race", "{ x[0]++; }", "'x'", "use atomicAdd"),
    "last": ("global-race", "x[0] = threadIdx.x;", "", "let one thread write"),
    "shift": (
        "global-race",
        "    if (threadIdx.x) x[threadIdx.x] = x[threadIdx.x - 1];",
        "",
        "add __syncthreads() between the read and the write",
    ),
    "blocks": (
        "block-race",
        "    if (threadIdx.x == 0) x[blockIdx.x] = x[(blockIdx.x + 1) % grid",
        "the blocks of a launch are not ordered",
        "use atomic operations, or a launch for each step",
    ),
    "unset": (
        "uninitialised-global",
        "__global__ void unset(float *x, float *y) { y[threadIdx.x]",
        ", parameter 'x')",
        "fill it first",
    ),
    "early": (
        "uninitialised-shared",
        "    x[threadIdx.x] = s[63 - threadIdx.x];",
        "before the write at kernel.cu:30:5 [block (0,0,0), thread (63,0,0)]",
        "write it before line 29, with __syncthreads() in between",
    ),
    "numbered": (
        "out-of-bounds",
        "__global__ void numbered(float *x) { x[threadIdx.x + 1] = 2; }",
        "other.cu:400:",
        "guard the access",
    ),
}


@pytest.fixture(scope="module", params=["c", "cpp"])
def reports(request, tmp_path_factory):
    """Rows of JSON, and the text on stderr."""
    path = tmp_path_factory.mktemp("reports") / "rows.json"
    return run_checked(
        ["-c", PROGRAM, request.param],
        "memory,race,init",
        path,
        PYCUDA_CPU_THREADS="1",
    )


@pytest.mark.parametrize("kernel", WANTED)
def test_a_report_explains(reports, kernel):
    kind, line, detail, remedy = WANTED[kernel]
    rows, text = reports
    found = [r for r in rows if r["kernel"] == kernel and r["kind"] == kind]
    assert found, rows
    row = found[0]
    assert line in row["source"]
    assert detail in row["message"] and remedy in row["remedy"]
    at = text.index(f"{row['message']}; {row['remedy']}\n")
    shown = text[at:].splitlines()[1:3]
    assert shown[0] == f"{row['line']:5} | {row['source'][:160]}"
    before, caret = shown[1].split("|")[1][:-1], shown[1][-1]
    if kernel in {"beyond", "before", "numbered"}:
        # The caret of a write is below the element, not below the operator.
        assert row["source"][row["column"] - 1 :].startswith("x[")
    assert caret == "^"
    assert len(before) == row["column"]  # a space, then the columns before
    assert before.count("\t") == row["source"][: row["column"] - 1].count("\t")


def test_both_lines_of_a_race(reports):
    rows, text = reports
    row = next(r for r in rows if r["kind"] == "shared-race")
    shown = text[text.index(row["message"]) :].splitlines()[1:5]
    lines = [int(line.split("|")[0]) for line in shown[::2]]
    assert sorted(lines) == [10, 12]


def test_the_exception_shows_the_line():
    program = PROGRAM.replace('("beyond", (x,)), ("before', '("before')
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, "c"],
        env={
            **os.environ,
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_CHECK": "memory",
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    error = done.stderr[done.stderr.index("pycuda.driver.LogicError") :]
    lines = error.splitlines()
    assert lines[1].startswith("    5 | __global__ void before(double *x) {")
    assert lines[2].strip().startswith("|") and lines[2].endswith("^")
    assert lines[3].startswith(" - a kernel failed")


IMAGES = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

module = SourceModule('''
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
__global__ void rows(float *out, int w, int h)
{
    int x = X, y = Y;
    if (y < h && y * w + x < w * h) {
        out[y * w + x] = x - y;
    }
}
__global__ void updates(float *out, int w, int h)
{
    int x = X, y = Y;
    if (y < h && y * w + x < w * h) {
        out[y * w + x] += 1;
    }
}
__global__ void columns(double *out, int w, int h)
{
    int x = X, y = Y;
    if (x < w && x * h + y < w * h) {
        out[x * h + y] = x - y;
    }
}
__global__ void guarded(float *out, int w, int h)
{
    int x = X, y = Y;
    if (x < w && y < h) {
        out[y * w + x] += x - y;
    }
}
__global__ void bins(float *out, int w, int h)
{
    out[(X * 7 + Y * 3) % 5 + 200] += 1;
}
__global__ void one_dimension(float *out, int w, int h)
{
    out[X % 40] = X;
}
''')
out = drv.mem_alloc(8 * 40 * 24)
drv.memset_d32(out, 0, 2 * 40 * 24)
for name in "rows", "updates", "columns", "guarded", "bins", "one_dimension":
    flat = name == "one_dimension"
    module.get_function(name)(
        out, np.int32(40), np.int32(24),
        block=(256, 1, 1) if flat else (16, 16, 1),
        grid=(3, 1) if flat else (3, 2),
    )
    drv.Context.synchronize()
"""
GUARDS = {
    "rows": "a row of 40 elements ends before x = 4",
    "updates": "a row of 40 elements ends before x = 4",
    "columns": "a column of 24 elements ends before y = ",
}


def test_a_missing_guard_of_two_dimensions(tmp_path):
    """A thread beyond its row accesses an element of the next row."""
    path = tmp_path / "rows.json"
    rows, _ = run_checked(["-c", IMAGES], "memory,race", path)
    found = {row["kernel"]: row["remedy"] for row in rows}
    assert set(found) == {*GUARDS, "bins", "one_dimension"}
    for kernel, remedy in found.items():
        said = "as in `if (x < width && y < height)`" in remedy
        assert said == (kernel in GUARDS), (kernel, remedy)
        assert remedy.startswith(GUARDS.get(kernel, ""))


PACKAGE = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray

for function in (gpuarray.sum, np.sort, lambda x: x + 1, lambda x: x[::2] * 2):
    function(gpuarray.empty(1000, np.float32))
    drv.Context.synchronize()
"""


def test_a_kernel_of_the_package(tmp_path):
    """The report begins with the line of Python that made the array."""
    program, path = tmp_path / "program.py", tmp_path / "rows.json"
    program.write_text(PACKAGE)
    rows, _ = run_checked([str(program)], "init", path)
    assert len(rows) >= 4
    for row in rows:
        assert row["message"].startswith(
            f"{program}:8: the array allocated here was passed to "
            f"{row['kernel']}, a kernel of the package pycuda"
        )
    assert {"sum_stage1", "sort_rows"} <= {row["kernel"] for row in rows}
