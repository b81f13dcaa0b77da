/* Grid-stride loop: y[i] += a * x[i] for each i below n.
 * Always launched with 4 blocks of 64 threads, whatever n is.
 * SPDX-License-Identifier: MIT */
__global__ void saxpy(float a, const float *x, float *y, int n)
{
    // Each thread takes elements i, i + all threads, i + 2 * all threads ...
}
