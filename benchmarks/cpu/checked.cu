// checked.cu - kernels that checks.py measures, beside those of kernels.cu.
// SPDX-License-Identifier: MIT

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void stencil(float *to, const float *from, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        to[y * w + x] = 0.25f * (from[y * w + x - 1] + from[y * w + x + 1] +
                                 from[(y - 1) * w + x] + from[(y + 1) * w + x]);
}
__global__ void scan(float *out, const float *in, int n)
{
    __shared__ float s[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, at = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        float v = s[at][t];
        if (t >= step) v += s[at][t - step];
        s[1 - at][t] = v;
        at = 1 - at;
        __syncthreads();
    }
    if (i < n) out[i] = s[at][t];
}
