/* reference.c - C reference results for the kernels of test_reference_*.py.
 *
 * Compiled by reference.py into a shared library and called through ctypes.
 * Single-threaded; every sum is added up in the order of its loop.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>

void
saxpy(float *y, const float *x, float a, int n)
{
    for (int i = 0; i < n; ++i) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}

/* Seven-point stencil; border elements are copied. */
void
stencil(double *out, const double *in, int nx, int ny, int nz)
{
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) {
                int i = (z * ny + y) * nx + x;
                int border = x == 0 || y == 0 || z == 0 || x == nx - 1 ||
                             y == ny - 1 || z == nz - 1;
                out[i] = border ? in[i]
                                : in[i - 1] + in[i + 1] + in[i - nx] +
                                      in[i + nx] + in[i - nx * ny] +
                                      in[i + nx * ny] - 6 * in[i];
            }
        }
    }
}

void
matmul(float *c, const float *a, const float *b, int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int i = 0; i < k; ++i) {
                sum += a[row * k + i] * b[i * n + column];
            }
            c[row * n + column] = sum;
        }
    }
}

int64_t
sum_integers(const int32_t *x, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i];
    }
    return sum;
}

/* Inclusive scan that restarts every `segment` elements. */
void
scan(int32_t *out, const int32_t *in, int n, int segment)
{
    int32_t sum = 0;
    for (int i = 0; i < n; ++i) {
        sum = i % segment ? sum + in[i] : in[i];
        out[i] = sum;
    }
}

void
histogram(uint32_t *bins, const uint8_t *x, int n)
{
    for (int i = 0; i < n; ++i) {
        bins[x[i]] += 1;
    }
}

/* The products in these steps are exact if cx and cy have few bits, so a fused
 * multiply-add changes nothing in the first iterations. */
void
mandelbrot(int32_t *steps, int width, int height, int limit)
{
    for (int py = 0; py < height; ++py) {
        for (int px = 0; px < width; ++px) {
            double cx = -2.0 + px / 32.0, cy = -1.0 + py / 32.0;
            double x = 0, y = 0;
            int step = 0;
            while (step < limit && x * x + y * y <= 4) {
                double t = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = t;
                ++step;
            }
            steps[py * width + px] = step;
        }
    }
}

int32_t
ways(int32_t down, int32_t right)
{
    return down == 0 || right == 0
               ? 1
               : ways(down - 1, right) + ways(down, right - 1);
}
