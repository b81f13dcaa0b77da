/* parallel.c - visits innermost loops that are marked as parallel.
 *
 * Called by join.c before vectorisation. A loop is recognised by the llvm.loop
 * metadata at its latch, the basic block that jumps back to its first block.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/output/parallel.h"
#include "jit/text.h"

static unsigned
index_of_block(const struct jit_parallel *loop, LLVMBasicBlockRef block)
{
    return jit_map_get(&loop->numbers, block) - 1;
}

bool
jit_parallel_makes(const struct jit_parallel *loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) &&
           loop->inside[index_of_block(loop, LLVMGetInstructionParent(value))];
}

bool
jit_parallel_counts(const struct jit_parallel *loop, LLVMValueRef value)
{
    LLVMBasicBlockRef header = loop->blocks[loop->header];
    if (!LLVMIsAPHINode(value) || LLVMGetInstructionParent(value) != header) {
        return false;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++) {
        LLVMValueRef next = LLVMGetIncomingValue(value, i);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(value, i);
        bool counts = LLVMIsAInstruction(next) &&
                      LLVMGetInstructionOpcode(next) == LLVMAdd &&
                      LLVMGetOperand(next, 0) == value &&
                      LLVMIsAConstantInt(LLVMGetOperand(next, 1)) &&
                      LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1)) == 1;
        if (loop->inside[index_of_block(loop, from)] && !counts) {
            return false;
        }
    }
    return true;
}

/* Stores the predecessors of all basic blocks. */
static void
predecessors_find(struct jit_parallel *loop)
{
    unsigned count = loop->block_count, edges = 0;

    loop->first_predecessor =
        jit_allocate((count + 1) * sizeof *loop->first_predecessor);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->blocks[i]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++, edges++) {
            loop->first_predecessor[index_of_block(
                loop, LLVMGetSuccessor(end, k))]++;
        }
    }
    loop->predecessors = jit_allocate((edges + 1) * sizeof(unsigned));
    for (unsigned i = 1; i <= count; i++) {
        loop->first_predecessor[i] += loop->first_predecessor[i - 1];
    }
    /* first_predecessor[b] is now the end of block b's part of `predecessors`.
     * The next loop fills each part from its end to its start, and moves
     * first_predecessor[b] to the start. */
    for (unsigned i = count; i-- > 0;) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->blocks[i]);
        for (unsigned k = LLVMGetNumSuccessors(end); k-- > 0;) {
            unsigned to = index_of_block(loop, LLVMGetSuccessor(end, k));
            loop->predecessors[--loop->first_predecessor[to]] = i;
        }
    }
}

static void
member_add(struct jit_parallel *loop, unsigned block)
{
    if (!loop->inside[block]) {
        loop->inside[block] = true;
        loop->members[loop->member_count++] = block;
    }
}

static int
ascending(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return (x > y) - (x < y);
}

/* Finds the members of the loop: its header, its latch, and all basic blocks
 * from which the latch can be reached without passing through the header. The
 * time is proportional to the size of the loop, not to that of the
 * function. */
static void
members_find(struct jit_parallel *loop, unsigned latch)
{
    for (unsigned i = 0; i < loop->member_count; i++) {
        loop->inside[loop->members[i]] = false;
    }
    loop->member_count = 0;
    member_add(loop, loop->header);
    member_add(loop, latch);
    for (unsigned i = 1; i < loop->member_count; i++) {
        unsigned at = loop->members[i];
        for (unsigned k = loop->first_predecessor[at];
             k < loop->first_predecessor[at + 1]; k++) {
            member_add(loop, loop->predecessors[k]);
        }
    }
    qsort(loop->members, loop->member_count, sizeof *loop->members, ascending);
}

static LLVMValueRef
loop_metadata(const struct jit_parallel *loop, unsigned block)
{
    return LLVMGetMetadata(LLVMGetBasicBlockTerminator(loop->blocks[block]),
                           LLVMGetMDKindID("llvm.loop", 9));
}

/* Tests whether the loop with the back edge from basic block `latch` contains
 * no other loop. */
static bool
is_innermost(const struct jit_parallel *loop, unsigned latch)
{
    /* a loop never contains the function's entry block, inside[0] */
    if (loop->inside[0]) {
        return false;
    }
    for (unsigned i = 0; i < loop->member_count; i++) {
        unsigned at = loop->members[i];
        if (at != latch && loop_metadata(loop, at)) {
            return false;
        }
    }
    return true;
}

/* Tests whether the loop's metadata has an item with a name that begins with
 * `what`. */
static bool
has_hint(LLVMValueRef metadata, const char *what)
{
    enum { MOST = 16 };
    LLVMValueRef items[MOST], words[MOST];
    unsigned count = LLVMGetMDNodeNumOperands(metadata), length;

    if (count > MOST) {
        return true;
    }
    LLVMGetMDNodeOperands(metadata, items);
    /* operand 0 of the node is the node itself */
    for (unsigned i = 1; i < count; i++) {
        if (!items[i] || !LLVMIsAMDNode(items[i]) ||
            LLVMGetMDNodeNumOperands(items[i]) - 1 >= MOST) {
            continue;
        }
        LLVMGetMDNodeOperands(items[i], words);
        const char *word = LLVMIsAMDString(words[0])
                               ? LLVMGetMDString(words[0], &length)
                               : "";
        if (strncmp(word, what, strlen(what)) == 0) {
            return true;
        }
    }
    return false;
}

/* Calls `visit` for the loop with the back edge from basic block `latch`, if
 * the loop's metadata marks its accesses as parallel. */
static void
branch_visit(struct jit *jit, struct jit_parallel *loop, unsigned latch,
             jit_visit_loop *visit, void *data)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->blocks[latch]);
    LLVMValueRef metadata = loop_metadata(loop, latch);

    if (!metadata || !has_hint(metadata, "llvm.loop.parallel_accesses")) {
        return;
    }
    loop->masked = has_hint(metadata, "llvm.loop.vectorize.predicate");
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
        loop->header = index_of_block(loop, LLVMGetSuccessor(end, k));
        members_find(loop, latch);
        if (is_innermost(loop, latch)) {
            visit(jit, loop, data);
        }
    }
}

void
jit_each_parallel(struct jit *jit, LLVMValueRef function,
                  jit_visit_loop *visit, void *data)
{
    unsigned count = LLVMCountBasicBlocks(function);

    if (!count) {
        return;
    }
    struct jit_parallel loop = {.block_count = count};

    loop.blocks = jit_allocate(count * sizeof *loop.blocks);
    loop.inside = jit_allocate(count * sizeof *loop.inside);
    loop.members = jit_allocate(count * sizeof *loop.members);
    LLVMGetBasicBlocks(function, loop.blocks);
    for (unsigned i = 0; i < count; i++) {
        *jit_map_slot(&loop.numbers, loop.blocks[i]) = i + 1;
    }
    predecessors_find(&loop);
    for (unsigned i = 0; i < count; i++) {
        branch_visit(jit, &loop, i, visit, data);
    }
    free(loop.predecessors);
    free(loop.first_predecessor);
    free(loop.members);
    free(loop.inside);
    free(loop.blocks);
}
