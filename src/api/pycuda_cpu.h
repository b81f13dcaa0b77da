/* pycuda_cpu.h - CUDA driver API, NVRTC, cuBLAS GEMM and NCCL for C programs
 * that use the CPU device directly: link with -lpycuda_cpu.
 *
 * Installed for users (docs/cpu-library.md). Types, constants and functions
 * have CUDA's own names; no CUDA toolkit is needed. Each function is declared
 * under its name without a version suffix, with the newest signature that the
 * library supports.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_H
#define PYCUDA_CPU_H

#include "api/cublas_rows.h"
#include "api/cuda_types.h"
#include "api/nccl_rows.h"
#include "api/nvrtc_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DRIVER_ROW(base, symbol, since, per_thread, parameters, arguments)    \
    CUresult base parameters __asm__(#symbol);
#include "api/driver_rows.h"

#define NVRTC_ROW(base, symbol, since, parameters, arguments)                 \
    nvrtcResult base parameters __asm__(#symbol);
#include "api/nvrtc_rows.h"

#define CUBLAS_ROW(base, symbol, parameters, arguments)                       \
    cublasStatus_t base parameters __asm__(#symbol);
#include "api/cublas_rows.h"

#define CUBLAS_TYPED_ROW(letter, type, data, compute)                         \
    cublasStatus_t cublas##letter##gemm(                                      \
        cublasHandle_t handle, cublasOperation_t a_op,                        \
        cublasOperation_t b_op, int m, int n, int k, const type *alpha,       \
        const type *a, int a_lead, const type *b, int b_lead,                 \
        const type *beta, type *c,                                            \
        int c_lead) __asm__("cublas" #letter "gemm_v2");                      \
    cublasStatus_t cublas##letter##gemmStridedBatched(                        \
        cublasHandle_t handle, cublasOperation_t a_op,                        \
        cublasOperation_t b_op, int m, int n, int k, const type *alpha,       \
        const type *a, int a_lead, long long a_step, const type *b,           \
        int b_lead, long long b_step, const type *beta, type *c, int c_lead,  \
        long long c_step, int count);
#include "api/cublas_typed_rows.h"

#define NCCL_ROW(base, since, parameters, arguments)                          \
    ncclResult_t base parameters;
#include "api/nccl_rows.h"

const char *ncclGetErrorString(ncclResult_t result);
const char *ncclGetLastError(ncclComm_t comm);
const char *nvrtcGetErrorString(nvrtcResult result);

#ifdef __cplusplus
}
#endif

#endif
