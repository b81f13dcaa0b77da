/* branches.c - splits branches whose condition has terms that are equal in all
 * lanes and terms that are not.
 *
 * Called by pack.c for bodies that run in packs (neighbouring threads as lanes
 * of vectors). In
 *
 *     if (x > 0 && x < 15 && y > 0 && y < 15)
 *
 * the terms with y are uniform: equal for all lanes. If they were part of a
 * mask of lanes, they would be computed and combined as vectors in each row of
 * threads. This pass writes two branches: the first one on the uniform terms,
 * which stays a branch, and the second one on the other terms, which becomes a
 * mask. If the other terms do not depend on y, LLVM moves their mask out of
 * the loop over rows.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/analyse/cfg.h"
#include "jit/jit.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"

/* The terms of a condition, combined by AND: `uniform` has the terms that are
 * equal in all lanes, `others` all other terms. NULL: no such term. */
struct terms {
    LLVMValueRef uniform, others;
};

/* Tests whether `value` is an AND or OR, also in the form of a select, that
 * has the result `wanted` if and only if both operands have it. If so, stores
 * the operands in parts[] and returns true. */
static bool
split_value(LLVMValueRef value, bool wanted, LLVMValueRef parts[2])
{
    if (jit_has_opcode(value, wanted ? LLVMAnd : LLVMOr)) {
        parts[0] = LLVMGetOperand(value, 0);
        parts[1] = LLVMGetOperand(value, 1);
        return true;
    }
    if (!jit_has_opcode(value, LLVMSelect)) {
        return false;
    }
    LLVMValueRef fixed = LLVMGetOperand(value, wanted ? 2 : 1);
    parts[0] = LLVMGetOperand(value, 0);
    parts[1] = LLVMGetOperand(value, wanted ? 1 : 2);
    return LLVMIsAConstantInt(fixed) &&
           LLVMConstIntGetZExtValue(fixed) == !wanted;
}

/* Tests for the negation of a bit, `x ^ true`. */
static bool
is_negation(LLVMValueRef value)
{
    return jit_has_opcode(value, LLVMXor) &&
           LLVMIsAConstantInt(LLVMGetOperand(value, 1));
}

/* Splits the condition that `value`, an i1, is equal to `wanted` into terms
 * that are combined by AND. Combines the uniform terms by AND in
 * terms->uniform and all other terms in terms->others, by instructions at the
 * builder's position. Each term is frozen, since it may be poison: the source
 * may evaluate it only if an earlier term is true. */
static void
add_terms(const struct jit_pack_body *body, LLVMValueRef value, bool wanted,
          int depth, struct terms *terms)
{
    LLVMBuilderRef builder = body->jit->builder;
    LLVMValueRef parts[2];
    if (depth && is_negation(value)) {
        add_terms(body, LLVMGetOperand(value, 0), !wanted, depth - 1, terms);
        return;
    }
    if (depth && split_value(value, wanted, parts)) {
        add_terms(body, parts[0], wanted, depth - 1, terms);
        add_terms(body, parts[1], wanted, depth - 1, terms);
        return;
    }
    bool uniform = jit_pack_is_uniform(body, value);
    LLVMValueRef term = LLVMBuildFreeze(builder, value, "");
    LLVMValueRef *sum = uniform ? &terms->uniform : &terms->others;
    term = wanted ? term : LLVMBuildNot(builder, term, "");
    *sum = *sum ? LLVMBuildAnd(builder, *sum, term, "") : term;
}

/* Counts the terms of the condition that `value`, an i1, is equal to `wanted`,
 * as add_terms finds them. Adds the number of uniform terms to counts[1], and
 * the number of all other terms to counts[0]. */
static void
count_terms(const struct jit_pack_body *body, LLVMValueRef value, bool wanted,
            int depth, unsigned counts[2])
{
    LLVMValueRef parts[2];
    if (depth && is_negation(value)) {
        count_terms(body, LLVMGetOperand(value, 0), !wanted, depth - 1,
                    counts);
    } else if (depth && split_value(value, wanted, parts)) {
        count_terms(body, parts[0], wanted, depth - 1, counts);
        count_terms(body, parts[1], wanted, depth - 1, counts);
    } else {
        counts[jit_pack_is_uniform(body, value)]++;
    }
}

/* Adds an incoming value to each phi of the basic block, for a new edge from
 * `from`: the value that the phi has for the edge from `like`. */
static void
add_incoming(LLVMBasicBlockRef block, LLVMBasicBlockRef from,
             LLVMBasicBlockRef like)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(block);
    for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            if (LLVMGetIncomingBlock(phi, i) == like) {
                LLVMValueRef value = LLVMGetIncomingValue(phi, i);
                LLVMAddIncoming(phi, &value, &from, 1);
                break;
            }
        }
    }
}

/* Replaces, in the phis of the basic block, the predecessor `from` by `by`. */
static void
move_incoming(struct jit *jit, LLVMBasicBlockRef block, LLVMBasicBlockRef from,
              LLVMBasicBlockRef by)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(block);
    while (phi && LLVMIsAPHINode(phi)) {
        LLVMValueRef next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(jit->builder, phi);
        LLVMValueRef copy = LLVMBuildPhi(jit->builder, LLVMTypeOf(phi), "");
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMBasicBlockRef before = LLVMGetIncomingBlock(phi, i);
            LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef now = before == from ? by : before;
            LLVMAddIncoming(copy, &value, &now, 1);
        }
        LLVMReplaceAllUsesWith(phi, copy);
        LLVMInstructionEraseFromParent(phi);
        phi = next;
    }
}

/* Splits the branch at the end of `block` in two: a branch on the uniform
 * terms of its condition and, in a new basic block, a branch on the other
 * terms. The condition is equal to `wanted` if all terms are true. Control
 * then goes to the branch's first target (`wanted` is true) or second target
 * (`wanted` is false). */
static void
split_branch(const struct jit_pack_body *body, LLVMBasicBlockRef block,
             LLVMValueRef end, bool wanted)
{
    enum { DEPTH = 12 };
    struct jit *jit = body->jit;
    struct terms terms = {NULL, NULL};
    LLVMBasicBlockRef meant = LLVMGetSuccessor(end, wanted ? 0 : 1);
    LLVMBasicBlockRef other = LLVMGetSuccessor(end, wanted ? 1 : 0);
    LLVMBasicBlockRef second =
        LLVMAppendBasicBlockInContext(jit->context, body->kernel->body, "");
    LLVMMoveBasicBlockAfter(second, block);
    LLVMPositionBuilderBefore(jit->builder, end);
    add_terms(body, LLVMGetCondition(end), wanted, DEPTH, &terms);
    if (PLANTED_FAULT(pack_terms)) {
        terms.uniform = LLVMConstInt(jit->i1, 1, 0);
    }
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(jit->builder, block);
    LLVMBuildCondBr(jit->builder, terms.uniform, second, other);
    LLVMPositionBuilderAtEnd(jit->builder, second);
    LLVMBuildCondBr(jit->builder, terms.others, meant, other);
    add_incoming(other, second, block);
    move_incoming(jit, meant, block, second);
}

/* Tests whether the edge neither leaves a loop nor leads to the head of a
 * loop. Only branches with two such edges are split, since the other passes of
 * this folder rely on the form of the loops. */
static bool
is_plain_edge(const struct jit_pack_body *body, unsigned from, unsigned to)
{
    return body->loop_of[from] == body->loop_of[to] &&
           (body->loop_of[to] == JIT_NO_LOOP ||
            body->loops[body->loop_of[to]].head != to);
}

bool
jit_pack_split_branches(const struct jit_pack_body *body)
{
    enum { DEPTH = 12 };
    bool any = false;
    for (unsigned b = 0; b < body->cfg.count; b++) {
        const struct jit_block *row = &body->cfg.blocks[b];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(row->block);
        bool branch = LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
                      row->successor_count == 2 &&
                      is_plain_edge(body, b, row->successors[0]) &&
                      is_plain_edge(body, b, row->successors[1]);
        for (int wanted = 0; branch && wanted < 2; wanted++) {
            unsigned counts[2] = {0, 0};
            count_terms(body, LLVMGetCondition(end), wanted, DEPTH, counts);
            if (counts[0] && counts[1]) {
                split_branch(body, row->block, end, wanted);
                any = true;
                break;
            }
        }
    }
    return any;
}
