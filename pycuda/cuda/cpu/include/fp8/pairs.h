/* pairs.h - conversion of two numbers in one call, for each source type.
 *
 * Used by the headers of the formats. __PYCUDA_PAIR_TO_NARROW defines one
 * function from the function ONE for a single number; MODES are its further
 * parameters and ARGUMENTS their names. The first number has the lowest bits.
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
