/* math_extra.h - functions that CUDA has and the C library lacks.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_DOUBLE_EXTRA(T, F)                                           \
    __pycuda_both T rsqrt##F(T x)                                             \
    {                                                                         \
        return (T)1 / sqrt##F(x);                                             \
    }                                                                         \
    __pycuda_both T rcbrt##F(T x)                                             \
    {                                                                         \
        return (T)1 / cbrt##F(x);                                             \
    }                                                                         \
    /* sin(pi x), cos(pi x): x is reduced exactly, to at most 1/4. */         \
    __pycuda_both T sinpi##F(T x)                                             \
    {                                                                         \
        T twice = rint##F(x * 2);                                             \
        T rest = (x - twice * (T)0.5) * (T)3.14159265358979323846;            \
        long quarter = (long)(twice - floor##F(twice * (T)0.25) * 4) & 3;     \
        T value = quarter & 1 ? cos##F(rest) : sin##F(rest);                  \
        return quarter & 2 ? -value : value;                                  \
    }                                                                         \
    __pycuda_both T cospi##F(T x)                                             \
    {                                                                         \
        T twice = rint##F(x * 2);                                             \
        T rest = (x - twice * (T)0.5) * (T)3.14159265358979323846;            \
        long quarter = (long)(twice - floor##F(twice * (T)0.25) * 4) & 3;     \
        T value = quarter & 1 ? sin##F(rest) : cos##F(rest);                  \
        return quarter == 1 || quarter == 2 ? -value : value;                 \
    }                                                                         \
    __pycuda_both void sincos##F(T x, T *sine, T *cosine)                     \
    {                                                                         \
        *sine = sin##F(x);                                                    \
        *cosine = cos##F(x);                                                  \
    }                                                                         \
    __pycuda_both void sincospi##F(T x, T *sine, T *cosine)                   \
    {                                                                         \
        *sine = sinpi##F(x);                                                  \
        *cosine = cospi##F(x);                                                \
    }                                                                         \
    /* The normal distribution, and the inverses of erf and erfc: a first     \
     * guess by Winitzki, then Newton steps with Halley's correction. */      \
    /* erfc(-x / sqrt(2)) / 2, corrected for what the argument loses. */      \
    __pycuda_both T normcdf##F(T x)                                           \
    {                                                                         \
        const double half_root = 0.70710678118654757;                         \
        const double rest = -4.8336466567e-17;                                \
        double t = -half_root * x;                                            \
        double lost = -fma(half_root, (double)x, t) - rest * x;               \
        double slope = 1.12837916709551257390 * exp(-t * t);                  \
        return (T)(0.5 * (erfc(t) - slope * lost));                           \
    }                                                                         \
    __pycuda_both T erfcx##F(T x)                                             \
    {                                                                         \
        if (x < 10) {                                                         \
            return (T)(exp((double)x * x) * erfc((double)x));                 \
        }                                                                     \
        double r = 1 / (2.0 * x * x);                                         \
        double series = 1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r)));      \
        return (T)(0.56418958354775628695 / x * series);                      \
    }
__PYCUDA_DOUBLE_EXTRA(double, )
#undef __PYCUDA_DOUBLE_EXTRA

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
        double a = fabs(y);                                                   \
        if (!(a < 1)) {                                                       \
            return a == 1 ? (T)(y * __builtin_inf()) : (T)__builtin_nan("");  \
        }                                                                     \
        double l = log1p(-a * a);                                             \
        double h = 4.3307467508 + l * 0.5;                                    \
        double x = sqrt(sqrt(h * h - l * 6.8027516408) - h);                  \
        for (int i = 0; i < 3 && x > 0; i++) {                                \
            double miss = a < 0.5 ? erf(x) - a : (1 - a) - erfc(x);           \
            double step = miss * 0.88622692545275801365 * exp(x * x);         \
            x -= step / (1 + x * step);                                       \
        }                                                                     \
        return (T)copysign(x, (double)y);                                     \
    }                                                                         \
    __pycuda_both T erfcinv##F(T y)                                           \
    {                                                                         \
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
        return (T)-1.41421356237309504880 * erfcinv##F(2 * y);                \
    }
__PYCUDA_EXTRA(float, f)
__PYCUDA_EXTRA(double, )
#undef __PYCUDA_EXTRA
