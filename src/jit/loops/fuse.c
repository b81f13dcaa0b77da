/* fuse.c - fixes which products and sums are fused.
 *
 * Called before kernels are split. With -fmad, products and sums may be fused:
 * the instructions have the flag `contract`, and LLVM's code generator fuses
 * adjacent ones. But the results must not depend on whether the code runs for
 * one thread or several, and must be equal in a quick version (jit/quick.c)
 * and the full version. LLVM would fuse different instructions in each of
 * these cases. Therefore this pass fuses products and sums itself, and removes
 * the flag from all instructions that it does not fuse:
 *
 *     p = fmul contract x, y; s = fadd contract p, z
 *
 * becomes s = llvm.fma(x, y, z), if p has no other use.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/fuse.h"

static bool
may_fuse(LLVMValueRef at)
{
    return LLVMCanValueUseFastMathFlags(at) &&
           LLVMGetFastMathFlags(at) & LLVMFastMathAllowContract;
}

static bool
is_product(LLVMValueRef value)
{
    LLVMUseRef use = LLVMIsAInstruction(value) &&
                             LLVMGetInstructionOpcode(value) == LLVMFMul
                         ? LLVMGetFirstUse(value)
                         : NULL;
    return use && !LLVMGetNextUse(use) && may_fuse(value);
}

static LLVMValueRef
build_fma(struct jit *jit, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    static const char name[] = "llvm.fma";
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef fma = LLVMGetIntrinsicDeclaration(
        jit->module, LLVMLookupIntrinsicID(name, sizeof name - 1), &type, 1);
    LLVMValueRef arguments[] = {x, y, z};
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(fma), fma,
                          arguments, 3, "");
}

/* Replaces a sum or difference `at` and the product that is its operand number
 * `which` by llvm.fma. */
static void
fuse(struct jit *jit, LLVMValueRef at, unsigned which)
{
    bool minus = LLVMGetInstructionOpcode(at) == LLVMFSub;
    LLVMValueRef product = LLVMGetOperand(at, which);
    LLVMValueRef z = LLVMGetOperand(at, 1 - which);
    LLVMValueRef x = LLVMGetOperand(product, 0);
    LLVMValueRef y = LLVMGetOperand(product, 1);
    LLVMPositionBuilderBefore(jit->builder, at);
    if (minus && which == 0) {
        z = LLVMBuildFNeg(jit->builder, z, "");
    } else if (minus) {
        x = LLVMBuildFNeg(jit->builder, x, "");
    }
    jit_replace(at, build_fma(jit, x, y, z));
    LLVMInstructionEraseFromParent(product);
}

static void
visit(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    (void)data;
    if ((opcode != LLVMFAdd && opcode != LLVMFSub) || !may_fuse(at)) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (is_product(LLVMGetOperand(at, i))) {
            fuse(jit, at, i);
            return;
        }
    }
}

void
jit_fuse_products(struct jit *jit)
{
    const struct jit_options *options = &jit->options;

    if (!options->level || options->debug || options->checks) {
        return;
    }
    jit_each_instruction_of_module(jit, visit, NULL);
    jit_each_instruction_of_module(jit, jit_forbid_contraction, NULL);
}
