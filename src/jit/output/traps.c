/* traps.c - what C++ leaves undefined ends in a fault, not somewhere else.
 *
 * The last step before machine code.  Two things would let a kernel run on
 * into memory or code that is not its own:
 *
 * - an `unreachable` that is reached: a function without its `return`,
 *   __builtin_unreachable, a call that the passes saw to be undefined.  The
 *   code would go on with whatever function comes next.  Before:
 *
 *       unreachable
 *
 *   after, unless a function that does not return is called just there:
 *
 *       call void @llvm.trap()
 *       unreachable
 *
 * - a frame of more than a page, or an alloca, that steps over the page below
 *   a stack which ends it.  Functions touch each page of their frames.
 *
 * Neither costs time where nothing is wrong.
 *
 * SPDX-License-Identifier: MIT */
#include <llvm-c/DebugInfo.h>

#include "jit/jit.h"

static bool
does_not_return(LLVMValueRef at)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noreturn", 8);

    if (!at || !LLVMIsACallInst(at)) {
        return false;
    }
    LLVMValueRef callee = LLVMGetCalledValue(at);
    return LLVMGetCallSiteEnumAttribute(at, LLVMAttributeFunctionIndex,
                                        kind) ||
           (LLVMIsAFunction(callee) &&
            LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex,
                                        kind));
}

static LLVMValueRef
trap_declare(struct jit *jit)
{
    static const char name[] = "llvm.trap";
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);

    return LLVMGetIntrinsicDeclaration(jit->module, id, NULL, 0);
}

static void
trap_add(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMValueRef trap = data;

    if (!LLVMIsAUnreachableInst(at) ||
        does_not_return(LLVMGetPreviousInstruction(at))) {
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMSetCurrentDebugLocation2(jit->builder, LLVMInstructionGetDebugLoc(at));
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(trap), trap, NULL, 0,
                   "");
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
}

void
jit_add_traps(struct jit *jit)
{
    jit_each_instruction_of_all(jit, trap_add, trap_declare(jit));
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function)) {
            LLVMAddTargetDependentFunctionAttr(function, "probe-stack",
                                               "inline-asm");
        }
    }
}
