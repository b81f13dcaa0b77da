/* stops.c - finds kernels that may switch fibers, and kernels whose stack size
 * is unknown.
 *
 * Called by main.c. A stop is a call at which a thread waits for others, such
 * as a barrier. A kernel needs fibers if it may reach a runtime function that
 * is a stop. Recursion, calls through pointers and dynamic allocas make the
 * kernel's stack size unknown. A call through a pointer may reach any function
 * with an address that is taken.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/fibers/fibers.h"
#include "jit/fibers/runtime_stops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

struct reach {
    struct jit_kernel *kernel;
    /* functions that the kernel may reach, in the order in which they are
     * visited */
    LLVMValueRef *functions;
    unsigned count;
};

/* Visits a function that the kernel may reach. If the function is a runtime
 * function in which a thread may wait, the kernel needs fibers. If the
 * function is defined in the module, it is appended to reach->functions, so
 * that its calls are visited. */
static void
reach_function(struct jit *jit, struct reach *reach, LLVMValueRef function)
{
    if (LLVMIsDeclaration(function)) {
        reach->kernel->fibers |= jit_may_stop(jit_name(function));
        return;
    }
    for (unsigned i = 0; i < reach->count; i++) {
        if (reach->functions[i] == function) {
            return;
        }
    }
    reach->functions[reach->count++] = function;
    LLVMAttributeRef why = LLVMGetStringAttributeAtIndex(
        function, LLVMAttributeFunctionIndex, "pycuda-noinline", 15);
    if (jit_is_noinline(jit, function)) {
        unsigned length;
        const char *text = LLVMGetStringAttributeValue(why, &length);
        reach->kernel->calls_functions = true;
        reach->kernel->recursive |= strncmp(text, "recursive", length) == 0;
    }
}

/* Tests for an alloca (stack allocation) whose size or number of executions is
 * known only at run time. */
static bool
grows_the_stack(LLVMValueRef at)
{
    if (!LLVMIsAAllocaInst(at)) {
        return false;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    return !LLVMIsConstant(LLVMGetOperand(at, 0)) ||
           block != LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
}

/* Visits an instruction. For a direct call, visits the callee with
 * reach_function. For an indirect call, visits all functions whose address is
 * taken. */
static void
reach_call(struct jit *jit, LLVMValueRef at, void *data)
{
    struct reach *reach = data;
    LLVMValueRef callee = jit_callee(at);
    if (callee) {
        reach_function(jit, reach, callee);
        return;
    }
    if (grows_the_stack(at)) {
        reach->kernel->recursive = true;
        reach->kernel->calls_functions = true;
    }
    if (!LLVMIsACallInst(at)) {
        return;
    }
    reach->kernel->recursive = true;
    reach->kernel->calls_functions = true;
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (jit_address_taken(function)) {
            reach_function(jit, reach, function);
        }
    }
}

void
jit_find_stops(struct jit *jit)
{
    unsigned count = 0;
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        count++;
    }
    struct reach reach = {NULL, jit_allocate(count * sizeof(LLVMValueRef)), 0};
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        reach.kernel = &jit->kernels[i];
        reach.count = 0;
        reach_function(jit, &reach, reach.kernel->function);
        for (unsigned k = 0; k < reach.count; k++) {
            jit_each_instruction(jit, reach.functions[k], reach_call, &reach);
        }
    }
}
