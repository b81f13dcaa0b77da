/* convert.h - the functions __nv_cvt_..._to_fp6 and ..._to_fp4, and back.
 *
 * Included once for each of the two formats, with __PYCUDA_FP (fp6),
 * __PYCUDA_WIDTH (bits from one element of a pair to the next),
 * __pycuda_fp6_encode and __pycuda_fp6_decode defined. All conversions
 * saturate. The valid rounding modes are to nearest and toward zero. As in
 * CUDA's headers, any other mode fails an assertion, or rounds toward zero if
 * NDEBUG disables the assertion.
 *
 * SPDX-License-Identifier: MIT */

#define __PYCUDA_STORE  __PYCUDA_JOIN3(__nv_, __PYCUDA_FP, _storage_t)
#define __PYCUDA_STORE2 __PYCUDA_JOIN3(__nv_, __PYCUDA_FP, x2_storage_t)
#define __PYCUDA_KIND   __PYCUDA_JOIN3(__nv_, __PYCUDA_FP, _interpretation_t)
#define __PYCUDA_TO     __PYCUDA_JOIN(_to_, __PYCUDA_FP)
#define __PYCUDA_TO2    __PYCUDA_JOIN(__PYCUDA_TO, x2)

#define __PYCUDA_FROM(TYPE, T, VALUE)                                         \
    __pycuda_both __PYCUDA_STORE __PYCUDA_JOIN3(__nv_cvt_, TYPE, __PYCUDA_TO)(    \
        T x, __PYCUDA_KIND kind, cudaRoundMode rounding)                      \
    {                                                                         \
        assert(rounding == cudaRoundNearest || rounding == cudaRoundZero);    \
        return __PYCUDA_JOIN3(__pycuda_, __PYCUDA_FP, _encode)(               \
            VALUE, kind, rounding == cudaRoundNearest);                       \
    }
__PYCUDA_FROM(float, float, x)
__PYCUDA_FROM(double, double, __pycuda_odd_float(x))
__PYCUDA_FROM(halfraw, __half_raw, (float)__half(x))
__PYCUDA_FROM(bfloat16raw, __nv_bfloat16_raw, (float)__nv_bfloat16(x))
#undef __PYCUDA_FROM

#define __PYCUDA_FROM(TYPE, PAIR, X, Y)                                       \
    __PYCUDA_PAIR_TO_NARROW(                                                  \
        __PYCUDA_JOIN4(__nv_cvt_, TYPE, 2, __PYCUDA_TO2), __PYCUDA_STORE2,    \
        __PYCUDA_WIDTH, PAIR, __PYCUDA_JOIN3(__nv_cvt_, TYPE, __PYCUDA_TO),   \
        X, Y, (__PYCUDA_KIND kind, cudaRoundMode rounding), (kind, rounding))
__PYCUDA_FROM(float, float2, v.x, v.y)
__PYCUDA_FROM(double, double2, v.x, v.y)
__PYCUDA_FROM(halfraw, __half2_raw, __half_raw{v.x}, __half_raw{v.y})
__PYCUDA_FROM(bfloat16raw, __nv_bfloat162_raw, __nv_bfloat16_raw{v.x},
              __nv_bfloat16_raw{v.y})
#undef __PYCUDA_FROM

/* Half precision represents every number of fp6 and of fp4. */
__pycuda_both __half_raw
__PYCUDA_JOIN3(__nv_cvt_, __PYCUDA_FP, _to_halfraw)(__PYCUDA_STORE x,
                                                   __PYCUDA_KIND kind)
{
    return __half(__PYCUDA_JOIN3(__pycuda_, __PYCUDA_FP, _decode)(x, kind));
}
__pycuda_both __half2_raw
__PYCUDA_JOIN3(__nv_cvt_, __PYCUDA_FP, x2_to_halfraw2)(__PYCUDA_STORE2 x,
                                                      __PYCUDA_KIND kind)
{
    __PYCUDA_STORE low = (__PYCUDA_STORE)x;
    __PYCUDA_STORE high = (__PYCUDA_STORE)(x >> __PYCUDA_WIDTH);
    return {
        __PYCUDA_JOIN3(__nv_cvt_, __PYCUDA_FP, _to_halfraw)(low, kind).x,
        __PYCUDA_JOIN3(__nv_cvt_, __PYCUDA_FP, _to_halfraw)(high, kind).x,
    };
}

#undef __PYCUDA_STORE
#undef __PYCUDA_STORE2
#undef __PYCUDA_KIND
#undef __PYCUDA_TO
#undef __PYCUDA_TO2
