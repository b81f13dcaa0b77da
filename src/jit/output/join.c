/* join.c - keeps LLVM's vectoriser from combining two accesses if an access
 * between them may alias.
 *
 * Called by optimise.c before and after vectorisation. LLVM combines loads of
 * neighbouring words at the position of the first load, and stores at the
 * position of the last store. Loops over threads are marked as parallel. In
 * such loops LLVM does not check whether an access between the combined ones
 * may alias, not even within an iteration. This pass therefore checks whether
 * a thread accesses, between two accesses that LLVM would combine, memory that
 * may alias with the one that LLVM would move.
 *
 * If so, the pass prevents the combination: it adds an opaque zero to the
 * address of the later access, and to the addresses of all accesses that may
 * be combined with the later access. The zero is the result of a call of
 * `__pycuda_apart` at the start of the function; jit_show_zeros replaces it by
 * 0 after vectorisation.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/address.h"
#include "jit/output/output.h"
#include "jit/output/parallel.h"
#include "jit/text.h"

#define APART "__pycuda_apart"

enum {
    /* in loops with more than this number of accesses, pairs of accesses are
     * not examined, and strided accesses are not combined at all */
    MAX_PAIRED = 400,
    /* in loops with more than this number of accesses, would_race does not
     * test whether overlapping arrays would be a data race: arrays that may
     * overlap then count as overlapping */
    MAX_RACING = 48,
    /* the pass prevents the combination of accesses up to this distance in
     * words; LLVM combines accesses up to 8 words apart */
    MAX_JOINED = 16
};

struct member {
    struct jit_access access;
    unsigned block, epoch;
    /* true: successive iterations may access words that are not adjacent */
    bool strided;
    /* growth of the address per iteration in bytes; 0: unknown or none */
    int64_t stride;
};

/* The loads and stores of a loop over threads. `pairs` caches, for each pair
 * of accesses, whether they may overlap. */
struct loop {
    struct jit *jit;
    const struct jit_parallel *parallel;
    unsigned count;
    struct member *members;
    /* for each pair of accesses: an enum relation, which says whether they may
     * overlap */
    char pairs[MAX_PAIRED][MAX_PAIRED];
};

enum relation { UNKNOWN, DIFFER, OVERLAP };

/* Sets the stride of an access and whether it is `strided`. An access whose
 * address grows by one word per iteration, or not at all, is not strided: it
 * leaves no gaps that LLVM could fill with other accesses. */
static void
stride_find(const struct loop *loop, struct member *member)
{
    const struct jit_address *address = &member->access.address;
    int64_t bytes = member->access.bytes, stride = 0;
    bool known =
        !address->lost && !jit_parallel_makes(loop->parallel, address->base);

    for (unsigned i = 0; known && i < address->count; i++) {
        LLVMValueRef value = address->terms[i].value;
        if (jit_parallel_makes(loop->parallel, value)) {
            known = jit_parallel_counts(loop->parallel, value);
            stride += address->terms[i].factor;
        }
    }
    member->stride = known ? stride : 0;
    member->strided = !known || stride >= 2 * bytes || stride <= -2 * bytes;
}

static bool
may_be_joined(const struct member *a, const struct member *b)
{
    const struct jit_access *one = &a->access, *other = &b->access;
    int64_t distance = other->address.offset - one->address.offset;
    int64_t near = MAX_JOINED * one->bytes;
    bool alike = one->address.base == other->address.base &&
                 jit_address_like(&one->address, &other->address);
    if (!a->strided || !b->strided || one->is_store != other->is_store ||
        one->bytes != other->bytes) {
        return false;
    }
    return alike ? distance != 0 && distance < near && distance > -near
                 : jit_bases_meet(one->address.base, other->address.base);
}

/* Tests whether access i of loop->members is in the loop's header, and its
 * address differs from that of the access `other` at most in the offset. */
static bool
is_adjacent(const struct loop *loop, unsigned i, const struct member *other)
{
    const struct member *member = &loop->members[i];
    return member->block == loop->parallel->header &&
           member->access.address.base == other->access.address.base &&
           jit_address_like(&member->access.address, &other->access.address);
}

/* Suppose the array of access y begins `distance` bytes after the array of
 * access x. Tests whether a thread and its neighbour then access the same
 * word, and at least one of the two accesses is a store. */
static bool
neighbours_meet(const struct loop *loop, unsigned x, unsigned y,
                int64_t distance, int64_t stride)
{
    const struct jit_access *a = &loop->members[x].access;
    const struct jit_access *b = &loop->members[y].access;
    distance += b->address.offset - a->address.offset;
    int64_t before = distance - stride, after = distance + stride;
    return (a->is_store || b->is_store) &&
           ((before < a->bytes && -before < b->bytes) ||
            (after < a->bytes && -after < b->bytes));
}

/* Suppose that two arrays overlap so that accesses i and k of one thread
 * access the same word. Tests whether different threads would then race.
 * Example: `z[i].x = x[i].x; z[i].y = x[i].y;`. If z[0].x were x[0].y, then
 * z[0].y would be x[1].x: thread 0 writes it and thread 1 reads it. Programs
 * have no races, so arrays for which the test is true do not overlap. */
static bool
would_race(const struct loop *loop, unsigned i, unsigned k)
{
    const struct member *a = &loop->members[i], *b = &loop->members[k];
    const struct jit_address *one = &a->access.address;
    const struct jit_address *other = &b->access.address;
    int64_t bytes = a->access.bytes;
    if (loop->parallel->masked || loop->count > MAX_RACING || a->stride == 0 ||
        one->base == other->base ||
        jit_parallel_makes(loop->parallel, one->base) ||
        jit_parallel_makes(loop->parallel, other->base) ||
        !jit_address_like(one, other) || b->access.bytes != bytes ||
        LLVMGetAlignment(a->access.at) < bytes ||
        LLVMGetAlignment(b->access.at) < bytes) {
        return false;
    }
    for (unsigned x = 0; x < loop->count; x++) {
        for (unsigned y = 0; is_adjacent(loop, x, a) && y < loop->count; y++) {
            if (is_adjacent(loop, y, b) &&
                neighbours_meet(loop, x, y, one->offset - other->offset,
                                a->stride)) {
                return true;
            }
        }
    }
    return false;
}

static bool
overlap(struct loop *loop, unsigned i, unsigned k)
{
    if (loop->pairs[i][k] == UNKNOWN) {
        bool found = jit_accesses_overlap(&loop->members[i].access,
                                          &loop->members[k].access) &&
                     !would_race(loop, i, k);
        loop->pairs[i][k] = loop->pairs[k][i] = found ? OVERLAP : DIFFER;
    }
    return loop->pairs[i][k] == OVERLAP;
}

/* Tests whether accesses i and j of loop->members (i comes first) must not be
 * combined: LLVM would move one of them, and a third access between them may
 * overlap the moved one. */
static bool
is_between(struct loop *loop, unsigned i, unsigned j)
{
    const struct member *a = &loop->members[i], *b = &loop->members[j];
    bool one_block = a->block == b->block, store = a->access.is_store;
    unsigned from = one_block ? i + 1 : 0, to = one_block ? j : loop->count;

    for (unsigned k = from; k < to; k++) {
        bool matters = loop->members[k].access.is_store || store;
        bool earlier = store || !one_block;
        bool later = !store || !one_block;
        if (k != i && k != j && matters &&
            ((earlier && overlap(loop, k, i)) ||
             (later && overlap(loop, k, j)))) {
            return true;
        }
    }
    return false;
}

/* Assigns access j to an epoch: a group of accesses that LLVM may combine with
 * each other. If j could be combined with an access of the current epoch, but
 * an aliasing access is between the two, j begins a new epoch. */
static void
epoch_find(struct loop *loop, unsigned j)
{
    struct member *member = &loop->members[j];
    bool apart = false;
    for (unsigned i = j; i-- > 0 && !apart;) {
        const struct member *other = &loop->members[i];
        if (may_be_joined(other, member)) {
            member->epoch =
                other->epoch > member->epoch ? other->epoch : member->epoch;
        }
    }
    for (unsigned i = 0; i < j && !apart; i++) {
        const struct member *other = &loop->members[i];
        apart = other->epoch == member->epoch &&
                may_be_joined(other, member) && is_between(loop, i, j);
    }
    member->epoch += apart;
}

/* Adds to the address of the access a zero that LLVM cannot see through: the
 * result of a call of __pycuda_apart with the number of the access's group
 * (epoch). LLVM then combines accesses of the same group only. */
static void
member_part(struct loop *loop, const struct member *member)
{
    struct jit *jit = loop->jit;
    LLVMValueRef epoch = LLVMConstInt(jit->i32, member->epoch, 0);
    LLVMValueRef callee =
        jit_declare(jit, APART, jit->i64, (LLVMTypeRef[]){jit->i32}, 1);
    /* the attribute "memory" with the value 0 means memory(none) */
    jit_add_attribute(jit, callee, "memory");
    jit_add_attribute(jit, callee, "willreturn");
    LLVMValueRef at = member->access.at;
    unsigned operand = jit_access_pointer(&member->access);

    LLVMPositionBuilderBefore(
        jit->builder, LLVMGetFirstInstruction(loop->parallel->blocks[0]));
    LLVMValueRef zero = LLVMBuildCall2(
        jit->builder, LLVMGlobalGetValueType(callee), callee, &epoch, 1, "");
    LLVMPositionBuilderBefore(jit->builder, at);
    LLVMSetOperand(at, operand,
                   LLVMBuildInBoundsGEP2(jit->builder, jit->i8,
                                         LLVMGetOperand(at, operand), &zero, 1,
                                         ""));
}

static void
accesses_part(struct loop *loop)
{
    bool all = loop->count > MAX_PAIRED;
    for (unsigned j = 0; j < loop->count; j++) {
        if (all) {
            loop->members[j].epoch = loop->members[j].strided ? j : 0;
        } else if (loop->members[j].strided) {
            epoch_find(loop, j);
        }
    }
    for (unsigned j = 0; j < loop->count; j++) {
        if (loop->members[j].epoch > 0) {
            member_part(loop, &loop->members[j]);
        }
    }
}

static unsigned
count_accesses(const struct jit_parallel *parallel)
{
    unsigned count = 0;
    for (unsigned i = 0; i < parallel->member_count; i++) {
        LLVMBasicBlockRef block = parallel->blocks[parallel->members[i]];
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            count += LLVMIsALoadInst(at) || LLVMIsAStoreInst(at);
        }
    }
    return count;
}

/* Records all loads and stores of the loop. Returns false if one of them
 * prevents vectorisation of the loop. */
static bool
accesses_note(struct loop *loop)
{
    const struct jit_parallel *parallel = loop->parallel;
    for (unsigned i = 0; i < parallel->member_count; i++) {
        unsigned block = parallel->members[i];
        LLVMValueRef at = LLVMGetFirstInstruction(parallel->blocks[block]);
        for (; at; at = LLVMGetNextInstruction(at)) {
            struct member *member = &loop->members[loop->count];
            if (!jit_access_read(loop->jit, at, &member->access)) {
                continue;
            }
            if (LLVMGetVolatile(at)) {
                return false;
            }
            member->block = block;
            stride_find(loop, member);
            loop->count++;
        }
    }
    return true;
}

static void
loop_part(struct jit *jit, const struct jit_parallel *parallel, void *data)
{
    struct loop *loop = jit_allocate(sizeof *loop);
    (void)data;
    loop->jit = jit;
    loop->parallel = parallel;
    /* The array has one element more than there are accesses. jit_access_read
     * writes to the element after the last access even if the instruction is
     * not an access. */
    loop->members =
        jit_allocate((count_accesses(parallel) + 1) * sizeof *loop->members);
    if (accesses_note(loop)) {
        accesses_part(loop);
    }
    free(loop->members);
    free(loop);
}

void
jit_part_accesses(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        jit_each_parallel(jit, function, loop_part, NULL);
    }
}

static void
zero_show(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)data;
    if (jit_calls(at, APART)) {
        jit_replace(at, LLVMConstInt(jit->i64, 0, 0));
    }
}

void
jit_show_zeros(struct jit *jit)
{
    jit_each_instruction_of_module(jit, zero_show, NULL);
}
