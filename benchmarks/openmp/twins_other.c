/* twins_other.c - the other computations of kernels.cu as loops with OpenMP,
 * in the order of loops that suits a processor's caches and vector
 * instructions.
 *
 * SPDX-License-Identifier: MIT */
#include "twins.h"

struct four {
    float x, y, z, w;
};

void
lavamd(const struct four *R rv, const float *R qv, struct four *R fv, int per,
       int around, float a2, int boxes)
{
    LOOP for (int box = 0; box < boxes; box++)
    {
        for (int i = 0; i < per; i++) {
            struct four self = rv[box * per + i];
            float fx = 0, fy = 0, fz = 0, fw = 0;
            for (int k = -around; k <= around; k++) {
                const struct four *other =
                    rv + (box + k + boxes) % boxes * per;
                const float *charge = qv + (box + k + boxes) % boxes * per;
                _Pragma("omp simd reduction(+ : fx, fy, fz, fw)") for (int j =
                                                                           0;
                                                                       j < per;
                                                                       j++)
                {
                    struct four o = other[j];
                    float r2 = self.w + o.w -
                               (self.x * o.x + self.y * o.y + self.z * o.z);
                    float vij = expf(-(a2 * r2)), fs = 2 * vij;
                    fw += charge[j] * vij;
                    fx += charge[j] * fs * (self.x - o.x);
                    fy += charge[j] * fs * (self.y - o.y);
                    fz += charge[j] * fs * (self.z - o.z);
                }
            }
            fv[box * per + i] = (struct four){fx, fy, fz, fw};
        }
    }
}

void
needle(const int *R ref, int *R score, int n, int diagonal, int penalty)
{
    LOOP for (int bx = 0; bx <= diagonal; bx++)
    {
        int by = diagonal - bx;
        for (int y = by * 16 + 1; y <= by * 16 + 16; y++) {
            for (int x = bx * 16 + 1; x <= bx * 16 + 16; x++) {
                score[y * n + x] =
                    most(score[(y - 1) * n + x - 1] + ref[y * n + x],
                         most(score[y * n + x - 1], score[(y - 1) * n + x]) -
                             penalty);
            }
        }
    }
}

void
bfs(const int *R first, const int *R edges, const char *R mask, int *R cost,
    const char *R visited, int n)
{
    _Pragma("omp parallel for schedule(dynamic, 1024)") for (int t = 0; t < n;
                                                             t++)
    {
        if (mask[t]) {
            for (int i = first[t]; i < first[t + 1]; i++) {
                if (!visited[edges[i]]) {
                    cost[edges[i]] = 5;
                }
            }
        }
    }
}

void
nn(const float *R at, float *R distance, int n, float lat, float lng)
{
    _Pragma("omp parallel for simd") for (int t = 0; t < n; t++)
    {
        distance[t] = sqrtf((lat - at[2 * t]) * (lat - at[2 * t]) +
                            (lng - at[2 * t + 1]) * (lng - at[2 * t + 1]));
    }
}

void
backprop(float *R delta, int hid, const float *R ly, float *R w, float *R oldw,
         int in)
{
    LOOP for (int y = 1; y <= in; y++)
    {
        SIMD for (int x = 1; x <= hid; x++)
        {
            int index = y * (hid + 1) + x;
            float d = 0.3f * delta[x] * ly[y] + 0.3f * oldw[index];
            w[index] += d;
            oldw[index] = d;
        }
    }
}

void
lud_internal(float *R m, int n, int offset)
{
    LOOP for (int y = offset + 16; y < n; y++)
    {
        for (int i = 0; i < 16; i++) {
            float f = m[y * n + offset + i];
            const float *row = m + (offset + i) * n;
            SIMD for (int x = offset + 16; x < n; x++) m[y * n + x] -=
                f * row[x];
        }
    }
}

void
kmeans(const float *R feature, const float *R clusters, int *R member, int n,
       int k, int d)
{
    enum { WIDE = 256 };
    LOOP for (int t0 = 0; t0 < n; t0 += WIDE)
    {
        int end = least(WIDE, n - t0);
        float closest[WIDE], sum[WIDE];
        for (int t = 0; t < end; t++) {
            closest[t] = 3e38f;
            member[t0 + t] = -1;
        }
        for (int i = 0; i < k; i++) {
            memset(sum, 0, sizeof sum);
            for (int j = 0; j < d; j++) {
                float c = clusters[i * d + j];
                const float *f = feature + j * n + t0;
                SIMD for (int t = 0; t < end; t++) sum[t] +=
                    (f[t] - c) * (f[t] - c);
            }
            SIMD for (int t = 0; t < end; t++)
            {
                int less = sum[t] < closest[t];
                closest[t] = less ? sum[t] : closest[t];
                member[t0 + t] = less ? i : member[t0 + t];
            }
        }
    }
}

void
streamcluster(const float *R coord, const float *R weight, float *R cost,
              int n, int d, int center)
{
    enum { WIDE = 512 };
    LOOP for (int t0 = 0; t0 < n; t0 += WIDE)
    {
        int end = least(WIDE, n - t0);
        float sum[WIDE] = {0};
        for (int i = 0; i < d; i++) {
            float c = coord[i * n + center];
            const float *p = coord + i * n + t0;
            SIMD for (int t = 0; t < end; t++) sum[t] +=
                (p[t] - c) * (p[t] - c);
        }
        for (int t = 0; t < end; t++) {
            cost[t0 + t] = sum[t] * weight[t0 + t];
        }
    }
}

void
particle(const unsigned char *R image, const int *R index, float *R likely,
         int ones, int particles)
{
    LOOP for (int i = 0; i < particles; i++)
    {
        float sum = 0;
        _Pragma("omp simd reduction(+ : sum)") for (int k = 0; k < ones; k++)
        {
            float v = image[index[i * ones + k]];
            sum += ((v - 100) * (v - 100) - (v - 228) * (v - 228)) / 50.0f;
        }
        likely[i] = sum / ones;
    }
}

void
guarded(const float *R in, float *R out, unsigned w, unsigned h)
{
    LOOP for (unsigned y = 0; y < h; y++)
    {
        const float *c = in + y * w;
        float *o = out + y * w;
        if (y == 0 || y == h - 1) {
            memcpy(o, c, w * sizeof *o);
            continue;
        }
        o[0] = c[0];
        SIMD for (unsigned x = 1; x < w - 1; x++) o[x] =
            (c[x - 1] + c[x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]) *
            0.25f;
        o[w - 1] = c[w - 1];
    }
}

void
spmv(const int *R row, const int *R column, const float *R value,
     const float *R x, float *R y, int n)
{
    LOOP for (int r = 0; r < n; r++)
    {
        float sum = 0;
        for (int i = row[r]; i < row[r + 1]; i++) {
            sum += value[i] * x[column[i]];
        }
        y[r] = sum;
    }
}

void
histogram(const unsigned char *R in, unsigned *R bins, int n)
{
    _Pragma("omp parallel")
    {
        unsigned own[4][256] = {{0}};
        _Pragma("omp for") for (int i = 0; i < n / 4; i++)
        {
            own[0][in[4 * i]]++;
            own[1][in[4 * i + 1]]++;
            own[2][in[4 * i + 2]]++;
            own[3][in[4 * i + 3]]++;
        }
        _Pragma("omp critical") for (int b = 0; b < 256; b++)
        {
            bins[b] += own[0][b] + own[1][b] + own[2][b] + own[3][b];
        }
    }
}

void
reduce(const float *R in, float *R out, int n)
{
    float sum = 0;
    _Pragma("omp parallel for simd reduction(+ : sum)") for (int i = 0; i < n;
                                                             i++)
    {
        sum += in[i];
    }
    out[0] = sum;
}

void
scan(const float *R in, float *R out, int n)
{
    LOOP for (int b = 0; b < n / 256; b++)
    {
        float sum = 0;
        for (int t = 0; t < 256; t++) {
            sum += in[b * 256 + t];
            out[b * 256 + t] = sum;
        }
    }
}

void
transpose(const float *R in, float *R out, int n)
{
    enum { WIDE = 16 };
    _Pragma("omp parallel for collapse(2)") for (int y = 0; y < n; y += WIDE)
    {
        for (int x = 0; x < n; x += WIDE) {
            for (int i = 0; i < WIDE; i++) {
                for (int k = 0; k < WIDE; k++) {
                    out[(x + i) * n + y + k] = in[(y + k) * n + x + i];
                }
            }
        }
    }
}

static inline float
normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c =
        0.39894228f * expf(-0.5f * d * d) *
        (k *
         (0.31938153f +
          k * (-0.356563782f +
               k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - c : c;
}

void
black_scholes(const float *R s, const float *R x, const float *R t,
              float *R call, float *R put, int n)
{
    _Pragma("omp parallel for simd") for (int i = 0; i < n; i++)
    {
        float root = sqrtf(t[i]), r = 0.02f, v = 0.3f;
        float d1 =
            (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root);
        float d2 = d1 - v * root, e = expf(-r * t[i]);
        call[i] = s[i] * normal(d1) - x[i] * e * normal(d2);
        put[i] = x[i] * e * (1 - normal(d2)) - s[i] * (1 - normal(d1));
    }
}

void
mandelbrot(int *R out, int n, int limit)
{
    DYNAMIC for (int py = 0; py < n; py++)
    {
        for (int px = 0; px < n; px++) {
            float cx = px * 3.f / n - 2, cy = py * 2.f / n - 1, x = 0, y = 0;
            int i = 0;
            while (x * x + y * y <= 4 && i < limit) {
                float t = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = t;
                i++;
            }
            out[py * n + px] = i;
        }
    }
}

void
nbody(const struct four *R at, struct four *R acceleration, int n)
{
    LOOP for (int i = 0; i < n; i++)
    {
        struct four p = at[i];
        float ax = 0, ay = 0, az = 0;
        _Pragma("omp simd reduction(+ : ax, ay, az)") for (int j = 0; j < n;
                                                           j++)
        {
            struct four o = at[j];
            float dx = o.x - p.x, dy = o.y - p.y, dz = o.z - p.z;
            float d = dx * dx + dy * dy + dz * dz + 1e-4f;
            float inv = 1.0f / sqrtf(d), s = o.w * inv * inv * inv;
            ax += dx * s, ay += dy * s, az += dz * s;
        }
        acceleration[i] = (struct four){ax, ay, az, 0};
    }
}

void
softmax(const float *R in, float *R out, int rows, int n)
{
    LOOP for (int r = 0; r < rows; r++)
    {
        const float *a = in + r * n;
        float *o = out + r * n, high = a[0], sum = 0;
        _Pragma("omp simd reduction(max : high)") for (int i = 0; i < n; i++)
            high = a[i] > high ? a[i] : high;
        _Pragma("omp simd reduction(+ : sum)") for (int i = 0; i < n; i++)
        {
            o[i] = expf(a[i] - high);
            sum += o[i];
        }
        SIMD for (int i = 0; i < n; i++) o[i] /= sum;
    }
}

void
softmax_thread(const float *R in, float *R out, int rows, int n)
{
    softmax(in, out, rows, n);
}

void
layer_norm(const float *R in, const float *R gain, const float *R bias,
           float *R out, int n, int rows)
{
    LOOP for (int r = 0; r < rows; r++)
    {
        const float *a = in + r * n;
        float sum = 0, square = 0;
        _Pragma("omp simd reduction(+ : sum, square)") for (int i = 0; i < n;
                                                            i++)
        {
            sum += a[i];
            square += a[i] * a[i];
        }
        float mean = sum / n;
        float scale = 1 / sqrtf(square / n - mean * mean + 1e-5f);
        SIMD for (int i = 0; i < n; i++) out[r * n + i] =
            (a[i] - mean) * scale * gain[i] + bias[i];
    }
}

void
attention(const float *R q, const float *R k, const float *R v, float *R out,
          int n, int d)
{
    enum { WIDE = 64 };
    LOOP for (int i0 = 0; i0 < n; i0 += WIDE)
    {
        float high[WIDE], sum[WIDE] = {0}, dot[WIDE];
        for (int i = 0; i < WIDE; i++) {
            high[i] = -3e38f;
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int j = 0; j < n; j++) {
                memset(dot, 0, sizeof dot);
                for (int c = 0; c < d; c++) {
                    SIMD for (int i = 0; i < WIDE; i++) dot[i] +=
                        q[c * n + i0 + i] * k[j * d + c];
                }
                if (!pass) {
                    SIMD for (int i = 0; i < WIDE; i++) high[i] =
                        dot[i] > high[i] ? dot[i] : high[i];
                    continue;
                }
                SIMD for (int i = 0; i < WIDE; i++)
                {
                    dot[i] = expf(dot[i] - high[i]);
                    sum[i] += dot[i];
                }
                for (int c = 0; c < d; c++) {
                    SIMD for (int i = 0; i < WIDE; i++) out[c * n + i0 + i] +=
                        dot[i] * v[j * d + c];
                }
            }
        }
        for (int c = 0; c < d; c++) {
            SIMD for (int i = 0; i < WIDE; i++) out[c * n + i0 + i] /= sum[i];
        }
    }
}

void
gelu(const float *R in, float *R out, int n)
{
    _Pragma("omp parallel for simd") for (int i = 0; i < n; i++)
    {
        float x = in[i];
        out[i] = 0.5f * x *
                 (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

void
embedding(const int *R ids, const float *R table, float *R out, int d, int n)
{
    LOOP for (int i = 0; i < n; i++)
    {
        memcpy(out + (long)i * d, table + (long)ids[i] * d, d * sizeof *out);
    }
}

void
texture_sum(const float *R line, float *R out, int n, int around)
{
    LOOP for (int i0 = 0; i0 < n; i0 += 256)
    {
        int end = least(256, n - i0);
        float sum[256] = {0};
        for (int k = 0; k < around; k++) {
            SIMD for (int i = 0; i < end; i++) sum[i] += line[i0 + i + k];
        }
        memcpy(out + i0, sum, end * sizeof *out);
    }
}

void
powers(const float *R x, const double *R y, float *R out, int n)
{
    _Pragma("omp parallel for simd") for (int i = 0; i < n; i++)
    {
        out[i] = x[i] * x[i] + x[i] * x[i] * x[i] + sqrtf(x[i]) + 1 / x[i] +
                 (float)(y[i] * y[i] + y[i] * y[i] * y[i]);
    }
}

void
digest(const unsigned *R in, unsigned *R out, int n, int rounds)
{
    LOOP for (int i0 = 0; i0 < n; i0 += 16)
    {
        unsigned a[16], b[16], c[16], d[16];
        for (int i = 0; i < 16; i++) {
            a[i] = in[i0 + i], b[i] = 0xefcdab89;
            c[i] = 0x98badcfe, d[i] = 0x10325476;
        }
        for (int r = 0; r < rounds; r++) {
            SIMD for (int i = 0; i < 16; i++)
            {
                unsigned f =
                    ((b[i] & c[i]) | (~b[i] & d[i])) + a[i] + 0x5a827999u + r;
                a[i] = d[i];
                d[i] = c[i];
                c[i] = b[i];
                b[i] += (f << (r & 15 | 1)) | (f >> (32 - (r & 15 | 1)));
            }
        }
        for (int i = 0; i < 16; i++) {
            out[i0 + i] = a[i] ^ b[i] ^ c[i] ^ d[i];
        }
    }
}

void
flux(const int *R neighbour, const float *R normal, const float *R state,
     float *R out, int n)
{
    _Pragma("omp parallel for simd") for (int i = 0; i < n; i++)
    {
        float density = state[i], mx = state[i + n], energy = state[i + 2 * n];
        float fd = 0, fx = 0, fe = 0;
        for (int j = 0; j < 4; j++) {
            int nb = neighbour[i + j * n];
            float nx = normal[i + j * n];
            if (nb >= 0) {
                float dn = state[nb], mn = state[nb + n];
                float en = state[nb + 2 * n];
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
}

void
dct8x8(const float *R in, const float *R basis, float *R out, int n)
{
    float turned[64];
    for (int i = 0; i < 64; i++) {
        turned[i] = basis[i % 8 * 8 + i / 8];
    }
    LOOP for (int y = 0; y < n; y += 8)
    {
        for (int x = 0; x < n; x += 8) {
            float b[8][8] = {{0}}, c[8][8] = {{0}};
            for (int r = 0; r < 8; r++) {
                for (int i = 0; i < 8; i++) {
                    SIMD for (int k = 0; k < 8; k++) b[r][k] +=
                        basis[r * 8 + i] * in[(y + i) * n + x + k];
                }
            }
            for (int r = 0; r < 8; r++) {
                for (int i = 0; i < 8; i++) {
                    SIMD for (int k = 0; k < 8; k++) c[r][k] +=
                        b[r][i] * turned[i * 8 + k];
                }
                memcpy(out + (y + r) * n + x, c[r], sizeof c[r]);
            }
        }
    }
}

void
butterfly(float *R re, float *R im, const float *R wr, const float *R wi,
          int half, int n)
{
    LOOP for (int b = 0; b < n / (2 * half); b++)
    {
        float *R r = re + b * 2 * half, *R i = im + b * 2 * half;
        SIMD for (int k = 0; k < half; k++)
        {
            float x = r[k + half] * wr[k] - i[k + half] * wi[k];
            float y = r[k + half] * wi[k] + i[k + half] * wr[k];
            r[k + half] = r[k] - x;
            i[k + half] = i[k] - y;
            r[k] += x;
            i[k] += y;
        }
    }
}

void
gaussian(float *R a, const float *R m, int n, int t)
{
    LOOP for (int x = t + 1; x < n; x++)
    {
        float f = m[n * x + t];
        SIMD for (int y = t; y < n; y++) a[n * x + y] -= f * a[n * t + y];
    }
}

void
monte_carlo(float *R out, int n, int steps)
{
    LOOP for (int i0 = 0; i0 < n; i0 += 16)
    {
        unsigned s[16];
        float sum[16] = {0};
        for (int i = 0; i < 16; i++) {
            s[i] = (i0 + i) * 747796405u + 1;
        }
        for (int k = 0; k < steps; k++) {
            SIMD for (int i = 0; i < 16; i++)
            {
                unsigned v = s[i];
                v ^= v << 13, v ^= v >> 17, v ^= v << 5;
                s[i] = v;
                sum[i] += expf(0.1f * ((v >> 8) * (1.0f / 16777216)) - 0.05f);
            }
        }
        for (int i = 0; i < 16; i++) {
            out[i0 + i] = sum[i] / steps;
        }
    }
}

void
knn(const double *R points, const double *R query, double *R best, int n,
    int m)
{
    LOOP for (int q = 0; q < m; q++)
    {
        double low = 1e300;
        _Pragma("omp simd reduction(min : low)") for (int i = 0; i < n; i++)
        {
            double dx = points[2 * i] - query[2 * q];
            double dy = points[2 * i + 1] - query[2 * q + 1];
            double d = dx * dx + dy * dy;
            low = d < low ? d : low;
        }
        best[q] = sqrt(low);
    }
}
