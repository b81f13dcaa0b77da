/* Histogram: count[v] is the number of elements of x that are v, for v from 0
 * to 15. count is 0 before. Launched with blocks of 256 threads.
 * SPDX-License-Identifier: MIT */
__global__ void histogram(const int *x, int *count, int n)
{
    // Many threads count in the same element: use atomicAdd.
}
