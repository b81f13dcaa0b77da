/* A solution of the exercise 21_scan.
 * SPDX-License-Identifier: MIT */
__global__ void scan(const float *x, float *out)
{
    __shared__ float sums[256];
    int t = threadIdx.x;
    sums[t] = x[t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        float before = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    out[t] = sums[t];
}
