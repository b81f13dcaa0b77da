/* typed_products.c - the cuBLAS products whose names contain the element type,
 * such as cublasSgemm.
 *
 * Called by users of the library. Each function calls cublasGemmEx or
 * cublasGemmStridedBatchedEx (api.c), which get the type as an argument.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/blas/blas.h"
#include "cpu/exports/visibility.h"

#define CUBLAS_ROW(base, symbol, parameters, arguments)                       \
    cublasStatus_t symbol parameters;
#include "api/cublas_rows.h"

#define GEMM(letter, type, data, compute)                                     \
    CPU_API cublasStatus_t cublas##letter##gemm_v2(                           \
        cublasHandle_t handle, cublasOperation_t a_op,                        \
        cublasOperation_t b_op, int m, int n, int k, const type *alpha,       \
        const type *a, int a_lead, const type *b, int b_lead,                 \
        const type *beta, type *c, int c_lead)                                \
    {                                                                         \
        return cublasGemmEx(handle, a_op, b_op, m, n, k, alpha, a, data,      \
                            a_lead, b, data, b_lead, beta, c, data, c_lead,   \
                            compute, CUBLAS_GEMM_DEFAULT);                    \
    }

#define GEMM_STRIDED_BATCHED(letter, type, data, compute)                     \
    CPU_API cublasStatus_t cublas##letter##gemmStridedBatched(                \
        cublasHandle_t handle, cublasOperation_t a_op,                        \
        cublasOperation_t b_op, int m, int n, int k, const type *alpha,       \
        const type *a, int a_lead, long long a_step, const type *b,           \
        int b_lead, long long b_step, const type *beta, type *c, int c_lead,  \
        long long c_step, int count)                                          \
    {                                                                         \
        return cublasGemmStridedBatchedEx(                                    \
            handle, a_op, b_op, m, n, k, alpha, a, data, a_lead, a_step, b,   \
            data, b_lead, b_step, beta, c, data, c_lead, c_step, count,       \
            compute, CUBLAS_GEMM_DEFAULT);                                    \
    }

#define CUBLAS_TYPED_ROW(letter, type, data, compute)                         \
    GEMM(letter, type, data, compute)                                         \
    GEMM_STRIDED_BATCHED(letter, type, data, compute)
#include "api/cublas_typed_rows.h"
