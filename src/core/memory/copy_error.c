/* copy_error.c - exceptions of copies and fills that the driver refused.
 *
 * SPDX-License-Identifier: MIT */
#include "core/memory/copy_error.h"
#include "core/context/stack.h"
#include "core/memory/allocation.h"
#include "core/memory/peer_memory.h"

#include <stdio.h>

/* Returns the number of bytes from an address to the end of its allocation; 0
 * if the address is in no allocation. */
static size_t
allocation_bytes_left(CUdeviceptr pointer)
{
    CUdeviceptr base;
    size_t size;
    return driver.cuMemGetAddressRange(&base, &size, pointer) == CUDA_SUCCESS
               ? size - (size_t)(pointer - base)
               : 0;
}

int
core_copy_fail(CUresult code, const char *routine, CUdeviceptr pointer,
               size_t bytes)
{
    char detail[320];
    if (code != CUDA_ERROR_INVALID_VALUE || core_stack_top() == NULL) {
        return core_check(code, routine);
    }
    if (core_foreign_explain(pointer, "operation", detail, sizeof detail)) {
        return core_fail(code, routine, detail);
    }
    size_t left = allocation_bytes_left(pointer);
    if (bytes <= left) {
        return core_check(code, routine);
    }
    if (left == 0) {
        snprintf(detail, sizeof detail,
                 "%zu bytes, but there is no device memory at 0x%llx", bytes,
                 (unsigned long long)pointer);
    } else {
        snprintf(detail, sizeof detail,
                 "%zu bytes, but the device memory ends after %zu", bytes,
                 left);
    }
    return core_fail(code, routine, detail);
}

int
core_copy_fail_both(CUresult code, const char *routine, CUdeviceptr target,
                    CUdeviceptr source, size_t bytes)
{
    if (allocation_bytes_left(source) < allocation_bytes_left(target)) {
        return core_copy_fail(code, routine, source, bytes);
    }
    return core_copy_fail(code, routine, target, bytes);
}
