/* Vector loads: out[i] = 2 * x[i] for each i below n, where each thread handles
 * four neighbouring elements with one float4. n is a multiple of 4. Launched
 * with blocks of 64 threads, and enough blocks for n / 4 threads.
 * SPDX-License-Identifier: MIT */
__global__ void twice(const float *x, float *out, int n)
{
    // A float4 has the members x, y, z and w: read it through a cast pointer.
}
