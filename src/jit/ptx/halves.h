/* halves.h - floats of 16 bits in PTX, f16 and bf16, alone and in pairs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_HALVES_H
#define PYCUDA_JIT_PTX_HALVES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct ptx;
struct ptx_operand;

/* The type f16, bf16, f16x2 or bf16x2. */
struct ptx_half {
    bool brain;     /* bf16 */
    unsigned count; /* 2 for a pair */
};

/* Parses the name of a 16-bit float type, or of a pair (f16, bf16x2). Returns
 * false for other names. */
bool ptx_half_parse(const char *name, struct ptx_half *half);
/* Returns element `i` of the operand as a float; NULL on failure. */
LLVMValueRef ptx_half_read(struct ptx *ptx, struct ptx_half half,
                           const struct ptx_operand *operand, unsigned i);
/* Returns, as a float, the value of a 16-bit float whose bits are an i16. */
LLVMValueRef ptx_half_extend(struct ptx *ptx, struct ptx_half half,
                             LLVMValueRef bits);
/* Returns, as a float, the value of the low 8 bits of an integer. The 8 bits
 * are a float of type e4m3 if `e4m3` is true, or else of type e5m2. */
LLVMValueRef ptx_half_from_byte(struct ptx *ptx, LLVMValueRef bits, bool e4m3);
/* Returns the float rounded to the nearest value of the type, as an i16. A NaN
 * becomes 0x7fff. */
LLVMValueRef ptx_half_round(struct ptx *ptx, struct ptx_half half,
                            LLVMValueRef value);
/* Returns the float, or a zero of the same sign if it is below the least
 * normal number of the type. The caller passes a float that the type can
 * represent exactly if it is below this number, since the function does not
 * round. */
LLVMValueRef ptx_half_flush(struct ptx *ptx, struct ptx_half half,
                            LLVMValueRef value);
/* Writes one i16, or two for a pair, to the register. Returns false on
 * failure. */
bool ptx_half_write(struct ptx *ptx, struct ptx_half half, const char *name,
                    LLVMValueRef *values);
/* Returns a * b + c for floats with at most 12 significant bits, rounded "to
 * odd": if the sum is inexact, its last bit is 1. Rounding it once more to at
 * most 22 bits gives the correctly rounded sum. */
LLVMValueRef ptx_half_fma(struct ptx *ptx, LLVMValueRef *in);

#endif
