/* meeting.c - recognises warp operations that every lane reaches, except those
 * that return before.
 *
 * Called by regions.c, for masks that omit calling lanes. The compiler for an
 * H100 keeps the mask of `if (t < 16) x = __ballot_sync(0xff, 1);` only if
 * lanes may arrive later; here the others return, and all 16 take part. Lanes
 * then wait for the full mask. Hence another lane must have nothing to wait
 * for before it arrives: there may be no loop before the call, and neither
 * loops nor stops on the paths that do not lead to it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "jit/regions/regions.h"

/* Marks `to` and the blocks from which it can be reached. */
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

/* Marks the blocks that are reachable from `before`, except through `to`, but
 * do not lead to it. */
static void
find_beside(const struct jit_cfg *cfg, unsigned to, const bool *before,
            bool *beside)
{
    for (unsigned b = 0; b < cfg->count; b++) {
        const struct jit_block *row = &cfg->blocks[b];
        for (unsigned k = 0; before[b] && b != to && k < row->successor_count;
             k++) {
            if (!before[row->successors[k]]) {
                jit_cfg_reach(cfg, row->successors[k], NO_BLOCK, beside);
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

/* Tests for a loop: repeatedly removes blocks without a predecessor in the
 * set; blocks of a loop, and those after it, remain. */
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
jit_come_or_return(const struct jit_split *split, unsigned point)
{
    const struct jit_cfg *cfg = &split->cfg;
    unsigned to = jit_cfg_index(cfg, split->points[point].next);
    bool *before = jit_allocate(cfg->count);
    bool *beside = jit_allocate(cfg->count);
    find_before(cfg, to, before);
    find_beside(cfg, to, before, beside);
    bool come = !has_loop(cfg, before) && !has_loop(cfg, beside) &&
                !has_stop(split, beside);
    free(before);
    free(beside);
    return come;
}
