/* convert.h - parts of cvt, the conversions of PTX.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_CONVERT_H
#define PYCUDA_JIT_PTX_CONVERT_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/ptx/ptx.h"

/* ---- convert.c ---- */
/* Applies the statement's rounding mode to a float that was rounded to
 * nearest. If .rz, .rm or .rp requires the next larger or next smaller float,
 * returns the bits of this neighbour, otherwise `bits`. `rest` is the exact
 * value minus the rounded one. The result has the type of `bits`, an
 * integer. */
LLVMValueRef ptx_step_number(struct ptx *ptx,
                             const struct ptx_statement *statement,
                             LLVMValueRef bits, LLVMValueRef rest);
/* Converts a float or double to the integer or float type `to`, with the
 * statement's rounding and saturation modifiers. Returns the result, or NULL
 * on failure. */
LLVMValueRef ptx_convert_float(struct ptx *ptx,
                               const struct ptx_statement *statement,
                               LLVMValueRef value, struct ptx_type to);
/* Returns an integer of 64 bits as a double. If the double is inexact, its
 * last bit is 1, so that rounding it once more to fewer bits gives the
 * correctly rounded integer. */
LLVMValueRef ptx_long_to_odd(struct ptx *ptx, LLVMValueRef value,
                             bool is_signed);
/* Limits an integer to the range of the type `to`. The result has the width of
 * `to`. */
LLVMValueRef ptx_limit_integer(struct ptx *ptx, LLVMValueRef value,
                               struct ptx_type to, bool is_signed);

/* In convert_small.c: build the statement cvt for floats of 16 or 8 bits, tf32
 * and pairs, and cvt.pack. Return false on failure. */
bool ptx_convert_small(struct ptx *ptx, const struct ptx_statement *statement);
bool ptx_convert_pack(struct ptx *ptx, const struct ptx_statement *statement);

#endif
