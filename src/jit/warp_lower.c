/* warp_lower.c - the lanes' side of warp operations.
 *
 * Called by regions.c when a kernel has been cut at its warp operations.  What
 * a lane brings to an operation that is not constant it stores in its place
 * of the exchange memory before the point; what it gets, it loads there after
 * it.  What all lanes get comes as an argument of the body instead.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/explain.h"
#include "jit/warps.h"

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
        regions->warp_points |= UINT64_C(1) << k;
        regions->warp_ops[k] = jit_allocate(sizeof **regions->warp_ops);
        if (!jit_read_warp_op(&split->lanes_differ, split->points[k].warp,
                              regions->warp_ops[k], &why)) {
            split->kernel->warps_not = jit_format(
                "line %u %s", jit_explain_line_of(split->points[k].warp), why);
            return false;
        }
    }
    return true;
}

/* The lane's place; the builder stands where it is needed. */
static LLVMValueRef
build_place(struct jit *jit, struct jit_split *split, enum jit_exchange where,
            LLVMTypeRef type)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef start = LLVMConstInt(jit->i64, where, 0);
    LLVMValueRef lane = jit_build_lane(jit, split, jit->i64);
    LLVMValueRef base = LLVMBuildInBoundsGEP2(
        builder, jit->i8, jit_body_argument(split->kernel, JIT_EXCHANGE),
        &start, 1, "");
    return LLVMBuildInBoundsGEP2(builder, type, base, &lane, 1, "");
}

static void
put(struct jit *jit, struct jit_split *split, enum jit_exchange where,
    LLVMTypeRef type, LLVMValueRef value)
{
    if (LLVMIsAZExtInst(value) &&
        LLVMTypeOf(LLVMGetOperand(value, 0)) == type) {
        value = LLVMGetOperand(value, 0);
    } else {
        value = LLVMBuildIntCast2(jit->builder, value, type, 0, "");
    }
    LLVMBuildStore(jit->builder, value, build_place(jit, split, where, type));
}

/* Where the operands are in a call, as in warp_ops.c. */
enum { MASK, VALUE, HOW, ARGUMENT };

static void
put_operands(struct jit *jit, struct jit_split *split,
             const struct jit_warp_op *op, LLVMValueRef call)
{
    if (op->kind == JIT_WARP_BARRIER || op->kind == JIT_WARP_ACTIVE) {
        return;
    }
    put(jit, split, JIT_EXCHANGE_VALUE, op->bits == 64 ? jit->i64 : jit->i32,
        LLVMGetOperand(call, VALUE));
    if (!op->fixed_mask) {
        put(jit, split, JIT_EXCHANGE_MASK, jit->i32,
            LLVMGetOperand(call, MASK));
    }
    if (op->kind == JIT_WARP_SHUFFLE && !op->fixed_argument) {
        put(jit, split, JIT_EXCHANGE_ARGUMENT, jit->i32,
            LLVMGetOperand(call, ARGUMENT));
    }
}

/* Not an instruction that carry.c may do again elsewhere: hence freeze. */
static LLVMValueRef
take_vote(struct jit *jit, struct jit_split *split, LLVMTypeRef type)
{
    LLVMValueRef vote = LLVMBuildFreeze(
        jit->builder, jit_body_argument(split->kernel, JIT_VOTE), "");
    *jit_map_place(&split->differs, vote) = 1;
    if (type == jit->i64) {
        return vote;
    }
    vote = LLVMBuildTrunc(jit->builder, vote, type, "");
    *jit_map_place(&split->differs, vote) = 1;
    return vote;
}

static LLVMValueRef
take_own(struct jit *jit, struct jit_split *split,
         const struct jit_warp_op *op, LLVMTypeRef type)
{
    bool wide = op->kind == JIT_WARP_SHUFFLE && op->bits == 64;
    LLVMTypeRef kept = wide ? jit->i64 : jit->i32;
    LLVMValueRef value =
        LLVMBuildLoad2(jit->builder, kept,
                       build_place(jit, split, JIT_EXCHANGE_RESULT, kept), "");
    *jit_map_place(&split->differs, value) = 1;
    *jit_map_place(&split->lanes_differ, value) = 1;
    if (type == kept) {
        return value;
    }
    value = LLVMBuildZExt(jit->builder, value, type, "");
    *jit_map_place(&split->differs, value) = 1;
    *jit_map_place(&split->lanes_differ, value) = 1;
    return value;
}

static void
lower(struct jit *jit, struct jit_split *split, const struct jit_warp_op *op,
      const struct jit_barrier *point)
{
    LLVMValueRef call = point->warp;
    LLVMPositionBuilderBefore(jit->builder,
                              LLVMGetBasicBlockTerminator(point->head));
    put_operands(jit, split, op, call);
    if (op->kind == JIT_WARP_BARRIER) {
        LLVMInstructionEraseFromParent(call);
        return;
    }
    LLVMPositionBuilderBefore(jit->builder, call);
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMValueRef result = op->uniform ? take_vote(jit, split, type)
                                      : take_own(jit, split, op, type);
    jit_replace(call, result);
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
