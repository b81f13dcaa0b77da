/* pycuda_cpu.h - the CUDA driver API, NVRTC and cuBLAS's matrix products for C
 * programs that use the CPU device directly: link with -lpycuda_cpu.
 *
 * Installed for users (docs/cpu-library.md).  Types, constants and functions
 * have CUDA's own names, without a CUDA toolkit; each function is the newest
 * form that the library has, whatever its symbol is called.
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
