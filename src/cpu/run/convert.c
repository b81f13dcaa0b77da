/* convert.c - conversions of rare arguments, which kernels call.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "image/abi.h"

int64_t __pycuda_to_long(double value);

/* Numbers of 2^51 and more: math_library.h converts smaller ones inline. */
int64_t
__pycuda_to_long(double value)
{
    double near = rint(value);

    if (near >= 0x1p63) {
        return INT64_MAX;
    }
    return near >= -0x1p63 ? (int64_t)near : INT64_MIN;
}
