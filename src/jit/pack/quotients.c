/* quotients.c - quotients and remainders of indices, which are usually uniform
 * or consecutive within a pack.
 *
 * Called by pack.c, shapes.c and values.c. Kernels divide the index of the
 * thread to get the indices of a row and a column: `y = i / width, x = i %
 * width`. In most packs (neighbouring threads that one function runs) all
 * lanes have the same quotient, and the remainder grows like the index. The
 * function for a pack assumes this where the assumption makes accesses
 * consecutive. Before any effect that other threads can observe, the function
 * tests the first and the last lane. If the test fails, the function calls
 * body->general, a function for the same pack without the assumption.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/assumptions.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"

/* smallest constant divisor for which quotients are assumed to be equal in
 * most packs, and its base-2 logarithm */
enum { LEAST = 32, LEAST_SHIFT = 5 };

/* Tests for a 32-bit quotient that retarget/arithmetic.c has turned into a
 * division of doubles. */
static bool
is_double_quotient(LLVMValueRef at)
{
    bool is_signed = LLVMIsAFPToSIInst(at) != NULL;
    if (!is_signed && !LLVMIsAFPToUIInst(at)) {
        return false;
    }
    LLVMValueRef quotient = LLVMGetOperand(at, 0);
    if (!LLVMIsAInstruction(quotient) ||
        LLVMGetInstructionOpcode(quotient) != LLVMFDiv ||
        LLVMGetTypeKind(LLVMTypeOf(quotient)) != LLVMDoubleTypeKind) {
        return false;
    }
    LLVMValueRef dividend = LLVMGetOperand(quotient, 0);
    return is_signed ? LLVMIsASIToFPInst(dividend) != NULL
                     : LLVMIsAUIToFPInst(dividend) != NULL;
}

static bool
is_large_constant(LLVMValueRef value, uint64_t least)
{
    return LLVMIsAConstantInt(value) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 &&
           LLVMConstIntGetSExtValue(value) >= (int64_t)least &&
           LLVMConstIntGetSExtValue(value) <= INT32_MAX;
}

bool
jit_pack_is_remainder(LLVMValueRef at)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    return opcode == LLVMURem || opcode == LLVMSRem || opcode == LLVMAnd;
}

LLVMValueRef
jit_pack_dividend(LLVMValueRef at)
{
    LLVMValueRef first = NULL, number = NULL;
    if (is_double_quotient(at)) {
        return LLVMGetOperand(LLVMGetOperand(LLVMGetOperand(at, 0), 0), 0);
    }
    if (!LLVMIsABinaryOperator(at) ||
        LLVMGetTypeKind(LLVMTypeOf(at)) != LLVMIntegerTypeKind) {
        return NULL;
    }
    first = LLVMGetOperand(at, 0);
    number = LLVMGetOperand(at, 1);
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return is_large_constant(number, LEAST) ? first : NULL;
    case LLVMLShr:
    case LLVMAShr:
        return is_large_constant(number, LEAST_SHIFT) ? first : NULL;
    case LLVMAnd: /* an AND with 2^n - 1 is the remainder by 2^n */
        return is_large_constant(number, LEAST - 1) &&
                       !(LLVMConstIntGetZExtValue(number) &
                         (LLVMConstIntGetZExtValue(number) + 1))
                   ? first
                   : NULL;
    default:
        return NULL;
    }
}

bool
jit_pack_divisor_is_uniform(const struct jit_pack_body *body, LLVMValueRef at)
{
    return !is_double_quotient(at) ||
           jit_pack_is_uniform(body, LLVMGetOperand(LLVMGetOperand(at, 0), 1));
}

bool
jit_pack_is_divisor_case(LLVMValueRef at)
{
    if (!LLVMIsASelectInst(at) || !LLVMIsAICmpInst(LLVMGetOperand(at, 0)) ||
        LLVMGetTypeKind(LLVMTypeOf(at)) != LLVMIntegerTypeKind) {
        return false;
    }
    LLVMValueRef compare = LLVMGetOperand(at, 0);
    LLVMValueRef number = LLVMGetOperand(compare, 1);
    return LLVMGetICmpPredicate(compare) == LLVMIntEQ &&
           LLVMIsAConstantInt(number) &&
           (LLVMIsNull(number) ||
            number == LLVMConstAllOnes(LLVMTypeOf(number)));
}

void
jit_pack_write_divisor_case(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMValueRef rare = LLVMBuildFreeze(
        to->builder, jit_pack_scalar(to, LLVMGetOperand(at, 0)), "");
    jit_pack_branch(to, LLVMBuildNot(to->builder, rare, ""));
    jit_pack_define(to, at, jit_pack_scalar(to, LLVMGetOperand(at, 2)));
}

bool
jit_pack_is_index_quotient(LLVMValueRef at)
{
    enum { DEPTH = 8 };
    return jit_pack_dividend(at) && jit_pack_feeds_index(at, DEPTH);
}

/* Writes the quotient or remainder of `x` by the divisor of `at`. Both are
 * scalars: the values of one lane. */
static LLVMValueRef
write_scalar(struct jit_pack_writer *to, LLVMValueRef at, LLVMValueRef x)
{
    LLVMBuilderRef builder = to->builder;
    if (!is_double_quotient(at)) {
        return LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(at), x,
                              LLVMGetOperand(at, 1), "");
    }
    LLVMValueRef quotient = LLVMGetOperand(at, 0);
    LLVMValueRef dividend = LLVMGetOperand(quotient, 0);
    LLVMValueRef made = LLVMBuildFDiv(
        builder,
        LLVMBuildCast(builder, LLVMGetInstructionOpcode(dividend), x,
                      LLVMTypeOf(dividend), ""),
        jit_pack_scalar(to, LLVMGetOperand(quotient, 1)), "");
    return LLVMBuildFreeze(builder,
                           LLVMBuildCast(builder, LLVMGetInstructionOpcode(at),
                                         made, LLVMTypeOf(at), ""),
                           "");
}

static bool
is_signed_division(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMSDiv:
    case LLVMSRem:
    case LLVMAShr:
    case LLVMFPToSI:
        return true;
    default:
        return false;
    }
}

/* The dividend grows by a constant from lane to lane. The test compares the
 * results of the first and the last lane; it also requires that the dividend
 * does not wrap between them. The quotient is monotonic, so it is uniform if
 * it is equal in both lanes. The remainder is linear if, from the first lane
 * to the last, it grows by as much as the dividend. It would grow less if it
 * started again from 0 in a lane between them. */
void
jit_pack_write_quotient(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMBuilderRef builder = to->builder;
    LLVMValueRef dividend = jit_pack_dividend(at);
    LLVMTypeRef type = LLVMTypeOf(dividend);
    int64_t stride = jit_pack_shape(to->body, dividend).stride;
    LLVMValueRef growth =
        LLVMConstInt(type, (uint64_t)(stride * ((int64_t)to->width - 1)), 1);
    LLVMValueRef low =
        LLVMBuildFreeze(builder, jit_pack_scalar(to, dividend), "");
    LLVMValueRef far = LLVMBuildAdd(builder, low, growth, "");
    LLVMValueRef first = write_scalar(to, at, low);
    LLVMValueRef last = write_scalar(to, at, far);
    LLVMValueRef expected = jit_pack_is_remainder(at)
                                ? LLVMBuildAdd(builder, first, growth, "")
                                : first;
    LLVMIntPredicate rises = is_signed_division(at) ? LLVMIntSLE : LLVMIntULE;
    LLVMValueRef fits = LLVMBuildAnd(
        builder, LLVMBuildICmp(builder, LLVMIntEQ, last, expected, ""),
        stride > 0 ? LLVMBuildICmp(builder, rises, low, far, "")
                   : LLVMBuildICmp(builder, rises, far, low, ""),
        "");
    if (PLANTED_FAULT(pack_quotient)) {
        fits = LLVMConstInt(to->jit->i1, 1, 0);
    }
    jit_pack_branch(to, fits);
    jit_pack_define(to, at, first);
}
