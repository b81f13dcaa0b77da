/* affine.c - affine values of a loop: start + step * iteration number.
 *
 * Called by candidates.c and access_form.c for addresses and conditions. To
 * compute start and steps, the computation of a value is cloned with the loop
 * indices replaced by those of the first, second or last iteration. Code is
 * added that tests at run time whether the value of the last iteration is
 * start + step * (count - 1). If the test is true, the value wraps in no
 * iteration.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/checks/affine.h"
#include "jit/checks/loops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/text.h"

enum { MAX_STEPS = 24, FIRST, SECOND, LAST };

const struct jit_loop *
jit_view_outer_loop(const struct jit_view *view)
{
    return view->nest[1] ? view->nest[1] : view->nest[0];
}

/* Tests whether the value is the index of a loop of view->nest. Returns 0 for
 * the inner loop, 1 for the outer loop, -1 for none. */
static int
index_of(const struct jit_view *view, LLVMValueRef value)
{
    for (int i = 0; i < 2 && view->nest[i]; i++) {
        if (value == view->nest[i]->index) {
            return i;
        }
    }
    return -1;
}

static bool
is_outside(const struct jit_view *view, LLVMValueRef value)
{
    return jit_is_outside(view->loops, jit_view_outer_loop(view), value);
}

static bool affine(const struct jit_view *view, LLVMValueRef value, int steps);

static bool
operands_affine(const struct jit_view *view, LLVMValueRef value, int steps)
{
    int count = LLVMGetNumOperands(value);

    for (int i = 0; i < count; i++) {
        if (!affine(view, LLVMGetOperand(value, (unsigned)i), steps)) {
            return false;
        }
    }
    return true;
}

/* Tests whether the value is affine in the loop indices. Follows operands at
 * most `steps` levels deep. */
static bool
affine(const struct jit_view *view, LLVMValueRef value, int steps)
{
    if (is_outside(view, value) || index_of(view, value) >= 0) {
        return true;
    }
    if (steps-- == 0) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMOr:
        return LLVMGetIsDisjoint(value) && operands_affine(view, value, steps);
    case LLVMMul:
        return (is_outside(view, LLVMGetOperand(value, 0)) ||
                is_outside(view, LLVMGetOperand(value, 1))) &&
               operands_affine(view, value, steps);
    case LLVMShl:
        return is_outside(view, LLVMGetOperand(value, 1)) &&
               operands_affine(view, value, steps);
    case LLVMAdd:
    case LLVMSub:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMGetElementPtr:
        return operands_affine(view, value, steps);
    case LLVMCall:
        return jit_calls(value, "__pycuda_check") &&
               affine(view, LLVMGetOperand(value, 0), steps);
    default:
        return false;
    }
}

bool
jit_is_affine(const struct jit_view *view, LLVMValueRef value)
{
    return affine(view, value, MAX_STEPS);
}

/* ---- values in one iteration ---- */

/* Builds the value that the loop's index has in iteration `round`: FIRST,
 * SECOND or LAST. */
static LLVMValueRef
index_in(const struct jit_view *view, const struct jit_loop *loop, int round)
{
    LLVMBuilderRef builder = view->jit->builder;
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(loop->index), 1, 0);

    if (round == LAST && loop->inclusive) {
        return loop->end;
    }
    return round == FIRST    ? loop->start
           : round == SECOND ? LLVMBuildAdd(builder, loop->start, one, "")
                             : LLVMBuildSub(builder, loop->end, one, "");
}

/* Clones the computation of a value, with the index of each loop replaced by
 * its value in iteration rounds[0] (inner loop) or rounds[1] (outer loop). */
static LLVMValueRef
value_in(const struct jit_view *view, LLVMValueRef value, const int rounds[2])
{
    int which = index_of(view, value);

    if (which >= 0) {
        return index_in(view, view->nest[which], rounds[which]);
    }
    if (is_outside(view, value)) {
        return value;
    }
    if (LLVMIsACallInst(value)) {
        return value_in(view, LLVMGetOperand(value, 0), rounds);
    }
    LLVMBuilderRef builder = view->jit->builder;
    LLVMValueRef first = value_in(view, LLVMGetOperand(value, 0), rounds);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    /* the copied cast must not have the flags nneg and nuw, which may be wrong
     * for its new operand */
    if (LLVMIsACastInst(value)) {
        return LLVMBuildCast(builder, opcode, first, LLVMTypeOf(value), "");
    }
    if (LLVMIsABinaryOperator(value)) {
        LLVMValueRef second = value_in(view, LLVMGetOperand(value, 1), rounds);
        return LLVMBuildBinOp(builder, opcode, first, second, "");
    }
    LLVMValueRef copy = LLVMInstructionClone(value);
    int count = LLVMGetNumOperands(value);
    LLVMSetOperand(copy, 0, first);
    for (int i = 1; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        LLVMSetOperand(copy, (unsigned)i, value_in(view, operand, rounds));
    }
    LLVMInsertIntoBuilder(builder, copy);
    return copy;
}

/* Builds the value that `value` has in iteration `inner` of the inner loop and
 * iteration `outer` of the outer loop. A value of fewer than 64 bits is
 * computed in its own width, in which it may wrap, and then zero-extended to
 * 64 bits. */
static LLVMValueRef
wide_in(const struct jit_view *view, LLVMValueRef value, int inner, int outer)
{
    const int rounds[2] = {inner, outer};
    LLVMBuilderRef builder = view->jit->builder;
    LLVMValueRef made = value_in(view, value, rounds);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(made));

    return kind == LLVMPointerTypeKind
               ? LLVMBuildPtrToInt(builder, made, view->jit->i64, "")
               : LLVMBuildZExtOrBitCast(builder, made, view->jit->i64, "");
}

/* Adds to view->consistent the run-time condition that the affine value wraps
 * in no iteration: its value in the last iteration of both loops is first +
 * step[0] * (count[0] - 1) + step[1] * (count[1] - 1). */
static void
require_linear(struct jit_view *view, LLVMValueRef value,
               const struct jit_affine *made)
{
    LLVMBuilderRef builder = view->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef sum = made->value;
    LLVMValueRef last = wide_in(view, value, LAST, LAST);

    for (int i = 0; i < 2 && view->nest[i]; i++) {
        LLVMValueRef rounds = LLVMBuildSub(
            builder, view->count[i], LLVMConstInt(view->jit->i64, 1, 0), "");
        LLVMValueRef way = LLVMBuildMul(builder, made->step[i], rounds, "");
        sum = LLVMBuildAdd(builder, sum, way, "");
    }
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
        LLVMGetIntTypeWidth(type) < 64) {
        sum = LLVMBuildTrunc(builder, sum, type, "");
        last = LLVMBuildTrunc(builder, last, type, "");
    }
    LLVMValueRef same = LLVMBuildICmp(builder, LLVMIntEQ, sum, last, "");
    view->consistent = LLVMBuildAnd(builder, view->consistent, same, "");
}

/* ---- values that change by a constant per iteration ---- */

static bool known_step(const struct jit_view *view, LLVMValueRef value,
                       int which, int64_t *step);

/* For a sum a + sign * b of the value's operands: sets *step to the amount
 * that each iteration of loop `which` (0: inner, 1: outer) adds to the sum.
 * Returns false if this amount is not constant. */
static bool
sum_step(const struct jit_view *view, LLVMValueRef value, int which, int sign,
         int64_t *step)
{
    int64_t one, two;

    if (!known_step(view, LLVMGetOperand(value, 0), which, &one) ||
        !known_step(view, LLVMGetOperand(value, 1), which, &two)) {
        return false;
    }
    *step = one + sign * two;
    return true;
}

/* For an address base[index]: sets *step to the number of bytes that each
 * iteration of loop `which` (0: inner, 1: outer) adds to the address. Returns
 * false if this number is not constant. */
static bool
element_step(const struct jit_view *view, LLVMValueRef value, int which,
             int64_t *step)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(view->jit->module);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
    int64_t base, index;

    if (LLVMGetNumOperands(value) != 2 ||
        !known_step(view, LLVMGetOperand(value, 0), which, &base) ||
        !known_step(view, LLVMGetOperand(value, 1), which, &index)) {
        return false;
    }
    *step = base + index * (int64_t)LLVMABISizeOfType(layout, type);
    return true;
}

/* Sets *step to the amount that each iteration of loop `which` (0: inner, 1:
 * outer) adds to the value. Returns false if this amount is not constant.
 * Assumes that the value does not wrap; jit_make_affine adds a run-time test
 * of this assumption. */
static bool
known_step(const struct jit_view *view, LLVMValueRef value, int which,
           int64_t *step)
{
    *step = index_of(view, value) == which;
    if (index_of(view, value) >= 0 || is_outside(view, value)) {
        return true;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMOr:
        return sum_step(view, value, which, 1, step);
    case LLVMSub:
        return sum_step(view, value, which, -1, step);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFreeze:
    case LLVMCall:
        return known_step(view, LLVMGetOperand(value, 0), which, step);
    case LLVMGetElementPtr:
        return element_step(view, value, which, step);
    default:
        return false;
    }
}

struct jit_affine
jit_make_affine(struct jit_view *view, LLVMValueRef value)
{
    LLVMBuilderRef builder = view->jit->builder;
    LLVMValueRef none = LLVMConstInt(view->jit->i64, 0, 0);
    LLVMTypeRef type = LLVMTypeOf(value);
    bool narrow = LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
                  LLVMGetIntTypeWidth(type) < 64;
    struct jit_affine made = {wide_in(view, value, FIRST, FIRST),
                              {none, none}};

    for (int i = 0; i < 2 && view->nest[i]; i++) {
        int64_t known;
        if (known_step(view, value, i, &known)) {
            made.step[i] =
                LLVMConstInt(view->jit->i64, (unsigned long long)known, 1);
            continue;
        }
        LLVMValueRef next =
            wide_in(view, value, i ? FIRST : SECOND, i ? SECOND : FIRST);
        LLVMValueRef step = LLVMBuildSub(builder, next, made.value, "");
        if (narrow) {
            step = LLVMBuildTrunc(builder, step, type, "");
            step = LLVMBuildSExt(builder, step, view->jit->i64, "");
        }
        made.step[i] = step;
    }
    if (!is_outside(view, value)) {
        require_linear(view, value, &made);
    }
    return made;
}

/* ---- conditions ---- */

struct terms {
    const struct jit_view *view;
    struct jit_term *rows;
    unsigned most, *count;
};

static bool
add_term(struct terms *terms, struct jit_term term)
{
    if (*terms->count == terms->most) {
        return false;
    }
    terms->rows[(*terms->count)++] = term;
    return true;
}

/* Appends to `terms` the condition that the comparison `test` has the result
 * `holds`. Returns false unless `test` compares an affine value with a value
 * that is invariant in the loops. If the invariant value is on the left, the
 * operands are swapped. */
static bool
add_compare(struct terms *terms, LLVMValueRef test, bool holds)
{
    const struct jit_view *view = terms->view;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(test, 0));
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    LLVMValueRef left = LLVMGetOperand(test, 0);
    LLVMValueRef right = LLVMGetOperand(test, 1);

    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
        (LLVMGetIntTypeWidth(type) != 32 && LLVMGetIntTypeWidth(type) != 64)) {
        return false;
    }
    if (!is_outside(view, right)) {
        static const LLVMIntPredicate mirrored[] = {
            [LLVMIntEQ] = LLVMIntEQ,   [LLVMIntNE] = LLVMIntNE,
            [LLVMIntUGT] = LLVMIntULT, [LLVMIntUGE] = LLVMIntULE,
            [LLVMIntULT] = LLVMIntUGT, [LLVMIntULE] = LLVMIntUGE,
            [LLVMIntSGT] = LLVMIntSLT, [LLVMIntSGE] = LLVMIntSLE,
            [LLVMIntSLT] = LLVMIntSGT, [LLVMIntSLE] = LLVMIntSGE};
        LLVMValueRef other = left;
        left = right;
        right = other;
        predicate = mirrored[predicate];
    }
    return is_outside(view, right) && jit_is_affine(view, left) &&
           add_term(terms, (struct jit_term){left, right, JIT_TERM_COMPARE,
                                             predicate, holds});
}

/* Splits the requirement that `test` is equal to `holds` in two. An AND is
 * true exactly if both operands are true; an OR is false exactly if both are
 * false. In these cases, sets `parts` to the two operands and returns true. */
static bool
is_both(LLVMValueRef test, bool holds, LLVMValueRef parts[2])
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(test);
    /* if `test` is a select that expresses AND or OR: its constant operand */
    LLVMValueRef other = NULL;

    if (opcode == (holds ? LLVMAnd : LLVMOr)) {
        parts[0] = LLVMGetOperand(test, 0);
        parts[1] = LLVMGetOperand(test, 1);
        return true;
    }
    if (opcode == LLVMSelect) {
        parts[0] = LLVMGetOperand(test, 0);
        parts[1] = LLVMGetOperand(test, holds ? 1 : 2);
        other = LLVMGetOperand(test, holds ? 2 : 1);
    }
    return other && LLVMIsAConstantInt(other) &&
           (LLVMConstIntGetZExtValue(other) != 0) == !holds;
}

/* Splits the condition that `test` equals `holds` into simple conditions,
 * combined by AND, and appends them to `terms`. Returns false if a part of it
 * cannot be expressed as a jit_term. */
static bool
add_condition(struct terms *terms, LLVMValueRef test, bool holds, int steps)
{
    LLVMValueRef parts[2];

    if (is_outside(terms->view, test)) {
        return add_term(terms, (struct jit_term){test, NULL, JIT_TERM_TRUTH,
                                                 LLVMIntEQ, holds});
    }
    if (steps-- == 0) {
        return false;
    }
    if (LLVMIsAICmpInst(test)) {
        return add_compare(terms, test, holds);
    }
    if (LLVMIsAFreezeInst(test)) {
        return add_condition(terms, LLVMGetOperand(test, 0), holds, steps);
    }
    if (LLVMGetInstructionOpcode(test) == LLVMXor &&
        LLVMIsAConstantInt(LLVMGetOperand(test, 1))) {
        return add_condition(terms, LLVMGetOperand(test, 0), !holds, steps);
    }
    return is_both(test, holds, parts) &&
           add_condition(terms, parts[0], holds, steps) &&
           add_condition(terms, parts[1], holds, steps);
}

/* Tests whether there is a path from block `from` to the loop's latch that
 * avoids `block`: an iteration may then end without executing `block`. */
static bool
path_avoids(const struct jit_view *view, const struct jit_loop *loop,
            unsigned from, unsigned block)
{
    const struct jit_cfg *cfg = &view->loops->cfg;
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    bool *seen = jit_allocate(cfg->count);
    unsigned count = 0;

    queue[count++] = from;
    seen[from] = true;
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        if (queue[i] == loop->latch) {
            return true;
        }
        for (unsigned k = 0; k < row->successor_count; k++) {
            unsigned to = row->successors[k];
            if (!seen[to] && to != block && to != loop->header &&
                loop->blocks[to]) {
                seen[to] = true;
                queue[count++] = to;
            }
        }
    }
    return false;
}

/* Collects in `terms` the conditions of all branches between the loop's header
 * and `block` under which `block` is executed. */
static bool
find_in_loop(struct terms *terms, const struct jit_loop *loop, unsigned block)
{
    const struct jit_loops *loops = terms->view->loops;

    while (block != loop->header) {
        const struct jit_block *row = &loops->cfg.blocks[block];
        unsigned from = loops->dominators[block];

        if (from == NO_BLOCK || !loop->blocks[from]) {
            return false;
        }
        if (row->predecessor_count == 1) {
            LLVMValueRef end =
                LLVMGetBasicBlockTerminator(loops->cfg.blocks[from].block);
            bool choice = LLVMGetNumSuccessors(end) == 2;
            bool first = choice && LLVMGetSuccessor(end, 0) == row->block;
            if (LLVMGetNumSuccessors(end) != 1 &&
                (!choice || !LLVMIsABranchInst(end) ||
                 LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1) ||
                 !add_condition(terms, LLVMGetCondition(end), first, 8))) {
                return false;
            }
        } else if (path_avoids(terms->view, loop, from, block)) {
            return false;
        }
        block = from;
    }
    return true;
}

bool
jit_find_terms(const struct jit_view *view, unsigned block,
               struct jit_term *rows, unsigned most, unsigned *count)
{
    struct terms terms = {view, rows, most, count};

    *count = 0;
    return find_in_loop(&terms, view->nest[0], block) &&
           (!view->nest[1] ||
            find_in_loop(&terms, view->nest[1], view->nest[0]->preheader));
}
