"""Kernels that use memory of the device heap after another owner freed it.

They run under the race check alone: with memory checks, freed memory is not
reused for a while. Cases without a `kind` are correct.
"""

# SPDX-License-Identifier: MIT

import numpy as np

OUT = np.zeros(64 * 9, np.float32)

CASES = [
    dict(
        name="rows_that_earlier_blocks_read",
        source="""
__global__ void k(float *out)
{
    __shared__ float *p;
    int i = threadIdx.x;
    if (i == 0) p = (float *)malloc(256);
    __syncthreads();
    float *own = p;
    __syncthreads();
    own[i] = i;
    __syncthreads();
    out[blockIdx.x * 64 + i] = own[63 - i];
    __syncthreads();
    out[blockIdx.x * 64 + i] += own[i];
    __syncthreads();
    if (i == 0) free(p);
}""",
        args=[OUT],
        grid=(9, 1),
    ),
    dict(
        name="words_that_other_threads_had",
        source="""
__global__ void k(float *out)
{
    int i = threadIdx.x, sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        int *p = (int *)malloc(32);
        for (int j = 0; j < 8; j++)
            p[j] = i + turn;
        for (int j = 0; j < 8; j++)
            sum += p[(i + j * turn) % 8];
        free(p);
    }
    out[i] = sum;
}""",
        args=[OUT],
    ),
    dict(
        name="a_word_that_other_threads_had_and_two_have_now",
        source="""
__global__ void k(float *out)
{
    __shared__ int *p;
    int i = threadIdx.x;
    int *q = (int *)malloc(32);
    q[i & 7] = i;
    out[i] = q[i & 7];
    free(q);
    __syncthreads();
    if (i == 0) p = (int *)malloc(32);
    __syncthreads();
    if (i == 9) p[3] = i; // OTHER
    if (i == 11) p[3] = i; // HERE
    __syncthreads();
    if (i == 0) free(p);
}""",
        args=[OUT],
        kind="global-race",
        thread=(11, 0, 0),
        other=(9, 0, 0),
    ),
    dict(
        name="a_row_that_an_earlier_block_had_and_another_writes",
        source="""
__device__ float *volatile kept;
__global__ void k(float *out)
{
    __shared__ float *p;
    int i = threadIdx.x;
    if (blockIdx.x == 8) {
        if (i == 63) kept[21] = 1; // HERE
        return;
    }
    if (i == 0) p = (float *)malloc(256);
    __syncthreads();
    p[i] = i; // OTHER
    __syncthreads();
    out[blockIdx.x * 64 + i] = p[i];
    __syncthreads();
    if (i == 0 && blockIdx.x == 7) kept = p;
    if (i == 0 && blockIdx.x < 7) free(p);
}""",
        args=[OUT],
        grid=(9, 1),
        kind="block-race",
        block_index=(8, 0, 0),
        thread=(63, 0, 0),
        other=(21, 0, 0),
    ),
]
