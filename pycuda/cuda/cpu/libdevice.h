/* libdevice.h - the functions of NVIDIA's bitcode library, such as __nv_sinf.
 *
 * nvcc and NVRTC link them to sources that declare them in extern "C". The
 * macro __pycuda_nv_NAME expands to a definition whose C++ name differs from
 * __nv_NAME but whose symbol is __nv_NAME, so that it cannot conflict with the
 * program's declaration. The compiler adds a use of the macro to the source
 * for each such function that the source names (src/cpu/nvrtc/libdevice.c).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Defines a function whose symbol is that of a function of the library. */
#define __PYCUDA_NV_DEFINE(result, function, symbol, parameters, value)       \
    extern "C" __device__ result function parameters __asm__(symbol);         \
    extern "C" __attribute__((used, weak)) __device__ result                  \
        function parameters                                                   \
    {                                                                         \
        return value;                                                         \
    }
#define __PYCUDA_NV(result, name, parameters, value)                          \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name,      \
                       parameters, value)

/* clang-format off */
/* __PYCUDA_NV_n calls the function `name` with n arguments of types A to D. It
 * does not use __PYCUDA_NV: as an argument of that macro, `name` would be
 * expanded before # and ## if the program defines a macro called `name`. */
#define __PYCUDA_NV_1(result, name, A) \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name, \
        (A a), name(a))
#define __PYCUDA_NV_2(result, name, A, B) \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name, \
        (A a, B b), name(a, b))
#define __PYCUDA_NV_3(result, name, A, B, C) \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name, \
        (A a, B b, C c), name(a, b, c))
#define __PYCUDA_NV_4(result, name, A, B, C, D) \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name, \
        (A a, B b, C c, D d), name(a, b, c, d))
/* __PYCUDA_NV_Un calls __name, CUDA's intrinsic function of that name. */
#define __PYCUDA_NV_U1(result, name, A) \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name, \
        (A a), __##name(a))
#define __PYCUDA_NV_U2(result, name, A, B) \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name, \
        (A a, B b), __##name(a, b))
#define __PYCUDA_NV_U3(result, name, A, B, C) \
    __PYCUDA_NV_DEFINE(result, __pycuda_libdevice_##name, "__nv_" #name, \
        (A a, B b, C c), __##name(a, b, c))

#define __pycuda_nv_acos __PYCUDA_NV_1(double, acos, double)
#define __pycuda_nv_acosf __PYCUDA_NV_1(float, acosf, float)
#define __pycuda_nv_acosh __PYCUDA_NV_1(double, acosh, double)
#define __pycuda_nv_acoshf __PYCUDA_NV_1(float, acoshf, float)
#define __pycuda_nv_asin __PYCUDA_NV_1(double, asin, double)
#define __pycuda_nv_asinf __PYCUDA_NV_1(float, asinf, float)
#define __pycuda_nv_asinh __PYCUDA_NV_1(double, asinh, double)
#define __pycuda_nv_asinhf __PYCUDA_NV_1(float, asinhf, float)
#define __pycuda_nv_atan __PYCUDA_NV_1(double, atan, double)
#define __pycuda_nv_atanf __PYCUDA_NV_1(float, atanf, float)
#define __pycuda_nv_atanh __PYCUDA_NV_1(double, atanh, double)
#define __pycuda_nv_atanhf __PYCUDA_NV_1(float, atanhf, float)
#define __pycuda_nv_cbrt __PYCUDA_NV_1(double, cbrt, double)
#define __pycuda_nv_cbrtf __PYCUDA_NV_1(float, cbrtf, float)
#define __pycuda_nv_ceil __PYCUDA_NV_1(double, ceil, double)
#define __pycuda_nv_ceilf __PYCUDA_NV_1(float, ceilf, float)
#define __pycuda_nv_cos __PYCUDA_NV_1(double, cos, double)
#define __pycuda_nv_cosf __PYCUDA_NV_1(float, cosf, float)
#define __pycuda_nv_cosh __PYCUDA_NV_1(double, cosh, double)
#define __pycuda_nv_coshf __PYCUDA_NV_1(float, coshf, float)
#define __pycuda_nv_cospi __PYCUDA_NV_1(double, cospi, double)
#define __pycuda_nv_cospif __PYCUDA_NV_1(float, cospif, float)
#define __pycuda_nv_erf __PYCUDA_NV_1(double, erf, double)
#define __pycuda_nv_erff __PYCUDA_NV_1(float, erff, float)
#define __pycuda_nv_erfc __PYCUDA_NV_1(double, erfc, double)
#define __pycuda_nv_erfcf __PYCUDA_NV_1(float, erfcf, float)
#define __pycuda_nv_erfcinv __PYCUDA_NV_1(double, erfcinv, double)
#define __pycuda_nv_erfcinvf __PYCUDA_NV_1(float, erfcinvf, float)
#define __pycuda_nv_erfcx __PYCUDA_NV_1(double, erfcx, double)
#define __pycuda_nv_erfcxf __PYCUDA_NV_1(float, erfcxf, float)
#define __pycuda_nv_erfinv __PYCUDA_NV_1(double, erfinv, double)
#define __pycuda_nv_erfinvf __PYCUDA_NV_1(float, erfinvf, float)
#define __pycuda_nv_exp __PYCUDA_NV_1(double, exp, double)
#define __pycuda_nv_expf __PYCUDA_NV_1(float, expf, float)
#define __pycuda_nv_exp10 __PYCUDA_NV_1(double, exp10, double)
#define __pycuda_nv_exp10f __PYCUDA_NV_1(float, exp10f, float)
#define __pycuda_nv_exp2 __PYCUDA_NV_1(double, exp2, double)
#define __pycuda_nv_exp2f __PYCUDA_NV_1(float, exp2f, float)
#define __pycuda_nv_expm1 __PYCUDA_NV_1(double, expm1, double)
#define __pycuda_nv_expm1f __PYCUDA_NV_1(float, expm1f, float)
#define __pycuda_nv_fabs __PYCUDA_NV_1(double, fabs, double)
#define __pycuda_nv_fabsf __PYCUDA_NV_1(float, fabsf, float)
#define __pycuda_nv_floor __PYCUDA_NV_1(double, floor, double)
#define __pycuda_nv_floorf __PYCUDA_NV_1(float, floorf, float)
#define __pycuda_nv_j0 __PYCUDA_NV_1(double, j0, double)
#define __pycuda_nv_j0f __PYCUDA_NV_1(float, j0f, float)
#define __pycuda_nv_j1 __PYCUDA_NV_1(double, j1, double)
#define __pycuda_nv_j1f __PYCUDA_NV_1(float, j1f, float)
#define __pycuda_nv_y0 __PYCUDA_NV_1(double, y0, double)
#define __pycuda_nv_y0f __PYCUDA_NV_1(float, y0f, float)
#define __pycuda_nv_y1 __PYCUDA_NV_1(double, y1, double)
#define __pycuda_nv_y1f __PYCUDA_NV_1(float, y1f, float)
#define __pycuda_nv_lgamma __PYCUDA_NV_1(double, lgamma, double)
#define __pycuda_nv_lgammaf __PYCUDA_NV_1(float, lgammaf, float)
#define __pycuda_nv_log __PYCUDA_NV_1(double, log, double)
#define __pycuda_nv_logf __PYCUDA_NV_1(float, logf, float)
#define __pycuda_nv_log10 __PYCUDA_NV_1(double, log10, double)
#define __pycuda_nv_log10f __PYCUDA_NV_1(float, log10f, float)
#define __pycuda_nv_log1p __PYCUDA_NV_1(double, log1p, double)
#define __pycuda_nv_log1pf __PYCUDA_NV_1(float, log1pf, float)
#define __pycuda_nv_log2 __PYCUDA_NV_1(double, log2, double)
#define __pycuda_nv_log2f __PYCUDA_NV_1(float, log2f, float)
#define __pycuda_nv_logb __PYCUDA_NV_1(double, logb, double)
#define __pycuda_nv_logbf __PYCUDA_NV_1(float, logbf, float)
#define __pycuda_nv_nearbyint __PYCUDA_NV_1(double, nearbyint, double)
#define __pycuda_nv_nearbyintf __PYCUDA_NV_1(float, nearbyintf, float)
#define __pycuda_nv_normcdf __PYCUDA_NV_1(double, normcdf, double)
#define __pycuda_nv_normcdff __PYCUDA_NV_1(float, normcdff, float)
#define __pycuda_nv_normcdfinv __PYCUDA_NV_1(double, normcdfinv, double)
#define __pycuda_nv_normcdfinvf __PYCUDA_NV_1(float, normcdfinvf, float)
#define __pycuda_nv_rcbrt __PYCUDA_NV_1(double, rcbrt, double)
#define __pycuda_nv_rcbrtf __PYCUDA_NV_1(float, rcbrtf, float)
#define __pycuda_nv_rint __PYCUDA_NV_1(double, rint, double)
#define __pycuda_nv_rintf __PYCUDA_NV_1(float, rintf, float)
#define __pycuda_nv_round __PYCUDA_NV_1(double, round, double)
#define __pycuda_nv_roundf __PYCUDA_NV_1(float, roundf, float)
#define __pycuda_nv_rsqrt __PYCUDA_NV_1(double, rsqrt, double)
#define __pycuda_nv_rsqrtf __PYCUDA_NV_1(float, rsqrtf, float)
#define __pycuda_nv_sin __PYCUDA_NV_1(double, sin, double)
#define __pycuda_nv_sinf __PYCUDA_NV_1(float, sinf, float)
#define __pycuda_nv_sinh __PYCUDA_NV_1(double, sinh, double)
#define __pycuda_nv_sinhf __PYCUDA_NV_1(float, sinhf, float)
#define __pycuda_nv_sinpi __PYCUDA_NV_1(double, sinpi, double)
#define __pycuda_nv_sinpif __PYCUDA_NV_1(float, sinpif, float)
#define __pycuda_nv_sqrt __PYCUDA_NV_1(double, sqrt, double)
#define __pycuda_nv_sqrtf __PYCUDA_NV_1(float, sqrtf, float)
#define __pycuda_nv_tan __PYCUDA_NV_1(double, tan, double)
#define __pycuda_nv_tanf __PYCUDA_NV_1(float, tanf, float)
#define __pycuda_nv_tanh __PYCUDA_NV_1(double, tanh, double)
#define __pycuda_nv_tanhf __PYCUDA_NV_1(float, tanhf, float)
#define __pycuda_nv_tgamma __PYCUDA_NV_1(double, tgamma, double)
#define __pycuda_nv_tgammaf __PYCUDA_NV_1(float, tgammaf, float)
#define __pycuda_nv_trunc __PYCUDA_NV_1(double, trunc, double)
#define __pycuda_nv_truncf __PYCUDA_NV_1(float, truncf, float)
#define __pycuda_nv_cyl_bessel_i0 __PYCUDA_NV_1(double, cyl_bessel_i0, double)
#define __pycuda_nv_cyl_bessel_i0f __PYCUDA_NV_1(float, cyl_bessel_i0f, float)
#define __pycuda_nv_cyl_bessel_i1 __PYCUDA_NV_1(double, cyl_bessel_i1, double)
#define __pycuda_nv_cyl_bessel_i1f __PYCUDA_NV_1(float, cyl_bessel_i1f, float)
#define __pycuda_nv_atan2 __PYCUDA_NV_2(double, atan2, double, double)
#define __pycuda_nv_atan2f __PYCUDA_NV_2(float, atan2f, float, float)
#define __pycuda_nv_copysign __PYCUDA_NV_2(double, copysign, double, double)
#define __pycuda_nv_copysignf __PYCUDA_NV_2(float, copysignf, float, float)
#define __pycuda_nv_fdim __PYCUDA_NV_2(double, fdim, double, double)
#define __pycuda_nv_fdimf __PYCUDA_NV_2(float, fdimf, float, float)
#define __pycuda_nv_fmax __PYCUDA_NV_2(double, fmax, double, double)
#define __pycuda_nv_fmaxf __PYCUDA_NV_2(float, fmaxf, float, float)
#define __pycuda_nv_fmin __PYCUDA_NV_2(double, fmin, double, double)
#define __pycuda_nv_fminf __PYCUDA_NV_2(float, fminf, float, float)
#define __pycuda_nv_fmod __PYCUDA_NV_2(double, fmod, double, double)
#define __pycuda_nv_fmodf __PYCUDA_NV_2(float, fmodf, float, float)
#define __pycuda_nv_hypot __PYCUDA_NV_2(double, hypot, double, double)
#define __pycuda_nv_hypotf __PYCUDA_NV_2(float, hypotf, float, float)
#define __pycuda_nv_nextafter __PYCUDA_NV_2(double, nextafter, double, double)
#define __pycuda_nv_nextafterf __PYCUDA_NV_2(float, nextafterf, float, float)
#define __pycuda_nv_pow __PYCUDA_NV_2(double, pow, double, double)
#define __pycuda_nv_powf __PYCUDA_NV_2(float, powf, float, float)
#define __pycuda_nv_remainder __PYCUDA_NV_2(double, remainder, double, double)
#define __pycuda_nv_remainderf __PYCUDA_NV_2(float, remainderf, float, float)
#define __pycuda_nv_rhypot __PYCUDA_NV_2(double, rhypot, double, double)
#define __pycuda_nv_rhypotf __PYCUDA_NV_2(float, rhypotf, float, float)
#define __pycuda_nv_fma __PYCUDA_NV_3(double, fma, double, double, double)
#define __pycuda_nv_norm3d \
    __PYCUDA_NV_3(double, norm3d, double, double, double)
#define __pycuda_nv_norm4d \
    __PYCUDA_NV_4(double, norm4d, double, double, double, double)
#define __pycuda_nv_rnorm3d \
    __PYCUDA_NV_3(double, rnorm3d, double, double, double)
#define __pycuda_nv_rnorm4d \
    __PYCUDA_NV_4(double, rnorm4d, double, double, double, double)
#define __pycuda_nv_frexp __PYCUDA_NV_2(double, frexp, double, int *)
#define __pycuda_nv_modf __PYCUDA_NV_2(double, modf, double, double *)
#define __pycuda_nv_remquo __PYCUDA_NV_3(double, remquo, double, double, int *)
#define __pycuda_nv_ldexp __PYCUDA_NV_2(double, ldexp, double, int)
#define __pycuda_nv_scalbn __PYCUDA_NV_2(double, scalbn, double, int)
#define __pycuda_nv_sincos \
    __PYCUDA_NV_3(void, sincos, double, double *, double *)
#define __pycuda_nv_sincospi \
    __PYCUDA_NV_3(void, sincospi, double, double *, double *)
#define __pycuda_nv_powi \
    __PYCUDA_NV(double, powi, (double a, int b), pow(a, b))
#define __pycuda_nv_jn __PYCUDA_NV_2(double, jn, int, double)
#define __pycuda_nv_yn __PYCUDA_NV_2(double, yn, int, double)
#define __pycuda_nv_ilogb __PYCUDA_NV_1(int, ilogb, double)
#define __pycuda_nv_norm __PYCUDA_NV_2(double, norm, int, const double *)
#define __pycuda_nv_rnorm __PYCUDA_NV_2(double, rnorm, int, const double *)
#define __pycuda_nv_llrint __PYCUDA_NV_1(long long, llrint, double)
#define __pycuda_nv_llround __PYCUDA_NV_1(long long, llround, double)
#define __pycuda_nv_nan \
    __PYCUDA_NV(double, nan, (const signed char *a), __builtin_nan(""))
#define __pycuda_nv_fmaf __PYCUDA_NV_3(float, fmaf, float, float, float)
#define __pycuda_nv_norm3df __PYCUDA_NV_3(float, norm3df, float, float, float)
#define __pycuda_nv_norm4df \
    __PYCUDA_NV_4(float, norm4df, float, float, float, float)
#define __pycuda_nv_rnorm3df \
    __PYCUDA_NV_3(float, rnorm3df, float, float, float)
#define __pycuda_nv_rnorm4df \
    __PYCUDA_NV_4(float, rnorm4df, float, float, float, float)
#define __pycuda_nv_frexpf __PYCUDA_NV_2(float, frexpf, float, int *)
#define __pycuda_nv_modff __PYCUDA_NV_2(float, modff, float, float *)
#define __pycuda_nv_remquof __PYCUDA_NV_3(float, remquof, float, float, int *)
#define __pycuda_nv_ldexpf __PYCUDA_NV_2(float, ldexpf, float, int)
#define __pycuda_nv_scalbnf __PYCUDA_NV_2(float, scalbnf, float, int)
#define __pycuda_nv_sincosf \
    __PYCUDA_NV_3(void, sincosf, float, float *, float *)
#define __pycuda_nv_sincospif \
    __PYCUDA_NV_3(void, sincospif, float, float *, float *)
#define __pycuda_nv_powif \
    __PYCUDA_NV(float, powif, (float a, int b), powf(a, b))
#define __pycuda_nv_jnf __PYCUDA_NV_2(float, jnf, int, float)
#define __pycuda_nv_ynf __PYCUDA_NV_2(float, ynf, int, float)
#define __pycuda_nv_ilogbf __PYCUDA_NV_1(int, ilogbf, float)
#define __pycuda_nv_normf __PYCUDA_NV_2(float, normf, int, const float *)
#define __pycuda_nv_rnormf __PYCUDA_NV_2(float, rnormf, int, const float *)
#define __pycuda_nv_llrintf __PYCUDA_NV_1(long long, llrintf, float)
#define __pycuda_nv_llroundf __PYCUDA_NV_1(long long, llroundf, float)
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
#define __pycuda_nv_dadd_rn __PYCUDA_NV_U2(double, dadd_rn, double, double)
#define __pycuda_nv_fadd_rn __PYCUDA_NV_U2(float, fadd_rn, float, float)
#define __pycuda_nv_dsub_rn __PYCUDA_NV_U2(double, dsub_rn, double, double)
#define __pycuda_nv_fsub_rn __PYCUDA_NV_U2(float, fsub_rn, float, float)
#define __pycuda_nv_dmul_rn __PYCUDA_NV_U2(double, dmul_rn, double, double)
#define __pycuda_nv_fmul_rn __PYCUDA_NV_U2(float, fmul_rn, float, float)
#define __pycuda_nv_ddiv_rn __PYCUDA_NV_U2(double, ddiv_rn, double, double)
#define __pycuda_nv_fdiv_rn __PYCUDA_NV_U2(float, fdiv_rn, float, float)
#define __pycuda_nv_drcp_rn __PYCUDA_NV_U1(double, drcp_rn, double)
#define __pycuda_nv_frcp_rn __PYCUDA_NV_U1(float, frcp_rn, float)
#define __pycuda_nv_dsqrt_rn __PYCUDA_NV_U1(double, dsqrt_rn, double)
#define __pycuda_nv_fsqrt_rn __PYCUDA_NV_U1(float, fsqrt_rn, float)
#define __pycuda_nv_fma_rn \
    __PYCUDA_NV_U3(double, fma_rn, double, double, double)
#define __pycuda_nv_fmaf_rn __PYCUDA_NV_U3(float, fmaf_rn, float, float, float)
#define __pycuda_nv_fmaf_ieee_rn \
    __PYCUDA_NV_U3(float, fmaf_ieee_rn, float, float, float)
#define __pycuda_nv_double2int_rn __PYCUDA_NV_U1(int, double2int_rn, double)
#define __pycuda_nv_double2uint_rn \
    __PYCUDA_NV_U1(unsigned, double2uint_rn, double)
#define __pycuda_nv_double2ll_rn \
    __PYCUDA_NV_U1(long long, double2ll_rn, double)
#define __pycuda_nv_ll2double_rn \
    __PYCUDA_NV_U1(double, ll2double_rn, long long)
#define __pycuda_nv_double2ull_rn \
    __PYCUDA_NV_U1(unsigned long long, double2ull_rn, double)
#define __pycuda_nv_ull2double_rn \
    __PYCUDA_NV_U1(double, ull2double_rn, unsigned long long)
#define __pycuda_nv_float2int_rn __PYCUDA_NV_U1(int, float2int_rn, float)
#define __pycuda_nv_int2float_rn __PYCUDA_NV_U1(float, int2float_rn, int)
#define __pycuda_nv_float2uint_rn \
    __PYCUDA_NV_U1(unsigned, float2uint_rn, float)
#define __pycuda_nv_uint2float_rn \
    __PYCUDA_NV_U1(float, uint2float_rn, unsigned)
#define __pycuda_nv_float2ll_rn __PYCUDA_NV_U1(long long, float2ll_rn, float)
#define __pycuda_nv_ll2float_rn __PYCUDA_NV_U1(float, ll2float_rn, long long)
#define __pycuda_nv_float2ull_rn \
    __PYCUDA_NV_U1(unsigned long long, float2ull_rn, float)
#define __pycuda_nv_ull2float_rn \
    __PYCUDA_NV_U1(float, ull2float_rn, unsigned long long)
#define __pycuda_nv_double2float_rn \
    __PYCUDA_NV_U1(float, double2float_rn, double)
#define __pycuda_nv_dadd_rz __PYCUDA_NV_U2(double, dadd_rz, double, double)
#define __pycuda_nv_fadd_rz __PYCUDA_NV_U2(float, fadd_rz, float, float)
#define __pycuda_nv_dsub_rz __PYCUDA_NV_U2(double, dsub_rz, double, double)
#define __pycuda_nv_fsub_rz __PYCUDA_NV_U2(float, fsub_rz, float, float)
#define __pycuda_nv_dmul_rz __PYCUDA_NV_U2(double, dmul_rz, double, double)
#define __pycuda_nv_fmul_rz __PYCUDA_NV_U2(float, fmul_rz, float, float)
#define __pycuda_nv_ddiv_rz __PYCUDA_NV_U2(double, ddiv_rz, double, double)
#define __pycuda_nv_fdiv_rz __PYCUDA_NV_U2(float, fdiv_rz, float, float)
#define __pycuda_nv_drcp_rz __PYCUDA_NV_U1(double, drcp_rz, double)
#define __pycuda_nv_frcp_rz __PYCUDA_NV_U1(float, frcp_rz, float)
#define __pycuda_nv_dsqrt_rz __PYCUDA_NV_U1(double, dsqrt_rz, double)
#define __pycuda_nv_fsqrt_rz __PYCUDA_NV_U1(float, fsqrt_rz, float)
#define __pycuda_nv_fma_rz \
    __PYCUDA_NV_U3(double, fma_rz, double, double, double)
#define __pycuda_nv_fmaf_rz __PYCUDA_NV_U3(float, fmaf_rz, float, float, float)
#define __pycuda_nv_fmaf_ieee_rz \
    __PYCUDA_NV_U3(float, fmaf_ieee_rz, float, float, float)
#define __pycuda_nv_double2int_rz __PYCUDA_NV_U1(int, double2int_rz, double)
#define __pycuda_nv_double2uint_rz \
    __PYCUDA_NV_U1(unsigned, double2uint_rz, double)
#define __pycuda_nv_double2ll_rz \
    __PYCUDA_NV_U1(long long, double2ll_rz, double)
#define __pycuda_nv_ll2double_rz \
    __PYCUDA_NV_U1(double, ll2double_rz, long long)
#define __pycuda_nv_double2ull_rz \
    __PYCUDA_NV_U1(unsigned long long, double2ull_rz, double)
#define __pycuda_nv_ull2double_rz \
    __PYCUDA_NV_U1(double, ull2double_rz, unsigned long long)
#define __pycuda_nv_float2int_rz __PYCUDA_NV_U1(int, float2int_rz, float)
#define __pycuda_nv_int2float_rz __PYCUDA_NV_U1(float, int2float_rz, int)
#define __pycuda_nv_float2uint_rz \
    __PYCUDA_NV_U1(unsigned, float2uint_rz, float)
#define __pycuda_nv_uint2float_rz \
    __PYCUDA_NV_U1(float, uint2float_rz, unsigned)
#define __pycuda_nv_float2ll_rz __PYCUDA_NV_U1(long long, float2ll_rz, float)
#define __pycuda_nv_ll2float_rz __PYCUDA_NV_U1(float, ll2float_rz, long long)
#define __pycuda_nv_float2ull_rz \
    __PYCUDA_NV_U1(unsigned long long, float2ull_rz, float)
#define __pycuda_nv_ull2float_rz \
    __PYCUDA_NV_U1(float, ull2float_rz, unsigned long long)
#define __pycuda_nv_double2float_rz \
    __PYCUDA_NV_U1(float, double2float_rz, double)
#define __pycuda_nv_dadd_ru __PYCUDA_NV_U2(double, dadd_ru, double, double)
#define __pycuda_nv_fadd_ru __PYCUDA_NV_U2(float, fadd_ru, float, float)
#define __pycuda_nv_dsub_ru __PYCUDA_NV_U2(double, dsub_ru, double, double)
#define __pycuda_nv_fsub_ru __PYCUDA_NV_U2(float, fsub_ru, float, float)
#define __pycuda_nv_dmul_ru __PYCUDA_NV_U2(double, dmul_ru, double, double)
#define __pycuda_nv_fmul_ru __PYCUDA_NV_U2(float, fmul_ru, float, float)
#define __pycuda_nv_ddiv_ru __PYCUDA_NV_U2(double, ddiv_ru, double, double)
#define __pycuda_nv_fdiv_ru __PYCUDA_NV_U2(float, fdiv_ru, float, float)
#define __pycuda_nv_drcp_ru __PYCUDA_NV_U1(double, drcp_ru, double)
#define __pycuda_nv_frcp_ru __PYCUDA_NV_U1(float, frcp_ru, float)
#define __pycuda_nv_dsqrt_ru __PYCUDA_NV_U1(double, dsqrt_ru, double)
#define __pycuda_nv_fsqrt_ru __PYCUDA_NV_U1(float, fsqrt_ru, float)
#define __pycuda_nv_fma_ru \
    __PYCUDA_NV_U3(double, fma_ru, double, double, double)
#define __pycuda_nv_fmaf_ru __PYCUDA_NV_U3(float, fmaf_ru, float, float, float)
#define __pycuda_nv_fmaf_ieee_ru \
    __PYCUDA_NV_U3(float, fmaf_ieee_ru, float, float, float)
#define __pycuda_nv_double2int_ru __PYCUDA_NV_U1(int, double2int_ru, double)
#define __pycuda_nv_double2uint_ru \
    __PYCUDA_NV_U1(unsigned, double2uint_ru, double)
#define __pycuda_nv_double2ll_ru \
    __PYCUDA_NV_U1(long long, double2ll_ru, double)
#define __pycuda_nv_ll2double_ru \
    __PYCUDA_NV_U1(double, ll2double_ru, long long)
#define __pycuda_nv_double2ull_ru \
    __PYCUDA_NV_U1(unsigned long long, double2ull_ru, double)
#define __pycuda_nv_ull2double_ru \
    __PYCUDA_NV_U1(double, ull2double_ru, unsigned long long)
#define __pycuda_nv_float2int_ru __PYCUDA_NV_U1(int, float2int_ru, float)
#define __pycuda_nv_int2float_ru __PYCUDA_NV_U1(float, int2float_ru, int)
#define __pycuda_nv_float2uint_ru \
    __PYCUDA_NV_U1(unsigned, float2uint_ru, float)
#define __pycuda_nv_uint2float_ru \
    __PYCUDA_NV_U1(float, uint2float_ru, unsigned)
#define __pycuda_nv_float2ll_ru __PYCUDA_NV_U1(long long, float2ll_ru, float)
#define __pycuda_nv_ll2float_ru __PYCUDA_NV_U1(float, ll2float_ru, long long)
#define __pycuda_nv_float2ull_ru \
    __PYCUDA_NV_U1(unsigned long long, float2ull_ru, float)
#define __pycuda_nv_ull2float_ru \
    __PYCUDA_NV_U1(float, ull2float_ru, unsigned long long)
#define __pycuda_nv_double2float_ru \
    __PYCUDA_NV_U1(float, double2float_ru, double)
#define __pycuda_nv_dadd_rd __PYCUDA_NV_U2(double, dadd_rd, double, double)
#define __pycuda_nv_fadd_rd __PYCUDA_NV_U2(float, fadd_rd, float, float)
#define __pycuda_nv_dsub_rd __PYCUDA_NV_U2(double, dsub_rd, double, double)
#define __pycuda_nv_fsub_rd __PYCUDA_NV_U2(float, fsub_rd, float, float)
#define __pycuda_nv_dmul_rd __PYCUDA_NV_U2(double, dmul_rd, double, double)
#define __pycuda_nv_fmul_rd __PYCUDA_NV_U2(float, fmul_rd, float, float)
#define __pycuda_nv_ddiv_rd __PYCUDA_NV_U2(double, ddiv_rd, double, double)
#define __pycuda_nv_fdiv_rd __PYCUDA_NV_U2(float, fdiv_rd, float, float)
#define __pycuda_nv_drcp_rd __PYCUDA_NV_U1(double, drcp_rd, double)
#define __pycuda_nv_frcp_rd __PYCUDA_NV_U1(float, frcp_rd, float)
#define __pycuda_nv_dsqrt_rd __PYCUDA_NV_U1(double, dsqrt_rd, double)
#define __pycuda_nv_fsqrt_rd __PYCUDA_NV_U1(float, fsqrt_rd, float)
#define __pycuda_nv_fma_rd \
    __PYCUDA_NV_U3(double, fma_rd, double, double, double)
#define __pycuda_nv_fmaf_rd __PYCUDA_NV_U3(float, fmaf_rd, float, float, float)
#define __pycuda_nv_fmaf_ieee_rd \
    __PYCUDA_NV_U3(float, fmaf_ieee_rd, float, float, float)
#define __pycuda_nv_double2int_rd __PYCUDA_NV_U1(int, double2int_rd, double)
#define __pycuda_nv_double2uint_rd \
    __PYCUDA_NV_U1(unsigned, double2uint_rd, double)
#define __pycuda_nv_double2ll_rd \
    __PYCUDA_NV_U1(long long, double2ll_rd, double)
#define __pycuda_nv_ll2double_rd \
    __PYCUDA_NV_U1(double, ll2double_rd, long long)
#define __pycuda_nv_double2ull_rd \
    __PYCUDA_NV_U1(unsigned long long, double2ull_rd, double)
#define __pycuda_nv_ull2double_rd \
    __PYCUDA_NV_U1(double, ull2double_rd, unsigned long long)
#define __pycuda_nv_float2int_rd __PYCUDA_NV_U1(int, float2int_rd, float)
#define __pycuda_nv_int2float_rd __PYCUDA_NV_U1(float, int2float_rd, int)
#define __pycuda_nv_float2uint_rd \
    __PYCUDA_NV_U1(unsigned, float2uint_rd, float)
#define __pycuda_nv_uint2float_rd \
    __PYCUDA_NV_U1(float, uint2float_rd, unsigned)
#define __pycuda_nv_float2ll_rd __PYCUDA_NV_U1(long long, float2ll_rd, float)
#define __pycuda_nv_ll2float_rd __PYCUDA_NV_U1(float, ll2float_rd, long long)
#define __pycuda_nv_float2ull_rd \
    __PYCUDA_NV_U1(unsigned long long, float2ull_rd, float)
#define __pycuda_nv_ull2float_rd \
    __PYCUDA_NV_U1(float, ull2float_rd, unsigned long long)
#define __pycuda_nv_double2float_rd \
    __PYCUDA_NV_U1(float, double2float_rd, double)
#define __pycuda_nv_int2double_rn __PYCUDA_NV_U1(double, int2double_rn, int)
#define __pycuda_nv_uint2double_rn \
    __PYCUDA_NV_U1(double, uint2double_rn, unsigned)
#define __pycuda_nv_frsqrt_rn __PYCUDA_NV_U1(float, frsqrt_rn, float)
#define __pycuda_nv_double2hiint __PYCUDA_NV_U1(int, double2hiint, double)
#define __pycuda_nv_double2loint __PYCUDA_NV_U1(int, double2loint, double)
#define __pycuda_nv_hiloint2double \
    __PYCUDA_NV_U2(double, hiloint2double, int, int)
#define __pycuda_nv_double_as_longlong \
    __PYCUDA_NV_U1(long long, double_as_longlong, double)
#define __pycuda_nv_longlong_as_double \
    __PYCUDA_NV_U1(double, longlong_as_double, long long)
#define __pycuda_nv_float_as_int __PYCUDA_NV_U1(int, float_as_int, float)
#define __pycuda_nv_int_as_float __PYCUDA_NV_U1(float, int_as_float, int)
#define __pycuda_nv_float_as_uint \
    __PYCUDA_NV_U1(unsigned, float_as_uint, float)
#define __pycuda_nv_uint_as_float \
    __PYCUDA_NV_U1(float, uint_as_float, unsigned)
#define __pycuda_nv_saturatef __PYCUDA_NV_U1(float, saturatef, float)
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
#define __pycuda_nv_mul24 __PYCUDA_NV_U2(int, mul24, int, int)
#define __pycuda_nv_umul24 __PYCUDA_NV_U2(unsigned, umul24, unsigned, unsigned)
#define __pycuda_nv_mulhi __PYCUDA_NV_U2(int, mulhi, int, int)
#define __pycuda_nv_umulhi __PYCUDA_NV_U2(unsigned, umulhi, unsigned, unsigned)
#define __pycuda_nv_mul64hi \
    __PYCUDA_NV_U2(long long, mul64hi, long long, long long)
#define __pycuda_nv_umul64hi \
    __PYCUDA_NV_U2(unsigned long long, umul64hi, \
        unsigned long long, unsigned long long)
#define __pycuda_nv_hadd __PYCUDA_NV_U2(int, hadd, int, int)
#define __pycuda_nv_uhadd __PYCUDA_NV_U2(unsigned, uhadd, unsigned, unsigned)
#define __pycuda_nv_rhadd __PYCUDA_NV_U2(int, rhadd, int, int)
#define __pycuda_nv_urhadd __PYCUDA_NV_U2(unsigned, urhadd, unsigned, unsigned)
#define __pycuda_nv_sad __PYCUDA_NV_U3(unsigned, sad, int, int, unsigned)
#define __pycuda_nv_usad \
    __PYCUDA_NV_U3(unsigned, usad, unsigned, unsigned, unsigned)
#define __pycuda_nv_byte_perm \
    __PYCUDA_NV(int, byte_perm, (int a, int b, int c), \
        (int)__byte_perm(a, b, c))
#define __pycuda_nv_brev __PYCUDA_NV(int, brev, (int a), (int)__brev(a))
#define __pycuda_nv_brevll \
    __PYCUDA_NV(long long, brevll, (long long a), (long long)__brevll(a))
#define __pycuda_nv_clz __PYCUDA_NV_U1(int, clz, int)
#define __pycuda_nv_clzll __PYCUDA_NV_U1(int, clzll, long long)
#define __pycuda_nv_ffs __PYCUDA_NV_U1(int, ffs, int)
#define __pycuda_nv_ffsll __PYCUDA_NV_U1(int, ffsll, long long)
#define __pycuda_nv_popc __PYCUDA_NV_U1(int, popc, int)
#define __pycuda_nv_popcll __PYCUDA_NV_U1(int, popcll, long long)
#define __pycuda_nv_float2half_rn \
    __PYCUDA_NV(unsigned short, float2half_rn, (float a), \
        __builtin_bit_cast(unsigned short, (_Float16)a))
#define __pycuda_nv_half2float \
    __PYCUDA_NV(float, half2float, (unsigned short a), \
        (float)__builtin_bit_cast(_Float16, a))
/* clang-format on */
