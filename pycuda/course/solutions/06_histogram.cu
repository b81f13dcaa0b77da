/* A solution of the exercise 06_histogram.
 * SPDX-License-Identifier: MIT */
__global__ void histogram(const int *x, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&count[x[i]], 1);
}
