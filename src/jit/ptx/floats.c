/* floats.c - floating-point operations of PTX beyond sums and products.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"

static LLVMValueRef
unary(struct ptx_work *work, const char *name, LLVMValueRef value)
{
    return ptx_intrinsic(work->ptx, name, work->llvm, &value, 1);
}

static LLVMValueRef
is_nan(struct ptx_work *work, LLVMValueRef value)
{
    return LLVMBuildFCmp(work->builder, LLVMRealUNO, value, value, "");
}

/* Returns `result`, the result of min or max, or a NaN without a payload if an
 * operand is a NaN. This is necessary because LLVM's code for llvm.minimum
 * ignores signaling NaNs on some processors. */
static LLVMValueRef
nan_if_unordered(struct ptx_work *work, LLVMValueRef *in, LLVMValueRef result)
{
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef type = LLVMTypeOf(result);
    bool is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    LLVMTypeRef bits = is_double ? work->ptx->jit->i64 : work->ptx->jit->i32;
    LLVMValueRef nan = LLVMConstBitCast(
        LLVMConstInt(bits, is_double ? 0x7ff8ull << 48 : 0x7fffffff, 0), type);
    LLVMValueRef unordered =
        LLVMBuildFCmp(builder, LLVMRealUNO, in[0], in[1], "");
    return LLVMBuildSelect(builder, unordered, nan, result, "");
}

/* Builds the float forms of min and max. -0 is smaller than +0. If an operand
 * is a NaN, the result is the other operand or, with .NaN, a NaN. With
 * .xorsign.abs, the magnitudes are compared, and the sign is the product of
 * the signs. */
LLVMValueRef
ptx_make_extreme(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    bool larger = strcmp(work->statement->operation, "max") == 0;
    LLVMValueRef in[] = {work->in[0], work->in[1]}, sign = NULL;
    LLVMTypeRef bits =
        LLVMIntTypeInContext(work->ptx->jit->context, work->type.bits);
    if (ptx_has(work->statement, "xorsign")) {
        sign =
            LLVMBuildXor(builder, LLVMBuildBitCast(builder, in[0], bits, ""),
                         LLVMBuildBitCast(builder, in[1], bits, ""), "");
        in[0] = unary(work, "llvm.fabs", in[0]);
        in[1] = unary(work, "llvm.fabs", in[1]);
    }
    LLVMValueRef result =
        ptx_intrinsic(work->ptx, larger ? "llvm.maximum" : "llvm.minimum",
                      work->llvm, in, 2);
    if (ptx_has(work->statement, "NaN")) {
        result = nan_if_unordered(work, in, result);
    } else {
        result =
            LLVMBuildSelect(builder, is_nan(work, in[1]), in[0], result, "");
        result =
            LLVMBuildSelect(builder, is_nan(work, in[0]), in[1], result, "");
    }
    if (sign) {
        LLVMValueRef pair[] = {
            result, LLVMBuildBitCast(builder, sign, work->llvm, "")};
        result =
            ptx_intrinsic(work->ptx, "llvm.copysign", work->llvm, pair, 2);
    }
    return result;
}

/* Builds copysign d, a, b: b with the sign of a. */
LLVMValueRef
ptx_make_copysign(struct ptx_work *work)
{
    LLVMValueRef pair[] = {work->in[1], work->in[0]};
    return ptx_intrinsic(work->ptx, "llvm.copysign", work->llvm, pair, 2);
}

/* Builds testp: tests for a class of numbers. Zeros are normal numbers. */
LLVMValueRef
ptx_make_testp(struct ptx_work *work)
{
    LLVMBuilderRef builder = work->builder;
    const struct ptx_statement *statement = work->statement;
    LLVMValueRef size = unary(work, "llvm.fabs", work->in[0]);
    LLVMTypeRef bits =
        LLVMIntTypeInContext(work->ptx->jit->context, work->type.bits);
    LLVMValueRef as_bits = LLVMBuildBitCast(builder, size, bits, "");
    bool single = work->type.bits == 32;
    LLVMValueRef infinity =
        LLVMConstInt(bits, single ? 0x7f800000u : 0x7ff0000000000000u, 0);
    LLVMValueRef least =
        LLVMConstInt(bits, single ? 0x00800000u : 0x0010000000000000u, 0);
    LLVMValueRef zero = LLVMConstNull(bits);
    LLVMValueRef is_subnormal = LLVMBuildAnd(
        builder, LLVMBuildICmp(builder, LLVMIntULT, as_bits, least, ""),
        LLVMBuildICmp(builder, LLVMIntNE, as_bits, zero, ""), "");
    LLVMValueRef is_finite =
        LLVMBuildICmp(builder, LLVMIntULT, as_bits, infinity, "");
    work->result = (struct ptx_type){'p', 1};
    if (ptx_has(statement, "finite")) {
        return is_finite;
    }
    if (ptx_has(statement, "infinite")) {
        return LLVMBuildICmp(builder, LLVMIntEQ, as_bits, infinity, "");
    }
    if (ptx_has(statement, "number")) {
        return LLVMBuildICmp(builder, LLVMIntULE, as_bits, infinity, "");
    }
    if (ptx_has(statement, "notanumber")) {
        return LLVMBuildICmp(builder, LLVMIntUGT, as_bits, infinity, "");
    }
    if (ptx_has(statement, "normal")) {
        return LLVMBuildAnd(builder, is_finite,
                            LLVMBuildNot(builder, is_subnormal, ""), "");
    }
    if (ptx_has(statement, "subnormal")) {
        return is_subnormal;
    }
    return ptx_give_up(work, "testp needs a class of numbers");
}

/* Replaces a subnormal float by a zero of the same sign, as .ftz requires. */
LLVMValueRef
ptx_flush(struct ptx *ptx, LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMFloatTypeInContext(ptx->jit->context);
    LLVMValueRef size = ptx_intrinsic(ptx, "llvm.fabs", type, &value, 1);
    LLVMValueRef least = LLVMConstReal(type, 0x1p-126);
    LLVMValueRef is_small =
        LLVMBuildFCmp(builder, LLVMRealOLT, size, least, "");
    LLVMValueRef pair[] = {LLVMConstReal(type, 0.0), value};
    LLVMValueRef zero = ptx_intrinsic(ptx, "llvm.copysign", type, pair, 2);
    return LLVMBuildSelect(builder, is_small, zero, value, "");
}

LLVMValueRef
ptx_saturate(struct ptx *ptx, LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef zero = LLVMConstReal(type, 0.0);
    LLVMValueRef one = LLVMConstReal(type, 1.0);
    LLVMValueRef test = LLVMBuildFCmp(builder, LLVMRealOGT, value, zero, "");
    value = LLVMBuildSelect(builder, test, value, zero, "");
    test = LLVMBuildFCmp(builder, LLVMRealOLT, value, one, "");
    return LLVMBuildSelect(builder, test, value, one, "");
}
