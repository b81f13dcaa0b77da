/* spilled_values.c - finds values that are live across a barrier, and decides
 * where each is stored: in a variable of the entry, in an array with one
 * element per lane of a warp, or in the context, which has an element for each
 * thread.
 *
 * Called by spill.c, before it rewrites the body. A start point is the
 * kernel's start or the code after a barrier or warp operation.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/analyse/live.h"
#include "jit/body.h"
#include "jit/entries/entries.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/regions/spill.h"
#include "jit/regions/split.h"
#include "jit/text.h"
#include "jit/warps/lanes.h"

enum {
    /* maximum number of instructions that are executed a second time to avoid
     * storing one value */
    CHEAP = 12,
    LINE = 64,
    /* maximum size in bytes of the context, the memory in which values of all
     * threads of a block are stored across barriers */
    MAX_CONTEXT = 16 << 20,
};

static bool
differs(const struct spill *carry, LLVMValueRef value)
{
    return jit_map_get(&carry->split->differs, value) != 0;
}

/* ---- rematerialisation ---- */

/* Tests whether an operand is available after the barrier. A value can be
 * computed again after the barrier if each operand is available or can be
 * computed again. `uniform` says whether that value is uniform. */
static bool
is_leaf(const struct spill *carry, LLVMValueRef value, bool uniform)
{
    return !LLVMIsAInstruction(value) || LLVMIsAAllocaInst(value) ||
           (!uniform && !differs(carry, value));
}

static bool
is_cheap(const struct spill *carry, LLVMValueRef value, bool uniform,
         int *budget)
{
    if (!(jit_is_arithmetic(value) || jit_is_extreme(value)) ||
        --*budget < 0) {
        return false;
    }
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        if (!is_leaf(carry, operand, uniform) &&
            !is_cheap(carry, operand, uniform, budget)) {
            return false;
        }
    }
    return true;
}

bool
jit_is_cheap(struct jit_split *split, LLVMValueRef value)
{
    struct spill carry = {.split = split};
    int budget = CHEAP;
    return is_cheap(&carry, value, !differs(&carry, value), &budget);
}

struct rematerialised {
    struct spill *carry;
    /* true: the value that is computed again is the same in all threads */
    bool uniform;
};

static LLVMValueRef
rematerialise(LLVMValueRef value, LLVMValueRef at, void *data)
{
    struct rematerialised *state = data;
    struct spill *carry = state->carry;
    LLVMValueRef copy = LLVMInstructionClone(value);
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        if (!is_leaf(carry, operand, state->uniform)) {
            LLVMSetOperand(copy, (unsigned)i,
                           rematerialise(operand, at, data));
        }
    }
    LLVMPositionBuilderBefore(carry->jit->builder, at);
    LLVMInsertIntoBuilder(carry->jit->builder, copy);
    *jit_map_slot(&carry->split->differs, copy) = differs(carry, value);
    return copy;
}

/* Tests whether the value is the limit of a thread loop, such as n if only
 * threads with threadIdx.x < n have work. The body must pass such a value to
 * the entry, which contains the thread loops. */
static bool
is_limit(const struct spill *carry, LLVMValueRef value)
{
    for (unsigned i = 0; i < carry->split->added_count; i++) {
        const struct jit_added_point *added = &carry->split->added[i];
        for (unsigned k = 0; k < added->bound_count; k++) {
            if (added->bounds[k].limit == value) {
                return true;
            }
        }
    }
    return false;
}

/* Computes cheap values again: either those that are the same in all threads,
 * or the others. */
static void
rematerialise_values(struct spill *carry, bool uniform)
{
    struct rematerialised state = {carry, uniform};

    for (unsigned i = 0; i < carry->value_count; i++) {
        LLVMValueRef value = carry->values[i];
        int budget = CHEAP;
        if (differs(carry, value) != uniform && !is_limit(carry, value) &&
            is_cheap(carry, value, uniform, &budget) &&
            jit_live_points(carry->split, value)) {
            jit_replace_elsewhere(value, rematerialise, &state);
        }
    }
}

void
jit_rematerialise_cheap(struct spill *carry)
{
    /* Values that differ between threads come first: their copies after a
     * barrier may use uniform values, which are then live across it. */
    rematerialise_values(carry, false);
    rematerialise_values(carry, true);
}

/* ---- values that are live across a barrier, and where they are stored ----
 */

LLVMTypeRef
jit_spill_memory_type(struct jit *jit, LLVMTypeRef type)
{
    bool small = LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                 LLVMGetIntTypeWidth(type) < 8;
    return small ? jit->i8 : type;
}

static bool
has_plain_type(LLVMValueRef value)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    return kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind;
}

static unsigned
threads_of(const struct spill *carry)
{
    unsigned most = carry->split->kernel->max_threads;
    return most && most < 1024 ? most : 1024;
}

uint64_t
jit_spill_take_context(struct spill *carry, uint64_t bytes)
{
    uint64_t at = carry->context_bytes;
    uint64_t all = bytes * threads_of(carry);
    carry->context_bytes += (all + LINE - 1) / LINE * LINE;
    return at;
}

static uint64_t
size_of(struct jit *jit, LLVMTypeRef type)
{
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(jit->module), type);
}

uint64_t
jit_spill_alloca_bytes(struct jit *jit, LLVMValueRef at)
{
    uint64_t alignment = LLVMGetAlignment(at);
    uint64_t bytes = size_of(jit, LLVMGetAllocatedType(at)) *
                     LLVMConstIntGetZExtValue(LLVMGetOperand(at, 0));
    alignment = alignment < 16 ? 16 : alignment;
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Tests whether the value is live only within the code of one warp, and dead
 * after the next barrier of the thread block. Since warps run one after the
 * other up to that barrier, such a value needs space for one warp only.
 * `live`: bit k is set if the value is live after barrier or warp operation k.
 */
static bool
is_of_warp(const struct spill *carry, jit_point_set live)
{
    const struct jit_split *split = carry->split;
    return split->warps && (PLANTED_FAULT(carried_by_warp) ||
                            !(live & ~split->kernel->regions->warp_points));
}

static void
choose_storage(struct spill *carry, struct spilled *row)
{
    struct jit_regions *regions = carry->split->kernel->regions;
    LLVMTypeRef type =
        jit_spill_memory_type(carry->jit, LLVMTypeOf(row->value));
    bool warp = is_of_warp(carry, row->live);
    bool shared =
        !differs(carry, row->value) ||
        (warp && !jit_map_get(&carry->split->lanes_differ, row->value));
    row->uniform = shared && has_plain_type(row->value);
    row->in_lanes = !row->uniform && warp;
    if (row->uniform) {
        row->number = regions->uniform_count++;
    } else if (row->in_lanes) {
        jit_add_lanes(carry->jit, carry->split, type, &row->number);
    } else {
        row->offset = jit_spill_take_context(carry, size_of(carry->jit, type));
    }
}

void
jit_spill_find(struct spill *carry)
{
    struct jit_regions *regions = carry->split->kernel->regions;
    carry->list = jit_allocate(carry->value_count * sizeof *carry->list);
    for (unsigned i = 0; i < carry->value_count; i++) {
        LLVMValueRef value = carry->values[i];
        jit_point_set live = jit_live_points(carry->split, value);
        if (!live) {
            continue;
        }
        struct spilled *row = &carry->list[carry->count++];
        *row = (struct spilled){.value = value, .live = live};
        choose_storage(carry, row);
    }
    regions->uniform_types =
        jit_allocate(regions->uniform_count * sizeof *regions->uniform_types);
    regions->uniform_live =
        jit_allocate(regions->uniform_count * sizeof *regions->uniform_live);
    for (unsigned i = 0; i < carry->count; i++) {
        struct spilled *row = &carry->list[i];
        if (row->uniform) {
            regions->uniform_types[row->number] = LLVMTypeOf(row->value);
            regions->uniform_live[row->number] = row->live;
        }
    }
}

/* Returns the name or number by which the entry's IR text refers to `limit`,
 * or NULL if the entry does not have its value. `limit` is the n of a
 * condition threadIdx.x < n that limits the thread loop after a barrier (start
 * point `point`). */
static const char *
limit_text(const struct spill *carry, unsigned point, LLVMValueRef limit)
{
    if (LLVMIsAConstantInt(limit) || LLVMIsAArgument(limit)) {
        return jit_text_operand(NULL, carry->split->kernel, limit);
    }
    for (unsigned i = 0; i < carry->count; i++) {
        const struct spilled *row = &carry->list[i];
        if (row->value == limit && row->uniform && row->live >> point & 1) {
            return jit_format("%%i%u.%u", row->number, point);
        }
    }
    return NULL;
}

void
jit_spill_find_bounds(struct spill *carry, unsigned point)
{
    struct jit_regions *regions = carry->split->kernel->regions;
    const struct jit_added_point *added = carry->split->points[point].added;
    for (unsigned i = 0; added && i < added->bound_count; i++) {
        const struct jit_bound *bound = &added->bounds[i];
        const char *text = limit_text(carry, point, bound->limit);
        if (!text) {
            regions->bound_counts[point] = 0;
            return;
        }
        regions->bounds[point][i] = (struct jit_region_bound){
            .axis = bound->axis,
            .limit = text,
            .bits = LLVMGetIntTypeWidth(LLVMTypeOf(bound->limit)),
            .predicate = bound->predicate};
        regions->bound_counts[point] = i + 1;
    }
}

/* Replaces the branch conditions that test the bounds of a thread loop, such
 * as threadIdx.x < n, by the argument JIT_WHOLE, since the entry has already
 * decided which threads run. */
void
jit_spill_use_bounds(struct spill *carry)
{
    struct jit_split *split = carry->split;
    for (unsigned k = 1; k < split->count; k++) {
        if (!split->kernel->regions->bound_counts[k]) {
            continue;
        }
        LLVMValueRef end = LLVMGetBasicBlockTerminator(split->points[k].next);
        LLVMValueRef whole = jit_body_argument(split->kernel, JIT_WHOLE);
        LLVMPositionBuilderBefore(carry->jit->builder, end);
        if (split->points[k].added->inverted && !PLANTED_FAULT(wrong_side)) {
            whole = LLVMBuildNot(carry->jit->builder, whole, "");
        }
        LLVMSetCondition(end, whole);
    }
}

/* Tests for the alloca of a variable of the source. Allocas that represent
 * lane arrays do not count. */
bool
jit_spill_is_private(const struct spill *carry, LLVMValueRef value)
{
    const struct jit_split *split = carry->split;
    for (unsigned i = 0; i < split->kernel->regions->lane_count; i++) {
        if (split->lanes[i] == value) {
            return false;
        }
    }
    return LLVMIsAAllocaInst(value) != NULL;
}

bool
jit_spill_context_fits(struct spill *carry)
{
    uint64_t bytes = carry->context_bytes;
    for (unsigned i = 0; i < carry->value_count; i++) {
        if (jit_spill_is_private(carry, carry->values[i])) {
            bytes += jit_spill_alloca_bytes(carry->jit, carry->values[i]) *
                     threads_of(carry);
        }
    }
    return bytes <= MAX_CONTEXT;
}
