/* fuse.c - where a loop's products and sums are rounded once, not twice.
 *
 * Called by outline.c on a new function.  The source allows it (-fmad): until
 * here the instructions carry a flag, and the code generator fuses those that
 * it sees beside each other.  It sees other ones in the loop for one thread
 * than in that for several, but a thread's results must not depend on which
 * of the two ran it.  So it is settled here, and the flags go:
 *     p = fmul contract x, y; s = fadd contract p, z
 * becomes s = llvm.fma(x, y, z), if nothing else uses p.
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

/* The sum or difference, whose operand `which` is a product. */
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
