/* math_parts.h - conventions and primitives of the device's mathematics.
 *
 * The functions of math_float*.h and math_double*.h have no branches and no
 * tables, so that pycuda-jit can vectorise the loop over threads around them.
 * Products and sums are fused only where fma is written: the result has the
 * same bits at every vector width, in scalar code, and with and without -fmad.
 * Error bounds hold for the compiler's default options. Floating-point
 * exception flags are neither read nor raised deliberately. The polynomials
 * are computed by tools/minimax.py. Arguments that hardly any program uses
 * (sin(1e30)) are passed to the C library by __pycuda_rare_*: pycuda-jit
 * (src/jit/output/slow_path.c) turns those calls into a branch that is taken
 * if any lane needs the slow path.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "math_polynomials.h"

#define __PYCUDA_EXACT _Pragma("clang fp contract(off)")
#define __PYCUDA_INF   __builtin_inff()
#define __PYCUDA_NAN   __builtin_nanf("")
/* x + ROUND - ROUND is x rounded to an integer; the low bits of x + ROUND are
 * those of the integer. */
#define __PYCUDA_ROUNDF 0x1.8p23f
#define __PYCUDA_ROUND  0x1.8p52

__pycuda_both int
__pycuda_bits(float x)
{
    return __builtin_bit_cast(int, x);
}
__pycuda_both long
__pycuda_bits(double x)
{
    return __builtin_bit_cast(long, x);
}
__pycuda_both float
__pycuda_real(int bits)
{
    return __builtin_bit_cast(float, bits);
}
__pycuda_both double
__pycuda_real(long bits)
{
    return __builtin_bit_cast(double, bits);
}
/* Flips the sign of `x` where `signs` has its top bit set. */
__pycuda_both float
__pycuda_flip(float x, int signs)
{
    return __pycuda_real(__pycuda_bits(x) ^ (signs & (int)0x80000000));
}
__pycuda_both double
__pycuda_flip(double x, long signs)
{
    return __pycuda_real(__pycuda_bits(x) ^ (signs & (long)(1ul << 63)));
}
