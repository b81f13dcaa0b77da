/* math_bessel.h - Bessel functions of double, orders 0 and 1.
 *
 * They are the C library's functions, whose absolute errors are small, except
 * near the zeros below 8, where these errors are not small relative to the
 * result. There f(z + t) = t P(t), with the zero z in two parts. math_parts.h
 * describes the conventions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C" {
#define __PYCUDA_BESSEL(NAME)                                                 \
    __PYCUDA_LIBM double __pycuda_library_##NAME(double) __asm__(#NAME)       \
        __PYCUDA_CONST;
__PYCUDA_BESSEL(j0)
__PYCUDA_BESSEL(j1)
__PYCUDA_BESSEL(y0)
__PYCUDA_BESSEL(y1)
#undef __PYCUDA_BESSEL
}

/* Evaluates P if x is within `reach` of a zero; returns y otherwise. */
#define __PYCUDA_NEAR_ZERO(x, y, zero, low, reach, P)                         \
    double t_##P = ((x) - (zero)) - (low);                                    \
    (y) = __builtin_fabs(t_##P) < (reach) ? t_##P * __PYCUDA_##P(t_##P) : (y);

__pycuda_both double
j0(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), y = __pycuda_library_j0(x);
    __PYCUDA_NEAR_ZERO(a, y, 0x1.33d152e971b40p+1, -0x1.0f539d7da258ep-53,
                       0.55, J0_1)
    __PYCUDA_NEAR_ZERO(a, y, 0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54, 0.55,
                       J0_2)
    return y;
}
__pycuda_both double
j1(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), y = __pycuda_library_j1(a);
    __PYCUDA_NEAR_ZERO(a, y, 0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53,
                       0.55, J1_1)
    __PYCUDA_NEAR_ZERO(a, y, 0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54,
                       0.55, J1_2)
    return __builtin_copysign(1.0, x) * y;
}
__pycuda_both double
y0(double x)
{
    __PYCUDA_EXACT
    double y = __pycuda_library_y0(x);
    __PYCUDA_NEAR_ZERO(x, y, 0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56, 0.3,
                       Y0_1)
    __PYCUDA_NEAR_ZERO(x, y, 0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54,
                       0.55, Y0_2)
    __PYCUDA_NEAR_ZERO(x, y, 0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54,
                       0.55, Y0_3)
    return y;
}
__pycuda_both double
y1(double x)
{
    __PYCUDA_EXACT
    double y = __pycuda_library_y1(x);
    __PYCUDA_NEAR_ZERO(x, y, 0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55, 0.5,
                       Y1_1)
    __PYCUDA_NEAR_ZERO(x, y, 0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52, 0.55,
                       Y1_2)
    return y;
}
#undef __PYCUDA_NEAR_ZERO
