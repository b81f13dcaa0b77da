/* unsupported.c - NVRTC functions for features that this compiler does not
 * have.
 *
 * These are OptiX code, which exists for GPUs only, and the heap for
 * precompiled headers. Each function returns the result that NVRTC returns if
 * the program was compiled without the feature. Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stddef.h>

#include "api/nvrtc_types.h"

#define NVRTC_API __attribute__((visibility("default")))
#define NVRTC_ROW(base, symbol, since, parameters, arguments)                 \
    NVRTC_API nvrtcResult symbol parameters;
#include "api/nvrtc_rows.h"

/* Value of nvrtcSetPCHHeapSize; read by nvrtcGetPCHHeapSize only. */
static atomic_size_t heap_bytes = 256u << 20;

nvrtcResult
nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *bytes)
{
    (void)program;
    (void)bytes;
    return NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult
nvrtcGetOptiXIR(nvrtcProgram program, char *optixir)
{
    (void)program;
    (void)optixir;
    return NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult
nvrtcGetPCHHeapSize(size_t *bytes)
{
    if (bytes == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *bytes = heap_bytes;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcSetPCHHeapSize(size_t bytes)
{
    heap_bytes = bytes;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *bytes)
{
    (void)program;
    (void)bytes;
    return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
}
