/* loops.c - finds natural loops, their preheaders and iteration counts.
 *
 * Called by return.c, which finds the `return` statements of a kernel, and by
 * access_ranges.c for the functions that run whole thread blocks. Before
 * access_ranges.c, LLVM's pass loop-rotate moves the condition of each loop to
 * the loop's end.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/checks/loops.h"
#include "jit/text.h"

/* A postorder of the basic blocks: each basic block comes after its
 * successors, apart from back edges. */

struct order {
    unsigned *blocks; /* block indices in postorder */
    unsigned *places; /* for each basic block: its index in `blocks` */
    unsigned count;
    bool *seen;
};

/* Computes the postorder by a depth-first search without recursion, since
 * functions may have thousands of blocks. */
static void
compute_postorder(const struct jit_cfg *cfg, struct order *order)
{
    unsigned *stack = jit_allocate((cfg->count + 1) * sizeof *stack);
    unsigned *next = jit_allocate(cfg->count * sizeof *next);
    unsigned depth = 1;

    order->blocks = jit_allocate(cfg->count * sizeof *order->blocks);
    order->places = jit_allocate(cfg->count * sizeof *order->places);
    order->seen = jit_allocate(cfg->count);
    order->count = 0;
    stack[0] = 0;
    order->seen[0] = true;
    while (depth) {
        unsigned at = stack[depth - 1];
        const struct jit_block *row = &cfg->blocks[at];

        if (next[at] == row->successor_count) {
            order->places[at] = order->count;
            order->blocks[order->count++] = at;
            depth--;
            continue;
        }
        unsigned to = row->successors[next[at]++];
        if (!order->seen[to]) {
            order->seen[to] = true;
            stack[depth++] = to;
        }
    }
}

/* Returns the nearest common dominator of the blocks `one` and `two`. */
static unsigned
meet(const struct order *order, const unsigned *dominators, unsigned one,
     unsigned two)
{
    while (one != two) {
        if (order->places[one] < order->places[two]) {
            one = dominators[one];
        } else {
            two = dominators[two];
        }
    }
    return one;
}

/* Computes immediate dominators by iteration in reverse postorder (Cooper,
 * Harvey and Kennedy). */
static void
find_dominators(struct jit_loops *loops)
{
    const struct jit_cfg *cfg = &loops->cfg;
    struct order order;
    bool changed = true;

    loops->dominators = jit_allocate(cfg->count * sizeof *loops->dominators);
    for (unsigned i = 0; i < cfg->count; i++) {
        loops->dominators[i] = i ? NO_BLOCK : 0;
    }
    compute_postorder(cfg, &order);
    while (changed) {
        changed = false;
        for (unsigned k = order.count - 1; k-- > 0;) {
            unsigned at = order.blocks[k], best = NO_BLOCK;
            const struct jit_block *row = &cfg->blocks[at];

            for (unsigned i = 0; i < row->predecessor_count; i++) {
                unsigned from = row->predecessors[i];
                if (loops->dominators[from] != NO_BLOCK) {
                    best = best == NO_BLOCK
                               ? from
                               : meet(&order, loops->dominators, best, from);
                }
            }
            changed |= loops->dominators[at] != best;
            loops->dominators[at] = best;
        }
    }
}

bool
jit_dominates(const struct jit_loops *loops, unsigned one, unsigned two)
{
    while (two != one && two != 0 && loops->dominators[two] != NO_BLOCK) {
        two = loops->dominators[two];
    }
    return one == two;
}

/* ---- loops ---- */

/* Marks the basic blocks of the loop: all that reach its latch (the basic
 * block with the jump back) without passing through its header. */
static void
fill_loop(const struct jit_cfg *cfg, struct jit_loop *loop)
{
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    unsigned count = 0;

    loop->blocks = jit_allocate(cfg->count);
    loop->blocks[loop->header] = true;
    loop->size = 1;
    if (!loop->blocks[loop->latch]) {
        loop->blocks[loop->latch] = true;
        loop->size++;
        queue[count++] = loop->latch;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        for (unsigned k = 0; k < row->predecessor_count; k++) {
            unsigned from = row->predecessors[k];
            if (!loop->blocks[from]) {
                loop->blocks[from] = true;
                loop->size++;
                queue[count++] = from;
            }
        }
    }
}

static unsigned
find_preheader(const struct jit_cfg *cfg, const struct jit_loop *loop)
{
    const struct jit_block *row = &cfg->blocks[loop->header];
    unsigned found = NO_BLOCK;

    for (unsigned k = 0; k < row->predecessor_count; k++) {
        unsigned from = row->predecessors[k];
        if (loop->blocks[from]) {
            continue;
        }
        if (found != NO_BLOCK || cfg->blocks[from].successor_count != 1) {
            return NO_BLOCK;
        }
        found = from;
    }
    return found;
}

bool
jit_is_outside(const struct jit_loops *loops, const struct jit_loop *loop,
               LLVMValueRef value)
{
    return !LLVMIsAInstruction(value) ||
           !loop->blocks[jit_cfg_index(&loops->cfg,
                                       LLVMGetInstructionParent(value))];
}

/* Tests whether the loop can be left only at its latch, or by a trap. */
static bool
leaves_only_at_latch(const struct jit_cfg *cfg, const struct jit_loop *loop)
{
    for (unsigned b = 0; b < cfg->count; b++) {
        const struct jit_block *row = &cfg->blocks[b];
        for (unsigned k = 0; loop->blocks[b] && k < row->successor_count;
             k++) {
            const struct jit_block *to = &cfg->blocks[row->successors[k]];
            /* the successor ends in a trap, not in a return */
            bool ends = !to->successor_count && !to->returns;
            if (!loop->blocks[row->successors[k]] && b != loop->latch &&
                !ends) {
                return false;
            }
        }
    }
    return true;
}

/* Returns the instruction that computes index + 1, if the phi is increased by
 * 1 in each iteration, else NULL. Sets *start to the phi's value in the first
 * iteration. */
static LLVMValueRef
next_of(LLVMValueRef phi, LLVMBasicBlockRef latch, LLVMValueRef *start)
{
    LLVMValueRef next = NULL;

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        if (LLVMGetIncomingBlock(phi, i) == latch) {
            next = LLVMGetIncomingValue(phi, i);
        } else {
            *start = LLVMGetIncomingValue(phi, i);
        }
    }
    bool grows = next && LLVMIsAInstruction(next) &&
                 LLVMGetInstructionOpcode(next) == LLVMAdd &&
                 LLVMGetOperand(next, 0) == phi &&
                 LLVMIsAConstantInt(LLVMGetOperand(next, 1)) &&
                 LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1)) == 1;
    return grows ? next : NULL;
}

/* Sets the iteration count of `loop` if it is a counted loop: one that
 * continues while `x < end` or `x != end`, where x is the loop's index or the
 * index plus 1. */
static void
find_count(struct jit_loops *loops, struct jit_loop *loop)
{
    const struct jit_cfg *cfg = &loops->cfg;
    LLVMBasicBlockRef latch = cfg->blocks[loop->latch].block;
    LLVMBasicBlockRef header = cfg->blocks[loop->header].block;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(latch);
    LLVMValueRef test =
        LLVMGetNumSuccessors(end) == 2 && LLVMIsABranchInst(end)
            ? LLVMGetCondition(end)
            : NULL;

    if (!test || !LLVMIsAICmpInst(test) || !leaves_only_at_latch(cfg, loop)) {
        return;
    }
    bool stays = LLVMGetSuccessor(end, 0) == header;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    bool counts = stays ? predicate == LLVMIntULT || predicate == LLVMIntSLT ||
                              predicate == LLVMIntNE
                        : predicate == LLVMIntEQ || predicate == LLVMIntUGE ||
                              predicate == LLVMIntSGE;
    LLVMValueRef phi = LLVMGetFirstInstruction(header);
    for (; counts && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef next = next_of(phi, latch, &loop->start);
        LLVMValueRef tested = LLVMGetOperand(test, 0);
        if (next && (tested == next || tested == phi) &&
            jit_is_outside(loops, loop, LLVMGetOperand(test, 1))) {
            loop->index = phi;
            loop->end = LLVMGetOperand(test, 1);
            loop->inclusive = tested == phi;
            loop->counted = true;
            return;
        }
    }
}

static void
add_loop(struct jit_loops *loops, unsigned header, unsigned latch)
{
    struct jit_loop *loop = &loops->rows[loops->count++];

    *loop = (struct jit_loop){.header = header, .latch = latch, .outer = -1};
    fill_loop(&loops->cfg, loop);
    loop->preheader = find_preheader(&loops->cfg, loop);
    if (loop->preheader != NO_BLOCK) {
        find_count(loops, loop);
    }
}

/* Returns the only basic block with a back edge to the header; NO_BLOCK if
 * there is none or there are several. */
static unsigned
find_latch(const struct jit_loops *loops, unsigned header)
{
    const struct jit_block *row = &loops->cfg.blocks[header];
    unsigned found = NO_BLOCK;

    for (unsigned k = 0; k < row->predecessor_count; k++) {
        unsigned from = row->predecessors[k];
        if (loops->dominators[from] == NO_BLOCK ||
            !jit_dominates(loops, header, from)) {
            continue;
        }
        if (found != NO_BLOCK && found != from) {
            return NO_BLOCK;
        }
        found = from;
    }
    return found;
}

int
jit_loop_of(const struct jit_loops *loops, unsigned block)
{
    int best = -1;

    for (unsigned i = 0; i < loops->count; i++) {
        if (loops->rows[i].blocks[block] &&
            (best < 0 || loops->rows[i].size < loops->rows[best].size)) {
            best = (int)i;
        }
    }
    return best;
}

void
jit_find_loops(LLVMValueRef function, struct jit_loops *loops)
{
    memset(loops, 0, sizeof *loops);
    jit_cfg_read(&loops->cfg, function);
    find_dominators(loops);
    loops->rows = jit_allocate(loops->cfg.count * sizeof *loops->rows);
    for (unsigned b = 0; b < loops->cfg.count; b++) {
        unsigned latch = find_latch(loops, b);
        if (latch != NO_BLOCK) {
            add_loop(loops, b, latch);
        }
    }
    for (unsigned i = 0; i < loops->count; i++) {
        struct jit_loop *loop = &loops->rows[i];
        for (unsigned k = 0; k < loops->count; k++) {
            const struct jit_loop *other = &loops->rows[k];
            if (k != i && other->blocks[loop->header] &&
                other->size > loop->size &&
                (loop->outer < 0 ||
                 other->size < loops->rows[loop->outer].size)) {
                loop->outer = (int)k;
            }
        }
    }
}
