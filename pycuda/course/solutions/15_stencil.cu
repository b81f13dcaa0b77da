/* A solution of the exercise 15_stencil.
 * SPDX-License-Identifier: MIT */
__global__ void smooth(float *x, int n)
{
    int i = threadIdx.x;
    float mean = x[i];
    if (i > 0 && i < n - 1)
        mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    x[i] = mean;
}
