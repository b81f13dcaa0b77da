/* join.c - where the vectoriser must not join accesses.
 *
 * Called by optimise.c before loops are made vectors.  LLVM joins loads of
 * neighbouring words at the place of the first, and stores at that of the
 * last.  Of loops that are said to be parallel, as those over threads are, it
 * asks for no dependences when it does so, not even for those within an
 * iteration.  So it is found out here whether a thread accesses memory between
 * two such words that may be the one that would be moved: by an index that is
 * not known, or the word itself.
 *
 * Memory is told apart by the pointer that indices were added to.  Pointers
 * from different parameters are taken to be of different memory.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "jit/jit.h"

enum {
    MOST_ACCESSES = 400, /* of a loop; with more nothing is joined */
    NEAR = 256           /* bytes between words that may be joined */
};

struct access {
    LLVMValueRef base, index; /* what is not constant of the address */
    int64_t offset, bytes;
    unsigned block;
    bool is_store;
};

/* The blocks of a function, by number, and the accesses of one loop. */
struct loops {
    struct jit *jit;
    LLVMBasicBlockRef *blocks;
    bool *inside;
    unsigned block_count, count;
    struct access accesses[MOST_ACCESSES];
};

/* Takes constants that are added off an index. */
static LLVMValueRef
index_root(LLVMValueRef index, int64_t *constant)
{
    for (;;) {
        if (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index)) {
            index = LLVMGetOperand(index, 0);
            continue;
        }
        LLVMOpcode opcode = LLVMIsAInstruction(index)
                                ? LLVMGetInstructionOpcode(index)
                                : (LLVMOpcode)0;
        bool adds = opcode == LLVMAdd ||
                    (opcode == LLVMOr && LLVMGetIsDisjoint(index));
        LLVMValueRef number = adds ? LLVMGetOperand(index, 1) : NULL;
        if (!number || !LLVMIsAConstantInt(number)) {
            return index;
        }
        *constant += LLVMConstIntGetSExtValue(number);
        index = LLVMGetOperand(index, 0);
    }
}

/* Bytes between what the last index of an address counts. */
static int64_t
step_of(const struct loops *loops, LLVMValueRef address)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    for (int i = LLVMGetNumOperands(address); i > 2; i--) {
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            return 0;
        }
        type = LLVMGetElementType(type);
    }
    return (int64_t)LLVMABISizeOfType(
        LLVMGetModuleDataLayout(loops->jit->module), type);
}

static void
address_read(const struct loops *loops, LLVMValueRef address,
             struct access *access)
{
    while (LLVMIsAGetElementPtrInst(address)) {
        int last = LLVMGetNumOperands(address) - 1;
        int64_t constant = 0, step = step_of(loops, address);
        LLVMValueRef index = LLVMGetOperand(address, (unsigned)last);
        if (LLVMIsAConstantInt(index)) {
            constant = LLVMConstIntGetSExtValue(index);
            index = NULL;
        } else {
            index = index_root(index, &constant);
        }
        access->offset += constant * step;
        /* Of several that are not known the first stands for all. */
        access->index = access->index ? access->index : index;
        address = LLVMGetOperand(address, 0);
    }
    access->base = address;
}

static void
access_note(struct loops *loops, LLVMValueRef at, unsigned block)
{
    bool is_store = LLVMIsAStoreInst(at) != NULL;
    if ((!is_store && !LLVMIsALoadInst(at)) || loops->count == MOST_ACCESSES) {
        return;
    }
    struct access *access = &loops->accesses[loops->count++];
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(at, 0) : at);
    *access = (struct access){
        .block = block,
        .is_store = is_store,
        .bytes = (int64_t)LLVMABISizeOfType(
            LLVMGetModuleDataLayout(loops->jit->module), type)};
    address_read(loops, LLVMGetOperand(at, is_store ? 1 : 0), access);
}

static bool
may_be_joined(const struct access *a, const struct access *b)
{
    int64_t distance = b->offset - a->offset;
    return a->base == b->base && a->index == b->index &&
           a->is_store == b->is_store && distance != 0 && distance > -NEAR &&
           distance < NEAR;
}

static bool
may_overlap(const struct access *a, const struct access *b)
{
    return a->base == b->base &&
           (a->index != b->index || (a->offset < b->offset + b->bytes &&
                                     b->offset < a->offset + a->bytes));
}

/* Whether an access keeps the i-th and the j-th, which is later, apart. */
static bool
is_between(const struct loops *loops, unsigned i, unsigned j)
{
    const struct access *a = &loops->accesses[i], *b = &loops->accesses[j];
    bool one_block = a->block == b->block;
    unsigned from = one_block ? i + 1 : 0, to = one_block ? j : loops->count;

    for (unsigned k = from; k < to; k++) {
        const struct access *other = &loops->accesses[k];
        bool matters = other->is_store || a->is_store;
        bool earlier = a->is_store || !one_block;
        bool later = !a->is_store || !one_block;
        if (k != i && k != j && matters &&
            ((earlier && may_overlap(other, a)) ||
             (later && may_overlap(other, b)))) {
            return true;
        }
    }
    return false;
}

static bool
accesses_conflict(const struct loops *loops)
{
    if (loops->count == MOST_ACCESSES) {
        return true;
    }
    for (unsigned i = 0; i < loops->count; i++) {
        for (unsigned j = i + 1; j < loops->count; j++) {
            if (may_be_joined(&loops->accesses[i], &loops->accesses[j]) &&
                is_between(loops, i, j)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- loops ---- */

static unsigned
number_of(const struct loops *loops, LLVMBasicBlockRef block)
{
    unsigned number = 0;
    while (loops->blocks[number] != block) {
        number++;
    }
    return number;
}

/* Adds the blocks that lead to one that is inside, until there are none. */
static void
predecessors_add(struct loops *loops, unsigned header)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (unsigned i = 0; i < loops->block_count; i++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(loops->blocks[i]);
            unsigned count = loops->inside[i] ? 0 : LLVMGetNumSuccessors(end);
            for (unsigned k = 0; k < count; k++) {
                unsigned next = number_of(loops, LLVMGetSuccessor(end, k));
                if (next != header && loops->inside[next]) {
                    loops->inside[i] = grown = true;
                }
            }
        }
    }
}

static LLVMValueRef
loop_metadata(const struct loops *loops, unsigned block)
{
    return LLVMGetMetadata(LLVMGetBasicBlockTerminator(loops->blocks[block]),
                           LLVMGetMDKindID("llvm.loop", 9));
}

/* Whether the blocks from header to latch are a loop without others in it. */
static bool
is_innermost(const struct loops *loops, unsigned latch)
{
    if (loops->inside[0]) { /* where the function begins: no header */
        return false;
    }
    for (unsigned i = 0; i < loops->block_count; i++) {
        if (loops->inside[i] && i != latch && loop_metadata(loops, i)) {
            return false;
        }
    }
    return true;
}

static bool
loop_conflicts(struct loops *loops, unsigned header, unsigned latch)
{
    for (unsigned i = 0; i < loops->block_count; i++) {
        loops->inside[i] = i == header || i == latch;
    }
    if (latch != header) {
        predecessors_add(loops, header);
    }
    if (!is_innermost(loops, latch)) {
        return false;
    }
    loops->count = 0;
    for (unsigned i = 0; i < loops->block_count; i++) {
        LLVMValueRef at = loops->inside[i]
                              ? LLVMGetFirstInstruction(loops->blocks[i])
                              : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            access_note(loops, at, i);
        }
    }
    return accesses_conflict(loops);
}

/* Is it said of the loop that its iterations are independent? */
static bool
is_parallel(LLVMValueRef metadata)
{
    enum { MOST = 16 };
    LLVMValueRef items[MOST], words[MOST];
    unsigned count = LLVMGetMDNodeNumOperands(metadata), length;

    if (count > MOST) {
        return true;
    }
    LLVMGetMDNodeOperands(metadata, items);
    for (unsigned i = 1; i < count; i++) { /* the first is the node itself */
        if (!items[i] || !LLVMIsAMDNode(items[i]) ||
            LLVMGetMDNodeNumOperands(items[i]) - 1 >= MOST) {
            continue;
        }
        LLVMGetMDNodeOperands(items[i], words);
        const char *word = LLVMIsAMDString(words[0])
                               ? LLVMGetMDString(words[0], &length)
                               : "";
        if (strncmp(word, "llvm.loop.parallel_accesses", 27) == 0) {
            return true;
        }
    }
    return false;
}

/* The loop that a branch with the vectoriser's metadata goes back in. */
static bool
branch_conflicts(struct loops *loops, unsigned latch)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loops->blocks[latch]);
    LLVMValueRef metadata = loop_metadata(loops, latch);
    unsigned count = metadata ? LLVMGetNumSuccessors(end) : 0;

    if (!metadata || !is_parallel(metadata)) {
        return false;
    }
    for (unsigned k = 0; k < count; k++) {
        unsigned header = number_of(loops, LLVMGetSuccessor(end, k));
        if (loop_conflicts(loops, header, latch)) {
            return true;
        }
    }
    return false;
}

static bool
function_conflicts(struct jit *jit, LLVMValueRef function)
{
    struct loops *loops = calloc(1, sizeof *loops);
    bool found = loops == NULL;
    if (loops) {
        loops->jit = jit;
        loops->block_count = LLVMCountBasicBlocks(function);
        loops->blocks = calloc(loops->block_count + 1, sizeof *loops->blocks);
        loops->inside = calloc(loops->block_count + 1, sizeof *loops->inside);
        found = !loops->blocks || !loops->inside;
    }
    if (!found) {
        LLVMGetBasicBlocks(function, loops->blocks);
        for (unsigned i = 0; i < loops->block_count && !found; i++) {
            found = branch_conflicts(loops, i);
        }
    }
    if (loops) {
        free(loops->blocks);
        free(loops->inside);
    }
    free(loops);
    return found;
}

bool
jit_must_not_join(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    while (function && !function_conflicts(jit, function)) {
        function = LLVMGetNextFunction(function);
    }
    return function != NULL;
}
