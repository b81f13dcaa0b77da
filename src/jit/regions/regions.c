/* regions.c - splits kernels at barriers into regions, which run as thread
 * loops instead of fibers.
 *
 * Called by main.c. The body is the function that holds a kernel's code. The
 * body of a split kernel gets an argument, the start point at which to begin:
 * 0 for the kernel's start, k for the code after barrier k. The body returns
 * at each barrier. The entry (entries/region.c) has one thread loop for each
 * start point, which calls the body with the number of the start point as a
 * constant. Inlining leaves in each copy only the code from the start point to
 * the next barriers. Any control flow is supported.
 *
 * A kernel is split if each divergent branch meets one of these conditions:
 * its threads meet again before the next barrier; or the same barrier comes
 * next for all of them; or the kernel's end comes next for all of them. In
 * addition, the kernel must not call other functions in which a thread may
 * wait.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/analyse/cfg.h"
#include "jit/analyse/uniform.h"
#include "jit/body.h"
#include "jit/checks/checks.h"
#include "jit/entries/entries.h"
#include "jit/fibers/runtime_stops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/options.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/regions/split.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"
#include "jit/warps/lanes.h"
#include "jit/warps/ops.h"
#include "jit/warps/warps.h"

enum {
    /* kernels with more basic blocks are not split, since the analysis is too
     * slow */
    MAX_BLOCKS = 2000,
    /* maximum product of the number of instructions and the number of barriers
     * of a kernel that is split */
    MAX_COPIES = 200000,
};

struct survey {
    struct jit_kernel *kernel;
    bool fits;
    /* number of barriers plus number of warp operations in the kernel */
    unsigned barriers;
    unsigned warps;
    unsigned votes;
    size_t size;
};

static bool
is_barrier(LLVMValueRef at)
{
    return jit_calls(at, "__pycuda_barrier") || jit_is_split_mark(at);
}

/* Tests whether the barrier has no result (unlike __syncthreads_count), or a
 * result that is not used. */
static bool
is_plain_barrier(LLVMValueRef at)
{
    return jit_is_split_mark(at) ||
           (LLVMIsAConstantInt(LLVMGetOperand(at, 0)) && !LLVMGetFirstUse(at));
}

static bool
call_fits(LLVMValueRef at)
{
    LLVMValueRef callee = jit_callee(at);
    if (is_barrier(at)) {
        return is_plain_barrier(at) || jit_is_vote(at);
    }
    if (jit_is_warp_op(at)) {
        return true;
    }
    return callee && !jit_may_stop(jit_name(callee)) &&
           !jit_is_call(at, "llvm.stack");
}

/* Tests whether a kernel with this instruction may be split. Returns false for
 * indirect branches, for some calls (call_fits), and for an alloca (private
 * memory) of variable size or outside of the entry block. */
static bool
instruction_fits(const struct survey *survey, LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMAlloca:
        return LLVMIsAConstantInt(LLVMGetOperand(at, 0)) &&
               LLVMGetInstructionParent(at) ==
                   LLVMGetEntryBasicBlock(survey->kernel->body);
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
    survey->warps += jit_is_warp_op(at);
    survey->votes += is_barrier(at) && !is_plain_barrier(at);
    survey->barriers += is_barrier(at) || jit_is_warp_op(at);
    survey->fits = survey->fits && instruction_fits(survey, at);
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

/* Returns a text that says which size limit of split kernels the kernel
 * exceeds, or NULL. The command `explain` shows the text. */
static const char *
limit_of(const struct survey *survey)
{
    unsigned blocks = LLVMCountBasicBlocks(survey->kernel->body);
    if (survey->barriers >= JIT_MAX_POINTS) {
        return jit_format(
            "it has %u barriers and warp operations, more than %d",
            survey->barriers, JIT_MAX_POINTS - 1);
    }
    if (survey->size * survey->barriers > MAX_COPIES) {
        return jit_format("it has %zu instructions and %u barriers, and their "
                          "product exceeds %d",
                          survey->size, survey->barriers, MAX_COPIES);
    }
    if (blocks > MAX_BLOCKS) {
        return jit_format("it has %u basic blocks, more than %d", blocks,
                          MAX_BLOCKS);
    }
    return NULL;
}

static bool
may_split(struct jit *jit, struct jit_kernel *kernel, bool *warps)
{
    struct survey survey = {.kernel = kernel, .fits = true};
    if (!kernel->fibers || kernel->calls_functions || has_byval(kernel)) {
        return false;
    }
    jit_each_instruction(jit, kernel->body, survey_instruction, &survey);
    *warps = survey.warps > 0;
    kernel->warps_not = limit_of(&survey);
    return survey.fits && survey.barriers && !(*warps && survey.votes) &&
           !kernel->warps_not;
}

/* Splits the basic block of the barrier at the barrier, and removes the
 * barrier. A warp operation is not removed: it becomes the first instruction
 * of the second part. The second part stays in the old basic block, so that
 * phis that name this block as predecessor remain valid. The first part moves
 * to a new block. */
static void
cut_at(struct jit *jit, struct jit_split *split, LLVMValueRef barrier)
{
    LLVMBasicBlockRef next = LLVMGetInstructionParent(barrier);
    LLVMBasicBlockRef head =
        LLVMInsertBasicBlockInContext(jit->context, next, "before.barrier");
    jit_redirect_branches(split->kernel->body, next, head);
    LLVMPositionBuilderAtEnd(jit->builder, head);
    LLVMValueRef at;
    while ((at = LLVMGetFirstInstruction(next)) != barrier) {
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(jit->builder, at);
    }
    static const struct jit_added_point mark;
    const struct jit_added_point *added =
        jit_is_split_mark(barrier) ? &mark : NULL;
    for (unsigned i = 0; i < split->added_count; i++) {
        if (split->added[i].barrier == barrier) {
            added = &split->added[i];
        }
    }
    struct jit_vote vote = {0};
    if (is_barrier(barrier) && !is_plain_barrier(barrier)) {
        jit_cut_vote(jit, barrier, head, &vote);
    }
    LLVMPositionBuilderAtEnd(jit->builder, head);
    LLVMValueRef warp = jit_is_warp_op(barrier) ? barrier : NULL;
    if (!warp) {
        LLVMInstructionEraseFromParent(barrier);
    }
    LLVMBuildBr(jit->builder, next);
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].next == next) {
            split->points[k].next = head;
        }
    }
    split->points[split->count++] =
        (struct jit_barrier){head, next, added, warp, vote};
}

struct noted {
    const struct jit_split *split;
    LLVMValueRef barriers[JIT_MAX_POINTS];
    unsigned count;
};

static bool
is_cut(const struct jit_split *split, LLVMValueRef warp)
{
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].warp == warp) {
            return true;
        }
    }
    return false;
}

static void
note_barrier(struct jit *jit, LLVMValueRef at, void *data)
{
    struct noted *noted = data;
    (void)jit;
    if (is_barrier(at) || (jit_is_warp_op(at) && !is_cut(noted->split, at))) {
        noted->barriers[noted->count++] = at;
    }
}

static void
cut_all(struct jit *jit, struct jit_split *split)
{
    struct noted noted = {.split = split};
    jit_each_instruction(jit, split->kernel->body, note_barrier, &noted);
    for (unsigned i = 0; i < noted.count; i++) {
        if (PLANTED_FAULT(barrier_dropped) && i % 2 &&
            jit_calls(noted.barriers[i], "__pycuda_barrier") &&
            is_plain_barrier(noted.barriers[i])) {
            LLVMInstructionEraseFromParent(noted.barriers[i]);
            continue;
        }
        cut_at(jit, split, noted.barriers[i]);
    }
}

/* Returns an array with one element per basic block: the index of the barrier
 * call that ends the basic block, 0 if the basic block returns from the
 * kernel, or JIT_NO_END if it only branches to other basic blocks. */
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

/* Returns the set of the barriers (bit k: barrier k; bit 0: the kernel's
 * end) that a thread at basic block `from` may reach next. Paths end at the
 * basic block `meeting`, unless it is NO_BLOCK. */
static jit_point_set
first_ends(const struct jit_split *split, const unsigned *ends, unsigned from,
           unsigned meeting)
{
    const struct jit_cfg *cfg = &split->cfg;
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    bool *seen = jit_allocate(cfg->count);
    unsigned count = 0;
    jit_point_set found = 0;
    queue[count++] = from;
    seen[from] = true;
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        if (ends[queue[i]] != JIT_NO_END) {
            found |= JIT_POINT(ends[queue[i]]);
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

/* Tests whether all threads that diverge at `branch` meet again before any
 * barrier. The basic block in which they meet may itself end at a barrier.
 * `before` is the bit mask of the barriers that some path from `branch`
 * reaches first. */
static bool
meets_first(const struct jit_split *split, const unsigned *ends,
            unsigned branch, jit_point_set before)
{
    unsigned meeting = split->immediate[branch];
    if (meeting == NO_BLOCK) {
        return false;
    }
    jit_point_set own =
        ends[meeting] == JIT_NO_END ? 0 : JIT_POINT(ends[meeting]);
    return (before & ~own) == 0;
}

/* Returns 0 if, after each divergent branch, all threads reach the same next
 * barrier or meet before it. Otherwise returns a bit mask of the barriers that
 * threads may reach separately (bit 0: the kernel's end). */
static jit_point_set
parting_ends(const struct jit_split *split, const struct jit_map *differs,
             const unsigned *ends)
{
    const struct jit_cfg *cfg = &split->cfg;
    for (unsigned b = 0; b < cfg->count && !PLANTED_FAULT(parting_allowed);
         b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
        if (cfg->blocks[b].successor_count < 2 || !jit_map_get(differs, end)) {
            continue;
        }
        jit_point_set all = first_ends(split, ends, b, NO_BLOCK);
        jit_point_set before = first_ends(split, ends, b, split->immediate[b]);
        if ((all & (all - 1)) && !meets_first(split, ends, b, before)) {
            return all;
        }
    }
    return 0;
}

/* Returns a copy of `ends` without the warp operations, since only the lanes
 * of one warp meet at a warp operation, and not all threads of the thread
 * block. */
static unsigned *
find_block_ends(const struct jit_split *split, const unsigned *ends)
{
    unsigned count = split->cfg.count;
    unsigned *own = jit_allocate(count * sizeof *own);
    for (unsigned i = 0; i < count; i++) {
        bool warp = ends[i] != JIT_NO_END && split->points[ends[i]].warp;
        own[i] = warp ? JIT_NO_END : ends[i];
    }
    return own;
}

static void
note_parting(struct jit_split *split, jit_point_set ends)
{
    split->kernel->warps_not =
        "lanes of a warp may diverge before a barrier or the kernel's end";
    for (unsigned k = 1; k < split->count; k++) {
        LLVMValueRef warp = split->points[k].warp;
        if (ends >> k & 1 && warp) {
            split->kernel->warps_not =
                jit_format("lanes of a warp may diverge before line %u (%s)",
                           jit_line_of(warp),
                           jit_name(jit_callee(warp)) + strlen("__pycuda_"));
            return;
        }
    }
}

/* Tests whether all warps of a thread block reach the same barriers, and all
 * lanes of each warp the same warp operations. */
static bool
warps_stay_together(struct jit_split *split, const unsigned *ends)
{
    memset(&split->lanes_differ, 0, sizeof split->lanes_differ);
    split->lanes_apart = jit_allocate(split->cfg.count);
    jit_find_lanes_differing(split->kernel, &split->cfg, &split->lanes_differ,
                             split->immediate, split->lanes_apart);
    if (parting_ends(split, &split->differs, find_block_ends(split, ends))) {
        split->kernel->warps_not = "warps may diverge before a barrier";
        return false;
    }
    jit_point_set parting = parting_ends(split, &split->lanes_differ, ends);
    if (parting) {
        note_parting(split, parting);
    }
    return parting == 0;
}

static void
find_successors(struct jit_split *split, const unsigned *ends)
{
    struct jit_regions *regions = jit_allocate(sizeof *split->kernel->regions);
    regions->count = split->count;
    for (unsigned k = 0; k < split->count; k++) {
        if (k && !split->points[k].added && !split->points[k].warp) {
            regions->barrier_points |= JIT_POINT(k);
        }
        unsigned start =
            k ? jit_cfg_index(&split->cfg, split->points[k].next) : 0;
        regions->follows[k] = first_ends(split, ends, start, NO_BLOCK);
    }
    split->kernel->regions = regions;
}

/* Inserts the removed barriers again, so that the kernel can run on fibers. */
static void
restore(struct jit *jit, struct jit_split *split)
{
    LLVMTypeRef types[2] = {jit->i32, jit->i32};
    LLVMValueRef arguments[2] = {jit_constant(jit, IMAGE_BARRIER_PLAIN),
                                 jit_constant(jit, 0)};
    LLVMValueRef barrier =
        jit_declare(jit, "__pycuda_barrier", jit->i32, types, 2);
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].added || split->points[k].warp) {
            continue;
        }
        LLVMPositionBuilderBefore(
            jit->builder, LLVMGetBasicBlockTerminator(split->points[k].head));
        LLVMValueRef back =
            LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(barrier),
                           barrier, arguments, 2, "");
        if (split->points[k].vote.kind) {
            jit_restore_vote(jit, &split->points[k].vote, back);
        }
    }
    jit_restore_early_exit(jit, split->kernel);
}

static void
drop_barriers(const struct jit_split *split)
{
    for (unsigned k = 1; k < split->count; k++) {
        LLVMValueRef barrier = LLVMGetPreviousInstruction(
            LLVMGetBasicBlockTerminator(split->points[k].head));
        if (!split->points[k].added && !split->points[k].warp) {
            LLVMInstructionEraseFromParent(barrier);
        }
    }
}

/* If the address is an element of an array with threadIdx.x as the last index,
 * returns the length of the array's last dimension, else 0. */
static unsigned
row_length(LLVMValueRef address, LLVMValueRef index)
{
    unsigned count = LLVMIsAGetElementPtrInst(address)
                         ? (unsigned)LLVMGetNumOperands(address)
                         : 0;
    if (count < 3 || LLVMGetOperand(address, count - 1) != index) {
        return 0;
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
    for (unsigned i = 2; i + 1 < count; i++) {
        if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) {
            return 0;
        }
        type = LLVMGetElementType(type);
    }
    uint64_t length = LLVMGetTypeKind(type) == LLVMArrayTypeKind
                          ? LLVMGetArrayLength2(type)
                          : 0;
    return length <= 1024 ? (unsigned)length : 0;
}

/* If thread x accesses element x of a row of an array, such as a tile in
 * shared memory, returns the length of the rows. Returns 0 if there is no such
 * access, or if the rows have fewer than 8 elements. In a row of 8 * n + 1
 * elements, the last element counts as padding, so that the result is 8 *
 * n. */
static unsigned
tile_width(LLVMValueRef index)
{
    LLVMUseRef use = LLVMGetFirstUse(index);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool extends = LLVMIsAZExtInst(user) || LLVMIsASExtInst(user);
        unsigned length = extends ? tile_width(user) : row_length(user, index);
        if (length >= 8) {
            return length % 8 == 1 ? length - 1 : length;
        }
    }
    return 0;
}

/* Returns the constant by which blockIdx.x is multiplied, or 0. */
static unsigned
block_factor(const struct jit_kernel *kernel)
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

/* Returns the blockDim.x for which the source seems to be written, or 0. The
 * result is a constant by which blockIdx.x is multiplied, or the width of a
 * tile. If tiles overlap, the constant is less than the tile's width by the
 * width of its halo. A wrong guess only costs the time to compile an unused
 * copy of the code. */
static unsigned
guess_width(const struct jit_kernel *kernel)
{
    enum { HALO = 16 };
    unsigned factor = block_factor(kernel);
    unsigned tile =
        kernel->flat ? 0 : tile_width(jit_body_argument(kernel, JIT_TID));
    bool halo = factor % 8 && tile > factor && tile <= factor + HALO;
    return tile % 8 == 0 && (!factor || halo) ? tile : factor;
}

/* Tests whether a second copy of the code, compiled for one value of
 * blockDim.x, is expected to make the kernel faster. The result is true for
 * kernels that use threadIdx.y. A kernel that does not use threadIdx.y (flat)
 * usually has a large blockDim.x. For such a kernel the copy pays off only if
 * many thread loops have smaller, constant bounds, such as the levels of a
 * tree reduction. */
static bool
width_pays(const struct jit_kernel *kernel)
{
    /* A copy of the kernel for one value of blockDim.x pays off for tree
     * reductions with at least this many levels. */
    enum { TREE = 4 };
    const struct jit_regions *regions = kernel->regions;
    unsigned levels = 0;
    for (unsigned k = 0; k < regions->count; k++) {
        levels += regions->bound_counts[k] == 1 &&
                  regions->bounds[k][0].limit[0] != '%';
    }
    return !kernel->flat || levels >= TREE;
}

/* Splits the body at all of its barriers. Returns an array that says how each
 * basic block ends (find_ends). Returns NULL if some threads may reach a
 * barrier that others do not. */
static unsigned *
split_and_find_ends(struct jit *jit, struct jit_split *split)
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
    bool together = split->warps ? warps_stay_together(split, ends)
                                 : !parting_ends(split, &split->differs, ends);
    return together ? ends : NULL;
}

/* Makes the kernel run one warp after the other. Thread blocks with a
 * blockDim.x that is not a multiple of 32 need a second entry, which runs each
 * thread on a fiber. That entry is created first, from the unchanged body. */
static void
carry_by_warps(struct jit *jit, struct jit_split *split)
{
    struct jit_kernel *kernel = split->kernel;
    restore(jit, split);
    jit_add_thread_entry(jit, kernel);
    drop_barriers(split);
    kernel->warps = true;
    jit_use_warp_base(jit, split);
    jit_find_short_points(split);
    jit_lower_warp_ops(jit, split);
    jit_open_counted_stores(jit, split);
    if (!jit_spill_values(jit, split)) {
        kernel->warps = false;
        kernel->warps_not =
            "values that live across its barriers and warp operations "
            "need too much memory";
        kernel->regions = NULL;
        return;
    }
    jit_publish_failures(jit, kernel);
}

/* Makes each warp operation that all lanes of a warp reach together ignore its
 * mask. If `all` is true, the lanes reach every warp operation together,
 * whatever the size of the thread block. */
static void
meet_together(struct jit *jit, const struct jit_split *split, bool all)
{
    for (unsigned k = 1; k < split->count; k++) {
        LLVMValueRef warp = split->points[k].warp;
        if (warp && !(jit->options.checks & JIT_CHECK_SYNC) &&
            (all || (jit_may_leave_out(&split->differs, warp) &&
                     jit_reaches_or_returns(split, k)))) {
            jit_meet_together(jit, &split->differs, warp);
        }
    }
}

static void
split_kernel(struct jit *jit, struct jit_kernel *kernel, bool warps)
{
    struct jit_split *split = jit_allocate(sizeof *split);
    split->kernel = kernel;
    split->count = 1;
    split->warps = warps;
    unsigned width = guess_width(kernel);
    if (!warps && !(jit->options.checks & JIT_CHECK_SYNC)) {
        jit_find_early_exit(jit, kernel);
    }
    unsigned *ends = split_and_find_ends(jit, split);
    if (warps) {
        meet_together(jit, split,
                      ends && !parting_ends(split, &split->differs, ends));
    }
    if (warps && !(jit->options.regions && jit->options.warps)) {
        ends = NULL;
    }
    if (ends) {
        jit_add_split_points(jit, split, ends);
        ends = split->added_count ? split_and_find_ends(jit, split) : ends;
    }
    if (!ends) {
        restore(jit, split);
        return;
    }
    find_successors(split, ends);
    bool plain = !jit->options.debug && !jit->options.checks;
    if (plain) {
        jit_add_row_guards(jit, split);
    }
    if (warps && jit_find_warp_ops(jit, split)) {
        carry_by_warps(jit, split);
        return;
    }
    if (warps || !jit_spill_values(jit, split)) {
        kernel->regions = NULL;
        restore(jit, split);
        return;
    }
    kernel->regions->width = plain && width_pays(kernel) ? width : 0;
    kernel->fibers = false;
    kernel->sequential = false;
    jit_remove_stop_checks(jit, kernel);
    jit_publish_failures(jit, kernel);
}

void
jit_split_kernels(struct jit *jit)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        bool warps = false;
        if (may_split(jit, &jit->kernels[i], &warps) &&
            (warps || jit->options.regions)) {
            split_kernel(jit, &jit->kernels[i], warps);
        }
    }
    jit_drop_split_marks(jit);
    jit_run_passes(jit, "function(sroa)");
}
