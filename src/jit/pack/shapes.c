/* shapes.c - determines how the values of the lanes of a pack are related.
 *
 * Called by pack.c. A value is linear if it grows by a constant from lane to
 * lane, with the constant 0 for values that are equal for all lanes. The
 * analysis starts from the assumption that everything is linear, and repeats
 * until nothing changes, so that pointers and counters that loops carry are
 * recognised.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/entries/guard.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/assumptions.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

static const struct jit_shape uniform = {JIT_SHAPE_LINEAR, 0, true, true};
static const struct jit_shape vector = {JIT_SHAPE_VECTOR, 0, false, false};

static struct jit_shape
shape_of(const struct jit_pack_body *body, LLVMValueRef value)
{
    static const int row[] = {JIT_TID, JIT_LINEAR, JIT_GLOBAL_INDEX,
                              JIT_WIDE_INDEX};
    unsigned at = jit_map_get(&body->shape_index, value);
    if (at) {
        return body->shapes[at - 1];
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (value == jit_body_argument(body->kernel, row[i])) {
            /* A global index that is computed with another base (guard->base)
             * may be negative or above the signed range. So either its sign
             * extension or its zero extension has the same value, not both. */
            const struct jit_guard *guard = &body->kernel->guard;
            bool any = row[i] == JIT_GLOBAL_INDEX && guard->base;
            return (struct jit_shape){JIT_SHAPE_LINEAR, 1,
                                      !any || guard->index_signed,
                                      !any || !guard->index_signed};
        }
    }
    return uniform;
}

struct jit_shape
jit_pack_shape(const struct jit_pack_body *body, LLVMValueRef value)
{
    return shape_of(body, value);
}

bool
jit_pack_is_linear(const struct jit_pack_body *body, LLVMValueRef value)
{
    return shape_of(body, value).kind != JIT_SHAPE_VECTOR;
}

bool
jit_pack_is_uniform(const struct jit_pack_body *body, LLVMValueRef value)
{
    struct jit_shape shape = shape_of(body, value);
    return shape.kind != JIT_SHAPE_VECTOR && shape.stride == 0;
}

/* ---- integer arithmetic ---- */

/* Returns an upper bound of a value that is a sum of products of block
 * indices, thread indices, block sizes and non-negative constants. Returns
 * UINT64_MAX for any other value. The bound assumes at most 2^30 threads along
 * an axis; larger grids are never launched in practice. */
static uint64_t
upper_bound(const struct jit_kernel *kernel, LLVMValueRef value, int depth)
{
    enum { BLOCK = 1 << 10, GRID = 1 << 20 };
    for (int i = JIT_TID; i < JIT_LINEAR; i++) {
        if (value == jit_body_argument(kernel, i)) {
            return i < JIT_CTAID || (i >= JIT_NTID && i < JIT_NCTAID) ? BLOCK
                                                                      : GRID;
        }
    }
    if (LLVMIsAConstantInt(value)) {
        int64_t number = LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64
                             ? LLVMConstIntGetSExtValue(value)
                             : -1;
        return number < 0 ? UINT64_MAX : (uint64_t)number;
    }
    if (!LLVMIsAInstruction(value) || depth == 0) {
        return UINT64_MAX;
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode != LLVMAdd && opcode != LLVMMul && opcode != LLVMShl) {
        return UINT64_MAX;
    }
    uint64_t a = upper_bound(kernel, LLVMGetOperand(value, 0), depth - 1);
    uint64_t b = upper_bound(kernel, LLVMGetOperand(value, 1), depth - 1);
    if (a > UINT32_MAX || b > (opcode == LLVMShl ? 31 : UINT32_MAX)) {
        return UINT64_MAX;
    }
    uint64_t bound = opcode == LLVMAdd   ? a + b
                     : opcode == LLVMMul ? a * b
                                         : a << b;
    return bound > UINT32_MAX ? UINT64_MAX : bound;
}

static struct jit_shape
sum_shape(const struct jit_pack_body *body, LLVMValueRef at, int sign)
{
    struct jit_shape a = shape_of(body, LLVMGetOperand(at, 0));
    struct jit_shape b = shape_of(body, LLVMGetOperand(at, 1));
    bool or = LLVMGetInstructionOpcode(at) == LLVMOr;
    uint64_t most = or ? 0 : upper_bound(body->kernel, at, 6);
    if (or &&!LLVMGetIsDisjoint(at)) {
        return vector;
    }
    a.stride += sign * b.stride;
    a.is_signed =
        a.is_signed && b.is_signed && (most <= INT32_MAX || LLVMGetNSW(at));
    /* `is_unsigned` is false for a difference, which may be negative in lane 0
     * if lane 0 does not execute the instruction. */
    a.is_unsigned = a.is_unsigned && b.is_unsigned && sign > 0 &&
                    (most <= UINT32_MAX || LLVMGetNUW(at));
    return a;
}

static struct jit_shape
product_shape(const struct jit_pack_body *body, LLVMValueRef at)
{
    enum { MOST = 1 << 20 };
    struct jit_shape a = shape_of(body, LLVMGetOperand(at, 0));
    LLVMValueRef number = LLVMGetOperand(at, 1);
    bool shift = LLVMGetInstructionOpcode(at) == LLVMShl;
    if (!LLVMIsAConstantInt(number) || LLVMIsConstant(LLVMGetOperand(at, 0)) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64) {
        return vector;
    }
    int64_t by = LLVMConstIntGetSExtValue(number);
    if (by < (shift ? 0 : -MOST) || by > (shift ? 20 : MOST) ||
        a.stride > MOST || a.stride < -MOST) {
        return vector;
    }
    uint64_t most = upper_bound(body->kernel, at, 6);
    a.stride *= shift ? INT64_C(1) << by : by;
    a.is_signed = a.is_signed && (most <= INT32_MAX || LLVMGetNSW(at));
    a.is_unsigned =
        a.is_unsigned && by >= 0 && (most <= UINT32_MAX || LLVMGetNUW(at));
    return a;
}

static struct jit_shape
cast_shape(const struct jit_pack_body *body, LLVMValueRef at)
{
    struct jit_shape a = shape_of(body, LLVMGetOperand(at, 0));
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMSExt:
        a.is_unsigned = false;
        if (!a.is_signed && !jit_map_get(&body->assumed, at)) {
            return vector;
        }
        a.is_signed = true;
        return a;
    case LLVMZExt:
        if (!a.is_unsigned && !(a.is_signed && LLVMGetNNeg(at)) &&
            !jit_map_get(&body->assumed, at)) {
            return vector;
        }
        a.is_signed = a.is_unsigned = true;
        return a;
    default: /* LLVMTrunc: the truncated value may wrap */
        a.is_signed = a.is_unsigned = false;
        return a;
    }
}

/* Returns the shape (relation between lanes) of a value that has the shape `a`
 * in some iterations or on some paths, and `b` in others. */
static struct jit_shape
meet(struct jit_shape a, struct jit_shape b)
{
    if (a.kind == JIT_SHAPE_UNKNOWN || b.kind == JIT_SHAPE_UNKNOWN) {
        return a.kind == JIT_SHAPE_UNKNOWN ? b : a;
    }
    if (a.kind == JIT_SHAPE_VECTOR || b.kind == JIT_SHAPE_VECTOR ||
        a.stride != b.stride) {
        return vector;
    }
    a.is_signed &= b.is_signed;
    a.is_unsigned &= b.is_unsigned;
    return a;
}

/* Returns the shape of a quotient or remainder that is in body->assumed. */
static struct jit_shape
quotient_shape(const struct jit_pack_body *body, LLVMValueRef at)
{
    struct jit_shape a = shape_of(body, jit_pack_dividend(at));
    if (a.kind != JIT_SHAPE_LINEAR) {
        return a;
    }
    if (!jit_pack_divisor_is_uniform(body, at)) {
        return vector;
    }
    if (!jit_pack_is_remainder(at)) {
        return uniform;
    }
    /* The remainder grows linearly with the lane: a run-time test of the last
     * lane ensures that the remainder does not start again from 0 within the
     * pack. The remainder of a signed division may be negative, so it is not
     * linear as an unsigned number. */
    a.is_signed = true;
    a.is_unsigned = LLVMGetInstructionOpcode(at) != LLVMSRem;
    return a;
}

bool
jit_pack_assumes_quotient(const struct jit_pack_body *body, LLVMValueRef at)
{
    return jit_map_get(&body->assumed, at) && jit_pack_dividend(at) &&
           jit_pack_is_linear(body, at) &&
           jit_pack_is_linear(body, jit_pack_dividend(at)) &&
           !jit_pack_is_uniform(body, jit_pack_dividend(at));
}

bool
jit_pack_assumes_divisor(const struct jit_pack_body *body, LLVMValueRef at)
{
    return jit_map_get(&body->assumed, at) && jit_pack_is_divisor_case(at) &&
           jit_pack_is_uniform(body, LLVMGetOperand(at, 0)) &&
           jit_pack_is_linear(body, LLVMGetOperand(at, 2)) &&
           meet(shape_of(body, LLVMGetOperand(at, 1)),
                shape_of(body, LLVMGetOperand(at, 2)))
                   .kind == JIT_SHAPE_VECTOR;
}

bool
jit_pack_assumes(const struct jit_pack_body *body, LLVMValueRef at)
{
    if (!jit_map_get(&body->assumed, at) || !jit_pack_is_linear(body, at) ||
        !(LLVMIsASExtInst(at) || LLVMIsAZExtInst(at))) {
        return false;
    }
    struct jit_shape a = shape_of(body, LLVMGetOperand(at, 0));
    return a.stride &&
           !(LLVMIsASExtInst(at)
                 ? a.is_signed
                 : a.is_unsigned || (a.is_signed && LLVMGetNNeg(at)));
}

/* Tests whether either all lanes or no lanes reach basic block `b`, `b` is
 * outside of loops, and no side effects happen before it. */
static bool
may_check(const struct jit_pack_body *body, unsigned b)
{
    bool *reached = jit_allocate(body->cfg.count);
    bool fits =
        body->loop_of[b] == JIT_NO_LOOP && jit_pack_all_lanes_reach(body, b);
    unsigned above = body->dominator[b];
    for (; fits && above != NO_BLOCK; above = body->dominator[above]) {
        fits = body->loop_of[above] == JIT_NO_LOOP;
    }
    for (unsigned x = 0; fits && x < body->cfg.count; x++) {
        memset(reached, 0, body->cfg.count);
        jit_cfg_reach(&body->cfg, x, NO_BLOCK, reached);
        fits = !reached[b] || x == b ||
               jit_has_no_effects(body->cfg.blocks[x].block);
    }
    free(reached);
    return fits;
}

/* Adds to body->assumed the integer extensions in the basic block and, if
 * body->quotients is true, quotients of indices. Adds only values for which a
 * run-time test is possible: all lanes or no lanes reach the block, and no
 * side effect comes before the value. */
static void
assume_in(struct jit_pack_body *body, unsigned b)
{
    LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
    if (!may_check(body, b)) {
        return;
    }
    for (; at; at = LLVMGetNextInstruction(at)) {
        bool call = LLVMIsACallInst(at) &&
                    (!jit_is_call(at, "llvm.") || jit_is_call(at, "llvm.mem"));
        if (call || LLVMIsAStoreInst(at) || LLVMIsAAtomicRMWInst(at) ||
            LLVMIsAAtomicCmpXchgInst(at)) {
            return;
        }
        if ((LLVMIsASExtInst(at) || LLVMIsAZExtInst(at)) &&
            LLVMTypeOf(at) == body->jit->i64 &&
            LLVMTypeOf(LLVMGetOperand(at, 0)) == body->jit->i32) {
            *jit_map_slot(&body->assumed, at) = 1;
        }
        if (body->quotients && jit_map_get(&body->differs, at) &&
            jit_pack_is_index_quotient(at)) {
            *jit_map_slot(&body->assumed, at) = 1;
            body->quotient_count++;
        }
        if (body->quotients && jit_pack_is_divisor_case(at)) {
            *jit_map_slot(&body->assumed, at) = 1;
        }
    }
}

/* Adds to body->assumed the values of the basic block that are assumed to be
 * linear: integer extensions, and comparisons and selects in indices. Does
 * nothing if the function for a pack cannot return from this block. After a
 * failed test of an assumption, the function returns and other code runs the
 * pack. */
static void
assume_choices(struct jit_pack_body *body, unsigned b)
{
    LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
    if (!body->choices || !jit_pack_may_give_up(body, b)) {
        return;
    }
    for (; at && !jit_pack_has_effect(at); at = LLVMGetNextInstruction(at)) {
        bool extends = (LLVMIsASExtInst(at) || LLVMIsAZExtInst(at)) &&
                       LLVMTypeOf(at) == body->jit->i64 &&
                       LLVMTypeOf(LLVMGetOperand(at, 0)) == body->jit->i32;
        if (extends || (jit_map_get(&body->differs, at) &&
                        jit_pack_is_index_choice(at))) {
            *jit_map_slot(&body->assumed, at) = 1;
        }
    }
}

/* ---- addresses ---- */

static struct jit_shape
address_shape(const struct jit_pack_body *body, LLVMValueRef at)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(body->jit->module);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(at);
    struct jit_shape sum = shape_of(body, LLVMGetOperand(at, 0));
    unsigned count = (unsigned)LLVMGetNumOperands(at);
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, i);
        struct jit_shape index = shape_of(body, operand);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(
                type, (unsigned)LLVMConstIntGetZExtValue(operand));
            continue;
        }
        type = i > 1 ? LLVMGetElementType(type) : type;
        if (index.kind == JIT_SHAPE_VECTOR ||
            (index.stride && !index.is_signed &&
             LLVMGetIntTypeWidth(LLVMTypeOf(operand)) < 64)) {
            return vector;
        }
        sum.stride += index.stride * (int64_t)LLVMABISizeOfType(layout, type);
    }
    sum.is_signed = sum.is_unsigned = false;
    return sum;
}

/* ---- phis ---- */

bool
jit_pack_lanes_mix(const struct jit_pack_body *body, LLVMValueRef phi)
{
    unsigned block = jit_cfg_index(&body->cfg, LLVMGetInstructionParent(phi));
    const struct jit_block *row = &body->cfg.blocks[block];
    if (PLANTED_FAULT(pack_join)) {
        return false;
    }
    for (unsigned i = 0; i < row->predecessor_count; i++) {
        unsigned loop = body->loop_of[row->predecessors[i]];
        for (; loop != JIT_NO_LOOP && !body->loops[loop].inside[block];
             loop = body->loops[loop].parent) {
            if (body->loops[loop].parts) {
                return true;
            }
        }
    }
    return body->joins[block];
}

static bool
is_head(const struct jit_pack_body *body, unsigned block)
{
    unsigned loop = body->loop_of[block];
    return loop != JIT_NO_LOOP && body->loops[loop].head == block;
}

static struct jit_shape
phi_shape(const struct jit_pack_body *body, LLVMValueRef phi)
{
    struct jit_shape shape = {0};
    unsigned count = LLVMCountIncoming(phi);
    unsigned block = jit_cfg_index(&body->cfg, LLVMGetInstructionParent(phi));
    if (!is_head(body, block) && jit_pack_lanes_mix(body, phi)) {
        return vector;
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        shape =
            LLVMIsUndef(value) ? shape : meet(shape, shape_of(body, value));
    }
    return shape;
}

/* ---- all instructions ---- */

static bool
operands_uniform(const struct jit_pack_body *body, LLVMValueRef at,
                 bool *unknown)
{
    int count = LLVMGetNumOperands(at);
    bool all = true;
    for (int i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, (unsigned)i);
        if (!LLVMValueIsBasicBlock(operand)) {
            *unknown |= shape_of(body, operand).kind == JIT_SHAPE_UNKNOWN;
            all = all && jit_pack_is_uniform(body, operand);
        }
    }
    return all;
}

/* Tests for instructions with results that may differ between lanes with equal
 * operands. */
static bool
differs_itself(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMAlloca:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMLoad:
        return jit_sight(at) != JIT_SIGHT_NONE;
    case LLVMCall:
        return !jit_is_call(at, "llvm.") &&
               !jit_calls(at, "__pycuda_texture_plain") &&
               !jit_calls(at, "__pycuda_texture_width");
    default:
        return false;
    }
}

static struct jit_shape
instruction_shape(const struct jit_pack_body *body, LLVMValueRef at)
{
    bool unknown = false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    if (!jit_map_get(&body->differs, at)) {
        return uniform;
    }
    if (opcode == LLVMPHI) {
        return phi_shape(body, at);
    }
    if (differs_itself(at)) {
        return vector;
    }
    if (jit_map_get(&body->assumed, at) && jit_pack_dividend(at)) {
        return quotient_shape(body, at);
    }
    bool all = operands_uniform(body, at, &unknown);
    if (unknown || all) {
        return unknown ? (struct jit_shape){0} : uniform;
    }
    struct jit_shape choice;
    if (jit_pack_choice_shape(body, at, &choice)) {
        return choice;
    }
    if (jit_pack_assumes_divisor(body, at)) {
        return shape_of(body, LLVMGetOperand(at, 2));
    }
    int count = LLVMGetNumOperands(at);
    for (int i = 0; i < count; i++) {
        if (!jit_pack_is_linear(body, LLVMGetOperand(at, (unsigned)i))) {
            return vector;
        }
    }
    switch (opcode) {
    case LLVMAdd:
    case LLVMOr:
        return sum_shape(body, at, 1);
    case LLVMSub:
        return sum_shape(body, at, -1);
    case LLVMMul:
    case LLVMShl:
        return product_shape(body, at);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        return cast_shape(body, at);
    case LLVMGetElementPtr:
        return address_shape(body, at);
    case LLVMSelect:
        return jit_pack_is_uniform(body, LLVMGetOperand(at, 0))
                   ? meet(shape_of(body, LLVMGetOperand(at, 1)),
                          shape_of(body, LLVMGetOperand(at, 2)))
                   : vector;
    default:
        return vector;
    }
}

static bool
same(struct jit_shape a, struct jit_shape b)
{
    return a.kind == b.kind && a.stride == b.stride &&
           a.is_signed == b.is_signed && a.is_unsigned == b.is_unsigned;
}

static bool
update_all(struct jit_pack_body *body)
{
    bool changed = false;
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            struct jit_shape *now =
                &body->shapes[jit_map_get(&body->shape_index, at) - 1];
            struct jit_shape next = instruction_shape(body, at);
            /* The shape of a value, its relation between lanes, only changes
             * from unknown to linear (growing by a constant from lane to
             * lane), and from linear to vector (no known relation). */
            if (now->kind == JIT_SHAPE_VECTOR || same(*now, next)) {
                continue;
            }
            if (now->kind == JIT_SHAPE_LINEAR) {
                next = meet(*now, next);
            }
            changed |= !same(*now, next);
            *now = next;
        }
    }
    return changed;
}

/* Marks the basic blocks in which lanes that took different paths at `branch`
 * meet again, and the loops that these lanes may leave in different
 * iterations. */
static void
spread_branch(struct jit_pack_body *body, unsigned branch)
{
    const struct jit_block *row = &body->cfg.blocks[branch];
    unsigned count = body->cfg.count;
    bool *reached = jit_allocate(count), *after = jit_allocate(count);
    for (unsigned i = 0; i < row->successor_count; i++) {
        memset(reached, 0, count);
        jit_cfg_reach(&body->cfg, row->successors[i], body->immediate[branch],
                      reached);
        for (unsigned x = 0; x < count; x++) {
            body->joins[x] |= after[x] && reached[x];
            after[x] |= reached[x];
        }
    }
    if (body->immediate[branch] != NO_BLOCK) {
        after[body->immediate[branch]] = false;
    }
    after[branch] = true;
    for (unsigned i = 0; i < body->loop_count; i++) {
        struct jit_pack_loop *loop = &body->loops[i];
        for (unsigned x = 0; x < count && loop->inside[branch]; x++) {
            const struct jit_block *from = &body->cfg.blocks[x];
            for (unsigned k = 0;
                 after[x] && loop->inside[x] && k < from->successor_count;
                 k++) {
                loop->parts |= !loop->inside[from->successors[k]];
            }
        }
    }
    free(reached);
    free(after);
}

/* Sets the shape of each value (how it varies between lanes). Also marks the
 * basic blocks at which divergent lanes reconverge, and the loops that lanes
 * leave in different iterations. `count`: number of instructions. */
static void
find_all(struct jit_pack_body *body, unsigned count)
{
    memset(body->joins, 0, body->cfg.count);
    memset(body->shapes, 0, (count + 1) * sizeof *body->shapes);
    for (unsigned i = 0; i < body->loop_count; i++) {
        body->loops[i].parts = false;
    }
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef end =
            LLVMGetBasicBlockTerminator(body->cfg.blocks[b].block);
        if (body->cfg.blocks[b].successor_count > 1 &&
            jit_map_get(&body->differs, end) &&
            !jit_pack_assumes_branch(body, b)) {
            spread_branch(body, b);
        }
    }
    while (update_all(body)) {
    }
    for (unsigned i = 0; i < count; i++) {
        if (body->shapes[i].kind == JIT_SHAPE_UNKNOWN) {
            body->shapes[i] = vector;
        }
    }
}

/* If the condition of some branch was assumed to be uniform but turned out not
 * to be, repeats the analysis of all shapes without the assumptions of
 * choices.c. */
static void
drop_wrong_branches(struct jit_pack_body *body, unsigned count)
{
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef end =
            LLVMGetBasicBlockTerminator(body->cfg.blocks[b].block);
        if (jit_pack_assumes_branch(body, b) &&
            !jit_pack_is_uniform(body, LLVMGetCondition(end))) {
            body->choices = false;
            find_all(body, count);
            return;
        }
    }
}

/* Assumes that the comparisons of indices on which branches depend have the
 * same result in all lanes, where possible. The operands of such a comparison
 * have been found to be linear without this assumption. An assumption only
 * makes more values linear, so they remain linear. */
static void
assume_branches(struct jit_pack_body *body, unsigned count)
{
    bool any = false;
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef end =
            LLVMGetBasicBlockTerminator(body->cfg.blocks[b].block);
        if (jit_map_get(&body->differs, end) &&
            jit_pack_may_assume_branch(body, b)) {
            LLVMValueRef condition = LLVMGetCondition(end);
            bool frozen = LLVMIsAFreezeInst(condition) != NULL;
            *jit_map_slot(&body->assumed, frozen ? LLVMGetOperand(condition, 0)
                                                 : condition) = 1;
            any = true;
        }
    }
    if (any) {
        for (unsigned b = 0; b < body->cfg.count; b++) {
            assume_choices(body, b);
        }
        find_all(body, count);
        drop_wrong_branches(body, count);
    }
}

void
jit_pack_find_shapes(struct jit_pack_body *body)
{
    unsigned count = 0;
    body->joins = jit_allocate(body->cfg.count);
    for (unsigned b = 0; b < body->cfg.count; b++) {
        LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[b].block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            *jit_map_slot(&body->shape_index, at) = ++count;
        }
    }
    for (unsigned b = 0; b < body->cfg.count; b++) {
        assume_in(body, b);
        assume_choices(body, b);
    }
    body->shapes = jit_allocate((count + 1) * sizeof *body->shapes);
    find_all(body, count);
    if (body->choices) {
        assume_branches(body, count);
    }
}
