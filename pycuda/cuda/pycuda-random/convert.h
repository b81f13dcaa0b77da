/* convert.h - converts random words to uniform numbers in (0, 1].
 *
 * A word is multiplied by a power of two, and an offset is added. Factor and
 * offset are those of cuRAND, so that the numbers have the same bits as
 * cuRAND's.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"

/* Each word stands for an interval of (0, 1]. The result is the middle of the
 * interval; for a double made of 32 bits, it is the interval's end. A float
 * uses the upper half of a 64-bit word. */
__pycuda_fn float
_curand_uniform(unsigned int x)
{
    return fmaf((float)x, 2.3283064365386963e-10f, 1.1641532182693481e-10f);
}
__pycuda_fn float
_curand_uniform(unsigned long long x)
{
    return _curand_uniform((unsigned int)(x >> 32));
}
__pycuda_fn float4
_curand_uniform4(uint4 x)
{
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y),
                       _curand_uniform(x.z), _curand_uniform(x.w));
}
__pycuda_fn double
_curand_uniform_double(unsigned int x)
{
    return fma((double)x, 2.3283064365386963e-10, 2.3283064365386963e-10);
}
__pycuda_fn double
_curand_uniform_double(unsigned long long x)
{
    return fma((double)(x >> 11), 1.1102230246251565e-16,
               5.551115123125783e-17);
}
/* Return doubles that are less than 1, also for the largest word. */
__pycuda_fn double
_curand_uniform_double_excluding_one(unsigned int x)
{
    return fma((double)x, 2.3283064365386963e-10, 1.1641532182693481e-10);
}
__pycuda_fn double
_curand_uniform_double_excluding_one(unsigned long long x)
{
    return fma((double)(x >> 11), 1.1102230246251565e-16,
               2.7755575615628914e-17);
}
__pycuda_fn double
_curand_uniform_double_hq(unsigned int low, unsigned int high)
{
    unsigned long long bits = (unsigned long long)high << 21 ^ low;
#ifdef __PYCUDA_CPU__
    double number = (double)bits;
#else
    /* On a GPU, an addition is four times as fast as a conversion to double.
     * So the code inserts the upper half of the word into the last bits of the
     * double 2^84, and the lower half into those of 2^52, and adds. */
    double number =
        __hiloint2double(0x45300000, (int)(bits >> 32)) - 0x1.00000001p84;
    number += __hiloint2double(0x43300000, (int)bits);
#endif
    return fma(number, 1.1102230246251565e-16, 5.551115123125783e-17);
}
