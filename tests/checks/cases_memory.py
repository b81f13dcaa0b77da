"""Kernels with invalid memory accesses; `HERE` marks the line."""

# SPDX-License-Identifier: MIT

import numpy as np

F = np.float32
ONES = np.ones(64, F)

CASES = [
    dict(
        name="global_read_one_behind",
        source="""
__global__ void k(float *out, const float *in)
{
    int i = threadIdx.x;
    out[i] = in[i]
        + in[i + 1]; // HERE
}""",
        args=[ONES, ONES],
        kind="out-of-bounds",
        thread=(63, 0, 0),
        allocation=(256, 256),
    ),
    dict(
        name="global_write_before",
        source="""
__global__ void k(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i - 3] = i; // HERE
}""",
        args=[np.zeros(64, np.int32)],
        grid=(2, 1),
        block=(32, 1, 1),
        kind="out-of-bounds",
        thread=(0, 0, 0),
        allocation=(256, -12),
    ),
    dict(
        name="global_far_into_another_allocation",
        source="""
__global__ void k(float *a, float *b)
{
    long far = b - a;
    if (threadIdx.x == 5 && threadIdx.y == 1)
        a[far] = 1.f; // HERE
}""",
        args=[ONES, ONES],
        block=(8, 4, 1),
        kind="out-of-bounds",
        thread=(5, 1, 0),
    ),
    dict(
        name="global_atomic",
        source="""
__global__ void k(int *hist, const int *in)
{
    atomicAdd( // HERE
        &hist[in[threadIdx.x]], 1);
}""",
        args=[np.zeros(16, np.int32), np.arange(1, 17, dtype=np.int32)],
        block=(16, 1, 1),
        kind="out-of-bounds",
        thread=(15, 0, 0),
        allocation=(64, 64),
    ),
    dict(
        name="global_in_device_function",
        source="""
struct row { float x, y, z; };
__device__ __noinline__ float third(const row *rows, int i)
{
    return rows[i].z; // HERE
}
__global__ void k(float *out, const row *rows, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i <= n) out[i] = third(rows, i);
}""",
        args=[np.zeros(65, F), np.ones(64 * 3, F), np.int32(64)],
        grid=(3, 1),
        block=(32, 1, 1),
        kind="out-of-bounds",
        block_index=(2, 0, 0),
        thread=(0, 0, 0),
    ),
    dict(
        name="pointer_in_memory",
        source="""
__global__ void k(float **rows)
{
    rows[0] = (float *)rows + 2;
    float *p = rows[0];
    p[threadIdx.x * 16] = 1.f; // HERE
}""",
        args=[64],
        block=(2, 1, 1),
        kind="out-of-bounds",
        thread=(1, 0, 0),
    ),
    dict(
        name="use_after_free",
        source="""
__global__ void k(float *gone)
{
    if (threadIdx.x == 7)
        gone[threadIdx.x] += 1.f; // HERE
}""",
        args=[(256,)],
        kind="use-after-free",
        thread=(7, 0, 0),
        allocation=(256, 28),
    ),
    dict(
        name="null",
        source="""
__global__ void k(float *out)
{
    out[2] = 1.f; // HERE
}""",
        args=[np.uintp(0)],
        block=(1, 1, 1),
        kind="null",
        thread=(0, 0, 0),
    ),
    dict(
        name="wild",
        source="""
__global__ void k(float *out)
{
    out[threadIdx.x] = 1.f; // HERE
}""",
        args=[np.uintp(0x123456789000)],
        block=(1, 1, 1),
        kind="wild-address",
        thread=(0, 0, 0),
    ),
    dict(
        name="misaligned",
        source="""
__global__ void k(char *bytes)
{
    int *p = (int *)(bytes + 4 * threadIdx.x + 2);
    if (threadIdx.x == 3)
        *p = 1; // HERE
}""",
        args=[np.zeros(64, np.uint8)],
        block=(4, 1, 1),
        kind="misaligned",
        thread=(3, 0, 0),
    ),
    dict(
        name="misaligned_float4",
        source="""
__global__ void k(float *in)
{
    float4 v = *(float4 *)(in + 1); // HERE
    in[0] = v.x + v.w;
}""",
        args=[ONES],
        block=(1, 1, 1),
        kind="misaligned",
        thread=(0, 0, 0),
    ),
    dict(
        name="misaligned_struct",
        source="""
__global__ void k(char *bytes)
{
    ((int2 *)bytes)[0] = *(int2 *)(bytes + 64 + 3); // HERE
}""",
        args=[np.zeros(128, np.uint8)],
        block=(1, 1, 1),
        kind="misaligned",
        thread=(0, 0, 0),
    ),
    dict(
        name="alloca",
        source="""
__global__ void k(int *out, int n)
{
    // __PYCUDA_CPU__ has alloca
    volatile int *a = (int *)__builtin_alloca(n * sizeof(int));
    for (int i = 0; i <= n; i++)
        a[i] = i; // HERE
    out[0] = a[0];
}""",
        args=[ONES, np.int32(8)],
        block=(1, 1, 1),
        kind="out-of-bounds",
        thread=(0, 0, 0),
    ),
    dict(
        name="shared_static",
        source="""
__global__ void k(float *out)
{
    __shared__ float before[64];
    __shared__ float tile[64];
    int i = threadIdx.x;
    before[i] = i;
    __syncthreads();
    tile[i + 1] = before[i]; // HERE
    __syncthreads();
    out[i] = tile[i];
}""",
        args=[ONES],
        kind="out-of-bounds",
        thread=(63, 0, 0),
        object="tile",
        text="after the end of the shared variable 'tile' of 256 bytes",
    ),
    dict(
        name="shared_dynamic",
        source="""
extern __shared__ int cells[];
__global__ void k(int *out)
{
    cells[2 * threadIdx.x] = 1; // HERE
    out[threadIdx.x] = cells[threadIdx.x];
}""",
        args=[np.zeros(64, np.int32)],
        shared=256,
        kind="out-of-bounds",
        thread=(32, 0, 0),
        text="after the end of the dynamic shared memory of 256 bytes",
    ),
    dict(
        name="shared_through_a_pointer",
        source="""
__device__ __noinline__ void put(int *p, int i) { p[i] = i; } // HERE
__global__ void k(int *out)
{
    __shared__ int a[32], b[32];
    put(threadIdx.x & 1 ? a : b, 0);
    if (threadIdx.x == 9) put(threadIdx.x & 1 ? a + 64 : b, 3);
    out[0] = a[0] + b[0];
}""",
        args=[np.zeros(64, np.int32)],
        block=(16, 1, 1),
        kind="out-of-bounds",
        thread=(9, 0, 0),
    ),
    dict(
        name="constant",
        source="""
__constant__ float table[16];
__global__ void k(float *out)
{
    int i = threadIdx.x;
    out[i] = table[i]; // HERE
}""",
        args=[ONES],
        block=(17, 1, 1),
        globals={"table": np.ones(16, F)},
        kind="out-of-bounds",
        thread=(16, 0, 0),
        object="table",
        text="after the end of the device variable 'table' of 64 bytes",
    ),
    dict(
        name="local",
        source="""
__global__ void k(int *out, int zero)
{
    int own[8];
    for (int i = 0; i < 8; i++) own[i] = i;
    own[zero + threadIdx.x] = 1; // HERE
    out[threadIdx.x] = own[zero + 3];
}""",
        args=[np.zeros(64, np.int32), np.int32(0)],
        block=(9, 1, 1),
        kind="out-of-bounds",
        thread=(8, 0, 0),
        object="own",
        text="after the end of the thread's own variable 'own' of 32 bytes",
    ),
    dict(
        name="device_malloc",
        source="""
__global__ void k(int *out)
{
    int *p = (int *)malloc(40);
    p[out[1]] = 1;
    p[out[0]] = 2; // HERE
    free(p);
}""",
        args=[np.array([10, 9], np.int32)],
        block=(1, 1, 1),
        kind="out-of-bounds",
        thread=(0, 0, 0),
    ),
    dict(
        name="device_malloc_after_free",
        source="""
__global__ void k(int *out)
{
    int *p = (int *)malloc(40);
    free(p);
    int *q = (int *)malloc(40);
    q[0] = out[0];
    p[out[0]] = 2; // HERE
    free(q);
}""",
        args=[np.array([3], np.int32)],
        block=(1, 1, 1),
        kind="use-after-free",
        thread=(0, 0, 0),
    ),
    dict(
        name="device_malloc_long_after_free",
        source="""
__global__ void k(int *out)
{
    int *p = (int *)malloc(40);
    free(p);
    for (int i = 0; i < 2000; i++) {
        int *q = (int *)malloc(40);
        q[0] = i;
        free(q);
    }
    out[0] = p[out[0]]; // HERE
}""",
        args=[np.array([3], np.int32)],
        block=(1, 1, 1),
        kind="use-after-free",
        thread=(0, 0, 0),
    ),
    dict(
        name="memcpy",
        source="""
struct big { float v[20]; };
__global__ void k(big *to, const big *from)
{
    to[threadIdx.x] = from[threadIdx.x]; // HERE
}""",
        args=[np.zeros(40, F), np.zeros(60, F)],
        block=(3, 1, 1),
        kind="out-of-bounds",
        thread=(2, 0, 0),
    ),
    dict(
        name="in_barrier_loop",
        source="""
__global__ void k(float *data, int n)
{
    extern __shared__ float s[];
    s[threadIdx.x] = data[threadIdx.x];
    for (int step = blockDim.x / 2; step; step >>= 1) {
        __syncthreads();
        if (threadIdx.x <= step)
            s[threadIdx.x] += s[threadIdx.x + step]; // HERE
    }
    data[threadIdx.x] = s[threadIdx.x];
}""",
        args=[ONES, np.int32(64)],
        shared=256,
        kind="out-of-bounds",
        thread=(32, 0, 0),
    ),
    dict(
        name="two_dimensions",
        source="""
__global__ void k(float *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y <= height)
        image[y * width + x] = 0; // HERE
}""",
        args=[np.zeros(20 * 20, F), np.int32(20), np.int32(20)],
        grid=(2, 3),
        block=(16, 8, 1),
        kind="out-of-bounds",
        block_index=(0, 2, 0),
        thread=(0, 4, 0),
    ),
    dict(
        name="shared_row_beyond_its_end_in_a_later_block",
        source="""
__global__ void k(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t + (blockIdx.x == 3)]; // HERE
}""",
        args=[64 * 5 * 4],
        grid=(5, 1),
        kind="out-of-bounds",
        block_index=(3, 0, 0),
        thread=(63, 0, 0),
        object="s",
    ),
    dict(
        name="row_whose_index_wraps",
        source="""
__global__ void k(float *out, unsigned from, int n)
{
    float *p = out - from;
    for (int i = 0; i < n; i++)
        p[from + i] = 1; // HERE
}""",
        args=[ONES, np.uint32(0xFFFFFFF8), np.int32(10)],
        block=(1, 1, 1),
        kind="out-of-bounds",
        thread=(0, 0, 0),
    ),
    dict(
        name="shared_row_alone_beyond_its_end_in_a_later_block",
        source="""
__global__ void k(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t + (blockIdx.x == 3)] = t; // HERE
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}""",
        args=[64 * 5 * 4],
        grid=(5, 1),
        kind="out-of-bounds",
        block_index=(3, 0, 0),
        thread=(63, 0, 0),
        object="s",
    ),
]
