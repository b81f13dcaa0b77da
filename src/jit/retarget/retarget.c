/* retarget.c - converts nvptx functions to host functions.
 *
 * Sets the triple and the data layout, drops attributes that only nvptx uses,
 * and sets the floating-point flags that the options request.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>

#include "jit/fibers/runtime_stops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"
#include "jit/target/target.h"

static void
drop_text_attribute(LLVMValueRef function, const char *name)
{
    LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                     name, (unsigned)strlen(name));
}

/* Returns true if the name is that of a runtime function that may be called
 * with any arguments and has no effects. LLVM may move calls of such a
 * function out of loops, even if the loop executes them conditionally. */
static bool
is_speculatable(const char *name)
{
    return strcmp(name, "__pycuda_texture_plain") == 0 ||
           strcmp(name, "__pycuda_texture_width") == 0;
}

/* Replaces the function attributes for nvptx by those for the host. Attributes
 * that request or forbid inlining are dropped, since inlining.c decides. */
static void
retarget_function(struct jit *jit, LLVMValueRef function)
{
    static const char *const texts[] = {"target-cpu",
                                        "target-features",
                                        "frame-pointer",
                                        "stack-protector-buffer-size",
                                        "uniform-work-group-size",
                                        "no-trapping-math"};
    static const char *const flags[] = {
        "noinline",     "optnone", "convergent", "inlinehint",
        "alwaysinline", "minsize", "optsize"};
    const struct jit_target *target = jit->options.target;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        drop_text_attribute(function, texts[i]);
    }
    if (LLVMIsDeclaration(function)) {
        if (is_speculatable(jit_name(function))) {
            jit_add_attribute(jit, function, "speculatable");
        }
        return;
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        jit_drop_attribute(function, flags[i]);
    }
    jit_add_attribute(jit, function, "nounwind");
    /* Make accesses through a null pointer fault. Without
     * `null_pointer_is_valid`, LLVM treats them as unreachable code. */
    jit_add_attribute(jit, function, "null_pointer_is_valid");
    LLVMAddTargetDependentFunctionAttr(function, "target-cpu", target->cpu);
    LLVMAddTargetDependentFunctionAttr(function, "prefer-vector-width",
                                       target->vector_bits);
    LLVMAddTargetDependentFunctionAttr(function, "warn-stack-size", "0");
    LLVMSetComdat(function, NULL);
    LLVMSetVisibility(function, LLVMDefaultVisibility);
    LLVMSetFunctionCallConv(function, LLVMCCallConv);
    LLVMSetLinkage(function, jit_is_kernel(jit, function)
                                 ? LLVMExternalLinkage
                                 : LLVMInternalLinkage);
}

/* Removes the attribute `convergent` from calls of functions that never wait
 * for other threads. The other calls keep the attribute, so that no pass makes
 * them depend on additional conditions. */
static void
retarget_call(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)data;
    LLVMValueRef callee = jit_callee(instruction);
    if (!LLVMIsACallInst(instruction)) {
        return;
    }
    LLVMSetInstructionCallConv(instruction, LLVMCCallConv);
    if (jit_calls(instruction, "__pycuda_activemask")) {
        /* Without the attribute nomerge, LLVM may merge calls, which then have
         * only one source location. */
        LLVMAddCallSiteAttribute(
            instruction, LLVMAttributeFunctionIndex,
            LLVMCreateEnumAttribute(
                jit->context, LLVMGetEnumAttributeKindForName("nomerge", 7),
                0));
    }
    if (!callee || !jit_may_stop(jit_name(callee))) {
        LLVMRemoveCallSiteEnumAttribute(
            instruction, LLVMAttributeFunctionIndex,
            LLVMGetEnumAttributeKindForName("convergent", 10));
    }
}

void
jit_retarget(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function) && !jit_may_stop(jit_name(function))) {
            jit_drop_attribute(function, "convergent");
        }
        retarget_function(jit, function);
    }
    jit_each_instruction_of_module(jit, retarget_call, NULL);
}

static void
set_flags(struct jit *jit, LLVMValueRef instruction, void *data)
{
    (void)jit;
    (void)data;
    if (LLVMCanValueUseFastMathFlags(instruction)) {
        LLVMSetFastMathFlags(instruction, LLVMFastMathAllowReciprocal |
                                              LLVMFastMathApproxFunc);
    }
}

void
jit_set_math(struct jit *jit)
{
    if (!jit->options.fmad) {
        jit_each_instruction_of_module(jit, jit_forbid_contraction, NULL);
    }
    if (jit->options.flush) {
        jit_flush(jit);
    }
    if (jit->options.fast_math) {
        jit_each_instruction_of_module(jit, set_flags, NULL);
    }
}
