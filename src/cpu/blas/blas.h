/* blas.h - declarations shared by the files of the cuBLAS interface.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_BLAS_BLAS_H
#define PYCUDA_CPU_BLAS_BLAS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/cublas_rows.h"
#include "api/cuda_types.h"

enum blas_type { BLAS_S, BLAS_D, BLAS_C, BLAS_Z, BLAS_TYPES };
enum blas_routine { BLAS_GEMM, BLAS_GEMV, BLAS_SYRK, BLAS_ROUTINES };

/* Addresses of the functions of a CBLAS library, by element type and
 * routine. */
struct blas_library {
    void *function[BLAS_TYPES][BLAS_ROUTINES];
};

/* A scalar of one of the four element types. The real part of a complex one is
 * element 0. */
union blas_scalar {
    float s;
    double d;
    float c[2];
    double z[2];
};

/* A batch of `count` products c = alpha op(a) op(b) + beta c of column-major
 * matrices; op() is the matrix itself, its transpose, or its conjugate
 * transpose. */
struct blas_product {
    const struct blas_library *library;
    enum blas_type type;
    cublasOperation_t a_op, b_op;
    int m, n, k, count;
    union blas_scalar alpha, beta;
    const char *a, *b;
    char *c;
    /* Leading dimensions of the matrices, in elements. */
    int a_lead, b_lead, c_lead;
    /* Distance between successive matrices of the batch, in elements. */
    long long a_step, b_step, c_step;
};

/* ---- cblas_library.c ---- */

/* Held while a CBLAS function runs, or while the process is searched for a
 * CBLAS library. A fork() of the process first acquires this lock. */
extern pthread_mutex_t cpu_blas_lock;

/* Returns the functions of a CBLAS library that the process has loaded, or
 * NULL if there is none. The result is a static variable. Acquires
 * cpu_blas_lock. */
const struct blas_library *cpu_blas_library_find(void);

/* ---- product.c ---- */

/* Addresses of the matrices a, b and c of one product c = a b of a batch. If
 * the product is split into steps, the addresses are those of the submatrices
 * of one step. */
struct blas_operands {
    const char *a, *b;
    char *c;
};

/* The rows or columns [from, to) of a matrix. */
struct blas_range {
    size_t from, to;
};

/* Returns the size in bytes of a matrix element of this type. */
size_t cpu_blas_itemsize(enum blas_type type);

/* Computes one product, an m x n matrix, from the operands `at`. Ignores p->a,
 * p->b, p->c and p->count. The caller holds cpu_blas_lock. */
void cpu_blas_compute(const struct blas_product *p,
                      const struct blas_operands *at);

/* Computes only the elements on and above the diagonal of a product of a
 * matrix and its own transpose. beta may differ from 0. The caller holds
 * cpu_blas_lock. */
void cpu_blas_compute_upper(const struct blas_product *p,
                            const struct blas_operands *at);

/* Returns whether the result of the product is known to be symmetric: one
 * operand is the other one transposed, and beta is 0. With another beta, beta
 * C is added, and the matrix C may be asymmetric. */
bool cpu_blas_is_symmetric(const struct blas_product *p,
                           const struct blas_operands *at);

/* For each element (i, j) of the matrix `c` above the diagonal and in the
 * given rows and columns, copies the element to its transposed position (j,
 * i). */
void cpu_blas_mirror(const struct blas_product *p, char *c,
                     const struct blas_range *rows,
                     const struct blas_range *columns);

/* ---- tiles.c ---- */

/* Computes the products of the struct blas_product that `argument` points to.
 * The caller has validated this struct. Called as the function of a stream
 * operation (type cpu_run). Acquires cpu_blas_lock. If the operation is
 * cancelled, returns an error, and the results are incomplete. */
CUresult cpu_blas_run(void *argument);

#endif
