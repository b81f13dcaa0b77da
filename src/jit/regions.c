/* regions.c - kernels whose barriers all threads reach together become thread
 * loops between the barriers, instead of fibers.
 *
 * Such a body gets a further argument, the point at which to start (0, or
 * what follows barrier k), and returns at each barrier; the entry
 * (region_entry.c) calls it with constant points, one loop over the threads
 * for each, so that inlining leaves of every copy just the code from that
 * point to the next barriers.  Any control flow will do.
 *
 * Condition: wherever threads may part, they meet again before the next
 * barrier, or only one barrier, or only the kernel's end, can come next; no
 * other function that stops is called.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "image/abi.h"
#include "jit/regions.h"

enum {
    MOST_BLOCKS = 2000,   /* what the analysis is quick for */
    MOST_COPIES = 200000, /* instructions times points */
};

struct survey {
    struct jit_kernel *kernel;
    bool fits;
    unsigned barriers;
    size_t size;
};

static bool
is_barrier(LLVMValueRef at)
{
    return jit_calls(at, "__pycuda_barrier");
}

/* A barrier whose result nobody wants. */
static bool
is_plain_barrier(LLVMValueRef at)
{
    LLVMValueRef kind = LLVMGetOperand(at, 0);
    return LLVMIsAConstantInt(kind) && !LLVMGetFirstUse(at) &&
           LLVMConstIntGetZExtValue(kind) == IMAGE_BARRIER_PLAIN;
}

static bool
call_fits(LLVMValueRef at)
{
    LLVMValueRef callee = jit_callee(at);
    if (is_barrier(at)) {
        return is_plain_barrier(at);
    }
    return callee && !jit_may_stop(jit_name(callee)) &&
           !jit_is_call(at, "llvm.stack");
}

/* May the instruction be part of a kernel that is split?  Private memory
 * must be of a size and a place that are known. */
static bool
instruction_fits(struct jit_kernel *kernel, LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMAlloca:
        return LLVMIsAConstantInt(LLVMGetOperand(at, 0)) &&
               LLVMGetInstructionParent(at) ==
                   LLVMGetEntryBasicBlock(kernel->body);
    case LLVMIndirectBr:
        return false;
    case LLVMCall:
        return call_fits(at);
    default:
        return true;
    }
}

static void
survey_instruction(struct jit *jit, LLVMValueRef at, void *data)
{
    struct survey *survey = data;
    (void)jit;
    survey->size++;
    survey->barriers += is_barrier(at);
    survey->fits = survey->fits && instruction_fits(survey->kernel, at);
}

static bool
has_byval(struct jit_kernel *kernel)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; i < kernel->parameter_count; i++) {
        if (LLVMGetEnumAttributeAtIndex(kernel->body, i + 1, byval)) {
            return true;
        }
    }
    return false;
}

static bool
may_split(struct jit *jit, struct jit_kernel *kernel)
{
    struct survey survey = {.kernel = kernel, .fits = true};
    if (!kernel->fibers || kernel->calls_kept || has_byval(kernel)) {
        return false;
    }
    jit_each_instruction(jit, kernel->body, survey_instruction, &survey);
    return survey.fits && survey.barriers &&
           survey.barriers < JIT_MAX_POINTS &&
           survey.size * survey.barriers <= MOST_COPIES &&
           LLVMCountBasicBlocks(kernel->body) <= MOST_BLOCKS;
}

static void
redirect(LLVMValueRef function, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function);
    for (; at; at = LLVMGetNextBasicBlock(at)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
        unsigned count = end ? LLVMGetNumSuccessors(end) : 0;
        for (unsigned i = 0; i < count; i++) {
            if (LLVMGetSuccessor(end, i) == from) {
                LLVMSetSuccessor(end, i, to);
            }
        }
    }
}

/* Cuts the barrier's block in two and drops the barrier.  The first part is
 * the new block, so that phis that name the old one as where they come from
 * stay right. */
static void
cut_at(struct jit *jit, struct jit_split *split, LLVMValueRef barrier)
{
    LLVMBasicBlockRef next = LLVMGetInstructionParent(barrier);
    LLVMBasicBlockRef head =
        LLVMInsertBasicBlockInContext(jit->context, next, "before.barrier");
    redirect(split->kernel->body, next, head);
    LLVMPositionBuilderAtEnd(jit->builder, head);
    LLVMValueRef at;
    while ((at = LLVMGetFirstInstruction(next)) != barrier) {
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(jit->builder, at);
    }
    const struct jit_soft_point *soft = NULL;
    for (unsigned i = 0; i < split->soft_count; i++) {
        if (split->soft[i].barrier == barrier) {
            soft = &split->soft[i];
        }
    }
    LLVMInstructionEraseFromParent(barrier);
    LLVMBuildBr(jit->builder, next);
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].next == next) {
            split->points[k].next = head;
        }
    }
    split->points[split->count++] = (struct jit_barrier){head, next, soft};
}

static void
note_barrier(struct jit *jit, LLVMValueRef at, void *data)
{
    LLVMValueRef **end = data;
    (void)jit;
    if (is_barrier(at)) {
        *(*end)++ = at;
    }
}

static void
cut_all(struct jit *jit, struct jit_split *split)
{
    LLVMValueRef barriers[JIT_MAX_POINTS], *end = barriers;
    jit_each_instruction(jit, split->kernel->body, note_barrier, &end);
    for (LLVMValueRef *at = barriers; at < end; at++) {
        cut_at(jit, split, *at);
    }
}

/* The points' numbers by block: which barrier the block ends at, 0 for the
 * kernel's end, or JIT_NO_END. */
static unsigned *
find_ends(const struct jit_split *split)
{
    const struct jit_cfg *cfg = &split->cfg;
    unsigned *ends = jit_allocate(cfg->count * sizeof *ends);
    for (unsigned i = 0; i < cfg->count; i++) {
        ends[i] = cfg->blocks[i].returns ? 0 : JIT_NO_END;
    }
    for (unsigned k = 1; k < split->count; k++) {
        ends[jit_cfg_index(cfg, split->points[k].head)] = k;
    }
    return ends;
}

/* The ends that are reached first from `from`, as a set of bits; what comes
 * after the block `meeting` does not count. */
static uint64_t
first_ends(const struct jit_split *split, const unsigned *ends, unsigned from,
           unsigned meeting)
{
    const struct jit_cfg *cfg = &split->cfg;
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    bool *seen = jit_allocate(cfg->count);
    unsigned count = 0;
    uint64_t found = 0;
    queue[count++] = from;
    seen[from] = true;
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        if (ends[queue[i]] != JIT_NO_END) {
            found |= UINT64_C(1) << ends[queue[i]];
            continue;
        }
        if (queue[i] == meeting) {
            continue;
        }
        for (unsigned k = 0; k < row->successor_count; k++) {
            if (!seen[row->successors[k]]) {
                seen[row->successors[k]] = true;
                queue[count++] = row->successors[k];
            }
        }
    }
    free(queue);
    free(seen);
    return found;
}

/* Do all threads that part at `branch` meet before any end, which may be
 * where they meet? */
static bool
meets_first(const struct jit_split *split, const unsigned *ends,
            unsigned branch, uint64_t before)
{
    unsigned meeting = split->immediate[branch];
    if (meeting == NO_BLOCK) {
        return false;
    }
    uint64_t own =
        ends[meeting] == JIT_NO_END ? 0 : UINT64_C(1) << ends[meeting];
    return (before & ~own) == 0;
}

/* Do all threads go on to the same end from each place where they part? */
static bool
stay_together(const struct jit_split *split, const unsigned *ends)
{
    const struct jit_cfg *cfg = &split->cfg;
    for (unsigned b = 0; b < cfg->count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
        if (cfg->blocks[b].successor_count < 2 ||
            !jit_map_get(&split->differs, end)) {
            continue;
        }
        uint64_t all = first_ends(split, ends, b, NO_BLOCK);
        uint64_t before = first_ends(split, ends, b, split->immediate[b]);
        if ((all & (all - 1)) && !meets_first(split, ends, b, before)) {
            return false;
        }
    }
    return true;
}

static void
find_successors(struct jit_split *split, const unsigned *ends)
{
    struct jit_regions *regions = jit_allocate(sizeof *split->kernel->regions);
    regions->count = split->count;
    for (unsigned k = 0; k < split->count; k++) {
        unsigned start =
            k ? jit_cfg_index(&split->cfg, split->points[k].next) : 0;
        regions->follows[k] = first_ends(split, ends, start, NO_BLOCK);
    }
    split->kernel->regions = regions;
}

/* Puts the barriers back: the kernel stays on fibers. */
static void
restore(struct jit *jit, struct jit_split *split)
{
    LLVMTypeRef types[2] = {jit->i32, jit->i32};
    LLVMValueRef arguments[2] = {jit_constant(jit, IMAGE_BARRIER_PLAIN),
                                 jit_constant(jit, 0)};
    LLVMValueRef barrier =
        jit_declare(jit, "__pycuda_barrier", jit->i32, types, 2);
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].soft) {
            continue;
        }
        LLVMPositionBuilderBefore(
            jit->builder, LLVMGetBasicBlockTerminator(split->points[k].head));
        LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(barrier), barrier,
                       arguments, 2, "");
    }
}

/* The number that blockIdx.x is multiplied by, if it may be a block's width;
 * a wrong guess costs the time to compile a copy that is not used. */
static unsigned
guess_width(const struct jit_kernel *kernel)
{
    LLVMUseRef use = LLVMGetFirstUse(jit_body_argument(kernel, JIT_CTAID));
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
        if ((opcode != LLVMShl && opcode != LLVMMul) ||
            !LLVMIsAConstantInt(LLVMGetOperand(user, 1))) {
            continue;
        }
        uint64_t number = LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1));
        uint64_t width = opcode == LLVMMul ? number
                         : number < 32     ? UINT64_C(1) << number
                                           : 0;
        if (width >= 8 && width <= 1024) {
            return (unsigned)width;
        }
    }
    return 0;
}

/* Where rows are long the width makes little difference, unless many loops
 * are shorter than a row by what is known: those of a tree. */
static bool
width_pays(const struct jit_kernel *kernel)
{
    enum { TREE = 4 }; /* levels */
    const struct jit_regions *regions = kernel->regions;
    unsigned levels = 0;
    for (unsigned k = 0; k < regions->count; k++) {
        levels += regions->bound_counts[k] == 1 &&
                  regions->bounds[k][0].limit[0] != '%';
    }
    return !kernel->flat || levels >= TREE;
}

/* Cuts at all barriers that there are; what ends where, or NULL if the
 * threads do not stay together. */
static unsigned *
cut_and_look(struct jit *jit, struct jit_split *split)
{
    cut_all(jit, split);
    jit_cfg_read(&split->cfg, split->kernel->body);
    unsigned count = split->cfg.count;
    memset(&split->differs, 0, sizeof split->differs);
    split->immediate = jit_allocate(count * sizeof *split->immediate);
    split->apart = jit_allocate(count);
    jit_find_differing(split->kernel, &split->cfg, &split->differs,
                       split->immediate, split->apart);
    unsigned *ends = find_ends(split);
    return stay_together(split, ends) ? ends : NULL;
}

static void
split_kernel(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_split *split = jit_allocate(sizeof *split);
    split->kernel = kernel;
    split->count = 1;
    unsigned width = guess_width(kernel);
    unsigned *ends = cut_and_look(jit, split);
    if (ends) {
        jit_add_soft_points(jit, split, ends);
        ends = split->soft_count ? cut_and_look(jit, split) : ends;
    }
    if (!ends) {
        restore(jit, split);
        return;
    }
    find_successors(split, ends);
    if (!jit_carry_values(jit, split)) {
        kernel->regions = NULL;
        restore(jit, split);
        return;
    }
    kernel->regions->width = width_pays(kernel) ? width : 0;
    kernel->fibers = false;
    kernel->sequential = false;
    jit_publish_failures(jit, kernel);
}

void
jit_split_kernels(struct jit *jit)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        if (jit->options.regions && may_split(jit, &jit->kernels[i])) {
            split_kernel(jit, &jit->kernels[i]);
        }
    }
    jit_run_passes(jit, "function(sroa)");
}
