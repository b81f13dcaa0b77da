/* halves.c - floats of 16 bits in PTX, f16 and bf16, alone and in pairs.
 *
 * Arithmetic is done on floats. The float sum or product of two values of 16
 * bits, rounded to 16 bits, is correctly rounded.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"

bool
ptx_half_parse(const char *name, struct ptx_half *half)
{
    static const struct {
        const char *name;
        struct ptx_half half;
    } rows[] = {{"f16", {false, 1}},
                {"bf16", {true, 1}},
                {"f16x2", {false, 2}},
                {"bf16x2", {true, 2}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            *half = rows[i].half;
            return true;
        }
    }
    return false;
}

static LLVMTypeRef
short_type(struct ptx *ptx)
{
    return LLVMInt16TypeInContext(ptx->jit->context);
}

static LLVMTypeRef
float_type(struct ptx *ptx)
{
    return LLVMFloatTypeInContext(ptx->jit->context);
}

LLVMValueRef
ptx_half_extend(struct ptx *ptx, struct ptx_half half, LLVMValueRef bits)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    if (half.brain) {
        bits = LLVMBuildZExt(builder, bits, jit->i32, "");
        bits = LLVMBuildShl(builder, bits, jit_constant(jit, 16), "");
        return LLVMBuildBitCast(builder, bits, float_type(ptx), "");
    }
    bits = LLVMBuildBitCast(builder, bits, LLVMHalfTypeInContext(jit->context),
                            "");
    return LLVMBuildFPExt(builder, bits, float_type(ptx), "");
}

LLVMValueRef
ptx_half_read(struct ptx *ptx, struct ptx_half half,
              const struct ptx_operand *operand, unsigned i)
{
    struct jit *jit = ptx->jit;
    struct ptx_type type = {'b', 16 * half.count};
    LLVMValueRef value = ptx_read(ptx, operand, type, false);
    if (!value) {
        return NULL;
    }
    if (half.count == 2) {
        value = LLVMBuildLShr(jit->builder, value,
                              jit_constant(jit, 16ull * i), "");
        value = LLVMBuildTrunc(jit->builder, value, short_type(ptx), "");
    }
    return ptx_half_extend(ptx, half, value);
}

/* Rounds a float to the nearest bf16, ties to even. */
static LLVMValueRef
round_brain(struct ptx *ptx, LLVMValueRef value)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef by = jit_constant(jit, 16);
    LLVMValueRef bits = LLVMBuildBitCast(builder, value, jit->i32, "");
    LLVMValueRef odd =
        LLVMBuildAnd(builder, LLVMBuildLShr(builder, bits, by, ""),
                     jit_constant(jit, 1), "");
    bits = LLVMBuildAdd(builder, bits, jit_constant(jit, 0x7fff), "");
    bits = LLVMBuildAdd(builder, bits, odd, "");
    bits = LLVMBuildLShr(builder, bits, by, "");
    return LLVMBuildTrunc(builder, bits, short_type(ptx), "");
}

LLVMValueRef
ptx_half_round(struct ptx *ptx, struct ptx_half half, LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = short_type(ptx);
    LLVMValueRef nan = LLVMBuildFCmp(builder, LLVMRealUNO, value, value, "");
    LLVMValueRef bits;
    if (half.brain) {
        bits = round_brain(ptx, value);
    } else {
        bits = LLVMBuildFPTrunc(builder, value,
                                LLVMHalfTypeInContext(ptx->jit->context), "");
        bits = LLVMBuildBitCast(builder, bits, type, "");
    }
    return LLVMBuildSelect(builder, nan, LLVMConstInt(type, 0x7fff, 0), bits,
                           "");
}

LLVMValueRef
ptx_half_flush(struct ptx *ptx, struct ptx_half half, LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = float_type(ptx);
    LLVMValueRef size = ptx_intrinsic(ptx, "llvm.fabs", type, &value, 1);
    LLVMValueRef least = LLVMConstReal(type, half.brain ? 0x1p-126 : 0x1p-14);
    LLVMValueRef is_small =
        LLVMBuildFCmp(builder, LLVMRealOLT, size, least, "");
    LLVMValueRef pair[] = {LLVMConstReal(type, 0.0), value};
    LLVMValueRef zero = ptx_intrinsic(ptx, "llvm.copysign", type, pair, 2);
    return LLVMBuildSelect(builder, is_small, zero, value, "");
}

bool
ptx_half_write(struct ptx *ptx, struct ptx_half half, const char *name,
               LLVMValueRef *values)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    struct ptx_type type = {'b', 16 * half.count};
    if (half.count == 1) {
        return ptx_write(ptx, name, type, values[0], false);
    }
    LLVMValueRef low = LLVMBuildZExt(builder, values[0], jit->i32, "");
    LLVMValueRef high = LLVMBuildZExt(builder, values[1], jit->i32, "");
    high = LLVMBuildShl(builder, high, jit_constant(jit, 16), "");
    return ptx_write(ptx, name, type, LLVMBuildOr(builder, low, high, ""),
                     false);
}

LLVMValueRef
ptx_half_fma(struct ptx *ptx, LLVMValueRef *in)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = float_type(ptx);
    LLVMValueRef p = LLVMBuildFMul(builder, in[0], in[1], "");
    LLVMValueRef sum = LLVMBuildFAdd(builder, p, in[2], "");
    /* Knuth's two-sum: `error` is the exact p + c - sum. */
    LLVMValueRef virtual_c = LLVMBuildFSub(builder, sum, p, "");
    LLVMValueRef virtual_p = LLVMBuildFSub(builder, sum, virtual_c, "");
    LLVMValueRef error =
        LLVMBuildFAdd(builder, LLVMBuildFSub(builder, p, virtual_p, ""),
                      LLVMBuildFSub(builder, in[2], virtual_c, ""), "");
    LLVMValueRef zero = LLVMConstReal(type, 0.0);
    LLVMValueRef inexact =
        LLVMBuildFCmp(builder, LLVMRealONE, error, zero, "");
    LLVMValueRef bits = LLVMBuildBitCast(builder, sum, jit->i32, "");
    LLVMValueRef even =
        LLVMBuildNot(builder, LLVMBuildTrunc(builder, bits, jit->i1, ""), "");
    LLVMValueRef up = LLVMBuildICmp(
        builder, LLVMIntSGE,
        LLVMBuildXor(builder, bits,
                     LLVMBuildBitCast(builder, error, jit->i32, ""), ""),
        jit_constant(jit, 0), "");
    LLVMValueRef step = LLVMBuildSelect(builder, up, jit_constant(jit, 1),
                                        jit_constant(jit, UINT32_MAX), "");
    LLVMValueRef odd = LLVMBuildAdd(builder, bits, step, "");
    LLVMValueRef change = LLVMBuildAnd(builder, inexact, even, "");
    bits = LLVMBuildSelect(builder, change, odd, bits, "");
    return LLVMBuildBitCast(builder, bits, type, "");
}

/* The byte of an e5m2 is the high byte of an f16 with the same value. An e4m3
 * has the exponent bias 7, where an f16 has 15. */
LLVMValueRef
ptx_half_from_byte(struct ptx *ptx, LLVMValueRef bits, bool e4m3)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef i16 = LLVMInt16TypeInContext(jit->context);
    LLVMTypeRef half = LLVMHalfTypeInContext(jit->context);
    LLVMTypeRef real = LLVMFloatTypeInContext(jit->context);
    LLVMValueRef byte = LLVMBuildIntCast2(builder, bits, i16, 0, "");
    LLVMValueRef up = LLVMBuildShl(builder, byte, LLVMConstInt(i16, 8, 0), "");
    if (!e4m3) {
        return LLVMBuildFPExt(builder, LLVMBuildBitCast(builder, up, half, ""),
                              real, "");
    }
    LLVMValueRef sign =
        LLVMBuildAnd(builder, up, LLVMConstInt(i16, 0x8000, 0), "");
    LLVMValueRef rest =
        LLVMBuildAnd(builder, byte, LLVMConstInt(i16, 0x7f, 0), "");
    LLVMValueRef nan = LLVMBuildICmp(builder, LLVMIntEQ, rest,
                                     LLVMConstInt(i16, 0x7f, 0), "");
    rest = LLVMBuildShl(builder, rest, LLVMConstInt(i16, 7, 0), "");
    rest = LLVMBuildOr(builder, rest, sign, "");
    rest = LLVMBuildFPExt(builder, LLVMBuildBitCast(builder, rest, half, ""),
                          real, "");
    rest = LLVMBuildFMul(builder, rest, LLVMConstReal(real, 256.0), "");
    return LLVMBuildSelect(builder, nan, LLVMConstRealOfString(real, "nan"),
                           rest, "");
}
