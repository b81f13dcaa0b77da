/* copy_error.h - exceptions of copies and fills that the driver refused.
 *
 * Called with the GIL after the driver call, by memory.c. An int result is 0,
 * or -1 with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_COPY_ERROR_H
#define PYCUDA_CORE_MEMORY_COPY_ERROR_H

#include "core/core.h"

/* Raise the exception for the error `code` of the driver function `routine`,
 * which copied or filled `bytes` bytes, and return -1. If the driver refused
 * the range, the message states how many bytes the memory has.
 * core_copy_fail_both is for copies from device to device: the message is
 * about the operand that has fewer bytes left in its allocation. */
int core_copy_fail(CUresult code, const char *routine, CUdeviceptr pointer,
                   size_t bytes);
int core_copy_fail_both(CUresult code, const char *routine, CUdeviceptr target,
                        CUdeviceptr source, size_t bytes);

/* Calls core_copy_fail if `code` is an error; otherwise returns 0. */
static inline int
core_copy_check(CUresult code, const char *routine, CUdeviceptr pointer,
                size_t bytes)
{
    return LIKELY(code == CUDA_SUCCESS)
               ? 0
               : core_copy_fail(code, routine, pointer, bytes);
}

/* Calls core_copy_fail_both if `code` is an error; otherwise returns 0. */
static inline int
core_copy_check_both(CUresult code, const char *routine, CUdeviceptr target,
                     CUdeviceptr source, size_t bytes)
{
    return LIKELY(code == CUDA_SUCCESS)
               ? 0
               : core_copy_fail_both(code, routine, target, source, bytes);
}

#endif
