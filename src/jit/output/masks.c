/* masks.c - hides masked indices from LLVM 19's vectoriser.
 *
 * Called by optimise.c before and after vectorisation, as a workaround for an
 * LLVM bug. The vectoriser treats (3 * i) & 63 as indices that grow by 3, if a
 * test at run time shows that they do not wrap. For a sequence that begins at
 * 0, LLVM 19 tests whether i, instead of 3 * i, fits in 6 bits, so the vectors
 * may read out of bounds. If a mask may produce such an index, the pass
 * replaces the mask by the result of a call that LLVM cannot look into. After
 * vectorisation it puts the mask back.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/output.h"

/* MAX_STRIDE: the vectoriser combines accesses that are at most 8 elements
 * apart. */
enum { MAX_STRIDE = 8, MAX_SHIFT = 3, MAX_DEPTH = 6 };

static const char *const names[] = {"__pycuda_mask32", "__pycuda_mask64"};

static bool
is_constant_at_most(LLVMValueRef value, uint64_t most)
{
    if (!LLVMIsAConstantInt(value)) {
        return false;
    }
    long long number = LLVMConstIntGetSExtValue(value);
    return number >= -(long long)most && number <= (long long)most &&
           number != 0;
}

/* Tests whether the value may grow by 2 to 8 from one thread to the next. */
static bool
may_stride(LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value) || depth == 0) {
        return false;
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMMul:
        return is_constant_at_most(LLVMGetOperand(value, 1), MAX_STRIDE);
    case LLVMShl:
        return is_constant_at_most(LLVMGetOperand(value, 1), MAX_SHIFT);
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMXor:
        return opcode == LLVMSub ||
               LLVMGetOperand(value, 0) == LLVMGetOperand(value, 1) ||
               may_stride(LLVMGetOperand(value, 0), depth - 1) ||
               may_stride(LLVMGetOperand(value, 1), depth - 1);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMPHI:
        return may_stride(LLVMGetOperand(value, 0), depth - 1);
    default:
        return false;
    }
}

/* Tests for a scalar `x & (2^n - 1)` where x may grow by 2 to 8 per thread. */
static bool
is_wrapping(struct jit *jit, LLVMValueRef at)
{
    LLVMTypeRef type = LLVMTypeOf(at);
    if (!LLVMIsABinaryOperator(at) ||
        LLVMGetInstructionOpcode(at) != LLVMAnd ||
        (type != jit->i32 && type != jit->i64) ||
        !LLVMIsAConstantInt(LLVMGetOperand(at, 1))) {
        return false;
    }
    uint64_t mask = LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1));
    return mask && (mask & (mask + 1)) == 0 && mask <= UINT32_MAX &&
           may_stride(LLVMGetOperand(at, 0), MAX_DEPTH);
}

static void
hide_mask(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)data;
    if (!is_wrapping(jit, at)) {
        return;
    }
    LLVMTypeRef type = LLVMTypeOf(at);
    LLVMValueRef mask = LLVMGetOperand(at, 1);
    LLVMValueRef function =
        jit_declare(jit, names[type == jit->i64], type, &type, 1);
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(jit->context, memory, 0));
    jit_add_attribute(jit, function, "willreturn");
    LLVMValueRef parent =
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
    LLVMPositionBuilderBefore(
        jit->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(parent)));
    LLVMSetOperand(at, 1,
                   LLVMBuildCall2(jit->builder,
                                  LLVMGlobalGetValueType(function), function,
                                  &mask, 1, ""));
}

void
jit_hide_masks(struct jit *jit)
{
    jit_each_instruction_of_module(jit, hide_mask, NULL);
}

static void
show_mask(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (jit_calls(at, names[0]) || jit_calls(at, names[1])) {
        jit_replace(at, LLVMGetOperand(at, 0));
    }
}

void
jit_show_masks(struct jit *jit)
{
    jit_each_instruction_of_module(jit, show_mask, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(jit->module, names[i]);
        if (function) {
            LLVMDeleteFunction(function);
        }
    }
}
