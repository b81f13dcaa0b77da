/* A solution of the exercise 03_stride.
 * SPDX-License-Identifier: MIT */
__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        y[i] += a * x[i];
}
