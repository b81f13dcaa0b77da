/* pairs.h - conversion of two numbers in one call, for each source type.
 *
 * Used by the headers of the formats. __PYCUDA_PAIR_TO_NARROW defines a
 * function NAME, which calls the function ONE for each of the two numbers.
 * MODES are further parameters of both functions, and ARGUMENTS their names.
 * The first number is stored in the lowest bits of the result.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_LIST(...) __VA_ARGS__
#define __PYCUDA_PAIR_TO_NARROW(NAME, STORE, WIDTH, PAIR, ONE, X, Y, MODES,   \
                                ARGUMENTS)                                    \
    __pycuda_both STORE NAME(PAIR v, __PYCUDA_LIST MODES)                     \
    {                                                                         \
        return (STORE)(ONE(X, __PYCUDA_LIST ARGUMENTS) |                      \
                       ONE(Y, __PYCUDA_LIST ARGUMENTS) << WIDTH);             \
    }
