/* A solution of the exercise 04_reverse.
 * SPDX-License-Identifier: MIT */
__global__ void reverse(float *x)
{
    __shared__ float tile[128];
    float *group = x + blockIdx.x * 128;
    tile[threadIdx.x] = group[threadIdx.x];
    __syncthreads();
    group[threadIdx.x] = tile[127 - threadIdx.x];
}
