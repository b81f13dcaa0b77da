/* A solution of the exercise 07_sum.
 * SPDX-License-Identifier: MIT */
__global__ void sum(const float *x, float *out, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? x[i] : 0;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
