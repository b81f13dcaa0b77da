/* A solution of the exercise 13_printf.
 * SPDX-License-Identifier: MIT */
__global__ void report()
{
    if (threadIdx.x == 0)
        printf("block %d: %d threads\n", (int)blockIdx.x, (int)blockDim.x);
}
