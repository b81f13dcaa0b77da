"""More small programs: matrices, images, grids, graphs, clusters."""

import math

import numpy as np
import texture_cases

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
    repeated, depth = np.array([True]), 0
    nodes_gpu, flat_gpu = gpuarray.to_gpu(nodes), gpuarray.to_gpu(flat)
    cost_gpu = gpuarray.to_gpu(cost)
    while repeated[0]:
        repeated[0] = False
        level(
            nodes_gpu,
            flat_gpu,
            cost_gpu,
            np.int32(n),
            np.int32(depth),
            cuda.InOut(repeated),
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
