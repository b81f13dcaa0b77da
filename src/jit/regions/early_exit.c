/* early_exit.c - handles threads that leave a kernel before its first barrier.
 *
 * Called by regions.c before and after a kernel is split.
 *
 *     if (x >= width || y >= height) return;
 *
 * Here x is threadIdx.x plus uniform terms, and y is threadIdx.y plus uniform
 * terms. All threads that do not return have a threadIdx.x and a threadIdx.y
 * below certain bounds. The condition is removed, all thread loops of the
 * entry end at these bounds (entries/region.c), and a thread block without
 * remaining threads is skipped.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/body.h"
#include "jit/entries/entries.h"
#include "jit/entries/guard.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/text.h"

enum { MAX_TERMS = 4 };

struct term {
    LLVMValueRef value;
    bool is_signed;
};

/* The condition threadIdx.x + terms < limit (axis 0) or threadIdx.y + terms <
 * limit (axis 1). If or_equal is set, the comparison is <=. */
struct bound {
    int axis;
    struct term terms[MAX_TERMS];
    unsigned count;
    struct term limit;
    bool or_equal;
};

struct search {
    struct jit_kernel *kernel;
    struct bound bounds[JIT_MAX_BOUNDS];
    unsigned count;
};

static unsigned
width_of(LLVMValueRef value)
{
    return LLVMGetIntTypeWidth(LLVMTypeOf(value));
}

/* Returns the operand of a sign or zero extension, and sets *is_signed to
 * whether it is a sign extension. Returns other values unchanged. */
static LLVMValueRef
without_extension(LLVMValueRef value, bool *is_signed)
{
    if (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value)) {
        *is_signed = LLVMIsASExtInst(value) != NULL;
        return LLVMGetOperand(value, 0);
    }
    return value;
}

static bool
match_thread(const struct search *search, LLVMValueRef value, int *axis)
{
    bool ignored;
    value = without_extension(value, &ignored);
    for (*axis = 0; *axis < 2; ++*axis) {
        if (value == jit_body_argument(search->kernel, JIT_TID + *axis)) {
            return true;
        }
    }
    return false;
}

/* Tests for a product such as blockIdx.x * blockDim.x or blockIdx.x * 256, or
 * a small constant. The sum of such a value and threadIdx cannot wrap within
 * CUDA's limits on the sizes of grids and blocks. */
static bool
is_block_start(const struct jit_kernel *kernel, LLVMValueRef value)
{
    bool ignored;
    if (LLVMIsAConstantInt(value)) {
        return width_of(value) <= 64 && LLVMConstIntGetSExtValue(value) >= 0 &&
               LLVMConstIntGetSExtValue(value) < 1 << 30;
    }
    if (!jit_has_opcode(value, LLVMMul) && !jit_has_opcode(value, LLVMShl)) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef one =
            without_extension(LLVMGetOperand(value, i), &ignored);
        LLVMValueRef other =
            without_extension(LLVMGetOperand(value, 1 - i), &ignored);
        for (int axis = 0; axis < 2; axis++) {
            if (one == jit_body_argument(kernel, JIT_CTAID + axis) &&
                (LLVMIsAConstantInt(other) ||
                 other == jit_body_argument(kernel, JIT_NTID + axis))) {
                return true;
            }
        }
    }
    return false;
}

static bool
match_index(const struct search *search, LLVMValueRef value, bool is_signed,
            struct bound *bound)
{
    if (match_thread(search, value, &bound->axis)) {
        return true;
    }
    value = without_extension(value, &is_signed);
    bool add = jit_has_opcode(value, LLVMAdd);
    bool safe = add && (is_signed ? LLVMGetNSW(value) : LLVMGetNUW(value));
    for (unsigned i = 0; add && bound->count < MAX_TERMS && i < 2; i++) {
        LLVMValueRef other = LLVMGetOperand(value, 1 - i);
        if (!jit_is_uniform(search->kernel, other, 0) ||
            !(safe || is_block_start(search->kernel, other))) {
            continue;
        }
        unsigned position = bound->count++;
        bound->terms[position] = (struct term){other, is_signed};
        if (match_index(search, LLVMGetOperand(value, i), is_signed, bound)) {
            return true;
        }
        bound->count = position;
    }
    return false;
}

/* Tests whether the comparison `left predicate right` has the form `threadIdx
 * + terms < limit`, or <= instead of <, with uniform terms and limit. If so,
 * adds this condition to search->bounds. */
static bool
match_comparison(struct search *search, LLVMValueRef left,
                 LLVMIntPredicate predicate, LLVMValueRef right)
{
    struct bound *bound = &search->bounds[search->count];
    bool is_signed = predicate == LLVMIntSLT || predicate == LLVMIntSLE;
    bool or_equal = predicate == LLVMIntULE || predicate == LLVMIntSLE;
    if (!(is_signed || or_equal || predicate == LLVMIntULT) ||
        (or_equal && width_of(right) > 32) || width_of(right) > 64) {
        return false;
    }
    *bound = (struct bound){.limit = {right, is_signed}, .or_equal = or_equal};
    if (!match_index(search, left, is_signed, bound) ||
        !jit_is_uniform(search->kernel, right, 0)) {
        return false;
    }
    search->count++;
    return true;
}

/* Returns true if the condition `value` equals `go_on` exactly when several
 * comparisons of the form `threadIdx + terms < limit` are all true. In that
 * case, adds these comparisons to search->bounds. */
static bool
match_condition(struct search *search, LLVMValueRef value, bool go_on)
{
    if (LLVMIsAICmpInst(value) && search->count < JIT_MAX_BOUNDS &&
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value, 0))) ==
            LLVMIntegerTypeKind) {
        LLVMIntPredicate predicate = LLVMGetICmpPredicate(value);
        LLVMValueRef left = LLVMGetOperand(value, 0);
        LLVMValueRef right = LLVMGetOperand(value, 1);
        predicate = go_on ? predicate : jit_predicate_inverse(predicate);
        return match_comparison(search, left, predicate, right) ||
               match_comparison(search, right,
                                jit_predicate_mirrored(predicate), left);
    }
    if (jit_has_opcode(value, go_on ? LLVMAnd : LLVMOr)) {
        return match_condition(search, LLVMGetOperand(value, 0), go_on) &&
               match_condition(search, LLVMGetOperand(value, 1), go_on);
    }
    if (jit_has_opcode(value, LLVMSelect)) {
        unsigned other = go_on ? 1 : 2;
        LLVMValueRef fixed = LLVMGetOperand(value, 3 - other);
        return LLVMIsAConstantInt(fixed) &&
               LLVMConstIntGetZExtValue(fixed) == !go_on &&
               match_condition(search, LLVMGetOperand(value, 0), go_on) &&
               match_condition(search, LLVMGetOperand(value, other), go_on);
    }
    return false;
}

/* ---- the text for the entry ---- */

/* Writes IR text that extends the term, a uniform value, to 64 bits, and
 * returns the name of the result. */
static const char *
write_wide(struct jit_text *text, struct jit_kernel *kernel,
           const struct term *term)
{
    static unsigned serial;
    const char *operand = jit_text_operand(text, kernel, term->value);
    if (width_of(term->value) == 64) {
        return operand;
    }
    const char *name = jit_format("%%far.%u", serial++);
    jit_text_add(text, "  %s = %s i%u %s to i64\n", name,
                 term->is_signed ? "sext" : "zext", width_of(term->value),
                 operand);
    return name;
}

/* Writes IR text for the sum of `terms` in the bound threadIdx + terms <
 * limit, and returns the name of the result. */
static const char *
write_sum(struct jit_text *text, struct jit_kernel *kernel,
          const struct bound *bound, unsigned number)
{
    const char *sum = "0";
    for (unsigned i = 0; i < bound->count; i++) {
        const char *term = write_wide(text, kernel, &bound->terms[i]);
        const char *more = jit_format("%%sum.%u.%u", number, i);
        jit_text_add(text, "  %s = add i64 %s, %s\n", more, sum, term);
        sum = more;
    }
    return sum;
}

/* A bound is a condition threadIdx + terms < limit along the axis x or y.
 * Writes IR text that computes how many threads along the axis satisfy this
 * bound and all bounds of the axis that were written before. The result is the
 * IR value %live.<number>. before[axis] is the name of the IR value with the
 * count for the bounds written before; it is replaced by the new name. */
static void
write_bound(struct jit_text *text, struct jit_kernel *kernel,
            const struct bound *bound, unsigned number, const char *before[2])
{
    const char *live = jit_format("%%live.%u", number);
    const char *sum = write_sum(text, kernel, bound, number);
    const char *limit = write_wide(text, kernel, &bound->limit);
    jit_text_add(text,
                 "  %%end.%u = add i64 %s, %d\n"
                 "  %%any.%u = icmp %s i64 %s, %%end.%u\n"
                 "  %%left.%u = sub i64 %%end.%u, %s\n"
                 "  %%most.%u = call i64 @llvm.umin.i64(i64 %%left.%u, i64 "
                 "2000)\n"
                 "  %%few.%u = select i1 %%any.%u, i64 %%most.%u, i64 0\n"
                 "  %%few32.%u = trunc i64 %%few.%u to i32\n",
                 number, limit, bound->or_equal && !PLANTED_FAULT(early_equal),
                 number, bound->limit.is_signed ? "slt" : "ult", sum, number,
                 number, number, sum, number, number, number, number, number,
                 number, number);
    jit_text_add(text,
                 "  %s = call i32 @llvm.umin.i32(i32 %%few32.%u, i32 %s)\n",
                 live, number, before[bound->axis]);
    before[bound->axis] = live;
}

static void
write_bounds(const struct search *search)
{
    struct jit_kernel *kernel = search->kernel;
    struct jit_text *text = &kernel->early.setup;
    const char *ends[2] = {"%ntid0", "%ntid1"};
    for (unsigned i = 0; i < search->count; i++) {
        write_bound(text, kernel, &search->bounds[i], i, ends);
    }
    kernel->early.ends[0] = ends[0];
    kernel->early.ends[1] = ends[1];
}

/* ---- removing and restoring the branch ---- */

void
jit_find_early_exit(struct jit *jit, struct jit_kernel *kernel)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel->body);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(entry);
    struct search search = {.kernel = kernel};
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2 ||
        !jit_has_no_effects(entry)) {
        return;
    }
    LLVMBasicBlockRef ways[2] = {LLVMGetSuccessor(end, 0),
                                 LLVMGetSuccessor(end, 1)};
    bool leave_first = jit_only_returns(ways[0]);
    LLVMValueRef condition = LLVMGetCondition(end);
    if (leave_first == jit_only_returns(ways[1]) ||
        !match_condition(&search, condition, !leave_first)) {
        return;
    }
    write_bounds(&search);
    kernel->early.condition = condition;
    kernel->early.leave = ways[!leave_first];
    kernel->early.leave_first = leave_first;
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(jit->builder, entry);
    LLVMBuildBr(jit->builder, ways[leave_first]);
}

/* Restores the conditional branch by which threads return early. Before the
 * kernel was split, jit_find_early_exit replaced the branch by an
 * unconditional one. The target of the unconditional branch becomes the target
 * for all threads that do not return. */
void
jit_restore_early_exit(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_early_exit *early = &kernel->early;
    if (!early->condition) {
        return;
    }
    LLVMBasicBlockRef entry = LLVMGetInstructionParent(early->condition);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(entry);
    LLVMBasicBlockRef go_on = LLVMGetSuccessor(end, 0);
    LLVMInstructionEraseFromParent(end);
    LLVMPositionBuilderAtEnd(jit->builder, entry);
    LLVMBuildCondBr(jit->builder, early->condition,
                    early->leave_first ? early->leave : go_on,
                    early->leave_first ? go_on : early->leave);
    *early = (struct jit_early_exit){0};
}
