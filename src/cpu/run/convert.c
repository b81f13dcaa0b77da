/* convert.c - conversions of rare arguments, such as values outside the range
 * of the result, which kernels call on their slow path. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "image/abi.h"

int64_t __pycuda_to_long(double value);
int64_t __pycuda_to_longf(float value);

int64_t
__pycuda_to_long(double value)
{
    double near = rint(value);

    if (near >= 0x1p63) {
        return INT64_MAX;
    }
    return near >= -0x1p63 ? (int64_t)near : INT64_MIN;
}

int64_t
__pycuda_to_longf(float value)
{
    return __pycuda_to_long(value);
}
