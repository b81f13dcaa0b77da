/* fuse.c - fixes which products and sums of a loop are fused.
 *
 * Called by outline.c on a new function. The source permits fusing (-fmad): up
 * to this point instructions carry a flag, and the code generator fuses
 * adjacent ones. It would fuse different ones in the loop for one thread than
 * in the loop for several threads, but results must not depend on the variant
 * that ran. Therefore this pass decides, and removes the flags:
 *
 *     p = fmul contract x, y; s = fadd contract p, z
 *
 * becomes s = llvm.fma(x, y, z), if p has no other use.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/loops/loops.h"

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

/* Fuses a sum or difference with its operand `which`, a product. */
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
jit_fuse_products(struct jit *jit, LLVMValueRef function)
{
    jit_each_instruction(jit, function, visit, NULL);
    jit_each_instruction(jit, function, jit_forbid_contraction, NULL);
}
