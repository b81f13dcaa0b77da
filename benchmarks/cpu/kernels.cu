// kernels.cu - what cpu_kernels.py measures; each kernel has a twin
// of the same name in reference.c.
// SPDX-License-Identifier: MIT

__global__ void multiply(float *d, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = a[i] * b[i];
}

__global__ void stride_multiply(float *d, const float *a, const float *b,
                                int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x)
        d[i] = a[i] * b[i];
}

__global__ void sine(float *d, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = sinf(a[i]);
}

__global__ void block_sum(float *sums, const float *a, int n)
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

// Threads add up several numbers first, then warps, then the block.
__global__ void shuffle_sum(float *sums, const float *a, int n)
{
    __shared__ float warps[32];
    int t = threadIdx.x, total = gridDim.x * blockDim.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += total)
        sum += a[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t % 32 == 0)
        warps[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < blockDim.x / 32 ? warps[t] : 0;
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, step);
        if (t == 0)
            sums[blockIdx.x] = sum;
    }
}

__device__ float scan_of_warp(float x)
{
    for (int step = 1; step < 32; step *= 2) {
        float other = __shfl_up_sync(0xffffffff, x, step);
        if (threadIdx.x % 32 >= step)
            x += other;
    }
    return x;
}

// Running sums of each 256 numbers: of warps, then of the warps' sums.
__global__ void warp_scan(float *out, const float *a, int n)
{
    __shared__ float sums[32];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float x = scan_of_warp(i < n ? a[i] : 0);
    if (t % 32 == 31)
        sums[t / 32] = x;
    __syncthreads();
    if (t < 32)
        sums[t] = scan_of_warp(t < 8 ? sums[t] : 0);
    __syncthreads();
    if (t >= 32)
        x += sums[t / 32 - 1];
    if (i < n)
        out[i] = x;
}

// The numbers above 1/2 of each 256, at the start of their part of `out`.
__global__ void compact(float *out, int *counts, const float *a, int n)
{
    __shared__ int count;
    int t = threadIdx.x, lane = t % 32, first = blockIdx.x * 256;
    if (t == 0)
        count = 0;
    __syncthreads();
    float x = first + t < n ? a[first + t] : 0;
    unsigned votes = __ballot_sync(0xffffffff, x > 0.5f);
    int start;
    if (lane == 0)
        start = atomicAdd(&count, __popc(votes));
    start = __shfl_sync(0xffffffff, start, 0);
    if (x > 0.5f)
        out[first + start + __popc(votes & ((1u << lane) - 1))] = x;
    __syncthreads();
    if (t == 0)
        counts[blockIdx.x] = count;
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

__global__ void mandelbrot(int *steps, int n, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= n || py >= n)
        return;
    float cx = -2.25f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n;
    float x = 0, y = 0;
    int step = 0;
    while (step < limit && x * x + y * y <= 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++step;
    }
    steps[py * n + px] = step;
}

__device__ float normal_below(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) * k *
                 (0.31938153f +
                  k * (-0.356563782f +
                       k * (1.781477937f +
                            k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1 - tail : tail;
}

__global__ void black_scholes(float *call, float *put, const float *price,
                              const float *strike, const float *years, int n)
{
    const float rate = 0.02f, volatility = 0.3f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float spread = volatility * sqrtf(years[i]);
    float d1 = (logf(price[i] / strike[i]) +
                (rate + 0.5f * volatility * volatility) * years[i]) /
               spread;
    float n1 = normal_below(d1), n2 = normal_below(d1 - spread);
    float worth = strike[i] * expf(-rate * years[i]);
    call[i] = price[i] * n1 - worth * n2;
    put[i] = worth * (1 - n2) - price[i] * (1 - n1);
}

// Positions with masses; 256 of them at a time in shared memory.
__global__ void nbody(float4 *force, const float4 *body, int n)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int start = 0; start < n; start += 256) {
        tile[threadIdx.x] = body[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; ++j) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y,
                  dz = tile[j].z - me.z;
            float squared = dx * dx + dy * dy + dz * dz + 0.01f;
            float inverse = rsqrtf(squared);
            float factor = tile[j].w * inverse * inverse * inverse;
            fx += dx * factor;
            fy += dy * factor;
            fz += dz * factor;
        }
        __syncthreads();
    }
    force[i] = make_float4(fx, fy, fz, 0);
}

__constant__ float weights[25];

// 5 by 5 weights over tiles of 32 by 8, with a rim of 2 in shared memory; the
// image has a rim of 2 as well.
__global__ void convolve(float *out, const float *in, int n)
{
    __shared__ float tile[12][36];
    int tx = threadIdx.x, ty = threadIdx.y, pitch = n + 4;
    int x = blockIdx.x * 32, y = blockIdx.y * 8;
    for (int row = ty; row < 12; row += 8)
        for (int column = tx; column < 36; column += 32)
            tile[row][column] = in[(y + row) * pitch + x + column];
    __syncthreads();
    float sum = 0;
    for (int dy = 0; dy < 5; ++dy)
        for (int dx = 0; dx < 5; ++dx)
            sum += weights[dy * 5 + dx] * tile[ty + dy][tx + dx];
    out[(y + ty) * n + x + tx] = sum;
}

// Tiles of 32 by 32 by blocks of 32 by 8.
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32, y = blockIdx.y * 32;
    for (int row = threadIdx.y; row < 32; row += 8)
        tile[row][threadIdx.x] = in[(y + row) * n + x + threadIdx.x];
    __syncthreads();
    for (int row = threadIdx.y; row < 32; row += 8)
        out[(x + row) * n + y + threadIdx.x] = tile[threadIdx.x][row];
}

// One pass of a radix sort by 4 bits: how often each digit comes in a block's
// 4096 keys, where the blocks' keys go, and their moving there.  A thread has
// 64 keys that lie together.
__global__ void radix_count(unsigned *counts, const unsigned *keys, int shift)
{
    __shared__ unsigned digits[16];
    int t = threadIdx.x;
    const unsigned *own = keys + blockIdx.x * 4096;
    if (t < 16)
        digits[t] = 0;
    __syncthreads();
    for (int i = t; i < 4096; i += 64)
        atomicAdd(&digits[own[i] >> shift & 15], 1);
    __syncthreads();
    if (t < 16)
        counts[t * gridDim.x + blockIdx.x] = digits[t];
}

__global__ void radix_offsets(unsigned *counts, int n)
{
    __shared__ unsigned sums[1024];
    int t = threadIdx.x, each = n / 1024;
    unsigned total = 0;
    for (int i = 0; i < each; ++i)
        total += counts[t * each + i];
    sums[t] = total;
    for (int step = 1; step < 1024; step *= 2) {
        __syncthreads();
        unsigned before = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += before;
    }
    unsigned at = sums[t] - total;
    for (int i = 0; i < each; ++i) {
        unsigned count = counts[t * each + i];
        counts[t * each + i] = at;
        at += count;
    }
}

__global__ void radix_move(unsigned *to, const unsigned *keys,
                           const unsigned *offsets, int shift)
{
    __shared__ unsigned places[16][64];
    int t = threadIdx.x;
    const unsigned *own = keys + blockIdx.x * 4096 + t * 64;
    for (int digit = 0; digit < 16; ++digit)
        places[digit][t] = 0;
    for (int i = 0; i < 64; ++i)
        ++places[own[i] >> shift & 15][t];
    __syncthreads();
    if (t < 16) {
        unsigned at = offsets[t * gridDim.x + blockIdx.x];
        for (int i = 0; i < 64; ++i) {
            unsigned count = places[t][i];
            places[t][i] = at;
            at += count;
        }
    }
    __syncthreads();
    for (int i = 0; i < 64; ++i)
        to[places[own[i] >> shift & 15][t]++] = own[i];
}

__global__ void spmv(float *y, const int *starts, const int *columns,
                     const float *values, const float *x, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

// A transform of 1024 complex numbers by 512 threads; roots[k] is
// exp(-2 pi i k / 1024).
__global__ void fft(float2 *out, const float2 *in, const float2 *roots)
{
    __shared__ float2 both[2][1024];
    int t = threadIdx.x, from = 0;
    const float2 *row = in + blockIdx.x * 1024;
    both[0][t] = row[t];
    both[0][t + 512] = row[t + 512];
    __syncthreads();
    for (int s = 0; s < 10; ++s) {
        int low = t & ((1 << s) - 1);
        float2 a = both[from][t], b = both[from][t + 512];
        float2 w = roots[low << (9 - s)];
        float2 turned = make_float2(b.x * w.x - b.y * w.y,
                                    b.x * w.y + b.y * w.x);
        int position = ((t - low) << 1) + low;
        both[1 - from][position] = make_float2(a.x + turned.x, a.y + turned.y);
        both[1 - from][position + (1 << s)] =
            make_float2(a.x - turned.x, a.y - turned.y);
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = both[0][t];
    out[blockIdx.x * 1024 + t + 512] = both[0][t + 512];
}

__global__ void histogram(unsigned *bins, const unsigned char *bytes, int n)
{
    __shared__ unsigned own[256];
    int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        atomicAdd(&own[bytes[i]], 1);
    __syncthreads();
    atomicAdd(&bins[t], own[t]);
}

__global__ void bfs_level(int *levels, const int *starts, const int *targets,
                          int level, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || levels[v] != level)
        return;
    for (int i = starts[v]; i < starts[v + 1]; ++i)
        if (levels[targets[i]] < 0)
            levels[targets[i]] = level + 1;
}

// A tile of 32 by 32 becomes its factors; no pivoting.
__global__ void lu_tile(float *tiles)
{
    __shared__ float a[32][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    float *tile = tiles + blockIdx.x * 1024;
    for (int row = ty; row < 32; row += 8)
        a[row][tx] = tile[row * 32 + tx];
    for (int k = 0; k < 31; ++k) {
        __syncthreads();
        if (ty == 0 && tx > k)
            a[tx][k] /= a[k][k];
        __syncthreads();
        for (int row = k + 1 + ty; row < 32; row += 8)
            if (tx > k)
                a[row][tx] -= a[row][k] * a[k][tx];
    }
    __syncthreads();
    for (int row = ty; row < 32; row += 8)
        tile[row * 32 + tx] = a[row][tx];
}

__global__ void nothing() {}
