/* guard.c - derives the bounds of a kernel's thread loop from its first
 * branch.
 *
 * Called by main.c for kernels without fibers. `if (i < n)` or `if (i >= 2 &&
 * i < n)` around the code of a kernel becomes the bound of the kernel's thread
 * loop. Here i is blockIdx.x * blockDim.x + threadIdx.x, or another sum of
 * threadIdx.x and a value that is equal for all threads of the block. With the
 * bound, the vectorised thread loop needs no masked stores, and i is known not
 * to wrap.
 *
 * A grid-stride loop `for (; i < n; i += stride)` that is the whole kernel is
 * interchanged with the thread loop, so that the thread loop is the inner one.
 * This is permitted because the threads are independent: only the order of
 * operations within each thread matters.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/body.h"
#include "jit/entries/entries.h"
#include "jit/entries/guard.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"

struct search {
    struct jit *jit;
    struct jit_kernel *kernel;
    /* value that is compared with the limit: the global index or, in a
     * grid-stride loop, the loop variable */
    LLVMValueRef index;
    /* instruction of the kernel that computes the thread's global index */
    LLVMValueRef expression;
    LLVMValueRef limit;
    /* if the index is not the global one: the uniform value that is added to
     * threadIdx.x; else NULL */
    LLVMValueRef base;
    /* true: look for a condition index >= constant; false: for index <
     * limit */
    bool want_lower;
};

/* Tests whether the value is the argument `which` of the body or, if `wide`,
 * that argument zero-extended. */
static bool
is_argument(struct jit_kernel *kernel, LLVMValueRef value, int which,
            bool wide)
{
    if (wide) {
        if (!LLVMIsAZExtInst(value)) {
            return false;
        }
        value = LLVMGetOperand(value, 0);
    }
    return value == jit_body_argument(kernel, which);
}

/* Tests whether the value is blockIdx.x * blockDim.x + threadIdx.x, with
 * operands in any order. `wide`: computed with 64 bits. */
static bool
is_global_index(struct jit_kernel *kernel, LLVMValueRef value, bool wide)
{
    if (!jit_has_opcode(value, LLVMAdd)) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef product = LLVMGetOperand(value, i);
        if (!is_argument(kernel, LLVMGetOperand(value, 1 - i), JIT_TID,
                         wide) ||
            !jit_has_opcode(product, LLVMMul)) {
            continue;
        }
        for (unsigned k = 0; k < 2; k++) {
            if (is_argument(kernel, LLVMGetOperand(product, k), JIT_CTAID,
                            wide) &&
                is_argument(kernel, LLVMGetOperand(product, 1 - k), JIT_NTID,
                            wide)) {
                return true;
            }
        }
    }
    return false;
}

bool
jit_is_uniform(struct jit_kernel *kernel, LLVMValueRef value, int depth)
{
    if (LLVMIsAConstantInt(value)) {
        return LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
    }
    if (LLVMIsAArgument(value)) {
        for (int i = JIT_TID; i < JIT_CTAID; i++) {
            if (value == jit_body_argument(kernel, i)) {
                return false;
            }
        }
        return value != jit_body_argument(kernel, JIT_LINEAR) &&
               LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
    }
    if (!LLVMIsAInstruction(value) || depth > 8) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        return jit_is_uniform(kernel, LLVMGetOperand(value, 0), depth + 1) &&
               jit_is_uniform(kernel, LLVMGetOperand(value, 1), depth + 1);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return jit_is_uniform(kernel, LLVMGetOperand(value, 0), depth + 1);
    default:
        return false;
    }
}

static unsigned
width_of(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind
               ? LLVMGetIntTypeWidth(type)
               : 0;
}

/* If the comparison `left predicate right` has the form index < limit with a
 * uniform limit, describes it in kernel->guard (the condition that threads
 * with work satisfy) and returns true. */
static bool
match_comparison(struct search *search, LLVMValueRef left,
                 LLVMIntPredicate predicate, LLVMValueRef right)
{
    struct jit_guard *guard = &search->kernel->guard;
    bool extended_by_sign = LLVMIsASExtInst(left) != NULL;
    bool extended = extended_by_sign || LLVMIsAZExtInst(left) != NULL;
    LLVMValueRef index = extended ? LLVMGetOperand(left, 0) : left;
    unsigned width = width_of(right);
    if (index != search->index || !jit_is_uniform(search->kernel, right, 0) ||
        (width != 32 && width != 64) ||
        (predicate != LLVMIntSLT && predicate != LLVMIntULT)) {
        return false;
    }
    guard->wide = width_of(index) == 64;
    guard->compare_signed = predicate == LLVMIntSLT;
    guard->index_signed = extended ? extended_by_sign : guard->compare_signed;
    search->limit = right;
    return !search->base || guard->index_signed == guard->compare_signed;
}

/* Returns the predicate of the negated comparison. If the predicate is not one
 * of <, <=, > and >=, returns EQ, which match_leaf does not accept. */
static LLVMIntPredicate
opposite(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntSLT:
        return LLVMIntSGE;
    case LLVMIntSGE:
        return LLVMIntSLT;
    case LLVMIntUGE:
        return LLVMIntULT;
    case LLVMIntSLE:
        return LLVMIntSGT;
    case LLVMIntULE:
        return LLVMIntUGT;
    case LLVMIntSGT:
        return LLVMIntSLE;
    case LLVMIntUGT:
        return LLVMIntULE;
    default:
        return LLVMIntEQ;
    }
}

/* Returns the predicate that gives the same result with swapped operands if
 * that is a `less than`. Otherwise returns EQ, which match_comparison does not
 * accept. */
static LLVMIntPredicate
swapped(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntSGT:
        return LLVMIntSLT;
    case LLVMIntUGT:
        return LLVMIntULT;
    default:
        return LLVMIntEQ;
    }
}

/* Matches comparisons with a constant: i <= 99 counts as i < 100. */
static bool
match_constant(struct search *search, LLVMValueRef left,
               LLVMIntPredicate predicate, LLVMValueRef right)
{
    if (!LLVMIsAConstantInt(right) || width_of(right) > 64 ||
        LLVMConstIntGetSExtValue(right) < 0 ||
        LLVMConstIntGetSExtValue(right) >= 0x7ffffffe) {
        return false;
    }
    LLVMValueRef next = LLVMConstInt(
        LLVMTypeOf(right),
        LLVMConstIntGetZExtValue(right) + 1 - PLANTED_FAULT(guard_short), 0);
    if (predicate == LLVMIntSLE) {
        return match_comparison(search, left, LLVMIntSLT, next);
    }
    return predicate == LLVMIntULE &&
           match_comparison(search, left, LLVMIntULT, next);
}

/* Matches index > constant and index >= constant for a signed 32-bit index.
 * Sets kernel->guard.lower to the smallest index for which the comparison is
 * true. */
static bool
match_lower(struct search *search, LLVMValueRef left,
            LLVMIntPredicate predicate, LLVMValueRef right)
{
    if (left != search->index || !LLVMIsAConstantInt(right) ||
        (predicate != LLVMIntSGT && predicate != LLVMIntSGE)) {
        return false;
    }
    int64_t least =
        LLVMConstIntGetSExtValue(right) + (predicate == LLVMIntSGT);
    search->kernel->guard.lower = least;
    return least > 0;
}

/* A thread has work only if the comparison `compare` has the result `go_on`.
 * If the comparison has a supported form, describes it in kernel->guard and
 * returns true. */
static bool
match_leaf(struct search *search, LLVMValueRef compare, bool go_on)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    LLVMValueRef left = LLVMGetOperand(compare, 0);
    LLVMValueRef right = LLVMGetOperand(compare, 1);
    if (!go_on) {
        predicate = opposite(predicate);
    }
    if (search->want_lower) {
        return match_lower(search, left, predicate, right);
    }
    return match_comparison(search, left, predicate, right) ||
           match_comparison(search, right, swapped(predicate), left) ||
           match_constant(search, left, predicate, right);
}

/* A thread has work only if the condition, operand number `operand` of `user`,
 * is `go_on`. Searches the condition for a comparison in a supported form.
 * Describes the comparison in kernel->guard, and replaces it by the constant
 * `go_on`. */
static bool
match_condition(struct search *search, LLVMValueRef user, unsigned operand,
                bool go_on)
{
    LLVMTypeRef bit = search->jit->i1;
    LLVMValueRef value = LLVMGetOperand(user, operand);
    if (LLVMIsAICmpInst(value)) {
        if (!match_leaf(search, value, go_on)) {
            return false;
        }
        LLVMSetOperand(user, operand, LLVMConstInt(bit, go_on, 0));
        return true;
    }
    if (jit_has_opcode(value, go_on ? LLVMAnd : LLVMOr)) {
        return match_condition(search, value, 0, go_on) ||
               match_condition(search, value, 1, go_on);
    }
    if (jit_has_opcode(value, LLVMSelect)) {
        unsigned other = go_on ? 1 : 2, fixed = 3 - other;
        LLVMValueRef end = LLVMGetOperand(value, fixed);
        return LLVMTypeOf(value) == bit &&
               end == LLVMConstInt(bit, !go_on, 0) &&
               (match_condition(search, value, 0, go_on) ||
                match_condition(search, value, other, go_on));
    }
    return false;
}

/* Tests for a call that only marks the lifetime of a private variable, or
 * tells the checks that the variable is uninitialized. In a thread that
 * returns, such calls have no effect. */
static bool
is_lifetime(LLVMValueRef at)
{
    return jit_is_call(at, "llvm.lifetime.") ||
           jit_is_call(at, "__pycuda_check_local");
}

bool
jit_only_returns(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (is_lifetime(at)) {
        at = LLVMGetNextInstruction(at);
    }
    return LLVMIsAReturnInst(at) != NULL;
}

bool
jit_has_no_effects(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
        bool call = opcode == LLVMCall && !is_lifetime(at) &&
                    !jit_is_call(at, "__pycuda_check_shared");
        if (opcode == LLVMStore || call || opcode == LLVMFence ||
            opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg ||
            (opcode == LLVMLoad && LLVMGetVolatile(at))) {
            return false;
        }
    }
    return true;
}

/* Tests whether one target of the branch at the end of the basic block only
 * returns from the kernel. If so, describes the branch condition in
 * kernel->guard (the condition that threads with work satisfy) and replaces
 * the matched comparison by a constant. */
static bool
match_branch(struct search *search, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2) {
        return false;
    }
    bool leave_first = jit_only_returns(LLVMGetSuccessor(end, 0));
    bool leave_second = jit_only_returns(LLVMGetSuccessor(end, 1));
    return leave_first != leave_second &&
           match_condition(search, end, 0, leave_second);
}

/* Returns the instruction in this basic block that computes the thread's
 * global index, or NULL. */
static LLVMValueRef
find_index(struct jit_kernel *kernel, LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        if (is_global_index(kernel, at, false) ||
            is_global_index(kernel, at, true)) {
            return at;
        }
    }
    return NULL;
}

/* Replaces the global index, and the loop variable of a grid-stride loop, by
 * the body's index argument. Writes the IR text that computes the limit of the
 * thread loop, so that the entry can end the loop at this limit. */
static void
use_index_argument(struct search *search)
{
    bool wide = search->kernel->guard.wide;
    LLVMValueRef by = jit_body_argument(
        search->kernel, wide ? JIT_WIDE_INDEX : JIT_GLOBAL_INDEX);
    struct jit_guard *guard = &search->kernel->guard;
    guard->limit =
        jit_text_operand(&guard->setup, search->kernel, search->limit);
    guard->limit_width = width_of(search->limit);
    if (search->index != search->expression) {
        LLVMReplaceAllUsesWith(search->index, by);
    }
    LLVMReplaceAllUsesWith(search->expression, by);
}

/* Returns the phi that may be the variable of a grid-stride loop: the only phi
 * of a loop header without side effects, to which the kernel's first basic
 * block leads. Returns NULL if there is none. */
static LLVMValueRef
find_stride_phi(LLVMBasicBlockRef entry)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(entry);
    if (LLVMGetNumSuccessors(end) != 1) {
        return NULL;
    }
    LLVMBasicBlockRef header = LLVMGetSuccessor(end, 0);
    LLVMValueRef phi = LLVMGetFirstInstruction(header);
    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2 ||
        LLVMIsAPHINode(LLVMGetNextInstruction(phi)) ||
        !jit_has_no_effects(header)) {
        return NULL;
    }
    return phi;
}

/* Tests whether the branch of the loop header is the only way to the kernel's
 * end, and the kernel has no private variables in memory. */
static bool
leaves_only_from(struct jit_kernel *kernel, LLVMBasicBlockRef header)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel->body);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        unsigned count = LLVMGetNumSuccessors(end);
        if (count == 0 && !jit_only_returns(block)) {
            return false;
        }
        for (unsigned i = 0; block != header && i < count; i++) {
            if (jit_only_returns(LLVMGetSuccessor(end, i))) {
                return false;
            }
        }
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (LLVMIsAAllocaInst(at)) {
                return false;
            }
        }
    }
    return true;
}

/* Makes the loop's body run once: the branch from `latch` goes to the kernel's
 * end instead of the loop header. */
static void
cut_back_edge(struct jit *jit, LLVMBasicBlockRef header,
              LLVMBasicBlockRef latch)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(header);
    bool first = jit_only_returns(LLVMGetSuccessor(end, 0));
    LLVMBasicBlockRef leave = LLVMGetSuccessor(end, first ? 0 : 1);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(latch));
    LLVMPositionBuilderAtEnd(jit->builder, latch);
    LLVMBuildBr(jit->builder, leave);
}

/* Tests whether the load reads a constant variable, which no store changes. */
static bool
reads_constant(LLVMValueRef load)
{
    LLVMValueRef base = LLVMGetOperand(load, 0);
    while (LLVMIsAGetElementPtrInst(base) ||
           (LLVMIsAConstantExpr(base) &&
            LLVMGetConstOpcode(base) == LLVMGetElementPtr)) {
        base = LLVMGetOperand(base, 0);
    }
    return LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base);
}

/* Tests whether the basic block reads memory that a kernel may change. */
static bool
has_loads(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (at && (!LLVMIsALoadInst(at) || reads_constant(at))) {
        at = LLVMGetNextInstruction(at);
    }
    return at != NULL;
}

/* Matches a grid-stride loop and removes its back edge. The entry repeats the
 * thread loop instead (loop.c), and with it the code before the grid-stride
 * loop. The caller has tested that this code loads nothing from memory, since
 * it could load what an earlier iteration stored. */
static bool
match_stride(struct search *search, LLVMBasicBlockRef entry)
{
    struct jit_kernel *kernel = search->kernel;
    LLVMValueRef phi = find_stride_phi(entry);
    if (!phi) {
        return false;
    }
    LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
    unsigned back = LLVMGetIncomingBlock(phi, 0) == entry ? 1 : 0;
    LLVMBasicBlockRef latch = LLVMGetIncomingBlock(phi, back);
    LLVMValueRef start = LLVMGetIncomingValue(phi, 1 - back);
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    if (start != search->expression || !jit_has_opcode(next, LLVMAdd) ||
        LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(latch)) != 1 ||
        !leaves_only_from(kernel, header)) {
        return false;
    }
    unsigned own = LLVMGetOperand(next, 0) == phi ? 0 : 1;
    LLVMValueRef stride = LLVMGetOperand(next, 1 - own);
    if (LLVMGetOperand(next, own) != phi ||
        !jit_is_uniform(kernel, stride, 0)) {
        return false;
    }
    search->index = phi;
    if (!match_branch(search, header)) {
        return false;
    }
    kernel->guard.stride =
        jit_text_operand(&kernel->guard.setup, kernel, stride);
    kernel->guard.stride_width = width_of(stride);
    cut_back_edge(search->jit, header, latch);
    use_index_argument(search);
    kernel->guard.found = true;
    LLVMInstructionEraseFromParent(phi);
    return true;
}

/* Tests whether value = index * factor + addend with small constants. If so,
 * stores the constants in kernel->guard.factor and kernel->guard.addend. */
static bool
match_affine(struct search *search, LLVMValueRef value)
{
    struct jit_guard *guard = &search->kernel->guard;
    /* constant operands of the addition and of the shift; 0 if absent */
    uint64_t numbers[2] = {0, 0};
    static const LLVMOpcode opcodes[2] = {LLVMAdd, LLVMShl};
    for (int i = 0; i < 2; i++) {
        if (!jit_has_opcode(value, opcodes[i]) ||
            !LLVMIsAConstantInt(LLVMGetOperand(value, 1))) {
            return false;
        }
        numbers[i] = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
        value = LLVMGetOperand(value, 0);
    }
    guard->addend = numbers[0];
    guard->factor = UINT64_C(1) << (numbers[1] & 63);
    return value == search->expression && numbers[0] < 1u << 20 &&
           numbers[1] < 20;
}

/* Matches `if (first + n <= size)` with constant n, where `first` is a
 * multiple of a 64-bit global index: threads with an index up to some limit
 * take one code path, and threads with a larger index take the other path. */
static void
match_split(struct search *search, LLVMBasicBlockRef entry)
{
    struct jit_kernel *kernel = search->kernel;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(entry);
    if (LLVMGetNumSuccessors(end) != 2 ||
        !LLVMIsAICmpInst(LLVMGetCondition(end))) {
        return;
    }
    LLVMValueRef compare = LLVMGetCondition(end);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    LLVMValueRef left = LLVMGetOperand(compare, 0);
    LLVMValueRef right = LLVMGetOperand(compare, 1);
    bool turned = predicate == LLVMIntULT || predicate == LLVMIntUGE;
    if (turned) {
        LLVMValueRef other = left;
        left = right;
        right = other;
    }
    bool whole = predicate == LLVMIntULE || predicate == LLVMIntUGE;
    if ((!whole && predicate != LLVMIntUGT && predicate != LLVMIntULT) ||
        width_of(right) != 64 || !jit_is_uniform(kernel, right, 0) ||
        !match_affine(search, left)) {
        return;
    }
    LLVMValueRef argument = jit_body_argument(kernel, JIT_WHOLE);
    LLVMPositionBuilderBefore(search->jit->builder, end);
    LLVMSetCondition(end,
                     whole ? argument
                           : LLVMBuildNot(search->jit->builder, argument, ""));
    search->limit = right;
    kernel->guard.split = kernel->guard.wide = true;
    use_index_argument(search);
}

/* Replaces the computation of the global index by the body's index argument,
 * in a kernel without a first branch that limits its threads. The kernel may
 * then not need blockIdx.x any more, so that loop.c can merge thread blocks.
 */
static void
use_plain_index(struct jit_kernel *kernel, LLVMValueRef expression)
{
    if (width_of(expression) == 32) {
        LLVMReplaceAllUsesWith(expression,
                               jit_body_argument(kernel, JIT_GLOBAL_INDEX));
    }
}

/* If the instruction adds a value that is equal for all threads of the block
 * to threadIdx.x, returns that value, else NULL. */
static LLVMValueRef
base_of(struct jit_kernel *kernel, LLVMValueRef at)
{
    for (unsigned i = 0; jit_has_opcode(at, LLVMAdd) && i < 2; i++) {
        LLVMValueRef base = LLVMGetOperand(at, 1 - i);
        if (is_argument(kernel, LLVMGetOperand(at, i), JIT_TID, false) &&
            jit_is_uniform(kernel, base, 0)) {
            return base;
        }
    }
    return NULL;
}

/* Matches a first branch that compares a thread index other than the global x
 * index, such as (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x +
 * threadIdx.x. */
static void
match_other_index(struct search *search, LLVMBasicBlockRef entry)
{
    struct jit_kernel *kernel = search->kernel;
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    for (; at && !search->base; at = LLVMGetNextInstruction(at)) {
        search->base = base_of(kernel, at);
        search->index = search->expression = at;
    }
    if (!search->base || !jit_has_no_effects(entry) ||
        !match_branch(search, entry)) {
        return;
    }
    kernel->guard.base =
        jit_text_operand(&kernel->guard.setup, kernel, search->base);
    use_index_argument(search);
    kernel->guard.found = true;
}

void
jit_find_guard(struct jit *jit, struct jit_kernel *kernel)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel->body);
    struct search search = {.jit = jit, .kernel = kernel};
    search.index = search.expression = find_index(kernel, entry);
    if (!search.index) {
        match_other_index(&search, entry);
        return;
    }
    if (jit_has_no_effects(entry) && !has_loads(entry) &&
        match_stride(&search, entry)) {
        return;
    }
    search.index = search.expression;
    if (!jit_has_no_effects(entry) || !match_branch(&search, entry)) {
        if (jit_has_no_effects(entry)) {
            match_split(&search, entry);
        }
        if (!kernel->guard.split) {
            use_plain_index(kernel, search.expression);
        }
        return;
    }
    use_index_argument(&search);
    kernel->guard.found = true;
    search.want_lower = kernel->guard.index_signed && !kernel->guard.wide;
    search.index = jit_body_argument(kernel, JIT_GLOBAL_INDEX);
    if (search.want_lower && !match_branch(&search, entry)) {
        kernel->guard.lower = 0;
    }
}
