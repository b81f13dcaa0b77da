"""Remedies of reports: barriers that some threads skip, wrong indices."""

# SPDX-License-Identifier: MIT

import pytest
from new_reports import run_checked

pytestmark = pytest.mark.cpu

PROGRAM = r"""
import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

x = drv.mem_alloc(256)
drv.memset_d32(x, 0, 64)
cases = eval(sys.stdin.read())
for name, (body, n, block, shared) in cases.items():
    source = f"__global__ void {name}(float *x, int n)\n{{\n{body}}}\n"
    kernel = SourceModule(source).get_function(name)
    kernel(x, np.int32(n), block=block, grid=(1, 1), shared=shared)
    drv.Context.synchronize()
"""


def remedies(path, checks, cases):
    """Run the kernels; return (kind, remedy) of each report by kernel."""
    reports, _ = run_checked(
        ["-c", PROGRAM], checks, path,
        input=repr(cases), PYCUDA_CPU_THREADS="1",
    )  # fmt: skip
    found = {name: [] for name in cases}
    for report in reports:
        pair = report["kind"], report["remedy"]
        found[report["kernel"]].append(pair)
    return found


# The shared array is written in line 5 and read in line 8; `n` is 40.
STAGE = """    __shared__ float s[64]; int t = threadIdx.x;
    {head}
    s[t] = x[t];
    {condition}
        {barrier}
    x[t] = s[63 - t];
    {tail}
"""


def stage(condition, barrier="__syncthreads();", head="", tail=""):
    body = STAGE.format(
        condition=condition, barrier=barrier, head=head, tail=tail
    )
    return body, 40, (64, 1, 1), 0


LOOP = "for (int k = 0; k < 3; k++) {"
SKIPPED = "the barrier in line 7 is not reached by all threads of the block"
MISSING = "add __syncthreads() between lines 5 and 8"
ONE_WAY = "line 7 has a barrier, but another path between lines 5 and 8"
BARRIERS = {
    "first_threads": (stage("if (t < n)"), SKIPPED),
    "last_threads": (stage("if (t >= n)"), SKIPPED),
    "in_a_loop": (
        stage("if (t < n)", head=LOOP, tail="__syncthreads(); }"),
        SKIPPED,
    ),
    "then_a_barrier": (
        stage("if (t < n)", tail="__syncthreads(); x[t] += 1;"),
        SKIPPED,
    ),
    "no_barrier": (stage("", ""), MISSING),
    "too_late": (stage("", "", tail="__syncthreads();"), MISSING),
    "too_early": (stage("", "", head="__syncthreads();"), MISSING),
    "end_of_loop": (stage("", head=LOOP, tail="}"), ONE_WAY),
    "on_fibers": (
        stage("", head=LOOP, tail="} if (t < n) __syncthreads();"),
        ONE_WAY,
    ),
}


def test_a_barrier_between_the_lines(tmp_path):
    """A remedy adds no barrier to a line that has one."""
    cases = {name: case for name, (case, _) in BARRIERS.items()}
    found = remedies(tmp_path / "rows.json", "memory,race,sync,init", cases)
    for name, (_, wanted) in BARRIERS.items():
        said = [
            remedy
            for kind, remedy in found[name]
            if kind in {"shared-race", "uninitialised-shared"}
        ]
        assert said, (name, found[name])
        assert all(wanted in remedy for remedy in said), (name, said)


BEFORE = "the access is before the first element: check that the index is not"
LINE = (64, 1, 1)
INDICES = {
    "negative": ("x[(int)threadIdx.x - 2] = 1;\n", LINE, 0, BEFORE),
    "negative_shared": (
        "__shared__ float s[64]; s[(int)threadIdx.x - 1] = n;\n",
        LINE,
        0,
        BEFORE,
    ),
    "shared": (
        "__shared__ float tile[128]; tile[threadIdx.x + 130] = n;\n",
        LINE,
        0,
        "'tile' has 128 elements of 4 bytes: the index must be less than 128",
    ),
    "rows": (
        "__shared__ float t[8][8]; int i = threadIdx.x; t[i / 7][i % 8] = n;\n"
        "x[0] = t[0][0];\n",
        LINE,
        0,
        "'t' has 64 elements in all: each index must be less than the length",
    ),
    "dynamic": (
        "extern __shared__ float d[]; d[threadIdx.x + 1] = n;\n",
        LINE,
        256,
        "keep the index within the 256 bytes, or pass more bytes as shared=",
    ),
    # 8 elements of 8 bytes, of which the kernel accesses 4
    "member": (
        "struct pair { float a, b; }; __shared__ pair s[8];\n"
        "s[threadIdx.x].b = n; __syncthreads(); x[0] = s[0].b;\n",
        LINE,
        0,
        "the index must be less than the number of elements of 's'",
    ),
    "copied": (
        "struct pair { float a, b; }; __shared__ pair s[8]; "
        "pair p = {1, x[0]};\n"
        "s[threadIdx.x] = p;\n__syncthreads(); x[0] = s[0].b;\n",
        LINE,
        0,
        "the index must be less than the number of elements of 's'",
    ),
    "thread_array": (
        "float v[5]; for (int k = 0; k <= n; k++) v[k] = x[k];\n"
        "for (int k = 0; k < 5; k++) x[k] += v[k];\n",
        (1, 1, 1),
        0,
        "'v' has 5 elements of 4 bytes: the index must be less than 5",
    ),
    "planes": (
        "int i = threadIdx.x, j = threadIdx.y;\n"
        "if (i < n) x[j * 16 + i] = 1;\n",
        (16, 16, 1),
        0,
        "guard each index, as in `if (x < width && y < height)`",
    ),
    "one_dimension": (
        "x[threadIdx.x + 1] = 1;\n",
        LINE,
        0,
        "guard the access with the number of elements, as in `if (i < n)`",
    ),
    "an_identifier": (
        "int j = threadIdx.x + 1;\nx[j] = 1;\n",
        LINE,
        0,
        "as in `if (i < n)`$",
    ),
    "an_expression": (
        "int i = threadIdx.x;\nif (i < 64) x[min(i + 9, 65)] = 1;\n",
        LINE,
        0,
        "`if (i < n)`: the index `min(i + 9, 65)` must be less than 64$",
    ),
    "the_last_element": (
        "int i = threadIdx.x;\nx[-1] = i;\n",
        LINE,
        0,
        "C++ does not count from the end: the last element is `x[n - 1]`$",
    ),
    # The pointer has another one as its origin, or none that is known.
    "unknown": (
        "float **p = (float **)x; *p = x;\n"
        "p[1] = *(float **)p; p[1][threadIdx.x + 64] = 1;\n",
        (1, 1, 1),
        0,
        "check that each index is at least 0 and less than the number",
    ),
}


def test_an_index_out_of_bounds(tmp_path):
    """A remedy names the limit of the index, and claims nothing unknown."""
    cases = {
        name: (body, 5, block, shared)
        for name, (body, block, shared, _) in INDICES.items()
    }
    found = remedies(tmp_path / "rows.json", "memory", cases)
    for name, (*_, wanted) in INDICES.items():
        said = [
            remedy for kind, remedy in found[name] if kind == "out-of-bounds"
        ]
        assert said, (name, found[name])
        end = "" if wanted.endswith("$") else said[0]
        assert wanted.removesuffix("$") in said[0], (name, said)
        assert end or said[0].endswith(wanted[:-1]), (name, said)
