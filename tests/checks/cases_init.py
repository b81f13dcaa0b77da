"""Kernels that read uninitialized memory; `HERE` marks the read."""

# SPDX-License-Identifier: MIT

import numpy as np

F = np.float32
IN = np.arange(64, dtype=F)

CASES = [
    dict(
        name="global",
        source="""
__global__ void k(float *out, const float *in)
{
    int i = threadIdx.x;
    out[i] = 2 * in[i]; // HERE
}""",
        args=[256, 256],
        kind="uninitialised-global",
        thread=(0, 0, 0),
    ),
    dict(
        name="global_tail",
        source="""
__global__ void k(float *a)
{
    int i = threadIdx.x;
    if (i < 60) a[i] = i;
    __syncthreads();
    a[i] += 1; // HERE
}""",
        args=[256],
        kind="uninitialised-global",
        thread=(60, 0, 0),
    ),
    dict(
        name="global_amid_much",
        source="""
__global__ void k(float *out, const float *in, int at)
{
    out[threadIdx.x] = in[at + threadIdx.x]; // HERE
}""",
        args=[256, 1 << 20, np.int32(100000)],
        kind="uninitialised-global",
        thread=(0, 0, 0),
        allocation=(1 << 20, 400000),
    ),
    dict(
        name="global_bytes",
        source="""
__global__ void k(unsigned char *a, int *out)
{
    a[4 * threadIdx.x] = 1;
    a[4 * threadIdx.x + 1] = 1;
    a[4 * threadIdx.x + 3] = 1;
    out[threadIdx.x] = ((int *)a)[threadIdx.x]; // HERE
}""",
        args=[64, 64],
        block=(16, 1, 1),
        kind="uninitialised-global",
        thread=(0, 0, 0),
    ),
    dict(
        name="wide_words_of_which_one_has_no_part",
        source="""
__global__ void k(unsigned __int128 *a, int *out, const int *at)
{
    int i = threadIdx.x;
    if (i != 7) ((int *)&a[i])[2] = i;
    __syncthreads();
    unsigned __int128 v = a[at[i]]; // HERE
    out[i] = (int)(v * v >> 70);
}""",
        args=[64 * 16, 256, np.arange(64, dtype=np.int32)],
        kind="uninitialised-global",
        thread=(7, 0, 0),
    ),
    dict(
        name="copied_from_unwritten",
        source="""
struct pair { float x, y; };
__global__ void k(pair *a, pair *b, float *out)
{
    int i = threadIdx.x;
    a[i].x = 1.f;
    b[i] = a[i];
    out[i] = b[i].x;
    out[i] += b[i].y; // HERE
}""",
        args=[64, 64, 64],
        block=(8, 1, 1),
        kind="uninitialised-global",
        thread=(0, 0, 0),
    ),
    dict(
        name="copied_through_a_local",
        source="""
struct pair { float x, y; };
__global__ void k(pair *a, pair *b, float *out)
{
    int i = threadIdx.x;
    a[i].x = 1.f;
    const pair p = a[i];
    b[i] = p;
    out[i] = b[i].x;
    out[i] += b[i].y; // HERE
}""",
        args=[64, 64, 64],
        block=(8, 1, 1),
        kind="uninitialised-global",
        thread=(0, 0, 0),
    ),
    dict(
        name="atomic_counter",
        source="""
__global__ void k(int *counter)
{
    atomicAdd(counter, 1); // HERE
}""",
        args=[4],
        kind="uninitialised-global",
        thread=(0, 0, 0),
    ),
    dict(
        name="shared",
        source="""
__global__ void k(float *out)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    if (i) s[i] = i;
    __syncthreads();
    out[i] = s[i ^ 1]; // HERE
}""",
        args=[256],
        kind="uninitialised-shared",
        thread=(1, 0, 0),
        object="s",
    ),
    dict(
        name="shared_dynamic_each_block",
        source="""
extern __shared__ float s[];
__global__ void k(float *out)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0) s[i] = i;
    __syncthreads();
    out[i + 64 * blockIdx.x] = s[i]; // HERE
}""",
        args=[512],
        grid=(2, 1),
        shared=256,
        kind="uninitialised-shared",
        block_index=(1, 0, 0),
        thread=(0, 0, 0),
    ),
    dict(
        name="local_array",
        source="""
__global__ void k(float *out, const int *index)
{
    float own[8];
    for (int i = 0; i < 7; i++) own[i] = i;
    out[threadIdx.x] = own[index[threadIdx.x]]; // HERE
}""",
        args=[256, np.arange(8, dtype=np.int32)],
        block=(8, 1, 1),
        kind="uninitialised-local",
        thread=(7, 0, 0),
        object="own",
    ),
    dict(
        name="local_scalar",
        source="""
__global__ void k(float *out, const float *in)
{
    float sum;
    for (int i = 0; i < 4; i++)
        sum += in[i]; // HERE
    out[threadIdx.x] = sum;
}""",
        args=[256, IN],
        kind="uninitialised-value",
        thread=(0, 0, 0),
    ),
    dict(
        name="local_on_one_path",
        source="""
__global__ void k(int *out, int n)
{
    int v;
    if (threadIdx.x < n) v = threadIdx.x;
    out[threadIdx.x] = v; // HERE
}""",
        args=[256, np.int32(62)],
        kind="uninitialised-value",
        thread=(62, 0, 0),
    ),
    dict(
        name="local_branch",
        source="""
__global__ void k(int *out, int n)
{
    bool found;
    for (int i = 0; i < n; i++) found = out[i] == 1;
    if (found) // HERE
        out[0] = 2;
}""",
        args=[np.zeros(64, np.int32), np.int32(0)],
        block=(1, 1, 1),
        kind="uninitialised-value",
        thread=(0, 0, 0),
    ),
    dict(
        name="device_malloc",
        source="""
__global__ void k(int *out)
{
    int *p = (int *)malloc(16);
    p[0] = 1;
    out[0] = p[0];
    out[1] = p[1]; // HERE
    free(p);
}""",
        args=[64],
        block=(1, 1, 1),
        kind="uninitialised-global",
        thread=(0, 0, 0),
    ),
    dict(
        name="shared_row_that_one_block_leaves_short",
        source="""
__global__ void k(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64 - (blockIdx.x == 2)) s[t] = t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t]; // HERE
}""",
        args=[64 * 5 * 4],
        grid=(5, 1),
        kind="uninitialised-shared",
        block_index=(2, 0, 0),
        thread=(63, 0, 0),
        object="s",
    ),
    dict(
        name="shared_word_read_by_its_index_in_a_later_block",
        source="""
__global__ void k(int *out, int *at)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 63) s[t] = t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[at[blockIdx.x * 64 + t]]; // HERE
}""",
        args=[
            64 * 5 * 4,
            np.where(np.arange(320) == 3 * 64 + 7, 63, 5).astype(np.int32),
        ],
        grid=(5, 1),
        kind="uninitialised-shared",
        block_index=(3, 0, 0),
        thread=(7, 0, 0),
        object="s",
    ),
    dict(
        name="copied_through_a_local_that_is_looked_at",
        source="""
struct pair { float x, y; };
__global__ void k(pair *a, pair *b, float *out)
{
    int i = threadIdx.x;
    a[i].x = 1.f;
    const pair p = a[i];
    if (p.x > 0) b[i] = p;
    out[i] = b[i].x;
    out[i] += b[i].y; // HERE
}""",
        args=[512, 512, 256],
        kind="uninitialised-global",
        thread=(0, 0, 0),
    ),
    # A copy of shared memory applies the deferred updates of its state.
    dict(
        name="struct_in_shared_memory_that_one_block_leaves_short",
        source="""
struct big { int v[40]; };
__global__ void k(int *out)
{
    __shared__ big s;
    int t = threadIdx.x;
    if (t < 40 - (blockIdx.x == 3)) s.v[t] = t;
    __syncthreads();
    big own = s;
    own.v[t % 7] = t;
    out[blockIdx.x * 64 + t] = own.v[t % 40]; // HERE
}""",
        args=[64 * 5 * 4],
        grid=(5, 1),
        kind="uninitialised-local",
        block_index=(3, 0, 0),
        thread=(39, 0, 0),
    ),
]
