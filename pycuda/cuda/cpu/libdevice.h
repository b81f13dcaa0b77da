/* libdevice.h - the functions of NVIDIA's bitcode library, such as __nv_sinf.
 *
 * nvcc and NVRTC link them to sources that declare them in extern "C". Each
 * macro here defines one function, under another name with the symbol of the
 * library, so that it cannot conflict with the program's declaration. The
 * compiler writes the macros of the functions that a source names
 * (src/cpu/nvrtc/libdevice.c).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_NV(result, name, parameters, value)                          \
    extern "C" __device__ result __pycuda_libdevice_##name parameters __asm__(\
        "__nv_" #name);                                                       \
    extern "C" __attribute__((used, weak)) __device__ result                  \
        __pycuda_libdevice_##name parameters                                  \
    {                                                                         \
        return value;                                                         \
    }

/* clang-format off */
#define __pycuda_nv_acos __PYCUDA_NV(double, acos, (double a), acos(a))
#define __pycuda_nv_acosf __PYCUDA_NV(float, acosf, (float a), acosf(a))
#define __pycuda_nv_acosh __PYCUDA_NV(double, acosh, (double a), acosh(a))
#define __pycuda_nv_acoshf __PYCUDA_NV(float, acoshf, (float a), acoshf(a))
#define __pycuda_nv_asin __PYCUDA_NV(double, asin, (double a), asin(a))
#define __pycuda_nv_asinf __PYCUDA_NV(float, asinf, (float a), asinf(a))
#define __pycuda_nv_asinh __PYCUDA_NV(double, asinh, (double a), asinh(a))
#define __pycuda_nv_asinhf __PYCUDA_NV(float, asinhf, (float a), asinhf(a))
#define __pycuda_nv_atan __PYCUDA_NV(double, atan, (double a), atan(a))
#define __pycuda_nv_atanf __PYCUDA_NV(float, atanf, (float a), atanf(a))
#define __pycuda_nv_atanh __PYCUDA_NV(double, atanh, (double a), atanh(a))
#define __pycuda_nv_atanhf __PYCUDA_NV(float, atanhf, (float a), atanhf(a))
#define __pycuda_nv_cbrt __PYCUDA_NV(double, cbrt, (double a), cbrt(a))
#define __pycuda_nv_cbrtf __PYCUDA_NV(float, cbrtf, (float a), cbrtf(a))
#define __pycuda_nv_ceil __PYCUDA_NV(double, ceil, (double a), ceil(a))
#define __pycuda_nv_ceilf __PYCUDA_NV(float, ceilf, (float a), ceilf(a))
#define __pycuda_nv_cos __PYCUDA_NV(double, cos, (double a), cos(a))
#define __pycuda_nv_cosf __PYCUDA_NV(float, cosf, (float a), cosf(a))
#define __pycuda_nv_cosh __PYCUDA_NV(double, cosh, (double a), cosh(a))
#define __pycuda_nv_coshf __PYCUDA_NV(float, coshf, (float a), coshf(a))
#define __pycuda_nv_cospi __PYCUDA_NV(double, cospi, (double a), cospi(a))
#define __pycuda_nv_cospif __PYCUDA_NV(float, cospif, (float a), cospif(a))
#define __pycuda_nv_erf __PYCUDA_NV(double, erf, (double a), erf(a))
#define __pycuda_nv_erff __PYCUDA_NV(float, erff, (float a), erff(a))
#define __pycuda_nv_erfc __PYCUDA_NV(double, erfc, (double a), erfc(a))
#define __pycuda_nv_erfcf __PYCUDA_NV(float, erfcf, (float a), erfcf(a))
#define __pycuda_nv_erfcinv \
    __PYCUDA_NV(double, erfcinv, (double a), erfcinv(a))
#define __pycuda_nv_erfcinvf \
    __PYCUDA_NV(float, erfcinvf, (float a), erfcinvf(a))
#define __pycuda_nv_erfcx __PYCUDA_NV(double, erfcx, (double a), erfcx(a))
#define __pycuda_nv_erfcxf __PYCUDA_NV(float, erfcxf, (float a), erfcxf(a))
#define __pycuda_nv_erfinv __PYCUDA_NV(double, erfinv, (double a), erfinv(a))
#define __pycuda_nv_erfinvf __PYCUDA_NV(float, erfinvf, (float a), erfinvf(a))
#define __pycuda_nv_exp __PYCUDA_NV(double, exp, (double a), exp(a))
#define __pycuda_nv_expf __PYCUDA_NV(float, expf, (float a), expf(a))
#define __pycuda_nv_exp10 __PYCUDA_NV(double, exp10, (double a), exp10(a))
#define __pycuda_nv_exp10f __PYCUDA_NV(float, exp10f, (float a), exp10f(a))
#define __pycuda_nv_exp2 __PYCUDA_NV(double, exp2, (double a), exp2(a))
#define __pycuda_nv_exp2f __PYCUDA_NV(float, exp2f, (float a), exp2f(a))
#define __pycuda_nv_expm1 __PYCUDA_NV(double, expm1, (double a), expm1(a))
#define __pycuda_nv_expm1f __PYCUDA_NV(float, expm1f, (float a), expm1f(a))
#define __pycuda_nv_fabs __PYCUDA_NV(double, fabs, (double a), fabs(a))
#define __pycuda_nv_fabsf __PYCUDA_NV(float, fabsf, (float a), fabsf(a))
#define __pycuda_nv_floor __PYCUDA_NV(double, floor, (double a), floor(a))
#define __pycuda_nv_floorf __PYCUDA_NV(float, floorf, (float a), floorf(a))
#define __pycuda_nv_j0 __PYCUDA_NV(double, j0, (double a), j0(a))
#define __pycuda_nv_j0f __PYCUDA_NV(float, j0f, (float a), j0f(a))
#define __pycuda_nv_j1 __PYCUDA_NV(double, j1, (double a), j1(a))
#define __pycuda_nv_j1f __PYCUDA_NV(float, j1f, (float a), j1f(a))
#define __pycuda_nv_y0 __PYCUDA_NV(double, y0, (double a), y0(a))
#define __pycuda_nv_y0f __PYCUDA_NV(float, y0f, (float a), y0f(a))
#define __pycuda_nv_y1 __PYCUDA_NV(double, y1, (double a), y1(a))
#define __pycuda_nv_y1f __PYCUDA_NV(float, y1f, (float a), y1f(a))
#define __pycuda_nv_lgamma __PYCUDA_NV(double, lgamma, (double a), lgamma(a))
#define __pycuda_nv_lgammaf __PYCUDA_NV(float, lgammaf, (float a), lgammaf(a))
#define __pycuda_nv_log __PYCUDA_NV(double, log, (double a), log(a))
#define __pycuda_nv_logf __PYCUDA_NV(float, logf, (float a), logf(a))
#define __pycuda_nv_log10 __PYCUDA_NV(double, log10, (double a), log10(a))
#define __pycuda_nv_log10f __PYCUDA_NV(float, log10f, (float a), log10f(a))
#define __pycuda_nv_log1p __PYCUDA_NV(double, log1p, (double a), log1p(a))
#define __pycuda_nv_log1pf __PYCUDA_NV(float, log1pf, (float a), log1pf(a))
#define __pycuda_nv_log2 __PYCUDA_NV(double, log2, (double a), log2(a))
#define __pycuda_nv_log2f __PYCUDA_NV(float, log2f, (float a), log2f(a))
#define __pycuda_nv_logb __PYCUDA_NV(double, logb, (double a), logb(a))
#define __pycuda_nv_logbf __PYCUDA_NV(float, logbf, (float a), logbf(a))
#define __pycuda_nv_nearbyint \
    __PYCUDA_NV(double, nearbyint, (double a), nearbyint(a))
#define __pycuda_nv_nearbyintf \
    __PYCUDA_NV(float, nearbyintf, (float a), nearbyintf(a))
#define __pycuda_nv_normcdf \
    __PYCUDA_NV(double, normcdf, (double a), normcdf(a))
#define __pycuda_nv_normcdff \
    __PYCUDA_NV(float, normcdff, (float a), normcdff(a))
#define __pycuda_nv_normcdfinv \
    __PYCUDA_NV(double, normcdfinv, (double a), normcdfinv(a))
#define __pycuda_nv_normcdfinvf \
    __PYCUDA_NV(float, normcdfinvf, (float a), normcdfinvf(a))
#define __pycuda_nv_rcbrt __PYCUDA_NV(double, rcbrt, (double a), rcbrt(a))
#define __pycuda_nv_rcbrtf __PYCUDA_NV(float, rcbrtf, (float a), rcbrtf(a))
#define __pycuda_nv_rint __PYCUDA_NV(double, rint, (double a), rint(a))
#define __pycuda_nv_rintf __PYCUDA_NV(float, rintf, (float a), rintf(a))
#define __pycuda_nv_round __PYCUDA_NV(double, round, (double a), round(a))
#define __pycuda_nv_roundf __PYCUDA_NV(float, roundf, (float a), roundf(a))
#define __pycuda_nv_rsqrt __PYCUDA_NV(double, rsqrt, (double a), rsqrt(a))
#define __pycuda_nv_rsqrtf __PYCUDA_NV(float, rsqrtf, (float a), rsqrtf(a))
#define __pycuda_nv_sin __PYCUDA_NV(double, sin, (double a), sin(a))
#define __pycuda_nv_sinf __PYCUDA_NV(float, sinf, (float a), sinf(a))
#define __pycuda_nv_sinh __PYCUDA_NV(double, sinh, (double a), sinh(a))
#define __pycuda_nv_sinhf __PYCUDA_NV(float, sinhf, (float a), sinhf(a))
#define __pycuda_nv_sinpi __PYCUDA_NV(double, sinpi, (double a), sinpi(a))
#define __pycuda_nv_sinpif __PYCUDA_NV(float, sinpif, (float a), sinpif(a))
#define __pycuda_nv_sqrt __PYCUDA_NV(double, sqrt, (double a), sqrt(a))
#define __pycuda_nv_sqrtf __PYCUDA_NV(float, sqrtf, (float a), sqrtf(a))
#define __pycuda_nv_tan __PYCUDA_NV(double, tan, (double a), tan(a))
#define __pycuda_nv_tanf __PYCUDA_NV(float, tanf, (float a), tanf(a))
#define __pycuda_nv_tanh __PYCUDA_NV(double, tanh, (double a), tanh(a))
#define __pycuda_nv_tanhf __PYCUDA_NV(float, tanhf, (float a), tanhf(a))
#define __pycuda_nv_tgamma __PYCUDA_NV(double, tgamma, (double a), tgamma(a))
#define __pycuda_nv_tgammaf __PYCUDA_NV(float, tgammaf, (float a), tgammaf(a))
#define __pycuda_nv_trunc __PYCUDA_NV(double, trunc, (double a), trunc(a))
#define __pycuda_nv_truncf __PYCUDA_NV(float, truncf, (float a), truncf(a))
#define __pycuda_nv_cyl_bessel_i0 \
    __PYCUDA_NV(double, cyl_bessel_i0, (double a), cyl_bessel_i0(a))
#define __pycuda_nv_cyl_bessel_i0f \
    __PYCUDA_NV(float, cyl_bessel_i0f, (float a), cyl_bessel_i0f(a))
#define __pycuda_nv_cyl_bessel_i1 \
    __PYCUDA_NV(double, cyl_bessel_i1, (double a), cyl_bessel_i1(a))
#define __pycuda_nv_cyl_bessel_i1f \
    __PYCUDA_NV(float, cyl_bessel_i1f, (float a), cyl_bessel_i1f(a))
#define __pycuda_nv_atan2 \
    __PYCUDA_NV(double, atan2, (double a, double b), atan2(a, b))
#define __pycuda_nv_atan2f \
    __PYCUDA_NV(float, atan2f, (float a, float b), atan2f(a, b))
#define __pycuda_nv_copysign \
    __PYCUDA_NV(double, copysign, (double a, double b), copysign(a, b))
#define __pycuda_nv_copysignf \
    __PYCUDA_NV(float, copysignf, (float a, float b), copysignf(a, b))
#define __pycuda_nv_fdim \
    __PYCUDA_NV(double, fdim, (double a, double b), fdim(a, b))
#define __pycuda_nv_fdimf \
    __PYCUDA_NV(float, fdimf, (float a, float b), fdimf(a, b))
#define __pycuda_nv_fmax \
    __PYCUDA_NV(double, fmax, (double a, double b), fmax(a, b))
#define __pycuda_nv_fmaxf \
    __PYCUDA_NV(float, fmaxf, (float a, float b), fmaxf(a, b))
#define __pycuda_nv_fmin \
    __PYCUDA_NV(double, fmin, (double a, double b), fmin(a, b))
#define __pycuda_nv_fminf \
    __PYCUDA_NV(float, fminf, (float a, float b), fminf(a, b))
#define __pycuda_nv_fmod \
    __PYCUDA_NV(double, fmod, (double a, double b), fmod(a, b))
#define __pycuda_nv_fmodf \
    __PYCUDA_NV(float, fmodf, (float a, float b), fmodf(a, b))
#define __pycuda_nv_hypot \
    __PYCUDA_NV(double, hypot, (double a, double b), hypot(a, b))
#define __pycuda_nv_hypotf \
    __PYCUDA_NV(float, hypotf, (float a, float b), hypotf(a, b))
#define __pycuda_nv_nextafter \
    __PYCUDA_NV(double, nextafter, (double a, double b), nextafter(a, b))
#define __pycuda_nv_nextafterf \
    __PYCUDA_NV(float, nextafterf, (float a, float b), nextafterf(a, b))
#define __pycuda_nv_pow \
    __PYCUDA_NV(double, pow, (double a, double b), pow(a, b))
#define __pycuda_nv_powf \
    __PYCUDA_NV(float, powf, (float a, float b), powf(a, b))
#define __pycuda_nv_remainder \
    __PYCUDA_NV(double, remainder, (double a, double b), remainder(a, b))
#define __pycuda_nv_remainderf \
    __PYCUDA_NV(float, remainderf, (float a, float b), remainderf(a, b))
#define __pycuda_nv_rhypot \
    __PYCUDA_NV(double, rhypot, (double a, double b), rhypot(a, b))
#define __pycuda_nv_rhypotf \
    __PYCUDA_NV(float, rhypotf, (float a, float b), rhypotf(a, b))
#define __pycuda_nv_fma \
    __PYCUDA_NV(double, fma, (double a, double b, double c), fma(a, b, c))
#define __pycuda_nv_norm3d \
    __PYCUDA_NV(double, norm3d, (double a, double b, double c), \
        norm3d(a, b, c))
#define __pycuda_nv_norm4d \
    __PYCUDA_NV(double, norm4d, (double a, double b, double c, double d), \
        norm4d(a, b, c, d))
#define __pycuda_nv_rnorm3d \
    __PYCUDA_NV(double, rnorm3d, (double a, double b, double c), \
        rnorm3d(a, b, c))
#define __pycuda_nv_rnorm4d \
    __PYCUDA_NV(double, rnorm4d, (double a, double b, double c, double d), \
        rnorm4d(a, b, c, d))
#define __pycuda_nv_frexp \
    __PYCUDA_NV(double, frexp, (double a, int *b), frexp(a, b))
#define __pycuda_nv_modf \
    __PYCUDA_NV(double, modf, (double a, double *b), modf(a, b))
#define __pycuda_nv_remquo \
    __PYCUDA_NV(double, remquo, (double a, double b, int *c), remquo(a, b, c))
#define __pycuda_nv_ldexp \
    __PYCUDA_NV(double, ldexp, (double a, int b), ldexp(a, b))
#define __pycuda_nv_scalbn \
    __PYCUDA_NV(double, scalbn, (double a, int b), scalbn(a, b))
#define __pycuda_nv_sincos \
    __PYCUDA_NV(void, sincos, (double a, double *b, double *c), \
        sincos(a, b, c))
#define __pycuda_nv_sincospi \
    __PYCUDA_NV(void, sincospi, (double a, double *b, double *c), \
        sincospi(a, b, c))
#define __pycuda_nv_powi \
    __PYCUDA_NV(double, powi, (double a, int b), pow(a, b))
#define __pycuda_nv_jn __PYCUDA_NV(double, jn, (int a, double b), jn(a, b))
#define __pycuda_nv_yn __PYCUDA_NV(double, yn, (int a, double b), yn(a, b))
#define __pycuda_nv_ilogb __PYCUDA_NV(int, ilogb, (double a), ilogb(a))
#define __pycuda_nv_norm \
    __PYCUDA_NV(double, norm, (int a, const double *b), norm(a, b))
#define __pycuda_nv_rnorm \
    __PYCUDA_NV(double, rnorm, (int a, const double *b), rnorm(a, b))
#define __pycuda_nv_llrint \
    __PYCUDA_NV(long long, llrint, (double a), llrint(a))
#define __pycuda_nv_llround \
    __PYCUDA_NV(long long, llround, (double a), llround(a))
#define __pycuda_nv_nan \
    __PYCUDA_NV(double, nan, (const signed char *a), __builtin_nan(""))
#define __pycuda_nv_fmaf \
    __PYCUDA_NV(float, fmaf, (float a, float b, float c), fmaf(a, b, c))
#define __pycuda_nv_norm3df \
    __PYCUDA_NV(float, norm3df, (float a, float b, float c), norm3df(a, b, c))
#define __pycuda_nv_norm4df \
    __PYCUDA_NV(float, norm4df, (float a, float b, float c, float d), \
        norm4df(a, b, c, d))
#define __pycuda_nv_rnorm3df \
    __PYCUDA_NV(float, rnorm3df, (float a, float b, float c), \
        rnorm3df(a, b, c))
#define __pycuda_nv_rnorm4df \
    __PYCUDA_NV(float, rnorm4df, (float a, float b, float c, float d), \
        rnorm4df(a, b, c, d))
#define __pycuda_nv_frexpf \
    __PYCUDA_NV(float, frexpf, (float a, int *b), frexpf(a, b))
#define __pycuda_nv_modff \
    __PYCUDA_NV(float, modff, (float a, float *b), modff(a, b))
#define __pycuda_nv_remquof \
    __PYCUDA_NV(float, remquof, (float a, float b, int *c), remquof(a, b, c))
#define __pycuda_nv_ldexpf \
    __PYCUDA_NV(float, ldexpf, (float a, int b), ldexpf(a, b))
#define __pycuda_nv_scalbnf \
    __PYCUDA_NV(float, scalbnf, (float a, int b), scalbnf(a, b))
#define __pycuda_nv_sincosf \
    __PYCUDA_NV(void, sincosf, (float a, float *b, float *c), sincosf(a, b, c))
#define __pycuda_nv_sincospif \
    __PYCUDA_NV(void, sincospif, (float a, float *b, float *c), \
        sincospif(a, b, c))
#define __pycuda_nv_powif \
    __PYCUDA_NV(float, powif, (float a, int b), powf(a, b))
#define __pycuda_nv_jnf __PYCUDA_NV(float, jnf, (int a, float b), jnf(a, b))
#define __pycuda_nv_ynf __PYCUDA_NV(float, ynf, (int a, float b), ynf(a, b))
#define __pycuda_nv_ilogbf __PYCUDA_NV(int, ilogbf, (float a), ilogbf(a))
#define __pycuda_nv_normf \
    __PYCUDA_NV(float, normf, (int a, const float *b), normf(a, b))
#define __pycuda_nv_rnormf \
    __PYCUDA_NV(float, rnormf, (int a, const float *b), rnormf(a, b))
#define __pycuda_nv_llrintf \
    __PYCUDA_NV(long long, llrintf, (float a), llrintf(a))
#define __pycuda_nv_llroundf \
    __PYCUDA_NV(long long, llroundf, (float a), llroundf(a))
#define __pycuda_nv_nanf \
    __PYCUDA_NV(float, nanf, (const signed char *a), __builtin_nanf(""))
#define __pycuda_nv_isinfd __PYCUDA_NV(int, isinfd, (double a), isinf(a))
#define __pycuda_nv_isnand __PYCUDA_NV(int, isnand, (double a), isnan(a))
#define __pycuda_nv_isfinited \
    __PYCUDA_NV(int, isfinited, (double a), isfinite(a))
#define __pycuda_nv_signbitd __PYCUDA_NV(int, signbitd, (double a), signbit(a))
#define __pycuda_nv_isinff __PYCUDA_NV(int, isinff, (float a), isinf(a))
#define __pycuda_nv_isnanf __PYCUDA_NV(int, isnanf, (float a), isnan(a))
#define __pycuda_nv_finitef __PYCUDA_NV(int, finitef, (float a), isfinite(a))
#define __pycuda_nv_signbitf __PYCUDA_NV(int, signbitf, (float a), signbit(a))
#define __pycuda_nv_fast_cosf \
    __PYCUDA_NV(float, fast_cosf, (float a), __cosf(a))
#define __pycuda_nv_fast_sinf \
    __PYCUDA_NV(float, fast_sinf, (float a), __sinf(a))
#define __pycuda_nv_fast_tanf \
    __PYCUDA_NV(float, fast_tanf, (float a), __tanf(a))
#define __pycuda_nv_fast_expf \
    __PYCUDA_NV(float, fast_expf, (float a), __expf(a))
#define __pycuda_nv_fast_exp10f \
    __PYCUDA_NV(float, fast_exp10f, (float a), __exp10f(a))
#define __pycuda_nv_fast_logf \
    __PYCUDA_NV(float, fast_logf, (float a), __logf(a))
#define __pycuda_nv_fast_log2f \
    __PYCUDA_NV(float, fast_log2f, (float a), __log2f(a))
#define __pycuda_nv_fast_log10f \
    __PYCUDA_NV(float, fast_log10f, (float a), __log10f(a))
#define __pycuda_nv_fast_powf \
    __PYCUDA_NV(float, fast_powf, (float a, float b), __powf(a, b))
#define __pycuda_nv_fast_fdividef \
    __PYCUDA_NV(float, fast_fdividef, (float a, float b), __fdividef(a, b))
#define __pycuda_nv_fast_sincosf \
    __PYCUDA_NV(void, fast_sincosf, (float a, float *b, float *c), \
        __sincosf(a, b, c))
#define __pycuda_nv_dadd_rn \
    __PYCUDA_NV(double, dadd_rn, (double a, double b), __dadd_rn(a, b))
#define __pycuda_nv_fadd_rn \
    __PYCUDA_NV(float, fadd_rn, (float a, float b), __fadd_rn(a, b))
#define __pycuda_nv_dsub_rn \
    __PYCUDA_NV(double, dsub_rn, (double a, double b), __dsub_rn(a, b))
#define __pycuda_nv_fsub_rn \
    __PYCUDA_NV(float, fsub_rn, (float a, float b), __fsub_rn(a, b))
#define __pycuda_nv_dmul_rn \
    __PYCUDA_NV(double, dmul_rn, (double a, double b), __dmul_rn(a, b))
#define __pycuda_nv_fmul_rn \
    __PYCUDA_NV(float, fmul_rn, (float a, float b), __fmul_rn(a, b))
#define __pycuda_nv_ddiv_rn \
    __PYCUDA_NV(double, ddiv_rn, (double a, double b), __ddiv_rn(a, b))
#define __pycuda_nv_fdiv_rn \
    __PYCUDA_NV(float, fdiv_rn, (float a, float b), __fdiv_rn(a, b))
#define __pycuda_nv_drcp_rn \
    __PYCUDA_NV(double, drcp_rn, (double a), __drcp_rn(a))
#define __pycuda_nv_frcp_rn \
    __PYCUDA_NV(float, frcp_rn, (float a), __frcp_rn(a))
#define __pycuda_nv_dsqrt_rn \
    __PYCUDA_NV(double, dsqrt_rn, (double a), __dsqrt_rn(a))
#define __pycuda_nv_fsqrt_rn \
    __PYCUDA_NV(float, fsqrt_rn, (float a), __fsqrt_rn(a))
#define __pycuda_nv_fma_rn \
    __PYCUDA_NV(double, fma_rn, (double a, double b, double c), \
        __fma_rn(a, b, c))
#define __pycuda_nv_fmaf_rn \
    __PYCUDA_NV(float, fmaf_rn, (float a, float b, float c), \
        __fmaf_rn(a, b, c))
#define __pycuda_nv_fmaf_ieee_rn \
    __PYCUDA_NV(float, fmaf_ieee_rn, (float a, float b, float c), \
        __fmaf_ieee_rn(a, b, c))
#define __pycuda_nv_double2int_rn \
    __PYCUDA_NV(int, double2int_rn, (double a), __double2int_rn(a))
#define __pycuda_nv_double2uint_rn \
    __PYCUDA_NV(unsigned, double2uint_rn, (double a), __double2uint_rn(a))
#define __pycuda_nv_double2ll_rn \
    __PYCUDA_NV(long long, double2ll_rn, (double a), __double2ll_rn(a))
#define __pycuda_nv_ll2double_rn \
    __PYCUDA_NV(double, ll2double_rn, (long long a), __ll2double_rn(a))
#define __pycuda_nv_double2ull_rn \
    __PYCUDA_NV(unsigned long long, double2ull_rn, (double a), \
        __double2ull_rn(a))
#define __pycuda_nv_ull2double_rn \
    __PYCUDA_NV(double, ull2double_rn, (unsigned long long a), \
        __ull2double_rn(a))
#define __pycuda_nv_float2int_rn \
    __PYCUDA_NV(int, float2int_rn, (float a), __float2int_rn(a))
#define __pycuda_nv_int2float_rn \
    __PYCUDA_NV(float, int2float_rn, (int a), __int2float_rn(a))
#define __pycuda_nv_float2uint_rn \
    __PYCUDA_NV(unsigned, float2uint_rn, (float a), __float2uint_rn(a))
#define __pycuda_nv_uint2float_rn \
    __PYCUDA_NV(float, uint2float_rn, (unsigned a), __uint2float_rn(a))
#define __pycuda_nv_float2ll_rn \
    __PYCUDA_NV(long long, float2ll_rn, (float a), __float2ll_rn(a))
#define __pycuda_nv_ll2float_rn \
    __PYCUDA_NV(float, ll2float_rn, (long long a), __ll2float_rn(a))
#define __pycuda_nv_float2ull_rn \
    __PYCUDA_NV(unsigned long long, float2ull_rn, (float a), __float2ull_rn(a))
#define __pycuda_nv_ull2float_rn \
    __PYCUDA_NV(float, ull2float_rn, (unsigned long long a), __ull2float_rn(a))
#define __pycuda_nv_double2float_rn \
    __PYCUDA_NV(float, double2float_rn, (double a), __double2float_rn(a))
#define __pycuda_nv_dadd_rz \
    __PYCUDA_NV(double, dadd_rz, (double a, double b), __dadd_rz(a, b))
#define __pycuda_nv_fadd_rz \
    __PYCUDA_NV(float, fadd_rz, (float a, float b), __fadd_rz(a, b))
#define __pycuda_nv_dsub_rz \
    __PYCUDA_NV(double, dsub_rz, (double a, double b), __dsub_rz(a, b))
#define __pycuda_nv_fsub_rz \
    __PYCUDA_NV(float, fsub_rz, (float a, float b), __fsub_rz(a, b))
#define __pycuda_nv_dmul_rz \
    __PYCUDA_NV(double, dmul_rz, (double a, double b), __dmul_rz(a, b))
#define __pycuda_nv_fmul_rz \
    __PYCUDA_NV(float, fmul_rz, (float a, float b), __fmul_rz(a, b))
#define __pycuda_nv_ddiv_rz \
    __PYCUDA_NV(double, ddiv_rz, (double a, double b), __ddiv_rz(a, b))
#define __pycuda_nv_fdiv_rz \
    __PYCUDA_NV(float, fdiv_rz, (float a, float b), __fdiv_rz(a, b))
#define __pycuda_nv_drcp_rz \
    __PYCUDA_NV(double, drcp_rz, (double a), __drcp_rz(a))
#define __pycuda_nv_frcp_rz \
    __PYCUDA_NV(float, frcp_rz, (float a), __frcp_rz(a))
#define __pycuda_nv_dsqrt_rz \
    __PYCUDA_NV(double, dsqrt_rz, (double a), __dsqrt_rz(a))
#define __pycuda_nv_fsqrt_rz \
    __PYCUDA_NV(float, fsqrt_rz, (float a), __fsqrt_rz(a))
#define __pycuda_nv_fma_rz \
    __PYCUDA_NV(double, fma_rz, (double a, double b, double c), \
        __fma_rz(a, b, c))
#define __pycuda_nv_fmaf_rz \
    __PYCUDA_NV(float, fmaf_rz, (float a, float b, float c), \
        __fmaf_rz(a, b, c))
#define __pycuda_nv_fmaf_ieee_rz \
    __PYCUDA_NV(float, fmaf_ieee_rz, (float a, float b, float c), \
        __fmaf_ieee_rz(a, b, c))
#define __pycuda_nv_double2int_rz \
    __PYCUDA_NV(int, double2int_rz, (double a), __double2int_rz(a))
#define __pycuda_nv_double2uint_rz \
    __PYCUDA_NV(unsigned, double2uint_rz, (double a), __double2uint_rz(a))
#define __pycuda_nv_double2ll_rz \
    __PYCUDA_NV(long long, double2ll_rz, (double a), __double2ll_rz(a))
#define __pycuda_nv_ll2double_rz \
    __PYCUDA_NV(double, ll2double_rz, (long long a), __ll2double_rz(a))
#define __pycuda_nv_double2ull_rz \
    __PYCUDA_NV(unsigned long long, double2ull_rz, (double a), \
        __double2ull_rz(a))
#define __pycuda_nv_ull2double_rz \
    __PYCUDA_NV(double, ull2double_rz, (unsigned long long a), \
        __ull2double_rz(a))
#define __pycuda_nv_float2int_rz \
    __PYCUDA_NV(int, float2int_rz, (float a), __float2int_rz(a))
#define __pycuda_nv_int2float_rz \
    __PYCUDA_NV(float, int2float_rz, (int a), __int2float_rz(a))
#define __pycuda_nv_float2uint_rz \
    __PYCUDA_NV(unsigned, float2uint_rz, (float a), __float2uint_rz(a))
#define __pycuda_nv_uint2float_rz \
    __PYCUDA_NV(float, uint2float_rz, (unsigned a), __uint2float_rz(a))
#define __pycuda_nv_float2ll_rz \
    __PYCUDA_NV(long long, float2ll_rz, (float a), __float2ll_rz(a))
#define __pycuda_nv_ll2float_rz \
    __PYCUDA_NV(float, ll2float_rz, (long long a), __ll2float_rz(a))
#define __pycuda_nv_float2ull_rz \
    __PYCUDA_NV(unsigned long long, float2ull_rz, (float a), __float2ull_rz(a))
#define __pycuda_nv_ull2float_rz \
    __PYCUDA_NV(float, ull2float_rz, (unsigned long long a), __ull2float_rz(a))
#define __pycuda_nv_double2float_rz \
    __PYCUDA_NV(float, double2float_rz, (double a), __double2float_rz(a))
#define __pycuda_nv_dadd_ru \
    __PYCUDA_NV(double, dadd_ru, (double a, double b), __dadd_ru(a, b))
#define __pycuda_nv_fadd_ru \
    __PYCUDA_NV(float, fadd_ru, (float a, float b), __fadd_ru(a, b))
#define __pycuda_nv_dsub_ru \
    __PYCUDA_NV(double, dsub_ru, (double a, double b), __dsub_ru(a, b))
#define __pycuda_nv_fsub_ru \
    __PYCUDA_NV(float, fsub_ru, (float a, float b), __fsub_ru(a, b))
#define __pycuda_nv_dmul_ru \
    __PYCUDA_NV(double, dmul_ru, (double a, double b), __dmul_ru(a, b))
#define __pycuda_nv_fmul_ru \
    __PYCUDA_NV(float, fmul_ru, (float a, float b), __fmul_ru(a, b))
#define __pycuda_nv_ddiv_ru \
    __PYCUDA_NV(double, ddiv_ru, (double a, double b), __ddiv_ru(a, b))
#define __pycuda_nv_fdiv_ru \
    __PYCUDA_NV(float, fdiv_ru, (float a, float b), __fdiv_ru(a, b))
#define __pycuda_nv_drcp_ru \
    __PYCUDA_NV(double, drcp_ru, (double a), __drcp_ru(a))
#define __pycuda_nv_frcp_ru \
    __PYCUDA_NV(float, frcp_ru, (float a), __frcp_ru(a))
#define __pycuda_nv_dsqrt_ru \
    __PYCUDA_NV(double, dsqrt_ru, (double a), __dsqrt_ru(a))
#define __pycuda_nv_fsqrt_ru \
    __PYCUDA_NV(float, fsqrt_ru, (float a), __fsqrt_ru(a))
#define __pycuda_nv_fma_ru \
    __PYCUDA_NV(double, fma_ru, (double a, double b, double c), \
        __fma_ru(a, b, c))
#define __pycuda_nv_fmaf_ru \
    __PYCUDA_NV(float, fmaf_ru, (float a, float b, float c), \
        __fmaf_ru(a, b, c))
#define __pycuda_nv_fmaf_ieee_ru \
    __PYCUDA_NV(float, fmaf_ieee_ru, (float a, float b, float c), \
        __fmaf_ieee_ru(a, b, c))
#define __pycuda_nv_double2int_ru \
    __PYCUDA_NV(int, double2int_ru, (double a), __double2int_ru(a))
#define __pycuda_nv_double2uint_ru \
    __PYCUDA_NV(unsigned, double2uint_ru, (double a), __double2uint_ru(a))
#define __pycuda_nv_double2ll_ru \
    __PYCUDA_NV(long long, double2ll_ru, (double a), __double2ll_ru(a))
#define __pycuda_nv_ll2double_ru \
    __PYCUDA_NV(double, ll2double_ru, (long long a), __ll2double_ru(a))
#define __pycuda_nv_double2ull_ru \
    __PYCUDA_NV(unsigned long long, double2ull_ru, (double a), \
        __double2ull_ru(a))
#define __pycuda_nv_ull2double_ru \
    __PYCUDA_NV(double, ull2double_ru, (unsigned long long a), \
        __ull2double_ru(a))
#define __pycuda_nv_float2int_ru \
    __PYCUDA_NV(int, float2int_ru, (float a), __float2int_ru(a))
#define __pycuda_nv_int2float_ru \
    __PYCUDA_NV(float, int2float_ru, (int a), __int2float_ru(a))
#define __pycuda_nv_float2uint_ru \
    __PYCUDA_NV(unsigned, float2uint_ru, (float a), __float2uint_ru(a))
#define __pycuda_nv_uint2float_ru \
    __PYCUDA_NV(float, uint2float_ru, (unsigned a), __uint2float_ru(a))
#define __pycuda_nv_float2ll_ru \
    __PYCUDA_NV(long long, float2ll_ru, (float a), __float2ll_ru(a))
#define __pycuda_nv_ll2float_ru \
    __PYCUDA_NV(float, ll2float_ru, (long long a), __ll2float_ru(a))
#define __pycuda_nv_float2ull_ru \
    __PYCUDA_NV(unsigned long long, float2ull_ru, (float a), __float2ull_ru(a))
#define __pycuda_nv_ull2float_ru \
    __PYCUDA_NV(float, ull2float_ru, (unsigned long long a), __ull2float_ru(a))
#define __pycuda_nv_double2float_ru \
    __PYCUDA_NV(float, double2float_ru, (double a), __double2float_ru(a))
#define __pycuda_nv_dadd_rd \
    __PYCUDA_NV(double, dadd_rd, (double a, double b), __dadd_rd(a, b))
#define __pycuda_nv_fadd_rd \
    __PYCUDA_NV(float, fadd_rd, (float a, float b), __fadd_rd(a, b))
#define __pycuda_nv_dsub_rd \
    __PYCUDA_NV(double, dsub_rd, (double a, double b), __dsub_rd(a, b))
#define __pycuda_nv_fsub_rd \
    __PYCUDA_NV(float, fsub_rd, (float a, float b), __fsub_rd(a, b))
#define __pycuda_nv_dmul_rd \
    __PYCUDA_NV(double, dmul_rd, (double a, double b), __dmul_rd(a, b))
#define __pycuda_nv_fmul_rd \
    __PYCUDA_NV(float, fmul_rd, (float a, float b), __fmul_rd(a, b))
#define __pycuda_nv_ddiv_rd \
    __PYCUDA_NV(double, ddiv_rd, (double a, double b), __ddiv_rd(a, b))
#define __pycuda_nv_fdiv_rd \
    __PYCUDA_NV(float, fdiv_rd, (float a, float b), __fdiv_rd(a, b))
#define __pycuda_nv_drcp_rd \
    __PYCUDA_NV(double, drcp_rd, (double a), __drcp_rd(a))
#define __pycuda_nv_frcp_rd \
    __PYCUDA_NV(float, frcp_rd, (float a), __frcp_rd(a))
#define __pycuda_nv_dsqrt_rd \
    __PYCUDA_NV(double, dsqrt_rd, (double a), __dsqrt_rd(a))
#define __pycuda_nv_fsqrt_rd \
    __PYCUDA_NV(float, fsqrt_rd, (float a), __fsqrt_rd(a))
#define __pycuda_nv_fma_rd \
    __PYCUDA_NV(double, fma_rd, (double a, double b, double c), \
        __fma_rd(a, b, c))
#define __pycuda_nv_fmaf_rd \
    __PYCUDA_NV(float, fmaf_rd, (float a, float b, float c), \
        __fmaf_rd(a, b, c))
#define __pycuda_nv_fmaf_ieee_rd \
    __PYCUDA_NV(float, fmaf_ieee_rd, (float a, float b, float c), \
        __fmaf_ieee_rd(a, b, c))
#define __pycuda_nv_double2int_rd \
    __PYCUDA_NV(int, double2int_rd, (double a), __double2int_rd(a))
#define __pycuda_nv_double2uint_rd \
    __PYCUDA_NV(unsigned, double2uint_rd, (double a), __double2uint_rd(a))
#define __pycuda_nv_double2ll_rd \
    __PYCUDA_NV(long long, double2ll_rd, (double a), __double2ll_rd(a))
#define __pycuda_nv_ll2double_rd \
    __PYCUDA_NV(double, ll2double_rd, (long long a), __ll2double_rd(a))
#define __pycuda_nv_double2ull_rd \
    __PYCUDA_NV(unsigned long long, double2ull_rd, (double a), \
        __double2ull_rd(a))
#define __pycuda_nv_ull2double_rd \
    __PYCUDA_NV(double, ull2double_rd, (unsigned long long a), \
        __ull2double_rd(a))
#define __pycuda_nv_float2int_rd \
    __PYCUDA_NV(int, float2int_rd, (float a), __float2int_rd(a))
#define __pycuda_nv_int2float_rd \
    __PYCUDA_NV(float, int2float_rd, (int a), __int2float_rd(a))
#define __pycuda_nv_float2uint_rd \
    __PYCUDA_NV(unsigned, float2uint_rd, (float a), __float2uint_rd(a))
#define __pycuda_nv_uint2float_rd \
    __PYCUDA_NV(float, uint2float_rd, (unsigned a), __uint2float_rd(a))
#define __pycuda_nv_float2ll_rd \
    __PYCUDA_NV(long long, float2ll_rd, (float a), __float2ll_rd(a))
#define __pycuda_nv_ll2float_rd \
    __PYCUDA_NV(float, ll2float_rd, (long long a), __ll2float_rd(a))
#define __pycuda_nv_float2ull_rd \
    __PYCUDA_NV(unsigned long long, float2ull_rd, (float a), __float2ull_rd(a))
#define __pycuda_nv_ull2float_rd \
    __PYCUDA_NV(float, ull2float_rd, (unsigned long long a), __ull2float_rd(a))
#define __pycuda_nv_double2float_rd \
    __PYCUDA_NV(float, double2float_rd, (double a), __double2float_rd(a))
#define __pycuda_nv_int2double_rn \
    __PYCUDA_NV(double, int2double_rn, (int a), __int2double_rn(a))
#define __pycuda_nv_uint2double_rn \
    __PYCUDA_NV(double, uint2double_rn, (unsigned a), __uint2double_rn(a))
#define __pycuda_nv_frsqrt_rn \
    __PYCUDA_NV(float, frsqrt_rn, (float a), __frsqrt_rn(a))
#define __pycuda_nv_double2hiint \
    __PYCUDA_NV(int, double2hiint, (double a), __double2hiint(a))
#define __pycuda_nv_double2loint \
    __PYCUDA_NV(int, double2loint, (double a), __double2loint(a))
#define __pycuda_nv_hiloint2double \
    __PYCUDA_NV(double, hiloint2double, (int a, int b), __hiloint2double(a, b))
#define __pycuda_nv_double_as_longlong \
    __PYCUDA_NV(long long, double_as_longlong, (double a), \
        __double_as_longlong(a))
#define __pycuda_nv_longlong_as_double \
    __PYCUDA_NV(double, longlong_as_double, (long long a), \
        __longlong_as_double(a))
#define __pycuda_nv_float_as_int \
    __PYCUDA_NV(int, float_as_int, (float a), __float_as_int(a))
#define __pycuda_nv_int_as_float \
    __PYCUDA_NV(float, int_as_float, (int a), __int_as_float(a))
#define __pycuda_nv_float_as_uint \
    __PYCUDA_NV(unsigned, float_as_uint, (float a), __float_as_uint(a))
#define __pycuda_nv_uint_as_float \
    __PYCUDA_NV(float, uint_as_float, (unsigned a), __uint_as_float(a))
#define __pycuda_nv_saturatef \
    __PYCUDA_NV(float, saturatef, (float a), __saturatef(a))
#define __pycuda_nv_abs __PYCUDA_NV(int, abs, (int a), a < 0 ? -a : a)
#define __pycuda_nv_llabs \
    __PYCUDA_NV(long long, llabs, (long long a), a < 0 ? -a : a)
#define __pycuda_nv_max __PYCUDA_NV(int, max, (int a, int b), a > b ? a : b)
#define __pycuda_nv_min __PYCUDA_NV(int, min, (int a, int b), a < b ? a : b)
#define __pycuda_nv_umax \
    __PYCUDA_NV(unsigned, umax, (unsigned a, unsigned b), a > b ? a : b)
#define __pycuda_nv_umin \
    __PYCUDA_NV(unsigned, umin, (unsigned a, unsigned b), a < b ? a : b)
#define __pycuda_nv_llmax \
    __PYCUDA_NV(long long, llmax, (long long a, long long b), a > b ? a : b)
#define __pycuda_nv_llmin \
    __PYCUDA_NV(long long, llmin, (long long a, long long b), a < b ? a : b)
#define __pycuda_nv_ullmax \
    __PYCUDA_NV(unsigned long long, ullmax, (unsigned long long a, \
        unsigned long long b), a > b ? a : b)
#define __pycuda_nv_ullmin \
    __PYCUDA_NV(unsigned long long, ullmin, (unsigned long long a, \
        unsigned long long b), a < b ? a : b)
#define __pycuda_nv_mul24 \
    __PYCUDA_NV(int, mul24, (int a, int b), __mul24(a, b))
#define __pycuda_nv_umul24 \
    __PYCUDA_NV(unsigned, umul24, (unsigned a, unsigned b), __umul24(a, b))
#define __pycuda_nv_mulhi \
    __PYCUDA_NV(int, mulhi, (int a, int b), __mulhi(a, b))
#define __pycuda_nv_umulhi \
    __PYCUDA_NV(unsigned, umulhi, (unsigned a, unsigned b), __umulhi(a, b))
#define __pycuda_nv_mul64hi \
    __PYCUDA_NV(long long, mul64hi, (long long a, long long b), \
        __mul64hi(a, b))
#define __pycuda_nv_umul64hi \
    __PYCUDA_NV(unsigned long long, umul64hi, (unsigned long long a, \
        unsigned long long b), __umul64hi(a, b))
#define __pycuda_nv_hadd __PYCUDA_NV(int, hadd, (int a, int b), __hadd(a, b))
#define __pycuda_nv_uhadd \
    __PYCUDA_NV(unsigned, uhadd, (unsigned a, unsigned b), __uhadd(a, b))
#define __pycuda_nv_rhadd \
    __PYCUDA_NV(int, rhadd, (int a, int b), __rhadd(a, b))
#define __pycuda_nv_urhadd \
    __PYCUDA_NV(unsigned, urhadd, (unsigned a, unsigned b), __urhadd(a, b))
#define __pycuda_nv_sad \
    __PYCUDA_NV(unsigned, sad, (int a, int b, unsigned c), __sad(a, b, c))
#define __pycuda_nv_usad \
    __PYCUDA_NV(unsigned, usad, (unsigned a, unsigned b, unsigned c), \
        __usad(a, b, c))
#define __pycuda_nv_byte_perm \
    __PYCUDA_NV(int, byte_perm, (int a, int b, int c), \
        (int)__byte_perm(a, b, c))
#define __pycuda_nv_brev __PYCUDA_NV(int, brev, (int a), (int)__brev(a))
#define __pycuda_nv_brevll \
    __PYCUDA_NV(long long, brevll, (long long a), (long long)__brevll(a))
#define __pycuda_nv_clz __PYCUDA_NV(int, clz, (int a), __clz(a))
#define __pycuda_nv_clzll __PYCUDA_NV(int, clzll, (long long a), __clzll(a))
#define __pycuda_nv_ffs __PYCUDA_NV(int, ffs, (int a), __ffs(a))
#define __pycuda_nv_ffsll __PYCUDA_NV(int, ffsll, (long long a), __ffsll(a))
#define __pycuda_nv_popc __PYCUDA_NV(int, popc, (int a), __popc(a))
#define __pycuda_nv_popcll __PYCUDA_NV(int, popcll, (long long a), __popcll(a))
#define __pycuda_nv_float2half_rn \
    __PYCUDA_NV(unsigned short, float2half_rn, (float a), \
        __builtin_bit_cast(unsigned short, (_Float16)a))
#define __pycuda_nv_half2float \
    __PYCUDA_NV(float, half2float, (unsigned short a), \
        (float)__builtin_bit_cast(_Float16, a))
/* clang-format on */
