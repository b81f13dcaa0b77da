/* flow.c - writes the control flow of a function for a pack of threads.
 *
 * Called by pack.c. The basic blocks of the body are written one after the
 * other, in topological order. A basic block is executed for the lanes that
 * reach it (its mask), and skipped if there are none. Every edge of the
 * control-flow graph has a mask, the lanes that take it, and a bit `any`,
 * which is set if the mask has a lane. The mask of a basic block is the union
 * of the masks of its incoming edges. There is a simpler case: after a branch
 * with a uniform condition in basic block A, either all lanes of A go to basic
 * block B or none. Then B uses A's mask, and only the bit `any` decides
 * whether B is executed. A loop is repeated while a lane takes its back edge.
 * If lanes leave the loop in different iterations, the values that are used
 * after the loop are saved for each lane when that lane leaves.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/report.h"
#include "jit/text.h"

/* Value of flow.mask_of for basic blocks that either all lanes of the pack
 * execute or no lane executes. The lane mask of these blocks is the mask with
 * which the function for the pack (several threads as lanes of vectors) was
 * called. */
#define ENTRY_MASK (~0u)

struct edge {
    unsigned from, to;
    /* stack variables (addresses): the mask of the lanes that take the edge,
     * and a bit that tells whether any lane does */
    LLVMValueRef mask, any;
};

/* A value that is computed in a loop and used after it: it is incoming value
 * number `incoming` of the phi `phi` after the loop, and is kept in the stack
 * variable `slot`. */
struct saved {
    LLVMValueRef phi, slot;
    unsigned incoming;
};

struct flow {
    struct jit_pack_writer to;
    struct edge *edges;
    unsigned edge_count;
    struct saved *saved;
    unsigned saved_count;
    /* Three arrays with an element for each basic block. mask_of: the basic
     * block whose lane mask applies, or ENTRY_MASK. masks: the stack variable
     * of the block's lane mask, or NULL. any: the stack variable of a bit that
     * tells whether any lane executes the block; NULL if the block is always
     * executed. */
    unsigned *mask_of;
    LLVMValueRef *masks, *any;
    bool *done;
};

static bool
is_uniform_end(const struct flow *flow, unsigned block)
{
    LLVMValueRef end =
        LLVMGetBasicBlockTerminator(flow->to.body->cfg.blocks[block].block);
    return LLVMGetNumSuccessors(end) < 2 ||
           jit_pack_is_uniform(flow->to.body, LLVMGetOperand(end, 0));
}

/* Returns the outermost of the loops that an edge leaves, or JIT_NO_LOOP if it
 * leaves none. Sets *parts if for some of these loops, the lanes may leave the
 * loop in different iterations. */
static unsigned
left_loop(const struct flow *flow, unsigned from, unsigned to, bool *parts)
{
    const struct jit_pack_body *body = flow->to.body;
    unsigned left = JIT_NO_LOOP, loop = body->loop_of[from];
    *parts = false;
    for (; loop != JIT_NO_LOOP && !body->loops[loop].inside[to];
         loop = body->loops[loop].parent) {
        left = loop;
        *parts |= body->loops[loop].parts;
    }
    return left;
}

static LLVMValueRef
load_bit(struct flow *flow, LLVMValueRef slot)
{
    return LLVMBuildLoad2(flow->to.builder, flow->to.jit->i1, slot, "");
}

static LLVMTypeRef
mask_type(const struct flow *flow)
{
    return LLVMVectorType(flow->to.jit->i1, flow->to.width);
}

static LLVMValueRef
load_mask(struct flow *flow, unsigned block)
{
    unsigned of = flow->mask_of[block];
    return of == ENTRY_MASK ? flow->to.all
                            : LLVMBuildLoad2(flow->to.builder, mask_type(flow),
                                             flow->masks[of], "");
}

static LLVMValueRef
any_lane(struct flow *flow, LLVMValueRef mask)
{
    static const char name[] = "llvm.vector.reduce.or";
    LLVMTypeRef type = LLVMTypeOf(mask);
    LLVMValueRef reduce = LLVMGetIntrinsicDeclaration(
        flow->to.jit->module, LLVMLookupIntrinsicID(name, sizeof name - 1),
        &type, 1);
    return LLVMBuildCall2(flow->to.builder, LLVMGlobalGetValueType(reduce),
                          reduce, &mask, 1, "");
}

static LLVMValueRef
both(struct flow *flow, LLVMValueRef mask, LLVMValueRef condition)
{
    return LLVMBuildSelect(flow->to.builder, mask, condition,
                           LLVMConstNull(LLVMTypeOf(condition)), "");
}

/* ---- edges ---- */

static void
add_edges(struct flow *flow)
{
    const struct jit_cfg *cfg = &flow->to.body->cfg;
    unsigned count = 0;
    for (unsigned b = 0; b < cfg->count; b++) {
        count += LLVMGetNumSuccessors(
            LLVMGetBasicBlockTerminator(cfg->blocks[b].block));
    }
    flow->edges = jit_allocate((count + 1) * sizeof *flow->edges);
    for (unsigned b = 0; b < cfg->count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            flow->edges[flow->edge_count++] =
                (struct edge){b, jit_cfg_index(cfg, LLVMGetSuccessor(end, k)),
                              jit_pack_slot(&flow->to, mask_type(flow)),
                              jit_pack_slot(&flow->to, flow->to.jit->i1)};
        }
    }
}

/* Writes code for the start of an iteration of `loop`. The mask of an edge is
 * the set of the lanes that take it. The code empties the masks of the edges
 * for which `loop` is the innermost loop around both ends. If `loop` is
 * JIT_NO_LOOP, it empties the masks of the edges outside of loops. */
static void
clear_edges(struct flow *flow, unsigned loop)
{
    for (unsigned i = 0; i < flow->edge_count; i++) {
        struct edge *edge = &flow->edges[i];
        if (jit_pack_common_loop(flow->to.body, edge->from, edge->to) ==
            loop) {
            LLVMBuildStore(flow->to.builder, LLVMConstNull(mask_type(flow)),
                           edge->mask);
            LLVMBuildStore(flow->to.builder, LLVMConstNull(flow->to.jit->i1),
                           edge->any);
        }
    }
}

static struct saved *
saved_slot(struct flow *flow, LLVMValueRef phi, unsigned incoming)
{
    for (unsigned i = 0; i < flow->saved_count; i++) {
        if (flow->saved[i].phi == phi && flow->saved[i].incoming == incoming) {
            return &flow->saved[i];
        }
    }
    flow->saved =
        realloc(flow->saved, (flow->saved_count + 1) * sizeof *flow->saved);
    if (!flow->saved) {
        jit_die("out of memory");
    }
    struct saved *row = &flow->saved[flow->saved_count++];
    *row = (struct saved){
        phi, jit_pack_slot(&flow->to, jit_pack_type(&flow->to, phi)),
        incoming};
    return row;
}

/* For an edge that leaves a loop: writes code that saves, for the lanes in
 * `mask`, the values that the phis of the edge's target receive over this
 * edge. */
static void
save_values(struct flow *flow, const struct edge *edge, LLVMValueRef mask,
            LLVMValueRef any, bool parts)
{
    struct jit_pack_writer *to = &flow->to;
    const struct jit_cfg *cfg = &to->body->cfg;
    LLVMValueRef phi = LLVMGetFirstInstruction(cfg->blocks[edge->to].block);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            if (LLVMGetIncomingBlock(phi, i) !=
                cfg->blocks[edge->from].block) {
                continue;
            }
            LLVMValueRef slot = saved_slot(flow, phi, i)->slot;
            LLVMValueRef value =
                jit_pack_as(to, LLVMGetIncomingValue(phi, i), phi);
            if (parts && !PLANTED_FAULT(pack_stale)) {
                bool linear = jit_pack_is_linear(to->body, phi);
                value = LLVMBuildSelect(
                    to->builder, linear ? any : mask, value,
                    LLVMBuildLoad2(to->builder, LLVMTypeOf(value), slot, ""),
                    "");
            }
            LLVMBuildStore(to->builder, value, slot);
        }
    }
}

static void
set_edge(struct flow *flow, struct edge *edge, LLVMValueRef mask,
         LLVMValueRef any)
{
    LLVMBuilderRef builder = flow->to.builder;
    bool parts;
    if (left_loop(flow, edge->from, edge->to, &parts) != JIT_NO_LOOP) {
        save_values(flow, edge, mask, any, parts);
        LLVMValueRef before =
            LLVMBuildLoad2(builder, mask_type(flow), edge->mask, "");
        mask = LLVMBuildOr(builder, before, mask, "");
        any = LLVMBuildOr(builder, load_bit(flow, edge->any), any, "");
    }
    LLVMBuildStore(builder, mask, edge->mask);
    LLVMBuildStore(builder, any, edge->any);
}

/* Writes code that moves the lanes of *mask for which the condition is true to
 * the control-flow edge `edge`. *any is an i1: whether *mask has an active
 * lane. Afterwards *mask has the remaining lanes, and *any tells whether there
 * are any. */
static void
take_edge(struct flow *flow, struct edge *edge, LLVMValueRef condition,
          LLVMValueRef *mask, LLVMValueRef *any)
{
    LLVMBuilderRef builder = flow->to.builder;
    LLVMValueRef other = LLVMBuildNot(builder, condition, "");
    if (LLVMTypeOf(condition) == flow->to.jit->i1) {
        LLVMValueRef none = LLVMConstNull(mask_type(flow));
        set_edge(flow, edge,
                 LLVMBuildSelect(builder, condition, *mask, none, ""),
                 both(flow, *any, condition));
        *mask = LLVMBuildSelect(builder, condition, none, *mask, "");
        *any = both(flow, *any, other);
        return;
    }
    LLVMValueRef taken = both(flow, *mask, condition);
    set_edge(flow, edge, taken, any_lane(flow, taken));
    *mask = both(flow, *mask, other);
    *any = any_lane(flow, *mask);
}

static LLVMValueRef
condition_of(struct flow *flow, LLVMValueRef value)
{
    return jit_pack_is_uniform(flow->to.body, value)
               ? jit_pack_scalar(&flow->to, value)
               : jit_pack_vector(&flow->to, value);
}

/* Writes code that sets the masks of the edges that leave the block. */
static void
leave_block(struct flow *flow, unsigned block, LLVMValueRef any)
{
    struct jit_pack_writer *to = &flow->to;
    LLVMValueRef end =
        LLVMGetBasicBlockTerminator(to->body->cfg.blocks[block].block);
    LLVMValueRef mask = to->mask;
    unsigned first = 0, count = LLVMGetNumSuccessors(end);
    while (first < flow->edge_count && flow->edges[first].from != block) {
        first++;
    }
    struct edge *edges = flow->edges + first;
    if (LLVMIsASwitchInst(end)) {
        LLVMValueRef operand = LLVMGetOperand(end, 0);
        LLVMValueRef value = condition_of(flow, operand);
        for (unsigned k = 1; k < count; k++) {
            LLVMValueRef number = LLVMGetOperand(end, 2 * k);
            bool single = jit_pack_is_uniform(to->body, operand);
            number = single ? number : jit_pack_splat(to, number);
            take_edge(flow, &edges[k],
                      LLVMBuildICmp(to->builder, LLVMIntEQ, value, number, ""),
                      &mask, &any);
        }
    } else if (count == 2) {
        take_edge(flow, &edges[0], condition_of(flow, LLVMGetCondition(end)),
                  &mask, &any);
        edges++;
    }
    if (count) {
        set_edge(flow, &edges[0], mask, any);
    }
}

/* ---- phis ---- */

/* Returns incoming value number `i` of the phi: a scalar if the phi is a
 * scalar in the function for the pack, else a vector. */
static LLVMValueRef
incoming(struct flow *flow, LLVMValueRef phi, unsigned i)
{
    struct jit_pack_writer *to = &flow->to;
    const struct jit_cfg *cfg = &to->body->cfg;
    bool parts;
    unsigned from = jit_cfg_index(cfg, LLVMGetIncomingBlock(phi, i));
    unsigned block = jit_cfg_index(cfg, LLVMGetInstructionParent(phi));
    if (left_loop(flow, from, block, &parts) == JIT_NO_LOOP) {
        return jit_pack_as(to, LLVMGetIncomingValue(phi, i), phi);
    }
    LLVMValueRef slot = saved_slot(flow, phi, i)->slot;
    return LLVMBuildLoad2(to->builder, jit_pack_type(to, phi), slot, "");
}

/* Returns the union of the masks of all edges from one basic block to another.
 * If `single` is true, returns one bit instead: whether any lane takes one of
 * these edges. */
static LLVMValueRef
taken(struct flow *flow, LLVMBasicBlockRef from, unsigned to, bool single)
{
    LLVMValueRef sum = NULL;
    const struct jit_cfg *cfg = &flow->to.body->cfg;
    for (unsigned i = 0; i < flow->edge_count; i++) {
        struct edge *edge = &flow->edges[i];
        if (edge->to != to || cfg->blocks[edge->from].block != from) {
            continue;
        }
        LLVMValueRef one =
            single ? load_bit(flow, edge->any)
                   : LLVMBuildLoad2(flow->to.builder, mask_type(flow),
                                    edge->mask, "");
        sum = sum ? LLVMBuildOr(flow->to.builder, sum, one, "") : one;
    }
    return sum;
}

static void
write_phi(struct flow *flow, unsigned block, LLVMValueRef phi)
{
    bool single = jit_pack_is_linear(flow->to.body, phi) ||
                  !jit_pack_lanes_mix(flow->to.body, phi);
    LLVMValueRef value = incoming(flow, phi, 0);
    for (unsigned i = 1; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef way =
            taken(flow, LLVMGetIncomingBlock(phi, i), block, single);
        value = LLVMBuildSelect(flow->to.builder, way, incoming(flow, phi, i),
                                value, "");
    }
    jit_pack_define(&flow->to, phi, value);
}

/* ---- blocks ---- */

/* Tests whether the edge is taken either by all lanes that execute edge->from,
 * the source of the edge, or by no lane. Sets *of to the basic block whose
 * lane mask also applies to edge->from. */
static bool
keeps_lanes(const struct flow *flow, const struct edge *edge, unsigned *of)
{
    const struct jit_pack_body *body = flow->to.body;
    bool parts;
    *of = flow->mask_of[edge->from];
    left_loop(flow, edge->from, edge->to, &parts);
    if (parts || !is_uniform_end(flow, edge->from)) {
        return false;
    }
    return *of == ENTRY_MASK || body->loop_of[*of] == JIT_NO_LOOP ||
           body->loops[body->loop_of[*of]].inside[edge->to];
}

static void
store_new_slot(struct flow *flow, LLVMValueRef *slot, LLVMTypeRef type,
               LLVMValueRef value)
{
    *slot = *slot ? *slot : jit_pack_slot(&flow->to, type);
    LLVMBuildStore(flow->to.builder, value, *slot);
}

/* Determines flow->mask_of and flow->any of a basic block, and writes code
 * that computes its lane mask. All predecessors, except those over back edges,
 * have been written before. */
static void
enter_block(struct flow *flow, unsigned block)
{
    const struct jit_pack_body *body = flow->to.body;
    unsigned above = body->dominator[block], of = 0, first = 0;
    LLVMValueRef any = NULL, mask = NULL;
    bool same_lanes = true, found = false;
    for (; above != NO_BLOCK; above = body->dominator[above]) {
        if (jit_pack_equivalent(body, above, block) &&
            !(body->loop_of[block] != JIT_NO_LOOP &&
              body->loops[body->loop_of[block]].head == block)) {
            flow->mask_of[block] = flow->mask_of[above];
            flow->any[block] = flow->any[above];
            return;
        }
    }
    for (unsigned i = 0; i < flow->edge_count; i++) {
        struct edge *edge = &flow->edges[i];
        if (edge->to != block || !flow->done[edge->from]) {
            continue;
        }
        LLVMValueRef bit = load_bit(flow, edge->any);
        LLVMValueRef lanes =
            LLVMBuildLoad2(flow->to.builder, mask_type(flow), edge->mask, "");
        any = any ? LLVMBuildOr(flow->to.builder, any, bit, "") : bit;
        mask = mask ? LLVMBuildOr(flow->to.builder, mask, lanes, "") : lanes;
        same_lanes = same_lanes && keeps_lanes(flow, edge, &of) &&
                     (!found || of == first);
        first = of;
        found = true;
    }
    any = any ? any : LLVMConstNull(flow->to.jit->i1);
    mask = mask ? mask : LLVMConstNull(mask_type(flow));
    flow->mask_of[block] = same_lanes && found ? first : block;
    store_new_slot(flow, &flow->masks[block], mask_type(flow), mask);
    store_new_slot(flow, &flow->any[block], flow->to.jit->i1, any);
}

/* Tests whether the basic block may be executed with an empty lane mask: it is
 * short, and has no side effects and no memory accesses. */
static bool
may_speculate(const struct flow *flow, unsigned block)
{
    enum { SHORT = 12 };
    LLVMValueRef at =
        LLVMGetFirstInstruction(flow->to.body->cfg.blocks[block].block);
    unsigned count = 0;
    if (flow->mask_of[block] != block) {
        return false;
    }
    for (; at; at = LLVMGetNextInstruction(at)) {
        switch (LLVMGetInstructionOpcode(at)) {
        case LLVMLoad:
        case LLVMStore:
        case LLVMCall:
        case LLVMAtomicRMW:
        case LLVMAtomicCmpXchg:
        case LLVMUDiv:
        case LLVMSDiv:
        case LLVMURem:
        case LLVMSRem:
            return false;
        default:
            count++;
        }
    }
    return count <= SHORT;
}

/* If the basic block is not always executed, writes a branch that skips the
 * block's code if no lane executes the block, and returns the LLVM basic block
 * to which the branch jumps. Returns NULL if the basic block is always
 * executed. */
static LLVMBasicBlockRef
begin_guard(struct flow *flow, unsigned block)
{
    LLVMContextRef context = flow->to.jit->context;
    if (!flow->any[block]) {
        return NULL;
    }
    LLVMBasicBlockRef inside =
        LLVMAppendBasicBlockInContext(context, flow->to.function, "");
    LLVMBasicBlockRef after =
        LLVMAppendBasicBlockInContext(context, flow->to.function, "");
    LLVMBuildCondBr(flow->to.builder, load_bit(flow, flow->any[block]), inside,
                    after);
    LLVMPositionBuilderAtEnd(flow->to.builder, inside);
    return after;
}

static void
end_guard(struct flow *flow, LLVMBasicBlockRef after)
{
    if (after) {
        LLVMBuildBr(flow->to.builder, after);
        LLVMPositionBuilderAtEnd(flow->to.builder, after);
    }
}

/* Writes the instructions of a basic block. `head`: true if the block is the
 * head of a loop, whose phis have been written already. */
static void
write_block(struct flow *flow, unsigned block, bool head)
{
    struct jit_pack_writer *to = &flow->to;
    LLVMValueRef at =
        LLVMGetFirstInstruction(to->body->cfg.blocks[block].block);
    bool speculated = !head && flow->any[block] && may_speculate(flow, block);
    LLVMBasicBlockRef after =
        head || speculated ? NULL : begin_guard(flow, block);
    to->block = block;
    to->mask = load_mask(flow, block);
    to->whole = flow->mask_of[block] == ENTRY_MASK;
    for (; LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at)) {
        if (!head) {
            write_phi(flow, block, at);
        }
    }
    for (; !LLVMIsATerminatorInst(at); at = LLVMGetNextInstruction(at)) {
        jit_pack_instruction(to, at);
    }
    leave_block(flow, block,
                speculated ? load_bit(flow, flow->any[block])
                           : LLVMConstInt(to->jit->i1, 1, 0));
    to->block = NO_BLOCK;
    end_guard(flow, after);
}

/* ---- loops ---- */

static void write_level(struct flow *flow, unsigned loop);

/* Gives the phis of the loop's head their values for the first iteration (if
 * `back` is false) or for the next iteration. */
static void
pass_phis(struct flow *flow, const struct jit_pack_loop *loop, bool back)
{
    struct jit_pack_writer *to = &flow->to;
    const struct jit_cfg *cfg = &to->body->cfg;
    unsigned count = 0;
    LLVMValueRef first =
        LLVMGetFirstInstruction(cfg->blocks[loop->head].block);
    for (LLVMValueRef phi = first; LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        count++;
    }
    LLVMValueRef *values = jit_allocate(count * sizeof *values);
    count = 0;
    for (LLVMValueRef phi = first; LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            unsigned from = jit_cfg_index(cfg, LLVMGetIncomingBlock(phi, i));
            if ((from == loop->latch) == back) {
                values[count++] =
                    jit_pack_as(to, LLVMGetIncomingValue(phi, i), phi);
                break;
            }
        }
    }
    count = 0;
    for (LLVMValueRef phi = first; LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMBuildStore(to->builder, values[count++],
                       jit_pack_slot_of(to, phi));
    }
    free(values);
}

static void
write_loop(struct flow *flow, unsigned number)
{
    struct jit_pack_writer *to = &flow->to;
    const struct jit_pack_loop *loop = &to->body->loops[number];
    unsigned head = loop->head;
    enter_block(flow, head);
    LLVMBasicBlockRef after = begin_guard(flow, head);
    if (loop->parts) {
        LLVMValueRef mask = load_mask(flow, head);
        flow->mask_of[head] = head;
        store_new_slot(flow, &flow->masks[head], mask_type(flow), mask);
    }
    flow->any[head] = NULL;
    pass_phis(flow, loop, false);
    jit_pack_empty_buffers(to, number);
    LLVMBasicBlockRef start =
        LLVMAppendBasicBlockInContext(to->jit->context, to->function, "");
    LLVMBasicBlockRef end =
        LLVMAppendBasicBlockInContext(to->jit->context, to->function, "");
    LLVMBuildBr(to->builder, start);
    LLVMPositionBuilderAtEnd(to->builder, start);
    clear_edges(flow, number);
    write_level(flow, number);
    LLVMBasicBlockRef latch = to->body->cfg.blocks[loop->latch].block;
    LLVMValueRef more = taken(flow, latch, head, true);
    if (loop->parts) {
        LLVMBuildStore(to->builder, taken(flow, latch, head, false),
                       flow->masks[head]);
    }
    pass_phis(flow, loop, true);
    LLVMBuildCondBr(to->builder, more, start, end);
    LLVMPositionBuilderAtEnd(to->builder, end);
    end_guard(flow, after);
}

/* If the basic block is in a loop that is directly inside the loop `level`,
 * returns that inner loop. Returns JIT_NO_LOOP if `level` is the block's
 * innermost loop. `level` is JIT_NO_LOOP for code outside of loops. */
static unsigned
part_of(const struct jit_pack_body *body, unsigned block, unsigned level)
{
    unsigned loop = body->loop_of[block];
    if (loop == level) {
        return JIT_NO_LOOP;
    }
    while (body->loops[loop].parent != level) {
        loop = body->loops[loop].parent;
    }
    return loop;
}

/* Tests whether a basic block, or the loop whose head it is, can be written
 * next: all its predecessors have been written. */
static bool
is_ready(const struct flow *flow, unsigned block, unsigned level)
{
    const struct jit_pack_body *body = flow->to.body;
    const struct jit_block *row = &body->cfg.blocks[block];
    unsigned part = part_of(body, block, level);
    bool head = level != JIT_NO_LOOP && body->loops[level].head == block;
    for (unsigned i = 0; i < row->predecessor_count && !head; i++) {
        unsigned from = row->predecessors[i];
        bool own = part != JIT_NO_LOOP && body->loops[part].inside[from];
        if (!own && !flow->done[from]) {
            return false;
        }
    }
    return part == JIT_NO_LOOP || body->loops[part].head == block;
}

static void
write_part(struct flow *flow, unsigned block, unsigned level)
{
    const struct jit_pack_body *body = flow->to.body;
    unsigned part = part_of(body, block, level);
    bool head = level != JIT_NO_LOOP && body->loops[level].head == block;
    if (part != JIT_NO_LOOP) {
        write_loop(flow, part);
        for (unsigned b = 0; b < body->cfg.count; b++) {
            flow->done[b] |= body->loops[part].inside[b];
        }
        return;
    }
    if (!head && block != 0) {
        enter_block(flow, block);
    }
    write_block(flow, block, head);
    flow->done[block] = true;
}

/* Writes the basic blocks of the loop `level` that are in no inner loop, and
 * the inner loops. `level` is JIT_NO_LOOP for the whole function. */
static void
write_level(struct flow *flow, unsigned level)
{
    const struct jit_pack_body *body = flow->to.body;
    for (bool more = true; more;) {
        more = false;
        for (unsigned b = 0; b < body->cfg.count; b++) {
            bool within = level == JIT_NO_LOOP || body->loops[level].inside[b];
            if (within && !flow->done[b] && is_ready(flow, b, level)) {
                write_part(flow, b, level);
                more = true;
            }
        }
    }
}

/* ---- the function ---- */

LLVMValueRef
jit_pack_add_function(struct jit_pack_body *body, unsigned width,
                      const char *prefix)
{
    struct jit *jit = body->jit;
    unsigned count = LLVMCountParams(body->kernel->body);
    LLVMTypeRef *types = jit_allocate((count + 1) * sizeof(LLVMTypeRef));
    LLVMGetParamTypes(LLVMGlobalGetValueType(body->kernel->body), types);
    types[count] = LLVMVectorType(jit->i1, width);
    LLVMValueRef function = LLVMAddFunction(
        jit->module, jit_format("%s%u.%s", prefix, width, body->kernel->name),
        LLVMFunctionType(LLVMVoidTypeInContext(jit->context), types, count + 1,
                         0));
    jit_add_attribute(jit, function, "nounwind");
    jit_add_attribute(jit, function, "null_pointer_is_valid");
    return function;
}

static void
count_values(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)at;
    ++*(unsigned *)data;
}

LLVMValueRef
jit_pack_write(struct jit_pack_body *body, unsigned width, const char *prefix)
{
    struct jit *jit = body->jit;
    unsigned count = body->cfg.count, values = 1;
    struct flow flow = {.to = {.body = body, .jit = jit, .width = width}};
    struct jit_pack_writer *to = &flow.to;
    jit_each_instruction(jit, body->kernel->body, count_values, &values);
    to->slots = jit_allocate(values * sizeof(LLVMValueRef));
    to->locals = jit_allocate(values * sizeof(LLVMValueRef));
    flow.mask_of = jit_allocate(count * sizeof(unsigned));
    flow.masks = jit_allocate(count * sizeof(LLVMValueRef));
    flow.any = jit_allocate(count * sizeof(LLVMValueRef));
    flow.done = jit_allocate(count);
    to->function = jit_pack_add_function(body, width, prefix);
    to->builder = jit->builder;
    to->all = LLVMGetLastParam(to->function);
    to->entry = LLVMAppendBasicBlockInContext(jit->context, to->function, "");
    LLVMBasicBlockRef start =
        LLVMAppendBasicBlockInContext(jit->context, to->function, "");
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
    LLVMPositionBuilderAtEnd(jit->builder, to->entry);
    LLVMBuildBr(jit->builder, start);
    LLVMPositionBuilderAtEnd(jit->builder, start);
    add_edges(&flow);
    clear_edges(&flow, JIT_NO_LOOP);
    flow.mask_of[0] = ENTRY_MASK;
    write_level(&flow, JIT_NO_LOOP);
    LLVMBuildRetVoid(jit->builder);
    return to->function;
}
