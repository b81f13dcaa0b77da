/* complex.c - complex functions for rare arguments: infinities, NaNs and
 * values near the limits of the exponent range.
 *
 * SPDX-License-Identifier: MIT */
#include <complex.h>

#include "image/symbols.h"

#define PARTS(NAME, TYPE, SUFFIX, MAKE)                                       \
    TYPE __pycuda_##NAME##SUFFIX##_re(TYPE re, TYPE im);                      \
    TYPE __pycuda_##NAME##SUFFIX##_im(TYPE re, TYPE im);                      \
    TYPE __pycuda_##NAME##SUFFIX##_re(TYPE re, TYPE im)                       \
    {                                                                         \
        return creal##SUFFIX(NAME##SUFFIX(MAKE(re, im)));                     \
    }                                                                         \
    TYPE __pycuda_##NAME##SUFFIX##_im(TYPE re, TYPE im)                       \
    {                                                                         \
        return cimag##SUFFIX(NAME##SUFFIX(MAKE(re, im)));                     \
    }
#define ROW(NAME)                                                             \
    PARTS(NAME, float, f, CMPLXF)                                             \
    PARTS(NAME, double, , CMPLX)
IMAGE_COMPLEX(ROW)
