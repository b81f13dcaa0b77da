/* lanes.c - lowers the vector operations of pycuda/cuda/cpu/lanes.h.
 *
 * Runs before any pass, so that passes remove the code for vectors on targets
 * without a fitting vector instruction. Before:
 *
 *   %1 = call i32 @__pycuda_has_lanes()
 *   %2 = call <16 x i32> @llvm.experimental.vector.compress.v16i32(
 *            <16 x i32> %v, <16 x i1> %mask, <16 x i32> %others)
 *
 * If the target has an instruction for the second call, %1 becomes 1, and %2
 * becomes a call of the target's intrinsic for this instruction. Otherwise %1
 * becomes 0 and the call is unchanged; LLVM scalarises it. In kernels with
 * checks %1 also becomes 0, since the checks do not cover accesses under
 * masks.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"
#include "jit/target/target.h"
#include "jit/text.h"

#define COMPRESS "llvm.experimental.vector.compress"

/* Replaces a call of LLVM's generic compress intrinsic by the
 * target's intrinsic `own`, since LLVM 19 does not select the instruction for
 * the generic one on x86-64. */
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
    jit_each_instruction_of_module(jit, lower_call, (void *)own);
}
