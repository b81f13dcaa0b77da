/* simd.h - two halfwords or four bytes in a word: __vadd4 and the others.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_LEAST(T)                                                     \
    ((T)-1 < 0 ? -(1 << (8 * (int)sizeof(T) - 1)) : 0)
#define __PYCUDA_GREATEST(T)                                                  \
    ((1 << (8 * (int)sizeof(T) - ((T)-1 < 0 ? 1 : 0))) - 1)
#define __PYCUDA_CLAMPED(T, value)                                            \
    ((value) < __PYCUDA_LEAST(T)      ? __PYCUDA_LEAST(T)                     \
     : (value) > __PYCUDA_GREATEST(T) ? __PYCUDA_GREATEST(T)                  \
                                      : (value))
#define __PYCUDA_MASK(T) ((1u << (8 * (int)sizeof(T))) - 1)

/* Each lane of the result is EXPRESSION of the lanes x and y. */
#define __PYCUDA_LANES(NAME, T, EXPRESSION)                                   \
    __pycuda_both unsigned int NAME(unsigned int a, unsigned int b)           \
    {                                                                         \
        unsigned int result = 0;                                              \
        for (int i = 0; i < 32; i += 8 * (int)sizeof(T)) {                    \
            int x = (T)(a >> i), y = (T)(b >> i);                             \
            result |= ((unsigned int)(EXPRESSION) & __PYCUDA_MASK(T)) << i;   \
        }                                                                     \
        return result;                                                        \
    }
#define __PYCUDA_LANES1(NAME, T, EXPRESSION)                                  \
    __pycuda_both unsigned int NAME(unsigned int a)                           \
    {                                                                         \
        unsigned int result = 0;                                              \
        for (int i = 0; i < 32; i += 8 * (int)sizeof(T)) {                    \
            int x = (T)(a >> i);                                              \
            result |= ((unsigned int)(EXPRESSION) & __PYCUDA_MASK(T)) << i;   \
        }                                                                     \
        return result;                                                        \
    }
#define __PYCUDA_SUM(NAME, T)                                                 \
    __pycuda_both unsigned int NAME(unsigned int a, unsigned int b)           \
    {                                                                         \
        unsigned int result = 0;                                              \
        for (int i = 0; i < 32; i += 8 * (int)sizeof(T)) {                    \
            int x = (T)(a >> i), y = (T)(b >> i);                             \
            result += (unsigned int)(x > y ? x - y : y - x);                  \
        }                                                                     \
        return result;                                                        \
    }

#define __PYCUDA_SIGNED(N, T)                                                 \
    __PYCUDA_LANES(__vadd##N, T, x + y)                                       \
    __PYCUDA_LANES(__vsub##N, T, x - y)                                       \
    __PYCUDA_LANES(__vaddss##N, T, __PYCUDA_CLAMPED(T, x + y))                \
    __PYCUDA_LANES(__vsubss##N, T, __PYCUDA_CLAMPED(T, x - y))                \
    __PYCUDA_LANES(__vavgs##N, T, (x + y + (x + y >= 0)) >> 1)                \
    __PYCUDA_LANES(__vabsdiffs##N, T, x > y ? x - y : y - x)                  \
    __PYCUDA_LANES1(__vabs##N, T, x < 0 ? -x : x)                             \
    __PYCUDA_LANES1(__vneg##N, T, -x)                                         \
    __PYCUDA_LANES1(__vabsss##N, T, __PYCUDA_CLAMPED(T, x < 0 ? -x : x))      \
    __PYCUDA_LANES1(__vnegss##N, T, __PYCUDA_CLAMPED(T, -x))                  \
    __PYCUDA_SUM(__vsads##N, T)                                               \
    __PYCUDA_CHOICES(s##N, T)
#define __PYCUDA_UNSIGNED(N, T)                                               \
    __PYCUDA_LANES(__vaddus##N, T, __PYCUDA_CLAMPED(T, x + y))                \
    __PYCUDA_LANES(__vsubus##N, T, __PYCUDA_CLAMPED(T, x - y))                \
    __PYCUDA_LANES(__vavgu##N, T, (x + y + 1) >> 1)                           \
    __PYCUDA_LANES(__vhaddu##N, T, (x + y) >> 1)                              \
    __PYCUDA_LANES(__vabsdiffu##N, T, x > y ? x - y : y - x)                  \
    __PYCUDA_SUM(__vsadu##N, T)                                               \
    __PYCUDA_CHOICES(u##N, T)                                                 \
    __PYCUDA_COMPARES(eq, N, T, ==)                                           \
    __PYCUDA_COMPARES(ne, N, T, !=)
#define __PYCUDA_CHOICES(N, T)                                                \
    __PYCUDA_LANES(__vmax##N, T, x > y ? x : y)                               \
    __PYCUDA_LANES(__vmin##N, T, x < y ? x : y)                               \
    __PYCUDA_COMPARES(lt, N, T, <)                                            \
    __PYCUDA_COMPARES(le, N, T, <=)                                           \
    __PYCUDA_COMPARES(gt, N, T, >)                                            \
    __PYCUDA_COMPARES(ge, N, T, >=)
/* Each part of the result is all ones, or the value 1, where the comparison is
 * true, and otherwise 0. */
#define __PYCUDA_COMPARES(NAME, N, T, OPERATOR)                               \
    __PYCUDA_LANES(__vcmp##NAME##N, T, x OPERATOR y ? -1 : 0)                 \
    __PYCUDA_LANES(__vset##NAME##N, T, x OPERATOR y)
__PYCUDA_SIGNED(2, short)
__PYCUDA_SIGNED(4, signed char)
__PYCUDA_UNSIGNED(2, unsigned short)
__PYCUDA_UNSIGNED(4, unsigned char)
#undef __PYCUDA_SIGNED
#undef __PYCUDA_UNSIGNED
#undef __PYCUDA_CHOICES
#undef __PYCUDA_COMPARES
#undef __PYCUDA_SUM
#undef __PYCUDA_LANES
#undef __PYCUDA_LANES1
#undef __PYCUDA_CLAMPED
#undef __PYCUDA_LEAST
#undef __PYCUDA_GREATEST
#undef __PYCUDA_MASK

/* ---- dynamic programming: max and min of three numbers or sums ---- */

#define __PYCUDA_THREE(NAME, T, FIRST, SECOND)                                \
    __pycuda_both T __vi##NAME(T a, T b, T c)                                 \
    {                                                                         \
        T sum = FIRST;                                                        \
        return SECOND;                                                        \
    }
#define __PYCUDA_THREES(S, T, PLUS, MAX, MIN)                                 \
    __PYCUDA_THREE(max3_##S, T, MAX(a, b), MAX(sum, c))                       \
    __PYCUDA_THREE(min3_##S, T, MIN(a, b), MIN(sum, c))                       \
    __PYCUDA_THREE(addmax_##S, T, PLUS(a, b), MAX(sum, c))                    \
    __PYCUDA_THREE(addmin_##S, T, PLUS(a, b), MIN(sum, c))
/* Defines functions with the suffix _relu, which return 0 in place of a
 * negative maximum or minimum. */
#define __PYCUDA_RELUS(S, T, PLUS, MAX, MIN)                                  \
    __PYCUDA_THREE(max3_##S, T, MAX(a, b), MAX(MAX(sum, c), 0))               \
    __PYCUDA_THREE(min3_##S, T, MIN(a, b), MAX(MIN(sum, c), 0))               \
    __PYCUDA_THREE(addmax_##S, T, PLUS(a, b), MAX(MAX(sum, c), 0))            \
    __PYCUDA_THREE(addmin_##S, T, PLUS(a, b), MAX(MIN(sum, c), 0))            \
    __pycuda_both T __vimax_##S(T a, T b)                                     \
    {                                                                         \
        return MAX(MAX(a, b), 0);                                             \
    }                                                                         \
    __pycuda_both T __vimin_##S(T a, T b)                                     \
    {                                                                         \
        return MAX(MIN(a, b), 0);                                             \
    }
#define __PYCUDA_PLUS(a, b) ((unsigned int)(a) + (unsigned int)(b))
__PYCUDA_THREES(s32, int, (int)__PYCUDA_PLUS, max, min)
__PYCUDA_RELUS(s32_relu, int, (int)__PYCUDA_PLUS, max, min)
__PYCUDA_THREES(u32, unsigned int, __PYCUDA_PLUS, max, min)
__PYCUDA_THREES(s16x2, unsigned int, __vadd2, __vmaxs2, __vmins2)
__PYCUDA_RELUS(s16x2_relu, unsigned int, __vadd2, __vmaxs2, __vmins2)
__PYCUDA_THREES(u16x2, unsigned int, __vadd2, __vmaxu2, __vminu2)
#undef __PYCUDA_THREES
#undef __PYCUDA_RELUS
#undef __PYCUDA_THREE
#undef __PYCUDA_PLUS

/* The larger or the smaller of two values, and whether it is the first one. */
#define __PYCUDA_CHOICE(NAME, T, OPERATOR)                                    \
    __pycuda_both T NAME(T a, T b, bool *const pred)                          \
    {                                                                         \
        bool first = a OPERATOR b;                                            \
        *pred = first;                                                        \
        return first ? a : b;                                                 \
    }
#define __PYCUDA_CHOICE2(NAME, T, OPERATOR)                                   \
    __pycuda_both unsigned int NAME(unsigned int a, unsigned int b,           \
                                    bool *const pred_hi, bool *const pred_lo) \
    {                                                                         \
        bool high = (T)(a >> 16) OPERATOR(T)(b >> 16);                        \
        bool low = (T)a OPERATOR(T)b;                                         \
        *pred_hi = high;                                                      \
        *pred_lo = low;                                                       \
        return ((high ? a : b) & 0xffff0000u) | ((low ? a : b) & 0xffffu);    \
    }
__PYCUDA_CHOICE(__vibmax_s32, int, >=)
__PYCUDA_CHOICE(__vibmin_s32, int, <=)
__PYCUDA_CHOICE(__vibmax_u32, unsigned int, >=)
__PYCUDA_CHOICE(__vibmin_u32, unsigned int, <=)
__PYCUDA_CHOICE2(__vibmax_s16x2, short, >=)
__PYCUDA_CHOICE2(__vibmin_s16x2, short, <=)
__PYCUDA_CHOICE2(__vibmax_u16x2, unsigned short, >=)
__PYCUDA_CHOICE2(__vibmin_u16x2, unsigned short, <=)
#undef __PYCUDA_CHOICE
#undef __PYCUDA_CHOICE2

/* ---- dot products ---- */

/* Combines two halfwords of a with the low or the high bytes of b. */
#define __PYCUDA_DOT2(NAME, FIRST, T, HALF, BYTE)                             \
    __pycuda_both T NAME(T a, T b, T c)                                       \
    {                                                                         \
        return c +                                                            \
               (T)((HALF)(a) * (T)(BYTE)(b >> (FIRST))) +                     \
               (T)((HALF)(a >> 16) * (T)(BYTE)(b >> ((FIRST) + 8)));          \
    }
__PYCUDA_DOT2(__dp2a_lo, 0, int, short, signed char)
__PYCUDA_DOT2(__dp2a_hi, 16, int, short, signed char)
__PYCUDA_DOT2(__dp2a_lo, 0, unsigned int, unsigned short, unsigned char)
__PYCUDA_DOT2(__dp2a_hi, 16, unsigned int, unsigned short, unsigned char)
#undef __PYCUDA_DOT2

#define __PYCUDA_DOT_VECTORS(NAME, A, B, T)                                   \
    __pycuda_both T NAME(A a, B b, T c)                                       \
    {                                                                         \
        return NAME(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);   \
    }
__PYCUDA_DOT_VECTORS(__dp2a_lo, short2, char4, int)
__PYCUDA_DOT_VECTORS(__dp2a_hi, short2, char4, int)
__PYCUDA_DOT_VECTORS(__dp2a_lo, ushort2, uchar4, unsigned int)
__PYCUDA_DOT_VECTORS(__dp2a_hi, ushort2, uchar4, unsigned int)
__PYCUDA_DOT_VECTORS(__dp4a, char4, char4, int)
__PYCUDA_DOT_VECTORS(__dp4a, uchar4, uchar4, unsigned int)
#undef __PYCUDA_DOT_VECTORS
