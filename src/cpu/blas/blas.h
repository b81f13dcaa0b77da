/* blas.h - what the files of cuBLAS's interface share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_BLAS_BLAS_H
#define PYCUDA_CPU_BLAS_BLAS_H

#include "api/cublas_rows.h"
#include "cpu/cpu.h"

enum blas_type { BLAS_S, BLAS_D, BLAS_C, BLAS_Z, BLAS_TYPES };
enum blas_routine { BLAS_GEMM, BLAS_GEMV, BLAS_SYRK, BLAS_ROUTINES };

/* The functions of a CBLAS, by what CBLAS calls them. */
struct blas_library {
    void *function[BLAS_TYPES][BLAS_ROUTINES];
};

union blas_scalar {
    float s;
    double d;
    float c[2];
    double z[2];
};

/* c = alpha op(a) op(b) + beta c, `count` times; column-major. */
struct blas_product {
    const struct blas_library *library;
    enum blas_type type;
    cublasOperation_t a_op, b_op;
    int m, n, k, count;
    union blas_scalar alpha, beta;
    const char *a, *b;
    char *c;
    int a_lead, b_lead, c_lead;       /* elements */
    long long a_step, b_step, c_step; /* elements from matrix to matrix */
};

/* ---- find.c ---- */

/* Held while a CBLAS works or is looked for: fork() waits for it. */
extern pthread_mutex_t cpu_blas_lock;

/* A CBLAS that the process has loaded; NULL: there is none. */
const struct blas_library *cpu_blas_find(void);

/* ---- product.c ---- */

size_t cpu_blas_itemsize(enum blas_type type);

/* Makes a struct blas_product, which is sound; a cpu_run. */
CUresult cpu_blas_run(void *argument);

#endif
