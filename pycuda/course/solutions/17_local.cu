/* A solution of the exercise 17_local.
 * SPDX-License-Identifier: MIT */
__global__ void median(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v[5];
    for (int k = 0; k < 5; k++)
        v[k] = x[5 * i + k];
    for (int last = 4; last > 0; last--)
        for (int k = 0; k < last; k++)
            if (v[k] > v[k + 1]) {
                float larger = v[k];
                v[k] = v[k + 1];
                v[k + 1] = larger;
            }
    out[i] = v[2];
}
