/* spill.c - passes values from one thread loop to the next.
 *
 * Called by regions.c. A start point is the kernel's start or the code after a
 * barrier or warp operation; the entry has one thread loop for each. A uniform
 * value that is live across a barrier is passed in a variable of the entry. A
 * value that is cheap to compute from uniform values and the thread's index is
 * computed again after the barrier. Every other value is stored in an array in
 * the context, a memory block of the entry, indexed by the linear thread
 * index; or, if it is live only within one warp's code, in an array with one
 * element per lane. Private variables are in the context as well, one element
 * per thread.
 *
 * During this pass the body is not in SSA form: every value that is live
 * across a barrier gets a local variable. LLVM's pass SROA then turns the
 * variables into SSA values again.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/analyse/live.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/regions/spill.h"
#include "jit/regions/split.h"
#include "jit/text.h"
#include "jit/warps/lanes.h"

static void
note_value(struct jit *jit, LLVMValueRef at, void *data)
{
    struct spill *carry = data;
    (void)jit;
    carry->values[carry->value_count++] = at;
}

/* ---- arguments added to the body ---- */

static LLVMValueRef
extra(const struct spill *carry, unsigned which)
{
    const struct jit_kernel *kernel = carry->split->kernel;
    return LLVMGetParam(kernel->body,
                        kernel->parameter_count + JIT_BODY_ARGUMENTS + which);
}

static LLVMValueRef
uniform_in(const struct spill *carry, unsigned number)
{
    return extra(carry, JIT_REGION_UNIFORMS + 2 * number);
}

static LLVMValueRef
uniform_out(const struct spill *carry, unsigned number)
{
    return extra(carry, JIT_REGION_UNIFORMS + 2 * number + 1);
}

static void
move_arguments(LLVMValueRef from, LLVMValueRef to)
{
    unsigned count = LLVMCountParams(from);
    for (unsigned i = 0; i < count; i++) {
        unsigned attributes = LLVMGetAttributeCountAtIndex(from, i + 1);
        LLVMAttributeRef *list =
            jit_allocate(attributes * sizeof(LLVMAttributeRef));
        LLVMGetAttributesAtIndex(from, i + 1, list);
        for (unsigned k = 0; k < attributes; k++) {
            LLVMAddAttributeAtIndex(to, i + 1, list[k]);
        }
        LLVMReplaceAllUsesWith(LLVMGetParam(from, i), LLVMGetParam(to, i));
    }
}

/* Replaces the kernel body by a copy with the additional arguments that it
 * needs to run from one barrier to the next (enum jit_region_argument):
 * context, start point, votes, uniform values and lane arrays. */
static void
add_arguments(struct spill *carry)
{
    struct jit *jit = carry->jit;
    struct jit_kernel *kernel = carry->split->kernel;
    struct jit_regions *regions = kernel->regions;
    LLVMValueRef old = kernel->body;
    unsigned own = LLVMCountParams(old);
    unsigned lanes = own + JIT_REGION_UNIFORMS + 2 * regions->uniform_count;
    unsigned count = lanes + regions->lane_count;
    LLVMTypeRef *types = jit_allocate(count * sizeof(LLVMTypeRef));
    LLVMGetParamTypes(LLVMGlobalGetValueType(old), types);
    types[own + JIT_REGION_CONTEXT] = jit->pointer;
    types[own + JIT_REGION_POINT] = jit->i32;
    types[own + JIT_REGION_NEXT] = jit->pointer;
    types[own + JIT_REGION_VOTES] = jit->pointer;
    types[own + JIT_REGION_VOTED] = jit->i32;
    for (unsigned i = 0; i < regions->uniform_count; i++) {
        unsigned at = own + JIT_REGION_UNIFORMS + 2 * i;
        types[at] = regions->uniform_types[i];
        types[at + 1] = jit->pointer;
    }
    for (unsigned i = 0; i < regions->lane_count; i++) {
        types[lanes + i] = jit->pointer;
    }
    kernel->body =
        LLVMAddFunction(jit->module, "",
                        LLVMFunctionType(LLVMVoidTypeInContext(jit->context),
                                         types, count, 0));
    move_arguments(old, kernel->body);
    LLVMBasicBlockRef block;
    while ((block = LLVMGetFirstBasicBlock(old))) {
        LLVMRemoveBasicBlockFromParent(block);
        LLVMAppendExistingBasicBlock(kernel->body, block);
    }
    LLVMDeleteFunction(old);
    const char *name = jit_format("body.%s", kernel->name);
    LLVMSetValueName2(kernel->body, name, strlen(name));
    jit_add_attribute(jit, kernel->body, "nounwind");
    jit_add_attribute(jit, kernel->body, "null_pointer_is_valid");
}

static LLVMValueRef
lanes_in(const struct spill *carry, unsigned number)
{
    unsigned uniforms = carry->split->kernel->regions->uniform_count;
    return extra(carry, JIT_REGION_UNIFORMS + 2 * uniforms + number);
}

/* ---- private memory ---- */

static void
drop_lifetimes(LLVMValueRef pointer)
{
    LLVMUseRef next, use = LLVMGetFirstUse(pointer);
    for (; use; use = next) {
        next = LLVMGetNextUse(use);
        if (jit_is_call(LLVMGetUser(use), "llvm.lifetime")) {
            LLVMInstructionEraseFromParent(LLVMGetUser(use));
        }
    }
}

static LLVMValueRef
context_address(struct spill *carry, LLVMTypeRef type, uint64_t offset,
                LLVMValueRef index)
{
    LLVMBuilderRef builder = carry->jit->builder;
    LLVMValueRef start = LLVMConstInt(carry->jit->i64, offset, 0);
    LLVMValueRef base =
        LLVMBuildInBoundsGEP2(builder, carry->jit->i8,
                              extra(carry, JIT_REGION_CONTEXT), &start, 1, "");
    return LLVMBuildInBoundsGEP2(builder, type, base, &index, 1, "");
}

/* Moves private variables to the context, a memory block with an element for
 * each thread. The builder must be in carry->before, the first basic block. */
static void
move_private_memory(struct spill *carry)
{
    for (unsigned i = 0; i < carry->value_count; i++) {
        LLVMValueRef at = carry->values[i];
        if (!jit_spill_is_private(carry, at)) {
            continue;
        }
        uint64_t bytes = jit_spill_alloca_bytes(carry->jit, at);
        LLVMTypeRef piece =
            LLVMArrayType2(carry->jit->i8, (unsigned long long)bytes);
        uint64_t offset = jit_spill_take_context(carry, bytes);
        carry->split->kernel->local_bytes += (uint32_t)bytes;
        drop_lifetimes(at);
        jit_replace(at, context_address(carry, piece, offset, carry->linear));
    }
}

/* ---- variables for values that are live across a barrier ---- */

struct loaded {
    const struct spill *carry;
    const struct spilled *row;
};

static LLVMValueRef
load_slot(LLVMValueRef value, LLVMValueRef at, void *data)
{
    const struct loaded *loaded = data;
    LLVMBuilderRef builder = loaded->carry->jit->builder;
    LLVMPositionBuilderBefore(builder, at);
    return LLVMBuildLoad2(builder, LLVMTypeOf(value), loaded->row->slot, "");
}

static void
store_value(struct spill *carry, const struct spilled *row)
{
    LLVMValueRef at = LLVMGetNextInstruction(row->value);
    while (LLVMIsAPHINode(at)) {
        at = LLVMGetNextInstruction(at);
    }
    LLVMPositionBuilderBefore(carry->jit->builder, at);
    LLVMBuildStore(carry->jit->builder, row->value, row->slot);
}

/* Returns the address at which this thread's copy of a value is stored across
 * a barrier. The value may differ between threads. */
static LLVMValueRef
spill_slot(struct spill *carry, const struct spilled *row, LLVMTypeRef type)
{
    if (!row->in_lanes) {
        return context_address(carry, type, row->offset, carry->linear);
    }
    return LLVMBuildInBoundsGEP2(carry->jit->builder, type,
                                 lanes_in(carry, row->number), &carry->lane, 1,
                                 "");
}

/* Ends the body at a barrier: stores the values that are live across it,
 * reports the number of the barrier to the entry (as the next start point) and
 * returns. */
static void
spill_values(struct spill *carry, unsigned point)
{
    struct jit *jit = carry->jit;
    for (unsigned i = 0; i < carry->count; i++) {
        const struct spilled *row = &carry->list[i];
        LLVMTypeRef type = LLVMTypeOf(row->value);
        bool live = row->live >> point & 1;
        if (!live && row->uniform) {
            /* Store 0 for a value that is not live. Without a store, the
             * thread loop would have to preserve the previous value of the
             * entry's variable. */
            LLVMBuildStore(jit->builder, LLVMConstNull(type),
                           uniform_out(carry, row->number));
        }
        if (!live) {
            continue;
        }
        LLVMValueRef value = LLVMBuildLoad2(jit->builder, type, row->slot, "");
        if (row->uniform) {
            LLVMBuildStore(jit->builder, value,
                           uniform_out(carry, row->number));
            continue;
        }
        LLVMTypeRef stored_type = jit_spill_memory_type(jit, type);
        if (stored_type != type) {
            value = LLVMBuildZExt(jit->builder, value, stored_type, "");
        }
        if (PLANTED_FAULT(stale_value) && row->live & (JIT_POINT(point) - 1)) {
            continue;
        }
        LLVMBuildStore(jit->builder, value,
                       spill_slot(carry, row, stored_type));
    }
    LLVMBuildStore(jit->builder, jit_constant(jit, point),
                   extra(carry, JIT_REGION_NEXT));
    LLVMBuildRetVoid(jit->builder);
}

/* Adds !range metadata to the load of a value that is stored in a wider type,
 * such as i1 in i8. LLVM then removes a truncation that is followed by an
 * extension. */
static void
note_range(struct jit *jit, LLVMValueRef load, LLVMTypeRef type)
{
    LLVMValueRef ends[2] = {
        LLVMConstInt(jit->i8, 0, 0),
        LLVMConstInt(jit->i8, 1ull << LLVMGetIntTypeWidth(type), 0)};
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(jit->context, "range", 5),
                    LLVMMDNodeInContext(jit->context, ends, 2));
}

/* Begins the body after a barrier: loads the values that are live across
 * it. */
static void
fetch_values(struct spill *carry, unsigned point)
{
    struct jit *jit = carry->jit;
    for (unsigned i = 0; i < carry->count; i++) {
        const struct spilled *row = &carry->list[i];
        LLVMTypeRef type = LLVMTypeOf(row->value);
        LLVMValueRef value;
        if (!(row->live >> point & 1)) {
            continue;
        }
        if (row->uniform) {
            value = uniform_in(carry, row->number);
        } else {
            LLVMTypeRef stored_type = jit_spill_memory_type(jit, type);
            value = LLVMBuildLoad2(jit->builder, stored_type,
                                   spill_slot(carry, row, stored_type), "");
            if (stored_type != type) {
                note_range(jit, value, type);
                value = LLVMBuildTrunc(jit->builder, value, type, "");
            }
        }
        LLVMBuildStore(jit->builder, value, row->slot);
    }
}

/* Makes each return of the kernel report 0 as the next start point, which
 * tells the entry that the kernel has ended. */
static void
end_returns(struct spill *carry)
{
    const struct jit_cfg *cfg = &carry->split->cfg;
    for (unsigned i = 0; i < cfg->count; i++) {
        if (cfg->blocks[i].returns) {
            LLVMInstructionEraseFromParent(
                LLVMGetBasicBlockTerminator(cfg->blocks[i].block));
            LLVMPositionBuilderAtEnd(carry->jit->builder,
                                     cfg->blocks[i].block);
            spill_values(carry, 0);
        }
    }
}

static void
connect_points(struct spill *carry, LLVMBasicBlockRef start)
{
    struct jit *jit = carry->jit;
    struct jit_split *split = carry->split;
    LLVMPositionBuilderAtEnd(jit->builder, carry->before);
    LLVMValueRef choice = LLVMBuildSwitch(
        jit->builder, extra(carry, JIT_REGION_POINT), start, split->count);
    for (unsigned k = 1; k < split->count; k++) {
        LLVMBasicBlockRef fetch = LLVMAppendBasicBlockInContext(
            jit->context, split->kernel->body, "after.barrier");
        LLVMAddCase(choice, jit_constant(jit, k), fetch);
        LLVMPositionBuilderAtEnd(jit->builder, fetch);
        fetch_values(carry, k);
        LLVMBuildBr(jit->builder, split->points[k].next);
        LLVMBasicBlockRef head = split->points[k].head;
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
        LLVMPositionBuilderAtEnd(jit->builder, head);
        spill_values(carry, k);
    }
    end_returns(carry);
}

/* Replaces the allocas that represent lane arrays (one element per lane of a
 * warp) by arguments of the body. */
static void
use_lanes(struct spill *carry)
{
    struct jit_split *split = carry->split;
    carry->lane = jit_build_lane(carry->jit, split, carry->jit->i64);
    for (unsigned i = 0; i < split->kernel->regions->lane_count; i++) {
        jit_replace(split->lanes[i], lanes_in(carry, i));
    }
}

static void
lower_votes(struct spill *carry)
{
    struct jit_split *split = carry->split;
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].vote.kind) {
            jit_lower_vote(carry->jit, &split->points[k].vote,
                           extra(carry, JIT_REGION_VOTES),
                           extra(carry, JIT_REGION_VOTED));
            split->kernel->regions->votes = true;
        }
    }
}

static void
rewrite(struct spill *carry)
{
    struct jit *jit = carry->jit;
    add_arguments(carry);
    LLVMBasicBlockRef start =
        LLVMGetEntryBasicBlock(carry->split->kernel->body);
    carry->before = LLVMInsertBasicBlockInContext(jit->context, start, "");
    LLVMPositionBuilderAtEnd(jit->builder, carry->before);
    carry->linear = LLVMBuildZExt(
        jit->builder,
        jit_body_argument(carry->split->kernel, PLANTED_FAULT(private_by_row)
                                                    ? JIT_TID
                                                    : JIT_LINEAR),
        jit->i64, "");
    if (carry->split->warps) {
        use_lanes(carry);
    }
    for (unsigned i = 0; i < carry->count; i++) {
        struct spilled *row = &carry->list[i];
        row->slot =
            LLVMBuildAlloca(jit->builder, LLVMTypeOf(row->value), "carried");
    }
    move_private_memory(carry);
    for (unsigned i = 0; i < carry->count; i++) {
        struct loaded loaded = {carry, &carry->list[i]};
        jit_replace_elsewhere(carry->list[i].value, load_slot, &loaded);
        store_value(carry, &carry->list[i]);
    }
    jit_spill_use_bounds(carry);
    connect_points(carry, start);
    lower_votes(carry);
    carry->split->kernel->regions->context_bytes = carry->context_bytes;
}

/* Stores the instructions of the kernel body in carry->values. */
static void
note_values(struct spill *carry)
{
    const struct jit_cfg *cfg = &carry->split->cfg;
    unsigned size = 0;
    for (unsigned i = 0; i < cfg->count; i++) {
        LLVMValueRef at = LLVMGetFirstInstruction(cfg->blocks[i].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            size++;
        }
    }
    carry->values = jit_allocate(size * sizeof *carry->values);
    carry->value_count = 0;
    jit_each_instruction(carry->jit, carry->split->kernel->body, note_value,
                         carry);
}

bool
jit_spill_values(struct jit *jit, struct jit_split *split)
{
    struct spill carry = {.jit = jit, .split = split};
    note_values(&carry);
    jit_rematerialise_cheap(&carry);
    note_values(&carry);
    jit_spill_find(&carry);
    for (unsigned k = 1; k < split->count; k++) {
        jit_spill_find_bounds(&carry, k);
    }
    if (!jit_spill_context_fits(&carry)) {
        return false;
    }
    rewrite(&carry);
    return true;
}
