/* pycuda_cpu.h - CUDA driver API, NVRTC and cuBLAS GEMM for C programs that
 * use the CPU device directly: link with -lpycuda_cpu.
 *
 * Installed for users (docs/cpu-library.md). Types, constants and functions
 * have CUDA's own names; no CUDA toolkit is needed. Each function has the
 * newest signature that the library supports, whatever the name of its symbol.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_H
#define PYCUDA_CPU_H

#include "api/cublas_rows.h"
#include "api/cuda_types.h"
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

const char *nvrtcGetErrorString(nvrtcResult result);

#ifdef __cplusplus
}
#endif

#endif
