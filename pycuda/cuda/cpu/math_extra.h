/* math_extra.h - CUDA functions that the C library lacks.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_EXTRA(T, F)                                                  \
    __pycuda_both T rhypot##F(T x, T y)                                       \
    {                                                                         \
        return (T)1 / hypot##F(x, y);                                         \
    }                                                                         \
    __pycuda_both T norm3d##F(T x, T y, T z)                                  \
    {                                                                         \
        return hypot##F(hypot##F(x, y), z);                                   \
    }                                                                         \
    __pycuda_both T norm4d##F(T x, T y, T z, T w)                             \
    {                                                                         \
        return hypot##F(hypot##F(x, y), hypot##F(z, w));                      \
    }                                                                         \
    __pycuda_both T rnorm3d##F(T x, T y, T z)                                 \
    {                                                                         \
        return (T)1 / norm3d##F(x, y, z);                                     \
    }                                                                         \
    __pycuda_both T rnorm4d##F(T x, T y, T z, T w)                            \
    {                                                                         \
        return (T)1 / norm4d##F(x, y, z, w);                                  \
    }                                                                         \
    __pycuda_both T norm##F(int n, const T *v)                                \
    {                                                                         \
        T sum = 0;                                                            \
        for (int i = 0; i < n; i++) {                                         \
            sum = hypot##F(sum, v[i]);                                        \
        }                                                                     \
        return sum;                                                           \
    }                                                                         \
    __pycuda_both T rnorm##F(int n, const T *v)                               \
    {                                                                         \
        return (T)1 / norm##F(n, v);                                          \
    }                                                                         \
    __pycuda_both T erfinv##F(T y)                                            \
    {                                                                         \
        __PYCUDA_EXACT                                                        \
        double a = fabs(y);                                                   \
        if (!(a < 1)) {                                                       \
            return a == 1 ? (T)(y * __builtin_inf()) : (T)__builtin_nan("");  \
        }                                                                     \
        double l = log1p(-a * a);                                             \
        double h = 4.3307467508 + l * 0.5;                                    \
        double x = sqrt(sqrt(h * h - l * 6.8027516408) - h);                  \
        x = a < 0.25 ? a * 0.88622692545275801365 : x;                        \
        for (int i = 0; i < 4; i++) {                                         \
            double miss = a < 0.5 ? erf(x) - a : (1 - a) - erfc(x);           \
            double step = miss * 0.88622692545275801365 * exp(x * x);         \
            x -= step / (1 + x * step);                                       \
        }                                                                     \
        return (T)copysign(x, (double)y);                                     \
    }                                                                         \
    __pycuda_both T erfcinv##F(T y)                                           \
    {                                                                         \
        __PYCUDA_EXACT                                                        \
        if (!(y > 0 && y < 2)) {                                              \
            return y == 0   ? (T)__builtin_inf()                              \
                   : y == 2 ? -(T)__builtin_inf()                             \
                            : (T)__builtin_nan("");                           \
        }                                                                     \
        if (y > (T)0.5 && y < (T)1.5) {                                       \
            return erfinv##F((T)1 - y);                                       \
        }                                                                     \
        double q = y > 1 ? 2 - (double)y : (double)y;                         \
        double l = -log(q);                                                   \
        double x = sqrt(fmax(l - 0.5 * log(l + 1) - 0.5723649429, 0.2));      \
        for (int i = 0; i < 6; i++) {                                         \
            double step = (q - erfc(x)) * 0.88622692545275801365 *            \
                          exp(x * x);                                         \
            x -= step / (1 + x * step);                                       \
        }                                                                     \
        return (T)(y > 1 ? -x : x);                                           \
    }                                                                         \
    __pycuda_both T normcdfinv##F(T y)                                        \
    {                                                                         \
        return 0 - (T)1.41421356237309504880 * erfcinv##F(2 * y);             \
    }
__PYCUDA_EXTRA(float, f)
__PYCUDA_EXTRA(double, )
#undef __PYCUDA_EXTRA
