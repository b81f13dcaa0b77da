/* cpu_reference.c - the loops that the kernels of cpu_kernels.py stand beside.
 *
 * Built by cpu_kernels.py with -O3 -ffast-math -fopenmp for this machine and
 * called by ctypes.  Each function is one parallel loop that gcc vectorises.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

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
