/* order.c - comparisons `left < right` of integers, and conditions from which
 * they follow.
 *
 * Called by loops.c, for the tests of loops and the branches before them.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/ptx/order.h"

/* Adds `by`, 1 or -1, to a constant. Returns NULL if the sum overflows. */
static LLVMValueRef
adjacent(LLVMValueRef constant, int by, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    unsigned bits = LLVMGetIntTypeWidth(type);
    if (bits > 64) {
        return NULL;
    }
    uint64_t mask = UINT64_MAX >> (64 - bits), top = (mask >> 1) + 1;
    uint64_t value = LLVMConstIntGetZExtValue(constant);
    uint64_t greatest = is_signed ? top - 1 : mask;
    uint64_t least = is_signed ? top : 0;
    if (value == (by > 0 ? greatest : least)) {
        return NULL;
    }
    return LLVMConstInt(type, (value + (uint64_t)(int64_t)by) & mask, 0);
}

LLVMValueRef
ptx_without_not(LLVMValueRef condition, bool *holds)
{
    LLVMValueRef one = LLVMConstAllOnes(LLVMTypeOf(condition));
    while (LLVMIsAInstruction(condition) &&
           LLVMGetInstructionOpcode(condition) == LLVMXor &&
           LLVMGetOperand(condition, 1) == one) {
        condition = LLVMGetOperand(condition, 0);
        *holds = !*holds;
    }
    return condition;
}

bool
ptx_order_read(LLVMValueRef compare, bool holds, struct ptx_order *order)
{
    if (!LLVMIsAICmpInst(compare) ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(compare, 0))) !=
            LLVMIntegerTypeKind) {
        return false;
    }
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    LLVMValueRef left = LLVMGetOperand(compare, 0);
    LLVMValueRef right = LLVMGetOperand(compare, 1);
    predicate = holds ? predicate : jit_predicate_inverse(predicate);
    if (predicate == LLVMIntSGT || predicate == LLVMIntUGT ||
        predicate == LLVMIntSGE || predicate == LLVMIntUGE) {
        predicate = jit_predicate_mirrored(predicate);
        left = LLVMGetOperand(compare, 1);
        right = LLVMGetOperand(compare, 0);
    }
    if (predicate == LLVMIntNE && LLVMIsAConstantInt(right) &&
        LLVMIsNull(right)) {
        *order = (struct ptx_order){right, left, false};
        return true;
    }
    bool is_signed = predicate == LLVMIntSLT || predicate == LLVMIntSLE;
    if (predicate == LLVMIntSLE || predicate == LLVMIntULE) {
        if (LLVMIsAConstantInt(right)) {
            right = adjacent(right, 1, is_signed);
        } else {
            left = LLVMIsAConstantInt(left) ? adjacent(left, -1, is_signed)
                                            : NULL;
        }
    } else if (predicate != LLVMIntSLT && predicate != LLVMIntULT) {
        return false;
    }
    *order = (struct ptx_order){left, right, is_signed};
    return left && right;
}

static bool
is_same(const struct ptx_order *a, const struct ptx_order *b)
{
    return a->left == b->left && a->right == b->right &&
           a->is_signed == b->is_signed;
}

bool
ptx_order_is_known(const struct ptx_order *order)
{
    if (!LLVMIsAConstantInt(order->left) ||
        !LLVMIsAConstantInt(order->right) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(order->left)) > 64) {
        return false;
    }
    return order->is_signed ? LLVMConstIntGetSExtValue(order->left) <
                                  LLVMConstIntGetSExtValue(order->right)
                            : LLVMConstIntGetZExtValue(order->left) <
                                  LLVMConstIntGetZExtValue(order->right);
}

bool
ptx_order_follows(LLVMValueRef condition, bool holds,
                  const struct ptx_order *wanted, unsigned *budget,
                  bool *exact)
{
    struct ptx_order known;
    if (!*budget) {
        return false;
    }
    --*budget;
    condition = ptx_without_not(condition, &holds);
    if (ptx_order_read(condition, holds, &known)) {
        *exact = true;
        return is_same(&known, wanted);
    }
    if (LLVMIsAInstruction(condition) &&
        LLVMGetInstructionOpcode(condition) == (holds ? LLVMAnd : LLVMOr)) {
        bool found = ptx_order_follows(LLVMGetOperand(condition, 0), holds,
                                       wanted, budget, exact) ||
                     ptx_order_follows(LLVMGetOperand(condition, 1), holds,
                                       wanted, budget, exact);
        *exact = false;
        return found;
    }
    return false;
}
