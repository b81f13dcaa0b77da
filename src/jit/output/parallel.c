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

/* Adds to the loop all basic blocks from which its latch can be reached
 * without passing through the header. */
static void
predecessors_add(struct jit_parallel *loop, unsigned header)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (unsigned i = 0; i < loop->block_count; i++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->blocks[i]);
            unsigned count = loop->inside[i] ? 0 : LLVMGetNumSuccessors(end);
            for (unsigned k = 0; k < count; k++) {
                unsigned next = index_of_block(loop, LLVMGetSuccessor(end, k));
                if (next != header && loop->inside[next]) {
                    loop->inside[i] = grown = true;
                }
            }
        }
    }
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
    for (unsigned i = 0; i < loop->block_count; i++) {
        if (loop->inside[i] && i != latch && loop_metadata(loop, i)) {
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

/* Finds the basic blocks of the loop with the back edge from basic block
 * `latch`. Returns false if it is not an innermost loop. */
static bool
blocks_find(struct jit_parallel *loop, unsigned latch)
{
    for (unsigned i = 0; i < loop->block_count; i++) {
        loop->inside[i] = i == loop->header || i == latch;
    }
    if (latch != loop->header) {
        predecessors_add(loop, loop->header);
    }
    return is_innermost(loop, latch);
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
        if (blocks_find(loop, latch)) {
            visit(jit, loop, data);
        }
    }
}

void
jit_each_parallel(struct jit *jit, LLVMValueRef function,
                  jit_visit_loop *visit, void *data)
{
    unsigned count = LLVMCountBasicBlocks(function);
    struct jit_parallel loop = {.block_count = count};

    loop.blocks = jit_allocate(count * sizeof *loop.blocks);
    loop.inside = jit_allocate(count * sizeof *loop.inside);
    LLVMGetBasicBlocks(function, loop.blocks);
    for (unsigned i = 0; i < count; i++) {
        *jit_map_slot(&loop.numbers, loop.blocks[i]) = i + 1;
    }
    for (unsigned i = 0; i < count; i++) {
        branch_visit(jit, &loop, i, visit, data);
    }
    free(loop.inside);
    free(loop.blocks);
}
