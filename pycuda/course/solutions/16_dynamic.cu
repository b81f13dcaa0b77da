/* A solution of the exercise 16_dynamic.
 * SPDX-License-Identifier: MIT */
__global__ void reverse(float *x)
{
    extern __shared__ float tile[];
    int t = threadIdx.x, size = blockDim.x;
    float *group = x + blockIdx.x * size;
    tile[t] = group[t];
    __syncthreads();
    group[t] = tile[size - 1 - t];
}
