/* product.c - products of matrices, made by a CBLAS.
 *
 * Called by the operations that api.c puts into streams, one at a time: each
 * uses all processors.  Matrices by vectors and products of a matrix and its
 * own transpose have functions of their own, which are faster.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/blas/blas.h"

/* CBLAS's numbers. */
enum {
    COLUMNS = 102,
    PLAIN = 111,
    TURNED = 112,
    CONJUGATED = 113,
    UPPER = 121
};

/* Real scalars are handed over as they are, complex ones by address. */
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

/* One matrix, or vector, of a product. */
struct one {
    const char *a, *b;
    char *c;
};

size_t
cpu_blas_itemsize(enum blas_type type)
{
    static const size_t sizes[BLAS_TYPES] = {4, 8, 8, 16};

    return sizes[type];
}

static int
operation(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? PLAIN : op == CUBLAS_OP_T ? TURNED : CONJUGATED;
}

static void *
function_of(const struct blas_product *p, enum blas_routine routine)
{
    return p->library->function[p->type][routine];
}

static void
gemm(const struct blas_product *p, const struct one *at)
{
    int a_op = operation(p->a_op), b_op = operation(p->b_op);
    void *function = function_of(p, BLAS_GEMM);

    switch (p->type) {
    case BLAS_S:
        ((blas_s_gemm *)function)(COLUMNS, a_op, b_op, p->m, p->n, p->k,
                                  p->alpha.s, at->a, p->a_lead, at->b,
                                  p->b_lead, p->beta.s, at->c, p->c_lead);
        break;
    case BLAS_D:
        ((blas_d_gemm *)function)(COLUMNS, a_op, b_op, p->m, p->n, p->k,
                                  p->alpha.d, at->a, p->a_lead, at->b,
                                  p->b_lead, p->beta.d, at->c, p->c_lead);
        break;
    default:
        ((blas_x_gemm *)function)(COLUMNS, a_op, b_op, p->m, p->n, p->k,
                                  &p->alpha, at->a, p->a_lead, at->b,
                                  p->b_lead, &p->beta, at->c, p->c_lead);
    }
}

/* ---- a matrix by a vector ---- */

/* y = alpha op(matrix) x + beta y; rows and columns as they are stored. */
struct by_vector {
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

/* There are libraries that multiply a NaN by beta where that is 0. */
static void
vector_clear(const struct blas_product *p, const struct by_vector *v, int n)
{
    size_t size = cpu_blas_itemsize(p->type);

    for (int i = 0; i < n; i++) {
        memset(v->y + (size_t)i * (size_t)v->y_step * size, 0, size);
    }
}

static void
gemv(const struct blas_product *p, const struct by_vector *v)
{
    void *function = function_of(p, BLAS_GEMV);

    if (is_zero(p, &p->beta)) {
        vector_clear(p, v, v->op == PLAIN ? v->rows : v->columns);
    }
    switch (p->type) {
    case BLAS_S:
        ((blas_s_gemv *)function)(COLUMNS, v->op, v->rows, v->columns,
                                  p->alpha.s, v->matrix, v->lead, v->x,
                                  v->x_step, p->beta.s, v->y, v->y_step);
        break;
    case BLAS_D:
        ((blas_d_gemv *)function)(COLUMNS, v->op, v->rows, v->columns,
                                  p->alpha.d, v->matrix, v->lead, v->x,
                                  v->x_step, p->beta.d, v->y, v->y_step);
        break;
    default:
        ((blas_x_gemv *)function)(COLUMNS, v->op, v->rows, v->columns,
                                  &p->alpha, v->matrix, v->lead, v->x,
                                  v->x_step, &p->beta, v->y, v->y_step);
    }
}

/* A vector cannot be conjugated, nor a matrix that is not turned. */
static bool
vector_run(const struct blas_product *p, const struct one *at)
{
    bool a_plain = p->a_op == CUBLAS_OP_N, b_plain = p->b_op == CUBLAS_OP_N;

    if (p->n == 1 && p->b_op != CUBLAS_OP_C) {
        struct by_vector v = {.op = operation(p->a_op),
                              .rows = a_plain ? p->m : p->k,
                              .columns = a_plain ? p->k : p->m,
                              .lead = p->a_lead,
                              .matrix = at->a,
                              .x = at->b,
                              .x_step = b_plain ? 1 : p->b_lead,
                              .y = at->c,
                              .y_step = 1};
        gemv(p, &v);
        return true;
    }
    if (p->m == 1 && p->a_op != CUBLAS_OP_C && p->b_op != CUBLAS_OP_C) {
        struct by_vector v = {.op = b_plain ? TURNED : PLAIN,
                              .rows = b_plain ? p->k : p->n,
                              .columns = b_plain ? p->n : p->k,
                              .lead = p->b_lead,
                              .matrix = at->b,
                              .x = at->a,
                              .x_step = a_plain ? p->a_lead : 1,
                              .y = at->c,
                              .y_step = p->c_lead};
        gemv(p, &v);
        return true;
    }
    return false;
}

/* ---- a matrix by its own transpose ---- */

static void
syrk(const struct blas_product *p, const struct one *at)
{
    void *function = function_of(p, BLAS_SYRK);
    int op = operation(p->a_op);

    switch (p->type) {
    case BLAS_S:
        ((blas_s_syrk *)function)(COLUMNS, UPPER, op, p->n, p->k, p->alpha.s,
                                  at->a, p->a_lead, p->beta.s, at->c,
                                  p->c_lead);
        break;
    case BLAS_D:
        ((blas_d_syrk *)function)(COLUMNS, UPPER, op, p->n, p->k, p->alpha.d,
                                  at->a, p->a_lead, p->beta.d, at->c,
                                  p->c_lead);
        break;
    default:
        ((blas_x_syrk *)function)(COLUMNS, UPPER, op, p->n, p->k, &p->alpha,
                                  at->a, p->a_lead, &p->beta, at->c,
                                  p->c_lead);
    }
}

#define TILE 32 /* rows and columns that stay in the nearest cache */

/* Column j below the diagonal gets row j, within the rows [from, to). */
static inline void
column_mirror(char *c, size_t lead, size_t size, size_t j, size_t from,
              size_t to)
{
    for (size_t i = from; i < to; i++) {
        memcpy(c + (i + j * lead) * size, c + (j + i * lead) * size, size);
    }
}

static inline void
mirror(char *c, size_t n, size_t lead, size_t size)
{
    for (size_t left = 0; left < n; left += TILE) {
        size_t right = left + TILE < n ? left + TILE : n;

        for (size_t top = left; top < n; top += TILE) {
            size_t bottom = top + TILE < n ? top + TILE : n;

            for (size_t j = left; j < right; j++) {
                column_mirror(c, lead, size, j, top > j ? top : j + 1, bottom);
            }
        }
    }
}

static bool
symmetric_run(const struct blas_product *p, const struct one *at)
{
    size_t n = (size_t)p->n, lead = (size_t)p->c_lead;
    bool turned = (p->a_op == CUBLAS_OP_N && p->b_op == CUBLAS_OP_T) ||
                  (p->a_op == CUBLAS_OP_T && p->b_op == CUBLAS_OP_N);

    if (!turned || at->a != at->b || p->a_lead != p->b_lead || p->m != p->n ||
        !is_zero(p, &p->beta)) {
        return false;
    }
    syrk(p, at);
    switch (cpu_blas_itemsize(p->type)) {
    case 4:
        mirror(at->c, n, lead, 4);
        break;
    case 8:
        mirror(at->c, n, lead, 8);
        break;
    default:
        mirror(at->c, n, lead, 16);
    }
    return true;
}

static void
one_run(const struct blas_product *p, const struct one *at)
{
    if (p->k > 0 && (vector_run(p, at) || symmetric_run(p, at))) {
        return;
    }
    gemm(p, at);
}

CUresult
cpu_blas_run(void *argument)
{
    const struct blas_product *p = argument;
    long long size = (long long)cpu_blas_itemsize(p->type);

    pthread_mutex_lock(&cpu_blas_lock);
    for (int i = 0; i < p->count; i++) {
        struct one at = {.a = p->a + i * p->a_step * size,
                         .b = p->b + i * p->b_step * size,
                         .c = p->c + i * p->c_step * size};
        one_run(p, &at);
    }
    pthread_mutex_unlock(&cpu_blas_lock);
    return CUDA_SUCCESS;
}
