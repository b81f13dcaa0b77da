/* math_library.h - the C library's mathematics: sinf, sin, fmaf, ...
 *
 * Declared as pure, so that clang makes intrinsics of what it knows and
 * pycuda-jit is free to move the calls.  The device's library is the host's
 * libm, whose errors are within CUDA's bounds.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_LIBM __host__ __device__

extern "C" {
#define __PYCUDA_LIBM1(NAME)                                                  \
    __PYCUDA_LIBM float NAME##f(float) __PYCUDA_CONST;                        \
    __PYCUDA_LIBM double NAME(double) __PYCUDA_CONST;
#define __PYCUDA_LIBM2(NAME)                                                  \
    __PYCUDA_LIBM float NAME##f(float, float) __PYCUDA_CONST;                 \
    __PYCUDA_LIBM double NAME(double, double) __PYCUDA_CONST;
__PYCUDA_LIBM1(sin)
__PYCUDA_LIBM1(cos)
__PYCUDA_LIBM1(tan)
__PYCUDA_LIBM1(asin)
__PYCUDA_LIBM1(acos)
__PYCUDA_LIBM1(atan)
__PYCUDA_LIBM1(sinh)
__PYCUDA_LIBM1(cosh)
__PYCUDA_LIBM1(tanh)
__PYCUDA_LIBM1(asinh)
__PYCUDA_LIBM1(acosh)
__PYCUDA_LIBM1(atanh)
__PYCUDA_LIBM1(exp)
__PYCUDA_LIBM1(exp2)
__PYCUDA_LIBM1(exp10)
__PYCUDA_LIBM1(expm1)
__PYCUDA_LIBM1(log)
__PYCUDA_LIBM1(log2)
__PYCUDA_LIBM1(log10)
__PYCUDA_LIBM1(log1p)
__PYCUDA_LIBM1(logb)
__PYCUDA_LIBM1(sqrt)
__PYCUDA_LIBM1(cbrt)
__PYCUDA_LIBM1(fabs)
__PYCUDA_LIBM1(floor)
__PYCUDA_LIBM1(ceil)
__PYCUDA_LIBM1(trunc)
__PYCUDA_LIBM1(round)
__PYCUDA_LIBM1(rint)
__PYCUDA_LIBM1(nearbyint)
__PYCUDA_LIBM1(erf)
__PYCUDA_LIBM1(erfc)
__PYCUDA_LIBM1(tgamma)
__PYCUDA_LIBM1(lgamma)
__PYCUDA_LIBM1(j0)
__PYCUDA_LIBM1(j1)
__PYCUDA_LIBM1(y0)
__PYCUDA_LIBM1(y1)
__PYCUDA_LIBM2(pow)
__PYCUDA_LIBM2(atan2)
__PYCUDA_LIBM2(fmod)
__PYCUDA_LIBM2(remainder)
__PYCUDA_LIBM2(hypot)
__PYCUDA_LIBM2(copysign)
__PYCUDA_LIBM2(fmin)
__PYCUDA_LIBM2(fmax)
__PYCUDA_LIBM2(fdim)
__PYCUDA_LIBM2(nextafter)
#undef __PYCUDA_LIBM1
#undef __PYCUDA_LIBM2

__PYCUDA_LIBM float fmaf(float, float, float) __PYCUDA_CONST;
__PYCUDA_LIBM double fma(double, double, double) __PYCUDA_CONST;
__PYCUDA_LIBM float ldexpf(float, int) __PYCUDA_CONST;
__PYCUDA_LIBM double ldexp(double, int) __PYCUDA_CONST;
__PYCUDA_LIBM float scalbnf(float, int) __PYCUDA_CONST;
__PYCUDA_LIBM double scalbn(double, int) __PYCUDA_CONST;
__PYCUDA_LIBM float scalblnf(float, long) __PYCUDA_CONST;
__PYCUDA_LIBM double scalbln(double, long) __PYCUDA_CONST;
__PYCUDA_LIBM int ilogbf(float) __PYCUDA_CONST;
__PYCUDA_LIBM int ilogb(double) __PYCUDA_CONST;
__PYCUDA_LIBM float jnf(int, float) __PYCUDA_CONST;
__PYCUDA_LIBM double jn(int, double) __PYCUDA_CONST;
__PYCUDA_LIBM float ynf(int, float) __PYCUDA_CONST;
__PYCUDA_LIBM double yn(int, double) __PYCUDA_CONST;
__PYCUDA_LIBM long lrintf(float) __PYCUDA_CONST;
__PYCUDA_LIBM long lrint(double) __PYCUDA_CONST;
__PYCUDA_LIBM long lroundf(float) __PYCUDA_CONST;
__PYCUDA_LIBM long lround(double) __PYCUDA_CONST;
__PYCUDA_LIBM long long llrintf(float) __PYCUDA_CONST;
__PYCUDA_LIBM long long llrint(double) __PYCUDA_CONST;
__PYCUDA_LIBM long long llroundf(float) __PYCUDA_CONST;
__PYCUDA_LIBM long long llround(double) __PYCUDA_CONST;
__PYCUDA_LIBM float frexpf(float, int *);
__PYCUDA_LIBM double frexp(double, int *);
__PYCUDA_LIBM float modff(float, float *);
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

/* Functions that CUDA has and the C library lacks, in float and double. */
#define __PYCUDA_EXTRA(T, F)                                                  \
    __pycuda_both T rsqrt##F(T x)                                             \
    {                                                                         \
        return (T)1 / sqrt##F(x);                                             \
    }                                                                         \
    __pycuda_both T rcbrt##F(T x)                                             \
    {                                                                         \
        return (T)1 / cbrt##F(x);                                             \
    }                                                                         \
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
__PYCUDA_EXTRA(float, f)
__PYCUDA_EXTRA(double, )
#undef __PYCUDA_EXTRA
