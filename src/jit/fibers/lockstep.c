/* lockstep.c - volatile stores to shared memory keep a warp's threads level.
 *
 * Programs from before Volta leave out barriers within a warp and count on
 * its threads to advance together, over volatile shared memory:
 * `s[t] += s[t + 16]; s[t] += s[t + 8];`.  A call of __pycuda_activemask,
 * which waits until every other thread of the warp stands at some stop, goes
 * before each such store (all have loaded) and behind it (all have stored).
 * The kernel then runs on fibers.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "jit/jit.h"

enum { MOST_STEPS = 32 }; /* back from an address to its variable */

/* The address that a check under `memory` was given and gives back. */
static bool
is_checked(LLVMValueRef address)
{
    return LLVMIsACallInst(address) && jit_calls(address, "__pycuda_check");
}

static bool
is_shared(LLVMValueRef address)
{
    for (int i = 0; i < MOST_STEPS; i++) {
        if (LLVMIsAGlobalVariable(address)) {
            const char *section = jit_section(address);
            return strcmp(section, "shared") == 0 ||
                   strcmp(section, "dynamic") == 0;
        }
        if (is_checked(address)) {
            address = LLVMGetOperand(address, 0);
            continue;
        }
        bool derived = LLVMIsAPHINode(address) || LLVMIsAUser(address);
        if (!derived || LLVMIsALoadInst(address) || LLVMIsACallInst(address) ||
            LLVMGetNumOperands(address) == 0) {
            return false;
        }
        /* the pointer of a getelementptr or a cast, one way of a choice */
        bool choice = LLVMIsASelectInst(address) != NULL;
        address = LLVMIsAPHINode(address) ? LLVMGetIncomingValue(address, 0)
                                          : LLVMGetOperand(address, choice);
    }
    return false;
}

static void
build_wait(struct jit *jit)
{
    LLVMValueRef wait =
        jit_declare(jit, "__pycuda_activemask",
                    LLVMInt32TypeInContext(jit->context), NULL, 0);
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(wait), wait, NULL, 0,
                   "");
}

static void
look_at(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)data;
    if (LLVMGetInstructionOpcode(at) != LLVMStore || !LLVMGetVolatile(at) ||
        !is_shared(LLVMGetOperand(at, 1))) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    build_wait(jit);
    LLVMPositionBuilderBefore(jit->builder, LLVMGetNextInstruction(at));
    build_wait(jit);
}

void
jit_keep_level(struct jit *jit)
{
    jit_each_instruction_of_all(jit, look_at, NULL);
}
