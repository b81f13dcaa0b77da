/* A solution of the exercise 01_map.
 * SPDX-License-Identifier: MIT */
__global__ void map(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * x[i] + 1;
}
