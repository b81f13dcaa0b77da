"""Small programs of the kind that CUDA's users write, against NumPy."""

import math

import numpy as np
import pytest
import texture_cases

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

RANDOM = np.random.default_rng


def module(source, **keywords):
    """A module and its functions by name."""
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


STURM = """
__global__ void bisect(const float *d, const float *e, int n, float low,
                       float high, float *out)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    for (int step = 0; step < 40; step++) {
        float x = 0.5f * (low + high), q = d[0] - x;
        int below = q < 0;
        for (int i = 1; i < n; i++) {
            q = d[i] - x - e[i - 1] * e[i - 1] / (q == 0 ? 1e-30f : q);
            below += q < 0;
        }
        if (below > k) high = x; else low = x;
    }
    out[k] = 0.5f * (low + high);
}
"""


def test_eigenvalues_by_bisection():
    n = 60
    d, e = RANDOM(12).standard_normal((2, n)).astype(np.float32)
    out = np.empty(n, np.float32)
    module(STURM)("bisect")(
        cuda.In(d),
        cuda.In(e),
        np.int32(n),
        np.float32(-8),
        np.float32(8),
        cuda.Out(out),
        block=(32, 1, 1),
        grid=(2, 1),
    )
    matrix = np.diag(d) + np.diag(e[:-1], 1) + np.diag(e[:-1], -1)
    assert np.allclose(
        out, np.linalg.eigvalsh(matrix.astype(float)), atol=1e-4
    )


DCT = """
__constant__ float basis[8][8];
__global__ void blocks(const float *in, float *out, int width)
{
    __shared__ float a[8][9], b[8][9];
    int x = threadIdx.x, y = threadIdx.y;
    int at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
    a[y][x] = in[at];
    __syncthreads();
    float sum = 0;
    #pragma unroll
    for (int k = 0; k < 8; k++) sum += basis[y][k] * a[k][x];
    b[y][x] = sum;
    __syncthreads();
    sum = 0;
    #pragma unroll
    for (int k = 0; k < 8; k++) sum += b[y][k] * basis[x][k];
    out[at] = sum;
}
"""


def test_dct_of_8_by_8_blocks():
    image = RANDOM(13).uniform(0, 255, (32, 48)).astype(np.float32)
    k = np.arange(8)
    basis = np.cos((2 * k + 1) * k[:, None] * np.pi / 16) / 2
    basis[0] /= math.sqrt(2)
    built = SourceModule(DCT)
    cuda.memcpy_htod(built.get_global("basis")[0], basis.astype(np.float32))
    out = np.empty_like(image)
    built.get_function("blocks")(
        cuda.In(image),
        cuda.Out(out),
        np.int32(48),
        block=(8, 8, 1),
        grid=(6, 4),
    )
    tiles = image.reshape(4, 8, 6, 8).transpose(0, 2, 1, 3).astype(float)
    wanted = (basis @ tiles @ basis.T).transpose(0, 2, 1, 3).reshape(32, 48)
    assert np.allclose(out, wanted, atol=1e-2)


SOBEL = """
texture<unsigned char, 2> image;
__global__ void edges(unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int gx = 0, gy = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            int p = tex2D(image, x + j + .5f, y + i + .5f);
            gx += p * j * (i == 0 ? 2 : 1);
            gy += p * i * (j == 0 ? 2 : 1);
        }
    out[y * width + x] = (unsigned char)min(abs(gx) + abs(gy), 255);
}
"""


def test_sobel_through_a_texture():
    image = RANDOM(14).integers(0, 60, (37, 53)).astype(np.uint8)
    built = SourceModule(SOBEL)
    texture = built.get_texref("image")
    texture.set_array(texture_cases.fill_array(image[None, :, :, None], "2D"))
    out = np.empty_like(image)
    built.get_function("edges")(
        cuda.Out(out),
        np.int32(53),
        np.int32(37),
        block=(16, 8, 1),
        grid=(4, 5),
        texrefs=[texture],
    )
    p = np.pad(image.astype(int), 1, mode="edge")

    def shifted(i, j):
        return p[1 + i : 38 + i, 1 + j : 54 + j]

    gx = sum(
        j * (2 if i == 0 else 1) * shifted(i, j)
        for i in (-1, 0, 1)
        for j in (-1, 1)
    )
    gy = sum(
        i * (2 if j == 0 else 1) * shifted(i, j)
        for i in (-1, 1)
        for j in (-1, 0, 1)
    )
    assert np.array_equal(out, np.minimum(abs(gx) + abs(gy), 255))


LU = """
__global__ void eliminate(double *a, int n)
{
    extern __shared__ double tile[];
    int t = threadIdx.x;
    for (int i = t; i < n * n; i += blockDim.x) tile[i] = a[i];
    __syncthreads();
    for (int k = 0; k < n - 1; k++) {
        for (int i = k + 1 + t; i < n; i += blockDim.x)
            tile[i * n + k] /= tile[k * n + k];
        __syncthreads();
        int rest = n - k - 1;
        for (int m = t; m < rest * rest; m += blockDim.x) {
            int i = k + 1 + m / rest, j = k + 1 + m % rest;
            tile[i * n + j] -= tile[i * n + k] * tile[k * n + j];
        }
        __syncthreads();
    }
    for (int i = t; i < n * n; i += blockDim.x) a[i] = tile[i];
}
"""


def test_lu_in_shared_memory():
    n = 33
    a = RANDOM(15).standard_normal((n, n)) + n * np.eye(n)
    lu = a.copy()
    module(LU)("eliminate")(
        cuda.InOut(lu), np.int32(n), block=(96, 1, 1), shared=8 * n * n
    )
    lower = np.tril(lu, -1) + np.eye(n)
    assert np.allclose(lower @ np.triu(lu), a, atol=1e-10)


HOTSPOT = """
#define STEPS 2
__global__ void heat(const float *power, const float *from, float *to,
                     int size, float k)
{
    const int inner = 16 - 2 * STEPS;
    __shared__ float now[16][16], next[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * inner + tx - STEPS;
    int y = blockIdx.y * inner + ty - STEPS;
    int cx = min(max(x, 0), size - 1), cy = min(max(y, 0), size - 1);
    float p = power[cy * size + cx];
    now[ty][tx] = from[cy * size + cx];
    __syncthreads();
    bool inside = x >= 0 && x < size && y >= 0 && y < size;
    for (int step = 1; step <= STEPS; step++) {
        bool active = inside && tx >= step && tx < 16 - step
            && ty >= step && ty < 16 - step;
        if (active) {
            float c = now[ty][tx];
            float w = x > 0 ? now[ty][tx - 1] : c;
            float e = x < size - 1 ? now[ty][tx + 1] : c;
            float n = y > 0 ? now[ty - 1][tx] : c;
            float s = y < size - 1 ? now[ty + 1][tx] : c;
            next[ty][tx] = c + k * (w + e + n + s - 4 * c) + p;
        }
        __syncthreads();
        if (active) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (inside && tx >= STEPS && tx < 16 - STEPS && ty >= STEPS
        && ty < 16 - STEPS)
        to[y * size + x] = now[ty][tx];
}
"""


def test_heat_with_pyramid_blocking():
    size = 50
    t = RANDOM(16).uniform(20, 90, (size, size)).astype(np.float32)
    power = RANDOM(17).uniform(0, 1, (size, size)).astype(np.float32)
    a, b = gpuarray.to_gpu(t), gpuarray.empty((size, size), np.float32)
    heat, p = module(HOTSPOT)("heat"), gpuarray.to_gpu(power)
    blocks = -(-size // 12)
    wanted = t.astype(float)
    for _ in range(5):
        heat(
            p,
            a,
            b,
            np.int32(size),
            np.float32(0.1),
            block=(16, 16, 1),
            grid=(blocks, blocks),
        )
        a, b = b, a
    for _ in range(10):
        q = np.pad(wanted, 1, mode="edge")
        around = q[:-2, 1:-1] + q[2:, 1:-1] + q[1:-1, :-2] + q[1:-1, 2:]
        wanted = wanted + np.float32(0.1) * (around - 4 * wanted) + power
    assert np.allclose(a.get(), wanted, rtol=1e-5)


PATHS = """
__global__ void pathfinder(const int *wall, int *best, int width, int rows)
{
    extern __shared__ int line[];
    int *now = line, *next = line + width;
    for (int x = threadIdx.x; x < width; x += blockDim.x) now[x] = wall[x];
    __syncthreads();
    for (int row = 1; row < rows; row++) {
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            int least = now[x];
            if (x > 0) least = min(least, now[x - 1]);
            if (x < width - 1) least = min(least, now[x + 1]);
            next[x] = least + wall[row * width + x];
        }
        __syncthreads();
        int *old = now; now = next; next = old;
    }
    for (int x = threadIdx.x; x < width; x += blockDim.x) best[x] = now[x];
}
__global__ void align(const int *score, int *table, int n, int penalty)
{
    // Needleman and Wunsch: one antidiagonal after the other
    int side = n + 1;
    for (int i = threadIdx.x; i < side; i += blockDim.x)
        table[i] = table[i * side] = -penalty * i;
    __syncthreads();
    for (int d = 2; d <= 2 * n; d++) {
        for (int i = max(1, d - n) + threadIdx.x; i <= min(n, d - 1);
             i += blockDim.x) {
            int j = d - i, *at = table + i * side + j;
            *at = max(at[-side - 1] + score[(i - 1) * n + j - 1],
                      max(at[-1], at[-side]) - penalty);
        }
        __syncthreads();
    }
}
"""


def test_pathfinder():
    wall = RANDOM(18).integers(0, 10, (40, 150)).astype(np.int32)
    best = np.empty(150, np.int32)
    module(PATHS)("pathfinder")(
        cuda.In(wall),
        cuda.Out(best),
        np.int32(150),
        np.int32(40),
        block=(64, 1, 1),
        shared=2 * 4 * 150,
    )
    wanted = wall[0]
    for row in wall[1:]:
        p = np.pad(wanted, 1, mode="edge")
        wanted = row + np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:])
    assert np.array_equal(best, wanted)


def test_needleman_wunsch():
    n = 70
    score = RANDOM(19).integers(-4, 6, (n, n)).astype(np.int32)
    table = np.zeros((n + 1, n + 1), np.int32)
    module(PATHS)("align")(
        cuda.In(score),
        cuda.InOut(table),
        np.int32(n),
        np.int32(3),
        block=(48, 1, 1),
    )
    wanted = np.zeros_like(table)
    wanted[0] = wanted[:, 0] = -3 * np.arange(n + 1)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            wanted[i, j] = max(
                wanted[i - 1, j - 1] + score[i - 1, j - 1],
                max(wanted[i, j - 1], wanted[i - 1, j]) - 3,
            )
    assert np.array_equal(table, wanted)


BFS = """
struct Node { int first, count; };
__global__ void level(const Node *nodes, const int *edges, int *cost, int n,
                      int depth, bool *again)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || cost[i] != depth) return;
    for (int e = nodes[i].first; e < nodes[i].first + nodes[i].count; e++) {
        if (atomicCAS(&cost[edges[e]], -1, depth + 1) == -1)
            *again = true;
    }
}
"""


def test_breadth_first_search():
    random, n = RANDOM(20), 900
    edges = [
        np.unique(random.integers(0, n, random.integers(0, 4)))
        for _ in range(n)
    ]
    count = np.array([len(e) for e in edges])
    first = np.cumsum(count) - count
    nodes = np.stack([first, count], 1).astype(np.int32)
    flat = np.concatenate(edges).astype(np.int32)
    cost = np.full(n, -1, np.int32)
    cost[0] = 0
    wanted, frontier = cost.copy(), [0]
    while frontier:
        found = []
        for i in frontier:
            for j in edges[i]:
                if wanted[j] < 0:
                    wanted[j] = wanted[i] + 1
                    found.append(j)
        frontier = found
    level = module(BFS)("level")
    again, depth = np.array([True]), 0
    nodes_gpu, flat_gpu = gpuarray.to_gpu(nodes), gpuarray.to_gpu(flat)
    cost_gpu = gpuarray.to_gpu(cost)
    while again[0]:
        again[0] = False
        level(
            nodes_gpu,
            flat_gpu,
            cost_gpu,
            np.int32(n),
            np.int32(depth),
            cuda.InOut(again),
            block=(128, 1, 1),
            grid=grid(n, 128),
        )
        depth += 1
    assert wanted.max() > 5, "a graph worth searching"
    assert np.array_equal(cost_gpu.get(), wanted)


SRAD = """
__global__ void coefficient(const float *image, float *c, float *dn, float *ds,
                            float *de, float *dw, int w, int h, float q0)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x;
    float me = image[i];
    dn[i] = image[max(y - 1, 0) * w + x] - me;
    ds[i] = image[min(y + 1, h - 1) * w + x] - me;
    dw[i] = image[y * w + max(x - 1, 0)] - me;
    de[i] = image[y * w + min(x + 1, w - 1)] - me;
    float g2 = (dn[i] * dn[i] + ds[i] * ds[i] + dw[i] * dw[i] + de[i] * de[i])
        / (me * me);
    float l = (dn[i] + ds[i] + dw[i] + de[i]) / me;
    float den = 1.f + .25f * l;
    float q = (.5f * g2 - l * l / 16.f) / (den * den);
    float value = 1.f / (1.f + (q - q0) / (q0 * (1.f + q0)));
    c[i] = __saturatef(value);
}
__global__ void diffuse(float *image, const float *c, const float *dn,
                        const float *ds, const float *de, const float *dw,
                        int w, int h, float lambda)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x;
    float south = c[min(y + 1, h - 1) * w + x];
    float east = c[y * w + min(x + 1, w - 1)];
    image[i] += .25f * lambda * (c[i] * dn[i] + south * ds[i] + c[i] * dw[i]
                                 + east * de[i]);
}
"""


def test_speckle_reducing_diffusion():
    h, w, q0 = 45, 61, 0.2
    image = RANDOM(21).uniform(0.5, 2, (h, w)).astype(np.float32)
    get = module(SRAD)
    state = gpuarray.to_gpu(image)
    parts = [gpuarray.empty((h, w), np.float32) for _ in range(5)]
    shape = {"block": (16, 16, 1), "grid": (4, 3)}
    sizes = (np.int32(w), np.int32(h))
    wanted = image.astype(float)
    for _ in range(4):
        get("coefficient")(state, *parts, *sizes, np.float32(q0), **shape)
        get("diffuse")(state, *parts, *sizes, np.float32(0.5), **shape)
        p = np.pad(wanted, 1, mode="edge")
        north, south = p[:-2, 1:-1] - wanted, p[2:, 1:-1] - wanted
        west, east = p[1:-1, :-2] - wanted, p[1:-1, 2:] - wanted
        g2 = (north**2 + south**2 + west**2 + east**2) / wanted**2
        laplace = (north + south + west + east) / wanted
        q = (0.5 * g2 - laplace**2 / 16) / (1 + 0.25 * laplace) ** 2
        c = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
        edge = np.pad(c, 1, mode="edge")
        wanted = wanted + 0.125 * (
            c * north
            + edge[2:, 1:-1] * south
            + c * west
            + edge[1:-1, 2:] * east
        )
    assert np.allclose(state.get(), wanted, rtol=1e-4)


KMEANS = """
template <int D> __device__ float distance(const float *a, const float *b)
{
    float sum = 0;
    for (int d = 0; d < D; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}
extern "C" __global__ void assign(const float *points, const float *centres,
                                  int *label, float *sums, int *counts, int n,
                                  int k)
{
    extern __shared__ float local[];       // k centres, then k sums
    float *total = local + 3 * k;
    for (int i = threadIdx.x; i < 3 * k; i += blockDim.x) {
        local[i] = centres[i];
        total[i] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int best = 0;
        for (int c = 1; c < k; c++)
            if (distance<3>(points + 3 * i, local + 3 * c)
                < distance<3>(points + 3 * i, local + 3 * best))
                best = c;
        label[i] = best;
        atomicAdd(&counts[best], 1);
        for (int d = 0; d < 3; d++)
            atomicAdd(&total[3 * best + d], points[3 * i + d]);
    }
    __syncthreads();
    for (int j = threadIdx.x; j < 3 * k; j += blockDim.x)
        atomicAdd(&sums[j], total[j]);
}
"""


def test_k_means():
    random, n, k = RANDOM(22), 1500, 5
    truth = random.uniform(-10, 10, (k, 3))
    points = truth[random.integers(0, k, n)] + random.normal(0, 0.4, (n, 3))
    points = points.astype(np.float32)
    centres = points[:k].copy()
    assign = module(KMEANS, no_extern_c=True)("assign")
    label = np.empty(n, np.int32)
    for _ in range(6):
        sums, counts = np.zeros((k, 3), np.float32), np.zeros(k, np.int32)
        assign(
            cuda.In(points),
            cuda.In(centres),
            cuda.Out(label),
            cuda.InOut(sums),
            cuda.InOut(counts),
            np.int32(n),
            np.int32(k),
            block=(128, 1, 1),
            grid=grid(n, 128),
            shared=4 * 6 * k,
        )
        d = ((points[:, None] - centres[None]) ** 2).sum(-1)
        wanted = d.argmin(1)
        assert (label == wanted).mean() > 0.999
        assert np.array_equal(counts, np.bincount(label, minlength=k))
        exact = np.stack([points[label == c].sum(0) for c in range(k)])
        assert np.allclose(sums, exact, rtol=1e-4, atol=1e-2)
        centres = (sums / np.maximum(counts, 1)[:, None]).astype(np.float32)


STREAMCLUSTER = """
struct Point { float weight; int assign; float cost; };
__global__ void gain(const float *coordinates, const Point *points, int n,
                     int dims, int candidate, float *lower, bool *switches)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float d = 0;
    for (int k = 0; k < dims; k++) {
        float difference = coordinates[k * n + i]
            - coordinates[k * n + candidate];
        d += difference * difference;
    }
    Point p = points[i];
    float saved = p.cost - d * p.weight;
    switches[i] = saved > 0;
    if (saved > 0) atomicAdd(&lower[p.assign], saved);
}
"""


def test_stream_cluster_gain():
    random, n, dims = RANDOM(23), 700, 6
    x = random.standard_normal((dims, n)).astype(np.float32)
    points = np.zeros(n, [("weight", "f4"), ("assign", "i4"), ("cost", "f4")])
    points["weight"] = random.uniform(0.5, 2, n)
    points["assign"] = random.integers(0, 8, n)
    points["cost"] = random.uniform(0, 30, n)
    lower, switches = np.zeros(8, np.float32), np.empty(n, bool)
    module(STREAMCLUSTER)("gain")(
        cuda.In(x),
        cuda.In(points),
        np.int32(n),
        np.int32(dims),
        np.int32(41),
        cuda.InOut(lower),
        cuda.Out(switches),
        block=(64, 1, 1),
        grid=grid(n, 64),
    )
    d = ((x - x[:, [41]]) ** 2).sum(0)
    saved = points["cost"] - d * points["weight"]
    clear = abs(saved) > 1e-4
    assert np.array_equal(switches[clear], saved[clear] > 0)
    wanted = np.bincount(points["assign"], np.maximum(saved, 0), 8)
    assert np.allclose(lower, wanted, rtol=1e-4)
