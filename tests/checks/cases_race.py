"""Kernels with data races; `HERE` marks the second access, `OTHER` the first.

"First" and "second" are in the order in which the CPU device runs threads.
"""

# SPDX-License-Identifier: MIT

import numpy as np

F = np.float32
IN = np.arange(64, dtype=F)
OUT = np.zeros(256, F)
N3 = np.int32(3)

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
    # Correct on a GPU only while the threads of a warp happen to run in
    # lockstep.
    dict(
        name="lanes_read_before_the_first_one_writes",
        source="""
__global__ void k(float *out, const float *in)
{
    __shared__ float s;
    int i = threadIdx.x;
    if (i == 0)
        s = in[0];
    __syncthreads();
    float v = s; // HERE
    if (i == 0)
        s = v + 1; // OTHER
    out[i] = v;
}""",
        args=[OUT, IN],
        block=(32, 1, 1),
        kind="shared-race",
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="lanes_read_global_memory_before_one_writes",
        source="""
__global__ void k(float *out, const float *in)
{
    int i = threadIdx.x;
    float v = out[0]; // HERE
    if (i == 0)
        out[0] = v + 1; // OTHER
    out[64 + i] = v;
}""",
        args=[OUT, IN],
        block=(32, 1, 1),
        kind="global-race",
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
        name="row_that_another_block_has_read",
        source="""
__global__ void k(float *a, float *out)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0)
        out[i] = a[2 * i]; // OTHER
    else
        a[2 * i] = i; // HERE
}""",
        args=[512, OUT],
        grid=(2, 1),
        kind="block-race",
        thread=(0, 0, 0),
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
    # Rows of shared memory are compared as a whole; otherwise accesses are
    # recorded word by word: a single access, more rows than are stored, a
    # point where lanes reconverge.
    dict(
        name="row_then_single_reads",
        source="""
__global__ void k(float *out, const float *in, const int *order, int n)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    float sum = 0;
    s[i] = in[i]; // OTHER
    for (int j = 0; j < n; j++)
        sum += s[order[i] ^ j]; // HERE
    out[i] = sum;
}""",
        args=[OUT, IN, np.arange(64, dtype=np.int32)[::-1].copy(), N3],
        kind="shared-race",
        thread=(0, 0, 0),
        other=(63, 0, 0),
    ),
    dict(
        name="row_then_shifted_rows",
        source="""
__global__ void k(float *out, const float *in, int n)
{
    __shared__ float s[80];
    int i = threadIdx.x;
    float sum = 0;
    s[i] = in[i]; // OTHER
    for (int j = 0; j < n; j++)
        sum += s[i + j]; // HERE
    out[i] = sum;
}""",
        args=[OUT, IN, N3],
        kind="shared-race",
        thread=(0, 0, 0),
        other=(1, 0, 0),
    ),
    dict(
        name="rows_then_shifted_writes",
        source="""
__global__ void k(float *out, const float *in, int n)
{
    __shared__ float s[80];
    int i = threadIdx.x;
    float sum = 0;
    s[i] = in[i];
    if (i < 16) s[i + 64] = 0;
    __syncthreads();
    for (int j = 0; j < n; j++)
        sum += s[i + j]; // OTHER
    for (int j = 0; j < n; j++)
        s[i + j] = sum + j; // HERE
    __syncthreads();
    out[i] = s[i];
}""",
        args=[OUT, IN, N3],
        kind="shared-race",
        anywhere=True,
    ),
    dict(
        name="more_rows_than_are_kept",
        source="""
__global__ void k(float *out, int n)
{
    __shared__ float s[1200];
    int i = threadIdx.x;
    float sum = 0;
    for (int j = i; j < 1200; j += 64) s[j] = j;
    __syncthreads();
    for (int j = 0; j < n; j++)
        sum += s[j]; // OTHER
    s[i + 7] = sum; // HERE
    __syncthreads();
    out[i] = s[i];
}""",
        args=[OUT, np.int32(1100)],
        kind="shared-race",
        anywhere=True,
    ),
    dict(
        name="row_of_another_warp",
        source="""
__global__ void k(float *out, int n)
{
    __shared__ float s[32];
    int i = threadIdx.x;
    float sum = 0;
    if (i == 0)
        for (int j = 0; j < n; j++) s[j] = j; // OTHER
    if (i < 40) __syncwarp(i < 32 ? 0xffffffff : 0xff);
    for (int j = 0; j < n; j++)
        sum += s[j]; // HERE
    out[i] = sum;
}""",
        args=[OUT, np.int32(32)],
        block=(40, 1, 1),
        kind="shared-race",
        thread=(39, 0, 0),
        other=(0, 0, 0),
    ),
    # A granule that no thread writes needs no check of its words, and only two
    # readers of a word are recorded.
    dict(
        name="write_of_what_many_blocks_read",
        source="""
__global__ void k(float *out, float *in)
{
    int i = threadIdx.x;
    if (blockIdx.x < 5)
        out[blockIdx.x * 32 + i] = in[i] + in[i + 1]; // OTHER
    else
        in[i] = 1; // HERE
}""",
        args=[OUT, IN],
        grid=(6, 1),
        block=(32, 1, 1),
        kind="block-race",
        anywhere=True,
    ),
    # Block 1 reads after block 0 has released, so that block 2, which acquires
    # that release, is not ordered with block 1: its own reads must not replace
    # block 1's record, though they are in another epoch.
    dict(
        name="write_of_what_another_block_read_in_another_epoch",
        source="""
__global__ void k(float *out, float *in, int *flag)
{
    int i = threadIdx.x;
    if (i == 0 && blockIdx.x == 0) {
        __threadfence();
        atomicExch(flag, 1);
    }
    if (i == 0 && blockIdx.x == 2) atomicAdd(flag, 0);
    __syncthreads();
    if (blockIdx.x == 1) out[i] = in[i]; // OTHER
    __syncthreads();
    if (blockIdx.x == 2) out[i + 64] = in[i];
    __syncthreads();
    if (blockIdx.x == 2) in[i] = 1; // HERE
}""",
        args=[OUT, IN, np.zeros(1, np.int32)],
        grid=(3, 1),
        kind="block-race",
        thread=(0, 0, 0),
        block_index=(2, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="row_of_an_earlier_block",
        source="""
__global__ void k(float *out, float *in)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0)
        in[i + 8] = 1; // OTHER
    else
        out[i] = in[i]; // HERE
}""",
        args=[OUT, IN],
        grid=(2, 1),
        block=(32, 1, 1),
        kind="block-race",
        anywhere=True,
    ),
    dict(
        name="write_of_a_byte_that_a_row_read",
        source="""
__global__ void k(int *out, unsigned char *in)
{
    int i = threadIdx.x;
    if (blockIdx.x < 2)
        out[blockIdx.x * 32 + i] = in[i]; // OTHER
    else if (i == 0)
        in[5] = 1; // HERE
}""",
        args=[OUT, np.ones(64, np.uint8)],
        grid=(3, 1),
        block=(32, 1, 1),
        kind="block-race",
        anywhere=True,
    ),
    dict(
        name="row_of_half_words_that_were_written",
        source="""
__global__ void k(int *out, unsigned short *in)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0) {
        if (i == 0) in[19] = 1; // OTHER
    } else {
        out[i] = in[i]; // HERE
    }
}""",
        args=[OUT, np.ones(64, np.uint16)],
        grid=(2, 1),
        block=(32, 1, 1),
        kind="block-race",
        anywhere=True,
    ),
    dict(
        name="rows_that_meet_in_one_block_only",
        source="""
__global__ void k(int *out)
{
    __shared__ int s[66];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 2) s[64 + t] = 0;
    __syncthreads();
    s[t] = 2 * t; // HERE
    out[blockIdx.x * 64 + t] = s[t + (blockIdx.x == 2)]; // OTHER
}""",
        args=[64 * 5 * 4],
        grid=(5, 1),
        kind="shared-race",
        block_index=(2, 0, 0),
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="a_row_and_what_comes_one_by_one_in_a_later_block",
        source="""
__global__ void k(int *out, int *at)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; // OTHER
    if (blockIdx.x != 2) __syncthreads();
    out[blockIdx.x * 64 + t] = s[at[t]]; // HERE
}""",
        args=[64 * 5 * 4, np.zeros(64, np.int32)],
        grid=(5, 1),
        kind="shared-race",
        block_index=(2, 0, 0),
        thread=(1, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="a_word_of_the_rows_that_a_block_read",
        source="""
__global__ void k(float *out, float *in, int at)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0)
        out[i] = in[i]; // OTHER
    else if (i == 5)
        in[at] = 1; // HERE
}""",
        args=[OUT, IN, np.int32(21)],
        grid=(2, 1),
        kind="block-race",
        block_index=(1, 0, 0),
        thread=(5, 0, 0),
        other=(21, 0, 0),
    ),
    dict(
        name="a_part_of_the_row_that_a_block_read",
        source="""
__global__ void k(float *out, float *in)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0)
        out[i] = in[i]; // OTHER
    else if (i < 20)
        in[i + 35] = 1; // HERE
}""",
        args=[OUT, IN],
        grid=(2, 1),
        kind="block-race",
        block_index=(1, 0, 0),
        thread=(0, 0, 0),
        other=(35, 0, 0),
    ),
    dict(
        name="a_word_of_the_row_that_another_warp_read",
        source="""
__global__ void k(float *out, float *in, int at)
{
    int i = threadIdx.x;
    out[i] = in[i]; // OTHER
    __syncwarp();
    if (i == 63) in[at] = 1; // HERE
}""",
        args=[OUT, IN, np.int32(30)],
        kind="global-race",
        thread=(63, 0, 0),
        other=(30, 0, 0),
    ),
    dict(
        # Its first block wrote to a word of its input, which the other blocks
        # read.
        name="a_word_beside_one_that_its_readers_wrote",
        source="""
__global__ void k(float *out, float *in, int at)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0) {
        out[i] = in[i]; // OTHER
        __syncthreads();
        if (i == 9) in[at] = 1;
    } else if (i == 0) {
        in[at + 1] = 1; // HERE
    }
}""",
        args=[OUT, IN, np.int32(17)],
        grid=(2, 1),
        kind="block-race",
        block_index=(1, 0, 0),
        thread=(0, 0, 0),
        other=(18, 0, 0),
    ),
    dict(
        name="a_word_of_a_row_that_was_read_in_each_epoch",
        source="""
__global__ void k(float *out, float *in, int at, int rounds)
{
    int i = threadIdx.x;
    out[i] = in[i];
    __syncthreads();
    out[i] += in[i];
    __syncthreads();
    out[i] += in[i] * 2;
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        if (r == 0)
            out[i] += in[i] * 3; // OTHER
        else if (i == 63)
            in[at] = 1; // HERE
    }
}""",
        args=[OUT, IN, np.int32(21), np.int32(2)],
        kind="global-race",
        thread=(63, 0, 0),
        other=(21, 0, 0),
    ),
    dict(
        name="a_row_that_a_block_read_in_a_later_epoch",
        source="""
__global__ void k(float *out, float *in)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0) {
        out[i] = in[i];
        __syncthreads();
        out[i] += in[i];
        __syncthreads();
        out[i] += in[i] * 2; // OTHER
    } else if (i == 5) {
        in[21] = 1; // HERE
    }
}""",
        args=[OUT, IN],
        grid=(2, 1),
        kind="block-race",
        block_index=(1, 0, 0),
        thread=(5, 0, 0),
        other=(21, 0, 0),
    ),
    dict(
        # The reads of the last block do not replace those of the previous one,
        # though some block has released data to it.
        name="a_row_that_another_block_read_after_a_barrier",
        source="""
__global__ void k(float *out, float *in, int *count)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0) {
        if (i == 0) {
            __threadfence();
            atomicExch(count, 1);
        }
        return;
    }
    if (blockIdx.x == 1) {
        __syncthreads();
        __syncthreads();
        out[i] = in[i]; // OTHER
        return;
    }
    if (i == 0) atomicAdd(count, 1);
    __syncthreads();
    out[i] = in[i];
    __syncthreads();
    if (i == 21) in[i] = 1; // HERE
}""",
        args=[OUT, IN, np.zeros(1, np.int32)],
        grid=(3, 1),
        kind="block-race",
        block_index=(2, 0, 0),
        thread=(21, 0, 0),
        other=(21, 0, 0),
    ),
    # Rows of one thread: of words not read before, of words that others have
    # read, and of both.
    dict(
        name="a_row_that_one_thread_of_another_block_read",
        source="""
__global__ void k(float *out, float *in, int n)
{
    int i = threadIdx.x, b = blockIdx.x;
    float sum = 0;
    if (b == 1 && i < 1)
        for (int j = 0; j < n; j++) sum += in[j]; // OTHER
    out[b * 64 + i] = sum;
    if (b == 2 && i == 3) in[40] = 1; // HERE
}""",
        args=[OUT, IN, np.int32(64)],
        grid=(3, 1),
        kind="block-race",
        block_index=(2, 0, 0),
        thread=(3, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="a_row_that_others_had_read_in_part",
        source="""
__global__ void k(float *out, float *in, int n)
{
    int i = threadIdx.x, b = blockIdx.x;
    float sum = 0;
    if (b == 1 && i < 1)
        for (int j = 0; j < n; j++) sum += in[j];
    if (b == 2 && i < 1)
        for (int j = 0; j < 3 * n; j++) sum += in[j]; // OTHER
    out[b * 64 + i] = sum;
    if (b == 3 && i == 3) in[40] = 1; // HERE
}""",
        args=[OUT, IN, np.int32(20)],
        grid=(4, 1),
        kind="block-race",
        block_index=(3, 0, 0),
        thread=(3, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="a_row_that_its_writer_had_read_twice_and_another_warp_once",
        source="""
__global__ void k(float *out, float *in, int n)
{
    int i = threadIdx.x;
    float sum = 0;
    if (i < 1) {
        for (int j = 0; j < n; j++) sum += in[j];
        for (int j = 0; j < n; j++) sum -= in[j] * j;
    }
    if (i >= 63)
        for (int j = 0; j < n; j++) sum += in[j]; // OTHER
    __syncwarp();
    if (i == 0) in[40] = 1; // HERE
    out[i] = sum;
}""",
        args=[OUT, IN, np.int32(64)],
        kind="global-race",
        thread=(0, 0, 0),
        other=(63, 0, 0),
    ),
    # The previous blocks do the same to shared memory, except for the last
    # row.
    dict(
        name="a_row_more_in_a_later_block",
        source="""
__global__ void k(float *out, const float *in, int n)
{
    __shared__ float s[80];
    int i = threadIdx.x;
    float sum = 0;
    s[i] = in[i]; // OTHER
    if (blockIdx.x == 2)
        for (int j = 0; j < n; j++) sum += s[i + j]; // HERE
    out[i + 64 * blockIdx.x] = sum;
}""",
        args=[OUT, IN, N3],
        grid=(4, 1),
        kind="shared-race",
        block_index=(2, 0, 0),
        thread=(0, 0, 0),
        other=(1, 0, 0),
    ),
    # Only the last word differs.
    dict(
        name="structs_that_are_not_equal",
        source="""
struct S { int a[5]; };
__global__ void k(S *out)
{
    S made = {{1, 2, 3, 4, (int)blockIdx.x}};
    *out = made; // HERE OTHER
}""",
        args=[np.ones(5, np.int32)],
        grid=(2, 1),
        block=(1, 1, 1),
        kind="block-race",
        block_index=(1, 0, 0),
        thread=(0, 0, 0),
        other=(0, 0, 0),
    ),
    dict(
        name="fillings_that_are_not_equal",
        source="""
struct S { int a[40]; };
__global__ void k(S *out)
{
    memset(out, threadIdx.x / 5, sizeof(S)); // HERE OTHER
}""",
        args=[np.ones(40, np.int32)],
        block=(8, 1, 1),
        kind="global-race",
        thread=(5, 0, 0),
        other=(4, 0, 0),
    ),
    dict(
        name="write_after_the_release",
        source="""
#include <cuda/atomic>
__global__ void k(int *data, int *flags)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[0]);
    if (blockIdx.x == 0) {
        flag.store(1, cuda::memory_order_release);
        data[0] = 1; // OTHER
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) { }
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
