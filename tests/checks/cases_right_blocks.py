"""Correct kernels whose blocks use the same memory concurrently.

Nothing may be reported, however the workers interleave: equal writes, data
released by fences and atomic operations, grids that wait. Each kernel is
launched ``rounds`` times, on new memory.
"""

# SPDX-License-Identifier: MIT

import numpy as np

MANY = (500, 1)


def zeros(count):
    return np.zeros(count, np.int32)


# The value that all threads of all blocks write, by type.
EQUAL = {
    "char": "7",
    "short": "7",
    "int": "7",
    "long long": "7",
    "double": "1.5",
    "float3": "make_float3(1, 2, 3)",
    "float4": "make_float4(1, 2, 3, 4)",
    "uchar4": "make_uchar4(1, 2, 3, 4)",
}
CASES = [
    dict(
        name=f"equal_{name.replace(' ', '_')}_{place}",
        source=f"__global__ void k({name} *out) {{ out[{at}] = {value}; }}",
        args=[zeros(256)],
        grid=MANY,
        rounds=15,
    )
    for name, value in EQUAL.items()
    for place, at in [
        ("at_one_place", "0"),
        ("in_a_row", "threadIdx.x"),
        ("here_and_there", "threadIdx.x * threadIdx.x % 64"),
    ]
]
CASES += [
    dict(
        name="equal_parts_of_a_word",
        source="""
__global__ void k(unsigned *out)
{
    unsigned char *bytes = (unsigned char *)out;
    if (blockIdx.x % 3 == 0) *out = 0x07070707;
    else if (blockIdx.x % 3 == 1) bytes[threadIdx.x % 4] = 7;
    else ((unsigned short *)out)[threadIdx.x % 2] = 0x0707;
}""",
        args=[zeros(1)],
        grid=MANY,
        rounds=15,
    ),
    dict(
        name="equal_structs",
        source="""
struct S { int a[5]; };
__global__ void k(S *out, const S *in)
{
    S made = {{1, 2, 3, 4, 5}};
    out[0] = made;
    out[1] = in[0];
}""",
        args=[zeros(10), zeros(5)],
        grid=(100, 1),
        rounds=5,
    ),
    dict(
        name="equal_copies_and_fillings",
        source="""
struct S { int a[40]; };
__global__ void k(S *out, const S *in)
{
    memset(out, 3, sizeof(S));
    memcpy(out + 1, in, sizeof(S));
}""",
        args=[zeros(80), np.arange(40, dtype=np.int32)],
        grid=(100, 1),
        block=(8, 1, 1),
        rounds=5,
    ),
    dict(
        name="neighbouring_bytes",
        source="""
__global__ void k(unsigned char *out)
{
    out[blockIdx.x * 3 + threadIdx.x] += blockIdx.x;
}""",
        args=[zeros(400)],
        grid=MANY,
        block=(3, 1, 1),
        rounds=15,
    ),
    dict(
        name="equal_in_each_round_of_a_grid",
        source="""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *shared_by_all, int *out)
{
    auto grid = cg::this_grid();
    for (int r = 0; r < 6; r++) {
        shared_by_all[threadIdx.x * threadIdx.x % 32] = r;
        grid.sync();
        out[blockIdx.x * 64 + threadIdx.x] = shared_by_all[threadIdx.x % 32];
        grid.sync();
    }
}""",
        args=[zeros(32), zeros(1024)],
        grid=(16, 1),
        how={"cooperative": True},
        rounds=10,
    ),
    dict(
        name="last_block_sums",
        source="""
__device__ unsigned count;
__global__ void k(int *parts, int *out)
{
    __shared__ bool last;
    int t = threadIdx.x;
    parts[blockIdx.x * 64 + t] = t;
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = t; i < gridDim.x * 64; i += 64) sum += parts[i];
        out[t] = sum;
    }
}""",
        args=[zeros(32000), zeros(64)],
        grid=MANY,
        rounds=10,
    ),
    dict(
        # Each block's turn begins when it reads the other's write: the other
        # one may write between the check of the read and the read.
        name="rows_handed_to_and_fro",
        source="""
__global__ void k(int *data, volatile int *turn, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x == 0) {
            while (*turn != 2 * r + blockIdx.x) { }
            __threadfence();
        }
        __syncthreads();
        data[threadIdx.x] += 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *turn = 2 * r + blockIdx.x + 1;
        }
    }
}""",
        args=[zeros(32), zeros(1), np.int32(500)],
        grid=(2, 1),
        block=(32, 1, 1),
        rounds=20,
    ),
    dict(
        name="lock",
        source="""
__global__ void k(int *lock, int *data)
{
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1) != 0) { }
    __threadfence();
    data[0] += 1;
    data[1 + blockIdx.x % 7] += data[0];
    __threadfence();
    atomicExch(lock, 0);
}""",
        args=[zeros(1), zeros(8)],
        grid=(300, 1),
        rounds=10,
    ),
    dict(
        name="queue",
        source="""
__global__ void k(int *count, int *queue, int *ready, int *out)
{
    if (threadIdx.x) return;
    int mine = atomicAdd(count, 1);
    queue[mine] = blockIdx.x;
    __threadfence();
    atomicExch(ready + mine, 1);
    if (mine == 0) return;
    while (atomicAdd(ready + mine - 1, 0) == 0) { }
    __threadfence();
    out[mine] = queue[mine - 1];
}""",
        args=[zeros(1), zeros(300), zeros(300), zeros(300)],
        grid=(300, 1),
        rounds=10,
    ),
    dict(
        name="atomics_that_are_fences",
        source="""
#include <cuda/atomic>
__global__ void k(int *data, int *flags, int *out)
{
    int pair = blockIdx.x / 2;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[pair]);
    if (blockIdx.x % 2 == 0) {
        data[pair] = 5 + pair;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) { }
        out[pair] = data[pair];
    }
}""",
        args=[zeros(16), zeros(16), zeros(16)],
        grid=(32, 1),
        block=(1, 1, 1),
        rounds=10,
    ),
    dict(
        name="last_block_by_an_atomic_that_is_a_fence",
        source="""
#include <cuda/atomic>
__global__ void k(int *parts, int *counts, int *out)
{
    __shared__ bool last;
    cuda::atomic_ref<int, cuda::thread_scope_device> count(*counts);
    parts[blockIdx.x * 64 + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) last = count.fetch_add(1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int i = threadIdx.x; i < gridDim.x * 64; i += 64) sum += parts[i];
    out[threadIdx.x] = sum;
}""",
        args=[zeros(6400), zeros(1), zeros(64)],
        grid=(100, 1),
        rounds=10,
    ),
    dict(
        name="heap_handed_on",
        source="""
__global__ void k(int **slots, int *flags, int *out)
{
    int pair = blockIdx.x / 2;
    if (blockIdx.x % 2 == 0) {
        int *made = (int *)malloc(32);
        made[0] = pair;
        slots[pair] = made;
        __threadfence();
        atomicExch(flags + pair, 1);
    } else {
        while (atomicAdd(flags + pair, 0) == 0) { }
        __threadfence();
        out[pair] = slots[pair][0];
        slots[pair][0] = 7;
        free(slots[pair]);
    }
}""",
        args=[zeros(64), zeros(32), zeros(32)],
        grid=(64, 1),
        block=(1, 1, 1),
        rounds=10,
    ),
    dict(
        name="shared_memory_used_again",
        source="""
__global__ void k(int *out)
{
    __shared__ int s[128];
    __shared__ int all;
    int t = threadIdx.x;
    for (int r = 0; r < 5; r++) {
        s[(t + r) % 64] = t;
        all = r;
        __syncthreads();
        int v = s[t] + all;
        __syncthreads();
        s[64 + t] = v;
        __syncthreads();
        out[blockIdx.x * 64 + t] = s[127 - t];
    }
}""",
        args=[zeros(300 * 64)],
        grid=(300, 1),
        rounds=5,
    ),
    dict(
        name="equal_by_the_lanes_of_a_warp",
        source="""
__global__ void k(unsigned *out, unsigned *both)
{
    __shared__ unsigned s[2];
    int t = threadIdx.x;
    unsigned votes = __ballot_sync(~0u, t % 3);
    s[t / 32] = votes;
    both[t / 32] = votes;
    __syncwarp();
    out[blockIdx.x * 64 + t] = s[t / 32];
}""",
        args=[zeros(300 * 64), zeros(2)],
        grid=(300, 1),
        rounds=5,
    ),
    *(
        dict(
            name=f"own_{size}_of_words_{order}",
            source=f"""
__global__ void k(unsigned {size} *a)
{{
    __shared__ unsigned {size} s[64];
    int i = blockIdx.x * 65 + {at}, t = {at};
    a[i] += 1;
    s[t] = a[i];
    __syncwarp();
    a[i] ^= s[t] * 3;
    s[t] += a[i];
    __syncthreads();
    a[i] += s[(t + 1) % 64];
}}""",
            args=[zeros(3300)],
            grid=(100, 1),
            rounds=5,
        )
        for size in ("char", "short")
        for order, at in [
            ("in_turn", "threadIdx.x"),
            ("mixed", "threadIdx.x * 5 % 64"),
        ]
    ),
]
