// kernels.cu - the kernels of tests/native/jit/test_jit.c.
// SPDX-License-Identifier: MIT
extern "C" {

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

__global__ void product(float *d, const float *a, const float *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = a[i] * b[i];
}

__global__ void stride_saxpy(float *y, const float *x, float a, unsigned n)
{
    unsigned total = gridDim.x * blockDim.x;
    for (unsigned i = blockDim.x * blockIdx.x + threadIdx.x; i < n;
         i += total) {
        y[i] = a * x[i] + y[i];
    }
}

__global__ void four_at_once(float *y, const float *x, float a, size_t n)
{
    size_t first = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 4;
    if (first + 4 <= n) {
        for (int k = 0; k < 4; k++) {
            y[first + k] = a * x[first + k] + y[first + k];
        }
    } else {
        for (size_t i = first; i < n; i++) {
            y[i] = a * x[i] + y[i];
        }
    }
}

__global__ void stride_return(int *o, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        if (o[i] == 7) {
            return;
        }
        o[i] = i;
    }
}

__global__ void wide_saxpy(float *y, const float *x, float a, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    y[i] = a * x[i] + y[i];
}

__global__ void stencil(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i < n - 2) {
        o[i] = 0.1f * a[i - 2] + 0.2f * a[i - 1] + 0.4f * a[i] +
               0.2f * a[i + 1] + 0.1f * a[i + 2];
    }
}

__global__ void mandelbrot(int *o, int w, int h, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    float cr = -2.0f + 3.0f * x / w, ci = -1.5f + 3.0f * y / h;
    float zr = 0, zi = 0;
    int k = 0;
    while (k < most && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        k++;
    }
    o[y * w + x] = k;
}

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            sum += as[ty][k] * bs[k][tx];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduce_early(float *out, const float *a, int n)
{
    extern __shared__ float s[];
    __shared__ int count;
    int t = threadIdx.x;
    if (t >= n) {
        return;
    }
    if (t == 0) {
        count = 0;
    }
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    for (int k = n / 2; k; k >>= 1) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0] + count;
    }
}

__global__ void arithmetic(long long *o, int a, int zero, int minus, float f)
{
    float nan = f / zero * 0.0f;
    unsigned u = a;
    int least = -2147483647 - 1;
    o[0] = a / zero;
    o[1] = a % zero;
    o[2] = u / (unsigned)zero;
    o[3] = least / minus;
    o[4] = least % minus;
    o[5] = (int)nan;
    o[6] = (int)(f * 1e9f);
    o[7] = (unsigned)-f;
    o[8] = 1u << (a + 25);
    o[9] = minus >> (a + 60);
    o[10] = (long long)(f * 1e30f);
    o[11] = 7 / minus;
    o[12] = 1ull << (a + 33);
    o[13] = (unsigned)a >> 31;
    o[14] = (unsigned char)(f * 100);
}

} // extern "C"

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int deep(int n)
{
    return n == 0 ? (int)(threadIdx.x + 100 * threadIdx.y + 10000 * blockIdx.x)
                  : deep(n - 1);
}

struct Shape {
    __device__ virtual float area(float x)
    {
        return x + threadIdx.x;
    }
};

struct Square : Shape {
    float k;
    __device__ Square(float q) : k(q) {}
    __device__ float area(float x) override
    {
        return k * x * x;
    }
};

typedef float (*function)(float);
__device__ float one_more(float x)
{
    return x + 1;
}
__device__ float two_more(float x)
{
    return x + 2;
}
__device__ function table[2] = {one_more, two_more};

struct Mixed {
    float a;
    char c;
    double d;
    short s[3];
};

struct Three {
    float x, y, z;
};

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter = 5;
static __device__ int hidden = 7;
static __constant__ int fixed = 9;

__device__ void rest(int n)
{
    if (n) {
        __syncthreads();
        rest(n - 1);
    }
}

__device__ int pick(int n, int sum)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed_place[32];
    if (n) {
        return pick(n - 1, sum + n);
    }
    dynamic[threadIdx.x] = sum;
    fixed_place[threadIdx.x] = threadIdx.x;
    __syncthreads();
    return dynamic[blockDim.x - 1 - threadIdx.x] +
           fixed_place[blockDim.x - 1 - threadIdx.x];
}

extern "C" {

__global__ void recursion(int *o)
{
    o[threadIdx.x] = fibonacci(threadIdx.x);
}

__global__ void kept_geometry(int *o)
{
    int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * blockIdx.x);
    o[i] = deep(3);
}

__global__ void virtuals(float *o, int which)
{
    Shape plain;
    Square square(3);
    Shape *shape = which ? &square : &plain;
    o[threadIdx.x] = shape->area(2) + table[threadIdx.x & 1](2);
}

__global__ void structs(float *o, Mixed m, Three t, int n,
                        const unsigned char *b)
{
    o[threadIdx.x] =
        m.a + m.c + m.d + m.s[threadIdx.x % 3] + t.x + t.y + t.z + n + b[1];
}

__global__ void struct_written(float *o, Mixed m)
{
    int i = threadIdx.x;
    m.s[i % 3] = i;
    m.a += m.s[(i + 1) % 3];
    o[i] = m.a + m.s[0] + m.s[1] + m.s[2];
}

__global__ void globals(int *o)
{
    int i = threadIdx.x;
    o[i] = coefficients[i & 3] + hidden + fixed;
    atomicAdd(&counter, 1);
}

__global__ void private_array(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float l[8];
    for (int k = 0; k < 8; k++) {
        l[(k * 3 + i) & 7] = a[(i + k) % n];
    }
    float s = 0;
    for (int k = 0; k < n % 5 + 2; k++) {
        s += l[(k + (int)a[i]) & 7] * k;
    }
    o[i] = s;
}

__global__ void three_d(int *o)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
    o[(z * h + y) * w + x] = x + 1000 * y + 1000000 * z;
}

__global__ void kept_shared(int *o)
{
    __shared__ int own[32];
    own[threadIdx.x] = 1000 * threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = own[(threadIdx.x + 1) % blockDim.x] + pick(3, 0);
    __syncthreads();
    o[threadIdx.x] += own[threadIdx.x];
}

__global__ void other_shared(int *o)
{
    __shared__ int own[5];
    own[threadIdx.x] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = own[4 - threadIdx.x];
}

__global__ void spin_lock(int *lock, int *value)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    int seen = *(volatile int *)value;
    *(volatile int *)value = seen + 1;
    atomicExch(lock, 0);
}

__global__ void wait_for_other(volatile int *flag, int *o)
{
    if (threadIdx.x == 0) {
        while (*flag == 0) {
        }
        o[0] = 42;
    } else if (threadIdx.x == 5) {
        *flag = 1;
    }
}

__global__ void retry_add(int *p, int v)
{
    int old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, assumed + v);
    } while (assumed != old);
}

__global__ void barrier_in_recursion(int *o)
{
    rest(3);
    o[threadIdx.x] = 1;
}

__global__ void sines(float *o, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        o[i] = sinf(a[i]);
    }
}

__global__ void __attribute__((launch_bounds(128))) bounded(int *o)
{
    *o = 1;
}

} // extern "C"
