/* twin.cu - kernels written by hand, for scaling.py: what the operations of
 * arrays are measured against at each size.
 *
 * Sizes are powers of two, 1024 or more; each thread has a vector of four.
 *
 * SPDX-License-Identifier: MIT */
__device__ static inline size_t
vector_index(void)
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void
twin_fill(float4 *z, float value)
{
    z[vector_index()] = make_float4(value, value, value, value);
}

extern "C" __global__ void
twin_copy(const float4 *x, float4 *z)
{
    z[vector_index()] = x[vector_index()];
}

extern "C" __global__ void
twin_add(const float4 *x, const float4 *y, float4 *z)
{
    const size_t i = vector_index();
    const float4 a = x[i], b = y[i];
    z[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void
twin_axpy(const float4 *x, const float4 *y, float4 *z, float a)
{
    const size_t i = vector_index();
    const float4 u = x[i], v = y[i];
    z[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z,
                       a * u.w + v.w);
}

extern "C" __global__ void
twin_sin(const float4 *x, float4 *z)
{
    const float4 a = x[vector_index()];
    z[vector_index()] = make_float4(sinf(a.x), sinf(a.y), sinf(a.z), sinf(a.w));
}

/* Columns by tiles of 32 x 32; rows and columns are multiples of 32. */
extern "C" __global__ void
twin_transpose(const float *x, float *z, int rows, int columns)
{
    __shared__ float tile[32][33];
    const int across = columns / 32;
    const int row = blockIdx.x / across * 32, column = blockIdx.x % across * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {
        tile[k][threadIdx.x] =
            x[(size_t)(row + k) * columns + column + threadIdx.x];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {
        z[(size_t)(column + k) * rows + row + threadIdx.x] =
            tile[threadIdx.x][k];
    }
}

__device__ static float
block_sum(float sum)
{
    __shared__ float parts[32];
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f;
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, step);
        }
    }
    return sum; /* thread 0 has it */
}

/* The last block adds what the others left; `done` is 0 between launches. */
__device__ static void
grid_sum(float sum, float *parts, unsigned *done, float *z)
{
    __shared__ bool last;
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float total = 0.0f;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
            total += ((volatile float *)parts)[i];
        }
        __syncthreads();
        total = block_sum(total);
        if (threadIdx.x == 0) {
            *z = total;
        }
    }
}

extern "C" __global__ void
twin_sum(const float4 *x, size_t vectors, float *parts, unsigned *done,
         float *z)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 4
    for (size_t i = vector_index(); i < vectors; i += step) {
        const float4 a = x[i];
        sum += a.x + a.y + (a.z + a.w);
    }
    grid_sum(sum, parts, done, z);
}

extern "C" __global__ void
twin_dot(const float4 *x, const float4 *y, size_t vectors, float *parts,
         unsigned *done, float *z)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 4
    for (size_t i = vector_index(); i < vectors; i += step) {
        const float4 a = x[i], b = y[i];
        sum += a.x * b.x + a.y * b.y + (a.z * b.z + a.w * b.w);
    }
    grid_sum(sum, parts, done, z);
}
