/* Smooth: out[i] is the mean of x[i - 1], x[i] and x[i + 1]; the neighbours
 * beyond the ends count as 0. Read each element of x once per block, through
 * shared memory. Launched with blocks of 128 threads.
 * SPDX-License-Identifier: MIT */
__global__ void smooth(const float *x, float *out, int n)
{
    __shared__ float tile[130];
    // tile[t + 1] is the element of thread t; tile[0] and tile[129] are the
    // neighbours of the block.
}
