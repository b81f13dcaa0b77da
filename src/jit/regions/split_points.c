/* split_points.c - adds further split points, at which the thread loops of a
 * split kernel end.
 *
 * Called by regions.c after a kernel is cut at its barriers. A cut at a point
 * that all threads reach together does not change results. Two kinds of cuts
 * make a kernel faster:
 *
 *   - a loop that all threads run in lockstep is cut at its head. It becomes
 *     a loop around thread loops, which can then be vectorised;
 *   - the code is cut before a condition such as `threadIdx.x < n`. The
 *     condition becomes a bound of the thread loop, if the threads for which
 *     it is false have no work before the next barrier or split point.
 *
 * This pass only inserts calls of __pycuda_barrier, at which regions.c cuts as
 * at any barrier.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/analyse/access_pattern.h"
#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/options.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/regions/split.h"
#include "jit/text.h"

struct point_search {
    struct jit *jit;
    struct jit_split *split;
    const unsigned *ends;
    /* number of split points that may still be added to the kernel */
    unsigned left;
    /* index of the basic block at which a split point is about to be added, or
     * NO_BLOCK */
    unsigned stop;
};

static bool
is_end(const struct point_search *search, unsigned block)
{
    return search->ends[block] != JIT_NO_END || block == search->stop;
}

/* Tests whether the basic block ends at a warp operation, after which the
 * warps run one after the other. */
static bool
is_warp_end(const struct point_search *search, unsigned block)
{
    return search->ends[block] != JIT_NO_END &&
           search->split->points[search->ends[block]].warp;
}

/* Sets reached[b] for `from` and each basic block b that can be reached from
 * it. Paths end at barriers, split points and returns; the basic blocks that
 * contain these are included. If `within` is not NULL, paths use only the
 * basic blocks marked in it. */
static void
reach_ends(const struct point_search *search, unsigned from,
           const bool *within, bool *reached)
{
    jit_cfg_reach_within(&search->split->cfg, from, search->stop, search->ends,
                         within, reached);
}

static LLVMValueRef
first_after_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at)) {
        at = LLVMGetNextInstruction(at);
    }
    return at;
}

static struct jit_added_point *
add_point(struct point_search *search, LLVMValueRef before)
{
    struct jit *jit = search->jit;
    LLVMTypeRef types[2] = {jit->i32, jit->i32};
    LLVMValueRef arguments[2] = {jit_constant(jit, IMAGE_BARRIER_PLAIN),
                                 jit_constant(jit, 0)};
    LLVMValueRef barrier =
        jit_declare(jit, "__pycuda_barrier", jit->i32, types, 2);
    struct jit_added_point *row =
        &search->split->added[search->split->added_count++];
    LLVMPositionBuilderBefore(jit->builder, before);
    row->barrier =
        LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(barrier), barrier,
                       arguments, 2, "");
    search->left--;
    return row;
}

/* ---- loops ---- */

static bool
has_effect(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMStore:
        return !PLANTED_FAULT(busy_is_idle);
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMLoad:
        return LLVMGetVolatile(at);
    case LLVMCall:
        return (!jit_is_call(at, "llvm.") || jit_is_call(at, "llvm.mem")) &&
               !jit_is_call(at, "__pycuda_rare_") &&
               !jit_is_call(at, "__pycuda_check_at") &&
               !jit_is_call(at, "__pycuda_check_shared");
    default:
        return false;
    }
}

/* Tests whether the basic block has an instruction that prevents
 * vectorisation. A thread loop for such code alone would be useless. With race
 * checks, stores prevent vectorisation too, since their order must not
 * change. */
static bool
resists(const struct point_search *search, LLVMBasicBlockRef block)
{
    bool race = search->jit->options.checks & JIT_CHECK_RACE;
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        bool plain = LLVMGetInstructionOpcode(at) == LLVMStore &&
                     !LLVMGetVolatile(at) && !race;
        if (has_effect(at) && !plain && !jit_is_call(at, "__pycuda_check")) {
            return true;
        }
    }
    return false;
}

/* Sets cycle[b] for the basic blocks on paths from `head` back to `head` that
 * pass no barrier or other split point. Returns false if there is no such
 * path. */
static bool
find_cycle(const struct point_search *search, unsigned head, bool *cycle)
{
    const struct jit_cfg *cfg = &search->split->cfg;
    bool *after = jit_allocate(cfg->count);
    bool *back = jit_allocate(cfg->count);
    bool found = false;
    reach_ends(search, head, NULL, after);
    for (unsigned x = 0; x < cfg->count; x++) {
        if (!after[x] || is_end(search, x)) {
            continue;
        }
        memset(back, 0, cfg->count);
        for (unsigned k = 0; k < cfg->blocks[x].successor_count; k++) {
            reach_ends(search, cfg->blocks[x].successors[k], NULL, back);
        }
        cycle[x] = back[head];
        found |= cycle[x];
    }
    free(after);
    free(back);
    return found && cycle[head];
}

/* Tests whether `head` has a predecessor outside the cycle. */
static bool
is_head(const struct point_search *search, unsigned head, const bool *cycle)
{
    const struct jit_block *row = &search->split->cfg.blocks[head];
    for (unsigned k = 0; k < row->predecessor_count; k++) {
        if (!cycle[row->predecessors[k]]) {
            return true;
        }
    }
    return false;
}

/* Tests whether the cycle contains an inner loop that threads may leave after
 * different numbers of iterations. */
static bool
has_inner_loop(const struct point_search *search, unsigned head,
               const bool *cycle)
{
    const struct jit_cfg *cfg = &search->split->cfg;
    bool *within = jit_allocate(cfg->count);
    bool *reached = jit_allocate(cfg->count);
    bool found = false;
    memcpy(within, cycle, cfg->count);
    within[head] = false;
    for (unsigned x = 0; !found && x < cfg->count; x++) {
        if (!within[x] || !search->split->apart[x]) {
            continue;
        }
        memset(reached, 0, cfg->count);
        for (unsigned k = 0; k < cfg->blocks[x].successor_count; k++) {
            if (within[cfg->blocks[x].successors[k]]) {
                reach_ends(search, cfg->blocks[x].successors[k], within,
                           reached);
            }
        }
        found = reached[x];
    }
    free(within);
    free(reached);
    return found;
}

static bool
loop_fits(const struct point_search *search, unsigned head, const bool *cycle)
{
    const struct jit_cfg *cfg = &search->split->cfg;
    for (unsigned x = 0; x < cfg->count; x++) {
        if (cycle[x] && resists(search, cfg->blocks[x].block)) {
            return false;
        }
    }
    return is_head(search, head, cycle) &&
           !has_inner_loop(search, head, cycle) &&
           !jit_is_scattered(search->jit, search->split, cycle);
}

/* Cuts the loop at its head. Sets exits[b] for the basic blocks b after the
 * loop, so that cut_loops also cuts at these blocks and the code after the
 * loop gets its own thread loop. */
static void
cut_loop(struct point_search *search, unsigned head, const bool *cycle,
         bool *exits)
{
    const struct jit_cfg *cfg = &search->split->cfg;
    for (unsigned x = 0; x < cfg->count; x++) {
        for (unsigned k = 0; cycle[x] && k < cfg->blocks[x].successor_count;
             k++) {
            unsigned to = cfg->blocks[x].successors[k];
            exits[to] |= !cycle[to] && !search->split->apart[to];
        }
    }
    add_point(search, first_after_phis(cfg->blocks[head].block));
}

static void
cut_loops(struct point_search *search)
{
    const struct jit_cfg *cfg = &search->split->cfg;
    bool *cycle = jit_allocate(cfg->count);
    bool *exits = jit_allocate(cfg->count);
    bool *heads = jit_allocate(cfg->count);
    for (unsigned b = 0; b < cfg->count && search->left > 1; b++) {
        if (search->split->apart[b] || cfg->blocks[b].predecessor_count < 2 ||
            is_end(search, b)) {
            continue;
        }
        memset(cycle, 0, cfg->count);
        if (find_cycle(search, b, cycle) && loop_fits(search, b, cycle)) {
            heads[b] = true;
            cut_loop(search, b, cycle, exits);
        }
    }
    for (unsigned b = 0; b < cfg->count && search->left; b++) {
        if (exits[b] && !heads[b] &&
            (!is_end(search, b) || is_warp_end(search, b))) {
            add_point(search, first_after_phis(cfg->blocks[b].block));
        }
    }
    free(cycle);
    free(exits);
    free(heads);
}

/* ---- conditions on the thread's index ---- */

static bool
used_in_other_block(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        if (LLVMGetInstructionParent(LLVMGetUser(use)) !=
            LLVMGetInstructionParent(value)) {
            return true;
        }
    }
    return false;
}

/* Tests whether a thread that continues at basic block `from` has no work
 * before the next barrier, other split point or return. */
static bool
idle_from(const struct point_search *search, unsigned from)
{
    const struct jit_cfg *cfg = &search->split->cfg;
    bool *reached = jit_allocate(cfg->count);
    bool idle = true;
    reach_ends(search, from, NULL, reached);
    for (unsigned b = 0; b < cfg->count && idle; b++) {
        LLVMValueRef at =
            reached[b] ? LLVMGetFirstInstruction(cfg->blocks[b].block) : NULL;
        for (; at && idle; at = LLVMGetNextInstruction(at)) {
            bool differs = jit_map_get(&search->split->differs, at) != 0;
            idle = !has_effect(at) &&
                   !(differs && (LLVMIsAPHINode(at) ||
                                 (used_in_other_block(at) &&
                                  !jit_is_cheap(search->split, at))));
        }
    }
    free(reached);
    return idle;
}

/* Matches a comparison of threadIdx.x or .y with a uniform value. */
static bool
match_bound(const struct jit_split *split, LLVMValueRef test,
            struct jit_bound *bound)
{
    if (!LLVMIsAICmpInst(test)) {
        return false;
    }
    for (unsigned side = 0; side < 2; side++) {
        LLVMValueRef index = LLVMGetOperand(test, side);
        if (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index)) {
            index = LLVMGetOperand(index, 0);
        }
        LLVMValueRef limit = LLVMGetOperand(test, 1 - side);
        LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
        for (int axis = 0; axis < 2; axis++) {
            if (index == jit_body_argument(split->kernel, JIT_TID + axis) &&
                !jit_map_get(&split->differs, limit)) {
                bound->axis = axis;
                bound->predicate =
                    side ? jit_predicate_mirrored(predicate) : predicate;
                bound->limit = limit;
                return true;
            }
        }
    }
    return false;
}

/* Splits the condition, which is `holds` for a thread with work, into bounds
 * (comparisons such as threadIdx.x < n) that all such threads satisfy, and
 * appends them to `bounds`. Returns false if some part of the condition is not
 * such a comparison. */
static bool
match_bounds(const struct jit_split *split, LLVMValueRef test, bool holds,
             struct jit_bound *bounds, unsigned *count)
{
    bool choice = LLVMIsASelectInst(test) != NULL;
    LLVMValueRef end = choice ? LLVMGetOperand(test, holds ? 2 : 1) : NULL;
    LLVMTypeRef type = LLVMTypeOf(test);
    choice = choice && end == LLVMConstInt(type, !holds, 0);
    bool both = LLVMIsAInstruction(test) &&
                LLVMGetInstructionOpcode(test) == (holds ? LLVMAnd : LLVMOr);
    if (choice || both) {
        LLVMValueRef second = LLVMGetOperand(test, choice && !holds ? 2 : 1);
        return match_bounds(split, LLVMGetOperand(test, 0), holds, bounds,
                            count) &&
               match_bounds(split, second, holds, bounds, count);
    }
    if (*count == JIT_MAX_BOUNDS ||
        !match_bound(split, test, &bounds[*count])) {
        return false;
    }
    if (!holds) {
        bounds[*count].predicate =
            jit_predicate_inverse(bounds[*count].predicate);
    }
    ++*count;
    return true;
}

static bool
are_ranges(const struct jit_bound *bounds, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (bounds[i].predicate == LLVMIntNE) {
            return false;
        }
    }
    return true;
}

/* Tests whether a thread at basic block `from` may reach a warp operation
 * before any other split point. */
static bool
parts_warps(const struct point_search *search, unsigned from)
{
    const struct jit_split *split = search->split;
    bool *reached = jit_allocate(split->cfg.count);
    bool found = false;
    reach_ends(search, from, NULL, reached);
    for (unsigned b = 0; split->warps && b < split->cfg.count; b++) {
        found |= reached[b] && is_warp_end(search, b);
    }
    free(reached);
    return found;
}

static void
cut_at_condition(struct point_search *search, unsigned b)
{
    const struct jit_cfg *cfg = &search->split->cfg;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
    if (search->split->apart[b] || cfg->blocks[b].successor_count != 2 ||
        !LLVMIsABranchInst(end) || parts_warps(search, b)) {
        return;
    }
    search->stop = b;
    for (unsigned way = 0; way < 2; way++) {
        unsigned other = jit_cfg_index(cfg, LLVMGetSuccessor(end, 1 - way));
        struct jit_added_point found = {.inverted = way == 1};
        if (match_bounds(search->split, LLVMGetCondition(end), way == 0,
                         found.bounds, &found.bound_count) &&
            are_ranges(found.bounds, found.bound_count) &&
            idle_from(search, other)) {
            struct jit_added_point *row = add_point(search, end);
            found.barrier = row->barrier;
            *row = found;
            break;
        }
    }
    search->stop = NO_BLOCK;
}

void
jit_add_split_points(struct jit *jit, struct jit_split *split,
                     const unsigned *ends)
{
    struct point_search search = {jit, split, ends,
                                  JIT_MAX_POINTS - split->count, NO_BLOCK};
    for (unsigned b = 0; b < split->cfg.count && search.left; b++) {
        cut_at_condition(&search, b);
    }
    cut_loops(&search);
}
