"""Threads that return before a barrier at which the others wait.

On the CPU device such kernels run as loops over the remaining threads
(`src/jit/regions/early_exit.c`), or on fibers if the compiler cannot determine
which threads remain.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

HEAD = """
__global__ void {name}(int *out, int n, int m)
{{
    __shared__ int s[1024];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int t = threadIdx.x +
            blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
"""
BODY = """
    s[t] = 1000 + t + x;
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        __syncthreads();
        sum += s[0] + round * s[t];
        __syncthreads();
        s[t] += 7;
    }
    if (threadIdx.x < 2)
        s[t] = sum;
    __syncthreads();
    int block = blockIdx.x + gridDim.x * blockIdx.y;
    out[block * blockDim.x * blockDim.y * blockDim.z + t] = sum + s[0];
"""
# A copy of the body with a local array that is live throughout.
PRIVATE = BODY.replace(
    "    int sum = 0;\n",
    "    int sum = 0;\n"
    "    for (int k = 0; k < 4; ++k)\n"
    "        own[k] = x - k;\n",
).replace(
    "        sum += s[0] + round * s[t];\n",
    "        own[(x + round) & 3] += s[0] + round * s[t];\n"
    "        sum += own[(x + round) & 3] - x + ((x + round) & 3);\n",
)
# Conditions for staying, in C and in NumPy.
STAY = {
    "below": ("x < n", lambda x, y, n, m: x < n),
    "unsigned_below": (
        "(unsigned)x < (unsigned)n",
        lambda x, y, n, m: x < (n & 0xFFFFFFFF),
    ),
    "up_to": ("x <= n", lambda x, y, n, m: x <= n),
    "mirrored": ("n > x", lambda x, y, n, m: x < n),
    "wide": (
        "(size_t)x < (size_t)(unsigned)n",
        lambda x, y, n, m: x < (n & 0xFFFFFFFF),
    ),
    "wide_index": (
        "(long long)blockIdx.x * blockDim.x + threadIdx.x < (long long)n",
        lambda x, y, n, m: x < n,
    ),
    "both": ("x < n && y < m", lambda x, y, n, m: (x < n) & (y < m)),
    "twice": ("x < n && x < m", lambda x, y, n, m: (x < n) & (x < m)),
    "sum": ("x < n + m - 1", lambda x, y, n, m: x < n + m - 1),
    "shifted": ("x + m < n", lambda x, y, n, m: x + m < n),
    "rows": ("y < m", lambda x, y, n, m: y < m),
}
# Conditions that the compiler does not recognize as bounds: fibers.
OTHER = {
    "above": ("x >= n", lambda x, y, n, m: x >= n),
    "wraps": (
        "(unsigned)x - 3u < (unsigned)n",
        lambda x, y, n, m: ((x - 3) & 0xFFFFFFFF) < (n & 0xFFFFFFFF),
    ),
    "odd": ("x % 2 == 0", lambda x, y, n, m: x % 2 == 0),
    "either": ("x < n || y < m", lambda x, y, n, m: (x < n) | (y < m)),
}


def source(name, condition):
    """Return three kernels that return early.

    The second one has a local array, and the body of the third one is inside
    an `if`.
    """
    leave = f"    if (!({condition}))\n        return;\n"
    around = f"    if ({condition}) {{\n"
    head = HEAD.format(name=name)
    private = HEAD.format(name=f"{name}_private") + "    int own[4];\n"
    other = HEAD.format(name=f"{name}_around")
    return (
        f"{head}{leave}{BODY}}}\n{private}{leave}{PRIVATE}}}\n"
        f"{other}{around}{BODY}    }}\n}}\n"
    )


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(
        "".join(source(name, row[0]) for name, row in (STAY | OTHER).items())
    )


def expected(stays, block, grid, n, m):
    """Return the threads' output; -1 for threads that returned early."""
    nx, ny, nz = block
    z, ty, tx = np.indices((nz, ny, nx))
    t = (tx + nx * (ty + ny * z)).ravel()
    out = []
    for by in range(grid[1]):
        for bx in range(grid[0]):
            x, y = (bx * nx + tx).ravel(), (by * ny + ty).ravel()
            live = np.broadcast_to(stays(x, y, n, m), x.shape)
            own = 1000 + t + x
            total = sum(own[0] + 7 * r + r * (own + 7 * r) for r in range(3))
            out.append(np.where(live, total + total[0], -1))
    return np.concatenate(out)


@pytest.mark.parametrize("name", [*STAY, *OTHER])
@pytest.mark.parametrize("suffix", ["", "_private", "_around"])
@pytest.mark.parametrize(
    ("block", "grid"),
    [((32, 1, 1), (3, 1)), ((8, 4, 1), (3, 2)), ((5, 3, 2), (2, 3))],
)
def test_who_stays(module, name, suffix, block, grid):
    stays = (STAY | OTHER)[name][1]
    function = module.get_function(name + suffix)
    threads = int(np.prod(block)) * int(np.prod(grid))
    for n, m in [(-3, 2), (0, 1), (1, 1), (7, 3), (16, 40), (17, 0), (99, 99)]:
        right = expected(stays, block, grid, n, m)
        if not first_thread_stays(right, int(np.prod(block))):
            continue  # such threads read memory that no thread wrote
        out = gpuarray.to_gpu(np.full(threads, -1, np.int32))
        function(out, np.int32(n), np.int32(m), block=block, grid=grid)
        cuda.Context.synchronize()
        np.testing.assert_array_equal(out.get(), right, f"n {n}, m {m}")


def first_thread_stays(right, threads):
    blocks = right.reshape(-1, threads)
    return not np.any((blocks[:, 0] == -1) & np.any(blocks != -1, axis=1))


@pytest.mark.cpu
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("checks", ["", "memory,race,init"])
def test_they_are_loops(tmp_path, checks):
    """Recognized bounds need no fibers."""
    path = tmp_path / "early.cu"
    path.write_text(
        'extern "C" {'
        + "".join(source(name, row[0]) for name, row in STAY.items())
        + "}"
    )
    done = subprocess.run(
        [
            *(sys.executable, "-P", "-m", "pycuda.cpu"),
            *("explain", "--json", str(path)),
        ],
        env=os.environ
        | {"PYCUDA_CPU_REGIONS": "1", "PYCUDA_CPU_CHECK": checks},
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)["kernels"]
    levels = {row["name"]: row["level"] for row in told}
    assert len(levels) == 3 * len(STAY)
    assert set(levels.values()) == {"regions"}, levels
