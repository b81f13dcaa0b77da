// link_a.cu - calls what link_b.cu defines.
// SPDX-License-Identifier: MIT
extern "C" {
__device__ int triple(int);
static __device__ int offset = 1;

__global__ void linked(int *o)
{
    o[threadIdx.x] = triple(threadIdx.x) + offset;
}
}
