/* test_jit.c - runs every kernel of kernels.cu and checks its results.
 *
 * usage: test_jit kernels.image
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { N = 10000 };

static struct cpu_image *image;
static unsigned failures, checks;
static float a[N], b[N], c[N], d[N];

static void
check(bool right, const char *what, double got, double expected)
{
    checks++;
    if (!right) {
        failures++;
        printf("FAILED %s: got %.9g, expected %.9g\n", what, got, expected);
    }
}

static void
check_near(const char *what, double got, double expected, double tolerance)
{
    check(fabs(got - expected) <= tolerance, what, got, expected);
}

static void
fill(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = (float)(i % 97) * 0.25f;
        b[i] = (float)(i % 31) - 15;
        c[i] = b[i];
    }
}

static void
test_saxpy(const char *name, unsigned blocks, unsigned threads, int n,
           bool wide)
{
    struct {
        float *y;
        const float *x;
        float a;
        int n;
        size_t wide;
    } p = {c, a, 2.5f, n, (size_t)n};
    struct {
        float *y;
        const float *x;
        float a;
        size_t n;
    } q = {c, a, 2.5f, (size_t)n};
    fill();
    harness_run(image, name, (struct shape){blocks, 1, 1},
                (struct shape){threads, 1, 1}, 0,
                wide ? (void *)&q : (void *)&p);
    for (int i = 0; i < N; i++) {
        float expected = i < n ? fmaf(2.5f, a[i], b[i]) : b[i];
        if (c[i] != expected) {
            check(false, name, c[i], expected);
            return;
        }
    }
    check(true, name, 0, 0);
}

static void
test_elementwise(void)
{
    struct {
        float *d;
        const float *a, *b;
    } p = {d, a, b};
    fill();
    harness_run(image, "product", (struct shape){N / 250, 1, 1},
                (struct shape){250, 1, 1}, 0, &p);
    for (int i = 0; i < N; i++) {
        check_near("product", d[i], a[i] * b[i], 0);
    }
    struct {
        float *o;
        const float *a;
        int n;
    } q = {d, a, 9001};
    memset(d, 0, sizeof d);
    harness_run(image, "stencil", (struct shape){40, 1, 1},
                (struct shape){256, 1, 1}, 0, &q);
    for (int i = 0; i < N; i++) {
        double expected = 0;
        if (i >= 2 && i < 8999) {
            expected = 0.1 * a[i - 2] + 0.2 * a[i - 1] + 0.4 * a[i] +
                       0.2 * a[i + 1] + 0.1 * a[i + 2];
        }
        check_near("stencil", d[i], expected, 1e-5);
    }
    harness_run(image, "sines", (struct shape){40, 1, 1},
                (struct shape){256, 1, 1}, 0, &q);
    check_near("sines", d[777], sinf(a[777]), 1e-6);
    check_near("sines, beyond", d[9500], 0, 0);
}

/* A thread that returns runs none of its later iterations. */
static void
test_stride_return(void)
{
    static int o[1000];
    struct {
        int *o;
        int n;
    } p = {o, 1000};
    o[103] = 7;
    harness_run(image, "stride_return", (struct shape){2, 1, 1},
                (struct shape){50, 1, 1}, 0, &p);
    for (int i = 0; i < 1000; i++) {
        int expected = i % 100 != 3 || i < 100 ? i : i == 103 ? 7 : 0;
        check(o[i] == expected, "stride_return", o[i], expected);
    }
}

static int
mandelbrot(int x, int y, int w, int h, int most)
{
    float cr = -2.0f + 3.0f * (float)x / (float)w;
    float ci = -1.5f + 3.0f * (float)y / (float)h, zr = 0, zi = 0;
    int k = 0;
    while (k < most && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        k++;
    }
    return k;
}

static void
test_mandelbrot(void)
{
    static int o[61 * 45 + 1];
    struct {
        int *o;
        int w, h, most;
    } p = {o, 61, 45, 100};
    int different = 0;
    o[61 * 45] = -1;
    harness_run(image, "mandelbrot", (struct shape){4, 6, 1},
                (struct shape){16, 8, 1}, 0, &p);
    for (int i = 0; i < 61 * 45; i++) {
        different += o[i] != mandelbrot(i % 61, i / 61, 61, 45, 100);
    }
    check(different < 10, "mandelbrot: pixels that differ", different, 0);
    check(o[61 * 45] == -1, "mandelbrot: beyond", o[61 * 45], -1);
}

static void
test_matmul(void)
{
    enum { SIDE = 64 };
    struct {
        float *c;
        const float *a, *b;
        int n;
    } p = {c, a, b, SIDE};
    fill();
    harness_run(image, "matmul", (struct shape){4, 4, 1},
                (struct shape){16, 16, 1}, 0, &p);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double sum = 0;
        for (int k = 0; k < SIDE; k++) {
            sum += (double)a[i / SIDE * SIDE + k] * b[k * SIDE + i % SIDE];
        }
        check_near("matmul", c[i], sum, 1e-2);
    }
    check(harness_kernel(image, "matmul").row->static_shared == 2048,
          "matmul: static shared", 0, 2048);
}

static void
test_reduce(void)
{
    struct {
        float *out;
        const float *a;
        int n;
    } p = {d, a, 64};
    fill();
    harness_run(image, "reduce_early", (struct shape){3, 1, 1},
                (struct shape){100, 1, 1}, 400, &p);
    for (int block = 0; block < 3; block++) {
        double sum = 64;
        for (int i = 0; i < 64; i++) {
            sum += a[block * 100 + i];
        }
        check_near("reduce_early", d[block], sum, 1e-3);
    }
}

static void
test_arithmetic(void)
{
    long long o[15];
    static const long long expected[15] = {
        -1, -1, 0xffffffffll, -2147483648ll,         0,  0,         2147483647,
        0,  0,  -1,           9223372036854775807ll, -7, 1ll << 40, 0,
        44};
    struct {
        long long *o;
        int a, zero, minus;
        float f;
    } p = {o, 7, 0, -1, 3.0f};
    harness_run(image, "arithmetic", (struct shape){1, 1, 1},
                (struct shape){1, 1, 1}, 0, &p);
    for (int i = 0; i < 15; i++) {
        char what[40];
        snprintf(what, sizeof what, "arithmetic %d", i);
        check(o[i] == expected[i], what, (double)o[i], (double)expected[i]);
    }
}

static void
test_functions(void)
{
    static const int fibonacci[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
    int o[60];
    int *p = o;
    harness_run(image, "recursion", (struct shape){1, 1, 1},
                (struct shape){10, 1, 1}, 0, &p);
    for (int i = 0; i < 10; i++) {
        check(o[i] == fibonacci[i], "recursion", o[i], fibonacci[i]);
    }
    check(harness_kernel(image, "recursion").row->flags ==
              IMAGE_KERNEL_RECURSIVE,
          "recursion: flags", 0, IMAGE_KERNEL_RECURSIVE);
    harness_run(image, "kept_geometry", (struct shape){2, 1, 1},
                (struct shape){5, 6, 1}, 0, &p);
    for (int i = 0; i < 60; i++) {
        int expected = i % 5 + 100 * (i / 5 % 6) + 10000 * (i / 30);
        check(o[i] == expected, "kept_geometry", o[i], expected);
    }
    for (int which = 0; which < 2; which++) {
        struct {
            float *o;
            int which;
        } q = {d, which};
        harness_run(image, "virtuals", (struct shape){1, 1, 1},
                    (struct shape){8, 1, 1}, 0, &q);
        for (int i = 0; i < 8; i++) {
            double expected = (which ? 12 : 2 + i) + 3 + (i & 1);
            check_near("virtuals", d[i], expected, 0);
        }
    }
    memset(o, 0, sizeof o);
    harness_run(image, "barrier_in_recursion", (struct shape){1, 1, 1},
                (struct shape){60, 1, 1}, 0, &p);
    check(o[59] == 1, "barrier_in_recursion", o[59], 1);
}

struct mixed {
    float a;
    char c;
    double d;
    short s[3];
};

static void
test_structs(void)
{
    unsigned char bytes[2] = {3, 9};
    struct {
        float *o;
        struct mixed m;
        float t[3];
        int n;
        const unsigned char *b;
    } p = {d, {1, 2, 3, {10, 20, 30}}, {4, 5, 6}, 7, bytes};
    harness_run(image, "structs", (struct shape){1, 1, 1},
                (struct shape){70, 1, 1}, 0, &p);
    for (int i = 0; i < 70; i++) {
        check_near("structs", d[i], 37 + 10 * (i % 3 + 1), 0);
    }
    struct {
        float *o;
        struct mixed m;
    } q = {d, p.m};
    harness_run(image, "struct_written", (struct shape){1, 1, 1},
                (struct shape){70, 1, 1}, 0, &q);
    for (int i = 0; i < 70; i++) {
        double s[3] = {10, 20, 30};
        s[i % 3] = i;
        check_near("struct_written", d[i],
                   1 + s[(i + 1) % 3] + s[0] + s[1] + s[2], 0);
    }
}

static void
set_int(const char *name, size_t bytes, int value)
{
    struct cpu_image_global global;
    if (!cpu_image_find_global(image, name, &global)) {
        check(false, name, 0, 1);
        return;
    }
    check(global.row->bytes == bytes, name, (double)global.row->bytes,
          (double)bytes);
    memcpy(global.address, &value, sizeof value);
}

static void
test_globals(void)
{
    int o[50];
    int *p = o;
    struct cpu_image_global global;
    harness_run(image, "globals", (struct shape){1, 1, 1},
                (struct shape){50, 1, 1}, 0, &p);
    for (int i = 0; i < 50; i++) {
        check(o[i] == 17 + i % 4, "globals", o[i], 17 + i % 4);
    }
    check(cpu_image_find_global(image, "counter", &global) &&
              *(int *)global.address == 55,
          "counter", 0, 55);
    set_int("hidden", 4, 70);
    set_int("fixed", 4, 900);
    check(cpu_image_find_global(image, "coefficients", &global) &&
              global.row->bytes == 16 &&
              global.row->flags == IMAGE_GLOBAL_CONSTANT,
          "coefficients", 0, 16);
    ((float *)global.address)[2] = 1000;
    harness_run(image, "globals", (struct shape){1, 1, 1},
                (struct shape){50, 1, 1}, 0, &p);
    check(o[2] == 1970, "globals that the host wrote", o[2], 1970);
}

static void
test_private(void)
{
    struct {
        float *o;
        const float *a;
        int n;
    } p = {d, a, 1003};
    fill();
    harness_run(image, "private_array", (struct shape){5, 1, 1},
                (struct shape){256, 1, 1}, 0, &p);
    for (int i = 0; i < 1003; i++) {
        float l[8], s = 0;
        for (int k = 0; k < 8; k++) {
            l[(k * 3 + i) & 7] = a[(i + k) % 1003];
        }
        for (int k = 0; k < 1003 % 5 + 2; k++) {
            s += l[(k + (int)a[i]) & 7] * (float)k;
        }
        check_near("private_array", d[i], s, 1e-3);
    }
}

static void
test_three_d(void)
{
    enum { W = 10, H = 6, D = 6 };
    static int o[W * H * D];
    int *p = o;
    harness_run(image, "three_d", (struct shape){2, 3, 2},
                (struct shape){5, 2, 3}, 0, &p);
    for (int i = 0; i < W * H * D; i++) {
        int expected = i % W + 1000 * (i / W % H) + 1000000 * (i / W / H);
        check(o[i] == expected, "three_d", o[i], expected);
    }
}

static void
test_kept_shared(void)
{
    int o[20], *p = o;
    harness_run(image, "kept_shared", (struct shape){1, 1, 1},
                (struct shape){20, 1, 1}, 80, &p);
    for (int i = 0; i < 20; i++) {
        int expected = 1000 * ((i + 1) % 20) + 6 + 19 - i + 1000 * i;
        check(o[i] == expected, "kept_shared", o[i], expected);
    }
    harness_run(image, "other_shared", (struct shape){1, 1, 1},
                (struct shape){5, 1, 1}, 0, &p);
    check(o[1] == 3, "other_shared", o[1], 3);
    check(harness_kernel(image, "other_shared").row->static_shared == 20,
          "other_shared: static shared",
          harness_kernel(image, "other_shared").row->static_shared, 20);
}

/* Blocks run out of order only if they cannot observe each other, and in long
 * chunks if they use a grid-stride loop. */
static void
test_how_blocks_are_dealt(void)
{
    static const struct {
        const char *name;
        bool apart, rounds;
    } rows[] = {
        {"product", true, false},         {"matmul", true, false},
        {"globals", false, false},        {"spin_lock", false, false},
        {"wait_for_other", false, false}, {"retry_add", false, false},
        {"stride_saxpy", true, true},     {"stride_return", true, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t flags = harness_kernel(image, rows[i].name).row->flags;
        bool apart = flags & IMAGE_KERNEL_INDEPENDENT_BLOCKS;
        bool rounds = flags & IMAGE_KERNEL_GRID_STRIDE;

        check(apart == rows[i].apart, rows[i].name, apart, rows[i].apart);
        check(rounds == rows[i].rounds, rows[i].name, rounds, rows[i].rounds);
    }
}

static void
test_spinning(void)
{
    int lock = 0, value = 0, flag = 0, seen = 0;
    struct {
        int *lock, *value;
    } p = {&lock, &value}, q = {&flag, &seen};
    harness_run(image, "spin_lock", (struct shape){2, 1, 1},
                (struct shape){100, 1, 1}, 0, &p);
    check(value == 200, "spin_lock", value, 200);
    harness_run(image, "wait_for_other", (struct shape){1, 1, 1},
                (struct shape){32, 1, 1}, 0, &q);
    check(seen == 42, "wait_for_other", seen, 42);
    struct {
        int *p;
        int v;
    } r = {&value, 3};
    harness_run(image, "retry_add", (struct shape){2, 1, 1},
                (struct shape){100, 1, 1}, 0, &r);
    check(value == 800, "retry_add", value, 800);
    check(harness_kernel(image, "retry_add").row->flags == 0,
          "retry_add runs as a loop", 1, 0);
    check(harness_kernel(image, "bounded").row->max_threads == 128,
          "launch bounds", harness_kernel(image, "bounded").row->max_threads,
          128);
}

int
main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: test_jit kernels.image\n");
        return 2;
    }
    image = harness_load(arguments[1]);
    test_saxpy("saxpy", 40, 256, 9999, false);
    test_saxpy("saxpy", 2500, 7, 9000, false);
    test_saxpy("saxpy", 40, 256, 0, false);
    test_saxpy("saxpy", 40, 256, -5, false);
    test_saxpy("wide_saxpy", 40, 256, 9999, true);
    for (int n = 0; n < 9; n++) {
        test_saxpy("four_at_once", 3, 32, n, true);
        test_saxpy("four_at_once", 30, 96, 9000 + n, true);
    }
    test_saxpy("stride_saxpy", 7, 96, 9999, false);
    test_saxpy("stride_saxpy", 40, 256, 3, false);
    test_elementwise();
    test_stride_return();
    test_mandelbrot();
    test_matmul();
    test_reduce();
    test_arithmetic();
    test_functions();
    test_structs();
    test_globals();
    test_private();
    test_three_d();
    test_kept_shared();
    test_how_blocks_are_dealt();
    test_spinning();
    cpu_image_unload(image);
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
