"""Kernels that the tests of the driver share."""

from typing import Any

SOURCE = r"""
struct pair { double x, y; };

__global__ void scale(float *out, const float *in, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}

__global__ void double_all(float *a) { a[threadIdx.x] *= 2; }

__global__ void nothing() {}

__global__ void types(double *out, char a, short b, int c, long long d,
                      float e, double f, unsigned char g)
{
    out[0] = a; out[1] = b; out[2] = c; out[3] = d;
    out[4] = e; out[5] = f; out[6] = g;
}

__global__ void structure(double *out, int n, pair p)
{
    out[0] = n; out[1] = p.x; out[2] = p.y;
}

__global__ void shared(int *out)
{
    extern __shared__ int room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

__global__ void where(int *out)
{
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block] = blockDim.x + 100 * blockDim.y + 10000 * blockDim.z;
}

__constant__ float table[4];
__device__ int counter;

__global__ void read_table(float *out)
{
    out[threadIdx.x] = table[threadIdx.x];
}
"""


def build() -> Any:
    """Compile the kernels above."""
    from pycuda.compiler import SourceModule

    return SourceModule(SOURCE)
