/* cublas_rows.h - the six functions of cuBLAS that matrix products need, a
 * row each, with the two enumerations that they take.
 *
 * Define CUBLAS_ROW(base, symbol, (parameters), (argument names)) and include
 * this file; it undefines CUBLAS_ROW.  Every function returns cublasStatus_t.
 * Matrices are column-major; scalars are read from the host.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_CUBLAS_ROWS_H
#define PYCUDA_API_CUBLAS_ROWS_H

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
} cublasStatus_t;

typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
} cublasOperation_t;

typedef struct {
    float x, y;
} cuComplex;

typedef struct {
    double x, y;
} cuDoubleComplex;

#endif

/* clang-format off */

#ifdef CUBLAS_ROW
CUBLAS_ROW(cublasSgemm, cublasSgemm_v2,
    (cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op,
     int m, int n, int k, const float *alpha, const float *a, int a_lead,
     const float *b, int b_lead, const float *beta, float *c, int c_lead),
    (handle, a_op, b_op, m, n, k, alpha, a, a_lead, b, b_lead, beta, c,
     c_lead))
CUBLAS_ROW(cublasDgemm, cublasDgemm_v2,
    (cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op,
     int m, int n, int k, const double *alpha, const double *a, int a_lead,
     const double *b, int b_lead, const double *beta, double *c, int c_lead),
    (handle, a_op, b_op, m, n, k, alpha, a, a_lead, b, b_lead, beta, c,
     c_lead))
CUBLAS_ROW(cublasCgemm, cublasCgemm_v2,
    (cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op,
     int m, int n, int k, const cuComplex *alpha, const cuComplex *a,
     int a_lead, const cuComplex *b, int b_lead, const cuComplex *beta,
     cuComplex *c, int c_lead),
    (handle, a_op, b_op, m, n, k, alpha, a, a_lead, b, b_lead, beta, c,
     c_lead))
CUBLAS_ROW(cublasZgemm, cublasZgemm_v2,
    (cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op,
     int m, int n, int k, const cuDoubleComplex *alpha,
     const cuDoubleComplex *a, int a_lead, const cuDoubleComplex *b,
     int b_lead, const cuDoubleComplex *beta, cuDoubleComplex *c, int c_lead),
    (handle, a_op, b_op, m, n, k, alpha, a, a_lead, b, b_lead, beta, c,
     c_lead))
CUBLAS_ROW(cublasSgemv, cublasSgemv_v2,
    (cublasHandle_t handle, cublasOperation_t op, int m, int n,
     const float *alpha, const float *a, int a_lead, const float *x,
     int x_step, const float *beta, float *y, int y_step),
    (handle, op, m, n, alpha, a, a_lead, x, x_step, beta, y, y_step))
CUBLAS_ROW(cublasDgemv, cublasDgemv_v2,
    (cublasHandle_t handle, cublasOperation_t op, int m, int n,
     const double *alpha, const double *a, int a_lead, const double *x,
     int x_step, const double *beta, double *y, int y_step),
    (handle, op, m, n, alpha, a, a_lead, x, x_step, beta, y, y_step))
#undef CUBLAS_ROW
#endif
