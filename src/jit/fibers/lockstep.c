/* lockstep.c - runs the threads of a warp in lockstep around volatile stores
 * to shared memory.
 *
 * Called by main.c. Programs from before Volta omit barriers within a warp and
 * rely on its threads advancing together, over volatile shared memory:
 *
 *     s[t] += s[t + 16]; s[t] += s[t + 8];
 *
 * Before and after each volatile store to shared memory, the pass inserts a
 * call of __pycuda_activemask. The call waits until every other thread of the
 * warp also waits or has ended. Thus all threads have loaded before one
 * stores, and all have stored before one continues. The kernel then runs on
 * fibers.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/fibers/fibers.h"
#include "jit/ir.h"
#include "jit/jit.h"

/* largest number of operations that are followed back from an address to the
 * variable that it is derived from */
enum { MAX_STEPS = 32 };

/* Tests for the call of an access check (PYCUDA_CPU_CHECK), which returns the
 * address that it checks. */
static bool
is_checked(LLVMValueRef address)
{
    return LLVMIsACallInst(address) && jit_calls(address, "__pycuda_check");
}

/* Tests whether the address is derived from a shared variable. */
static bool
is_shared(LLVMValueRef address)
{
    for (int i = 0; i < MAX_STEPS; i++) {
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
        /* Continue with the pointer from which the address is computed: the
         * first value of a phi or select, or the first operand of a
         * getelementptr or cast. */
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
surround_store(struct jit *jit, LLVMValueRef at, void *data)
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
jit_keep_lockstep(struct jit *jit)
{
    jit_each_instruction_of_module(jit, surround_store, NULL);
}
