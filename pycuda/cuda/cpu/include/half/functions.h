/* functions.h - hsqrt, h2exp and the other functions, computed in float.
 *
 * Included once for each type.
 *
 * SPDX-License-Identifier: MIT */

#define __PYCUDA_FUNCTION(NAME, EXPRESSION)                                   \
    __pycuda_both __PYCUDA_T h##NAME(__PYCUDA_T a)                            \
    {                                                                         \
        float x = (float)a;                                                   \
        return __PYCUDA_T(EXPRESSION);                                        \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 h2##NAME(__PYCUDA_T2 a)                         \
    {                                                                         \
        return __PYCUDA_T2(h##NAME(a.x), h##NAME(a.y));                       \
    }
__PYCUDA_FUNCTION(sqrt, sqrtf(x))
__PYCUDA_FUNCTION(rsqrt, rsqrtf(x))
__PYCUDA_FUNCTION(rcp, 1.0f / x)
__PYCUDA_FUNCTION(exp, expf(x))
__PYCUDA_FUNCTION(exp2, exp2f(x))
__PYCUDA_FUNCTION(exp10, exp10f(x))
__PYCUDA_FUNCTION(log, logf(x))
__PYCUDA_FUNCTION(log2, log2f(x))
__PYCUDA_FUNCTION(log10, log10f(x))
__PYCUDA_FUNCTION(sin, sinf(x))
__PYCUDA_FUNCTION(cos, cosf(x))
__PYCUDA_FUNCTION(tanh, tanhf(x))
__PYCUDA_FUNCTION(floor, floorf(x))
__PYCUDA_FUNCTION(ceil, ceilf(x))
__PYCUDA_FUNCTION(rint, rintf(x))
__PYCUDA_FUNCTION(trunc, truncf(x))
__PYCUDA_FUNCTION(tanh_approx, tanhf(x))
#undef __PYCUDA_FUNCTION

/* a * b + c of complex numbers, in CUDA's order; each step is rounded. */
__pycuda_both __PYCUDA_T2
__hcmadd(__PYCUDA_T2 a, __PYCUDA_T2 b, __PYCUDA_T2 c)
{
    return __PYCUDA_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                       __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* Deletes functions for calls that nvcc and NVRTC reject as ambiguous, because
 * a 16-bit float converts to several other types. */
template <class T>
using __PYCUDA_JOIN3(__pycuda_if_, __PYCUDA_H, ) =
    typename __pycuda_if<__is_same(T, __PYCUDA_T), T>::type;
#define __PYCUDA_AMBIGUOUS(NAME, ...)                                         \
    template <class T>                                                        \
    __pycuda_template_both __PYCUDA_JOIN3(__pycuda_if_, __PYCUDA_H, )<T> NAME(    \
        __VA_ARGS__) = delete;
__PYCUDA_AMBIGUOUS(isnan, T)
__PYCUDA_AMBIGUOUS(isinf, T)
__PYCUDA_AMBIGUOUS(isfinite, T)
__PYCUDA_AMBIGUOUS(signbit, T)
__PYCUDA_AMBIGUOUS(abs, T)
__PYCUDA_AMBIGUOUS(min, T, T)
__PYCUDA_AMBIGUOUS(max, T, T)
#undef __PYCUDA_AMBIGUOUS
