/* product.c - computes matrix products with a CBLAS.
 *
 * Called by the operations that api.c submits to streams. Only one product is
 * computed at a time, since CBLAS uses all processors for it. The product of a
 * matrix and a vector uses gemv, and that of a matrix and its own transpose
 * uses syrk; both are faster than gemm. tiles.c splits large products.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/blas/blas.h"

/* Values of the enumerations in the C interface of BLAS (cblas.h). */
enum {
    COLUMN_MAJOR = 102,
    NO_TRANSPOSE = 111,
    TRANSPOSE = 112,
    CONJUGATE_TRANSPOSE = 113,
    UPPER = 121
};

/* Defines the types of the functions gemm, gemv and syrk. Real scalars are
 * passed by value, complex ones by address. */
#define FUNCTIONS(name, scalar)                                               \
    typedef void name##_gemm(                                                 \
        int order, int a_op, int b_op, int64_t m, int64_t n, int64_t k,       \
        scalar alpha, const void *a, int64_t a_lead, const void *b,           \
        int64_t b_lead, scalar beta, void *c, int64_t c_lead);                \
    typedef void name##_gemv(int order, int op, int64_t m, int64_t n,         \
                             scalar alpha, const void *a, int64_t lead,       \
                             const void *x, int64_t x_step, scalar beta,      \
                             void *y, int64_t y_step);                        \
    typedef void name##_syrk(                                                 \
        int order, int part, int op, int64_t n, int64_t k, scalar alpha,      \
        const void *a, int64_t lead, scalar beta, void *c, int64_t c_lead);
FUNCTIONS(blas_s, float)
FUNCTIONS(blas_d, double)
FUNCTIONS(blas_x, const void *)

size_t
cpu_blas_itemsize(enum blas_type type)
{
    static const size_t sizes[BLAS_TYPES] = {4, 8, 8, 16};

    return sizes[type];
}

static int
cblas_operation(cublasOperation_t op)
{
    return op == CUBLAS_OP_N   ? NO_TRANSPOSE
           : op == CUBLAS_OP_T ? TRANSPOSE
                               : CONJUGATE_TRANSPOSE;
}

static void *
function_get(const struct blas_product *p, enum blas_routine routine)
{
    return p->library->function[p->type][routine];
}

/* Computes one product of the batch with gemm, which supports all products
 * (gemv and syrk do not). */
static void
gemm(const struct blas_product *p, const struct blas_operands *at)
{
    int a_op = cblas_operation(p->a_op), b_op = cblas_operation(p->b_op);
    void *function = function_get(p, BLAS_GEMM);

    switch (p->type) {
    case BLAS_S:
        ((blas_s_gemm *)function)(COLUMN_MAJOR, a_op, b_op, p->m, p->n, p->k,
                                  p->alpha.s, at->a, p->a_lead, at->b,
                                  p->b_lead, p->beta.s, at->c, p->c_lead);
        break;
    case BLAS_D:
        ((blas_d_gemm *)function)(COLUMN_MAJOR, a_op, b_op, p->m, p->n, p->k,
                                  p->alpha.d, at->a, p->a_lead, at->b,
                                  p->b_lead, p->beta.d, at->c, p->c_lead);
        break;
    default:
        ((blas_x_gemm *)function)(COLUMN_MAJOR, a_op, b_op, p->m, p->n, p->k,
                                  &p->alpha, at->a, p->a_lead, at->b,
                                  p->b_lead, &p->beta, at->c, p->c_lead);
    }
}

/* ---- matrix-vector products ---- */

/* The product y = alpha op(matrix) x + beta y, where x and y are vectors.
 * `rows` and `columns` are those of the matrix before op(). Steps are
 * distances between vector elements, in elements. */
struct vector_product {
    int op, rows, columns, lead;
    const char *matrix, *x;
    char *y;
    int x_step, y_step;
};

static bool
is_zero(const struct blas_product *p, const union blas_scalar *value)
{
    switch (p->type) {
    case BLAS_S:
        return value->s == 0;
    case BLAS_D:
        return value->d == 0;
    case BLAS_C:
        return value->c[0] == 0 && value->c[1] == 0;
    default:
        return value->z[0] == 0 && value->z[1] == 0;
    }
}

/* Sets the `n` elements of y to 0. Called if beta is 0: y may contain NaN, and
 * some libraries compute beta * y = NaN. */
static void
vector_clear(const struct blas_product *p, const struct vector_product *v,
             int n)
{
    size_t size = cpu_blas_itemsize(p->type);

    for (int i = 0; i < n; i++) {
        memset(v->y + (size_t)i * (size_t)v->y_step * size, 0, size);
    }
}

/* Computes the matrix-vector product `v` with gemv. */
static void
gemv(const struct blas_product *p, const struct vector_product *v)
{
    void *function = function_get(p, BLAS_GEMV);

    if (is_zero(p, &p->beta)) {
        vector_clear(p, v, v->op == NO_TRANSPOSE ? v->rows : v->columns);
    }
    switch (p->type) {
    case BLAS_S:
        ((blas_s_gemv *)function)(COLUMN_MAJOR, v->op, v->rows, v->columns,
                                  p->alpha.s, v->matrix, v->lead, v->x,
                                  v->x_step, p->beta.s, v->y, v->y_step);
        break;
    case BLAS_D:
        ((blas_d_gemv *)function)(COLUMN_MAJOR, v->op, v->rows, v->columns,
                                  p->alpha.d, v->matrix, v->lead, v->x,
                                  v->x_step, p->beta.d, v->y, v->y_step);
        break;
    default:
        ((blas_x_gemv *)function)(COLUMN_MAJOR, v->op, v->rows, v->columns,
                                  &p->alpha, v->matrix, v->lead, v->x,
                                  v->x_step, &p->beta, v->y, v->y_step);
    }
}

/* Computes a matrix-vector product with gemv and returns true. A product is
 * one if op(b) has one column or op(a) has one row. Returns false for all
 * other products, and for those that gemv cannot compute: gemv can neither
 * conjugate the vector, nor conjugate the matrix without transposing it. */
static bool
gemv_try(const struct blas_product *p, const struct blas_operands *at)
{
    bool a_untransposed = p->a_op == CUBLAS_OP_N,
         b_untransposed = p->b_op == CUBLAS_OP_N;

    if (p->n == 1 && p->b_op != CUBLAS_OP_C) {
        struct vector_product v = {.op = cblas_operation(p->a_op),
                                   .rows = a_untransposed ? p->m : p->k,
                                   .columns = a_untransposed ? p->k : p->m,
                                   .lead = p->a_lead,
                                   .matrix = at->a,
                                   .x = at->b,
                                   .x_step = b_untransposed ? 1 : p->b_lead,
                                   .y = at->c,
                                   .y_step = 1};
        gemv(p, &v);
        return true;
    }
    if (p->m == 1 && p->a_op != CUBLAS_OP_C && p->b_op != CUBLAS_OP_C) {
        struct vector_product v = {.op = b_untransposed ? TRANSPOSE
                                                        : NO_TRANSPOSE,
                                   .rows = b_untransposed ? p->k : p->n,
                                   .columns = b_untransposed ? p->n : p->k,
                                   .lead = p->b_lead,
                                   .matrix = at->b,
                                   .x = at->a,
                                   .x_step = a_untransposed ? p->a_lead : 1,
                                   .y = at->c,
                                   .y_step = p->c_lead};
        gemv(p, &v);
        return true;
    }
    return false;
}

/* ---- product of a matrix and its own transpose ---- */

void
cpu_blas_compute_upper(const struct blas_product *p,
                       const struct blas_operands *at)
{
    void *function = function_get(p, BLAS_SYRK);
    int op = cblas_operation(p->a_op);

    switch (p->type) {
    case BLAS_S:
        ((blas_s_syrk *)function)(COLUMN_MAJOR, UPPER, op, p->n, p->k,
                                  p->alpha.s, at->a, p->a_lead, p->beta.s,
                                  at->c, p->c_lead);
        break;
    case BLAS_D:
        ((blas_d_syrk *)function)(COLUMN_MAJOR, UPPER, op, p->n, p->k,
                                  p->alpha.d, at->a, p->a_lead, p->beta.d,
                                  at->c, p->c_lead);
        break;
    default:
        ((blas_x_syrk *)function)(COLUMN_MAJOR, UPPER, op, p->n, p->k,
                                  &p->alpha, at->a, p->a_lead, &p->beta, at->c,
                                  p->c_lead);
    }
}

#define TILE 32 /* rows and columns of a tile that fits into the L1 cache */

/* Copies the elements (j, i) of the matrix to (i, j), for i in [from, to); i
 * is greater than j, so the targets are below the diagonal. */
static inline void
column_mirror(char *c, size_t lead, size_t size, size_t j, size_t from,
              size_t to)
{
    for (size_t i = from; i < to; i++) {
        memcpy(c + (i + j * lead) * size, c + (j + i * lead) * size, size);
    }
}

/* Copies each element above the diagonal and in the given rows and columns to
 * its transposed position, one part of TILE x TILE elements after the
 * other. */
static inline void
mirror(const struct blas_product *p, char *c, const struct blas_range *rows,
       const struct blas_range *columns, size_t size)
{
    size_t lead = (size_t)p->c_lead;

    for (size_t left = rows->from; left < rows->to; left += TILE) {
        size_t right = left + TILE < rows->to ? left + TILE : rows->to;
        size_t first = left > columns->from ? left : columns->from;

        for (size_t top = first; top < columns->to; top += TILE) {
            size_t bottom =
                top + TILE < columns->to ? top + TILE : columns->to;

            for (size_t j = left; j < right; j++) {
                column_mirror(c, lead, size, j, top > j ? top : j + 1, bottom);
            }
        }
    }
}

void
cpu_blas_mirror(const struct blas_product *p, char *c,
                const struct blas_range *rows,
                const struct blas_range *columns)
{
    switch (cpu_blas_itemsize(p->type)) {
    case 4:
        mirror(p, c, rows, columns, 4);
        break;
    case 8:
        mirror(p, c, rows, columns, 8);
        break;
    default:
        mirror(p, c, rows, columns, 16);
    }
}

bool
cpu_blas_is_symmetric(const struct blas_product *p,
                      const struct blas_operands *at)
{
    bool transposed = (p->a_op == CUBLAS_OP_N && p->b_op == CUBLAS_OP_T) ||
                      (p->a_op == CUBLAS_OP_T && p->b_op == CUBLAS_OP_N);

    return transposed && at->a == at->b && p->a_lead == p->b_lead &&
           p->m == p->n && p->k > 0 && is_zero(p, &p->beta);
}

void
cpu_blas_compute(const struct blas_product *p, const struct blas_operands *at)
{
    struct blas_range all = {0, (size_t)p->n};

    if (p->k > 0 && gemv_try(p, at)) {
        return;
    }
    if (!cpu_blas_is_symmetric(p, at)) {
        gemm(p, at);
        return;
    }
    cpu_blas_compute_upper(p, at);
    cpu_blas_mirror(p, at->c, &all, &all);
}
