/* spinning.c - adds yields to loops that wait for another thread.
 *
 * Called by main.c. A loop spins if its exit condition depends on a volatile
 * or atomic read. The usual compare-and-swap loop, which retries with the
 * value that it has just read, does not spin: it ends regardless of other
 * threads. The yield, a call of __pycuda_yield, lets other threads run. The
 * call is inserted at the loop's back edge. The kernel then runs on fibers,
 * because __pycuda_yield may switch to another thread.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/fibers/fibers.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/text.h"

/* The basic blocks of a function, and the loop that is being examined. */
struct cfg {
    LLVMBasicBlockRef *blocks;
    unsigned count;
    bool *in_loop;
    unsigned header, latch;
    bool has_fence;
    /* values in the loop that depend on what other threads write to memory */
    LLVMValueRef *read;
    unsigned read_count, read_capacity;
};

static unsigned
block_index(const struct cfg *cfg, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < cfg->count; i++) {
        if (cfg->blocks[i] == block) {
            return i;
        }
    }
    return 0;
}

static bool
is_read(const struct cfg *cfg, LLVMValueRef value)
{
    for (unsigned i = 0; i < cfg->read_count; i++) {
        if (cfg->read[i] == value) {
            return true;
        }
    }
    return false;
}

static void
add_read(struct cfg *cfg, LLVMValueRef value)
{
    if (cfg->read_count == cfg->read_capacity) {
        cfg->read_capacity = 2 * cfg->read_capacity + 64;
        cfg->read = realloc(cfg->read, cfg->read_capacity * sizeof *cfg->read);
        if (!cfg->read) {
            jit_die("out of memory");
        }
    }
    cfg->read[cfg->read_count++] = value;
}

static bool
defined_in_loop(const struct cfg *cfg, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) &&
           cfg->in_loop[block_index(cfg, LLVMGetInstructionParent(value))];
}

/* Tests whether the instruction itself reads data that other threads write. */
static bool
reads_shared_data(const struct cfg *cfg, LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
        return LLVMGetVolatile(at) || cfg->has_fence ||
               LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic;
    case LLVMAtomicRMW:
        return true;
    case LLVMAtomicCmpXchg:
        return !defined_in_loop(cfg, LLVMGetOperand(at, 1));
    default:
        return false;
    }
}

static bool
branch_is_read(const struct cfg *cfg, unsigned block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[block]);
    return LLVMGetNumSuccessors(end) > 1 &&
           is_read(cfg, LLVMGetOperand(end, 0));
}

/* Tests whether a phi that merges several paths in the loop depends on what
 * other threads write. Assumes that the phi does if the condition of some
 * branch in the loop does. */
static bool
phi_depends(const struct cfg *cfg, LLVMValueRef phi)
{
    unsigned inside = 0, count = LLVMCountIncoming(phi);
    for (unsigned i = 0; i < count; i++) {
        inside += cfg->in_loop[block_index(cfg, LLVMGetIncomingBlock(phi, i))];
    }
    for (unsigned b = 0; inside > 1 && b < cfg->count; b++) {
        if (cfg->in_loop[b] && branch_is_read(cfg, b)) {
            return true;
        }
    }
    return false;
}

/* Tests whether the instruction's result depends on what other threads write.
 * A compare-and-swap whose expected value was read in the loop does not count:
 * it fails only if another thread's compare-and-swap succeeded, so that some
 * thread always makes progress. */
static bool
depends(const struct cfg *cfg, LLVMValueRef at)
{
    if (reads_shared_data(cfg, at)) {
        return true;
    }
    int count = LLVMGetNumOperands(at);
    for (int i = 0; i < count; i++) {
        if (is_read(cfg, LLVMGetOperand(at, (unsigned)i))) {
            return LLVMGetInstructionOpcode(at) != LLVMAtomicCmpXchg;
        }
    }
    return LLVMIsAPHINode(at) && phi_depends(cfg, at);
}

/* Fills cfg->read: adds values that read what other threads write, and values
 * computed from these, until nothing changes. */
static void
find_reads(struct cfg *cfg)
{
    bool changed = true;
    cfg->read_count = 0;
    while (changed) {
        changed = false;
        for (unsigned b = 0; b < cfg->count; b++) {
            LLVMValueRef at = cfg->in_loop[b]
                                  ? LLVMGetFirstInstruction(cfg->blocks[b])
                                  : NULL;
            for (; at; at = LLVMGetNextInstruction(at)) {
                if (!is_read(cfg, at) && depends(cfg, at)) {
                    add_read(cfg, at);
                    changed = true;
                }
            }
        }
    }
}

/* Tests whether a branch that exits the loop depends on what other threads
 * write. */
static bool
loop_spins(struct cfg *cfg)
{
    find_reads(cfg);
    for (unsigned b = 0; b < cfg->count; b++) {
        if (!cfg->in_loop[b] || !branch_is_read(cfg, b)) {
            continue;
        }
        LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b]);
        unsigned count = LLVMGetNumSuccessors(end);
        for (unsigned i = 0; i < count; i++) {
            if (!cfg->in_loop[block_index(cfg, LLVMGetSuccessor(end, i))]) {
                return true;
            }
        }
    }
    return false;
}

static bool
leads_into_loop(const struct cfg *cfg, unsigned block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[block]);
    unsigned count = LLVMGetNumSuccessors(end);
    for (unsigned i = 0; i < count; i++) {
        unsigned to = block_index(cfg, LLVMGetSuccessor(end, i));
        if (cfg->in_loop[to] && to != cfg->header) {
            return true;
        }
    }
    return false;
}

/* Sets cfg->in_loop[b] for each basic block b of the loop with the back edge
 * from cfg->latch to cfg->header. */
static void
find_loop(struct cfg *cfg)
{
    bool changed = true;
    memset(cfg->in_loop, 0, cfg->count);
    cfg->in_loop[cfg->header] = cfg->in_loop[cfg->latch] = true;
    while (changed && cfg->latch != cfg->header) {
        changed = false;
        for (unsigned b = 0; b < cfg->count; b++) {
            if (!cfg->in_loop[b] && leads_into_loop(cfg, b)) {
                cfg->in_loop[b] = changed = true;
            }
        }
    }
}

static void
examine_back_edge(struct jit *jit, struct cfg *cfg)
{
    find_loop(cfg);
    if (!loop_spins(cfg)) {
        return;
    }
    LLVMValueRef yield = jit_declare(
        jit, "__pycuda_yield", LLVMVoidTypeInContext(jit->context), NULL, 0);
    LLVMPositionBuilderBefore(
        jit->builder, LLVMGetBasicBlockTerminator(cfg->blocks[cfg->latch]));
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(yield), yield, NULL, 0,
                   "");
}

/* Visits the basic blocks from `block` depth-first. An edge to a block on the
 * current path is a back edge of a loop. If the loop spins, it gets a
 * yield. */
static void
search(struct jit *jit, struct cfg *cfg, unsigned block, char *state)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[block]);
    unsigned count = LLVMGetNumSuccessors(end);
    state[block] = 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned to = block_index(cfg, LLVMGetSuccessor(end, i));
        if (state[to] == 1) {
            cfg->header = to;
            cfg->latch = block;
            examine_back_edge(jit, cfg);
        } else if (state[to] == 0) {
            search(jit, cfg, to, state);
        }
    }
    state[block] = 2;
}

static void
note_synchronisation(struct jit *jit, LLVMValueRef at, void *data)
{
    unsigned *sights = data;
    (void)jit;
    *sights |= jit_sight(at);
}

/* Adds yields to the spinning loops of a function. Skips functions that have
 * no volatile or atomic reads and no fences, since they cannot spin. */
static void
examine_function(struct jit *jit, LLVMValueRef function)
{
    unsigned sights = 0;
    jit_each_instruction(jit, function, note_synchronisation, &sights);
    if (!sights) {
        return;
    }
    struct cfg cfg = {.count = LLVMCountBasicBlocks(function),
                      .has_fence = (sights & JIT_SIGHT_FENCE) != 0};
    cfg.blocks = jit_allocate(cfg.count * sizeof *cfg.blocks);
    cfg.in_loop = jit_allocate(cfg.count);
    LLVMGetBasicBlocks(function, cfg.blocks);
    search(jit, &cfg, 0, jit_allocate(cfg.count));
}

void
jit_find_spinning(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function)) {
            examine_function(jit, function);
        }
    }
}
