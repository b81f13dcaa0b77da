// checked.cu - the kernels that checks.py measures with and without checks.
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
__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int start = 0; start < n; start += 16) {
        as[ty][tx] = a[row * n + start + tx];
        bs[ty][tx] = b[(start + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
__global__ void reduction(float *sums, const float *a, int n)
{
    __shared__ float partial[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = partial[0];
}
__global__ void histogram(int *bins, const unsigned char *data, int n)
{
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    int total = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += total)
        atomicAdd(&own[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
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
