/* stride.c - makes loops that start at a thread's index uniform.
 *
 * Called by main.c for kernels with barriers, before loops are rotated.
 *
 *     for (i = first + threadIdx.x; i < n; i += step) body(i);
 *
 * with uniform `first`, `n` and `step` becomes
 *
 *     for (b = first; b < n; b += step)
 *         if (threadIdx.x < n - b) body(b + threadIdx.x);
 *
 * Each thread computes the same as before, but for some threads the last
 * iterations are empty. All threads then run the same iterations, so that
 * split_points.c can cut the loop at its head. An unsigned `first +
 * threadIdx.x` may wrap to 0 at some thread. The threads before that thread
 * have a very large index and therefore no iterations. So the thread at which
 * the index wraps takes the role of thread 0. Such loops may be nested. If the
 * inner loop is the only code under the outer loop's test `threadIdx.x < n -
 * b`, that test moves into the inner loop, so that all threads run both loops.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/analyse/uniform.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/regions/stride.h"
#include "jit/text.h"

struct stride {
    struct jit *jit;
    LLVMBasicBlockRef head, latch, before, body, leave;
    LLVMValueRef phi;   /* phi of the loop variable `i` of the source */
    LLVMValueRef index; /* threadIdx.x or threadIdx.y (see `axis`) */
    unsigned axis;
    /* true: the start value `first + threadIdx.x` may wrap to 0 in some thread
     */
    bool may_wrap;
    /* index of the first thread in which the start value `first + threadIdx`
     * wraps to 0; 0 if it wraps in no thread; NULL unless may_wrap is set */
    LLVMValueRef low;
    LLVMValueRef step, limit, compare;
    const struct jit_cfg *cfg;
    /* for each basic block of the kernel: true if it is in the loop */
    bool *inside;
    LLVMBasicBlockRef gate, round;
    /* the new loop variable `b`, which is the same in all threads and replaces
     * `i`: i = b + threadIdx */
    LLVMValueRef base;
    /* true: some threads may reach the loop while others do not */
    bool apart;
    /* result of jit_far_row: address of an array element to prefetch one
     * iteration ahead, or NULL */
    LLVMValueRef row;
};

enum { MAX_STRIDES = 32 };

static const char together[] = "__pycuda_together";

/* If `sum` is threadIdx.x or threadIdx.y plus uniform terms, returns that
 * threadIdx and sets *axis to 0 or 1. Otherwise returns NULL. */
static LLVMValueRef
find_index(const struct jit_kernel *kernel, const struct jit_map *differs,
           LLVMValueRef sum, unsigned *axis)
{
    for (*axis = 0; *axis < 2; (*axis)++) {
        if (sum == jit_body_argument(kernel, JIT_TID + (int)*axis)) {
            return sum;
        }
    }
    for (unsigned i = 0; jit_has_opcode(sum, LLVMAdd) && i < 2; i++) {
        if (!jit_map_get(differs, LLVMGetOperand(sum, 1 - i))) {
            return find_index(kernel, differs, LLVMGetOperand(sum, i), axis);
        }
    }
    return NULL;
}

/* Tests whether the value is the variable of a loop that counts up from a
 * constant to a constant, as far as the code after the loop's test sees it. */
static bool
is_counter(LLVMValueRef value)
{
    enum { GREATEST = 1 << 24 };
    if (!LLVMIsAPHINode(value) || LLVMCountIncoming(value) != 2) {
        return false;
    }
    LLVMValueRef end =
        LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(value));
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end)) {
        return false;
    }
    LLVMValueRef compare = LLVMGetCondition(end);
    bool below = LLVMIsAICmpInst(compare) &&
                 (LLVMGetICmpPredicate(compare) == LLVMIntULT ||
                  LLVMGetICmpPredicate(compare) == LLVMIntSLT) &&
                 LLVMGetOperand(compare, 0) == value &&
                 LLVMIsAConstantInt(LLVMGetOperand(compare, 1));
    if (!below ||
        LLVMConstIntGetSExtValue(LLVMGetOperand(compare, 1)) > GREATEST) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef start = LLVMGetIncomingValue(value, i);
        LLVMValueRef next = LLVMGetIncomingValue(value, 1 - i);
        if (LLVMIsAConstantInt(start) && jit_has_opcode(next, LLVMAdd) &&
            LLVMGetOperand(next, 0) == value &&
            LLVMIsAConstantInt(LLVMGetOperand(next, 1))) {
            int64_t first = LLVMConstIntGetSExtValue(start);
            int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
            return first >= 0 && first <= GREATEST && step > 0 &&
                   step <= GREATEST;
        }
    }
    return false;
}

/* Tests whether the value is a sum of products of thread and block indices,
 * dimensions, constants that are not negative, and variables of loops that
 * count up to a constant. Such a value exceeds 32 bits only in grids that are
 * never launched in practice. */
static bool
counts_up(const struct jit_kernel *kernel, LLVMValueRef value, int depth)
{
    for (int i = JIT_TID; i < JIT_LINEAR; i++) {
        if (value == jit_body_argument(kernel, i)) {
            return true;
        }
    }
    if (LLVMIsAConstantInt(value)) {
        return LLVMConstIntGetSExtValue(value) >= 0;
    }
    return is_counter(value) ||
           (depth > 0 &&
            (jit_has_opcode(value, LLVMAdd) ||
             jit_has_opcode(value, LLVMMul) ||
             jit_has_opcode(value, LLVMShl)) &&
            counts_up(kernel, LLVMGetOperand(value, 0), depth - 1) &&
            counts_up(kernel, LLVMGetOperand(value, 1), depth - 1));
}

static bool
used_only_in_loop(const struct jit_cfg *cfg, LLVMValueRef value,
                  const bool *inside)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        if (!inside[jit_cfg_index(
                cfg, LLVMGetInstructionParent(LLVMGetUser(use)))]) {
            return false;
        }
    }
    return true;
}

static bool
is_inside(const struct jit_cfg *cfg, LLVMValueRef value, const bool *inside)
{
    return LLVMIsAInstruction(value) &&
           inside[jit_cfg_index(cfg, LLVMGetInstructionParent(value))];
}

/* Tests whether the value can be computed before the loop. `depth` limits the
 * number of nested operations. */
static bool
may_leave(const struct jit_cfg *cfg, LLVMValueRef value, const bool *inside,
          int depth)
{
    if (!is_inside(cfg, value, inside)) {
        return true;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMMul:
    case LLVMShl:
    case LLVMZExt:
    case LLVMTrunc:
        break;
    default:
        return false;
    }
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        if (depth == 0 || !may_leave(cfg, LLVMGetOperand(value, (unsigned)i),
                                     inside, depth - 1)) {
            return false;
        }
    }
    return true;
}

/* Tests whether the loop variable is used in the loop only, and the step can
 * be computed before the loop. The loop may have other exits than the branch
 * of its head. Sets stride->inside. */
static bool
stays_inside(const struct jit_cfg *cfg, struct stride *stride)
{
    unsigned head = jit_cfg_index(cfg, stride->head);
    bool *inside = jit_allocate(cfg->count);
    bool *out = jit_allocate(cfg->count);
    jit_cfg_reach(cfg, jit_cfg_index(cfg, stride->body), head, inside);
    jit_cfg_reach(cfg, jit_cfg_index(cfg, stride->leave), head, out);
    for (unsigned b = 0; b < cfg->count; b++) {
        inside[b] = b == head || (inside[b] && !out[b]);
    }
    bool stays = may_leave(cfg, stride->step, inside, 4) &&
                 inside[jit_cfg_index(cfg, stride->latch)] &&
                 used_only_in_loop(cfg, stride->phi, inside);
    free(out);
    stride->cfg = cfg;
    stride->inside = inside;
    return stays;
}

static bool
match_compare(struct stride *stride, const struct jit_map *differs)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(stride->head);
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2) {
        return false;
    }
    LLVMValueRef compare = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(compare) ||
        LLVMGetOperand(compare, 0) != stride->phi ||
        (LLVMGetICmpPredicate(compare) != LLVMIntULT &&
         LLVMGetICmpPredicate(compare) != LLVMIntSLT)) {
        return false;
    }
    stride->compare = compare;
    stride->limit = LLVMGetOperand(compare, 1);
    stride->body = LLVMGetSuccessor(end, 0);
    stride->leave = LLVMGetSuccessor(end, 1);
    return !jit_map_get(differs, stride->limit);
}

static bool
match_phi(struct stride *stride, struct jit_kernel *kernel,
          const struct jit_map *differs, LLVMValueRef phi)
{
    LLVMValueRef end;
    for (unsigned back = 0; back < 2; back++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, back);
        LLVMValueRef start = LLVMGetIncomingValue(phi, 1 - back);
        stride->phi = phi;
        stride->head = LLVMGetInstructionParent(phi);
        stride->latch = LLVMGetIncomingBlock(phi, back);
        stride->before = LLVMGetIncomingBlock(phi, 1 - back);
        end = LLVMGetBasicBlockTerminator(stride->latch);
        stride->index = find_index(kernel, differs, start, &stride->axis);
        if (!stride->index || !jit_has_opcode(next, LLVMAdd) ||
            LLVMGetNumSuccessors(end) != 1) {
            continue;
        }
        unsigned own = LLVMGetOperand(next, 0) == phi ? 0 : 1;
        stride->step = LLVMGetOperand(next, 1 - own);
        if (LLVMGetOperand(next, own) == phi &&
            !jit_map_get(differs, stride->step) &&
            match_compare(stride, differs)) {
            stride->may_wrap =
                LLVMGetICmpPredicate(stride->compare) == LLVMIntULT &&
                !counts_up(kernel, start, 8) && !PLANTED_FAULT(stride_wraps);
            return true;
        }
    }
    return false;
}

/* ---- transformation ---- */

static LLVMValueRef
new_phi(struct jit *jit, LLVMValueRef like)
{
    LLVMPositionBuilderBefore(jit->builder, like);
    return LLVMBuildPhi(jit->builder, LLVMTypeOf(like), "");
}

/* Makes the phi of the loop's head take its value from the new block `round`,
 * the end of an iteration. Threads without work in the iteration reach `round`
 * directly from `gate` and keep the value. */
static void
move_phi(struct jit *jit, const struct stride *stride, LLVMValueRef phi,
         LLVMBasicBlockRef gate, LLVMBasicBlockRef round)
{
    bool latch_first = LLVMGetIncomingBlock(phi, 0) == stride->latch;
    LLVMValueRef back = LLVMGetIncomingValue(phi, latch_first ? 0 : 1);
    LLVMValueRef start = LLVMGetIncomingValue(phi, latch_first ? 1 : 0);
    LLVMValueRef moved = new_phi(jit, phi);
    LLVMPositionBuilderBefore(jit->builder, LLVMGetFirstInstruction(round));
    LLVMValueRef merged = LLVMBuildPhi(jit->builder, LLVMTypeOf(phi), "");
    LLVMReplaceAllUsesWith(phi, moved);
    back = back == phi ? moved : back;
    LLVMValueRef values[2] = {start, merged};
    LLVMBasicBlockRef blocks[2] = {stride->before, round};
    LLVMAddIncoming(moved, values, blocks, 2);
    LLVMValueRef ways[2] = {back, moved};
    LLVMBasicBlockRef from[2] = {stride->latch, gate};
    LLVMAddIncoming(merged, ways, from, 2);
    LLVMInstructionEraseFromParent(phi);
}

/* Returns a value from before the loop unchanged. A value computed in the loop
 * is cloned, with its operands, to the end of the block before the loop. */
static LLVMValueRef
copy_before(struct jit *jit, const struct stride *stride, LLVMValueRef value)
{
    if (!is_inside(stride->cfg, value, stride->inside)) {
        return value;
    }
    LLVMValueRef copy = LLVMInstructionClone(value);
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        LLVMSetOperand(
            copy, (unsigned)i,
            copy_before(jit, stride, LLVMGetOperand(value, (unsigned)i)));
    }
    LLVMPositionBuilderBefore(jit->builder,
                              LLVMGetBasicBlockTerminator(stride->before));
    LLVMInsertIntoBuilder(jit->builder, copy);
    return copy;
}

/* Returns threadIdx - stride->low, or threadIdx if `low` is NULL. `low` is the
 * index of the first thread that may have iterations. */
static LLVMValueRef
build_index(const struct stride *stride)
{
    return stride->low ? LLVMBuildSub(stride->jit->builder, stride->index,
                                      stride->low, "")
                       : stride->index;
}

/* Sets stride->low to the index of the thread for which `first + threadIdx`
 * wraps to 0, or to 0 if there is none. Returns the start of the loop for that
 * thread: 0 if the sum wraps, else `first`. */
static LLVMValueRef
build_low(struct stride *stride, const struct jit_kernel *kernel,
          LLVMValueRef first)
{
    LLVMBuilderRef builder = stride->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(first);
    LLVMValueRef zero = LLVMConstNull(type);
    LLVMValueRef left = LLVMBuildNeg(builder, first, "");
    LLVMValueRef width =
        jit_body_argument(kernel, JIT_NTID + (int)stride->axis);
    LLVMValueRef wraps = LLVMBuildICmp(builder, LLVMIntULT, left, width, "");
    stride->low = LLVMBuildSelect(builder, wraps, left, zero, "");
    return LLVMBuildSelect(builder, wraps, zero, first, "");
}

static LLVMValueRef
make_base(struct jit *jit, struct stride *stride,
          const struct jit_kernel *kernel, LLVMBasicBlockRef round)
{
    bool latch_first = LLVMGetIncomingBlock(stride->phi, 0) == stride->latch;
    LLVMValueRef start =
        LLVMGetIncomingValue(stride->phi, latch_first ? 1 : 0);
    LLVMPositionBuilderBefore(jit->builder,
                              LLVMGetBasicBlockTerminator(stride->before));
    LLVMValueRef first = LLVMBuildSub(jit->builder, start, stride->index, "");
    if (stride->may_wrap) {
        first = build_low(stride, kernel, first);
    }
    LLVMValueRef step = copy_before(jit, stride, stride->step);
    stride->step = step;
    LLVMValueRef base = new_phi(jit, stride->phi);
    LLVMPositionBuilderBefore(jit->builder,
                              LLVMGetBasicBlockTerminator(round));
    LLVMValueRef next = LLVMBuildAdd(jit->builder, base, step, "");
    LLVMValueRef values[2] = {first, next};
    LLVMBasicBlockRef blocks[2] = {stride->before, round};
    LLVMAddIncoming(base, values, blocks, 2);
    return base;
}

/* Tests whether the basic block has phis. Phis of the loop body's first block
 * would name the loop's head as predecessor, which is no longer true when the
 * block `gate` is between them. */
static bool
has_phis(LLVMBasicBlockRef block)
{
    return LLVMIsAPHINode(LLVMGetFirstInstruction(block)) != NULL;
}

/* Builds a call of a function with the attribute noduplicate, which keeps LLVM
 * from unrolling the loop. If LLVM unrolled it, each copy of the loop body
 * would become a thread loop of its own (split_points.c). */
static void
build_noduplicate_call(struct jit *jit)
{
    /* Bits of LLVM's attribute memory(inaccessiblemem: readwrite). */
    enum { INACCESSIBLE_ONLY = 12 };
    static const char memory[] = "memory";
    LLVMValueRef mark = jit_declare(
        jit, together, LLVMVoidTypeInContext(jit->context), NULL, 0);
    if (!jit_has_attribute(mark, "noduplicate")) {
        unsigned kind =
            LLVMGetEnumAttributeKindForName(memory, sizeof memory - 1);
        LLVMAddAttributeAtIndex(
            mark, LLVMAttributeFunctionIndex,
            LLVMCreateEnumAttribute(jit->context, kind, INACCESSIBLE_ONLY));
        jit_add_attribute(jit, mark, "noduplicate");
        jit_add_attribute(jit, mark, "nounwind");
        jit_add_attribute(jit, mark, "willreturn");
    }
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(mark), mark, NULL, 0,
                   "");
}

/* Replaces the loop variable i by `base` (the new loop variable) plus
 * threadIdx, computed in the block `gate`. For uses in the loop's head, the
 * sum is computed a second time in the head: loop rotation would turn a value
 * that is computed in the head and used later into a phi. */
static void
replace_index(const struct stride *stride, LLVMValueRef base)
{
    LLVMBuilderRef builder = stride->jit->builder;
    LLVMValueRef at = LLVMGetNextInstruction(stride->phi);
    while (LLVMIsAPHINode(at)) {
        at = LLVMGetNextInstruction(at);
    }
    LLVMPositionBuilderBefore(builder, at);
    LLVMValueRef early = LLVMBuildAdd(builder, base, build_index(stride), "");
    LLVMPositionBuilderAtEnd(builder, stride->gate);
    LLVMValueRef index = LLVMBuildAdd(builder, base, build_index(stride), "");
    for (; at; at = LLVMGetNextInstruction(at)) {
        int count = LLVMGetNumOperands(at);
        for (int i = 0; i < count; i++) {
            if (LLVMGetOperand(at, (unsigned)i) == stride->phi) {
                LLVMSetOperand(at, (unsigned)i, early);
            }
        }
    }
    LLVMReplaceAllUsesWith(stride->phi, index);
    LLVMInstructionEraseFromParent(stride->phi);
}

/* Inserts, between the loop's head and `gate`, a prefetch of the array
 * elements that the next iteration reads. */
static void
prefetch_next(const struct stride *stride, struct jit_kernel *kernel,
              LLVMValueRef address, LLVMValueRef base)
{
    struct jit *jit = stride->jit;
    LLVMBasicBlockRef prefetch =
        LLVMInsertBasicBlockInContext(jit->context, stride->gate, "prefetch");
    LLVMPositionBuilderAtEnd(jit->builder, prefetch);
    LLVMValueRef next = LLVMBuildAdd(jit->builder, base, stride->step, "");
    jit_prefetch_rows(jit, kernel, prefetch, stride->gate, address, &next, 1);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(stride->head), 0, prefetch);
}

static void
change_loop(struct stride *stride, struct jit_kernel *kernel)
{
    struct jit *jit = stride->jit;
    LLVMValueRef function = kernel->body;
    LLVMBuilderRef builder = jit->builder;
    LLVMBasicBlockRef gate =
        LLVMAppendBasicBlockInContext(jit->context, function, "gate");
    LLVMBasicBlockRef round =
        LLVMAppendBasicBlockInContext(jit->context, function, "round");
    stride->gate = gate;
    stride->round = round;
    LLVMPositionBuilderAtEnd(builder, round);
    build_noduplicate_call(jit);
    LLVMBuildBr(builder, stride->head);
    LLVMValueRef base = stride->base = make_base(jit, stride, kernel, round);
    LLVMValueRef row =
        jit_far_row(stride->cfg, stride->inside, stride->phi, stride->step);
    for (LLVMValueRef next, phi = LLVMGetFirstInstruction(stride->head);
         LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        if (phi != base && phi != stride->phi) {
            move_phi(jit, stride, phi, gate, round);
        }
    }
    replace_index(stride, base);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(stride->head);
    LLVMPositionBuilderBefore(builder, end);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(stride->compare);
    LLVMValueRef more =
        LLVMBuildICmp(builder, predicate, base, stride->limit, "");
    LLVMSetCondition(end, more);
    LLVMSetSuccessor(end, 0, gate);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(stride->latch), 0, round);
    LLVMPositionBuilderAtEnd(builder, gate);
    LLVMValueRef left = LLVMBuildSub(builder, stride->limit, base, "");
    LLVMBuildCondBr(
        builder,
        LLVMBuildICmp(builder,
                      PLANTED_FAULT(stride_late) ? LLVMIntULE : LLVMIntULT,
                      build_index(stride), left, ""),
        stride->body, round);
    stride->row = row;
    if (row) {
        prefetch_next(stride, kernel, row, base);
    }
}

static bool
try_block(struct stride *stride, struct jit_kernel *kernel,
          const struct jit_cfg *cfg, const struct jit_map *differs,
          LLVMBasicBlockRef block)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(block);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        if (LLVMCountIncoming(phi) == 2 &&
            LLVMTypeOf(phi) ==
                LLVMTypeOf(jit_body_argument(kernel, JIT_TID)) &&
            match_phi(stride, kernel, differs, phi) &&
            stride->body != stride->head && stride->leave != stride->head &&
            stays_inside(cfg, stride) && !has_phis(stride->body)) {
            return true;
        }
    }
    return false;
}

/* ---- a loop under the condition of another loop ---- */

/* Tests whether the only path from basic block `from` leads to `to`, without
 * side effects and in at most 8 blocks. */
static bool
leads_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    for (int steps = 0; from != to; steps++) {
        LLVMValueRef at = LLVMGetFirstInstruction(from);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!jit_is_arithmetic(at) && !LLVMIsABranchInst(at)) {
                return false;
            }
        }
        LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
        if (steps == 8 || LLVMGetNumSuccessors(end) != 1) {
            return false;
        }
        from = LLVMGetSuccessor(end, 0);
    }
    return true;
}

/* jit_even_strides has put a test `threadIdx < n - b` into the outer loop over
 * `b`. If the test guards only an inner loop, moves it into the body of that
 * loop. All threads then run both loops, and the test guards the statements in
 * the inner one. */
static void
move_condition(const struct stride *outer, const struct stride *inner)
{
    LLVMBuilderRef builder = inner->jit->builder;
    LLVMValueRef ends[2] = {LLVMGetBasicBlockTerminator(outer->gate),
                            LLVMGetBasicBlockTerminator(inner->gate)};
    if (LLVMGetNumSuccessors(ends[0]) != 2 || has_phis(outer->round) ||
        !leads_to(LLVMGetSuccessor(ends[0], 0), inner->head) ||
        !leads_to(inner->leave, outer->round)) {
        return;
    }
    LLVMBasicBlockRef body = LLVMGetSuccessor(ends[0], 0);
    LLVMPositionBuilderBefore(builder, ends[1]);
    LLVMSetCondition(ends[1], LLVMBuildAnd(builder, LLVMGetCondition(ends[0]),
                                           LLVMGetCondition(ends[1]), ""));
    LLVMInstructionEraseFromParent(ends[0]);
    LLVMPositionBuilderAtEnd(builder, outer->gate);
    LLVMBuildBr(builder, body);
}

/* Transforms the first loop of the kernel that starts at a thread's index and
 * can be made uniform. Returns false if there is none. */
static bool
change_one(struct jit *jit, struct jit_kernel *kernel, struct stride *stride)
{
    struct jit_cfg cfg;
    struct jit_map differs = {0};
    stride->jit = jit;
    jit_cfg_read(&cfg, kernel->body);
    bool *apart = jit_allocate(cfg.count);
    jit_find_differing(kernel, &cfg, &differs,
                       jit_allocate(cfg.count * sizeof(unsigned)), apart);
    for (unsigned b = 0; b < cfg.count; b++) {
        if (try_block(stride, kernel, &cfg, &differs, cfg.blocks[b].block)) {
            stride->apart = apart[jit_cfg_index(&cfg, stride->before)];
            change_loop(stride, kernel);
            return true;
        }
    }
    return false;
}

static void
unroll_and_jam(struct jit_kernel *kernel, const struct stride *stride)
{
    struct jit_strided loop = {.kernel = kernel,
                               .head = stride->head,
                               .gate = stride->gate,
                               .body = stride->body,
                               .round = stride->round,
                               .base = stride->base,
                               .thread = stride->index,
                               .step = stride->step,
                               .limit = stride->limit,
                               .row = stride->row};
    if (!stride->apart && !stride->low &&
        stride->index == jit_body_argument(kernel, JIT_TID)) {
        jit_unroll_and_jam(stride->jit, &loop);
    }
}

static void
even_kernel(struct jit *jit, struct jit_kernel *kernel)
{
    struct stride strides[MAX_STRIDES] = {{0}};
    int n = 0;
    for (; n < MAX_STRIDES && change_one(jit, kernel, &strides[n]); n++) {
        for (int i = 0; i < n; i++) {
            move_condition(&strides[i], &strides[n]);
            move_condition(&strides[n], &strides[i]);
        }
    }
    bool plain = !jit->options.debug && !jit->options.checks;
    for (int i = 0; i < n && plain; i++) {
        unroll_and_jam(kernel, &strides[i]);
    }
}

static bool
may_even(const struct jit *jit, const struct jit_kernel *kernel)
{
    return jit->options.regions && kernel->fibers && !kernel->calls_functions;
}

void
jit_even_strides(struct jit *jit)
{
    bool any = false;
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        any |= may_even(jit, &jit->kernels[i]);
    }
    if (any) {
        jit_run_passes(jit, "function(loop-simplify)");
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        if (may_even(jit, &jit->kernels[i])) {
            even_kernel(jit, &jit->kernels[i]);
        }
    }
}

static void
erase_noduplicate_call(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (jit_calls(at, together)) {
        LLVMInstructionEraseFromParent(at);
    }
}

void
jit_drop_stride_marks(struct jit *jit)
{
    jit_each_instruction_of_module(jit, erase_noduplicate_call, NULL);
}
