/* uniform.c - divergence analysis: which values may differ between the threads
 * of a block.
 *
 * A value is divergent if it is computed from a thread's own index, from
 * private memory, an atomic operation, a call or divergent values. A phi is
 * divergent if threads with different incoming values meet at it. A value is
 * also divergent if it is computed in a loop that threads leave in different
 * iterations, and is used outside of the loop. A load from a uniform address
 * is uniform: a store to it by another thread would be a race.
 *
 * Paths that end in a trap are ignored, since no thread returns from them.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/analyse/uniform.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/text.h"
#include "jit/warps/lanes.h"

struct analysis {
    const struct jit_cfg *cfg;
    /* if not NULL, the analysis finds values that differ between the lanes of
     * a warp of this kernel; if NULL, between the threads of a block */
    struct jit_kernel *by_lane;
    struct jit_map *differs;
    size_t words; /* number of 64-bit words of a bit set of basic blocks */
    /* array of bit sets: the post-dominators of each basic block */
    uint64_t *postdominators;
    /* array, by basic block: index of the immediate post-dominator */
    unsigned *immediate;
    /* array, by basic block: true if only some of the threads may execute
     * it */
    bool *apart;
    /* array, by basic block: true if spread_branch has processed the branch at
     * its end */
    bool *spread;
    bool changed;
};

static uint64_t *
set_of(const struct analysis *analysis, unsigned block)
{
    return analysis->postdominators + block * analysis->words;
}

static bool
set_has(const uint64_t *set, unsigned block)
{
    return set[block / 64] >> (block % 64) & 1;
}

/* Recomputes the post-dominator set of `block` as itself and the intersection
 * of its successors' sets. Returns true if the set changed. */
static bool
narrow_set(struct analysis *analysis, unsigned block)
{
    const struct jit_block *row = &analysis->cfg->blocks[block];
    uint64_t *set = set_of(analysis, block);
    bool changed = false;
    for (size_t w = 0; w < analysis->words; w++) {
        uint64_t word = ~UINT64_C(0);
        for (unsigned i = 0; i < row->successor_count; i++) {
            word &= set_of(analysis, row->successors[i])[w];
        }
        if (w == block / 64) {
            word |= UINT64_C(1) << (block % 64);
        }
        changed |= word != set[w];
        set[w] = word;
    }
    return changed;
}

static unsigned
set_size(const struct analysis *analysis, unsigned block)
{
    unsigned size = 0;
    for (size_t w = 0; w < analysis->words; w++) {
        size += (unsigned)__builtin_popcountll(set_of(analysis, block)[w]);
    }
    return size;
}

/* Sets the immediate post-dominator of each basic block: the nearest of its
 * post-dominators, which is the one with the largest set of post-dominators. A
 * basic block without a path to a return gets NO_BLOCK, since its set has no
 * meaning. */
static void
find_immediate(struct analysis *analysis, const bool *returning)
{
    unsigned count = analysis->cfg->count;
    unsigned *sizes = jit_allocate(count * sizeof *sizes);
    for (unsigned i = 0; i < count; i++) {
        sizes[i] = set_size(analysis, i);
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned best = 0;
        analysis->immediate[i] = NO_BLOCK;
        for (unsigned k = 0; returning[i] && k < count; k++) {
            if (k != i && returning[k] && sizes[k] > best &&
                set_has(set_of(analysis, i), k)) {
                best = sizes[k];
                analysis->immediate[i] = k;
            }
        }
    }
    free(sizes);
}

/* Sets returning[b] for the basic blocks b that have a path to a return. */
static void
find_returning(const struct jit_cfg *cfg, bool *returning)
{
    bool changed = true;
    for (unsigned i = 0; i < cfg->count; i++) {
        returning[i] = cfg->blocks[i].returns;
    }
    while (changed) {
        changed = false;
        for (unsigned i = cfg->count; i-- > 0;) {
            for (unsigned k = 0;
                 !returning[i] && k < cfg->blocks[i].successor_count; k++) {
                returning[i] = returning[cfg->blocks[i].successors[k]];
                changed |= returning[i];
            }
        }
    }
}

/* Computes the post-dominator sets by iteration until nothing changes. Blocks
 * that never return keep the set of all blocks. */
static void
find_postdominators(struct analysis *analysis)
{
    const struct jit_cfg *cfg = analysis->cfg;
    bool changed = true;
    bool *returning = jit_allocate(cfg->count);
    memset(analysis->postdominators, 0xff,
           cfg->count * analysis->words * sizeof(uint64_t));
    for (unsigned i = 0; i < cfg->count; i++) {
        if (cfg->blocks[i].returns) {
            memset(set_of(analysis, i), 0, analysis->words * sizeof(uint64_t));
            set_of(analysis, i)[i / 64] = UINT64_C(1) << (i % 64);
        }
    }
    while (changed) {
        changed = false;
        for (unsigned i = cfg->count; i-- > 0;) {
            changed |=
                cfg->blocks[i].successor_count && narrow_set(analysis, i);
        }
    }
    find_returning(cfg, returning);
    find_immediate(analysis, returning);
}

static void
mark_differing(struct analysis *analysis, LLVMValueRef value)
{
    unsigned *slot = jit_map_slot(analysis->differs, value);
    analysis->changed |= !*slot;
    *slot = 1;
}

/* Tests for a call whose result depends on its arguments only. */
static bool
is_pure_call(LLVMValueRef at)
{
    static const char *const impure[] = {"llvm.mem",    "llvm.lifetime",
                                         "llvm.stack",  "llvm.read",
                                         "llvm.masked", "llvm.get"};
    if (!jit_is_call(at, "llvm.")) {
        return jit_calls(at, "__pycuda_voted") ||
               jit_is_call(at, "__pycuda_rare_") ||
               jit_calls(at, "__pycuda_texture_plain") ||
               jit_calls(at, "__pycuda_texture_width");
    }
    for (size_t i = 0; i < sizeof impure / sizeof *impure; i++) {
        if (jit_is_call(at, impure[i])) {
            return false;
        }
    }
    return true;
}

/* Tests whether the result of an instruction may differ between threads. This
 * is the case for the address of a private variable, an atomic operation, a
 * volatile load and an impure call, and if an operand of the instruction
 * differs between threads. */
static bool
instruction_differs(const struct analysis *analysis, LLVMValueRef at)
{
    if (analysis->by_lane &&
        jit_lanes_agree(analysis->by_lane, analysis->differs, at)) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMAlloca:
        return !PLANTED_FAULT(uniform_load);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        return true;
    case LLVMCall:
        /* __pycuda_check returns its argument 0, so its result differs between
         * threads if the argument does */
        if (jit_calls(at, "__pycuda_check")) {
            return jit_map_get(analysis->differs, LLVMGetOperand(at, 0));
        }
        if (!is_pure_call(at)) {
            return true;
        }
        break;
    case LLVMLoad:
        if (LLVMGetVolatile(at) ||
            LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic) {
            return true;
        }
        break;
    default:
        break;
    }
    int count = LLVMGetNumOperands(at);
    for (int i = 0; i < count; i++) {
        if (jit_map_get(analysis->differs, LLVMGetOperand(at, (unsigned)i))) {
            return true;
        }
    }
    return false;
}

static void
spread_values(struct analysis *analysis)
{
    for (unsigned b = 0; b < analysis->cfg->count; b++) {
        LLVMValueRef at =
            LLVMGetFirstInstruction(analysis->cfg->blocks[b].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!jit_map_get(analysis->differs, at) &&
                instruction_differs(analysis, at)) {
                mark_differing(analysis, at);
            }
        }
    }
}

/* Tests whether the value is used in a basic block that is not in the set
 * `inside`. */
static bool
used_outside(const struct analysis *analysis, LLVMValueRef value,
             const bool *inside)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMBasicBlockRef user = LLVMGetInstructionParent(LLVMGetUser(use));
        if (!inside[jit_cfg_index(analysis->cfg, user)]) {
            return true;
        }
    }
    return false;
}

/* Handles a loop (cycle) that contains the divergent branch `branch`, so that
 * threads leave the loop in different iterations. Marks as divergent the
 * values that are computed in the loop and used outside of it. `after`: basic
 * blocks that the branch reaches. */
static void
mark_cycle(struct analysis *analysis, unsigned branch, const bool *after)
{
    unsigned count = analysis->cfg->count;
    unsigned stop = analysis->immediate[branch];
    bool *cycle = jit_allocate(count), *reached = jit_allocate(count);
    for (unsigned x = 0; x < count; x++) {
        if (after[x] && x != stop) {
            memset(reached, 0, count);
            jit_cfg_reach(analysis->cfg, x, stop, reached);
            cycle[x] = reached[branch];
        }
    }
    for (unsigned x = 0; x < count; x++) {
        LLVMValueRef at =
            cycle[x] ? LLVMGetFirstInstruction(analysis->cfg->blocks[x].block)
                     : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (used_outside(analysis, at, cycle)) {
                mark_differing(analysis, at);
            }
        }
    }
    free(cycle);
    free(reached);
}

/* Tests whether threads that took different paths at `branch`, through the
 * basic blocks `after`, may arrive at the phi with different values. */
static bool
phi_parts(const struct analysis *analysis, LLVMValueRef phi, unsigned branch,
          const bool *after)
{
    LLVMValueRef seen = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        unsigned from =
            jit_cfg_index(analysis->cfg, LLVMGetIncomingBlock(phi, i));
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        if (from != branch &&
            (!after[from] || from == analysis->immediate[branch])) {
            continue;
        }
        if (seen && seen != value && !PLANTED_FAULT(uniform_join)) {
            return true;
        }
        seen = value;
    }
    return false;
}

/* Marks the phis of a basic block as divergent if threads that took different
 * paths at `branch` meet in this block with different values. */
static void
mark_joined(struct analysis *analysis, unsigned block, unsigned branch,
            const bool *after)
{
    LLVMValueRef phi =
        LLVMGetFirstInstruction(analysis->cfg->blocks[block].block);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        if (phi_parts(analysis, phi, branch, after)) {
            mark_differing(analysis, phi);
        }
    }
}

/* Processes a divergent branch: finds the basic blocks in which threads that
 * took different paths meet again, and marks divergent values. */
static void
spread_branch(struct analysis *analysis, unsigned branch)
{
    const struct jit_block *row = &analysis->cfg->blocks[branch];
    unsigned count = analysis->cfg->count;
    bool *reached = jit_allocate(count), *after = jit_allocate(count);
    bool *joined = jit_allocate(count);
    analysis->spread[branch] = analysis->changed = true;
    for (unsigned i = 0; i < row->successor_count; i++) {
        memset(reached, 0, count);
        jit_cfg_reach(analysis->cfg, row->successors[i],
                      analysis->immediate[branch], reached);
        for (unsigned x = 0; x < count; x++) {
            joined[x] |= after[x] && reached[x];
            after[x] |= reached[x];
        }
    }
    for (unsigned x = 0; x < count; x++) {
        if (joined[x]) {
            mark_joined(analysis, x, branch, after);
        }
        analysis->apart[x] |= after[x] && x != analysis->immediate[branch];
    }
    if (after[branch] && !PLANTED_FAULT(uniform_exit)) {
        mark_cycle(analysis, branch, after);
    }
    free(reached);
    free(after);
    free(joined);
}

/* Propagates divergence from the values that are already marked as divergent
 * to the values that depend on them, until nothing changes. */
static void
spread_all(struct analysis *analysis)
{
    const struct jit_cfg *cfg = analysis->cfg;
    analysis->words = (cfg->count + 63) / 64;
    analysis->postdominators =
        jit_allocate(cfg->count * analysis->words * sizeof(uint64_t));
    analysis->spread = jit_allocate(cfg->count);
    analysis->changed = true;
    find_postdominators(analysis);
    while (analysis->changed) {
        analysis->changed = false;
        spread_values(analysis);
        for (unsigned b = 0; b < cfg->count; b++) {
            LLVMValueRef end =
                LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
            if (cfg->blocks[b].successor_count > 1 && !analysis->spread[b] &&
                jit_map_get(analysis->differs, end)) {
                spread_branch(analysis, b);
            }
        }
    }
    free(analysis->postdominators);
    free(analysis->spread);
}

/* Marks as divergent those arguments of the kernel body whose numbers are in
 * the list `own`, such as threadIdx.x, and all values that depend on them. */
static void
find_differing(struct analysis *analysis, struct jit_kernel *kernel,
               const int *own, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mark_differing(analysis, jit_body_argument(kernel, own[i]));
    }
    spread_all(analysis);
}

void
jit_find_differing(struct jit_kernel *kernel, const struct jit_cfg *cfg,
                   struct jit_map *differs, unsigned *immediate, bool *apart)
{
    static const int own[] = {JIT_TID,    JIT_TID + 1,      JIT_TID + 2,
                              JIT_LINEAR, JIT_GLOBAL_INDEX, JIT_WIDE_INDEX,
                              JIT_WHOLE,  JIT_THREAD};
    struct analysis analysis = {.cfg = cfg,
                                .differs = differs,
                                .immediate = immediate,
                                .apart = apart};
    find_differing(&analysis, kernel, own, sizeof own / sizeof *own);
}

void
jit_find_row_differing(struct jit_kernel *kernel, const struct jit_cfg *cfg,
                       struct jit_map *differs, unsigned *immediate,
                       bool *apart)
{
    static const int own[] = {JIT_TID, JIT_LINEAR, JIT_GLOBAL_INDEX,
                              JIT_WIDE_INDEX};
    struct analysis analysis = {.cfg = cfg,
                                .differs = differs,
                                .immediate = immediate,
                                .apart = apart};
    find_differing(&analysis, kernel, own, sizeof own / sizeof *own);
}

void
jit_find_lanes_differing(struct jit_kernel *kernel, const struct jit_cfg *cfg,
                         struct jit_map *differs, unsigned *immediate,
                         bool *apart)
{
    static const int own[] = {JIT_TID,        JIT_LINEAR, JIT_GLOBAL_INDEX,
                              JIT_WIDE_INDEX, JIT_WHOLE,  JIT_THREAD};
    struct analysis analysis = {.cfg = cfg,
                                .by_lane = kernel,
                                .differs = differs,
                                .immediate = immediate,
                                .apart = apart};
    find_differing(&analysis, kernel, own, sizeof own / sizeof *own);
}
