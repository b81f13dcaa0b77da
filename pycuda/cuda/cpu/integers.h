/* integers.h - integer intrinsics: bits, wide products, bytes; min, max, abs.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

__pycuda_both int
__popc(unsigned int x)
{
    return __builtin_popcount(x);
}
__pycuda_both int
__popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
__pycuda_both int
__clz(int x)
{
    return x ? __builtin_clz((unsigned int)x) : 32;
}
__pycuda_both int
__clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
__pycuda_both int
__ffs(int x)
{
    return __builtin_ffs(x);
}
__pycuda_both int
__ffsll(long long x)
{
    return __builtin_ffsll(x);
}
__pycuda_both unsigned int
__brev(unsigned int x)
{
    return __builtin_bitreverse32(x);
}
__pycuda_both unsigned long long
__brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
__pycuda_both unsigned int
__fns(unsigned int mask, unsigned int base, int offset)
{
    int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset;
    for (int bit = (int)base; bit >= 0 && bit < 32; bit += step) {
        bool set = mask >> bit & 1u;
        if (offset == 0) {
            return set ? base : 0xffffffffu;
        }
        left -= set;
        if (left == 0) {
            return (unsigned int)bit;
        }
    }
    return 0xffffffffu;
}

/* Selects bytes of the pair y:x by the nibbles of s; a nibble's top bit
 * replicates the sign of the selected byte. */
__pycuda_both unsigned int
__byte_perm(unsigned int x, unsigned int y, unsigned int s)
{
    unsigned long pair = (unsigned long)y << 32 | x;
    unsigned int result = 0;
    for (int i = 0; i < 4; i++) {
        /* CUDA ignores the fourth bit of a selector, PTX's sign replication.
         */
        unsigned int pick = s >> (4 * i) & 7u;
        unsigned int byte = (unsigned int)(pair >> (8 * pick)) & 255u;
        result |= byte << (8 * i);
    }
    return result;
}

__pycuda_both unsigned int
__funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long pair = (unsigned long)high << 32 | low;
    return (unsigned int)(pair << (shift & 31u) >> 32);
}
__pycuda_both unsigned int
__funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long pair = (unsigned long)high << 32 | low;
    return (unsigned int)(pair << (shift < 32u ? shift : 32u) >> 32);
}
__pycuda_both unsigned int
__funnelshift_r(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long pair = (unsigned long)high << 32 | low;
    return (unsigned int)(pair >> (shift & 31u));
}
__pycuda_both unsigned int
__funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long pair = (unsigned long)high << 32 | low;
    return (unsigned int)(pair >> (shift < 32u ? shift : 32u));
}

__pycuda_both int
__mulhi(int x, int y)
{
    return (int)((long)x * y >> 32);
}
__pycuda_both unsigned int
__umulhi(unsigned int x, unsigned int y)
{
    return (unsigned int)((unsigned long)x * y >> 32);
}
__pycuda_both long long
__mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
__pycuda_both unsigned long long
__umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
/* Product of the low 24 bits of both arguments, as signed or unsigned
 * integers. */
__pycuda_both int
__mul24(int x, int y)
{
    return (int)((unsigned int)((int)((unsigned int)x << 8) >> 8) *
                 (unsigned int)((int)((unsigned int)y << 8) >> 8));
}
__pycuda_both unsigned int
__umul24(unsigned int x, unsigned int y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}
__pycuda_both unsigned short
__nv_bswap16(unsigned short x)
{
    return __builtin_bswap16(x);
}
__pycuda_both unsigned int
__nv_bswap32(unsigned int x)
{
    return __builtin_bswap32(x);
}
__pycuda_both unsigned long long
__nv_bswap64(unsigned long long x)
{
    return __builtin_bswap64(x);
}

__pycuda_both int
__hadd(int x, int y)
{
    return (int)(((long)x + y) >> 1);
}
__pycuda_both int
__rhadd(int x, int y)
{
    return (int)(((long)x + y + 1) >> 1);
}
__pycuda_both unsigned int
__uhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long)x + y) >> 1);
}
__pycuda_both unsigned int
__urhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long)x + y + 1) >> 1);
}
__pycuda_both unsigned int
__sad(int x, int y, unsigned int z)
{
    long difference = (long)x - y;
    return (unsigned int)(difference < 0 ? -difference : difference) + z;
}
__pycuda_both unsigned int
__usad(unsigned int x, unsigned int y, unsigned int z)
{
    return (x > y ? x - y : y - x) + z;
}

/* Dot products of four signed or unsigned bytes. */
__pycuda_both int
__dp4a(int a, int b, int c)
{
    for (int i = 0; i < 32; i += 8) {
        c += (int)(signed char)(a >> i) * (signed char)(b >> i);
    }
    return c;
}
__pycuda_both unsigned int
__dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    for (int i = 0; i < 32; i += 8) {
        c += (a >> i & 255u) * (b >> i & 255u);
    }
    return c;
}

/* min and max of integers: as in CUDA's overloads, mixed signs compare as
 * unsigned, and mixed widths in the wider type. */
#define __PYCUDA_MIN_MAX(RESULT, A, B)                                        \
    __pycuda_both RESULT min(A a, B b)                                        \
    {                                                                         \
        return (RESULT)a < (RESULT)b ? (RESULT)a : (RESULT)b;                 \
    }                                                                         \
    __pycuda_both RESULT max(A a, B b)                                        \
    {                                                                         \
        return (RESULT)a > (RESULT)b ? (RESULT)a : (RESULT)b;                 \
    }
#define __PYCUDA_MIN_MAX_MIXED(S, U)                                          \
    __PYCUDA_MIN_MAX(S, S, S)                                                 \
    __PYCUDA_MIN_MAX(U, U, U)                                                 \
    __PYCUDA_MIN_MAX(U, S, U)                                                 \
    __PYCUDA_MIN_MAX(U, U, S)
__PYCUDA_MIN_MAX_MIXED(int, unsigned int)
__PYCUDA_MIN_MAX_MIXED(long, unsigned long)
__PYCUDA_MIN_MAX_MIXED(long long, unsigned long long)
#undef __PYCUDA_MIN_MAX_MIXED
#undef __PYCUDA_MIN_MAX

#define __PYCUDA_MIN_MAX_NAMES(T, MIN, MAX)                                   \
    __pycuda_both T MIN(T a, T b)                                             \
    {                                                                         \
        return a < b ? a : b;                                                 \
    }                                                                         \
    __pycuda_both T MAX(T a, T b)                                             \
    {                                                                         \
        return a > b ? a : b;                                                 \
    }
__PYCUDA_MIN_MAX_NAMES(unsigned int, umin, umax)
__PYCUDA_MIN_MAX_NAMES(long long, llmin, llmax)
__PYCUDA_MIN_MAX_NAMES(unsigned long long, ullmin, ullmax)
#undef __PYCUDA_MIN_MAX_NAMES

#define __PYCUDA_ABS(NAME, T)                                                 \
    __pycuda_both T NAME(T x)                                                 \
    {                                                                         \
        return x < 0 ? (T)-x : x;                                             \
    }
__PYCUDA_ABS(abs, int)
__PYCUDA_ABS(labs, long)
__PYCUDA_ABS(llabs, long long)
__PYCUDA_ABS(abs, long)
__PYCUDA_ABS(abs, long long)
#undef __PYCUDA_ABS
