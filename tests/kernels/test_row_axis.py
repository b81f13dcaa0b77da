"""Kernels whose threads access neighbouring memory along y or z, not x.

The CPU device runs neighbours along that axis together.  Every kernel also
runs thread by thread, along x, and must write the same.
"""

# SPDX-License-Identifier: MIT

import re

import numpy as np
import pytest
from compiled_schemes import compile_schemes

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.cpu._explain import code, explain

pytestmark = pytest.mark.cpu

SOURCE = """
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define Z (blockIdx.z * blockDim.z + threadIdx.z)
#define KERNEL(NAME) \\
    extern "C" __global__ void NAME(const int *a, int *out, int n, int m)

KERNEL(eliminate) // rows: y
{
    int x = X, y = Y;
    // one thread for each element, which is read and written
    if (Z == 0 && x < m - 1 && y < n - 2) {
        out[n * (x + 1) + y + 2] -= a[n * (x + 1)] * a[y + 2];
    }
}
KERNEL(multiply) // rows: y
{
    int row = X, column = Y, sum = 0;
    if (row >= m || column >= n) return;
    for (int k = 0; k < m; k++) sum += a[row * m + k] * a[k * n + column];
    out[row * n + column] = sum + blockIdx.x + 3 * gridDim.y + blockDim.x;
}
KERNEL(pointer) // rows: y
{
    int x = X, y = Y;
    if (x < m && y < n) {
        const int *p = a + y;
        int *q = out + x * n + max(y - 1, 0);
        int sum = threadIdx.x;
        for (int k = 0; k <= x; k++, p += n) sum = 3 * sum + *p;
        if (y > 0) *q = sum + threadIdx.y;
    }
}
KERNEL(volume) // rows: z
{
    int x = X, y = Y, z = Z;
    if (x < m && y < 3 && z < n) {
        out[(x * 3 + y) * n + z] = a[x * n + z] + 7 * y - z;
    }
}
KERNEL(stride) // rows: y
{
    for (int x = X; x < m; x += gridDim.x * blockDim.x)
        for (int y = Y; y < n; y += gridDim.y * blockDim.y)
            out[x * n + y] = 5 * a[x * n + y] + x;
}
KERNEL(plain) // rows: x
{
    int x = X, y = Y;
    if (x < n && y < m) out[y * n + x] = a[y * n + x] + y;
}
KERNEL(transposed) // rows: x
{
    int x = X, y = Y;
    if (x < m && y < m) out[x * m + y] = a[y * m + x];
}
KERNEL(counted) // rows: x
{
    int x = X, y = Y;
    if (x < m && y < n) atomicAdd(&out[x * n + y], a[x * n + y]);
}
KERNEL(waits) // rows: x
{
    int x = X, y = Y;
    bool inside = x < m && y < n;
    if (inside) out[x * n + y] = a[x * n + y];
    if (__syncthreads_count(inside) == 5 && inside) out[x * n + y] = 5;
}
"""
ROWS = dict(re.findall(r"KERNEL\((\w+)\) // rows: (\w)", SOURCE))
SHAPES = [
    # block, grid, n, m
    ((16, 16, 1), (3, 3, 1), 40, 33),
    ((1, 64, 1), (30, 2, 1), 100, 29),
    ((8, 4, 1), (9, 30, 1), 117, 71),
    ((64, 1, 2), (1, 70, 33), 66, 50),
    ((2, 3, 64), (11, 19, 2), 57, 21),
]


@pytest.fixture(scope="module")
def modules():
    return compile_schemes(SOURCE)


@pytest.mark.parametrize("name", ROWS)
def test_results_are_those_of_rows_along_x(modules, name):
    random = np.random.default_rng(4)
    for block, grid, n, m in SHAPES:
        size = 3 * n * m + m * m + 9
        a = random.integers(0, 100, size).astype(np.int32)
        outs = [np.full(size, 9, np.int32) for _ in modules]
        for module, out in zip(modules, outs, strict=True):
            module.get_function(name)(
                cuda.In(a),
                cuda.InOut(out),
                np.int32(n),
                np.int32(m),
                block=block,
                grid=grid,
            )
        wrong = np.flatnonzero(outs[0] != outs[1])
        assert not wrong.size, (block, grid, n, m, wrong[:9])
        assert (outs[0] != 9).any()


def test_axis_is_that_of_neighbouring_memory(tmp_path):
    path = tmp_path / "rows.cu"
    path.write_text(SOURCE)
    kernels = explain(path)["kernels"]
    assert {row["name"]: row["rows"] for row in kernels} == ROWS


def test_rows_along_y_are_vectors(tmp_path):
    path = tmp_path / "rows.cu"
    start = SOURCE.index("KERNEL(eliminate)")
    end = SOURCE.index("KERNEL(multiply)")
    path.write_text(SOURCE[: SOURCE.index("KERNEL(el")] + SOURCE[start:end])
    text = code(path)
    assert re.search(r"store <\d+ x i32>", text)
    assert "masked.gather" not in text
    assert "masked.scatter" not in text
