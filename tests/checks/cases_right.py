"""Correct kernels: no check may report anything."""

# SPDX-License-Identifier: MIT

import numpy as np

F = np.float32
IN = np.arange(64, dtype=F)
OUT = np.zeros(256, F)
INTS = np.arange(256, dtype=np.int32)

CASES = [
    dict(
        name="saxpy_with_guard",
        source="""
__global__ void k(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}""",
        args=[np.ones(50, F), np.ones(50, F), F(2), np.int32(50)],
        grid=(2, 1),
        block=(32, 1, 1),
    ),
    dict(
        name="grid_stride",
        source="""
__global__ void k(float *y, const float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x)
        y[i] = x[i] * x[i];
}""",
        args=[400, np.ones(100, F), np.int32(100)],
        grid=(2, 1),
        block=(16, 1, 1),
    ),
    dict(
        name="reduction_in_shared",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = in[i + 64 * blockIdx.x];
    __syncthreads();
    for (int step = 32; step; step >>= 1) {
        if (i < step) s[i] += s[i + step];
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = s[0];
}""",
        args=[16, np.ones(256, F)],
        grid=(4, 1),
    ),
    dict(
        name="reduction_by_shuffles",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float part[2];
    float v = in[threadIdx.x];
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = part[0] + part[1];
}""",
        args=[4, IN],
    ),
    dict(
        name="reduction_last_warp_with_syncwarp",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    if (i < 32) {
        float v = s[i];
        v += s[i + 32]; __syncwarp(); s[i] = v; __syncwarp();
        for (int d = 16; d; d >>= 1) {
            v += s[i ^ d]; __syncwarp(); s[i] = v; __syncwarp();
        }
        if (i == 0) out[0] = s[0];
    }
}""",
        args=[4, IN],
    ),
    dict(
        name="warp_synchronous_volatile",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ volatile float s[64];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    if (i < 32) {
        s[i] += s[i + 32];
        if (i == 0) out[0] = s[0];
    }
}""",
        args=[4, IN],
    ),
    dict(
        name="scan_two_buffers",
        source="""
__global__ void k(float *data)
{
    extern __shared__ float s[];
    int i = threadIdx.x, n = blockDim.x, from = 0;
    s[i] = data[i];
    __syncthreads();
    for (int d = 1; d < n; d <<= 1) {
        int to = 1 - from;
        s[to * n + i] = s[from * n + i] + (i >= d ? s[from * n + i - d] : 0);
        from = to;
        __syncthreads();
    }
    data[i] = s[from * n + i];
}""",
        args=[IN],
        shared=512,
    ),
    dict(
        name="histogram",
        source="""
__global__ void k(int *hist, const int *in, int n)
{
    __shared__ int own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n;
         i += blockDim.x * gridDim.x)
        atomicAdd(&own[in[i] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&hist[threadIdx.x], own[threadIdx.x]);
}""",
        args=[np.zeros(16, np.int32), INTS, np.int32(256)],
        grid=(3, 1),
    ),
    dict(
        name="transpose_tile",
        source="""
__global__ void k(float *out, const float *in, int n)
{
    __shared__ float t[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 8 + threadIdx.x;
    y = blockIdx.x * 8 + threadIdx.y;
    out[y * n + x] = t[threadIdx.x][threadIdx.y];
}""",
        args=[1024, np.ones(256, F), np.int32(16)],
        grid=(2, 2),
        block=(8, 8, 1),
    ),
    dict(
        name="matmul_tiled",
        source="""
__global__ void k(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[8][8], bs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
    float sum = 0;
    for (int t = 0; t < n / 8; t++) {
        as[ty][tx] = a[y * n + t * 8 + tx];
        bs[ty][tx] = b[(t * 8 + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < 8; i++) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}""",
        args=[1024, np.ones(256, F), np.ones(256, F), np.int32(16)],
        grid=(2, 2),
        block=(8, 8, 1),
    ),
    dict(
        name="early_return_then_barrier",
        source="""
__global__ void k(float *out, int n)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    if (i >= n) return;
    s[i] = i;
    __syncthreads();
    out[i] = s[n - 1 - i];
}""",
        args=[256, np.int32(50)],
    ),
    dict(
        name="partial_masks",
        source="""
__global__ void k(int *out)
{
    int i = threadIdx.x, v = i;
    if (i < 16) v = __shfl_xor_sync(0xffff, v, 1);
    else v = __shfl_xor_sync(0xffff0000, v, 2);
    unsigned odd = __ballot_sync(0xffffffff, v & 1);
    out[i] = v + __popc(odd);
}""",
        args=[128],
        block=(32, 1, 1),
    ),
    dict(
        name="small_block_full_mask",
        source="""
__global__ void k(int *out)
{
    out[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 3);
    __syncwarp();
}""",
        args=[80],
        block=(20, 1, 1),
    ),
    dict(
        name="barrier_in_uniform_branches",
        source="""
__global__ void k(float *out, int n)
{
    __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    if (n > 3) {
        __syncthreads();
        out[threadIdx.x] = s[63 - threadIdx.x];
    } else {
        __syncthreads();
        out[threadIdx.x] = s[0];
    }
    for (int i = 0; i < n; i++) {
        __syncthreads();
        if (i == 2) break;
    }
}""",
        args=[256, np.int32(5)],
    ),
    dict(
        name="last_block_reduces",
        source="""
__device__ unsigned int done;
__global__ void k(float *part, float *out, const float *in)
{
    __shared__ bool last;
    __shared__ float s[32];
    int i = threadIdx.x, b = blockIdx.x;
    s[i] = in[b * 32 + i];
    __syncthreads();
    if (i == 0) {
        float sum = 0;
        for (int k = 0; k < 32; k++) sum += s[k];
        part[b] = sum;
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && i == 0) {
        float sum = 0;
        for (int k = 0; k < gridDim.x; k++) sum += part[k];
        out[0] = sum;
    }
}""",
        args=[32, 4, np.ones(256, F)],
        grid=(8, 1),
        block=(32, 1, 1),
    ),
    dict(
        name="lock_between_blocks",
        source="""
__global__ void k(int *lock, int *total)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { }
        __threadfence();
        total[0] += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}""",
        args=[np.zeros(1, np.int32), np.zeros(1, np.int32)],
        grid=(6, 1),
        block=(4, 1, 1),
    ),
    dict(
        name="compare_and_swap_loop",
        source="""
__device__ double add(double *address, double value)
{
    unsigned long long *bits = (unsigned long long *)address;
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed,
            __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void k(double *sum) { add(sum, threadIdx.x); }""",
        args=[np.zeros(1)],
        grid=(3, 1),
    ),
    dict(
        name="flag_set_by_many",
        source="""
__global__ void k(int *found, const int *in)
{
    if (in[threadIdx.x] % 7 == 0) *found = 1;
}""",
        args=[np.zeros(1, np.int32), INTS],
    ),
    dict(
        name="bytes_of_one_word",
        source="""
__global__ void k(unsigned char *out)
{
    out[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] += out[threadIdx.x] & 1;
}""",
        args=[64],
    ),
    dict(
        name="recursion",
        source="""
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k(int *out) { out[threadIdx.x] = fib(threadIdx.x % 8); }""",
        args=[256],
    ),
    dict(
        name="virtual_functions",
        source="""
struct shape { __device__ virtual int area() const = 0; };
struct square : shape {
    int side;
    __device__ square(int s) : side(s) { }
    __device__ int area() const { return side * side; }
};
struct strip : shape {
    __device__ int area() const { return 5; }
};
extern "C" __global__ void k(int *out)
{
    square a(threadIdx.x); strip b;
    const shape *s = threadIdx.x & 1 ? (const shape *)&a : &b;
    out[threadIdx.x] = s->area();
}""",
        cpp=True,
        args=[256],
    ),
    dict(
        name="device_and_constant_variables",
        source="""
__constant__ float weights[4];
__device__ int counter;
__device__ float scale = 2.f;
__global__ void k(float *out)
{
    out[threadIdx.x] = weights[threadIdx.x & 3] * scale;
    atomicAdd(&counter, 1);
}""",
        globals={"weights": np.ones(4, F)},
        args=[256],
    ),
    dict(
        name="device_heap_and_printf",
        source="""
__global__ void k(int *out)
{
    int *p = (int *)malloc(8 * sizeof(int));
    for (int i = 0; i < 8; i++) p[i] = i;
    out[threadIdx.x] = p[threadIdx.x & 7];
    if (threadIdx.x == 0) printf("%d %s\\n", p[3], "text");
    free(p);
}""",
        args=[256],
    ),
    dict(
        name="device_heap_used_again",
        source="""
__global__ void k(int *out)
{
    for (int i = 0; i < 8; i++) {
        int *p = (int *)malloc(32);
        for (int j = 0; j < 8; j++)
            p[j] = threadIdx.x;
        out[threadIdx.x] = p[i];
        free(p);
        __syncwarp();
    }
}""",
        args=[4096],
        block=(1024, 1, 1),
    ),
    dict(
        name="producer_and_consumer_in_a_block",
        source="""
__global__ void k(float *out)
{
    __shared__ volatile int ready;
    __shared__ float value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 7.f;
        __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready) { }
        __threadfence_block();
        out[0] = value;
    }
}""",
        args=[4],
    ),
    dict(
        name="lambda_and_template",
        source="""
template <class Op> __device__ float apply(float v, Op op) { return op(v); }
extern "C" __global__ void k(float *out, float a)
{
    auto twice = [=](float v) { return a * v; };
    out[threadIdx.x] = apply((float)threadIdx.x, twice);
}""",
        cpp=True,
        args=[256, F(2)],
    ),
    dict(
        name="end_pointer_parameter",
        source="""
__global__ void k(const float *begin, const float *end, float *out)
{
    float sum = 0;
    for (const float *p = end; p != begin;) sum += *--p;
    out[threadIdx.x] = sum;
}""",
        args=[],
        special="end_pointer",
    ),
    dict(
        name="rows_between_rows",
        source="""
__global__ void k(float *out, const float *in, int n)
{
    __shared__ float s[128];
    int i = threadIdx.x;
    float sum = 0;
    s[2 * i] = in[i];
    s[2 * i + 1] = in[i] + 1;
    for (int j = 0; j < n; j++)
        sum += s[2 * i] * j;
    s[2 * i + 1] += sum;
    __syncthreads();
    out[i] = s[127 - i];
}""",
        args=[OUT, IN, np.int32(4)],
        times=2,
    ),
    dict(
        name="row_of_one_thread_for_its_warp",
        source="""
__global__ void k(float *out, int n)
{
    __shared__ float s[32];
    int i = threadIdx.x;
    float sum = 0;
    if (i == 0)
        for (int j = 0; j < n; j++) s[j] = j;
    __syncwarp();
    for (int j = 0; j < n; j++) sum += s[j];
    out[i] = sum;
}""",
        args=[OUT, np.int32(32)],
        block=(32, 1, 1),
    ),
    dict(
        name="bytes_read_in_one_launch_written_in_the_next",
        source="""
__global__ void k(int *out, unsigned char *bytes, int turn)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = bytes[i];
    bytes[i] = i;
}""",
        args=[4 * 128, np.ones(128, np.uint8), np.int32(0)],
        grid=(4, 1),
        block=(32, 1, 1),
        times=3,
    ),
    dict(
        name="bins_of_bytes",
        source="""
__global__ void k(unsigned *bins, const unsigned char *bytes, int n)
{
    __shared__ unsigned own[64];
    int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64)
        atomicAdd(&own[bytes[i] % 64], 1);
    __syncthreads();
    atomicAdd(&bins[t], own[t]);
}""",
        args=[
            np.zeros(64, np.uint32),
            np.arange(1003, dtype=np.uint8),
            np.int32(1003),
        ],
        grid=(3, 1),
        times=2,
    ),
    dict(
        name="read_by_all_written_in_the_next_launch",
        source="""
__global__ void k(float *to, float *from)
{
    int i = threadIdx.x;
    float sum = from[i] + from[(i + 1) % 64];
    to[64 * blockIdx.x + i] = sum;
}""",
        args=[OUT, IN],
        grid=(4, 1),
        times=2,
    ),
    dict(
        name="warps_meet_in_each_round_of_a_counted_loop",
        source="""
__global__ void k(unsigned *out, int rounds)
{
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, sum = 0;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        s[t] = t * i;
        __syncwarp();
        sum += s[t ^ 31];
        __syncwarp();
    }
    out[t] = sum;
}""",
        args=[np.zeros(64, np.uint32), np.int32(3)],
    ),
    dict(
        name="blocks_that_do_different_things_to_shared_memory",
        source="""
__global__ void k(int *out, int *at)
{
    __shared__ int s[64], r[64];
    int t = threadIdx.x, sum = 0;
    s[t] = t;
    for (int i = 0; i < blockIdx.x % 3; i++) {
        __syncthreads();
        r[t] = s[63 - t];
        __syncthreads();
        s[t] = r[t] + i;
    }
    if (blockIdx.x % 4 == 1) sum = s[t];
    __syncthreads();
    if (blockIdx.x % 2) sum += s[at[t]];
    out[blockIdx.x * 64 + t] = sum;
}""",
        args=[64 * 13 * 4, np.arange(63, -1, -1, dtype=np.int32)],
        grid=(13, 1),
    ),
    dict(
        # The rows of its loops are checked on a stack without free space.
        name="local_arrays_that_take_much_of_the_stack",
        source="""
__global__ void k(int *out, int zero)
{
    int t = threadIdx.x, sum = 0;
    for (int j = 0; j < 10 + zero; j++) sum += j * t;
    volatile int a[2048];
    a[t] = 1;
    a[2047 - t] = 2;
    sum += a[t];
    sum += __syncthreads_or(t == 3);
    out[t] = sum;
}""",
        args=[256, np.int32(0)],
    ),
    dict(
        name="a_word_handed_on_after_its_row_was_read",
        source="""
__global__ void k(float *out, float *in, int *flag, int at)
{
    int i = threadIdx.x;
    out[i] = in[i];
    __syncwarp();
    if (i == 3) {
        in[at] = 5;
        __threadfence();
        atomicExch(flag, 1);
    }
    __syncwarp();
    if (i == 40 && atomicAdd(flag, 0)) in[at] = 6;
}""",
        args=[OUT, IN, np.zeros(1, np.int32), np.int32(7)],
    ),
    dict(
        name="rows_read_by_others_and_then_written",
        source="""
__global__ void k(float *out, float *in)
{
    int i = threadIdx.x;
    float v = in[63 - i] + in[i];
    __syncthreads();
    if (i < 40) in[i + 1] = v;
    __syncthreads();
    out[i] = in[i];
    __syncthreads();
    if (i == 0) in[30] = v;
}""",
        args=[OUT, IN],
    ),
    dict(
        name="rows_of_the_heap_that_others_read_before",
        source="""
__global__ void k(float *out)
{
    __shared__ float *p;
    int i = threadIdx.x;
    if (i == 0) p = (float *)malloc(256);
    __syncthreads();
    p[i] = i;
    __syncthreads();
    out[blockIdx.x * 64 + i] = p[63 - i];
    __syncthreads();
    out[blockIdx.x * 64 + i] += p[i];
    __syncthreads();
    if (i == 0) free(p);
}""",
        args=[64 * 9 * 4],
        grid=(9, 1),
    ),
    dict(
        name="words_that_all_read_when_each_has_written_one",
        source="""
__global__ void k(int *out, int *a, int n)
{
    int i = threadIdx.x, sum = 0;
    a[i] = i;
    __syncthreads();
    for (int k = 0; k < n; k++) sum += a[k];
    out[i] = sum + a[5];
}""",
        args=[256, 256, np.int32(64)],
    ),
    dict(
        name="row_of_which_each_thread_writes_one",
        source="""
__global__ void k(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    for (int i = 0; i < n; i++)
        if (i == t || in[i] == t) out[i] = t;
}""",
        args=[np.zeros(64, np.int32), np.full(64, 77, np.int32), np.int32(64)],
    ),
    dict(
        name="atomic_stores_and_loads",
        source="""
__global__ void k(int *flag, int *out)
{
    if (threadIdx.x == 0)
        __atomic_store_n(flag, 1, __ATOMIC_RELAXED); // __PYCUDA_CPU__
    out[threadIdx.x] = __atomic_load_n(flag, __ATOMIC_RELAXED);
}""",
        args=[np.zeros(1, np.int32), 256],
    ),
    dict(
        name="device_heap_blocks_where_smaller_ones_were",
        source="""
__global__ void k(int *out, int n)
{
    char *small[16];
    for (int i = 0; i < 16; i++) small[i] = (char *)malloc(2000);
    for (int i = 0; i < 16; i++) free(small[i]);
    for (int i = 0; i < 20; i++) free(malloc(1 << 20));
    for (int i = 0; i < 4; i++) {
        int *p = (int *)malloc(4 * n);
        for (int j = n / 2; j < n; j++) p[j] = j;
        out[i] = p[n - 1 - i];
    }
}""",
        args=[np.zeros(4, np.int32), np.int32(2000)],
        block=(1, 1, 1),
    ),
    dict(
        name="named_barrier_of_all_threads",
        source="""
__global__ void k(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = s[63 - threadIdx.x];
}""",
        args=[np.zeros(64, np.int32)],
        block=(64, 1, 1),
    ),
]
