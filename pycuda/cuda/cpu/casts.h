/* casts.h - conversions between numbers, and reinterpretations of bits.
 *
 * Conversions to integers saturate and convert NaN to 0, as PTX's do.
 * pycuda-jit gives every C++ conversion these semantics, so a plain cast
 * suffices here.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_BITS(NAME, TO, FROM)                                         \
    __pycuda_both TO NAME(FROM value)                                         \
    {                                                                         \
        return __builtin_bit_cast(TO, value);                                 \
    }
__PYCUDA_BITS(__int_as_float, float, int)
__PYCUDA_BITS(__uint_as_float, float, unsigned int)
__PYCUDA_BITS(__float_as_int, int, float)
__PYCUDA_BITS(__float_as_uint, unsigned int, float)
__PYCUDA_BITS(__longlong_as_double, double, long long)
__PYCUDA_BITS(__double_as_longlong, long long, double)
#undef __PYCUDA_BITS

__pycuda_both int
__double2loint(double value)
{
    return (int)(unsigned int)__builtin_bit_cast(unsigned long, value);
}
__pycuda_both int
__double2hiint(double value)
{
    return (int)(__builtin_bit_cast(unsigned long, value) >> 32);
}
__pycuda_both double
__hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double,
                              ((unsigned long)(unsigned int)high << 32) |
                                  (unsigned int)low);
}

/* Floating point to integer; the suffix names the rounding mode. */
#define __PYCUDA_TO_INTEGER(NAME, TO, FROM, SUFFIX)                           \
    __pycuda_both TO NAME##_rn(FROM value)                                    \
    {                                                                         \
        return (TO)__builtin_rint##SUFFIX(value);                             \
    }                                                                         \
    __pycuda_both TO NAME##_rz(FROM value)                                    \
    {                                                                         \
        return (TO)value;                                                     \
    }                                                                         \
    __pycuda_both TO NAME##_ru(FROM value)                                    \
    {                                                                         \
        return (TO)__builtin_ceil##SUFFIX(value);                             \
    }                                                                         \
    __pycuda_both TO NAME##_rd(FROM value)                                    \
    {                                                                         \
        return (TO)__builtin_floor##SUFFIX(value);                            \
    }
__PYCUDA_TO_INTEGER(__float2int, int, float, f)
__PYCUDA_TO_INTEGER(__float2uint, unsigned int, float, f)
__PYCUDA_TO_INTEGER(__float2ll, long long, float, f)
__PYCUDA_TO_INTEGER(__float2ull, unsigned long long, float, f)
__PYCUDA_TO_INTEGER(__double2int, int, double, )
__PYCUDA_TO_INTEGER(__double2uint, unsigned int, double, )
__PYCUDA_TO_INTEGER(__double2ll, long long, double, )
__PYCUDA_TO_INTEGER(__double2ull, unsigned long long, double, )
#undef __PYCUDA_TO_INTEGER

/* Converts an integer or double to floating point: rounds `value` to nearest,
 * then moves one step if the result is on the wrong side of `value`. The
 * difference is computed in a type that holds both exactly. */
#define __PYCUDA_TO_FLOATING(NAME, TO, FROM, WIDE, SUFFIX)                    \
    __pycuda_both TO NAME##_rn(FROM value)                                    \
    {                                                                         \
        return (TO)value;                                                     \
    }                                                                         \
    __pycuda_both TO NAME##_ru(FROM value)                                    \
    {                                                                         \
        TO near = (TO)value;                                                  \
        return (WIDE)near < (WIDE)value                                       \
                   ? __pycuda_step##SUFFIX(near, true)                        \
                   : near;                                                    \
    }                                                                         \
    __pycuda_both TO NAME##_rd(FROM value)                                    \
    {                                                                         \
        TO near = (TO)value;                                                  \
        return (WIDE)near > (WIDE)value                                       \
                   ? __pycuda_step##SUFFIX(near, false)                       \
                   : near;                                                    \
    }                                                                         \
    __pycuda_both TO NAME##_rz(FROM value)                                    \
    {                                                                         \
        return value < 0 ? NAME##_ru(value) : NAME##_rd(value);               \
    }

/* Return the next larger or smaller representable number. */
__pycuda_both float
__pycuda_stepf(float value, bool up)
{
    if (value == 0.0f) {
        return up ? 0x1p-149f : -0x1p-149f;
    }
    unsigned int bits = __builtin_bit_cast(unsigned int, value);
    bits += (value > 0.0f) == up ? 1u : -1u;
    return __builtin_bit_cast(float, bits);
}
__pycuda_both double
__pycuda_step(double value, bool up)
{
    if (value == 0.0) {
        return up ? 0x1p-1074 : -0x1p-1074;
    }
    unsigned long bits = __builtin_bit_cast(unsigned long, value);
    bits += (value > 0.0) == up ? 1ul : -1ul;
    return __builtin_bit_cast(double, bits);
}
__PYCUDA_TO_FLOATING(__int2float, float, int, double, f)
__PYCUDA_TO_FLOATING(__uint2float, float, unsigned int, double, f)
__PYCUDA_TO_FLOATING(__ll2float, float, long long, __int128, f)
__PYCUDA_TO_FLOATING(__ull2float, float, unsigned long long, __int128, f)
__PYCUDA_TO_FLOATING(__ll2double, double, long long, __int128, )
__PYCUDA_TO_FLOATING(__ull2double, double, unsigned long long, __int128, )
__PYCUDA_TO_FLOATING(__double2float, float, double, double, f)
#undef __PYCUDA_TO_FLOATING

__pycuda_both double
__int2double_rn(int value)
{
    return value;
}
__pycuda_both double
__uint2double_rn(unsigned int value)
{
    return value;
}
