"""Kernels over arrays against C: without barriers, or with tiles."""

import ctypes

import numpy as np
import pytest
import reference

import pycuda.driver as cuda
from pycuda import gpuarray

SAXPY = """
__global__ void kernel(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
SAXPY_STRIDE = """
__global__ void kernel(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
"""


@pytest.mark.parametrize("source", [SAXPY, SAXPY_STRIDE])
@pytest.mark.parametrize("n", [1, 31, 1000, 100_003])
def test_saxpy(source, n):
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal((2, n)).astype(np.float32)
    expected = y.copy()
    reference.call("saxpy", expected, x, ctypes.c_float(2.5), n)
    grid = ((n + 127) // 128, 1) if source is SAXPY else (3, 1)
    reference.kernel(source)(
        cuda.InOut(y),
        cuda.In(x),
        np.float32(2.5),
        np.int32(n),
        block=(128, 1, 1),
        grid=grid,
    )
    # Fused and unfused results differ by one rounding of the product.
    assert np.allclose(y, expected, rtol=0, atol=1e-6)


STENCIL = """
__global__ void kernel(double *out, const double *in, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int i = (z * ny + y) * nx + x;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1
        || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]
           + in[i - nx * ny] + in[i + nx * ny] - 6 * in[i];
}
"""


@pytest.mark.parametrize("block", [(8, 4, 2), (5, 3, 7), (1, 1, 1)])
def test_stencil(block):
    nx, ny, nz = 13, 11, 9
    field = np.random.default_rng(2).integers(-99, 99, (nz, ny, nx))
    field = field.astype(np.float64)
    expected, out = np.empty_like(field), np.empty_like(field)
    reference.call("stencil", expected, field, nx, ny, nz)
    grid = tuple(-(-n // b) for n, b in zip((nx, ny, nz), block, strict=True))
    reference.kernel(STENCIL)(
        cuda.Out(out),
        cuda.In(field),
        np.int32(nx),
        np.int32(ny),
        np.int32(nz),
        block=block,
        grid=grid,
    )
    assert np.array_equal(out, expected)


MATMUL = """
#define TILE 16
__global__ void kernel(float *c, const float *a, const float *b,
                       int m, int n, int k)
{
    __shared__ float as[TILE][TILE + 1], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
        as[ty][tx] = row < m && t * TILE + tx < k
            ? a[row * k + t * TILE + tx] : 0;
        bs[ty][tx] = column < n && t * TILE + ty < k
            ? b[(t * TILE + ty) * n + column] : 0;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
"""


@pytest.mark.parametrize("shape", [(16, 16, 16), (64, 48, 80), (50, 33, 17)])
def test_tiled_matmul(shape):
    m, n, k = shape
    rng = np.random.default_rng(3)
    a = rng.integers(-9, 10, (m, k)).astype(np.float32)
    b = rng.integers(-9, 10, (k, n)).astype(np.float32)
    expected, out = np.empty((2, m, n), np.float32)
    reference.call("matmul", expected, a, b, m, n, k)
    reference.kernel(MATMUL)(
        cuda.Out(out),
        cuda.In(a),
        cuda.In(b),
        *map(np.int32, shape),
        block=(16, 16, 1),
        grid=(-(-n // 16), -(-m // 16)),
    )
    assert np.array_equal(out, expected)


MANDELBROT = """
__global__ void kernel(int *steps, int width, int height, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    double cx = -2.0 + px / 32.0, cy = -1.0 + py / 32.0;
    double x = 0, y = 0;
    int step = 0;
    while (step < limit
           && __dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)) <= 4) {
        double t = __dadd_rn(__dsub_rn(__dmul_rn(x, x), __dmul_rn(y, y)), cx);
        y = __dadd_rn(__dmul_rn(__dmul_rn(2, x), y), cy);
        x = t;
        ++step;
    }
    steps[py * width + px] = step;
}
"""


def test_mandelbrot():
    width, height, limit = 97, 65, 300
    expected, out = np.empty((2, height, width), np.int32)
    reference.call("mandelbrot", expected, width, height, limit)
    reference.kernel(MANDELBROT)(
        cuda.Out(out),
        np.int32(width),
        np.int32(height),
        np.int32(limit),
        block=(16, 16, 1),
        grid=(7, 5),
    )
    # The intrinsics are never fused, so the steps agree everywhere.
    assert np.array_equal(out, expected)


INDEX = """
__global__ void kernel(int *out)
{
    __shared__ int turned[105];
    int n = blockDim.x * blockDim.y * blockDim.z;
    int t = threadIdx.x + blockDim.x * (threadIdx.y
                                        + blockDim.y * threadIdx.z);
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    turned[n - 1 - t] = 1000 * b + t;
    __syncthreads();
    out[b * n + t] = turned[t];
}
"""


def test_block_of_three_dimensions_that_is_no_multiple_of_32():
    out = np.empty((24, 105), np.int32)
    reference.kernel(INDEX)(cuda.Out(out), block=(5, 7, 3), grid=(2, 3, 4))
    expected = 1000 * np.arange(24)[:, None] + np.arange(105)[None, ::-1]
    assert np.array_equal(out, expected)


DOUBLES = """
__global__ void kernel(double *out, const double *x, const double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = x[i] / y[i];
    out[n + i] = sqrt(fabs(x[i]));
    out[2 * n + i] = floor(x[i]) + ceil(y[i]);
    out[3 * n + i] = fmin(x[i], y[i]) - fmax(x[i], y[i]);
}
"""


def test_double_precision_is_ieee():
    n = 1000
    x, y = np.random.default_rng(4).standard_normal((2, n)) * 1e3
    out = gpuarray.empty((4, n), np.float64)
    reference.kernel(DOUBLES)(
        out,
        cuda.In(x),
        cuda.In(y),
        np.int32(n),
        block=(64, 1, 1),
        grid=(16, 1),
    )
    expected = [
        x / y,
        np.sqrt(np.abs(x)),
        np.floor(x) + np.ceil(y),
        np.minimum(x, y) - np.maximum(x, y),
    ]
    assert np.array_equal(out.get(), expected)


FUNCTIONS = """
__global__ void kernel(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    float r[] = { sinf(v), cosf(v), tanf(v), expf(v), logf(v), log2f(v),
                  exp2f(v), powf(v, 1.5f), rsqrtf(v), cbrtf(v), tanhf(v),
                  atan2f(v, 2.f), hypotf(v, 3.f), erff(v), sinhf(v),
                  coshf(v), asinf(v / 8), acosf(v / 8), log1pf(v), expm1f(v) };
    for (int k = 0; k < 20; ++k)
        out[k * n + i] = r[k];
}
"""


def test_mathematical_functions():
    n = 500
    x = np.random.default_rng(5).uniform(0.01, 7.9, n).astype(np.float32)
    out = np.empty((20, n), np.float32)
    reference.kernel(FUNCTIONS)(
        cuda.Out(out), cuda.In(x), np.int32(n), block=(128, 1, 1), grid=(4, 1)
    )
    from math import erf

    d = x.astype(np.float64)
    expected = [
        np.sin(d), np.cos(d), np.tan(d), np.exp(d), np.log(d), np.log2(d),
        np.exp2(d), d**1.5, d**-0.5, np.cbrt(d), np.tanh(d),
        np.arctan2(d, 2), np.hypot(d, 3), [erf(v) for v in d], np.sinh(d),
        np.cosh(d), np.arcsin(d / 8), np.arccos(d / 8), np.log1p(d),
        np.expm1(d),
    ]  # fmt: skip
    # CUDA's bounds are 4 ulp or less here, except for powf and tanf.
    assert np.allclose(out, expected, rtol=1e-6, atol=1e-7)
