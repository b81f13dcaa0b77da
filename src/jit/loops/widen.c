/* widen.c - writes an outlined loop for several threads.
 *
 * Called by define.c for each vector width that LLVM's vectoriser chose. The
 * function for one thread has one loop without inner loops. All basic blocks
 * of that function become one block, in which every value is a vector and
 * every control-flow edge a mask:
 *
 *     loop:
 *       active = phi <16 x i1> [mask, entry], [back, loop]
 *       result = phi <16 x i32> [poison, entry], [result.next, loop]
 *       ...
 *       leave = select active, done, false
 *       result.next = select leave, value, result
 *       back = select active, !done, false
 *       br (any of back), loop, exit
 *
 * A thread's result is saved when that thread leaves the loop. Vector elements
 * of threads that have left the loop, or never entered it, compute values that
 * are not used. This is safe for two reasons. No instruction that find.c
 * accepts can fault. Masks are combined by `select`, which ignores poison in
 * the operand that it does not choose.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/planted_faults.h"
#include "jit/target/target.h"
#include "jit/text.h"

/* A control-flow edge, and the mask of the threads that take it. */
struct edge {
    LLVMBasicBlockRef from, to;
    LLVMValueRef mask;
};

struct widening {
    struct jit *jit;
    struct jit_cfg cfg; /* control-flow graph of the function for one thread */
    unsigned width;
    /* width in bits of a mask's elements on targets without mask registers */
    unsigned bits;
    LLVMBasicBlockRef head, latch, entry, loop;
    LLVMValueRef wide;
    /* maps a value of the function for one thread to 1 plus the index of its
     * vector in `values` */
    struct jit_map index;
    LLVMValueRef *values;
    unsigned value_count;
    struct edge *edges;
    unsigned edge_count;
    /* phi of the vector loop: mask of the threads that are still in the
     * loop */
    LLVMValueRef active;
    LLVMValueRef current[MAX_RESULTS], next[MAX_RESULTS];
    unsigned result_count;
};

LLVMTypeRef
jit_wide_type(LLVMTypeRef type, unsigned width)
{
    return width == 1 ? type : LLVMVectorType(type, width);
}

/* ---- calls ---- */

/* LLVM intrinsics that work element by element on vectors, and depend on their
 * arguments only. `same`: the last argument is a constant flag, which is a
 * scalar in the vector form too. */
static const struct {
    const char *name;
    bool same;
} intrinsics[] = {
    {"llvm.fabs.", 0},      {"llvm.sqrt.", 0},      {"llvm.fma.", 0},
    {"llvm.fmuladd.", 0},   {"llvm.minnum.", 0},    {"llvm.maxnum.", 0},
    {"llvm.minimum.", 0},   {"llvm.maximum.", 0},   {"llvm.floor.", 0},
    {"llvm.ceil.", 0},      {"llvm.trunc.", 0},     {"llvm.rint.", 0},
    {"llvm.nearbyint.", 0}, {"llvm.roundeven.", 0}, {"llvm.copysign.", 0},
    {"llvm.smin.", 0},      {"llvm.smax.", 0},      {"llvm.umin.", 0},
    {"llvm.umax.", 0},      {"llvm.abs.", 1},       {"llvm.ctpop.", 0},
    {"llvm.ctlz.", 1},      {"llvm.cttz.", 1},      {"llvm.fshl.", 0},
    {"llvm.fshr.", 0},      {"llvm.bswap.", 0},     {"llvm.bitreverse.", 0},
    {"llvm.sadd.sat.", 0},  {"llvm.uadd.sat.", 0},  {"llvm.ssub.sat.", 0},
    {"llvm.usub.sat.", 0},
};

#define INTRINSICS (sizeof intrinsics / sizeof *intrinsics)

/* Returns the index in `intrinsics` of the intrinsic that is called, or
 * INTRINSICS if it is not in the list. */
static size_t
intrinsic_row(LLVMValueRef at)
{
    size_t row = 0;
    while (row < INTRINSICS && !jit_is_call(at, intrinsics[row].name)) {
        row++;
    }
    return row;
}

bool
jit_is_elementwise(LLVMValueRef at, bool *same)
{
    size_t row = intrinsic_row(at);
    *same = row < INTRINSICS && intrinsics[row].same;
    return row < INTRINSICS;
}

bool
jit_can_widen_call(LLVMValueRef at)
{
    struct jit_result_name name;
    return intrinsic_row(at) < INTRINSICS ||
           jit_read_result_name(jit_callee(at), &name);
}

/* ---- values ---- */

static void
value_put(struct widening *to, LLVMValueRef from, LLVMValueRef value)
{
    to->values[to->value_count] = value;
    *jit_map_slot(&to->index, from) = ++to->value_count;
}

static LLVMTypeRef
wide_type(const struct widening *to, LLVMTypeRef type)
{
    return jit_wide_type(type, to->width);
}

static LLVMValueRef
splat(const struct widening *to, LLVMValueRef constant)
{
    LLVMValueRef *all = jit_allocate(to->width * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < to->width; i++) {
        all[i] = constant;
    }
    LLVMValueRef vector = LLVMConstVector(all, to->width);
    free(all);
    return vector;
}

static LLVMValueRef
value_of(const struct widening *to, LLVMValueRef from)
{
    unsigned at = jit_map_get(&to->index, from);
    return at ? to->values[at - 1] : splat(to, from);
}

static LLVMValueRef
no_lane(const struct widening *to)
{
    return LLVMConstNull(wide_type(to, to->jit->i1));
}

/* ---- masks ---- */

static LLVMValueRef
build_both(struct widening *to, LLVMValueRef mask, LLVMValueRef condition)
{
    return LLVMBuildSelect(to->jit->builder, mask, condition, no_lane(to), "");
}

static void
edge_add(struct widening *to, LLVMBasicBlockRef from, LLVMBasicBlockRef next,
         LLVMValueRef mask)
{
    to->edges[to->edge_count++] = (struct edge){from, next, mask};
}

/* Returns the mask of the threads that take the edge from basic block `from`
 * to basic block `next`. If `from` is NULL, returns the mask of the threads
 * that come to `next` from any block. */
static LLVMValueRef
edge_mask(struct widening *to, LLVMBasicBlockRef from, LLVMBasicBlockRef next)
{
    LLVMValueRef mask = NULL;
    for (unsigned i = 0; i < to->edge_count; i++) {
        const struct edge *edge = &to->edges[i];
        if (edge->to == next && (!from || edge->from == from)) {
            mask = mask ? LLVMBuildOr(to->jit->builder, mask, edge->mask, "")
                        : edge->mask;
        }
    }
    return mask;
}

static void
widen_branch(struct widening *to, LLVMBasicBlockRef block, LLVMValueRef at,
             LLVMValueRef mask)
{
    if (!LLVMIsConditional(at)) {
        edge_add(to, block, LLVMGetSuccessor(at, 0), mask);
        return;
    }
    LLVMValueRef condition = value_of(to, LLVMGetCondition(at));
    LLVMValueRef other = LLVMBuildNot(to->jit->builder, condition, "");
    edge_add(to, block, LLVMGetSuccessor(at, 0),
             build_both(to, mask, condition));
    edge_add(to, block, LLVMGetSuccessor(at, 1), build_both(to, mask, other));
}

/* Adds an edge for each case of a switch. The mask of a case's edge has the
 * threads of `mask` for which the value equals the case. The default edge has
 * the remaining threads. */
static void
widen_switch(struct widening *to, LLVMBasicBlockRef block, LLVMValueRef at,
             LLVMValueRef mask)
{
    LLVMBuilderRef builder = to->jit->builder;
    LLVMValueRef value = value_of(to, LLVMGetOperand(at, 0));
    unsigned count = LLVMGetNumSuccessors(at);
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef wanted = splat(to, LLVMGetOperand(at, 2 * i));
        LLVMValueRef same =
            LLVMBuildICmp(builder, LLVMIntEQ, value, wanted, "");
        edge_add(to, block, LLVMGetSuccessor(at, i),
                 build_both(to, mask, same));
        mask = build_both(to, mask, LLVMBuildNot(builder, same, ""));
    }
    edge_add(to, block, LLVMGetSuccessor(at, 0), mask);
}

/* ---- instructions ---- */

/* Returns a vector that has, for each thread, the phi's incoming value of the
 * edge that the thread took. */
static LLVMValueRef
widen_phi(struct widening *to, LLVMValueRef at)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    LLVMValueRef value = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(at); i++) {
        LLVMValueRef one = value_of(to, LLVMGetIncomingValue(at, i));
        LLVMValueRef mask = edge_mask(to, LLVMGetIncomingBlock(at, i), block);
        value = value ? LLVMBuildSelect(to->jit->builder, mask, one, value, "")
                      : one;
    }
    return value;
}

/* Builds the vector form of a call of an intrinsic or of another outlined loop
 * (a loop that was moved into a function). The outlined loop receives the mask
 * of active threads. */
static LLVMValueRef
widen_call(struct widening *to, LLVMValueRef at, LLVMValueRef mask)
{
    struct jit *jit = to->jit;
    struct jit_result_name name;
    LLVMValueRef arguments[MAX_INPUTS + 1], callee = jit_callee(at);
    LLVMTypeRef types[MAX_INPUTS + 1];
    LLVMTypeRef type = wide_type(to, LLVMTypeOf(at));
    unsigned count = LLVMGetNumArgOperands(at);
    size_t row = intrinsic_row(at);
    for (unsigned i = 0; i < count; i++) {
        bool same = row < INTRINSICS && intrinsics[row].same && i + 1 == count;
        arguments[i] = LLVMGetOperand(at, i);
        arguments[i] = same ? arguments[i] : value_of(to, arguments[i]);
        types[i] = LLVMTypeOf(arguments[i]);
    }
    if (row < INTRINSICS) {
        callee = LLVMGetIntrinsicDeclaration(
            jit->module, LLVMGetIntrinsicID(callee), &type, 1);
        return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(callee),
                              callee, arguments, count, "");
    }
    jit_read_result_name(callee, &name);
    name.width = to->width;
    arguments[count] = mask;
    types[count++] = LLVMTypeOf(mask);
    LLVMTypeRef of = LLVMFunctionType(type, types, count, 0);
    return LLVMBuildCall2(jit->builder, of, jit_declare_result(jit, &name, of),
                          arguments, count, "");
}

static LLVMValueRef
widen_instruction(struct widening *to, LLVMValueRef at, LLVMValueRef mask)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    if (opcode == LLVMPHI) {
        return widen_phi(to, at);
    }
    if (opcode == LLVMCall) {
        return widen_call(to, at, mask);
    }
    LLVMValueRef operands[3] = {NULL};
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(at); i++) {
        operands[i] = value_of(to, LLVMGetOperand(at, i));
    }
    return jit_repeat_operation(to->jit->builder, at, operands,
                                wide_type(to, LLVMTypeOf(at)));
}

static void
copy_flags(LLVMValueRef from, LLVMValueRef to)
{
    if (LLVMIsAInstruction(to) && LLVMCanValueUseFastMathFlags(from) &&
        LLVMCanValueUseFastMathFlags(to)) {
        LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
    }
}

/* ---- blocks ---- */

/* Saves result number `which` for the threads in `mask`, which leave the loop.
 * Other threads keep the result saved before. */
static void
keep_result(struct widening *to, unsigned which, LLVMValueRef from,
            LLVMValueRef mask)
{
    LLVMValueRef value = value_of(to, from);
    to->next[which] = PLANTED_FAULT(loop_stale)
                          ? value
                          : LLVMBuildSelect(to->jit->builder, mask, value,
                                            to->next[which], "");
}

/* Saves all results of the threads in `mask` at a return of the function for
 * one thread. Results that are constant may be elements of a constant
 * struct. */
static void
widen_return(struct widening *to, LLVMValueRef at, LLVMValueRef mask)
{
    LLVMValueRef all = LLVMGetOperand(at, 0);
    for (; LLVMIsAInsertValueInst(all); all = LLVMGetOperand(all, 0)) {
        keep_result(to, LLVMGetIndices(all)[0], LLVMGetOperand(all, 1), mask);
    }
    for (unsigned i = 0; i < to->result_count; i++) {
        LLVMValueRef constant = LLVMGetAggregateElement(all, i);
        if (constant && !LLVMIsUndef(constant)) {
            keep_result(to, i, constant, mask);
        }
    }
}

static void
widen_block(struct widening *to, LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    LLVMValueRef mask =
        block == to->head ? to->active : edge_mask(to, NULL, block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        if (LLVMIsAReturnInst(at)) {
            widen_return(to, at, mask);
        } else if (LLVMIsABranchInst(at)) {
            widen_branch(to, block, at, mask);
        } else if (LLVMIsASwitchInst(at)) {
            widen_switch(to, block, at, mask);
        } else if (!LLVMIsAInsertValueInst(at) &&
                   !(LLVMIsAPHINode(at) && block == to->head)) {
            LLVMValueRef value = widen_instruction(to, at, mask);
            copy_flags(at, value);
            value_put(to, at, value);
        }
    }
}

/* Writes the vector code of all basic blocks, in an order in which each block
 * comes after its predecessors. done[b]: basic block b was written. */
static void
widen_blocks(struct widening *to)
{
    unsigned head = jit_cfg_index(&to->cfg, to->head), count = to->cfg.count;
    bool *done = jit_allocate(count * sizeof *done);
    done[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (unsigned b = 0; b < count; b++) {
            const struct jit_block *row = &to->cfg.blocks[b];
            bool ready = !done[b];
            for (unsigned i = 0; i < row->predecessor_count; i++) {
                ready = ready && (b == head || done[row->predecessors[i]]);
            }
            if (ready) {
                widen_block(to, row->block);
                done[b] = more = true;
            }
        }
    }
    free(done);
}

/* ---- the function ---- */

/* Creates, at the start of the vector loop, a vector phi for each phi of the
 * scalar loop, and one for each result of the loop (`result` in the opening
 * comment). end_phis adds their incoming values. */
static void
start_phis(struct widening *to)
{
    LLVMValueRef at = LLVMGetFirstInstruction(to->head);
    for (; LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at)) {
        value_put(
            to, at,
            LLVMBuildPhi(to->jit->builder, wide_type(to, LLVMTypeOf(at)), ""));
    }
    for (unsigned i = 0; i < to->result_count; i++) {
        LLVMTypeRef all = LLVMGetReturnType(LLVMGlobalGetValueType(to->wide));
        to->current[i] = LLVMBuildPhi(to->jit->builder,
                                      LLVMStructGetTypeAtIndex(all, i), "");
        to->next[i] = to->current[i];
    }
}

/* Adds the incoming values of the phis that start_phis created: those from
 * before the loop, and those of the previous iteration. */
static void
end_phis(struct widening *to)
{
    LLVMBasicBlockRef blocks[2] = {to->entry, to->loop};
    LLVMValueRef at = LLVMGetFirstInstruction(to->head);
    for (; LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at)) {
        for (unsigned i = 0; i < LLVMCountIncoming(at); i++) {
            bool back = LLVMGetIncomingBlock(at, i) == to->latch;
            LLVMValueRef value = value_of(to, LLVMGetIncomingValue(at, i));
            LLVMAddIncoming(value_of(to, at), &value, &blocks[back], 1);
        }
    }
    for (unsigned i = 0; i < to->result_count; i++) {
        LLVMValueRef values[2] = {LLVMGetPoison(LLVMTypeOf(to->current[i])),
                                  to->next[i]};
        LLVMAddIncoming(to->current[i], values, blocks, 2);
    }
}

/* Returns the type in which the mask of active threads is passed from
 * iteration to iteration. On targets without mask registers, vector
 * comparisons produce vectors of integers, and the type is such a vector. */
static LLVMTypeRef
mask_type(const struct widening *to)
{
    struct jit *jit = to->jit;
    return wide_type(to, jit->options.target->masks ? jit->i1
                         : to->bits == 64           ? jit->i64
                                                    : jit->i32);
}

static LLVMValueRef
build_any(struct widening *to, LLVMValueRef mask)
{
    struct jit *jit = to->jit;
    const char *name = PLANTED_FAULT(loop_together) ? "llvm.vector.reduce.and"
                                                    : "llvm.vector.reduce.or";
    LLVMTypeRef type = LLVMTypeOf(mask);
    LLVMValueRef reduce = LLVMGetIntrinsicDeclaration(
        jit->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(reduce), reduce,
                          &mask, 1, "");
}

/* Writes the loop, which is a single basic block. The loop repeats while any
 * thread takes the back edge. */
static void
write_loop(struct widening *to)
{
    LLVMBuilderRef builder = to->jit->builder;
    LLVMTypeRef bits = wide_type(to, to->jit->i1), type = mask_type(to);
    LLVMValueRef mask = LLVMGetLastParam(to->wide), whole = mask, round;
    LLVMBasicBlockRef blocks[2] = {to->entry, to->loop};
    LLVMPositionBuilderAtEnd(builder, to->entry);
    if (type != bits) {
        whole = LLVMBuildSExt(builder, mask, type, "");
    }
    LLVMBuildBr(builder, to->loop);
    LLVMPositionBuilderAtEnd(builder, to->loop);
    round = to->active = LLVMBuildPhi(builder, type, "");
    start_phis(to);
    if (type != bits) {
        to->active =
            LLVMBuildICmp(builder, LLVMIntSLT, round, LLVMConstNull(type), "");
    }
    widen_blocks(to);
    LLVMValueRef back = edge_mask(to, to->latch, to->head);
    LLVMValueRef values[2] = {whole, back};
    if (type != bits) {
        values[1] = LLVMBuildSExt(builder, back, type, "");
    }
    LLVMAddIncoming(round, values, blocks, 2);
    end_phis(to);
    LLVMBasicBlockRef end =
        LLVMAppendBasicBlockInContext(to->jit->context, to->wide, "");
    LLVMBuildCondBr(builder, build_any(to, back), to->loop, end);
    LLVMPositionBuilderAtEnd(builder, end);
    LLVMValueRef all =
        LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(to->wide)));
    for (unsigned i = 0; i < to->result_count; i++) {
        all = LLVMBuildInsertValue(builder, all, to->next[i], i, "");
    }
    LLVMBuildRet(builder, all);
}

static LLVMValueRef
add_function(struct jit *jit, LLVMValueRef scalar, unsigned width)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(scalar);
    LLVMTypeRef all = LLVMGetReturnType(type);
    LLVMTypeRef types[MAX_INPUTS + 1], results[MAX_RESULTS];
    unsigned count = LLVMCountParams(scalar);
    LLVMGetParamTypes(type, types);
    for (unsigned i = 0; i < count; i++) {
        types[i] = jit_wide_type(types[i], width);
    }
    types[count] = jit_wide_type(jit->i1, width);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(all); i++) {
        results[i] = jit_wide_type(LLVMStructGetTypeAtIndex(all, i), width);
    }
    all = LLVMStructTypeInContext(jit->context, results,
                                  LLVMCountStructElementTypes(all), 0);
    return LLVMAddFunction(jit->module,
                           jit_format("%s.wide%u", jit_name(scalar), width),
                           LLVMFunctionType(all, types, count + 1, 0));
}

static void
find_loop(struct widening *to, LLVMValueRef scalar)
{
    jit_cfg_read(&to->cfg, scalar);
    const struct jit_block *blocks = to->cfg.blocks;
    unsigned head = blocks[0].successors[0];
    to->head = blocks[head].block;
    for (unsigned i = 0; i < blocks[head].predecessor_count; i++) {
        if (blocks[head].predecessors[i] != 0) {
            to->latch = blocks[blocks[head].predecessors[i]].block;
        }
    }
}

static void
count_value(struct jit *jit, LLVMValueRef at, void *data)
{
    unsigned *count = data;
    (void)jit;
    *count += 1 + (LLVMIsATerminatorInst(at) ? LLVMGetNumSuccessors(at) : 0);
}

LLVMValueRef
jit_widen_loop(struct jit *jit, const struct jit_outlined *outlined,
               unsigned width)
{
    LLVMValueRef scalar = outlined->function;
    struct widening to = {.jit = jit, .width = width, .bits = outlined->bits};
    unsigned count = LLVMCountParams(scalar);
    jit_each_instruction(jit, scalar, count_value, &count);
    to.values = jit_allocate(count * sizeof(LLVMValueRef));
    to.edges = jit_allocate(count * sizeof *to.edges);
    to.wide = add_function(jit, scalar, width);
    to.result_count = LLVMCountStructElementTypes(
        LLVMGetReturnType(LLVMGlobalGetValueType(to.wide)));
    for (unsigned i = 0; i < LLVMCountParams(scalar); i++) {
        value_put(&to, LLVMGetParam(scalar, i), LLVMGetParam(to.wide, i));
    }
    find_loop(&to, scalar);
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
    to.entry = LLVMAppendBasicBlockInContext(jit->context, to.wide, "");
    to.loop = LLVMAppendBasicBlockInContext(jit->context, to.wide, "");
    write_loop(&to);
    return to.wide;
}
