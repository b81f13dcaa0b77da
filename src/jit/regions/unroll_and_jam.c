/* unroll_and_jam.c - merges several iterations of a strided loop into one.
 *
 * Called by stride.c for the loops that it has transformed to this form:
 *
 *     for (b = first; b < n; b += step)
 *         if (threadIdx.x < n - b) body(b + threadIdx.x);
 *
 * If the next COPIES iterations run for all threads, they are merged into one
 * iteration:
 *
 *     if (n - b >= (COPIES - 1) * step + blockDim.x)
 *         body(b + threadIdx.x); body(b + step + threadIdx.x); ...
 *
 * Each thread performs the same operations in the same order, and there is no
 * barrier in between. Values that a thread passes from iteration to iteration
 * are loaded and stored once for all copies. The loads of the merged
 * iterations are far apart in memory. They overlap in time, which hides memory
 * latency.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"

enum {
    MAX_COPIES = 8,
    /* loop bodies with at most this many instructions get more copies */
    SHORT_BODY = 8,
    /* loop bodies with more instructions than this are not copied */
    LONG_BODY = 24,
    MAX_PHIS = 4,
};

struct unroll {
    struct jit *jit;
    const struct jit_strided *loop;
    /* the sum of the loop variable `b` and threadIdx.x; this instruction is in
     * the basic block loop->gate, which tests whether the thread has work in
     * the iteration */
    LLVMValueRef index;
    /* number of successive iterations that are merged into one */
    unsigned copies;
    /* number of used elements of `carried`, `merged` and `values` */
    unsigned phis;
    /* phis of the basic block loop->head, except that of the loop variable
     * `b`: values that a thread passes from iteration to iteration */
    LLVMValueRef carried[MAX_PHIS];
    /* for each phi in `carried`: the phi in the basic block loop->round, where
     * the two paths after loop->gate meet */
    LLVMValueRef merged[MAX_PHIS];
    /* for each phi in `carried`: its value after the copies of the loop body
     * made so far */
    LLVMValueRef values[MAX_PHIS];
};

/* ---- matching ---- */

static bool
may_copy(LLVMValueRef at)
{
    return !LLVMIsACallInst(at) ||
           (jit_is_call(at, "llvm.") && !jit_is_call(at, "llvm.mem"));
}

/* Tests whether the instruction uses no values of the blocks `head` and `gate`
 * except jam->index and the phis of values that pass from iteration to
 * iteration. */
static bool
knows_index_only(const struct unroll *jam, LLVMValueRef at)
{
    int count = LLVMGetNumOperands(at);
    for (int i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetOperand(at, (unsigned)i);
        if (!LLVMIsAInstruction(value) || value == jam->index) {
            continue;
        }
        LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
        bool phi = LLVMIsAPHINode(value) && value != jam->loop->base;
        if (block == jam->loop->gate || (block == jam->loop->head && !phi)) {
            return false;
        }
    }
    return true;
}

static bool
match_body(struct unroll *jam)
{
    unsigned count = 0;
    bool loads = false;
    LLVMValueRef at = LLVMGetFirstInstruction(jam->loop->body);
    for (; !LLVMIsATerminatorInst(at); at = LLVMGetNextInstruction(at)) {
        if (++count > LONG_BODY || LLVMIsAPHINode(at) || !may_copy(at) ||
            !knows_index_only(jam, at)) {
            return false;
        }
        loads |= LLVMIsALoadInst(at) != NULL;
    }
    bool more = count <= SHORT_BODY && !jam->loop->row;
    jam->copies = more ? MAX_COPIES : MAX_COPIES / 2;
    return loads && LLVMGetNumSuccessors(at) == 1 &&
           LLVMGetSuccessor(at, 0) == jam->loop->round;
}

/* Tests whether the basic block before the loop body computes the thread's
 * index, branches to the loop body if threadIdx.x is less than a value that is
 * the same for all threads of a row, and does nothing else. */
static bool
match_guard(struct unroll *jam)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(jam->loop->gate);
    if (LLVMGetNumSuccessors(end) != 2 ||
        LLVMGetSuccessor(end, 0) != jam->loop->body) {
        return false;
    }
    LLVMValueRef test = LLVMGetCondition(end);
    jam->index = LLVMGetFirstInstruction(jam->loop->gate);
    return LLVMIsAICmpInst(test) &&
           LLVMGetOperand(test, 0) == jam->loop->thread &&
           LLVMGetInstructionOpcode(jam->index) == LLVMAdd;
}

static bool
match_phis(struct unroll *jam)
{
    LLVMValueRef at = LLVMGetFirstInstruction(jam->loop->head);
    for (; LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at)) {
        if (at == jam->loop->base) {
            continue;
        }
        LLVMValueRef merged = jit_incoming(at, jam->loop->round);
        if (jam->phis == MAX_PHIS || !merged || !LLVMIsAPHINode(merged) ||
            LLVMGetInstructionParent(merged) != jam->loop->round) {
            return false;
        }
        jam->carried[jam->phis] = jam->values[jam->phis] = at;
        jam->merged[jam->phis++] = merged;
    }
    return true;
}

/* Returns false for a loop with a small constant iteration count, for which
 * unrolling does not pay. */
static bool
has_rounds(const struct unroll *jam)
{
    LLVMValueRef limit = jam->loop->limit, step = jam->loop->step;
    if (!LLVMIsAConstantInt(limit) || !LLVMIsAConstantInt(step)) {
        return true;
    }
    uint64_t far = LLVMConstIntGetZExtValue(limit);
    uint64_t each = LLVMConstIntGetZExtValue(step);
    return each && far / each >= 2 * jam->copies;
}

/* ---- the copies ---- */

static LLVMValueRef
mapped(const struct unroll *jam, LLVMValueRef value, LLVMValueRef index,
       const LLVMValueRef *originals, const LLVMValueRef *copies,
       unsigned count)
{
    if (value == jam->index) {
        return index;
    }
    for (unsigned i = 0; i < jam->phis; i++) {
        if (value == jam->carried[i]) {
            return jam->values[i];
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (value == originals[i]) {
            return copies[i];
        }
    }
    return value;
}

/* Builds, at the builder's position, a copy of the loop body for one
 * iteration: the copy uses `index` where the original uses the loop index, the
 * sum of the loop variable and threadIdx.x. */
static void
copy_body(struct unroll *jam, LLVMValueRef index)
{
    LLVMValueRef originals[LONG_BODY], copies[LONG_BODY], next[MAX_PHIS];
    unsigned count = 0;
    LLVMValueRef at = LLVMGetFirstInstruction(jam->loop->body);
    for (; !LLVMIsATerminatorInst(at); at = LLVMGetNextInstruction(at)) {
        LLVMValueRef copy = LLVMInstructionClone(at);
        int operands = LLVMGetNumOperands(copy);
        for (int i = 0; i < operands; i++) {
            LLVMSetOperand(copy, (unsigned)i,
                           mapped(jam, LLVMGetOperand(copy, (unsigned)i),
                                  index, originals, copies, count));
        }
        LLVMInsertIntoBuilder(jam->jit->builder, copy);
        originals[count] = at;
        copies[count++] = copy;
    }
    for (unsigned i = 0; i < jam->phis; i++) {
        next[i] = mapped(jam, jit_incoming(jam->merged[i], jam->loop->body),
                         index, originals, copies, count);
    }
    for (unsigned i = 0; i < jam->phis; i++) {
        jam->values[i] =
            PLANTED_FAULT(lost_update) ? jam->carried[i] : next[i];
    }
}

/* Builds a test of whether the next `copies` iterations run for all threads.
 * The test is unsigned, so a negative step counts as a large number and makes
 * the test false. */
static LLVMValueRef
build_test(const struct unroll *jam)
{
    LLVMBuilderRef builder = jam->jit->builder;
    LLVMTypeRef wide = jam->jit->i64;
    LLVMValueRef width = jit_body_argument(jam->loop->kernel, JIT_NTID);
    LLVMValueRef left =
        LLVMBuildSub(builder, jam->loop->limit, jam->loop->base, "");
    LLVMValueRef rounds = LLVMBuildMul(
        builder, LLVMBuildZExt(builder, jam->loop->step, wide, ""),
        LLVMConstInt(wide, jam->copies - 1 - PLANTED_FAULT(rounds_short), 0),
        "");
    LLVMValueRef need = LLVMBuildAdd(
        builder, rounds, LLVMBuildZExt(builder, width, wide, ""), "");
    return LLVMBuildICmp(builder, LLVMIntULE, need,
                         LLVMBuildZExt(builder, left, wide, ""), "");
}

/* Adds the incoming values of loop->base, the phi of the loop variable. The
 * variable grows by one step after the block `round`, which ends a single
 * iteration, and by jam->copies steps after the block `many`, which runs
 * jam->copies iterations. */
static void
advance(struct unroll *jam, LLVMBasicBlockRef many)
{
    const struct jit_strided *loop = jam->loop;
    LLVMBuilderRef builder = jam->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(loop->step);
    LLVMValueRef next = jit_incoming(loop->base, loop->round);
    LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(many));
    LLVMValueRef far = LLVMBuildMul(builder, loop->step,
                                    LLVMConstInt(type, jam->copies, 0), "");
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(loop->round));
    LLVMValueRef step = LLVMBuildPhi(builder, type, "");
    LLVMValueRef steps[3] = {loop->step, loop->step, far};
    LLVMBasicBlockRef from[3] = {loop->body, loop->gate, many};
    LLVMAddIncoming(step, steps, from, 3);
    for (unsigned i = 0; i < jam->phis; i++) {
        LLVMAddIncoming(jam->merged[i], &jam->values[i], &many, 1);
    }
    LLVMSetOperand(next, LLVMGetOperand(next, 0) == loop->base, step);
}

/* If iterations are slow (loop->row is not NULL), inserts prefetches of the
 * memory that the iterations after the merged ones read. Returns the basic
 * block in which to build the copies. */
static LLVMBasicBlockRef
open_copies(const struct unroll *jam, LLVMBasicBlockRef many)
{
    const struct jit_strided *loop = jam->loop;
    LLVMBuilderRef builder = jam->jit->builder;
    LLVMValueRef next[MAX_COPIES], base = loop->base;
    LLVMPositionBuilderAtEnd(builder, many);
    if (!loop->row) {
        jit_build_split_mark(jam->jit);
        return many;
    }
    for (unsigned i = 0; i < 2 * jam->copies; i++) {
        if (i >= jam->copies) {
            next[i - jam->copies] = base;
        }
        base = LLVMBuildAdd(builder, base, loop->step, "");
    }
    LLVMBasicBlockRef copies =
        LLVMInsertBasicBlockInContext(jam->jit->context, loop->gate, "copies");
    jit_prefetch_rows(jam->jit, loop->kernel, many, copies, loop->row, next,
                      jam->copies);
    LLVMPositionBuilderAtEnd(builder, copies);
    return copies;
}

void
jit_unroll_and_jam(struct jit *jit, const struct jit_strided *loop)
{
    struct unroll jam = {.jit = jit, .loop = loop};
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->head);
    if (!match_guard(&jam) || !match_body(&jam) || !match_phis(&jam) ||
        !has_rounds(&jam)) {
        return;
    }
    LLVMBasicBlockRef single = LLVMGetSuccessor(end, 0);
    LLVMBasicBlockRef pick =
        LLVMInsertBasicBlockInContext(jit->context, loop->gate, "pick");
    LLVMBasicBlockRef many =
        LLVMInsertBasicBlockInContext(jit->context, loop->gate, "many");
    LLVMSetSuccessor(end, 0, pick);
    LLVMPositionBuilderAtEnd(builder, pick);
    LLVMBuildCondBr(builder, build_test(&jam), many, single);
    many = open_copies(&jam, many);
    LLVMValueRef base = loop->base;
    for (unsigned i = 0; i < jam.copies; i++) {
        copy_body(&jam, LLVMBuildAdd(builder, base, loop->thread, ""));
        base = LLVMBuildAdd(builder, base, loop->step, "");
    }
    LLVMBuildBr(builder, loop->round);
    advance(&jam, many);
}
