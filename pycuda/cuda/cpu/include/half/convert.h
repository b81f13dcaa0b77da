/* convert.h - conversions of __half or __nv_bfloat16, in each rounding mode.
 *
 * Included once for each type.
 *
 * SPDX-License-Identifier: MIT */

__pycuda_both __PYCUDA_T
__PYCUDA_JOIN(__ushort_as_, __PYCUDA_H)(unsigned short bits)
{
    return __PYCUDA_T(__PYCUDA_RAW{bits});
}
__pycuda_both __PYCUDA_T
__PYCUDA_JOIN(__short_as_, __PYCUDA_H)(short bits)
{
    return __PYCUDA_T(__PYCUDA_RAW{(unsigned short)bits});
}
__pycuda_both unsigned short
__PYCUDA_JOIN3(__, __PYCUDA_H, _as_ushort)(__PYCUDA_T a)
{
    return a.__x;
}
__pycuda_both short
__PYCUDA_JOIN3(__, __PYCUDA_H, _as_short)(__PYCUDA_T a)
{
    return (short)a.__x;
}
__pycuda_both float
__PYCUDA_JOIN3(__, __PYCUDA_H, 2float)(__PYCUDA_T a)
{
    return (float)a;
}

/* Rounds x down if `side` is -1, up if it is 1, and towards zero if it is 0:
 * rounds to nearest, and moves the result by one step if it is on the wrong
 * side of x. */
__pycuda_both __PYCUDA_T
__PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _direct)(double x, int side)
{
    __PYCUDA_T near(x);
    double got = (float)near;
    bool negative = __builtin_signbit(x);
    side = side ? side : negative ? 1 : -1;
    if (x != x || (side < 0 ? got <= x : got >= x)) {
        return near;
    }
    /* One step changes the bits by 1: up if it is away from zero, else
     * down. */
    bool away = (side < 0) == negative;
    unsigned short bits = near.__x;
    bits = (unsigned short)(away ? bits + 1 : bits - 1);
    return __PYCUDA_T(__PYCUDA_RAW{bits});
}
#define __PYCUDA_DIRECT __PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _direct)

#define __PYCUDA_NARROW(NAME, FROM)                                           \
    __pycuda_both __PYCUDA_T __PYCUDA_JOIN3(NAME, __PYCUDA_H, _rn)(FROM x)    \
    {                                                                         \
        return __PYCUDA_T(x);                                                 \
    }                                                                         \
    __pycuda_both __PYCUDA_T __PYCUDA_JOIN3(NAME, __PYCUDA_H, _rz)(FROM x)    \
    {                                                                         \
        return __PYCUDA_DIRECT(__pycuda_odd_double(x), 0);                    \
    }                                                                         \
    __pycuda_both __PYCUDA_T __PYCUDA_JOIN3(NAME, __PYCUDA_H, _rd)(FROM x)    \
    {                                                                         \
        return __PYCUDA_DIRECT(__pycuda_odd_double(x), -1);                   \
    }                                                                         \
    __pycuda_both __PYCUDA_T __PYCUDA_JOIN3(NAME, __PYCUDA_H, _ru)(FROM x)    \
    {                                                                         \
        return __PYCUDA_DIRECT(__pycuda_odd_double(x), 1);                    \
    }
__PYCUDA_NARROW(__float2, float)
__PYCUDA_NARROW(__short2, short)
__PYCUDA_NARROW(__ushort2, unsigned short)
__PYCUDA_NARROW(__int2, int)
__PYCUDA_NARROW(__uint2, unsigned int)
__PYCUDA_NARROW(__ll2, long long)
__PYCUDA_NARROW(__ull2, unsigned long long)
#undef __PYCUDA_NARROW
__pycuda_both __PYCUDA_T
__PYCUDA_JOIN(__float2, __PYCUDA_H)(float x)
{
    return __PYCUDA_T(x);
}
__pycuda_both __PYCUDA_T
__PYCUDA_JOIN(__double2, __PYCUDA_H)(double x)
{
    return __PYCUDA_T(x);
}

#define __PYCUDA_WIDEN(TYPE, SUFFIX, TO)                                      \
    __pycuda_both TYPE __PYCUDA_JOIN4(__, __PYCUDA_H, SUFFIX,                 \
                                      _rn)(__PYCUDA_T a)                      \
    {                                                                         \
        return TO(rintf((float)a));                                           \
    }                                                                         \
    __pycuda_both TYPE __PYCUDA_JOIN4(__, __PYCUDA_H, SUFFIX,                 \
                                      _rz)(__PYCUDA_T a)                      \
    {                                                                         \
        return TO(truncf((float)a));                                          \
    }                                                                         \
    __pycuda_both TYPE __PYCUDA_JOIN4(__, __PYCUDA_H, SUFFIX,                 \
                                      _rd)(__PYCUDA_T a)                      \
    {                                                                         \
        return TO(floorf((float)a));                                          \
    }                                                                         \
    __pycuda_both TYPE __PYCUDA_JOIN4(__, __PYCUDA_H, SUFFIX,                 \
                                      _ru)(__PYCUDA_T a)                      \
    {                                                                         \
        return TO(ceilf((float)a));                                           \
    }
#define __PYCUDA_LEAST(x, LOW, HIGH)                                          \
    ((x) != (x) ? 0 : (x) < (LOW) ? (LOW) : (x) > (HIGH) ? (HIGH) : (x))
#define __PYCUDA_TO_SHORT(x)  (short)__PYCUDA_LEAST(x, -32768.f, 32767.f)
#define __PYCUDA_TO_USHORT(x) (unsigned short)__PYCUDA_LEAST(x, 0.f, 65535.f)
__PYCUDA_WIDEN(short, 2short, __PYCUDA_TO_SHORT)
__PYCUDA_WIDEN(unsigned short, 2ushort, __PYCUDA_TO_USHORT)
__PYCUDA_WIDEN(int, 2int, (int))
__PYCUDA_WIDEN(unsigned int, 2uint, (unsigned int))
__PYCUDA_WIDEN(long long, 2ll, (long long))
__PYCUDA_WIDEN(unsigned long long, 2ull, (unsigned long long))
__pycuda_both signed char
__PYCUDA_JOIN3(__, __PYCUDA_H, 2char_rz)(__PYCUDA_T a)
{
    float x = (float)a;
    return (signed char)__PYCUDA_LEAST(x, -128.f, 127.f);
}
__pycuda_both unsigned char
__PYCUDA_JOIN3(__, __PYCUDA_H, 2uchar_rz)(__PYCUDA_T a)
{
    float x = (float)a;
    return (unsigned char)__PYCUDA_LEAST(x, 0.f, 255.f);
}
#undef __PYCUDA_WIDEN
#undef __PYCUDA_LEAST
#undef __PYCUDA_TO_SHORT
#undef __PYCUDA_TO_USHORT

/* ---- pairs ---- */

#define __PYCUDA_PAIR(NAME, PARAMETERS, X, Y)                                 \
    __pycuda_both __PYCUDA_T2 NAME PARAMETERS                                 \
    {                                                                         \
        return __PYCUDA_T2(X, Y);                                             \
    }
__PYCUDA_PAIR(__PYCUDA_JOIN3(__float2, __PYCUDA_H, 2_rn), (float x),
              __PYCUDA_T(x), __PYCUDA_T(x))
__PYCUDA_PAIR(__PYCUDA_JOIN3(__floats2, __PYCUDA_H, 2_rn),
              (float x, float y), __PYCUDA_T(x), __PYCUDA_T(y))
__PYCUDA_PAIR(__PYCUDA_JOIN3(__float22, __PYCUDA_H, 2_rn), (float2 v),
              __PYCUDA_T(v.x), __PYCUDA_T(v.y))
__PYCUDA_PAIR(__PYCUDA_JOIN5(__, __PYCUDA_H, 2, __PYCUDA_H, 2),
              (__PYCUDA_T a), a, a)
__PYCUDA_PAIR(__PYCUDA_JOIN3(__halves2, __PYCUDA_H, 2),
              (__PYCUDA_T a, __PYCUDA_T b), a, b)
__PYCUDA_PAIR(__PYCUDA_JOIN3(__low2, __PYCUDA_H, 2), (__PYCUDA_T2 v), v.x,
              v.x)
__PYCUDA_PAIR(__PYCUDA_JOIN3(__high2, __PYCUDA_H, 2), (__PYCUDA_T2 v), v.y,
              v.y)
__PYCUDA_PAIR(__PYCUDA_JOIN3(__lows2, __PYCUDA_H, 2),
              (__PYCUDA_T2 v, __PYCUDA_T2 w), v.x, w.x)
__PYCUDA_PAIR(__PYCUDA_JOIN3(__highs2, __PYCUDA_H, 2),
              (__PYCUDA_T2 v, __PYCUDA_T2 w), v.y, w.y)
__PYCUDA_PAIR(__lowhigh2highlow, (__PYCUDA_T2 v), v.y, v.x)
#undef __PYCUDA_PAIR
__pycuda_both float2
__PYCUDA_JOIN3(__, __PYCUDA_H, 22float2)(__PYCUDA_T2 v)
{
    return make_float2((float)v.x, (float)v.y);
}
__pycuda_both __PYCUDA_T
__PYCUDA_JOIN(__low2, __PYCUDA_H)(__PYCUDA_T2 v)
{
    return v.x;
}
__pycuda_both __PYCUDA_T
__PYCUDA_JOIN(__high2, __PYCUDA_H)(__PYCUDA_T2 v)
{
    return v.y;
}
__pycuda_both float
__low2float(__PYCUDA_T2 v)
{
    return (float)v.x;
}
__pycuda_both float
__high2float(__PYCUDA_T2 v)
{
    return (float)v.y;
}
