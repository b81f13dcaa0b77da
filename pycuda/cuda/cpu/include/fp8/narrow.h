/* narrow.h - rounding of floats to formats of 4, 6 and 8 bits, and back.
 *
 * A code consists of a sign bit, an exponent and `digits` bits of fraction;
 * `least` is the binary exponent of the smallest normal number. Without the
 * sign bit, the codes 0, 1, 2, ... represent ascending magnitudes, so a carry
 * out of the fraction correctly increments the exponent.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "../half/join.h"

/* Code of |x|, rounded to nearest even or toward zero; x must not be NaN. The
 * result may exceed the format's largest code. An addition rounds subnormal
 * results; normal results are rounded by integer operations on their bits. */
__pycuda_both unsigned int
__pycuda_narrow_magnitude(float x, int digits, int least, bool nearest)
{
    const int dropped = 23 - digits;
    const unsigned int last_place_bits = 127u + 23u + least - digits << 23;
    const unsigned int scale_bits = 127u + digits - least << 23;
    const unsigned int least_bits = 127u + least << 23;

    unsigned int bits = __builtin_bit_cast(unsigned int, x) & 0x7fffffffu;
    float size = __builtin_bit_cast(float, bits);
    unsigned int tie =
        nearest ? (1u << (dropped - 1)) - 1u + (bits >> dropped & 1u) : 0u;
    unsigned int normal = (bits - (126u + least << 23) + tie) >> dropped;
    float last_place = __builtin_bit_cast(float, last_place_bits);
    float scaled = size * __builtin_bit_cast(float, scale_bits);
    unsigned int small =
        nearest ? __builtin_bit_cast(unsigned int, size + last_place) -
                      last_place_bits
                : (unsigned int)scaled;
    return bits < least_bits ? small : normal;
}

/* Code of `width` bits in a format without infinity and NaN: numbers beyond
 * the largest become the largest, and NaN the largest positive one. */
__pycuda_both unsigned char
__pycuda_narrow_finite(float x, int width, int digits, int least, bool nearest)
{
    const unsigned int largest = (1u << (width - 1)) - 1u;
    unsigned int sign = __builtin_bit_cast(unsigned int, x) >> 31;
    unsigned int code = __pycuda_narrow_magnitude(x, digits, least, nearest);
    code = code <= largest ? code : largest;
    return (unsigned char)(x != x ? largest : sign << (width - 1) | code);
}

/* Number that a code represents in a format without infinity and NaN. Bits
 * above `width` are ignored. Half precision holds the fraction and the range
 * of the exponent; the multiplication converts its bias to that of the format.
 */
__pycuda_both float
__pycuda_narrow_value(unsigned int code, int width, int digits, int least)
{
    unsigned int sign = (code >> (width - 1) & 1u) << 15;
    unsigned int size = code & (1u << (width - 1)) - 1u;
    unsigned short bits = (unsigned short)(sign | size << (10 - digits));
    unsigned int scale = 127u + 14u + least << 23;
    return __builtin_bit_cast(float, scale) * __pycuda_half_to_float(bits);
}
