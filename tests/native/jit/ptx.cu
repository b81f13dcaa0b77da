// ptx.cu - what the CPU device must refuse.
// SPDX-License-Identifier: MIT
extern "C" __device__ int nowhere(int);
extern "C" __global__ void k(int *o)
{
    int l = o[0];
    asm("wgmma.fence.sync.aligned;");
    o[0] = l + nowhere(l);
}
