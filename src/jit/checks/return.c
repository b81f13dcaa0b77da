/* return.c - which branches are `return` statements of a kernel.
 *
 * Called by insert.c.  clang gives all of them one block, "return".
 * Where variables end before, it goes there by way of blocks "cleanup", with
 * a number that says which way to go on: 0 for the usual one.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "jit/checks/checks.h"

enum { MOST_STEPS = 64 };

static bool
is_named(LLVMBasicBlockRef block, const char *prefix)
{
    return strncmp(LLVMGetBasicBlockName(block), prefix, strlen(prefix)) == 0;
}

/* The number with which `from` comes to a block "cleanup", or 0. */
static uint64_t
way_of(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef at = LLVMGetFirstInstruction(to);

    for (; at && LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at)) {
        if (strncmp(jit_name(at), "cleanup.dest", 12) != 0) {
            continue;
        }
        for (unsigned i = 0; i < LLVMCountIncoming(at); i++) {
            LLVMValueRef value = LLVMGetIncomingValue(at, i);
            if (LLVMGetIncomingBlock(at, i) == from &&
                LLVMIsAConstantInt(value)) {
                return LLVMConstIntGetZExtValue(value);
            }
        }
    }
    return 0;
}

/* Where a block "cleanup" goes on. */
static LLVMBasicBlockRef
next_of(LLVMBasicBlockRef block, uint64_t way)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

    if (LLVMIsABranchInst(end) && LLVMGetNumSuccessors(end) == 1) {
        return LLVMGetSuccessor(end, 0);
    }
    if (!LLVMIsASwitchInst(end)) {
        return NULL;
    }
    for (unsigned i = 1; i < LLVMGetNumSuccessors(end); i++) {
        LLVMValueRef value = LLVMGetOperand(end, 2 * i);
        if (LLVMConstIntGetZExtValue(value) == way) {
            return LLVMGetSuccessor(end, i);
        }
    }
    return LLVMGetSuccessor(end, 0);
}

static bool
way_returns(LLVMBasicBlockRef block, uint64_t way)
{
    for (int i = 0; block && i < MOST_STEPS; i++) {
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(block)) ||
            is_named(block, "return")) {
            return true;
        }
        block = is_named(block, "cleanup") ? next_of(block, way) : NULL;
    }
    return false;
}

bool
jit_is_return(struct jit *jit, LLVMValueRef at)
{
    if (!LLVMIsABranchInst(at) || LLVMGetNumSuccessors(at) != 1) {
        return false;
    }
    LLVMBasicBlockRef from = LLVMGetInstructionParent(at);
    LLVMBasicBlockRef to = LLVMGetSuccessor(at, 0);

    if (!jit_is_kernel(jit, LLVMGetBasicBlockParent(from))) {
        return false;
    }
    if (strcmp(LLVMGetBasicBlockName(to), "return") == 0) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(to);
        return LLVMGetDebugLocLine(at) != LLVMGetDebugLocLine(end);
    }
    uint64_t way = is_named(to, "cleanup") ? way_of(from, to) : 0;
    return way != 0 && way_returns(to, way);
}
