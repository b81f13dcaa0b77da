/* traps.c - makes undefined behaviour of C++ end in a fault.
 *
 * Called last, before code generation. In two cases a kernel with undefined
 * behaviour would continue in code or memory that does not belong to it:
 *
 * - An `unreachable` that is reached: a function without its `return`,
 * __builtin_unreachable, or a call whose behaviour LLVM found to be undefined.
 * Control would run into the next function in memory. Before:
 *
 *       unreachable
 *
 *   After, unless the preceding instruction calls a function that does not
 *   return:
 *
 *       call void @llvm.trap()
 *       unreachable
 *
 * - A frame of more than a page, or an alloca, that skips the guard page below
 *   the stack. Functions probe each page of their frames.
 *
 * Neither the traps nor the probes cost time in correct programs.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/output.h"

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
    jit_each_instruction_of_module(jit, trap_add, trap_declare(jit));
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function)) {
            LLVMAddTargetDependentFunctionAttr(function, "probe-stack",
                                               "inline-asm");
        }
    }
}
