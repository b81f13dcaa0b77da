/* flush.c - implements -ftz=true: subnormal float32 values count as zero.
 *
 * Runs after contraction is decided and before the optimiser. As in the .ftz
 * instructions of PTX, float arithmetic replaces subnormal operands and
 * subnormal results by zeros of the same sign. A product that will be fused
 * with a sum is not flushed. Doubles and halves keep their subnormals, which
 * is why the processor's own flush modes cannot be used.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"

#define EXPONENT 0x7f800000u
#define SIGN     0x80000000u

/* LLVM intrinsics whose PTX instructions have a .ftz variant. */
static const char *const intrinsics[] = {
    "llvm.fma.f32",     "llvm.fmuladd.f32", "llvm.sqrt.f32",
    "llvm.minnum.f32",  "llvm.maxnum.f32",  "llvm.minimum.f32",
    "llvm.maximum.f32",
};

static bool
is_float(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind;
}

static bool
is_intrinsic(LLVMValueRef instruction)
{
    LLVMValueRef callee = jit_callee(instruction);

    for (size_t i = 0; callee && i < sizeof intrinsics / sizeof *intrinsics;
         i++) {
        if (!strcmp(jit_name(callee), intrinsics[i])) {
            return true;
        }
    }
    return false;
}

/* Tests whether the instruction computes a 32-bit float. Such a result is
 * flushed: a subnormal number becomes zero. */
static bool
is_arithmetic(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || !is_float(value)) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFPTrunc:
        return true;
    case LLVMCall:
        return is_intrinsic(value);
    default:
        return false;
    }
}

static bool
may_contract(LLVMValueRef value)
{
    return LLVMCanValueUseFastMathFlags(value) &&
           LLVMGetFastMathFlags(value) & LLVMFastMathAllowContract;
}

/* Tests whether the value is a product that is used only once, by a sum with
 * which LLVM will fuse it to a multiply-add. */
static bool
is_fused(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    if (LLVMGetInstructionOpcode(value) != LLVMFMul || !may_contract(value) ||
        !use || LLVMGetNextUse(use)) {
        return false;
    }
    LLVMValueRef user = LLVMGetUser(use);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
    return (opcode == LLVMFAdd || opcode == LLVMFSub) && may_contract(user);
}

static bool
has_opcode(LLVMValueRef value, LLVMOpcode opcode)
{
    return LLVMIsAInstruction(value) &&
           LLVMGetInstructionOpcode(value) == opcode;
}

/* Returns true if the value is a result of code that the function flushed()
 * has built. */
static bool
is_made_here(LLVMValueRef value)
{
    if (!has_opcode(value, LLVMBitCast)) {
        return false;
    }
    LLVMValueRef select = LLVMGetOperand(value, 0);
    return has_opcode(select, LLVMSelect) &&
           has_opcode(LLVMGetOperand(select, 0), LLVMICmp) &&
           has_opcode(LLVMGetOperand(select, 1), LLVMAnd) &&
           has_opcode(LLVMGetOperand(select, 2), LLVMBitCast);
}

/* Tests whether the operand needs no flushing, because it is never subnormal
 * or was flushed where it was computed. */
static bool
is_flushed(LLVMValueRef value)
{
    LLVMBool inexact;

    if (LLVMIsAConstantFP(value)) {
        double number = LLVMConstRealGetDouble(value, &inexact);
        return number == 0 || number >= 0x1p-126 || number <= -0x1p-126;
    }
    return is_arithmetic(value) || is_made_here(value);
}

/* Builds code that computes `value`, or a zero of the same sign if it is
 * subnormal. Returns the result, and sets *first to the built instruction that
 * reads `value`. */
static LLVMValueRef
flushed(struct jit *jit, LLVMValueRef value, LLVMValueRef *first)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef word = LLVMInt32TypeInContext(jit->context);
    LLVMValueRef bits = LLVMBuildBitCast(builder, value, word, "");
    LLVMValueRef exponent =
        LLVMBuildAnd(builder, bits, LLVMConstInt(word, EXPONENT, 0), "");
    LLVMValueRef small = LLVMBuildICmp(builder, LLVMIntEQ, exponent,
                                       LLVMConstInt(word, 0, 0), "");
    LLVMValueRef zero =
        LLVMBuildAnd(builder, bits, LLVMConstInt(word, SIGN, 0), "");
    LLVMValueRef normal_or_zero =
        LLVMBuildSelect(builder, small, zero, bits, "");

    *first = bits;
    return LLVMBuildBitCast(builder, normal_or_zero, LLVMTypeOf(value), "");
}

static void
flush_operands(struct jit *jit, LLVMValueRef instruction)
{
    int count = LLVMIsACallInst(instruction)
                    ? (int)LLVMGetNumArgOperands(instruction)
                    : LLVMGetNumOperands(instruction);
    LLVMValueRef first;

    LLVMPositionBuilderBefore(jit->builder, instruction);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        if (is_float(operand) && !is_flushed(operand)) {
            LLVMSetOperand(instruction, (unsigned)i,
                           flushed(jit, operand, &first));
        }
    }
}

/* Replaces all uses of the instruction's result by the flushed result. The
 * code that computes the flushed result also uses the instruction's result;
 * this one use is set back to the unflushed result. */
static void
flush_result(struct jit *jit, LLVMValueRef instruction)
{
    LLVMValueRef first;

    LLVMPositionBuilderBefore(jit->builder,
                              LLVMGetNextInstruction(instruction));
    LLVMValueRef value = flushed(jit, instruction, &first);
    LLVMReplaceAllUsesWith(instruction, value);
    LLVMSetOperand(first, 0, instruction);
}

/* Flushes the float operands of the instruction, and its result if it computes
 * a float. Comparisons and conversions to double compute no float. */
static void
flush_instruction(struct jit *jit, LLVMValueRef instruction, void *data)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);

    (void)data;
    if (is_arithmetic(instruction)) {
        flush_operands(jit, instruction);
        if (!is_fused(instruction)) {
            flush_result(jit, instruction);
        }
    } else if (opcode == LLVMFCmp || opcode == LLVMFPExt) {
        flush_operands(jit, instruction);
    }
}

void
jit_flush(struct jit *jit)
{
    jit_each_instruction_of_module(jit, flush_instruction, NULL);
}
