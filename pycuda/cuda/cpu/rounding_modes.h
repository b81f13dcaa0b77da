/* rounding_modes.h - conversions that take the rounding mode as an argument.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

__pycuda_both int
double2int(double value, cudaRoundMode mode = cudaRoundZero)
{
    return mode == cudaRoundNearest  ? __double2int_rn(value)
           : mode == cudaRoundPosInf ? __double2int_ru(value)
           : mode == cudaRoundMinInf ? __double2int_rd(value)
                                     : __double2int_rz(value);
}
/* Exact: a double represents every int. */
__pycuda_both double
int2double(int value, cudaRoundMode = cudaRoundNearest)
{
    return value;
}
