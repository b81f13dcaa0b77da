/* lower.c - lowers warp operations in the kernel body.
 *
 * Called by regions.c after a kernel was split at its warp operations. Before
 * a warp operation, each lane stores its operands that are not constant in
 * lane arrays, which have one element per lane. After the operation, each lane
 * loads its result from another lane array. A result that is the same in all
 * lanes is an argument of the body instead.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/regions/split.h"
#include "jit/report.h"
#include "jit/text.h"
#include "jit/warps/lanes.h"
#include "jit/warps/ops.h"
#include "jit/warps/warps.h"

bool
jit_find_warp_ops(struct jit *jit, struct jit_split *split)
{
    struct jit_regions *regions = split->kernel->regions;
    (void)jit;
    for (unsigned k = 1; k < split->count; k++) {
        if (!split->points[k].warp) {
            continue;
        }
        const char *why;
        regions->warp_points |= JIT_POINT(k);
        regions->warp_ops[k] = jit_allocate(sizeof **regions->warp_ops);
        if (!jit_read_warp_op(&split->lanes_differ, split->points[k].warp,
                              regions->warp_ops[k], &why)) {
            split->kernel->warps_not = jit_format(
                "line %u %s", jit_line_of(split->points[k].warp), why);
            return false;
        }
    }
    return true;
}

LLVMValueRef
jit_add_lanes(struct jit *jit, struct jit_split *split, LLVMTypeRef type,
              unsigned *number)
{
    struct jit_regions *regions = split->kernel->regions;
    unsigned count = regions->lane_count + 1;
    regions->lane_types =
        realloc(regions->lane_types, count * sizeof *regions->lane_types);
    split->lanes = realloc(split->lanes, count * sizeof *split->lanes);
    if (!regions->lane_types || !split->lanes) {
        jit_die("out of memory");
    }
    LLVMPositionBuilderBefore(
        jit->builder,
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(split->kernel->body)));
    *number = regions->lane_count++;
    regions->lane_types[*number] = type;
    split->lanes[*number] = LLVMBuildAlloca(
        jit->builder, LLVMArrayType2(type, JIT_LANES), "lanes");
    return split->lanes[*number];
}

/* Tests for a volatile or atomic memory access, which prevents
 * vectorisation. */
static bool
resists(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetVolatile(at);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    default:
        return false;
    }
}

/* Tests whether the code from basic block `from` to the next barriers or warp
 * operations is short and contains volatile or atomic accesses. */
static bool
is_short(const struct jit_split *split, unsigned from)
{
    /* largest number of instructions in the code for one lane, which unrolling
     * copies 32 times */
    enum { SHORT = 40 };
    const struct jit_cfg *cfg = &split->cfg;
    bool *ends = jit_allocate(cfg->count);
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    unsigned count = 0, size = 0, resisting = 0;
    for (unsigned k = 1; k < split->count; k++) {
        ends[jit_cfg_index(cfg, split->points[k].head)] = true;
    }
    bool *seen = jit_allocate(cfg->count);
    queue[count++] = from;
    seen[from] = true;
    for (unsigned i = 0; i < count && size <= SHORT; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        LLVMValueRef at = LLVMGetFirstInstruction(row->block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            size++;
            resisting += resists(at);
        }
        for (unsigned k = 0; !ends[queue[i]] && k < row->successor_count;
             k++) {
            if (!seen[row->successors[k]]) {
                seen[row->successors[k]] = true;
                queue[count++] = row->successors[k];
            }
        }
    }
    free(ends);
    free(queue);
    free(seen);
    return size <= SHORT && resisting;
}

void
jit_find_short_points(struct jit_split *split)
{
    for (unsigned k = 0; k < split->count; k++) {
        unsigned from =
            k ? jit_cfg_index(&split->cfg, split->points[k].next) : 0;
        if (is_short(split, from)) {
            split->kernel->regions->short_points |= JIT_POINT(k);
        }
    }
}

/* Builds, at the builder's position, the address of the current lane's element
 * in the lane array with the given number. */
static LLVMValueRef
build_lane_address(struct jit *jit, struct jit_split *split, unsigned number)
{
    LLVMValueRef lane = jit_build_lane(jit, split, jit->i64);
    return LLVMBuildInBoundsGEP2(jit->builder,
                                 split->kernel->regions->lane_types[number],
                                 split->lanes[number], &lane, 1, "");
}

/* Adds a lane array (one element per lane) and builds, before the instruction
 * `before`, a store of the value in the current lane's element. Returns the
 * array's number. */
static unsigned
put(struct jit *jit, struct jit_split *split, LLVMValueRef before,
    LLVMTypeRef type, LLVMValueRef value)
{
    unsigned number;
    jit_add_lanes(jit, split, type, &number);
    LLVMPositionBuilderBefore(jit->builder, before);
    if (LLVMIsAZExtInst(value) &&
        LLVMTypeOf(LLVMGetOperand(value, 0)) == type) {
        value = LLVMGetOperand(value, 0);
    } else {
        value = LLVMBuildIntCast2(jit->builder, value, type, 0, "");
    }
    LLVMBuildStore(jit->builder, value,
                   build_lane_address(jit, split, number));
    return number;
}

/* Indices of the operands in the call of a warp operation. */
enum { MASK, VALUE, HOW, ARGUMENT };

static void
put_operands(struct jit *jit, struct jit_split *split, struct jit_warp_op *op,
             const struct jit_barrier *point)
{
    LLVMValueRef call = point->warp;
    LLVMValueRef before = LLVMGetBasicBlockTerminator(point->head);
    if (!op->fixed_mask) {
        op->mask_lanes =
            put(jit, split, before, jit->i32, LLVMGetOperand(call, MASK));
    }
    if (op->kind == JIT_WARP_BARRIER || op->kind == JIT_WARP_ACTIVE) {
        return;
    }
    op->value_lanes =
        put(jit, split, before, op->bits == 64 ? jit->i64 : jit->i32,
            LLVMGetOperand(call, VALUE));
    if (op->kind == JIT_WARP_SHUFFLE && !op->fixed_argument) {
        op->argument_lanes =
            put(jit, split, before, jit->i32, LLVMGetOperand(call, ARGUMENT));
    }
}

/* Returns the result of a warp operation that is the same in all lanes: an
 * argument of the body, which has a new value after each operation. The value
 * passes through `freeze`, so that spill.c does not read the argument again
 * after a later operation. */
static LLVMValueRef
read_uniform_result(struct jit *jit, struct jit_split *split, LLVMTypeRef type)
{
    LLVMValueRef vote = LLVMBuildFreeze(
        jit->builder, jit_body_argument(split->kernel, JIT_VOTE), "");
    *jit_map_slot(&split->differs, vote) = 1;
    if (type == jit->i64) {
        return vote;
    }
    vote = LLVMBuildTrunc(jit->builder, vote, type, "");
    *jit_map_slot(&split->differs, vote) = 1;
    return vote;
}

static LLVMValueRef
load_lane_result(struct jit *jit, struct jit_split *split,
                 struct jit_warp_op *op, LLVMValueRef call)
{
    bool wide = op->kind == JIT_WARP_SHUFFLE && op->bits == 64;
    LLVMTypeRef type = LLVMTypeOf(call),
                lane_type = wide ? jit->i64 : jit->i32;
    jit_add_lanes(jit, split, lane_type, &op->result_lanes);
    LLVMPositionBuilderBefore(jit->builder, call);
    LLVMValueRef value =
        LLVMBuildLoad2(jit->builder, lane_type,
                       build_lane_address(jit, split, op->result_lanes), "");
    *jit_map_slot(&split->differs, value) = 1;
    *jit_map_slot(&split->lanes_differ, value) = 1;
    if (type == lane_type) {
        return value;
    }
    value = LLVMBuildZExt(jit->builder, value, type, "");
    *jit_map_slot(&split->differs, value) = 1;
    *jit_map_slot(&split->lanes_differ, value) = 1;
    return value;
}

static void
lower(struct jit *jit, struct jit_split *split, struct jit_warp_op *op,
      const struct jit_barrier *point)
{
    LLVMValueRef call = point->warp;
    put_operands(jit, split, op, point);
    if (op->kind == JIT_WARP_BARRIER) {
        LLVMInstructionEraseFromParent(call);
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, call);
    jit_replace(call, op->uniform
                          ? read_uniform_result(jit, split, LLVMTypeOf(call))
                          : load_lane_result(jit, split, op, call));
}

void
jit_lower_warp_ops(struct jit *jit, struct jit_split *split)
{
    for (unsigned k = 1; k < split->count; k++) {
        if (split->points[k].warp) {
            lower(jit, split, split->kernel->regions->warp_ops[k],
                  &split->points[k]);
        }
    }
}
