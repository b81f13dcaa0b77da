/* output.h - printf and assert.
 *
 * clang packs printf's arguments into a buffer and calls vprintf with it;
 * pycuda-jit renames that to __pycuda_vprintf.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C" __host__ __device__ int printf(const char *format, ...);

#define __pycuda_assert(expression)                                           \
    ((expression) ? (void)0                                                   \
                  : __pycuda_assert_fail(#expression, __FILE__, __LINE__,     \
                                         __PRETTY_FUNCTION__))
/* The front end redefines assert for -DNDEBUG. */
#define assert(expression) __pycuda_assert(expression)
