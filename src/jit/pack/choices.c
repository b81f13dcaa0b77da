/* choices.c - finds comparisons, selects, minimums and maximums in indices
 * that have the same outcome in all lanes of most packs.
 *
 * Called by shapes.c, values.c and quotients.c. Kernels limit indices to the
 * range of an array, or choose another element at its border:
 *
 *     c = min(max(x + j, 0), n - 1);   w = x == 0 ? x : x - 1;
 *
 * In most packs (neighbouring threads that one function runs) min, max and the
 * select take the same operand in all lanes, so the index grows by a constant
 * from lane to lane. The function for a pack assumes this. At the position of
 * the min, max or select, also in loops, it tests the first and the last lane.
 * The assumption is only made if no code before this test has an effect that
 * other threads can observe. If the test fails, the function calls
 * body->general: a function for the same pack without the assumption.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/assumptions.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"

/* greatest increment from lane to lane of a compared index; the limit ensures
 * that the indices of the first and the last lane differ by less than 2^31 */
enum { MAX_STRIDE = 1 << 20 };

/* ---- positions at which another function may take over the pack ---- */

/* Tests for a call of a function that only computes or reads: an LLVM
 * intrinsic, the slow path of a mathematical function, or a fetch from a
 * texture. */
static bool
is_pure_call(LLVMValueRef at)
{
    return jit_pack_ignores(at) || jit_is_call(at, "__pycuda_rare_") ||
           jit_calls(at, "__pycuda_texture_plain") ||
           jit_calls(at, "__pycuda_texture_width") ||
           jit_calls(at, "__pycuda_texture_word") ||
           (jit_is_call(at, "llvm.") && !jit_is_call(at, "llvm.mem"));
}

bool
jit_pack_has_effect(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMLoad:
        return LLVMGetVolatile(at) || jit_sight(at) != JIT_SIGHT_NONE;
    case LLVMCall:
        return !is_pure_call(at);
    default:
        return false;
    }
}

static bool
block_has_effect(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (at && !jit_pack_has_effect(at)) {
        at = LLVMGetNextInstruction(at);
    }
    return at != NULL;
}

bool
jit_pack_all_lanes_reach(const struct jit_pack_body *body, unsigned b)
{
    bool *reached = jit_allocate(body->cfg.count);
    bool fits = true;
    for (unsigned x = 0; fits && x < body->cfg.count; x++) {
        const struct jit_block *row = &body->cfg.blocks[x];
        if (row->successor_count < 2 || jit_pack_assumes_branch(body, x) ||
            !jit_map_get(&body->differs,
                         LLVMGetBasicBlockTerminator(row->block))) {
            continue;
        }
        memset(reached, 0, body->cfg.count);
        for (unsigned i = 0; i < row->successor_count; i++) {
            jit_cfg_reach(&body->cfg, row->successors[i], body->immediate[x],
                          reached);
        }
        fits = !reached[b] || b == body->immediate[x];
    }
    free(reached);
    return fits;
}

bool
jit_pack_may_give_up(const struct jit_pack_body *body, unsigned b)
{
    bool *reached = jit_allocate(body->cfg.count);
    bool fits = jit_pack_all_lanes_reach(body, b);
    for (unsigned x = 0; fits && x < body->cfg.count; x++) {
        bool before = x != b || body->loop_of[b] != JIT_NO_LOOP;
        memset(reached, 0, body->cfg.count);
        jit_cfg_reach(&body->cfg, x, NO_BLOCK, reached);
        fits = !reached[b] || !before ||
               !block_has_effect(body->cfg.blocks[x].block);
    }
    free(reached);
    return fits;
}

/* ---- choices ---- */

bool
jit_pack_feeds_index(LLVMValueRef value, int depth)
{
    LLVMUseRef use = depth ? LLVMGetFirstUse(value) : NULL;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool passes = (jit_is_arithmetic(user) && !LLVMIsAICmpInst(user)) ||
                      jit_is_extreme(user) || LLVMIsAPHINode(user);
        if (LLVMIsAGetElementPtrInst(user) ||
            (passes && jit_pack_feeds_index(user, depth - 1))) {
            return true;
        }
    }
    return false;
}

/* Tests for a comparison of integers that is used only in the computation of
 * indices: as the condition of a select, or extended to 0 or 1. */
static bool
only_chooses(LLVMValueRef compare)
{
    enum { DEPTH = 8 };
    LLVMUseRef use = LLVMGetFirstUse(compare);
    bool any = use != NULL;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool chooses =
            LLVMIsAZExtInst(user) || LLVMIsASExtInst(user) ||
            (LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) == compare &&
             LLVMGetOperand(user, 1) != compare &&
             LLVMGetOperand(user, 2) != compare);
        if (!chooses ||
            LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMIntegerTypeKind ||
            LLVMTypeOf(user) == LLVMTypeOf(compare) ||
            !jit_pack_feeds_index(user, DEPTH)) {
            return false;
        }
    }
    return any;
}

static bool
is_index_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
           (LLVMGetIntTypeWidth(type) == 32 ||
            LLVMGetIntTypeWidth(type) == 64);
}

bool
jit_pack_is_index_choice(LLVMValueRef at)
{
    enum { DEPTH = 8 };
    if (LLVMIsAICmpInst(at)) {
        return is_index_type(LLVMTypeOf(LLVMGetOperand(at, 0))) &&
               only_chooses(at);
    }
    return is_index_type(LLVMTypeOf(at)) &&
           (jit_is_extreme(at) ||
            (LLVMIsASelectInst(at) && LLVMIsAICmpInst(LLVMGetOperand(at, 0)) &&
             jit_pack_is_index_choice(LLVMGetOperand(at, 0)))) &&
           jit_pack_feeds_index(at, DEPTH);
}

/* Tests whether the value is computed in the innermost loop around `at`. */
static bool
varies(const struct jit_pack_body *body, LLVMValueRef at, LLVMValueRef value)
{
    unsigned loop =
        body->loop_of[jit_cfg_index(&body->cfg, LLVMGetInstructionParent(at))];
    return loop != JIT_NO_LOOP && LLVMIsAInstruction(value) &&
           body->loops[loop].inside[jit_cfg_index(
               &body->cfg, LLVMGetInstructionParent(value))];
}

/* If one operand of the comparison, minimum or maximum grows from lane to lane
 * and the other one is uniform, returns the number (0 or 1) of the growing
 * operand. Otherwise returns 2. */
static unsigned
growing_operand(const struct jit_pack_body *body, LLVMValueRef at)
{
    for (unsigned i = 0; i < 2; i++) {
        struct jit_shape own = jit_pack_shape(body, LLVMGetOperand(at, i));
        if (jit_pack_is_uniform(body, LLVMGetOperand(at, 1 - i)) &&
            own.kind == JIT_SHAPE_LINEAR && own.stride &&
            own.stride <= MAX_STRIDE && own.stride >= -MAX_STRIDE) {
            /* If a loop counter j is compared with the thread's index i, as in
             * `if (j <= i)`, then j is between the indices of a pack in some
             * iterations. In these iterations the comparison has different
             * results in the lanes. */
            return varies(body, at, LLVMGetOperand(at, 1 - i)) &&
                           !varies(body, at, LLVMGetOperand(at, i))
                       ? 2
                       : i;
        }
    }
    return 2;
}

/* Returns which operand of the select, 1 or 2, is assumed to be the result in
 * all lanes. If only one of the two operands grows from lane to lane, returns
 * that operand's number. Returns 0 if both grow by the same constant, so that
 * nothing has to be assumed, and 3 in all other cases. */
static unsigned
assumed_arm(const struct jit_pack_body *body, LLVMValueRef at)
{
    struct jit_shape a = jit_pack_shape(body, LLVMGetOperand(at, 1));
    struct jit_shape b = jit_pack_shape(body, LLVMGetOperand(at, 2));
    if (a.kind != JIT_SHAPE_LINEAR || b.kind != JIT_SHAPE_LINEAR) {
        return 3;
    }
    return a.stride == b.stride ? 0 : b.stride == 0 ? 1 : a.stride ? 3 : 2;
}

/* ---- branches ---- */

/* Returns the comparison of indices on which the basic block's branch depends,
 * or NULL. */
static LLVMValueRef
branch_comparison(const struct jit_pack_body *body, unsigned b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(body->cfg.blocks[b].block);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end)) {
        return NULL;
    }
    LLVMValueRef condition = LLVMGetCondition(end);
    if (LLVMIsAFreezeInst(condition)) {
        condition = LLVMGetOperand(condition, 0);
    }
    bool compares = LLVMIsAICmpInst(condition) &&
                    is_index_type(LLVMTypeOf(LLVMGetOperand(condition, 0)));
    return compares ? condition : NULL;
}

/* Tests whether the value is threadIdx.x plus a constant. In blocks with short
 * rows, a comparison of such a value is often true for only a part of a
 * pack. */
static bool
is_thread_index(const struct jit_pack_body *body, LLVMValueRef value)
{
    while (LLVMIsAInstruction(value) && jit_is_arithmetic(value) &&
           (LLVMGetNumOperands(value) == 1 ||
            (LLVMGetNumOperands(value) == 2 &&
             LLVMIsAConstantInt(LLVMGetOperand(value, 1))))) {
        value = LLVMGetOperand(value, 0);
    }
    return value == jit_body_argument(body->kernel, JIT_TID) ||
           value == jit_body_argument(body->kernel, JIT_LINEAR);
}

bool
jit_pack_assumes_branch(const struct jit_pack_body *body, unsigned b)
{
    LLVMValueRef compare = branch_comparison(body, b);
    return compare && body->choices && jit_map_get(&body->assumed, compare);
}

bool
jit_pack_may_assume_branch(const struct jit_pack_body *body, unsigned b)
{
    LLVMValueRef compare = branch_comparison(body, b);
    const struct jit_block *row = &body->cfg.blocks[b];
    unsigned loop = body->loop_of[b];
    if (!compare || row->successor_count != 2) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned to = row->successors[i];
        if (body->loop_of[to] != loop ||
            (loop != JIT_NO_LOOP && body->loops[loop].head == to)) {
            return false;
        }
    }
    unsigned operand = growing_operand(body, compare);
    LLVMBasicBlockRef own = LLVMGetInstructionParent(compare);
    LLVMValueRef at = LLVMGetFirstInstruction(own);
    while (at != compare && !jit_pack_has_effect(at)) {
        at = LLVMGetNextInstruction(at);
    }
    return operand < 2 && at == compare &&
           !is_thread_index(body, LLVMGetOperand(compare, operand)) &&
           jit_pack_may_give_up(body, jit_cfg_index(&body->cfg, own));
}

/* ---- shapes ---- */

static bool
is_signed_extreme(LLVMValueRef at)
{
    return jit_is_call(at, "llvm.smin.") || jit_is_call(at, "llvm.smax.");
}

static bool
is_maximum(LLVMValueRef at)
{
    return jit_is_call(at, "llvm.smax.") || jit_is_call(at, "llvm.umax.");
}

bool
jit_pack_choice_shape(const struct jit_pack_body *body, LLVMValueRef at,
                      struct jit_shape *shape)
{
    unsigned operand;
    if (!jit_map_get(&body->assumed, at) || !body->choices) {
        return false;
    }
    if (LLVMIsAICmpInst(at)) {
        *shape = (struct jit_shape){JIT_SHAPE_LINEAR, 0, true, true};
        return growing_operand(body, at) < 2;
    }
    if (LLVMIsASelectInst(at)) {
        operand = assumed_arm(body, at);
        if (!jit_pack_is_uniform(body, LLVMGetOperand(at, 0)) ||
            operand == 0 || operand == 3) {
            return false;
        }
        *shape = jit_pack_shape(body, LLVMGetOperand(at, operand));
        return true;
    }
    operand = jit_is_extreme(at) ? growing_operand(body, at) : 2;
    if (operand == 2) {
        return false;
    }
    /* The run-time test of the minimum or maximum also tests that the operand
     * does not wrap between the lanes. */
    LLVMValueRef other = LLVMGetOperand(at, 1 - operand);
    *shape = jit_pack_shape(body, LLVMGetOperand(at, operand));
    if (is_signed_extreme(at)) {
        shape->is_signed = true;
        shape->is_unsigned |= is_maximum(at) && LLVMIsAConstantInt(other) &&
                              LLVMConstIntGetSExtValue(other) >= 0;
    } else {
        shape->is_unsigned = true;
    }
    return true;
}

bool
jit_pack_assumes_choice(const struct jit_pack_body *body, LLVMValueRef at)
{
    struct jit_shape shape;
    return jit_pack_choice_shape(body, at, &shape);
}

/* ---- the run-time tests ---- */

/* Values of an index: in the first lane, in the last lane, and the smaller and
 * the larger of the two, which are right if the index does not wrap between
 * the lanes. */
struct ends {
    LLVMValueRef first, last, low, high;
    uint64_t span; /* high - low */
};

static struct ends
write_ends(struct jit_pack_writer *to, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(index);
    int64_t way =
        jit_pack_shape(to->body, index).stride * ((int64_t)to->width - 1);
    struct ends ends;
    ends.first = LLVMBuildFreeze(to->builder, jit_pack_scalar(to, index), "");
    ends.last = LLVMBuildAdd(to->builder, ends.first,
                             LLVMConstInt(type, (uint64_t)way, 1), "");
    ends.low = way > 0 ? ends.first : ends.last;
    ends.high = way > 0 ? ends.last : ends.first;
    ends.span = (uint64_t)(way > 0 ? way : -way);
    return ends;
}

/* Writes the test that the comparison has the same result in all lanes. */
static void
write_comparison(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMBuilderRef builder = to->builder;
    unsigned operand = growing_operand(to->body, at);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(at);
    struct ends ends = write_ends(to, LLVMGetOperand(at, operand));
    LLVMValueRef bound = LLVMBuildFreeze(
        builder, jit_pack_scalar(to, LLVMGetOperand(at, 1 - operand)), "");
    LLVMValueRef result, fits;
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
        /* True if the bound is not between the indices of the first and the
         * last lane, so that it equals no lane's index. The comparison of
         * differences is also right if an index wraps. */
        fits = LLVMBuildICmp(
            builder, LLVMIntUGT, LLVMBuildSub(builder, bound, ends.low, ""),
            LLVMConstInt(LLVMTypeOf(bound), ends.span, 0), "");
        result = LLVMConstInt(to->jit->i1, predicate == LLVMIntNE, 0);
    } else {
        bool is_signed = predicate >= LLVMIntSGT;
        predicate =
            operand == 0 ? predicate : jit_predicate_mirrored(predicate);
        result = LLVMBuildICmp(builder, predicate, ends.first, bound, "");
        fits = LLVMBuildICmp(
            builder, LLVMIntEQ, result,
            LLVMBuildICmp(builder, predicate, ends.last, bound, ""), "");
        fits = LLVMBuildAnd(builder, fits,
                            LLVMBuildICmp(builder,
                                          is_signed ? LLVMIntSLE : LLVMIntULE,
                                          ends.low, ends.high, ""),
                            "");
    }
    jit_pack_branch(to, PLANTED_FAULT(pack_choice)
                            ? LLVMConstInt(to->jit->i1, 1, 0)
                            : fits);
    jit_pack_define(to, at, result);
}

/* Writes the test that the minimum or maximum is the operand that grows from
 * lane to lane. */
static void
write_extreme(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMBuilderRef builder = to->builder;
    unsigned operand = growing_operand(to->body, at);
    struct ends ends = write_ends(to, LLVMGetOperand(at, operand));
    LLVMValueRef bound = LLVMBuildFreeze(
        builder, jit_pack_scalar(to, LLVMGetOperand(at, 1 - operand)), "");
    LLVMIntPredicate ordered = is_signed_extreme(at) ? LLVMIntSLE : LLVMIntULE;
    LLVMValueRef inside =
        is_maximum(at) ? LLVMBuildICmp(builder, ordered, bound, ends.low, "")
                       : LLVMBuildICmp(builder, ordered, ends.high, bound, "");
    LLVMValueRef fits = LLVMBuildAnd(
        builder, inside,
        LLVMBuildICmp(builder, ordered, ends.low, ends.high, ""), "");
    jit_pack_branch(to, PLANTED_FAULT(pack_choice)
                            ? LLVMConstInt(to->jit->i1, 1, 0)
                            : fits);
    jit_pack_define(to, at, ends.first);
}

void
jit_pack_write_choice(struct jit_pack_writer *to, LLVMValueRef at)
{
    if (LLVMIsAICmpInst(at)) {
        write_comparison(to, at);
        return;
    }
    if (!LLVMIsASelectInst(at)) {
        write_extreme(to, at);
        return;
    }
    unsigned operand = assumed_arm(to->body, at);
    LLVMValueRef fits = LLVMBuildFreeze(
        to->builder, jit_pack_scalar(to, LLVMGetOperand(at, 0)), "");
    jit_pack_branch(to,
                    operand == 1 ? fits : LLVMBuildNot(to->builder, fits, ""));
    jit_pack_define(to, at, jit_pack_scalar(to, LLVMGetOperand(at, operand)));
}
