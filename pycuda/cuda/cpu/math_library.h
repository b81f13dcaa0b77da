/* math_library.h - the C library's mathematics: sinf, sin, fmaf, ...
 *
 * The functions are declared as pure, so that clang turns those it knows into
 * intrinsics and pycuda-jit may move the calls. The device's library is the
 * host's libm, whose errors are within CUDA's bounds.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_LIBM __host__ __device__

extern "C" {
#define __PYCUDA_LIBM1(NAME)                                                  \
    __PYCUDA_LIBM float NAME##f(float) __PYCUDA_CONST;                        \
    __PYCUDA_LIBM double NAME(double) __PYCUDA_CONST;
#define __PYCUDA_DOUBLE1(NAME)                                                \
    __PYCUDA_LIBM double NAME(double) __PYCUDA_CONST;
#define __PYCUDA_DOUBLE2(NAME)                                                \
    __PYCUDA_LIBM double NAME(double, double) __PYCUDA_CONST;
#define __PYCUDA_LIBM2(NAME)                                                  \
    __PYCUDA_LIBM float NAME##f(float, float) __PYCUDA_CONST;                 \
    __PYCUDA_LIBM double NAME(double, double) __PYCUDA_CONST;
__PYCUDA_DOUBLE1(logb)
__PYCUDA_LIBM1(sqrt)
__PYCUDA_LIBM1(fabs)
__PYCUDA_LIBM1(floor)
__PYCUDA_LIBM1(ceil)
__PYCUDA_LIBM1(trunc)
__PYCUDA_LIBM1(round)
__PYCUDA_LIBM1(rint)
__PYCUDA_LIBM1(nearbyint)
__PYCUDA_LIBM1(tgamma)
__PYCUDA_LIBM1(lgamma)
#define __PYCUDA_FLOAT1(NAME)                                                 \
    __PYCUDA_LIBM float NAME##f(float) __PYCUDA_CONST;
__PYCUDA_FLOAT1(j0)
__PYCUDA_FLOAT1(j1)
__PYCUDA_FLOAT1(y0)
__PYCUDA_FLOAT1(y1)
#undef __PYCUDA_FLOAT1
__PYCUDA_DOUBLE2(fmod)
__PYCUDA_DOUBLE2(remainder)
__PYCUDA_LIBM2(copysign)
__PYCUDA_LIBM2(fmin)
__PYCUDA_LIBM2(fmax)
__PYCUDA_DOUBLE2(nextafter)
#undef __PYCUDA_LIBM1
#undef __PYCUDA_LIBM2
#undef __PYCUDA_DOUBLE1
#undef __PYCUDA_DOUBLE2

__PYCUDA_LIBM float fmaf(float, float, float) __PYCUDA_CONST;
__PYCUDA_LIBM double fma(double, double, double) __PYCUDA_CONST;
__PYCUDA_LIBM double ldexp(double, int) __PYCUDA_CONST;
__PYCUDA_LIBM double scalbn(double, int) __PYCUDA_CONST;
__PYCUDA_LIBM double scalbln(double, long) __PYCUDA_CONST;
__PYCUDA_LIBM int ilogb(double) __PYCUDA_CONST;
__PYCUDA_LIBM float jnf(int, float) __PYCUDA_CONST;
__PYCUDA_LIBM double jn(int, double) __PYCUDA_CONST;
__PYCUDA_LIBM float ynf(int, float) __PYCUDA_CONST;
__PYCUDA_LIBM double yn(int, double) __PYCUDA_CONST;
__PYCUDA_LIBM double frexp(double, int *);
__PYCUDA_LIBM double modf(double, double *);
__PYCUDA_LIBM float remquof(float, float, int *);
__PYCUDA_LIBM double remquo(double, double, int *);
}

__pycuda_both float
nanf(const char *)
{
    return __builtin_nanf("");
}
__pycuda_both double
nan(const char *)
{
    return __builtin_nan("");
}
