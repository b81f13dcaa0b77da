/* twins_grids.c - the computations of kernels.cu on matrices and grids as
 * loops with OpenMP, in the order of loops that suits a processor's caches and
 * vector instructions.
 *
 * SPDX-License-Identifier: MIT */
#include "twins.h"

void
gemm(const float *R a, const float *R b, float *R c, int n, float alpha,
     float beta)
{
    LOOP for (int y = 0; y < n; y++)
    {
        SIMD for (int x = 0; x < n; x++) c[y * n + x] *= beta;
        for (int k = 0; k < n; k++) {
            float f = alpha * a[y * n + k];
            SIMD for (int x = 0; x < n; x++) c[y * n + x] += f * b[k * n + x];
        }
    }
}

void
two_mm(const float *R a, const float *R b, float *R c, int n)
{
    LOOP for (int y = 0; y < n; y++)
    {
        memset(c + y * n, 0, n * sizeof *c);
        for (int k = 0; k < n; k++) {
            float f = a[y * n + k];
            SIMD for (int x = 0; x < n; x++) c[y * n + x] += f * b[k * n + x];
        }
    }
}

void
syrk(const float *R a, float *R c, int n, int m)
{
    LOOP for (int y = 0; y < n; y++)
    {
        for (int x = 0; x < n; x++) {
            float sum = 0;
            _Pragma("omp simd reduction(+ : sum)") for (int k = 0; k < m; k++)
                sum += a[y * m + k] * a[x * m + k];
            c[y * n + x] = 0.5f * c[y * n + x] + 1.5f * sum;
        }
    }
}

void
atax_rows(const float *R a, const float *R x, float *R t, int n)
{
    LOOP for (int i = 0; i < n; i++)
    {
        float sum = 0;
        _Pragma("omp simd reduction(+ : sum)") for (int j = 0; j < n; j++)
            sum += a[i * n + j] * x[j];
        t[i] = sum;
    }
}

static void
columns(const float *R a, float *R y, const float *R t, int n, int keep)
{
    enum { WIDE = 256 };
    LOOP for (int j0 = 0; j0 < n; j0 += WIDE)
    {
        int end = least(n - j0, WIDE);
        float sum[WIDE];
        for (int j = 0; j < end; j++) {
            sum[j] = keep ? y[j0 + j] : 0;
        }
        for (int i = 0; i < n; i++) {
            SIMD for (int j = 0; j < end; j++) sum[j] +=
                a[i * n + j0 + j] * t[i];
        }
        memcpy(y + j0, sum, end * sizeof *y);
    }
}

void
atax_columns(const float *R a, float *R y, const float *R t, int n)
{
    columns(a, y, t, n, 0);
}

void
bicg(const float *R a, const float *R r, float *R s, int n)
{
    columns(a, s, r, n, 0);
}

void
mvt(const float *R a, float *R x, const float *R y, int n)
{
    columns(a, x, y, n, 1);
}

void
gesummv(const float *R a, const float *R b, const float *R x, float *R y,
        int n)
{
    LOOP for (int i = 0; i < n; i++)
    {
        float s = 0, t = 0;
        _Pragma("omp simd reduction(+ : s, t)") for (int j = 0; j < n; j++)
        {
            s += a[i * n + j] * x[j];
            t += b[i * n + j] * x[j];
        }
        y[i] = 1.5f * s + 1.2f * t;
    }
}

void
jacobi2d(const float *R a, float *R b, int n)
{
    LOOP for (int i = 1; i < n - 1; i++)
    {
        SIMD for (int j = 1; j < n - 1; j++) b[i * n + j] =
            0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] +
                    a[(i + 1) * n + j] + a[(i - 1) * n + j]);
    }
}

void
heat3d(const float *R a, float *R b, int nx, int ny, int nz)
{
    int p = nx * ny;
    _Pragma("omp parallel for collapse(2)") for (int k = 0; k < nz; k++)
    {
        for (int j = 0; j < ny; j++) {
            const float *c = a + k * p + j * nx;
            int n = j ? -nx : 0, s = j < ny - 1 ? nx : 0;
            int d = k ? -p : 0, u = k < nz - 1 ? p : 0;
            float *o = b + k * p + j * nx;
            SIMD for (int i = 1; i < nx - 1; i++) o[i] =
                0.4f * c[i] + 0.1f * (c[i - 1] + c[i + 1] + c[i + n] +
                                      c[i + s] + c[i + d] + c[i + u]);
            o[0] =
                0.4f * c[0] + 0.1f * (c[0] + c[1] + c[n] + c[s] + c[d] + c[u]);
            int i = nx - 1;
            o[i] = 0.4f * c[i] + 0.1f * (c[i - 1] + c[i] + c[i + n] +
                                         c[i + s] + c[i + d] + c[i + u]);
        }
    }
}

void
fdtd(float *R ex, const float *R hz, int n)
{
    LOOP for (int i = 0; i < n; i++)
    {
        SIMD for (int j = 1; j < n; j++) ex[i * n + j] -=
            0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
    }
}

void
conv2d(const float *R a, float *R b, int n)
{
    LOOP for (int i = 1; i < n - 1; i++)
    {
        SIMD for (int j = 1; j < n - 1; j++) b[i * n + j] =
            0.2f * a[(i - 1) * n + j - 1] - 0.3f * a[i * n + j - 1] +
            0.4f * a[(i + 1) * n + j - 1] + 0.5f * a[(i - 1) * n + j] +
            0.6f * a[i * n + j] + 0.7f * a[(i + 1) * n + j] -
            0.8f * a[(i - 1) * n + j + 1] - 0.9f * a[i * n + j + 1] +
            0.1f * a[(i + 1) * n + j + 1];
    }
}

void
conv3d(const float *R a, float *R b, int n, int i)
{
    int p = n * n;
    LOOP for (int j = 1; j < n - 1; j++)
    {
        SIMD for (int k = 1; k < n - 1; k++) b[i * p + j * n + k] =
            2 * a[(i - 1) * p + (j - 1) * n + k - 1] -
            3 * a[(i + 1) * p + (j - 1) * n + k - 1] +
            4 * a[(i - 1) * p + (j - 1) * n + k] + 5 * a[i * p + j * n + k] +
            6 * a[(i + 1) * p + (j + 1) * n + k + 1];
    }
}

void
filter(const float *R in, const float *R weights, float *R out, int n,
       int radius)
{
    LOOP for (int y = 0; y < n; y++)
    {
        float *o = out + y * n;
        memset(o, 0, n * sizeof *o);
        for (int i = -radius; i <= radius; i++) {
            const float *r = in + least(most(y + i, 0), n - 1) * n;
            for (int j = -radius; j <= radius; j++) {
                float w =
                    weights[(i + radius) * (2 * radius + 1) + j + radius];
                for (int x = 0; x < -j; x++) {
                    o[x] += r[0] * w;
                }
                SIMD for (int x = most(0, -j); x < least(n, n - j); x++)
                    o[x] += r[x + j] * w;
                for (int x = least(n, n - j); x < n; x++) {
                    o[x] += r[n - 1] * w;
                }
            }
        }
    }
}

void
hotspot(const float *R t, const float *R power, float *R out, int n)
{
    LOOP for (int y = 0; y < n; y++)
    {
        const float *c = t + y * n, *p = power + y * n;
        const float *u = y ? c - n : c, *d = y < n - 1 ? c + n : c;
#define CELL(x, w, e)                                                         \
    c[x] + 0.1f * (p[x] + (d[x] + u[x] - 2.f * c[x]) * 0.3f +                 \
                   (c[e] + c[w] - 2.f * c[x]) * 0.2f + (80.f - c[x]) * 0.05f)
        out[y * n] = CELL(0, 0, 1);
        SIMD for (int x = 1; x < n - 1; x++) out[y * n + x] =
            CELL(x, x - 1, x + 1);
        out[y * n + n - 1] = CELL(n - 1, n - 2, n - 1);
    }
}

void
pathfinder(const int *R wall, const int *R from, int *R to, int columns,
           int row0, int rounds)
{
    enum { WIDE = 4096, MOST = 32 };
    LOOP for (int x0 = 0; x0 < columns; x0 += WIDE)
    {
        int a[WIDE + 2 * MOST + 2], b[WIDE + 2 * MOST + 2];
        int lo = most(0, x0 - rounds);
        int hi = least(columns, x0 + WIDE + rounds);
        memcpy(a + 1, from + lo, (hi - lo) * sizeof *a);
        for (int i = 0; i < rounds; i++) {
            const int *row = wall + (row0 + i) * columns + lo;
            a[0] = a[1];
            a[hi - lo + 1] = a[hi - lo];
            SIMD for (int x = 1; x <= hi - lo; x++) b[x] =
                least(a[x], least(a[x - 1], a[x + 1])) + row[x - 1];
            memcpy(a + 1, b + 1, (hi - lo) * sizeof *a);
        }
        memcpy(to + x0, a + 1 + x0 - lo,
               least(WIDE, columns - x0) * sizeof *to);
    }
}

static inline float
coefficient(float v, float n, float s, float w, float e, float q0)
{
    float dn = n - v, ds = s - v, dw = w - v, de = e - v;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (v * v);
    float l = (dn + ds + dw + de) / v;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l), den = 1 + 0.25f * l;
    float q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    float r = 1.0f / (1.0f + den);
    return r < 0 ? 0 : r > 1 ? 1 : r;
}

void
srad(const float *R j, float *R c, int n, float q0)
{
    LOOP for (int y = 0; y < n; y++)
    {
        const float *m = j + y * n, *u = y ? m - n : m;
        const float *d = y < n - 1 ? m + n : m;
        float *o = c + y * n;
        o[0] = coefficient(m[0], u[0], d[0], m[0], m[1], q0);
        SIMD for (int x = 1; x < n - 1; x++) o[x] =
            coefficient(m[x], u[x], d[x], m[x - 1], m[x + 1], q0);
        o[n - 1] =
            coefficient(m[n - 1], u[n - 1], d[n - 1], m[n - 2], m[n - 1], q0);
    }
}
