/* prefetch.c - prefetches array elements for loops that are not vectorised.
 *
 * Called by stride.c for `for (i = first + threadIdx.x; i < n; i += step)`
 * with a step of the width of the grid. The threads of one value of
 * threadIdx.y read a row of consecutive elements in each iteration. The row is
 * short and far from the row of the previous iteration, so that hardware
 * prefetchers do not predict it. In vectorised loops the loads of several
 * iterations overlap, but a loop with atomic or volatile accesses proceeds
 * element by element. Therefore one thread prefetches the row of the next
 * iteration before each iteration. Prefetching an invalid address is harmless.
 *
 * The prefetch has its own thread loop: a call of __pycuda_cut, before and
 * after it, acts as a barrier if the kernel is split, and is removed
 * otherwise.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/regions/regions.h"
#include "jit/warps/ops.h"

enum {
    /* Accesses with a constant stride of at least this many elements count as
     * far apart: the hardware is not expected to prefetch them. */
    FAR = 2048,
    LINE = 64, /* size of a cache line in bytes */
};

static const char cut[] = "__pycuda_cut";

bool
jit_is_split_mark(LLVMValueRef at)
{
    return jit_calls(at, cut);
}

static bool
is_slow(LLVMValueRef at)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    return opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg ||
           ((opcode == LLVMLoad || opcode == LLVMStore) &&
            LLVMGetVolatile(at));
}

/* If the instruction loads element `index` of an array, returns the address
 * from which it loads. Otherwise returns NULL. */
static LLVMValueRef
address_of(LLVMValueRef at, LLVMValueRef index)
{
    if (!LLVMIsALoadInst(at) || LLVMGetVolatile(at)) {
        return NULL;
    }
    LLVMValueRef address = LLVMGetOperand(at, 0);
    if (!LLVMIsAGetElementPtrInst(address) ||
        LLVMGetNumOperands(address) != 2 ||
        !LLVMIsAArgument(LLVMGetOperand(address, 0))) {
        return NULL;
    }
    LLVMValueRef used = LLVMGetOperand(address, 1);
    if (LLVMIsASExtInst(used) || LLVMIsAZExtInst(used)) {
        used = LLVMGetOperand(used, 0);
    }
    return used == index ? address : NULL;
}

LLVMValueRef
jit_far_row(const struct jit_cfg *cfg, const bool *inside, LLVMValueRef index,
            LLVMValueRef step)
{
    LLVMValueRef row = NULL;
    bool slow = false;
    bool near =
        LLVMIsAConstantInt(step) && LLVMConstIntGetZExtValue(step) < FAR;
    for (unsigned b = 0; b < cfg->count; b++) {
        LLVMValueRef at =
            inside[b] ? LLVMGetFirstInstruction(cfg->blocks[b].block) : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            slow |= is_slow(at);
            row = row ? row : address_of(at, index);
            if (jit_is_warp_op(at)) {
                return NULL;
            }
        }
    }
    return slow && !near ? row : NULL;
}

void
jit_build_split_mark(struct jit *jit)
{
    LLVMValueRef mark =
        jit_declare(jit, cut, LLVMVoidTypeInContext(jit->context), NULL, 0);
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(mark), mark, NULL, 0,
                   "");
}

static void
build_prefetch(struct jit *jit, LLVMValueRef address)
{
    static const char name[] = "llvm.prefetch";
    LLVMValueRef prefetch = LLVMGetIntrinsicDeclaration(
        jit->module, LLVMLookupIntrinsicID(name, sizeof name - 1),
        &jit->pointer, 1);
    LLVMValueRef arguments[4] = {address, jit_constant(jit, 0),
                                 jit_constant(jit, 3), jit_constant(jit, 1)};
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(prefetch), prefetch,
                   arguments, 4, "");
}

/* Fills the basic block `block` with the loop for (at = 0; at < bytes; at +=
 * LINE) prefetch(row + at). The loop is entered from basic block `before` and
 * continues at basic block `after`. */
static void
write_loop(struct jit *jit, LLVMBasicBlockRef before, LLVMBasicBlockRef block,
           LLVMBasicBlockRef after, LLVMValueRef row, LLVMValueRef bytes)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMPositionBuilderAtEnd(builder, block);
    LLVMValueRef at = LLVMBuildPhi(builder, jit->i32, "");
    build_prefetch(jit, LLVMBuildGEP2(builder, jit->i8, row, &at, 1, ""));
    LLVMValueRef next = LLVMBuildAdd(builder, at, jit_constant(jit, LINE), "");
    LLVMBuildCondBr(builder,
                    LLVMBuildICmp(builder, LLVMIntULT, next, bytes, ""), block,
                    after);
    LLVMValueRef values[2] = {jit_constant(jit, 0), next};
    LLVMBasicBlockRef blocks[2] = {before, block};
    LLVMAddIncoming(at, values, blocks, 2);
}

void
jit_prefetch_rows(struct jit *jit, struct jit_kernel *kernel,
                  LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                  LLVMValueRef address, const LLVMValueRef *next,
                  unsigned count)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    uint64_t size =
        LLVMABISizeOfType(LLVMGetModuleDataLayout(jit->module), type);
    LLVMBasicBlockRef done =
        LLVMInsertBasicBlockInContext(jit->context, to, "fetched");
    LLVMBasicBlockRef after = done, before = from;
    LLVMPositionBuilderAtEnd(builder, from);
    LLVMValueRef array = LLVMGetOperand(address, 0);
    LLVMValueRef bytes =
        LLVMBuildMul(builder, jit_body_argument(kernel, JIT_NTID),
                     jit_constant(jit, size), "");
    jit_build_split_mark(jit);
    LLVMValueRef first =
        LLVMBuildICmp(builder, LLVMIntEQ, jit_body_argument(kernel, JIT_TID),
                      jit_constant(jit, 0), "");
    LLVMValueRef choice = LLVMBuildCondBr(builder, first, done, done);
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef loop =
            LLVMInsertBasicBlockInContext(jit->context, done, "fetch");
        LLVMPositionBuilderBefore(builder, choice);
        LLVMValueRef row = LLVMBuildGEP2(builder, type, array,
                                         (LLVMValueRef *)&next[i], 1, "");
        LLVMSetSuccessor(LLVMGetBasicBlockTerminator(before),
                         before == from ? 0 : 1, loop);
        write_loop(jit, before, loop, after, row, bytes);
        before = loop;
    }
    LLVMPositionBuilderAtEnd(builder, done);
    jit_build_split_mark(jit);
    LLVMBuildBr(builder, to);
}

static void
erase_split_mark(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (jit_is_split_mark(at)) {
        LLVMInstructionEraseFromParent(at);
    }
}

void
jit_drop_split_marks(struct jit *jit)
{
    jit_each_instruction_of_module(jit, erase_split_mark, NULL);
}
