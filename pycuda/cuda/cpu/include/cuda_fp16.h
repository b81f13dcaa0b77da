/* cuda_fp16.h - half precision: __half, __half2, conversions, arithmetic.
 *
 * Over the compiler's _Float16: results are rounded to nearest, once.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {

struct __align__(2) __half {
    _Float16 __value;

    __host__ __device__ __half() = default;
    __host__ __device__ constexpr __half(_Float16 value) : __value(value)
    {
    }
    __host__ __device__ __half(float value) : __value((_Float16)value)
    {
    }
    __host__ __device__ __half(double value) : __value((_Float16)value)
    {
    }
    __host__ __device__ __half(int value) : __value((_Float16)value)
    {
    }
    __host__ __device__ __half(unsigned int value) : __value((_Float16)value)
    {
    }
    __host__ __device__ __half(long long value) : __value((_Float16)value)
    {
    }
    __host__ __device__ operator float() const
    {
        return (float)__value;
    }
};
typedef __half half;

struct __align__(4) __half2 {
    __half x, y;

    __host__ __device__ __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b)
    {
    }
};
typedef __half2 half2;

/* ---- conversions ---- */

__pycuda_both __half
__float2half(float x)
{
    return __half(x);
}
__pycuda_both __half
__float2half_rn(float x)
{
    return __half(x);
}
__pycuda_both __half
__double2half(double x)
{
    return __half(x);
}
__pycuda_both float
__half2float(__half x)
{
    return (float)x.__value;
}
__pycuda_both __half
__int2half_rn(int x)
{
    return __half(x);
}
__pycuda_both int
__half2int_rn(__half x)
{
    return __float2int_rn((float)x.__value);
}
__pycuda_both int
__half2int_rz(__half x)
{
    return (int)(float)x.__value;
}
__pycuda_both unsigned short
__half_as_ushort(__half x)
{
    return __builtin_bit_cast(unsigned short, x.__value);
}
__pycuda_both short
__half_as_short(__half x)
{
    return __builtin_bit_cast(short, x.__value);
}
__pycuda_both __half
__ushort_as_half(unsigned short x)
{
    return __half(__builtin_bit_cast(_Float16, x));
}
__pycuda_both __half
__short_as_half(short x)
{
    return __half(__builtin_bit_cast(_Float16, x));
}
__pycuda_both __half2
__floats2half2_rn(float x, float y)
{
    return __half2(__half(x), __half(y));
}
__pycuda_both __half2
__float2half2_rn(float x)
{
    return __half2(__half(x), __half(x));
}
__pycuda_both __half2
__float22half2_rn(float2 v)
{
    return __half2(__half(v.x), __half(v.y));
}
__pycuda_both float2
__half22float2(__half2 v)
{
    return make_float2(__half2float(v.x), __half2float(v.y));
}
__pycuda_both __half2
__halves2half2(__half x, __half y)
{
    return __half2(x, y);
}
__pycuda_both __half2
make_half2(__half x, __half y)
{
    return __half2(x, y);
}
__pycuda_both __half2
__half2half2(__half x)
{
    return __half2(x, x);
}
__pycuda_both __half
__low2half(__half2 v)
{
    return v.x;
}
__pycuda_both __half
__high2half(__half2 v)
{
    return v.y;
}
__pycuda_both float
__low2float(__half2 v)
{
    return __half2float(v.x);
}
__pycuda_both float
__high2float(__half2 v)
{
    return __half2float(v.y);
}

/* ---- arithmetic: __hadd, __hadd2, and the operators ---- */

#define __PYCUDA_HALF_OPERATION(NAME, OPERATOR)                               \
    __pycuda_both __half NAME(__half a, __half b)                             \
    {                                                                         \
        return __half((_Float16)(a.__value OPERATOR b.__value));              \
    }                                                                         \
    __pycuda_both __half2 NAME##2(__half2 a, __half2 b)                       \
    {                                                                         \
        return __half2(NAME(a.x, b.x), NAME(a.y, b.y));                       \
    }                                                                         \
    __pycuda_both __half operator OPERATOR(__half a, __half b)                \
    {                                                                         \
        return NAME(a, b);                                                    \
    }                                                                         \
    __pycuda_both __half2 operator OPERATOR(__half2 a, __half2 b)             \
    {                                                                         \
        return NAME##2(a, b);                                                 \
    }                                                                         \
    __pycuda_both __half &operator OPERATOR##=(__half &a, __half b)           \
    {                                                                         \
        return a = NAME(a, b);                                                \
    }                                                                         \
    __pycuda_both __half2 &operator OPERATOR##=(__half2 &a, __half2 b)        \
    {                                                                         \
        return a = NAME##2(a, b);                                             \
    }
__PYCUDA_HALF_OPERATION(__hadd, +)
__PYCUDA_HALF_OPERATION(__hsub, -)
__PYCUDA_HALF_OPERATION(__hmul, *)
__PYCUDA_HALF_OPERATION(__hdiv, /)
#undef __PYCUDA_HALF_OPERATION

__pycuda_both __half2
__h2div(__half2 a, __half2 b)
{
    return __hdiv2(a, b);
}
__pycuda_both __half
operator-(__half a)
{
    return __half((_Float16)-a.__value);
}
__pycuda_both __half
__hneg(__half a)
{
    return -a;
}
__pycuda_both __half
__habs(__half a)
{
    return __half(fabsf((float)a.__value));
}
/* The exact product and sum fit a double: one rounding. */
__pycuda_both __half
__hfma(__half a, __half b, __half c)
{
    return __half((double)a.__value * (double)b.__value + (double)c.__value);
}
__pycuda_both __half2
__hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

/* ---- comparison ---- */

#define __PYCUDA_HALF_COMPARE(NAME, OPERATOR)                                 \
    __pycuda_both bool NAME(__half a, __half b)                               \
    {                                                                         \
        return a.__value OPERATOR b.__value;                                  \
    }                                                                         \
    __pycuda_both bool operator OPERATOR(__half a, __half b)                  \
    {                                                                         \
        return a.__value OPERATOR b.__value;                                  \
    }
__PYCUDA_HALF_COMPARE(__heq, ==)
__PYCUDA_HALF_COMPARE(__hne, !=)
__PYCUDA_HALF_COMPARE(__hlt, <)
__PYCUDA_HALF_COMPARE(__hle, <=)
__PYCUDA_HALF_COMPARE(__hgt, >)
__PYCUDA_HALF_COMPARE(__hge, >=)
#undef __PYCUDA_HALF_COMPARE

__pycuda_both bool
__hisnan(__half a)
{
    return a.__value != a.__value;
}
__pycuda_both int
__hisinf(__half a)
{
    float x = (float)a.__value;
    return isinf(x) ? (x < 0 ? -1 : 1) : 0;
}
__pycuda_both __half
__hmax(__half a, __half b)
{
    return __half(fmaxf((float)a.__value, (float)b.__value));
}
__pycuda_both __half
__hmin(__half a, __half b)
{
    return __half(fminf((float)a.__value, (float)b.__value));
}

/* ---- functions ---- */

#define __PYCUDA_HALF_FUNCTION(NAME, FUNCTION)                                \
    __pycuda_both __half h##NAME(__half a)                                    \
    {                                                                         \
        return __half(FUNCTION((float)a.__value));                            \
    }                                                                         \
    __pycuda_both __half2 h2##NAME(__half2 a)                                 \
    {                                                                         \
        return __half2(h##NAME(a.x), h##NAME(a.y));                           \
    }
__PYCUDA_HALF_FUNCTION(sqrt, sqrtf)
__PYCUDA_HALF_FUNCTION(rsqrt, rsqrtf)
__PYCUDA_HALF_FUNCTION(exp, expf)
__PYCUDA_HALF_FUNCTION(exp2, exp2f)
__PYCUDA_HALF_FUNCTION(exp10, exp10f)
__PYCUDA_HALF_FUNCTION(log, logf)
__PYCUDA_HALF_FUNCTION(log2, log2f)
__PYCUDA_HALF_FUNCTION(log10, log10f)
__PYCUDA_HALF_FUNCTION(sin, sinf)
__PYCUDA_HALF_FUNCTION(cos, cosf)
__PYCUDA_HALF_FUNCTION(floor, floorf)
__PYCUDA_HALF_FUNCTION(ceil, ceilf)
__PYCUDA_HALF_FUNCTION(rint, rintf)
__PYCUDA_HALF_FUNCTION(trunc, truncf)
#undef __PYCUDA_HALF_FUNCTION

/* ---- atomics and shuffles ---- */

__pycuda_fn __half
atomicAdd(__half *address, __half value)
{
    unsigned short *word = (unsigned short *)address;
    unsigned short old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        word, &old, __half_as_ushort(__hadd(__ushort_as_half(old), value)),
        false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return __ushort_as_half(old);
}
#define __PYCUDA_HALF_SHUFFLE(NAME, LANE, KIND)                               \
    __pycuda_fn __half NAME(unsigned int mask, __half value, LANE lane,       \
                            int width = warpSize)                             \
    {                                                                         \
        return __pycuda_shuffle_value(mask, value, KIND, (int)lane, width);   \
    }
__PYCUDA_HALF_SHUFFLE(__shfl_sync, int, __PYCUDA_SHUFFLE_IDX)
__PYCUDA_HALF_SHUFFLE(__shfl_up_sync, unsigned int, __PYCUDA_SHUFFLE_UP)
__PYCUDA_HALF_SHUFFLE(__shfl_down_sync, unsigned int, __PYCUDA_SHUFFLE_DOWN)
__PYCUDA_HALF_SHUFFLE(__shfl_xor_sync, int, __PYCUDA_SHUFFLE_XOR)
#undef __PYCUDA_HALF_SHUFFLE
}
