/* A solution of the exercise 19_maximum.
 * SPDX-License-Identifier: MIT */
__global__ void maximum(const int *x, int *out, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicMax(out, x[i]);
}
