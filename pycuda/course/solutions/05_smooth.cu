/* A solution of the exercise 05_smooth.
 * SPDX-License-Identifier: MIT */
__global__ void smooth(const float *x, float *out, int n)
{
    __shared__ float tile[130];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    tile[t + 1] = i < n ? x[i] : 0;
    if (t == 0)
        tile[0] = i > 0 ? x[i - 1] : 0;
    if (t == 127)
        tile[129] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i < n)
        out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
}
