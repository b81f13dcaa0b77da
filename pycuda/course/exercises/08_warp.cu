/* Warp sum: out[row] is the sum of a row of 32 numbers, without shared memory.
 * Launched with blocks of 32 x 4 threads: one warp for each row.
 * SPDX-License-Identifier: MIT */
__global__ void rows(const float *x, float *out, int height)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    // __shfl_down_sync(0xffffffff, v, d) returns v of the lane d further up.
}
