// link_b.cu - defines what link_a.cu calls.
// SPDX-License-Identifier: MIT
extern "C" {
static __device__ int offset = 100;

__device__ int triple(int x)
{
    return 3 * x + offset;
}
}
