"""Kernels with data races; `HERE` marks the second access, `OTHER` the first.

"First" and "second" are in the order in which the CPU device runs threads.
"""

# SPDX-License-Identifier: MIT

import numpy as np

F = np.float32
IN = np.arange(64, dtype=F)
OUT = np.zeros(256, F)

CASES = [
    dict(
        name="missing_barrier",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = in[i]; // HERE
    out[i] = s[63 - i]; // OTHER
}""",
        args=[OUT, IN],
        kind="shared-race",
        thread=(32, 0, 0),
        other=(31, 0, 0),
    ),
    dict(
        name="second_barrier_missing",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    for (int turn = 0; turn < 4; turn++) {
        s[i] = in[i] + turn; // HERE
        __syncthreads();
        out[i] += s[(i + 1) % 64]; // OTHER
    }
}""",
        args=[OUT, IN],
        kind="shared-race",
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="reduction_in_place",
        source="""
__global__ void k(float *out, const float *in)
{
    extern __shared__ float s[];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    for (int step = 32; step; step >>= 1) {
        if (i < step)
            s[i] += s[i + step]; // HERE OTHER
    }
    if (i == 0) out[0] = s[0];
}""",
        args=[OUT, IN],
        shared=256,
        kind="shared-race",
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="all_write_one",
        source="""
__global__ void k(float *out)
{
    __shared__ int last;
    last = threadIdx.x; // HERE OTHER
    __syncthreads();
    out[threadIdx.x] = last;
}""",
        args=[OUT],
        kind="shared-race",
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="global_neighbours",
        source="""
__global__ void k(float *a)
{
    int i = threadIdx.x;
    if (i < 63)
        a[i] = a[i + 1]; // HERE OTHER
}""",
        args=[IN],
        kind="global-race",
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="sum_without_atomics",
        source="""
__global__ void k(float *total, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        *total += in[i] + 1; // HERE OTHER
}""",
        args=[OUT, IN],
        grid=(4, 1),
        block=(16, 1, 1),
        kind="block-race",
        thread=(0, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="read_of_another_blocks_result",
        source="""
__global__ void k(float *out)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        out[b] = b + 1;
        if (b == 3) out[16] = out[0]; // HERE
    }
}""",
        args=[OUT],
        grid=(4, 1),
        kind="block-race",
        block_index=(3, 0, 0),
        thread=(0, 0, 0),
    ),
    dict(
        name="atomic_against_plain",
        source="""
__global__ void k(int *counter, int *out)
{
    atomicAdd(counter, 1);
    out[threadIdx.x] = *counter; // OTHER
}""",
        args=[np.zeros(1, np.int32), np.zeros(64, np.int32)],
        kind="global-race",
        anywhere=True,
    ),
    dict(
        name="warps_without_syncwarp",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float s[32];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncwarp();
    s[i] += s[i ^ 1]; // HERE OTHER
    __syncwarp();
    out[i] = s[i];
}""",
        args=[OUT, IN],
        block=(32, 1, 1),
        kind="shared-race",
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="syncwarp_is_not_enough",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncwarp();
    out[i] = s[(i + 32) % 64];
}""",
        args=[OUT, IN],
        kind="shared-race",
        anywhere=True,
    ),
    dict(
        name="flag_without_fence",
        source="""
__global__ void k(float *data, int *flag)
{
    if (blockIdx.x == 0) {
        data[0] = 42.f; // OTHER
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) { }
        data[1] = data[0]; // HERE
    }
}""",
        args=[OUT, np.zeros(1, np.int32)],
        grid=(2, 1),
        block=(1, 1, 1),
        kind="block-race",
        block_index=(1, 0, 0),
        thread=(0, 0, 0),
        other=(0, 0, 0),
    ),
]
