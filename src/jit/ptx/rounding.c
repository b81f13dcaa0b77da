/* rounding.c - directed rounding of PTX: .rz, .rm and .rp.
 *
 * The result that is rounded to nearest is either the required result or one
 * of its two neighbours. The residual is the exact result minus the result
 * that is rounded to nearest. The sign of the residual tells whether the exact
 * result is above or below the result that is rounded to nearest. Residuals
 * are computed in double precision: without error for floats; for doubles,
 * from the rounding errors of each product and sum. A residual can have the
 * wrong sign only for fma.f64, if the rounding error of the product is
 * subnormal.
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

static LLVMTypeRef
wide_type(struct ptx_work *work)
{
    return LLVMDoubleTypeInContext(work->ptx->jit->context);
}

static LLVMValueRef
widen(struct ptx_work *work, LLVMValueRef value)
{
    return work->type.bits == 32
               ? LLVMBuildFPExt(work->builder, value, wide_type(work), "")
               : value;
}

static LLVMValueRef
fma_of(struct ptx_work *work, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef in[] = {a, b, c};
    return ptx_intrinsic(work->ptx, "llvm.fma", wide_type(work), in, 3);
}

/* Returns a + b, rounded; *error becomes the exact rounding error (Knuth). */
static LLVMValueRef
two_sum(struct ptx_work *work, LLVMValueRef a, LLVMValueRef b,
        LLVMValueRef *error)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef sum = LLVMBuildFAdd(builder, a, b, "");
    LLVMValueRef of_b = LLVMBuildFSub(builder, sum, a, "");
    LLVMValueRef of_a = LLVMBuildFSub(builder, sum, of_b, "");
    *error = LLVMBuildFAdd(builder, LLVMBuildFSub(builder, a, of_a, ""),
                           LLVMBuildFSub(builder, b, of_b, ""), "");
    return sum;
}

/* Returns a * b, rounded; *error becomes the exact rounding error. If neither
 * a nor b is 0 but the product is rounded to 0, returns the smallest number
 * with the product's sign, and *error becomes 0, because only the sign matters
 * in this case. */
static LLVMValueRef
least_product(struct ptx_work *work, LLVMValueRef a, LLVMValueRef b,
              LLVMValueRef *error)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef zero = LLVMConstNull(wide_type(work));
    LLVMValueRef product = LLVMBuildFMul(builder, a, b, "");
    LLVMValueRef lost = LLVMBuildFCmp(builder, LLVMRealOEQ, product, zero, "");
    lost = LLVMBuildAnd(builder, lost,
                        LLVMBuildFCmp(builder, LLVMRealONE, a, zero, ""), "");
    lost = LLVMBuildAnd(builder, lost,
                        LLVMBuildFCmp(builder, LLVMRealONE, b, zero, ""), "");
    LLVMValueRef pair[] = {LLVMConstReal(wide_type(work), 0x1p-1074), product};
    LLVMValueRef least =
        ptx_intrinsic(work->ptx, "llvm.copysign", wide_type(work), pair, 2);
    *error = fma_of(work, a, b, LLVMBuildFNeg(builder, product, ""));
    *error = LLVMBuildSelect(builder, lost, zero, *error, "");
    return LLVMBuildSelect(builder, lost, least, product, "");
}

/* Returns a * b + c - x. */
static LLVMValueRef
sum_residual(struct ptx_work *work, LLVMValueRef a, LLVMValueRef b,
             LLVMValueRef c, LLVMValueRef x)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef of_product, of_sum, rest;
    LLVMValueRef product = least_product(work, a, b, &of_product);
    LLVMValueRef sum = two_sum(work, product, c, &of_sum);
    LLVMValueRef apart = LLVMBuildFSub(builder, sum, x, "");
    LLVMValueRef all = two_sum(work, apart, of_sum, &rest);
    return LLVMBuildFAdd(builder, all,
                         LLVMBuildFAdd(builder, rest, of_product, ""), "");
}

/* Returns the factor by which to scale `value` before a residual is computed:
 * `factor` if |value| < 2^-400, else 1. Without the scaling, the residual of
 * small numbers would be subnormal and inexact. */
static LLVMValueRef
scale_for(struct ptx_work *work, LLVMValueRef value, double factor)
{
    LLVMTypeRef type = wide_type(work);
    value = ptx_intrinsic(work->ptx, "llvm.fabs", type, &value, 1);
    LLVMValueRef small = LLVMBuildFCmp(work->builder, LLVMRealOLT, value,
                                       LLVMConstReal(type, 0x1p-400), "");
    return LLVMBuildSelect(work->builder, small, LLVMConstReal(type, factor),
                           LLVMConstReal(type, 1.0), "");
}

/* Returns a number with the sign of a * b - x. */
static LLVMValueRef
product_residual(struct ptx_work *work, LLVMValueRef a, LLVMValueRef b,
                 LLVMValueRef x)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef by_a = scale_for(work, a, 0x1p600);
    LLVMValueRef by_b = scale_for(work, b, 0x1p600);
    a = LLVMBuildFMul(builder, a, by_a, "");
    b = LLVMBuildFMul(builder, b, by_b, "");
    x = LLVMBuildFMul(builder, x, by_a, "");
    x = LLVMBuildFMul(builder, x, by_b, "");
    return fma_of(work, a, b, LLVMBuildFNeg(builder, x, ""));
}

/* Returns a number with the sign of a / b - x. */
static LLVMValueRef
quotient_residual(struct ptx_work *work, LLVMValueRef a, LLVMValueRef b,
                  LLVMValueRef x)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef by = scale_for(work, a, 0x1p400);
    a = LLVMBuildFMul(builder, a, by, "");
    x = LLVMBuildFMul(builder, x, by, "");
    LLVMValueRef pair[] = {LLVMConstReal(wide_type(work), 1.0), b};
    LLVMValueRef sign =
        ptx_intrinsic(work->ptx, "llvm.copysign", wide_type(work), pair, 2);
    LLVMValueRef rest = fma_of(work, LLVMBuildFNeg(builder, x, ""), b, a);
    return LLVMBuildFMul(builder, rest, sign, "");
}

/* Returns a number with the sign of the square root of a minus x. */
static LLVMValueRef
root_residual(struct ptx_work *work, LLVMValueRef a, LLVMValueRef x)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef by = scale_for(work, a, 0x1p400);
    x = LLVMBuildFMul(builder, x, scale_for(work, a, 0x1p200), "");
    a = LLVMBuildFMul(builder, a, by, "");
    return fma_of(work, LLVMBuildFNeg(builder, x, ""), x, a);
}

/* Returns a number with the sign of the exact result minus `x`, NULL for an
 * operation without directed rounding. */
static LLVMValueRef
residual(struct ptx_work *work, LLVMValueRef x)
{
    LLVMBuilderRef builder = work->builder;
    const char *operation = work->statement->operation;
    LLVMValueRef one = LLVMConstReal(wide_type(work), 1.0);
    LLVMValueRef a = widen(work, work->in[0]);
    LLVMValueRef b = work->in[1] ? widen(work, work->in[1]) : one;
    if (strcmp(operation, "add") == 0) {
        return sum_residual(work, a, one, b, x);
    }
    if (strcmp(operation, "sub") == 0) {
        return sum_residual(work, a, one, LLVMBuildFNeg(builder, b, ""), x);
    }
    if (strcmp(operation, "mul") == 0) {
        return product_residual(work, a, b, x);
    }
    if (strcmp(operation, "fma") == 0 || strcmp(operation, "mad") == 0) {
        return sum_residual(work, a, b, widen(work, work->in[2]), x);
    }
    if (strcmp(operation, "sqrt") == 0) {
        return root_residual(work, a, x);
    }
    if (strcmp(operation, "rcp") == 0) {
        return quotient_residual(work, one, a, x);
    }
    return strcmp(operation, "div") == 0 ? quotient_residual(work, a, b, x)
                                         : NULL;
}

/* Tests whether the result overflowed: it is infinite, no operand is, and the
 * divisor is not 0. */
static LLVMValueRef
has_overflowed(struct ptx_work *work, LLVMValueRef x)
{
    LLVMBuilderRef builder = work->builder;
    LLVMValueRef most = LLVMBuildBitCast(
        builder, LLVMConstInt(work->ptx->jit->i64, 0x7fefffffffffffffu, 0),
        wide_type(work), "");
    LLVMValueRef result = NULL;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef value = i == 3 ? x : work->in[i];
        if (!value) {
            continue;
        }
        value = widen(work, value);
        value =
            ptx_intrinsic(work->ptx, "llvm.fabs", wide_type(work), &value, 1);
        LLVMValueRef test = LLVMBuildFCmp(
            builder, i == 3 ? LLVMRealOGT : LLVMRealOLE, value, most, "");
        result = result ? LLVMBuildAnd(builder, result, test, "") : test;
    }
    const char *operation = work->statement->operation;
    bool divides = strcmp(operation, "div") == 0;
    if (divides || strcmp(operation, "rcp") == 0) {
        LLVMValueRef test =
            LLVMBuildFCmp(builder, LLVMRealONE, work->in[divides],
                          LLVMConstNull(work->llvm), "");
        result = LLVMBuildAnd(builder, result, test, "");
    }
    return result;
}

/* Returns the float next to `x`: the next larger float if `upwards` (an i1) is
 * true, else the next smaller float. */
static LLVMValueRef
neighbour(struct ptx_work *work, LLVMValueRef x, LLVMValueRef upwards)
{
    LLVMBuilderRef builder = work->builder;
    LLVMTypeRef type =
        LLVMIntTypeInContext(work->ptx->jit->context, work->type.bits);
    LLVMValueRef bits = LLVMBuildBitCast(builder, x, type, "");
    LLVMValueRef one = LLVMConstInt(type, 1, 0);
    LLVMValueRef negative =
        LLVMBuildICmp(builder, LLVMIntSLT, bits, LLVMConstNull(type), "");
    LLVMValueRef grows = LLVMBuildXor(builder, negative, upwards, "");
    LLVMValueRef next =
        LLVMBuildSelect(builder, grows, LLVMBuildAdd(builder, bits, one, ""),
                        LLVMBuildSub(builder, bits, one, ""), "");
    LLVMValueRef top = LLVMConstInt(type, 1ull << (work->type.bits - 1), 0);
    LLVMValueRef least = LLVMBuildSelect(
        builder, upwards, one, LLVMBuildOr(builder, top, one, ""), "");
    LLVMValueRef is_zero =
        LLVMBuildFCmp(builder, LLVMRealOEQ, x, LLVMConstNull(work->llvm), "");
    next = LLVMBuildSelect(builder, is_zero, least, next, "");
    return LLVMBuildBitCast(builder, next, work->llvm, "");
}

/* With .rm, an exact sum of 0 is -0 unless both terms are +0. */
static LLVMValueRef
negative_zero(struct ptx_work *work, LLVMValueRef x, LLVMValueRef rest)
{
    LLVMBuilderRef builder = work->builder;
    const char *operation = work->statement->operation;
    LLVMTypeRef type =
        LLVMIntTypeInContext(work->ptx->jit->context, work->type.bits);
    LLVMValueRef a = work->in[0], b = work->in[1];
    if (strcmp(operation, "sub") == 0) {
        b = LLVMBuildFNeg(builder, b, "");
    } else if (strcmp(operation, "fma") == 0 ||
               strcmp(operation, "mad") == 0) {
        a = LLVMBuildFMul(builder, a, b, "");
        b = work->in[2];
    } else if (strcmp(operation, "add") != 0) {
        return x;
    }
    a = LLVMBuildOr(builder, LLVMBuildBitCast(builder, a, type, ""),
                    LLVMBuildBitCast(builder, b, type, ""), "");
    LLVMValueRef zero = LLVMConstNull(work->llvm);
    LLVMValueRef test =
        LLVMBuildICmp(builder, LLVMIntNE, a, LLVMConstNull(type), "");
    test = LLVMBuildAnd(builder, test,
                        LLVMBuildFCmp(builder, LLVMRealOEQ, x, zero, ""), "");
    test = LLVMBuildAnd(builder, test,
                        LLVMBuildFCmp(builder, LLVMRealOEQ, rest,
                                      LLVMConstNull(wide_type(work)), ""),
                        "");
    return LLVMBuildSelect(builder, test, LLVMBuildFNeg(builder, zero, ""), x,
                           "");
}

LLVMValueRef
ptx_round_result(struct ptx_work *work, LLVMValueRef x)
{
    LLVMBuilderRef builder = work->builder;
    bool down = ptx_has(work->statement, "rm");
    bool to_zero = ptx_has(work->statement, "rz");
    if (!down && !to_zero && !ptx_has(work->statement, "rp")) {
        return x;
    }
    LLVMValueRef wide = widen(work, x);
    LLVMValueRef zero = LLVMConstNull(wide_type(work));
    LLVMValueRef rest = residual(work, wide);
    if (!rest) {
        return ptx_give_up(work, "this rounding is not supported");
    }
    rest = LLVMBuildSelect(builder, has_overflowed(work, x),
                           LLVMBuildFNeg(builder, wide, ""), rest, "");
    LLVMValueRef above = LLVMBuildFCmp(builder, LLVMRealOGT, rest, zero, "");
    LLVMValueRef below = LLVMBuildFCmp(builder, LLVMRealOLT, rest, zero, "");
    LLVMValueRef step = down ? below : above;
    if (to_zero) {
        LLVMValueRef positive =
            LLVMBuildFCmp(builder, LLVMRealOGT, wide, zero, "");
        LLVMValueRef negative =
            LLVMBuildFCmp(builder, LLVMRealOLT, wide, zero, "");
        step = LLVMBuildOr(builder, LLVMBuildAnd(builder, positive, below, ""),
                           LLVMBuildAnd(builder, negative, above, ""), "");
    }
    LLVMValueRef next = neighbour(work, x, above);
    LLVMValueRef result = LLVMBuildSelect(builder, step, next, x, "");
    return down ? negative_zero(work, result, rest) : result;
}
