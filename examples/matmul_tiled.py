"""Matrix product in 16 x 16 tiles, staged through shared memory."""

import numpy as np

import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
#define TILE 16

__global__ void matmul(float *c, const float *a, const float *b,
                       int m, int n, int k)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int start = 0; start < k; start += TILE) {
        int ka = start + threadIdx.x;
        int kb = start + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] =
            row < m && ka < k ? a[row * k + ka] : 0;
        b_tile[threadIdx.y][threadIdx.x] =
            column < n && kb < k ? b[kb * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
"""


def main() -> None:
    m, n, k = 250, 130, 301
    # Small integers: every partial sum is exact, in any order.
    rng = np.random.default_rng(1)
    a = rng.integers(-8, 9, (m, k)).astype(np.float32)
    b = rng.integers(-8, 9, (k, n)).astype(np.float32)
    c_gpu = gpuarray.empty((m, n), np.float32)

    matmul = SourceModule(SOURCE).get_function("matmul")
    matmul(
        c_gpu,
        gpuarray.to_gpu(a),
        gpuarray.to_gpu(b),
        np.int32(m),
        np.int32(n),
        np.int32(k),
        block=(16, 16, 1),
        grid=((n + 15) // 16, (m + 15) // 16),
    )
    assert np.array_equal(c_gpu.get(), a @ b), "wrong numbers"
    print(f"{m} x {k} times {k} x {n}")
    print("Success")


if __name__ == "__main__":
    main()
