// ptx.cu - what the CPU device must refuse.
// SPDX-License-Identifier: MIT
extern "C" __device__ int nowhere(int);
extern "C" __global__ void k(int *o)
{
    int l;
    asm("mov.u32 %0, %%pm0;" : "=r"(l));
    o[0] = l + nowhere(l);
}
