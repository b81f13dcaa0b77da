"""Kernels with divergent barriers; `HERE` marks the first waiting thread."""

# SPDX-License-Identifier: MIT

import numpy as np

OUT = np.zeros(64, np.int32)

CASES = [
    dict(
        name="some_skip",
        source="""
__global__ void k(int *out)
{
    if (threadIdx.x < 16) {
        __syncthreads(); // HERE
    }
    out[threadIdx.x] = 1;
}""",
        args=[OUT],
        kind="divergent-barrier",
        thread=(0, 0, 0),
        text="16-63 have ended",
    ),
    # The threads that returned in the previous block are different ones.
    dict(
        name="some_skip_that_returned_in_the_block_before",
        source="""
__global__ void k(int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t >= 16) return;
    if (t < 16) {
        __syncthreads(); // HERE
    }
    out[t] = 1;
}""",
        args=[OUT],
        grid=(2, 1),
        kind="divergent-barrier",
        block_index=(1, 0, 0),
        thread=(0, 0, 0),
        text="16-63 have ended",
    ),
    dict(
        name="both_branches",
        source="""
__global__ void k(int *out)
{
    if (threadIdx.x < 40)
        __syncthreads(); // HERE
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}""",
        args=[OUT],
        kind="divergent-barrier",
        thread=(0, 0, 0),
        text="40-63 wait at the barrier of kernel.cu:7:9",
    ),
    dict(
        name="different_trip_counts",
        source="""
__global__ void k(int *out)
{
    for (int i = 0; i < 1 + threadIdx.x / 32; i++) {
        out[threadIdx.x] += i;
        __syncthreads(); // HERE
    }
}""",
        args=[OUT],
        kind="divergent-barrier",
        thread=(32, 0, 0),
        text="0-31 have ended",
    ),
    dict(
        name="by_data",
        source="""
__device__ void meet() { __syncthreads(); } // HERE
__global__ void k(int *out, const int *in)
{
    if (in[threadIdx.x] > 2)
        meet();
    out[threadIdx.x] = in[threadIdx.x];
}""",
        args=[OUT, np.array([1] * 5 + [7] * 59, np.int32)],
        kind="divergent-barrier",
        thread=(5, 0, 0),
        text="0-4 have ended",
    ),
    dict(
        name="else_only",
        source="""
__global__ void k(int *out)
{
    if (threadIdx.y == 1) {
        out[threadIdx.x] = 2;
    } else {
        __syncthreads(); // HERE
        out[threadIdx.x] = 3;
    }
}""",
        args=[OUT],
        block=(8, 3, 1),
        kind="divergent-barrier",
        thread=(0, 0, 0),
        text="8-15 have ended",
    ),
    dict(
        name="count",
        source="""
__global__ void k(int *out)
{
    int c = 0;
    if (threadIdx.x % 2)
        c = __syncthreads_count(1); // HERE
    out[threadIdx.x] = c;
}""",
        args=[OUT],
        kind="divergent-barrier",
        thread=(1, 0, 0),
        text="have ended",
    ),
    dict(
        name="warp_mask_without_caller",
        source="""
__global__ void k(int *out)
{
    int v = __shfl_sync(0xffff, // HERE
                        threadIdx.x, 0);
    out[threadIdx.x] = v;
}""",
        args=[OUT],
        block=(32, 1, 1),
        kind="mask-without-caller",
        thread=(16, 0, 0),
        text="lane 16",
    ),
    dict(
        name="warp_lanes_ended",
        source="""
__global__ void k(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 8)
        v += __shfl_down_sync(0xffffffff, v, 4); // HERE
    out[threadIdx.x] = v;
}""",
        args=[OUT],
        block=(32, 1, 1),
        kind="mask-names-ended",
        thread=(0, 0, 0),
        text="names lane 8",
    ),
    dict(
        name="syncwarp_lanes_ended",
        source="""
__global__ void k(int *out)
{
    if (threadIdx.x != 3)
        __syncwarp(); // HERE
    out[threadIdx.x] = 1;
}""",
        args=[OUT],
        block=(32, 1, 1),
        kind="mask-names-ended",
        thread=(0, 0, 0),
        text="names lane 3",
    ),
]

#: Shuffles that read from lanes which do not take part.
CASES += [
    dict(
        name=f"shuffle_from_{name}",
        source=f"""
__global__ void k(int *out)
{{
    int t = threadIdx.x, v = t + 1;
    {body}
    out[t] = v;
}}""",
        args=[OUT],
        block=(block, 1, 1),
        kind="shuffle-from-absent",
        thread=(thread, 0, 0),
        text=text,
    )
    for name, block, thread, text, body in [
        (
            *("beyond_the_block", 24, 8),
            "lane 8 reads lane 24, which does not take part in the shuffle: "
            "the block has 24 threads",
            "v += __shfl_down_sync(0xffffffff, v, 16); // HERE",
        ),
        (
            *("beyond_the_block_64_bits", 40, 32),
            "lane 0 reads lane 16,",
            "v += __shfl_xor_sync(0xffffffff, (double)v, 16); // HERE",
        ),
        (
            *("a_lane_that_returned", 32, 0),
            "lane 0 reads lane 31,",
            "if (t > 30) return;\nv = __shfl_sync(0xffffffff, v, 31); // HERE",
        ),
        (
            *("a_lane_that_is_not_named", 32, 7),
            "lane 7 reads lane 8, which does not take part in the shuffle: "
            "the mask 0x000000ff does not name it",
            "if (t < 8) v += __shfl_down_sync(0xff, v, 1); // HERE",
        ),
        (
            *("the_other_half", 32, 0),
            "lane 0 reads lane 16,",
            "v = __shfl_xor_sync(0xffffu << (t & 16), v, 16); // HERE",
        ),
    ]
]
CASES += [
    dict(
        name=f"width_{width}",
        source=f"""
__global__ void k(int *out)
{{
    out[threadIdx.x] = __shfl_up_sync(~0u, 1, 1, {width}); // HERE
}}""",
        args=[OUT],
        block=(32, 1, 1),
        kind="shuffle-width",
        thread=(0, 0, 0),
        text=f"the width {width} of lane 0's shuffle",
    )
    for width in (0, 3, 24, 64, -1)
]

CASES.append(
    dict(
        name="masks_differ",
        source="""
__global__ void k(int *out)
{
    unsigned mask = threadIdx.x < 16 ? 0xffffffff : 0xffff0000;
    out[threadIdx.x] = __ballot_sync(mask, 1); // HERE
}""",
        args=[OUT],
        block=(32, 1, 1),
        kind="mask-names-ended",
        thread=(0, 0, 0),
        text="have ended",
    )
)

# Another `return` also branches to the end of these kernels.
CASES += [
    dict(
        name=f"beside_a_return_{name}",
        source=f"""
__global__ void k(int *out)
{{
    if (out[0]) return;
    {body}
}}""",
        args=[OUT],
        kind="divergent-barrier",
        thread=(thread, 0, 0),
        text="have ended",
    )
    for name, thread, body in [
        (
            "if",
            0,
            """if (threadIdx.x < 16) {
        __syncthreads(); // HERE
        out[1] = 1;
    }""",
        ),
        (
            "else",
            16,
            """if (threadIdx.x < 16) {
        out[1] = 1;
    } else {
        __syncthreads(); // HERE
    }""",
        ),
        (
            "break",
            1,
            """while (out[1] == 0) {
        if (threadIdx.x == 0) break;
        __syncthreads(); // HERE
        out[1] = 1;
    }""",
        ),
        (
            "device_function",
            0,
            """[&] {
        if (threadIdx.x >= 16) return;
        __syncthreads(); // HERE
    }();
    if (out[1]) out[2] = 1;""",
        ),
    ]
]

#: These end the launch under any checks, so each runs in its own process.
DEADLOCKS = [
    dict(
        name="warp_against_barrier",
        source="""
__global__ void k(int *out)
{
    if (threadIdx.x < 16)
        __syncwarp(); // HERE
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}""",
        args=[OUT],
        block=(32, 1, 1),
        kind="deadlock",
        thread=(0, 0, 0),
        text="16-31 wait at the barrier",
    ),
    dict(
        name="two_warp_operations",
        source="""
__global__ void k(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __ballot_sync(0xffffffff, 1); // HERE
    else
        out[threadIdx.x] = __shfl_sync(0xffffffff, 7, 0);
}""",
        args=[OUT],
        block=(32, 1, 1),
        kind="deadlock",
        thread=(0, 0, 0),
        text="16-31 wait at the warp operation",
    ),
]
