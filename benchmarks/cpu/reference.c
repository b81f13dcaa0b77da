/* reference.c - the loops that the kernels of cpu_kernels.py stand beside.
 *
 * Built by cpu_kernels.py with -O3 -ffast-math -fopenmp for this machine and
 * called by ctypes.  Each function is what a careful
 * engineer would write for the task, parallel and open to vectorisation.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <omp.h>
#include <string.h>

void
multiply(float *d, const float *a, const float *b, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) {
        d[i] = a[i] * b[i];
    }
}

void
sine(float *d, const float *a, long n)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; ++i) {
        d[i] = sinf(a[i]);
    }
}

float
sum(const float *a, long n)
{
    float total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
    for (long i = 0; i < n; ++i) {
        total += a[i];
    }
    return total;
}

void
warp_scan(float *out, const float *a, long n)
{
#pragma omp parallel for schedule(static)
    for (long first = 0; first < n; first += 256) {
        float sum = 0;
        for (long i = first; i < first + 256; ++i) {
            sum += a[i];
            out[i] = sum;
        }
    }
}

void
compact(float *out, int *counts, const float *a, long n)
{
#pragma omp parallel for schedule(static)
    for (long first = 0; first < n; first += 256) {
        long count = 0;
        for (long i = first; i < first + 256; ++i) {
            out[first + count] = a[i];
            count += a[i] > 0.5f;
        }
        counts[first / 256] = (int)count;
    }
}

void
matmul(float *c, const float *a, const float *b, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) {
        for (long j = 0; j < n; ++j) {
            c[i * n + j] = 0;
        }
        for (long k = 0; k < n; ++k) {
            float factor = a[i * n + k];
            for (long j = 0; j < n; ++j) {
                c[i * n + j] += factor * b[k * n + j];
            }
        }
    }
}

void
mandelbrot(int *steps, long n, int limit)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (long py = 0; py < n; ++py) {
        for (long px = 0; px < n; ++px) {
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
    }
}

static float
normal_below(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail =
        0.39894228f * expf(-0.5f * d * d) * k *
        (0.31938153f +
         k * (-0.356563782f +
              k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1 - tail : tail;
}

void
black_scholes(float *call, float *put, const float *price, const float *strike,
              const float *years, long n)
{
    const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; ++i) {
        float spread = volatility * sqrtf(years[i]);
        float d1 = (logf(price[i] / strike[i]) +
                    (rate + 0.5f * volatility * volatility) * years[i]) /
                   spread;
        float n1 = normal_below(d1), n2 = normal_below(d1 - spread);
        float worth = strike[i] * expf(-rate * years[i]);
        call[i] = price[i] * n1 - worth * n2;
        put[i] = worth * (1 - n2) - price[i] * (1 - n1);
    }
}

/* Rows of x, y, z, mass. */
void
nbody(float *force, const float *body, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) {
        const float *me = body + 4 * i;
        float fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
        for (long j = 0; j < n; ++j) {
            const float *other = body + 4 * j;
            float dx = other[0] - me[0], dy = other[1] - me[1],
                  dz = other[2] - me[2];
            float squared = dx * dx + dy * dy + dz * dz + 0.01f;
            float inverse = 1 / sqrtf(squared);
            float factor = other[3] * inverse * inverse * inverse;
            fx += dx * factor;
            fy += dy * factor;
            fz += dz * factor;
        }
        force[4 * i] = fx;
        force[4 * i + 1] = fy;
        force[4 * i + 2] = fz;
        force[4 * i + 3] = 0;
    }
}

void
convolve(float *out, const float *in, const float *weights, long n)
{
    long pitch = n + 4;
#pragma omp parallel for schedule(static)
    for (long y = 0; y < n; ++y) {
#pragma omp simd
        for (long x = 0; x < n; ++x) {
            float sum = 0;
            for (long dy = 0; dy < 5; ++dy) {
                for (long dx = 0; dx < 5; ++dx) {
                    sum +=
                        weights[dy * 5 + dx] * in[(y + dy) * pitch + x + dx];
                }
            }
            out[y * n + x] = sum;
        }
    }
}

void
transpose(float *out, const float *in, long n)
{
#pragma omp parallel for schedule(static) collapse(2)
    for (long y = 0; y < n; y += 32) {
        for (long x = 0; x < n; x += 32) {
            for (long i = 0; i < 32; ++i) {
                for (long k = 0; k < 32; ++k) {
                    out[(x + i) * n + y + k] = in[(y + k) * n + x + i];
                }
            }
        }
    }
}

/* Each thread counts a piece, then moves it. */
void
radix_pass(unsigned *to, const unsigned *keys, long n, long shift)
{
    static unsigned counts[256][16];
#pragma omp parallel
    {
        int threads = omp_get_num_threads(), me = omp_get_thread_num();
        long first = n * me / threads, last = n * (me + 1) / threads;
        unsigned own[16] = {0};
        for (long i = first; i < last; ++i) {
            ++own[keys[i] >> shift & 15];
        }
        memcpy(counts[me], own, sizeof own);
#pragma omp barrier
#pragma omp single
        {
            unsigned at = 0;
            for (int digit = 0; digit < 16; ++digit) {
                for (int t = 0; t < threads; ++t) {
                    unsigned count = counts[t][digit];
                    counts[t][digit] = at;
                    at += count;
                }
            }
        }
        memcpy(own, counts[me], sizeof own);
        for (long i = first; i < last; ++i) {
            to[own[keys[i] >> shift & 15]++] = keys[i];
        }
    }
}

void
spmv(float *y, const int *starts, const int *columns, const float *values,
     const float *x, long n)
{
#pragma omp parallel for schedule(static)
    for (long row = 0; row < n; ++row) {
        float sum = 0;
        for (int i = starts[row]; i < starts[row + 1]; ++i) {
            sum += values[i] * x[columns[i]];
        }
        y[row] = sum;
    }
}

/* Stockham's, as the kernel's; complex numbers as pairs. */
void
fft(float *out, const float *in, const float *roots, long rows)
{
#pragma omp parallel for schedule(static)
    for (long row = 0; row < rows; ++row) {
        float both[2][2048];
        memcpy(both[0], in + row * 2048, sizeof both[0]);
        for (int s = 0; s < 10; ++s) {
            const float *from = both[s % 2];
            float *to = both[1 - s % 2];
            int length = 1 << s;
            for (int first = 0; first < 512; first += length) {
#pragma omp simd
                for (int low = 0; low < length; ++low) {
                    const float *a = from + 2 * (first + low);
                    const float *b = a + 1024;
                    const float *w = roots + 2 * (low << (9 - s));
                    float *sum = to + 2 * (2 * first + low);
                    float *difference = sum + 2 * length;
                    float x = b[0] * w[0] - b[1] * w[1];
                    float y = b[0] * w[1] + b[1] * w[0];
                    sum[0] = a[0] + x;
                    sum[1] = a[1] + y;
                    difference[0] = a[0] - x;
                    difference[1] = a[1] - y;
                }
            }
        }
        memcpy(out + row * 2048, both[0], sizeof both[0]);
    }
}

void
histogram(unsigned *bins, const unsigned char *bytes, long n)
{
#pragma omp parallel
    {
        unsigned own[4][256] = {{0}};
#pragma omp for schedule(static)
        for (long i = 0; i < n / 4; ++i) {
            for (int k = 0; k < 4; ++k) {
                ++own[k][bytes[4 * i + k]];
            }
        }
        for (int bin = 0; bin < 256; ++bin) {
            unsigned sum =
                own[0][bin] + own[1][bin] + own[2][bin] + own[3][bin];
#pragma omp atomic
            bins[bin] += sum;
        }
    }
}

void
bfs_level(int *levels, const int *starts, const int *targets, long level,
          long n)
{
#pragma omp parallel for schedule(static)
    for (long v = 0; v < n; ++v) {
        if (levels[v] != level) {
            continue;
        }
        for (int i = starts[v]; i < starts[v + 1]; ++i) {
            if (levels[targets[i]] < 0) {
                levels[targets[i]] = (int)level + 1;
            }
        }
    }
}

void
lu_tile(float *tiles, long count)
{
#pragma omp parallel for schedule(static)
    for (long t = 0; t < count; ++t) {
        float(*a)[32] = (float(*)[32])(tiles + t * 1024);
        for (int k = 0; k < 31; ++k) {
            float inverse = 1 / a[k][k];
            for (int row = k + 1; row < 32; ++row) {
                float factor = a[row][k] *= inverse;
#pragma omp simd
                for (int column = k + 1; column < 32; ++column) {
                    a[row][column] -= factor * a[k][column];
                }
            }
        }
    }
}
