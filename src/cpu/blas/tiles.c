/* tiles.c - computes batches of matrix products that can be cancelled.
 *
 * Called by the operations that api.c submits to streams. A large product is
 * split into steps, and a cancellation point follows each step. The work of a
 * product is its estimated cost, in units of one multiplication of floats. A
 * product with less work than WHOLE_WORK is not split. The work of a step is
 * at most STEP_WORK. A step multiplies a slice (some columns of op(a) and the
 * same rows of op(b)) and adds the product to a tile (a submatrix) of the
 * result. A BLAS also works in such steps internally, so the split adds only
 * one or two percent to the time. The sizes depend only on the shapes of the
 * matrices, so that equal products have equal results.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/blas/blas.h"
#include "cpu/check/hooks.h"
#include "cpu/run/cancellation.h"
#include "cpu/stream/scheduler.h"

/* STEP_WORK: maximum work of one step of a matrix product that is split.
 * WHOLE_WORK: maximum work of a product that is not split. The unit of both is
 * one multiplication of floats. One processor with 256-bit vectors does 3e10
 * to 5e10 of these multiplications per second. */
#define STEP_WORK  8e9
#define WHOLE_WORK 1.6e10
/* Time to load or store an element, in multiplications of floats. */
#define ELEMENT_WORK 25.0
/* If each product of a batch has more work than this (in multiplications of
 * floats), a cancellation point follows every product. */
#define BATCH_WORK 1e8
/* The numbers of rows and columns of tiles and slices (parts of a product that
 * is split) are multiples of this number. */
#define UNIT 64
/* Number of small products of a batch between two cancellation points. */
#define BATCH_PART 64

/* A product that is split. Each tile of the result has `rows` x `columns`
 * elements; each slice has `slice` columns of op(a) and rows of op(b). */
struct split {
    const struct blas_product *p;
    const struct blas_operands *at;
    bool symmetric;
    size_t rows, columns, slice;
    struct cpu_interrupt *interrupt;
};

/* Returns the work of a product of these sizes, in multiplications of
 * floats. */
static double
product_work(enum blas_type type, double m, double n, double k)
{
    static const double costs[BLAS_TYPES] = {1, 2, 4, 8};

    return costs[type] * (m * n * k + ELEMENT_WORK * (m * n + m * k + n * k));
}

static double
work_of(const struct blas_product *p)
{
    return product_work(p->type, p->m, p->n, p->k);
}

/* Computes a product; if `upper` is true, only the elements on and above its
 * diagonal. Acquires cpu_blas_lock. */
static void
compute(const struct blas_product *p, const struct blas_operands *at,
        bool upper)
{
    pthread_mutex_lock(&cpu_blas_lock);
    if (upper) {
        cpu_blas_compute_upper(p, at);
    } else {
        cpu_blas_compute(p, at);
    }
    pthread_mutex_unlock(&cpu_blas_lock);
}

/* Returns half of `size`, the dimension of a tile or slice, rounded up to a
 * multiple of UNIT. */
static size_t
half_of(size_t size)
{
    return ((size + 1) / 2 + UNIT - 1) / UNIT * UNIT;
}

/* Chooses the sizes of tiles and slices: halves the largest dimension of a
 * step until the work of the step is at most STEP_WORK. Steps that are almost
 * cubes load and store the fewest elements. */
static void
split_choose(struct split *split)
{
    const struct blas_product *p = split->p;

    split->rows = (size_t)p->m;
    split->columns = (size_t)p->n;
    split->slice = (size_t)p->k;
    while (product_work(p->type, (double)split->rows, (double)split->columns,
                        (double)split->slice) > STEP_WORK) {
        size_t *largest = &split->columns;

        if (split->rows > *largest) {
            largest = &split->rows;
        }
        if (split->slice > *largest) {
            largest = &split->slice;
        }
        *largest = half_of(*largest);
        if (split->symmetric) {
            split->rows = split->columns;
        }
    }
}

static struct blas_range
range_at(size_t from, size_t size, size_t all)
{
    return (struct blas_range){from, all - from < size ? all : from + size};
}

static void
beta_set_one(struct blas_product *p)
{
    switch (p->type) {
    case BLAS_S:
        p->beta.s = 1;
        break;
    case BLAS_D:
        p->beta.d = 1;
        break;
    case BLAS_C:
        p->beta.c[0] = 1;
        p->beta.c[1] = 0;
        break;
    default:
        p->beta.z[0] = 1;
        p->beta.z[1] = 0;
    }
}

/* Multiplies one slice (some columns of op(a), the same rows of op(b)) and
 * adds the product to one tile of the result: the elements in `rows` and
 * `columns`. The first slice instead sets the tile to alpha * product + beta *
 * c. */
static void
step_compute(const struct split *split, const struct blas_range *rows,
             const struct blas_range *columns, const struct blas_range *slice)
{
    const struct blas_product *p = split->p;
    size_t size = cpu_blas_itemsize(p->type);
    size_t a_lead = (size_t)p->a_lead, b_lead = (size_t)p->b_lead;
    bool a_plain = p->a_op == CUBLAS_OP_N, b_plain = p->b_op == CUBLAS_OP_N;
    struct blas_product part = *p;
    struct blas_operands at = *split->at;

    at.a += (rows->from * (a_plain ? 1 : a_lead) +
             slice->from * (a_plain ? a_lead : 1)) *
            size;
    at.b += (columns->from * (b_plain ? b_lead : 1) +
             slice->from * (b_plain ? 1 : b_lead)) *
            size;
    at.c += (rows->from + columns->from * (size_t)p->c_lead) * size;
    part.m = (int)(rows->to - rows->from);
    part.n = (int)(columns->to - columns->from);
    part.k = (int)(slice->to - slice->from);
    if (slice->from) {
        beta_set_one(&part);
    }
    compute(&part, &at, split->symmetric && rows->from == columns->from);
}

/* Computes a tile of the result, in the given rows and columns, slice by slice
 * along the inner axis. */
static CUresult
tile_compute(const struct split *split, const struct blas_range *rows,
             const struct blas_range *columns)
{
    size_t k = (size_t)split->p->k;
    CUresult code = CUDA_SUCCESS;

    for (size_t at = 0; at < k && !code; at += split->slice) {
        struct blas_range slice = range_at(at, split->slice, k);

        step_compute(split, rows, columns, &slice);
        code = cpu_cancellation_point(split->interrupt);
    }
    if (!code && split->symmetric) {
        cpu_blas_mirror(split->p, split->at->c, rows, columns);
        code = cpu_cancellation_point(split->interrupt);
    }
    return code;
}

/* Computes a product step by step. If the result is symmetric, computes only
 * the tiles on and above the diagonal, and copies their elements to the
 * transposed positions below the diagonal. */
static CUresult
split_compute(struct split *split)
{
    size_t m = (size_t)split->p->m, n = (size_t)split->p->n;
    CUresult code = CUDA_SUCCESS;

    split->symmetric = cpu_blas_is_symmetric(split->p, split->at);
    split_choose(split);
    for (size_t j = 0; j < n; j += split->columns) {
        struct blas_range columns = range_at(j, split->columns, n);
        size_t end = split->symmetric ? columns.to : m;

        for (size_t i = 0; i < end && !code; i += split->rows) {
            struct blas_range rows = range_at(i, split->rows, m);

            code = tile_compute(split, &rows, &columns);
        }
        if (code) {
            return code;
        }
    }
    return CUDA_SUCCESS;
}

/* Returns the number of bytes from the first to the last element of the
 * result, including the gaps between its columns. */
static size_t
product_bytes(const struct blas_product *p)
{
    size_t columns = p->m > 0 && p->n > 0 ? (size_t)p->n - 1 : 0;
    size_t last = p->m > 0 && p->n > 0 ? (size_t)p->m : 0;

    return (columns * (size_t)p->c_lead + last) * cpu_blas_itemsize(p->type);
}

CUresult
cpu_blas_run(void *argument)
{
    const struct blas_product *p = argument;
    long long size = (long long)cpu_blas_itemsize(p->type);
    struct cpu_interrupt interrupt = {0};
    double work = work_of(p);
    bool large = p->k && work > WHOLE_WORK;
    CUresult code = CUDA_SUCCESS;

    for (int i = 0; i < p->count && !code; i++) {
        struct blas_operands at = {.a = p->a + i * p->a_step * size,
                                   .b = p->b + i * p->b_step * size,
                                   .c = p->c + i * p->c_step * size};

        /* Tells the kernel checks that the result is written. Has no effect
         * while the checks are off. */
        cpu_check_filled(at.c, product_bytes(p));
        struct split split = {.p = p, .at = &at, .interrupt = &interrupt};

        if (large) {
            code = split_compute(&split);
            continue;
        }
        compute(p, &at, false);
        if (work > BATCH_WORK || i % BATCH_PART == BATCH_PART - 1) {
            code = cpu_cancellation_point(&interrupt);
        }
    }
    return code;
}
