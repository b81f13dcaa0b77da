/* lanes.c - the whole vectors of pycuda/cuda/cpu/lanes.h, as the target has
 * them.
 *
 * Runs before any pass, so that what a target has no vectors for goes with
 * its branch.  Before:
 *   %1 = call i32 @__pycuda_has_lanes()
 *   %2 = call <16 x i32> @llvm.experimental.vector.compress.v16i32(
 *            <16 x i32> %v, <16 x i1> %mask, <16 x i32> %others)
 * After, where the target has an operation for the latter, 1 and a call of
 * that; else 0 and what is there, which LLVM takes apart.  In checked kernels,
 * too, since accesses under masks are not checked.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "jit/jit.h"
#include "jit/target/target.h"

#define COMPRESS "llvm.experimental.vector.compress"

/* LLVM 19 does not know that x86-64 has it. */
static void
lower_compress(struct jit *jit, LLVMValueRef call, const char *own)
{
    LLVMValueRef arguments[] = {LLVMGetOperand(call, 0),
                                LLVMGetOperand(call, 2),
                                LLVMGetOperand(call, 1)};
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMTypeRef types[] = {type, type, LLVMTypeOf(arguments[2])};
    const char *shape = jit_name(jit_callee(call)) + strlen(COMPRESS);
    LLVMValueRef to =
        jit_declare(jit, jit_format("%s%s", own, shape), type, types, 3);
    LLVMPositionBuilderBefore(jit->builder, call);
    jit_replace(call, LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(to),
                                     to, arguments, 3, ""));
}

static void
lower_call(struct jit *jit, LLVMValueRef instruction, void *data)
{
    const char *own = data;
    if (jit_calls(instruction, "__pycuda_has_lanes")) {
        jit_replace(instruction, jit_constant(jit, own != NULL));
    } else if (own && jit_is_call(instruction, COMPRESS)) {
        lower_compress(jit, instruction, own);
    }
}

void
jit_lower_lanes(struct jit *jit)
{
    const char *own =
        jit->options.checks ? NULL : jit->options.target->compress;
    jit_each_instruction_of_all(jit, lower_call, (void *)own);
}
