/* pch_heap.c - the NVRTC functions about the heap for precompiled headers.
 *
 * This compiler has no such heap: pch.c keeps precompiled headers in files. A
 * heap size that a program sets, rounded up to whole pages, has no effect
 * except that the program can query it. The size that a compilation reports as
 * needed is that of the file with the precompiled header. Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/pch_heap.h"
#include "cpu/nvrtc/program.h"

#define NVRTC_API __attribute__((visibility("default")))
#define NVRTC_ROW(base, symbol, since, parameters, arguments)                 \
    NVRTC_API nvrtcResult symbol parameters;
#include "api/nvrtc_rows.h"

/* Value of nvrtcSetPCHHeapSize; read by nvrtcGetPCHHeapSize only. */
static atomic_size_t heap_bytes = 256u << 20;

size_t
nvrtc_pch_heap_pages(size_t bytes)
{
    enum { PAGE = 4096 };
    size_t last = bytes % PAGE;

    return last && bytes <= SIZE_MAX - PAGE ? bytes + (PAGE - last) : bytes;
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
    heap_bytes = nvrtc_pch_heap_pages(bytes);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *bytes)
{
    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (bytes == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *bytes = program->pch_bytes;
    return NVRTC_SUCCESS;
}
