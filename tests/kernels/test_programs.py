"""Small programs as CUDA users write them, against NumPy."""

import math

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

RANDOM = np.random.default_rng


def module(source, **keywords):
    """Compile a module with functions that can be looked up by name."""
    return SourceModule(source, **keywords).get_function


def grid(n, block):
    return (-(-n // block), 1)


HISTOGRAM = """
#define BINS 64
__global__ void count(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned local[4][BINS];
    unsigned *mine = local[threadIdx.x / 32 % 4];
    for (int i = threadIdx.x; i < 4 * BINS; i += blockDim.x)
        local[0][i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4;
         i += gridDim.x * blockDim.x) {
        unsigned word = ((const unsigned *)data)[i];
        for (int shift = 0; shift < 32; shift += 8)
            atomicAdd(&mine[(word >> shift & 255u) >> 2], 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS) {
        unsigned sum = 0;
        for (int w = 0; w < 4; w++)
            sum += local[w][threadIdx.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}
"""


def test_histogram_of_bytes():
    data = (RANDOM(1).normal(128, 40, 40000).clip(0, 255)).astype(np.uint8)
    bins = np.zeros(64, np.uint32)
    module(HISTOGRAM)("count")(
        cuda.In(data),
        np.int32(data.size),
        cuda.InOut(bins),
        block=(128, 1, 1),
        grid=(6, 1),
    )
    assert np.array_equal(bins, np.bincount(data >> 2, minlength=64))


SCAN = """
__global__ void scan_blocks(const int *in, int *out, int *sums, int n)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, size = 2 * blockDim.x, base = blockIdx.x * size;
    tile[2 * t] = base + 2 * t < n ? in[base + 2 * t] : 0;
    tile[2 * t + 1] = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 0;
    int offset = 1;
    for (int d = size >> 1; d > 0; d >>= 1, offset *= 2) {   // up
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = a + offset;
            tile[b] += tile[a];
        }
    }
    if (t == 0) {
        sums[blockIdx.x] = tile[size - 1];
        tile[size - 1] = 0;
    }
    for (int d = 1; d < size; d *= 2) {                      // down
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = a + offset;
            int old = tile[a];
            tile[a] = tile[b];
            tile[b] += old;
        }
    }
    __syncthreads();
    if (base + 2 * t < n) out[base + 2 * t] = tile[2 * t];
    if (base + 2 * t + 1 < n) out[base + 2 * t + 1] = tile[2 * t + 1];
}
__global__ void add(int *out, const int *sums, int n)
{
    int i = 2 * blockDim.x * blockIdx.x + threadIdx.x;
    for (int k = 0; k < 2; k++, i += blockDim.x)
        if (i < n) out[i] += sums[blockIdx.x];
}
"""


@pytest.mark.parametrize("n", [1, 256, 10_007])
def test_work_efficient_scan(n):
    get, block = module(SCAN), 64
    x = RANDOM(2).integers(-9, 10, n).astype(np.int32)
    blocks = -(-n // (2 * block))
    out, x_gpu = gpuarray.empty(n, np.int32), gpuarray.to_gpu(x)
    sums, none = gpuarray.empty(blocks, np.int32), gpuarray.empty(1, np.int32)
    get("scan_blocks")(
        x_gpu,
        out,
        sums,
        np.int32(n),
        block=(block, 1, 1),
        grid=(blocks, 1),
        shared=8 * block,
    )
    get("scan_blocks")(
        sums, sums, none, np.int32(blocks), block=(64, 1, 1), shared=512
    )
    get("add")(out, sums, np.int32(n), block=(block, 1, 1), grid=(blocks, 1))
    assert np.array_equal(out.get(), np.cumsum(x) - x)


SORT = """
__global__ void bitonic(float *keys, int *values, int n)
{
    __shared__ float k[512];
    __shared__ int v[512];
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) {
        k[i] = keys[i];
        v[i] = values[i];
    }
    for (int size = 2; size <= n; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (stride - 1)), high = low + stride;
            bool up = (low & size) == 0;
            if ((k[low] > k[high]) == up) {
                float key = k[low]; k[low] = k[high]; k[high] = key;
                int value = v[low]; v[low] = v[high]; v[high] = value;
            }
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        keys[i] = k[i];
        values[i] = v[i];
    }
}
"""


def test_bitonic_sort_of_pairs():
    keys = RANDOM(3).permutation(512).astype(np.float32) / 7
    values = np.arange(512, dtype=np.int32)
    order = np.argsort(keys)
    got_keys, got_values = keys.copy(), values.copy()
    module(SORT)("bitonic")(
        cuda.InOut(got_keys),
        cuda.InOut(got_values),
        np.int32(512),
        block=(256, 1, 1),
    )
    assert np.array_equal(got_keys, keys[order])
    assert np.array_equal(got_values, order)


MERGE = """
__device__ int rank(const int *x, int n, int key, bool upper)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (x[middle] < key || (upper && x[middle] == key)) low = middle + 1;
        else high = middle;
    }
    return low;
}
__global__ void merge(const int *in, int *out, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int pair = i / (2 * width) * (2 * width), middle = min(pair + width, n);
    int end = min(pair + 2 * width, n);
    bool left = i < middle;
    const int *other = in + (left ? middle : pair);
    int count = left ? end - middle : middle - pair;
    int own = i - (left ? pair : middle);
    out[pair + own + rank(other, count, in[i], !left)] = in[i];
}
"""


def test_merge_sort():
    n = 5000
    x = RANDOM(4).integers(0, 900, n).astype(np.int32)
    a, b = gpuarray.to_gpu(x), gpuarray.empty(n, np.int32)
    merge, width = module(MERGE)("merge"), 1
    while width < n:
        merge(
            a,
            b,
            np.int32(n),
            np.int32(width),
            block=(128, 1, 1),
            grid=grid(n, 128),
        )
        a, b, width = b, a, 2 * width
    assert np.array_equal(a.get(), np.sort(x))


QUICKSORT = """
__device__ void quicksort(int *x, int low, int high)
{
    while (low < high) {
        int pivot = x[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i <= j) { int t = x[i]; x[i++] = x[j]; x[j--] = t; }
        }
        if (j - low < high - i) { quicksort(x, low, j); low = i; }
        else { quicksort(x, i, high); high = j; }
    }
}
__global__ void rows(int *x, int n)
{ quicksort(x + threadIdx.x * n, 0, n - 1); }
"""


def test_recursive_quicksort_in_each_thread():
    x = RANDOM(5).integers(0, 99, (24, 100)).astype(np.int32)
    got = x.copy()
    module(QUICKSORT)("rows")(cuda.InOut(got), np.int32(100), block=(24, 1, 1))
    assert np.array_equal(got, np.sort(x, axis=1))


NBODY = """
__device__ float3 pull(float3 a, float4 me, float4 other)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
    float inverse = rsqrtf(d2), s = other.w * inverse * inverse * inverse;
    a.x += dx * s; a.y += dy * s; a.z += dz * s;
    return a;
}
__global__ void forces(const float4 *bodies, float3 *out, int n)
{
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < 64; k++)
            sum = pull(sum, me, tile[k]);
        __syncthreads();
    }
    if (i < n) out[i] = sum;
}
"""


def test_n_body():
    n = 200
    bodies = RANDOM(6).uniform(-1, 1, (n, 4)).astype(np.float32)
    out = np.empty((n, 3), np.float32)
    module(NBODY)("forces")(
        cuda.In(bodies),
        cuda.Out(out),
        np.int32(n),
        block=(64, 1, 1),
        grid=grid(n, 64),
    )
    p, m = bodies[:, :3].astype(float), bodies[:, 3]
    d = p[None] - p[:, None]
    w = m / ((d**2).sum(-1) + 0.01) ** 1.5
    assert np.allclose(out, (d * w[..., None]).sum(1), rtol=2e-4, atol=2e-3)


CONVOLUTION = """
#define R 4
#define W 32
#define H 4
__constant__ float weight[2 * R + 1];
__global__ void rows(const float *in, float *out, int width, int height)
{
    __shared__ float tile[H][W + 2 * R];
    int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * H + threadIdx.y;
    for (int i = threadIdx.x; i < W + 2 * R; i += W) {
        int from = blockIdx.x * W + i - R;
        tile[threadIdx.y][i] = from >= 0 && from < width && y < height
            ? in[y * width + from] : 0.f;
    }
    __syncthreads();
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int k = 0; k <= 2 * R; k++)
        sum += weight[k] * tile[threadIdx.y][threadIdx.x + k];
    out[x * height + y] = sum;       // transposed: the next pass is the same
}
"""


def test_separable_convolution():
    image = RANDOM(7).standard_normal((50, 70)).astype(np.float32)
    weight = np.exp(-((np.arange(9) - 4.0) ** 2) / 6).astype(np.float32)
    built = SourceModule(CONVOLUTION)
    cuda.memcpy_htod(built.get_global("weight")[0], weight)
    middle = gpuarray.empty((70, 50), np.float32)
    out = gpuarray.empty((50, 70), np.float32)
    rows = built.get_function("rows")
    for source, target in ((gpuarray.to_gpu(image), middle), (middle, out)):
        h, w = source.shape
        rows(
            source,
            target,
            np.int32(w),
            np.int32(h),
            block=(32, 4, 1),
            grid=(-(-w // 32), -(-h // 4)),
        )
    padded = np.pad(image.astype(float), 4)
    wanted = sum(
        weight[i] * weight[j] * padded[i : i + 50, j : j + 70]
        for i in range(9)
        for j in range(9)
    )
    assert np.allclose(out.get(), wanted, atol=1e-4)


TRANSPOSE = """
template <class T> __device__ void transpose(const T *in, T *out, int w, int h)
{
    __shared__ T tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w)
            out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void floats(const float *a, float *b, int w, int h)
{ transpose(a, b, w, h); }
extern "C" __global__ void doubles(const double *a, double *b, int w, int h)
{ transpose(a, b, w, h); }
"""


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_tiled_transpose(dtype):
    x = RANDOM(8).standard_normal((100, 75)).astype(dtype)
    out = np.empty((75, 100), dtype)
    get = module(TRANSPOSE, no_extern_c=True)
    get("floats" if dtype == "f4" else "doubles")(
        cuda.In(x),
        cuda.Out(out),
        np.int32(75),
        np.int32(100),
        block=(32, 8, 1),
        grid=(3, 4),
    )
    assert np.array_equal(out, x.T)


BLACK_SCHOLES = """
__device__ float cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * __expf(-0.5f * d * d) * (k * (0.31938153f
        + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f
        + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
__global__ void price(float2 *out, const float *s, const float *x,
                      const float *t, float r, float v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        float root = sqrtf(t[i]);
        float d1 = __fdividef(__logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i],
                              v * root);
        float d2 = d1 - v * root, now = x[i] * __expf(-r * t[i]);
        out[i] = make_float2(s[i] * cnd(d1) - now * cnd(d2),
                             now * (1 - cnd(d2)) - s[i] * (1 - cnd(d1)));
    }
}
"""


def test_black_scholes():
    random, n = RANDOM(9), 3000
    s, x = random.uniform(5, 30, (2, n)).astype(np.float32)
    t = random.uniform(0.25, 10, n).astype(np.float32)
    out = np.empty((n, 2), np.float32)
    module(BLACK_SCHOLES)("price")(
        cuda.Out(out),
        *(cuda.In(a) for a in (s, x, t)),
        np.float32(0.02),
        np.float32(0.3),
        np.int32(n),
        block=(128, 1, 1),
        grid=(4, 1),
    )
    normal = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))
    d1 = (np.log(s / x.astype(float)) + (0.02 + 0.045) * t) / (
        0.3 * np.sqrt(t.astype(float))
    )
    d2, now = d1 - 0.3 * np.sqrt(t), x * np.exp(-0.02 * t.astype(float))
    call = s * normal(d1) - now * normal(d2)
    assert np.allclose(out[:, 0], call, atol=1e-3)
    assert np.allclose(out[:, 1], call - s + now, atol=1e-3)


MONTE_CARLO = """
#include <curand_kernel.h>
extern "C" __global__ void pi(unsigned long long *inside, int trials)
{
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    curandStatePhilox4_32_10_t state;
    curand_init(11, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    unsigned mine = 0;
    for (int i = 0; i < trials; i++) {
        float4 p = curand_uniform4(&state);
        mine += p.x * p.x + p.y * p.y <= 1.f;
        mine += p.z * p.z + p.w * p.w <= 1.f;
    }
    for (int d = 16; d; d /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
"""


@pytest.mark.cpu
def test_monte_carlo_pi():
    inside = np.zeros(1, np.uint64)
    module(MONTE_CARLO, no_extern_c=True)("pi")(
        cuda.InOut(inside), np.int32(250), block=(64, 1, 1), grid=(8, 1)
    )
    n = 8 * 64 * 250 * 2
    assert abs(4 * int(inside[0]) / n - math.pi) < 5 * 1.64 / math.sqrt(n)
