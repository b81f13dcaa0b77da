/* nest.c - finds the loops of a kernel body, and the dominators of its basic
 * blocks.
 *
 * Called by pack.c. The body is in the form that LLVM's loop-simplify and
 * lcssa passes produce.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

/* Tests whether basic block `above` dominates basic block `below`. */
static bool
dominates(const struct jit_pack_body *body, unsigned above, unsigned below)
{
    while (below != NO_BLOCK && below != above) {
        below = body->dominator[below];
    }
    return below == above;
}

/* Sets the immediate dominator of each basic block: the last block, before the
 * block itself, through which all paths from the entry to it lead. */
static void
find_dominators(struct jit_pack_body *body)
{
    unsigned count = body->cfg.count;
    bool *seen = jit_allocate(count);
    unsigned *above = jit_allocate(count * sizeof *above);
    bool **sets = jit_allocate(count * sizeof *sets);
    body->dominator = jit_allocate(count * sizeof(unsigned));
    for (unsigned d = 0; d < count; d++) {
        memset(seen, 0, count);
        jit_cfg_reach(&body->cfg, 0, d, seen);
        sets[d] = jit_allocate(count);
        for (unsigned b = 0; b < count; b++) {
            sets[d][b] = b != d && (d == 0 || !seen[b]);
            above[b] += sets[d][b];
        }
    }
    for (unsigned b = 0; b < count; b++) {
        body->dominator[b] = NO_BLOCK;
        for (unsigned d = 0; d < count; d++) {
            unsigned now = body->dominator[b];
            if (sets[d][b] && (now == NO_BLOCK || above[d] > above[now])) {
                body->dominator[b] = d;
            }
        }
    }
    for (unsigned d = 0; d < count; d++) {
        free(sets[d]);
    }
    free(sets);
    free(above);
    free(seen);
}

static bool
add_loop(struct jit_pack_body *body, unsigned latch, unsigned head)
{
    const struct jit_cfg *cfg = &body->cfg;
    struct jit_pack_loop *loop = &body->loops[body->loop_count++];
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    unsigned count = 0;
    *loop = (struct jit_pack_loop){.head = head, .latch = latch};
    loop->inside = jit_allocate(cfg->count);
    loop->inside[head] = true;
    if (latch != head) {
        loop->inside[latch] = true;
        queue[count++] = latch;
    }
    loop->size = 1 + count;
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        for (unsigned k = 0; k < row->predecessor_count; k++) {
            if (!loop->inside[row->predecessors[k]]) {
                loop->inside[row->predecessors[k]] = true;
                loop->size++;
                queue[count++] = row->predecessors[k];
            }
        }
    }
    free(queue);
    for (unsigned i = 0; i + 1 < body->loop_count; i++) {
        if (body->loops[i].head == head) {
            return false;
        }
    }
    return true;
}

/* Returns the smallest loop that contains the basic block and has more than
 * `size` basic blocks, or JIT_NO_LOOP. */
static unsigned
smallest_loop(const struct jit_pack_body *body, unsigned block, unsigned size)
{
    unsigned best = JIT_NO_LOOP;
    for (unsigned i = 0; i < body->loop_count; i++) {
        const struct jit_pack_loop *loop = &body->loops[i];
        if (loop->inside[block] && loop->size > size &&
            (best == JIT_NO_LOOP || loop->size < body->loops[best].size)) {
            best = i;
        }
    }
    return best;
}

/* Tests whether the graph without back edges to loop heads has no cycle. */
static bool
is_reducible(const struct jit_pack_body *body)
{
    unsigned count = body->cfg.count, done = 0;
    unsigned *left = jit_allocate(count * sizeof *left);
    unsigned *queue = jit_allocate((count + 1) * sizeof *queue);
    for (unsigned b = 0; b < count; b++) {
        const struct jit_block *row = &body->cfg.blocks[b];
        for (unsigned k = 0; k < row->successor_count; k++) {
            left[row->successors[k]] +=
                !dominates(body, row->successors[k], b);
        }
    }
    queue[done++] = 0;
    for (unsigned i = 0; i < done; i++) {
        const struct jit_block *row = &body->cfg.blocks[queue[i]];
        for (unsigned k = 0; k < row->successor_count; k++) {
            unsigned to = row->successors[k];
            if (!dominates(body, to, queue[i]) && --left[to] == 0) {
                queue[done++] = to;
            }
        }
    }
    free(left);
    free(queue);
    return done == count;
}

bool
jit_pack_read(struct jit_pack_body *body)
{
    bool fits = true;
    unsigned count = body->cfg.count;
    find_dominators(body);
    body->loops = jit_allocate((2 * count + 1) * sizeof *body->loops);
    body->loop_of = jit_allocate(count * sizeof(unsigned));
    for (unsigned b = 0; b < count && fits; b++) {
        const struct jit_block *row = &body->cfg.blocks[b];
        for (unsigned k = 0; k < row->successor_count && fits; k++) {
            if (dominates(body, row->successors[k], b)) {
                fits = add_loop(body, b, row->successors[k]);
            }
        }
    }
    for (unsigned i = 0; i < body->loop_count; i++) {
        body->loops[i].parent =
            smallest_loop(body, body->loops[i].head, body->loops[i].size);
    }
    for (unsigned b = 0; b < count; b++) {
        body->loop_of[b] = smallest_loop(body, b, 0);
    }
    return fits && is_reducible(body);
}

/* Tests whether a path from basic block `from` reaches the loop's latch, and
 * so the next iteration, without passing through basic block `to`. */
static bool
repeats_before(const struct jit_pack_body *body, unsigned loop, unsigned from,
               unsigned to)
{
    if (loop == JIT_NO_LOOP || from == to || body->loops[loop].latch == to ||
        PLANTED_FAULT(pack_skip)) {
        return false;
    }
    bool *reached = jit_allocate(body->cfg.count);
    jit_cfg_reach(&body->cfg, from, to, reached);
    bool repeats = reached[body->loops[loop].latch];
    free(reached);
    return repeats;
}

bool
jit_pack_equivalent(const struct jit_pack_body *body, unsigned from,
                    unsigned to)
{
    unsigned at = from;
    if (body->loop_of[from] != body->loop_of[to] ||
        !dominates(body, from, to)) {
        return false;
    }
    for (unsigned steps = 0; at != to && at != NO_BLOCK; steps++) {
        at = steps <= body->cfg.count ? body->immediate[at] : NO_BLOCK;
    }
    return at == to && !repeats_before(body, body->loop_of[from], from, to);
}

/* Tests whether lanes that take different paths at `branch` may meet at its
 * immediate post-dominator in different iterations of the loop. */
static bool
meets_later(const struct jit_pack_body *body, unsigned loop, unsigned branch)
{
    const struct jit_block *row = &body->cfg.blocks[branch];
    unsigned stop = body->immediate[branch];
    bool later = false;
    for (unsigned i = 0; i < row->successor_count; i++) {
        later |= repeats_before(body, loop, row->successors[i], stop);
    }
    return stop != NO_BLOCK && body->loops[loop].inside[stop] && later;
}

bool
jit_pack_lanes_meet_in_iteration(const struct jit_pack_body *body)
{
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef end =
            LLVMGetBasicBlockTerminator(body->cfg.blocks[b].block);
        unsigned loop = body->loop_of[b];
        if (body->cfg.blocks[b].successor_count < 2 ||
            !jit_map_get(&body->differs, end)) {
            continue;
        }
        for (; loop != JIT_NO_LOOP; loop = body->loops[loop].parent) {
            if (meets_later(body, loop, b)) {
                return false;
            }
        }
    }
    return true;
}

unsigned
jit_pack_common_loop(const struct jit_pack_body *body, unsigned a, unsigned b)
{
    unsigned loop = body->loop_of[a];
    while (loop != JIT_NO_LOOP && !body->loops[loop].inside[b]) {
        loop = body->loops[loop].parent;
    }
    return loop;
}
