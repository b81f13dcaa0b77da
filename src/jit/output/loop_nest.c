/* loop_nest.c - finds the loops of a function.
 *
 * A loop is a largest set of basic blocks that can all reach each other. The
 * loops inside it are found in the same way, after its header is removed.
 *
 * Called by unswitch.c. The functions are described in loop_nest.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "jit/analyse/cfg.h"
#include "jit/output/loop_nest.h"
#include "jit/text.h"

struct finder {
    const struct jit_cfg *cfg;
    /* indices of the basic blocks that the current search still has to
     * visit */
    unsigned *queue;
    bool *reached; /* for each basic block: true if find_loops visited it */
};

/* Sets `marks` for the basic blocks in the list `blocks` that are in `allowed`
 * and not yet marked, and appends them to finder->queue. Returns the new
 * number of elements in the queue. */
static unsigned
visit(struct finder *finder, const bool *allowed, bool *marks,
      const unsigned *blocks, unsigned block_count, unsigned count)
{
    for (unsigned i = 0; i < block_count; i++) {
        unsigned next = blocks[i];
        if (allowed[next] && !marks[next]) {
            marks[next] = true;
            finder->queue[count++] = next;
        }
    }
    return count;
}

/* Sets `marks` for the basic blocks in `allowed` that can be reached from the
 * successors of `from`. */
static void
reach_forward(struct finder *finder, unsigned from, const bool *allowed,
              bool *marks)
{
    unsigned count = 0, at = from;
    for (unsigned i = 0; i <= count; at = finder->queue[i++]) {
        const struct jit_block *row = &finder->cfg->blocks[at];
        count = visit(finder, allowed, marks, row->successors,
                      row->successor_count, count);
    }
}

/* Sets `marks` for the basic blocks in `allowed` from which `to` can be
 * reached. */
static void
reach_backward(struct finder *finder, unsigned to, const bool *allowed,
               bool *marks)
{
    unsigned count = 0, at = to;
    for (unsigned i = 0; i <= count; at = finder->queue[i++]) {
        const struct jit_block *row = &finder->cfg->blocks[at];
        count = visit(finder, allowed, marks, row->predecessors,
                      row->predecessor_count, count);
    }
}

/* Returns the first basic block of the loop `inside` that has a predecessor
 * outside the loop, or `block` if there is none. */
static unsigned
header_of(const struct jit_cfg *cfg, const bool *inside, unsigned block)
{
    for (unsigned i = 0; i < cfg->count; i++) {
        const struct jit_block *row = &cfg->blocks[i];
        for (unsigned p = 0; inside[i] && p < row->predecessor_count; p++) {
            if (!inside[row->predecessors[p]]) {
                return i;
            }
        }
    }
    return block;
}

/* Finds the outermost loops among the basic blocks in `allowed`, and appends
 * them to `nest` with the parent `parent`. For inner loops, `allowed` has the
 * basic blocks of `parent` without its header. */
static void
find_loops(struct finder *finder, struct jit_loop_nest *nest,
           const bool *allowed, unsigned parent)
{
    const struct jit_cfg *cfg = finder->cfg;
    for (unsigned i = 0; i < cfg->count; i++) {
        if (!allowed[i] || nest->innermost[i] != parent) {
            continue;
        }
        memset(finder->reached, 0, cfg->count * sizeof(bool));
        reach_forward(finder, i, allowed, finder->reached);
        if (!finder->reached[i]) {
            continue;
        }
        bool *inside = jit_allocate(cfg->count * sizeof(bool));
        reach_backward(finder, i, finder->reached, inside);
        nest->loops[nest->count] =
            (struct jit_loop){parent, header_of(cfg, inside, i), inside};
        for (unsigned k = 0; k < cfg->count; k++) {
            if (inside[k]) {
                nest->innermost[k] = nest->count;
            }
        }
        nest->count++;
    }
}

void
jit_loop_nest_read(struct jit_loop_nest *nest, const struct jit_cfg *cfg)
{
    struct finder finder = {cfg, NULL, NULL};
    finder.queue = jit_allocate((cfg->count + 1) * sizeof *finder.queue);
    finder.reached = jit_allocate(cfg->count * sizeof *finder.reached);
    nest->count = 0;
    /* There are at most as many loops as basic blocks, since no two loops have
     * the same header. */
    nest->loops = jit_allocate(cfg->count * sizeof *nest->loops);
    nest->innermost = jit_allocate(cfg->count * sizeof *nest->innermost);
    bool *all = jit_allocate(cfg->count * sizeof *all);
    memset(nest->innermost, 0xff, cfg->count * sizeof *nest->innermost);
    memset(all, 1, cfg->count * sizeof *all);
    find_loops(&finder, nest, all, NO_LOOP);
    /* nest->count grows in the loop, since find_loops adds the inner loops */
    for (unsigned i = 0; i < nest->count; i++) {
        struct jit_loop *loop = &nest->loops[i];
        loop->inside[loop->header] = false;
        find_loops(&finder, nest, loop->inside, i);
        loop->inside[loop->header] = true;
    }
}

bool *
jit_loop_side(const struct jit_cfg *cfg, const struct jit_loop *loop,
              unsigned from, unsigned to)
{
    struct finder finder = {cfg, NULL, NULL};
    bool *side = jit_allocate(cfg->count * sizeof *side);
    if (!loop->inside[to] || to == loop->header || to == from ||
        cfg->blocks[to].predecessor_count != 1) {
        return side;
    }
    finder.queue = jit_allocate((cfg->count + 1) * sizeof *finder.queue);
    bool *reached = jit_allocate(cfg->count * sizeof *reached);
    loop->inside[to] = false;
    reach_forward(&finder, loop->header, loop->inside, reached);
    loop->inside[to] = true;
    for (unsigned i = 0; i < cfg->count; i++) {
        side[i] = loop->inside[i] && i != loop->header && !reached[i];
    }
    return side;
}
