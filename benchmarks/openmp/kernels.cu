/* kernels.cu - kernels of the kinds that public GPU benchmarks contain,
 * written as CUDA programmers write them. twins_*.c have the same computations
 * as loops with OpenMP, rows.py the sizes and arguments.
 *
 * SPDX-License-Identifier: MIT */
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define KERNEL extern "C" __global__ void

texture<float, 1, cudaReadModeElementType> line;

KERNEL gemm(const float *a, const float *b, float *c, int n, float alpha,
            float beta)
{
    int x = X, y = Y;
    if (x < n && y < n) {
        float sum = c[y * n + x] * beta;
        for (int k = 0; k < n; k++) {
            sum += alpha * a[y * n + k] * b[k * n + x];
        }
        c[y * n + x] = sum;
    }
}

KERNEL two_mm(const float *a, const float *b, float *c, int n)
{
    int x = X, y = Y;
    if ((x < n) && (y < n)) {
        c[y * n + x] = 0;
        for (int k = 0; k < n; k++) {
            c[y * n + x] += a[y * n + k] * b[k * n + x];
        }
    }
}

KERNEL syrk(const float *a, float *c, int n, int m)
{
    int x = X, y = Y;
    if (x < n && y < n) {
        c[y * n + x] *= 0.5f;
        for (int k = 0; k < m; k++) {
            c[y * n + x] += 1.5f * a[y * m + k] * a[x * m + k];
        }
    }
}

KERNEL atax_rows(const float *a, const float *x, float *t, int n)
{
    int i = X;
    if (i < n) {
        t[i] = 0;
        for (int j = 0; j < n; j++) {
            t[i] += a[i * n + j] * x[j];
        }
    }
}

KERNEL atax_columns(const float *a, float *y, const float *t, int n)
{
    int j = X;
    if (j < n) {
        y[j] = 0;
        for (int i = 0; i < n; i++) {
            y[j] += a[i * n + j] * t[i];
        }
    }
}

KERNEL bicg(const float *a, const float *r, float *s, int n)
{
    int j = X;
    if (j < n) {
        float sum = 0;
        const float *p = a + j;
        for (int i = 0; i < n; i++, p += n) {
            sum += *p * r[i];
        }
        s[j] = sum;
    }
}

KERNEL mvt(const float *a, float *x, const float *y, int n)
{
    int i = X;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            x[i] += a[j * n + i] * y[j];
        }
    }
}

KERNEL gesummv(const float *a, const float *b, const float *x, float *y,
               int n)
{
    int i = X;
    if (i < n) {
        float s = 0, t = 0;
        for (int j = 0; j < n; j++) {
            s += a[i * n + j] * x[j];
            t += b[i * n + j] * x[j];
        }
        y[i] = 1.5f * s + 1.2f * t;
    }
}

KERNEL jacobi2d(const float *a, float *b, int n)
{
    int j = X, i = Y;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1) {
        b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] +
                               a[i * n + j + 1] + a[(i + 1) * n + j] +
                               a[(i - 1) * n + j]);
    }
}

KERNEL heat3d(const float *a, float *b, int nx, int ny, int nz)
{
    int i = X, j = Y, plane = nx * ny;
    int c = i + j * nx;
    int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1;
    int n = j == 0 ? c : c - nx, s = j == ny - 1 ? c : c + nx;
    for (int k = 0; k < nz; k++) {
        int b0 = k == 0 ? c : c - plane, t0 = k == nz - 1 ? c : c + plane;
        b[c] = 0.4f * a[c] + 0.1f * (a[w] + a[e] + a[n] + a[s] + a[b0] +
                                     a[t0]);
        c += plane, w += plane, e += plane, n += plane, s += plane;
    }
}

KERNEL fdtd(float *ex, const float *hz, int n)
{
    int j = X, i = Y;
    if ((i < n) && (j < n) && (j > 0)) {
        ex[i * n + j] -= 0.5f * (hz[i * n + j] - hz[i * n + (j - 1)]);
    }
}

KERNEL conv2d(const float *a, float *b, int n)
{
    int j = X, i = Y;
    if (i < n - 1 && j < n - 1 && i > 0 && j > 0) {
        b[i * n + j] =
            0.2f * a[(i - 1) * n + j - 1] - 0.3f * a[i * n + j - 1] +
            0.4f * a[(i + 1) * n + j - 1] + 0.5f * a[(i - 1) * n + j] +
            0.6f * a[i * n + j] + 0.7f * a[(i + 1) * n + j] -
            0.8f * a[(i - 1) * n + j + 1] - 0.9f * a[i * n + j + 1] +
            0.1f * a[(i + 1) * n + j + 1];
    }
}

KERNEL conv3d(const float *a, float *b, int n, int i)
{
    int k = X, j = Y;
    if (i < n - 1 && j < n - 1 && k < n - 1 && i > 0 && j > 0 && k > 0) {
        int p = n * n;
        b[i * p + j * n + k] = 2 * a[(i - 1) * p + (j - 1) * n + k - 1] -
                               3 * a[(i + 1) * p + (j - 1) * n + k - 1] +
                               4 * a[(i - 1) * p + (j - 1) * n + k] +
                               5 * a[i * p + j * n + k] +
                               6 * a[(i + 1) * p + (j + 1) * n + k + 1];
    }
}

KERNEL filter(const float *in, const float *weights, float *out, int n,
              int radius)
{
    int x = X, y = Y;
    if (x < n && y < n) {
        float sum = 0;
        for (int i = -radius; i <= radius; i++) {
            for (int j = -radius; j <= radius; j++) {
                int r = min(max(y + i, 0), n - 1);
                int c = min(max(x + j, 0), n - 1);
                sum += in[r * n + c] *
                       weights[(i + radius) * (2 * radius + 1) + j + radius];
            }
        }
        out[y * n + x] = sum;
    }
}

KERNEL hotspot(const float *t, const float *power, float *out, int n)
{
    __shared__ float tile[16][16];
    int bx = blockIdx.x * 14 - 1, by = blockIdx.y * 14 - 1;
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = bx + tx, y = by + ty;
    bool valid = x >= 0 && y >= 0 && x < n && y < n;
    if (valid) {
        tile[ty][tx] = t[y * n + x];
    }
    int x0 = bx < 0 ? -bx : 0, x1 = bx + 15 > n - 1 ? 15 - (bx + 15 - n + 1)
                                                    : 15;
    int y0 = by < 0 ? -by : 0, y1 = by + 15 > n - 1 ? 15 - (by + 15 - n + 1)
                                                    : 15;
    int north = max(ty - 1, y0), south = min(ty + 1, y1);
    int west = max(tx - 1, x0), east = min(tx + 1, x1);
    __syncthreads();
    if (tx > 0 && tx < 15 && ty > 0 && ty < 15 && valid) {
        float c = tile[ty][tx];
        out[y * n + x] =
            c + 0.1f * (power[y * n + x] +
                        (tile[south][tx] + tile[north][tx] - 2.f * c) * 0.3f +
                        (tile[ty][east] + tile[ty][west] - 2.f * c) * 0.2f +
                        (80.f - c) * 0.05f);
    }
}

KERNEL pathfinder(const int *wall, const int *from, int *to, int columns,
                  int row0, int rounds)
{
    __shared__ int prev[256], result[256];
    int tx = threadIdx.x, small = 256 - rounds * 2;
    int x = small * blockIdx.x - rounds + tx;
    int lo = max(0, rounds - (int)(small * blockIdx.x));
    int hi = min(255, columns - 1 - (small * (int)blockIdx.x - rounds));
    bool valid = tx >= lo && tx <= hi, computed = false;
    if (valid) {
        prev[tx] = from[x];
    }
    __syncthreads();
    int w = max(tx - 1, lo), e = min(tx + 1, hi);
    for (int i = 0; i < rounds; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= 254 - i && valid) {
            computed = true;
            result[tx] = min(prev[w], min(prev[tx], prev[e])) +
                         wall[(row0 + i) * columns + x];
        }
        __syncthreads();
        if (i == rounds - 1) {
            break;
        }
        if (computed) {
            prev[tx] = result[tx];
        }
        __syncthreads();
    }
    if (computed) {
        to[x] = result[tx];
    }
}

KERNEL srad(const float *j, float *c, int n, float q0)
{
    int x = X, y = Y;
    if (x >= n || y >= n) {
        return;
    }
    float v = j[y * n + x];
    float dn = j[max(y - 1, 0) * n + x] - v;
    float ds = j[min(y + 1, n - 1) * n + x] - v;
    float dw = j[y * n + max(x - 1, 0)] - v;
    float de = j[y * n + min(x + 1, n - 1)] - v;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (v * v);
    float l = (dn + ds + dw + de) / v;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
    float den = 1 + 0.25f * l;
    float q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    float r = 1.0f / (1.0f + den);
    c[y * n + x] = r < 0 ? 0 : r > 1 ? 1 : r;
}

KERNEL lavamd(const float4 *rv, const float *qv, float4 *fv, int per,
              int around, float a2)
{
    int box = blockIdx.x, boxes = gridDim.x;
    for (int i = threadIdx.x; i < per; i += blockDim.x) {
        float4 self = rv[box * per + i], force = make_float4(0, 0, 0, 0);
        for (int k = -around; k <= around; k++) {
            int other = (box + k + boxes) % boxes;
            for (int j = 0; j < per; j++) {
                float4 o = rv[other * per + j];
                float r2 = self.w + o.w -
                           (self.x * o.x + self.y * o.y + self.z * o.z);
                float vij = expf(-(a2 * r2));
                float fs = 2 * vij, q = qv[other * per + j];
                force.w += q * vij;
                force.x += q * fs * (self.x - o.x);
                force.y += q * fs * (self.y - o.y);
                force.z += q * fs * (self.z - o.z);
            }
        }
        fv[box * per + i] = force;
    }
}

KERNEL needle(const int *ref, int *score, int n, int diagonal, int penalty)
{
    __shared__ int temp[17][17], cost[16][16];
    int bx = blockIdx.x, by = diagonal - bx, tx = threadIdx.x;
    int base = n * 16 * by + 16 * bx + tx + n + 1;
    if (tx == 0) {
        temp[0][0] = score[base - n - 1 - tx];
    }
    for (int ty = 0; ty < 16; ty++) {
        cost[ty][tx] = ref[base + n * ty];
    }
    temp[tx + 1][0] = score[n * 16 * by + 16 * bx + n * (tx + 1)];
    temp[0][tx + 1] = score[base - n];
    __syncthreads();
    for (int m = 0; m < 31; m++) {
        int x = m < 16 ? tx + 1 : tx + m - 14;
        int y = m < 16 ? m - tx + 1 : 16 - tx;
        if (m < 16 ? tx <= m : tx < 31 - m) {
            temp[y][x] = max(temp[y - 1][x - 1] + cost[y - 1][x - 1],
                             max(temp[y][x - 1], temp[y - 1][x]) - penalty);
        }
        __syncthreads();
    }
    for (int ty = 0; ty < 16; ty++) {
        score[base + n * ty] = temp[ty + 1][tx + 1];
    }
}

KERNEL bfs(const int *first, const int *edges, const char *mask, int *cost,
           const char *visited, int n)
{
    int t = X;
    if (t < n && mask[t]) {
        for (int i = first[t]; i < first[t + 1]; i++) {
            int id = edges[i];
            if (!visited[id]) {
                cost[id] = 5;
            }
        }
    }
}

KERNEL nn(const float2 *at, float *distance, int n, float lat, float lng)
{
    int t = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (t < n) {
        distance[t] = sqrtf((lat - at[t].x) * (lat - at[t].x) +
                            (lng - at[t].y) * (lng - at[t].y));
    }
}

KERNEL backprop(float *delta, int hid, const float *ly, float *w, float *oldw)
{
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1) +
                16 * blockIdx.x;
    int iy = 16 * by + ty + 1, ix = 16 * blockIdx.x + tx + 1;
    w[index] += 0.3f * delta[ix] * ly[iy] + 0.3f * oldw[index];
    oldw[index] = 0.3f * delta[ix] * ly[iy] + 0.3f * oldw[index];
}

KERNEL lud_internal(float *m, int n, int offset)
{
    __shared__ float row[16][16], col[16][16];
    int gr = offset + (blockIdx.y + 1) * 16, gc = offset + (blockIdx.x + 1) * 16;
    int tx = threadIdx.x, ty = threadIdx.y;
    row[ty][tx] = m[(offset + ty) * n + gc + tx];
    col[ty][tx] = m[(gr + ty) * n + offset + tx];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++) {
        sum += col[ty][i] * row[i][tx];
    }
    m[(gr + ty) * n + gc + tx] -= sum;
}

KERNEL kmeans(const float *feature, const float *clusters, int *member, int n,
              int k, int d)
{
    int t = X;
    if (t < n) {
        int index = -1;
        float least = 3e38f;
        for (int i = 0; i < k; i++) {
            float sum = 0;
            for (int j = 0; j < d; j++) {
                float diff = feature[j * n + t] - clusters[i * d + j];
                sum += diff * diff;
            }
            if (sum < least) {
                least = sum;
                index = i;
            }
        }
        member[t] = index;
    }
}

KERNEL streamcluster(const float *coord, const float *weight, float *cost,
                     int n, int d, int center)
{
    extern __shared__ float of_center[];
    int t = X;
    if (threadIdx.x == 0) {
        for (int i = 0; i < d; i++) {
            of_center[i] = coord[i * n + center];
        }
    }
    __syncthreads();
    if (t < n) {
        float sum = 0;
        for (int i = 0; i < d; i++) {
            sum += (coord[i * n + t] - of_center[i]) *
                   (coord[i * n + t] - of_center[i]);
        }
        cost[t] = sum * weight[t];
    }
}

KERNEL particle(const unsigned char *image, const int *index, float *likely,
                int ones, int particles)
{
    int i = X;
    if (i < particles) {
        float sum = 0;
        for (int k = 0; k < ones; k++) {
            float v = image[index[i * ones + k]];
            sum += (pow(v - 100.f, 2) - pow(v - 228.f, 2)) / 50.0f;
        }
        likely[i] = sum / ones;
    }
}

KERNEL guarded(const float *in, float *out, unsigned w, unsigned h)
{
    unsigned x = X, y = Y, at = y * w + x;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        out[at] = (in[at - 1] + in[at + 1] + in[at - w] + in[at + w]) * 0.25f;
    } else if (x < w && y < h) {
        out[at] = in[at];
    }
}

KERNEL spmv(const int *row, const int *column, const float *value,
            const float *x, float *y, int n)
{
    int r = X;
    if (r < n) {
        float sum = 0;
        for (int i = row[r]; i < row[r + 1]; i++) {
            sum += value[i] * x[column[i]];
        }
        y[r] = sum;
    }
}

KERNEL histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = X; i < n; i += blockDim.x * gridDim.x) {
        atomicAdd(&own[in[i]], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

KERNEL reduce(const float *in, float *out, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = X; i < n; i += blockDim.x * gridDim.x) {
        sum += in[i];
    }
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) {
            part[t] += part[t + s];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = part[0];
    }
}

KERNEL scan(const float *in, float *out)
{
    __shared__ float a[512];
    int t = threadIdx.x, from = 0;
    a[t] = in[X];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int to = 256 - from;
        a[to + t] = t >= d ? a[from + t] + a[from + t - d] : a[from + t];
        from = to;
        __syncthreads();
    }
    out[X] = a[from + t];
}

KERNEL transpose(const float *in, float *out, int n)
{
    __shared__ float tile[16][17];
    int x = X, y = Y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__device__ float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) *
              (k * (0.31938153f +
                    k * (-0.356563782f +
                         k * (1.781477937f +
                              k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - c : c;
}

KERNEL black_scholes(const float *s, const float *x, const float *t,
                     float *call, float *put, int n)
{
    for (int i = X; i < n; i += blockDim.x * gridDim.x) {
        float root = sqrtf(t[i]), r = 0.02f, v = 0.3f;
        float d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root);
        float d2 = d1 - v * root, e = expf(-r * t[i]);
        call[i] = s[i] * normal(d1) - x[i] * e * normal(d2);
        put[i] = x[i] * e * (1 - normal(d2)) - s[i] * (1 - normal(d1));
    }
}

KERNEL mandelbrot(int *out, int n, int most)
{
    int px = X, py = Y;
    if (px < n && py < n) {
        float cx = px * 3.f / n - 2, cy = py * 2.f / n - 1, x = 0, y = 0;
        int i = 0;
        while (x * x + y * y <= 4 && i < most) {
            float t = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = t;
            i++;
        }
        out[py * n + px] = i;
    }
}

KERNEL nbody(const float4 *at, float4 *acceleration, int n)
{
    int i = X;
    if (i < n) {
        float4 p = at[i];
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            float4 o = at[j];
            float dx = o.x - p.x, dy = o.y - p.y, dz = o.z - p.z;
            float d = dx * dx + dy * dy + dz * dz + 1e-4f;
            float inv = 1.0f / sqrtf(d), s = o.w * inv * inv * inv;
            ax += dx * s, ay += dy * s, az += dz * s;
        }
        acceleration[i] = make_float4(ax, ay, az, 0);
    }
}

KERNEL softmax(const float *in, float *out, int n)
{
    __shared__ float part[256];
    const float *row = in + blockIdx.x * n;
    int t = threadIdx.x;
    float most = -3e38f, sum = 0;
    for (int i = t; i < n; i += blockDim.x) {
        most = fmaxf(most, row[i]);
    }
    part[t] = most;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) {
            part[t] = fmaxf(part[t], part[t + s]);
        }
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        sum += expf(row[i] - most);
    }
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) {
            part[t] += part[t + s];
        }
        __syncthreads();
    }
    sum = part[0];
    for (int i = t; i < n; i += blockDim.x) {
        out[blockIdx.x * n + i] = expf(row[i] - most) / sum;
    }
}

KERNEL softmax_thread(const float *in, float *out, int rows, int n)
{
    int r = X;
    if (r < rows) {
        float most = in[r * n], sum = 0;
        for (int i = 1; i < n; i++) {
            most = fmaxf(most, in[r * n + i]);
        }
        for (int i = 0; i < n; i++) {
            sum += out[r * n + i] = expf(in[r * n + i] - most);
        }
        for (int i = 0; i < n; i++) {
            out[r * n + i] /= sum;
        }
    }
}

KERNEL layer_norm(const float *in, const float *gain, const float *bias,
                  float *out, int n)
{
    __shared__ float part[32];
    const float *row = in + blockIdx.x * n;
    int t = threadIdx.x;
    float sum = 0, square = 0;
    for (int i = t; i < n; i += blockDim.x) {
        sum += row[i];
        square += row[i] * row[i];
    }
    for (int s = 16; s > 0; s >>= 1) {
        sum += __shfl_xor_sync(~0u, sum, s);
        square += __shfl_xor_sync(~0u, square, s);
    }
    if (t % 32 == 0) {
        part[t / 32] = sum;
        part[t / 32 + 8] = square;
    }
    __syncthreads();
    sum = square = 0;
    for (int i = 0; i < 8; i++) {
        sum += part[i];
        square += part[i + 8];
    }
    float mean = sum / n, scale = rsqrtf(square / n - mean * mean + 1e-5f);
    for (int i = t; i < n; i += blockDim.x) {
        out[blockIdx.x * n + i] = (row[i] - mean) * scale * gain[i] + bias[i];
    }
}

KERNEL attention(const float *q, const float *k, const float *v, float *out,
                 int n, int d)
{
    int i = X;
    if (i < n) {
        float most = -3e38f, sum = 0;
        for (int j = 0; j < n; j++) {
            float dot = 0;
            for (int c = 0; c < d; c++) {
                dot += q[c * n + i] * k[j * d + c];
            }
            most = fmaxf(most, dot);
        }
        for (int j = 0; j < n; j++) {
            float dot = 0;
            for (int c = 0; c < d; c++) {
                dot += q[c * n + i] * k[j * d + c];
            }
            float p = expf(dot - most);
            sum += p;
            for (int c = 0; c < d; c++) {
                out[c * n + i] += p * v[j * d + c];
            }
        }
        for (int c = 0; c < d; c++) {
            out[c * n + i] /= sum;
        }
    }
}

KERNEL gelu(const float *in, float *out, int n)
{
    int i = X;
    if (i < n) {
        float x = in[i];
        out[i] = 0.5f * x *
                 (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

KERNEL embedding(const int *ids, const float *table, float *out, int d)
{
    const float *row = table + (long)ids[blockIdx.x] * d;
    for (int i = threadIdx.x; i < d; i += blockDim.x) {
        out[blockIdx.x * d + i] = row[i];
    }
}

KERNEL texture_sum(float *out, int n, int around)
{
    int i = X;
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < around; k++) {
            sum += tex1Dfetch(line, i + k);
        }
        out[i] = sum;
    }
}

KERNEL powers(const float *x, const double *y, float *out, int n)
{
    int i = X;
    if (i < n) {
        out[i] = powf(x[i], 2) + powf(x[i], 3.0f) + powf(x[i], 0.5f) +
                 powf(x[i], -1) + (float)(pow(y[i], 2) + pow(y[i], 3.0));
    }
}

KERNEL digest(const unsigned *in, unsigned *out, int n, int rounds)
{
    int i = X;
    if (i < n) {
        unsigned a = in[i], b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
        for (int r = 0; r < rounds; r++) {
            unsigned f = (b & c) | (~b & d);
            f += a + 0x5a827999u + r;
            a = d;
            d = c;
            c = b;
            b += (f << (r & 15 | 1)) | (f >> (32 - (r & 15 | 1)));
        }
        out[i] = a ^ b ^ c ^ d;
    }
}

KERNEL flux(const int *neighbour, const float *normal, const float *state,
            float *out, int n)
{
    int i = X;
    if (i >= n) {
        return;
    }
    float density = state[i], mx = state[i + n], energy = state[i + 2 * n];
    float fd = 0, fx = 0, fe = 0;
    for (int j = 0; j < 4; j++) {
        int nb = neighbour[i + j * n];
        float nx = normal[i + j * n];
        if (nb >= 0) {
            float dn = state[nb], mn = state[nb + n], en = state[nb + 2 * n];
            float speed = sqrtf(mn * mn / (dn * dn)) + 1.0f;
            float p = 0.4f * (en - 0.5f * mn * mn / dn);
            fd += nx * (mn + mx) - speed * 0.1f * (density - dn);
            fx += nx * (mn * mn / dn + p) - speed * 0.1f * (mx - mn);
            fe += nx * (en + p) * mn / dn - speed * 0.1f * (energy - en);
        } else {
            fx += nx * 1.5f;
        }
    }
    out[i] = fd;
    out[i + n] = fx;
    out[i + 2 * n] = fe;
}

KERNEL dct8x8(const float *in, const float *basis, float *out, int n)
{
    __shared__ float a[8][8], b[8][8];
    int x = X, y = Y, tx = threadIdx.x, ty = threadIdx.y;
    a[ty][tx] = in[y * n + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += basis[ty * 8 + i] * a[i][tx];
    }
    b[ty][tx] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += b[ty][i] * basis[tx * 8 + i];
    }
    out[y * n + x] = sum;
}

KERNEL butterfly(float *re, float *im, const float *wr, const float *wi,
                 int half)
{
    int i = X, k = i % half, at = (i / half) * 2 * half + k;
    float r = re[at + half] * wr[k] - im[at + half] * wi[k];
    float m = re[at + half] * wi[k] + im[at + half] * wr[k];
    re[at + half] = re[at] - r;
    im[at + half] = im[at] - m;
    re[at] += r;
    im[at] += m;
}

KERNEL gaussian(float *a, const float *m, int n, int t)
{
    int x = X, y = Y;
    if (x < n - 1 - t && y < n - t) {
        a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
    }
}

KERNEL monte_carlo(float *out, int n, int steps)
{
    int i = X;
    if (i < n) {
        unsigned s = i * 747796405u + 1;
        float sum = 0;
        for (int k = 0; k < steps; k++) {
            s ^= s << 13, s ^= s >> 17, s ^= s << 5;
            float u = (s >> 8) * (1.0f / 16777216);
            sum += expf(0.1f * u - 0.05f);
        }
        out[i] = sum / steps;
    }
}

KERNEL knn(const double *points, const double *query, double *best, int n,
           int m)
{
    int q = X;
    if (q < m) {
        double least = 1e300;
        for (int i = 0; i < n; i++) {
            double dx = points[2 * i] - query[2 * q];
            double dy = points[2 * i + 1] - query[2 * q + 1];
            least = fmin(least, dx * dx + dy * dy);
        }
        best[q] = sqrt(least);
    }
}
