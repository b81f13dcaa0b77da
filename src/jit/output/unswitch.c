/* unswitch.c - limits the loop copies that LLVM makes for invariant
 * conditions.
 *
 * Called by optimise.c before loops are unswitched. Each invariant condition
 * splits a loop in two, so n conditions make up to 2^n loops. LLVM's cost
 * multiplier prevents that, but it also counts sibling loops, and a kernel's
 * thread loops are siblings. The pass therefore predicts what LLVM does, and
 * enables the multiplier only if some basic block would be copied many times.
 *
 * The prediction: LLVM unswitches a loop by a condition if the code that must
 * be copied is short. This code consists of the basic blocks of the loop,
 * without those that run only for one value of the condition. If LLVM also
 * unswitches the loop by a second condition, basic blocks that run only for
 * one value of the second condition do not count either, since the copies may
 * lack them. In a first prediction, all loads count as invariant. If it finds
 * many copies, a second prediction is made in a copy of the module in which
 * LLVM has hoisted invariant code.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/loop_nest.h"
#include "jit/output/output.h"
#include "jit/text.h"

/* MAX_CONDITIONS: more than 2^6 = 64 copies of a basic block count as many.
 * MAX_DEPTH and MAX_VALUES bound the search for the values from which a
 * condition is computed. */
enum { MAX_CONDITIONS = 6, MAX_DEPTH = 12, MAX_VALUES = 200 };

/* Largest number of instructions that LLVM copies to unswitch a loop. MAX_SIZE
 * is LLVM's default; MOST_CHECKED_SIZE is the value that this program sets for
 * kernels with memory checks. */
enum { MAX_SIZE = 50, MOST_CHECKED_SIZE = 400 };

/* A condition that is tested in a loop and does not change during the loop. */
struct split {
    LLVMValueRef condition;
    unsigned loop, block;
    /* log2 of the number of copies of the loop that unswitching this condition
     * makes: 1 for two copies, 2 for three or four */
    unsigned cost;
    /* the basic blocks that run only if the condition is true (sides[0]) or
     * false (sides[1]), as one flag per basic block; NULL if there are none */
    bool *sides[2];
    /* true: LLVM is predicted to unswitch the loop by this condition */
    bool splits;
};

struct search {
    struct jit_cfg cfg;
    struct jit_loop_nest nest;
    unsigned *sizes; /* for each basic block: its number of instructions */
    /* LLVM unswitches a condition only if the basic blocks that it must copy
     * have at most this many instructions in total */
    unsigned most_size;
    /* for each basic block: true if it may change the value of the examined
     * condition */
    bool *varying;
    /* number of values visited so far in the search for the values from which
     * the condition is computed */
    unsigned values;
    /* number of levels of operands that mark_sources follows back from a
     * condition; it marks the basic blocks of the operands at which it
     * stops */
    int depth;
    /* the invariant conditions found, ordered by their loop */
    struct split *splits;
    unsigned split_count;
    /* for each basic block: log2 of the number of copies that LLVM makes of
     * it */
    unsigned *doublings;
};

/* Tests whether the result of the instruction depends only on its operands.
 * Returns true for loads as well, since LLVM moves a load out of the loop if
 * no store in the loop may alias. */
static bool
is_pure(LLVMValueRef value)
{
    return !LLVMIsAPHINode(value) && !LLVMIsAAllocaInst(value) &&
           (!LLVMIsACallInst(value) || jit_is_call(value, "llvm."));
}

/* Follows the operands of the value backwards, as far as they are computed
 * from other values. Sets search->varying for the basic blocks of the
 * instructions at which the search ends, such as phis. */
static void
mark_sources(struct search *search, LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value)) {
        return;
    }
    if (depth == 0 || ++search->values > MAX_VALUES || !is_pure(value)) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
        search->varying[jit_cfg_index(&search->cfg, block)] = true;
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        mark_sources(search, LLVMGetOperand(value, (unsigned)i), depth - 1);
    }
}

/* Tests whether the loop contains a basic block that may change the value of
 * the examined condition (search->varying). */
static bool
varies_in(const struct search *search, const struct jit_loop *loop)
{
    for (unsigned i = 0; i < search->cfg.count; i++) {
        if (loop->inside[i] && search->varying[i]) {
            return true;
        }
    }
    return false;
}

/* Tests whether the value is invariant in the loop. */
static bool
is_invariant(struct search *search, LLVMValueRef value,
             const struct jit_loop *loop)
{
    memset(search->varying, 0, search->cfg.count * sizeof *search->varying);
    search->values = 0;
    mark_sources(search, value, search->depth);
    return !varies_in(search, loop);
}

/* Tests whether a condition is invariant in the loop. Returns true as well if
 * the condition is an `and` or `or` with an invariant operand, since LLVM
 * unswitches the loop by such an operand. */
static bool
has_invariant(struct search *search, LLVMValueRef condition,
              const struct jit_loop *loop, int depth)
{
    if (LLVMIsAConstant(condition)) {
        return false;
    }
    if (is_invariant(search, condition, loop)) {
        return true;
    }
    LLVMOpcode opcode = LLVMIsAInstruction(condition)
                            ? LLVMGetInstructionOpcode(condition)
                            : LLVMUnreachable;
    if (depth == 0 || (opcode != LLVMAnd && opcode != LLVMOr)) {
        return false;
    }
    return has_invariant(search, LLVMGetOperand(condition, 0), loop,
                         depth - 1) ||
           has_invariant(search, LLVMGetOperand(condition, 1), loop,
                         depth - 1);
}

/* Returns the condition of a branch, switch or select, or NULL. */
static LLVMValueRef
condition_of(LLVMValueRef at)
{
    bool branches = LLVMIsABranchInst(at) && LLVMIsConditional(at);
    if (branches) {
        return LLVMGetCondition(at);
    }
    if (!LLVMIsASwitchInst(at) && !LLVMIsASelectInst(at)) {
        return NULL;
    }
    LLVMValueRef condition = LLVMGetOperand(at, 0);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(condition));
    return kind == LLVMIntegerTypeKind ? condition : NULL;
}

/* Returns log2, rounded up, of the number of copies that LLVM makes of a loop
 * when it unswitches the condition of `at`: one copy for each successor of a
 * switch, two copies for a branch or select. */
static unsigned
cost_of(LLVMValueRef at)
{
    unsigned ways = LLVMIsASwitchInst(at) ? LLVMGetNumSuccessors(at) : 2;
    return 32 - (unsigned)__builtin_clz(ways > 1 ? ways - 1 : 1);
}

/* Appends the invariant conditions of the basic block `block` in the loop to
 * search->splits. */
static void
add_conditions(struct search *search, unsigned loop, unsigned block)
{
    const struct jit_loop *around = &search->nest.loops[loop];
    LLVMValueRef at = LLVMGetFirstInstruction(search->cfg.blocks[block].block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        LLVMValueRef condition = condition_of(at);
        if (!condition ||
            !has_invariant(search, condition, around, MAX_DEPTH)) {
            continue;
        }
        struct split *split = &search->splits[search->split_count++];
        *split = (struct split){condition,   loop,         block,
                                cost_of(at), {NULL, NULL}, false};
        for (unsigned i = 0; LLVMIsABranchInst(at) && i < 2; i++) {
            unsigned to = jit_cfg_index(&search->cfg, LLVMGetSuccessor(at, i));
            split->sides[i] = jit_loop_side(&search->cfg, around, block, to);
        }
    }
}

/* Tests whether the basic block runs only for one value of the condition. */
static bool
depends_on(const struct split *split, unsigned block)
{
    return split->sides[0] &&
           (split->sides[0][block] || split->sides[1][block]);
}

/* Tests whether `block` does not count for the size of the code that is copied
 * for `split`. This is the case if LLVM also unswitches the same loop by
 * another condition, so that there are two copies of the loop, and one of the
 * two copies contains the test of `split` but not `block`. */
static bool
may_lack(const struct search *search, const struct split *split,
         unsigned block)
{
    for (unsigned i = 0; i < search->split_count; i++) {
        const struct split *other = &search->splits[i];
        if (other->loop != split->loop || !other->splits || !other->sides[0]) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            if (other->sides[side][block] &&
                !other->sides[side][split->block]) {
                return true;
            }
        }
    }
    return false;
}

/* Tests whether the basic blocks that LLVM must copy to unswitch the loop by
 * the condition are small enough. */
static bool
is_small(const struct search *search, const struct split *split)
{
    const bool *inside = search->nest.loops[split->loop].inside;
    unsigned size = 0;
    for (unsigned i = 0; i < search->cfg.count && size <= search->most_size;
         i++) {
        if (inside[i] && search->sizes[i] && !depends_on(split, i) &&
            !may_lack(search, split, i)) {
            size += search->sizes[i];
        }
    }
    return size <= search->most_size;
}

/* Sets split->splits for the conditions by which LLVM is predicted to unswitch
 * their loops. Such a condition may reduce the code that must be copied for
 * other conditions. So the prediction is repeated until nothing changes. */
static void
mark_splits(struct search *search)
{
    bool changes = true;
    while (changes) {
        changes = false;
        for (unsigned i = 0; i < search->split_count; i++) {
            struct split *split = &search->splits[i];
            if (!split->splits && is_small(search, split)) {
                split->splits = changes = true;
            }
        }
    }
}

/* Tests whether the copies that LLVM makes of the basic block for element
 * number `split` of search->splits are already counted: an earlier element has
 * the same condition, and its loop contains the block too. */
static bool
was_copied(const struct search *search, unsigned split, unsigned block)
{
    for (unsigned i = 0; i < split; i++) {
        const struct split *other = &search->splits[i];
        if (other->splits &&
            other->condition == search->splits[split].condition &&
            search->nest.loops[other->loop].inside[block]) {
            return true;
        }
    }
    return false;
}

/* Computes, for each basic block, log2 of the number of copies that LLVM makes
 * of it, and returns the largest result. */
static unsigned
most_doublings(struct search *search)
{
    unsigned most = 0;
    for (unsigned s = 0; s < search->split_count; s++) {
        const struct split *split = &search->splits[s];
        const bool *inside = search->nest.loops[split->loop].inside;
        for (unsigned i = 0; split->splits && i < search->cfg.count; i++) {
            if (inside[i] && !depends_on(split, i) &&
                !was_copied(search, s, i)) {
                search->doublings[i] += split->cost;
                most =
                    most > search->doublings[i] ? most : search->doublings[i];
            }
        }
    }
    return most;
}

/* Tests whether an instruction becomes machine code in every copy of a
 * loop. */
static bool
has_cost(LLVMValueRef at)
{
    return LLVMIsABinaryOperator(at) || LLVMIsACmpInst(at) ||
           LLVMIsALoadInst(at) || LLVMIsAStoreInst(at) || condition_of(at) ||
           (LLVMIsACallInst(at) && !jit_is_call(at, "llvm."));
}

/* Tests whether the instruction is not in the loop's copies: LLVM moves an
 * invariant instruction out of the loop, and removes a branch, switch or
 * select on an invariant condition. */
static bool
leaves(struct search *search, LLVMValueRef at, const struct jit_loop *loop)
{
    LLVMValueRef condition = condition_of(at);
    return !LLVMIsAStoreInst(at) &&
           is_invariant(search, condition ? condition : at, loop);
}

/* Returns the number of instructions of a basic block that certainly count
 * towards the limit of LLVM's loop unswitching. */
static unsigned
block_size(struct search *search, unsigned block)
{
    unsigned size = 0, loop = search->nest.innermost[block];
    LLVMValueRef at = LLVMGetFirstInstruction(search->cfg.blocks[block].block);
    for (; loop != NO_LOOP && at; at = LLVMGetNextInstruction(at)) {
        size += has_cost(at) && !leaves(search, at, &search->nest.loops[loop]);
    }
    return size;
}

/* Returns the number of conditions in the function, or 0 if unswitching by all
 * of them makes at most 2^MAX_CONDITIONS copies. */
static unsigned
condition_count(LLVMValueRef function)
{
    unsigned cost = 0, count = 0;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (condition_of(at)) {
                cost += cost_of(at);
                count++;
            }
        }
    }
    return cost > MAX_CONDITIONS ? count : 0;
}

static unsigned
loop_depth(const struct jit_loop_nest *nest)
{
    unsigned most = 0;
    for (unsigned i = 0; i < nest->count; i++) {
        unsigned depth = 0;
        for (unsigned at = i; at != NO_LOOP; at = nest->loops[at].parent) {
            depth++;
        }
        most = most > depth ? most : depth;
    }
    return most;
}

/* Predicts whether LLVM makes many copies of some basic block of the function.
 * `depth`: levels of operands of a condition that are examined. */
static bool
has_many_copies(struct jit *jit, LLVMValueRef function, int depth)
{
    struct search search = {.depth = depth};
    unsigned conditions = condition_count(function);
    if (!conditions) {
        return false;
    }
    jit_cfg_read(&search.cfg, function);
    jit_loop_nest_read(&search.nest, &search.cfg);
    unsigned blocks = search.cfg.count;
    search.most_size = jit->options.checks ? MOST_CHECKED_SIZE : MAX_SIZE;
    search.varying = jit_allocate(blocks * sizeof *search.varying);
    search.doublings = jit_allocate(blocks * sizeof *search.doublings);
    search.sizes = jit_allocate(blocks * sizeof *search.sizes);
    search.splits = jit_allocate(conditions * loop_depth(&search.nest) *
                                 sizeof *search.splits);
    for (unsigned i = 0; i < blocks; i++) {
        search.sizes[i] = block_size(&search, i);
    }
    for (unsigned loop = 0; loop < search.nest.count; loop++) {
        for (unsigned i = 0; i < blocks; i++) {
            if (search.nest.loops[loop].inside[i]) {
                add_conditions(&search, loop, i);
            }
        }
    }
    mark_splits(&search);
    return most_doublings(&search) > MAX_CONDITIONS;
}

static bool
some_has_many_copies(struct jit *jit, int depth)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    while (function && !has_many_copies(jit, function, depth)) {
        function = LLVMGetNextFunction(function);
    }
    return function != NULL;
}

/* Makes a more precise prediction in a copy of the module, in which LLVM has
 * hoisted invariant code out of loops. Every value that is still computed in a
 * loop is then assumed to vary in that loop. */
static bool
has_many_copies_after_hoisting(struct jit *jit)
{
    LLVMModuleRef module = jit->module;
    jit->module = LLVMCloneModule(module);
    jit_run_passes(jit, "function(loop-simplify,lcssa,"
                        "loop-mssa(loop-rotate,licm))");
    bool many = some_has_many_copies(jit, 0);
    LLVMDisposeModule(jit->module);
    jit->module = module;
    return many;
}

void
jit_bound_unswitching(struct jit *jit)
{
    static const char *const words[] = {
        "pycuda-jit", "-enable-unswitch-cost-multiplier=true",
        "-unswitch-num-initial-unscaled-candidates=4"};
    if (some_has_many_copies(jit, MAX_DEPTH) &&
        has_many_copies_after_hoisting(jit)) {
        LLVMParseCommandLineOptions(3, words, NULL);
    }
}
