/* reach_or_return.c - recognises warp operations that every lane of a warp
 * either reaches or avoids by returning from the kernel.
 *
 * Called by regions.c for calls whose mask is incomplete: it omits some of the
 * calling lanes, as in `if (t < 16) x = __ballot_sync(0xff, 1);`. CUDA leaves
 * this undefined. Measured on an H100: if the lanes that do not make the call
 * may still reach it later, only the 8 lanes of the mask take part. If they
 * have returned from the kernel, the compiler ignores the mask, and all 16
 * calling lanes take part.
 *
 * This file finds the second case, in which an operation waits for all lanes
 * that have not returned. To avoid a deadlock, no lane may wait for another
 * one before it reaches the call. Therefore there must be no loop before the
 * call, and neither loops nor barriers on the paths that do not lead to the
 * call.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "jit/analyse/cfg.h"
#include "jit/regions/regions.h"
#include "jit/regions/split.h"
#include "jit/text.h"

/* Sets before[b] for the basic block `to` and for each basic block b from
 * which `to` can be reached. */
static void
find_before(const struct jit_cfg *cfg, unsigned to, bool *before)
{
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    unsigned count = 0;
    queue[count++] = to;
    before[to] = true;
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        for (unsigned k = 0; k < row->predecessor_count; k++) {
            if (!before[row->predecessors[k]]) {
                before[row->predecessors[k]] = true;
                queue[count++] = row->predecessors[k];
            }
        }
    }
    free(queue);
}

/* Sets adjacent[b] for each basic block b on a path that misses `to`: b can be
 * reached from a basic block in `before` without passing through `to`, and
 * `to` cannot be reached from b. */
static void
find_adjacent(const struct jit_cfg *cfg, unsigned to, const bool *before,
              bool *adjacent)
{
    for (unsigned b = 0; b < cfg->count; b++) {
        const struct jit_block *row = &cfg->blocks[b];
        for (unsigned k = 0; before[b] && b != to && k < row->successor_count;
             k++) {
            if (!before[row->successors[k]]) {
                jit_cfg_reach(cfg, row->successors[k], NO_BLOCK, adjacent);
            }
        }
    }
}

static bool
follows_another(const struct jit_block *row, const bool *set)
{
    for (unsigned k = 0; k < row->predecessor_count; k++) {
        if (set[row->predecessors[k]]) {
            return true;
        }
    }
    return false;
}

/* Tests whether the set of basic blocks contains a loop. Repeatedly removes
 * basic blocks that have no predecessor in the set. If basic blocks remain at
 * the end, there is a loop. */
static bool
has_loop(const struct jit_cfg *cfg, const bool *blocks)
{
    bool *set = jit_allocate(cfg->count);
    bool changed = true, left = true;
    memcpy(set, blocks, cfg->count);
    while (changed) {
        changed = left = false;
        for (unsigned b = 0; b < cfg->count; b++) {
            if (set[b]) {
                set[b] = follows_another(&cfg->blocks[b], set);
                changed |= !set[b];
                left |= set[b];
            }
        }
    }
    free(set);
    return left;
}

static bool
has_stop(const struct jit_split *split, const bool *blocks)
{
    for (unsigned k = 1; k < split->count; k++) {
        if (blocks[jit_cfg_index(&split->cfg, split->points[k].head)] ||
            blocks[jit_cfg_index(&split->cfg, split->points[k].next)]) {
            return true;
        }
    }
    return false;
}

bool
jit_reaches_or_returns(const struct jit_split *split, unsigned point)
{
    const struct jit_cfg *cfg = &split->cfg;
    unsigned to = jit_cfg_index(cfg, split->points[point].next);
    bool *before = jit_allocate(cfg->count);
    bool *adjacent = jit_allocate(cfg->count);
    find_before(cfg, to, before);
    find_adjacent(cfg, to, before, adjacent);
    bool come = !has_loop(cfg, before) && !has_loop(cfg, adjacent) &&
                !has_stop(split, adjacent);
    free(before);
    free(adjacent);
    return come;
}
