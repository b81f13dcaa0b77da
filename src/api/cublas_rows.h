/* cublas_rows.h - the functions of cuBLAS that matrix products need, one row
 * (X-macro entry) each, and their enumerations.
 *
 * Define CUBLAS_ROW(base, symbol, (parameters), (argument names)) and include
 * this file, which undefines CUBLAS_ROW. All functions return cublasStatus_t.
 * Matrices are column-major; scalars are read from host memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_CUBLAS_ROWS_H
#define PYCUDA_API_CUBLAS_ROWS_H

#include "api/cuda_types.h"

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;

typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
} cublasOperation_t;

typedef enum {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_R_16BF = 14,
} cudaDataType;

typedef enum {
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
} cublasComputeType_t;

typedef enum {
    CUBLAS_GEMM_DEFAULT = -1,
} cublasGemmAlgo_t;

/* Math modes of cublasSetMathMode. Some values are flags, to be combined with
 * a mode. */
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
} cublasMath_t;

#endif

/* clang-format off */

#ifdef CUBLAS_ROW
CUBLAS_ROW(cublasCreate, cublasCreate_v2,
    (cublasHandle_t *handle),
    (handle))
CUBLAS_ROW(cublasDestroy, cublasDestroy_v2,
    (cublasHandle_t handle),
    (handle))
CUBLAS_ROW(cublasSetStream, cublasSetStream_v2,
    (cublasHandle_t handle, CUstream stream),
    (handle, stream))
CUBLAS_ROW(cublasSetMathMode, cublasSetMathMode,
    (cublasHandle_t handle, cublasMath_t mode),
    (handle, mode))
CUBLAS_ROW(cublasGemmEx, cublasGemmEx,
    (cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op,
     int m, int n, int k, const void *alpha, const void *a,
     cudaDataType a_type, int a_lead, const void *b, cudaDataType b_type,
     int b_lead, const void *beta, void *c, cudaDataType c_type, int c_lead,
     cublasComputeType_t compute, cublasGemmAlgo_t algorithm),
    (handle, a_op, b_op, m, n, k, alpha, a, a_type, a_lead, b, b_type, b_lead,
     beta, c, c_type, c_lead, compute, algorithm))
CUBLAS_ROW(cublasGemmStridedBatchedEx, cublasGemmStridedBatchedEx,
    (cublasHandle_t handle, cublasOperation_t a_op, cublasOperation_t b_op,
     int m, int n, int k, const void *alpha, const void *a,
     cudaDataType a_type, int a_lead, long long a_step, const void *b,
     cudaDataType b_type, int b_lead, long long b_step, const void *beta,
     void *c, cudaDataType c_type, int c_lead, long long c_step, int count,
     cublasComputeType_t compute, cublasGemmAlgo_t algorithm),
    (handle, a_op, b_op, m, n, k, alpha, a, a_type, a_lead, a_step, b, b_type,
     b_lead, b_step, beta, c, c_type, c_lead, c_step, count, compute,
     algorithm))
#undef CUBLAS_ROW
#endif
