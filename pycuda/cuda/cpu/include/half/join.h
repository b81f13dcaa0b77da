/* join.h - macros that concatenate the parts of a name.
 *
 * Macros among the parts are expanded first.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_JOIN2(a, b)       a##b
#define __PYCUDA_JOIN(a, b)        __PYCUDA_JOIN2(a, b)
#define __PYCUDA_JOIN3(a, b, c)    __PYCUDA_JOIN(__PYCUDA_JOIN(a, b), c)
#define __PYCUDA_JOIN4(a, b, c, d) __PYCUDA_JOIN(__PYCUDA_JOIN3(a, b, c), d)
#define __PYCUDA_JOIN5(a, b, c, d, e)                                         \
    __PYCUDA_JOIN(__PYCUDA_JOIN4(a, b, c, d), e)
