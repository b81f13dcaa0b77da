/* math_fast.h - __sinf, __fdividef and the other fast, less accurate
 * functions.
 *
 * Here they are the accurate functions, which cost hardly more. Only __powf
 * follows CUDA's definition, which makes it four times as fast as powf.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_FAST(NAME)                                                   \
    __pycuda_both float __##NAME(float x)                                     \
    {                                                                         \
        return NAME(x);                                                       \
    }
__PYCUDA_FAST(sinf)
__PYCUDA_FAST(cosf)
__PYCUDA_FAST(tanf)
__PYCUDA_FAST(expf)
__PYCUDA_FAST(exp10f)
__PYCUDA_FAST(logf)
__PYCUDA_FAST(log2f)
__PYCUDA_FAST(log10f)
__PYCUDA_FAST(tanhf)
#undef __PYCUDA_FAST

__pycuda_both float
__powf(float x, float y)
{
    /* x^y is computed by the logarithm of x, so it is NaN for x < 0. */
    __PYCUDA_EXACT
    if (__builtin_constant_p(y) && (y == 2.0f || y == 3.0f)) {
        float square = x * x;
        return x < 0.0f     ? __PYCUDA_NAN
               : y == 2.0f ? square
                           : __builtin_fabsf(square * x);
    }
    return exp2f(y * log2f(x));
}
__pycuda_both void
__sincosf(float x, float *sine, float *cosine)
{
    sincosf(x, sine, cosine);
}
__pycuda_both float
__fdividef(float x, float y)
{
    return x / y;
}
__pycuda_both float
fdividef(float x, float y)
{
    return x / y;
}
__pycuda_both double
fdivide(double x, double y)
{
    return x / y;
}
__pycuda_both float
__saturatef(float x)
{
    return fminf(fmaxf(x, 0.0f), 1.0f);
}
