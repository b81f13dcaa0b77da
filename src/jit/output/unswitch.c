/* unswitch.c - limits the loop copies that LLVM makes for invariant
 * conditions.
 *
 * Called by optimise.c before loops are unswitched. Each invariant condition
 * splits a loop in two, so n conditions make up to 2^n loops. LLVM's cost
 * multiplier prevents that, but it also counts sibling loops, and a kernel's
 * thread loops are siblings. The pass therefore enables the multiplier only if
 * there are many conditions.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include <llvm-c/Support.h>

#include "jit/jit.h"
#include "jit/regions/regions.h"

/* Five conditions make at most 32 loops. */
enum { MOST_CONDITIONS = 5, MOST_DEPTH = 12, MOST_VALUES = 200 };

struct search {
    struct jit_cfg cfg;
    bool *varying;   /* blocks that change the condition's value */
    bool *reached;   /* visited blocks */
    unsigned *queue; /* blocks to visit */
    unsigned values; /* values that the condition depends on, so far */
    unsigned found;  /* cost of the conditions counted so far */
    LLVMValueRef seen[MOST_CONDITIONS + 1]; /* without duplicates */
};

/* Tests whether operands determine the result. Loads qualify: LLVM hoists them
 * if no store in the loop aliases. */
static bool
is_pure(LLVMValueRef value)
{
    return !LLVMIsAPHINode(value) && !LLVMIsAAllocaInst(value) &&
           (!LLVMIsACallInst(value) || jit_is_call(value, "llvm."));
}

/* Marks the blocks that determine the value. */
static void
mark_sources(struct search *search, LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value)) {
        return;
    }
    if (depth == 0 || ++search->values > MOST_VALUES || !is_pure(value)) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
        search->varying[jit_cfg_index(&search->cfg, block)] = true;
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        mark_sources(search, LLVMGetOperand(value, (unsigned)i), depth - 1);
    }
}

/* Appends the unvisited successors of a block to the queue; returns the new
 * count. */
static unsigned
visit_successors(struct search *search, unsigned block, unsigned count)
{
    const struct jit_block *row = &search->cfg.blocks[block];
    for (unsigned i = 0; i < row->successor_count; i++) {
        unsigned next = row->successors[i];
        if (!search->reached[next] && !search->varying[next]) {
            search->reached[next] = true;
            search->queue[count++] = next;
        }
    }
    return count;
}

/* Tests whether the value is invariant in some loop around `block`. */
static bool
is_invariant(struct search *search, LLVMValueRef value, unsigned block)
{
    size_t bytes = search->cfg.count * sizeof *search->reached;
    memset(search->reached, 0, bytes);
    memset(search->varying, 0, bytes);
    search->values = 0;
    mark_sources(search, value, MOST_DEPTH);
    if (search->varying[block]) {
        return false;
    }
    unsigned count = visit_successors(search, block, 0);
    for (unsigned i = 0; i < count && !search->reached[block]; i++) {
        count = visit_successors(search, search->queue[i], count);
    }
    return search->reached[block];
}

/* Tests whether a condition is invariant, or an operand of its `and` or `or`,
 * which LLVM unswitches as well. */
static bool
has_invariant(struct search *search, LLVMValueRef condition, unsigned block,
              int depth)
{
    if (LLVMIsAConstant(condition)) {
        return false;
    }
    if (is_invariant(search, condition, block)) {
        return true;
    }
    LLVMOpcode opcode = LLVMIsAInstruction(condition)
                            ? LLVMGetInstructionOpcode(condition)
                            : LLVMUnreachable;
    if (depth == 0 || (opcode != LLVMAnd && opcode != LLVMOr)) {
        return false;
    }
    return has_invariant(search, LLVMGetOperand(condition, 0), block,
                         depth - 1) ||
           has_invariant(search, LLVMGetOperand(condition, 1), block,
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

/* Returns how often the loops double: a switch makes a loop per successor. */
static unsigned
cost_of(LLVMValueRef at)
{
    unsigned ways = LLVMIsASwitchInst(at) ? LLVMGetNumSuccessors(at) : 2;
    return 32 - (unsigned)__builtin_clz(ways > 1 ? ways - 1 : 1);
}

static bool
was_seen(const struct search *search, LLVMValueRef condition)
{
    for (unsigned i = 0; i < search->found; i++) {
        if (search->seen[i] == condition) {
            return true;
        }
    }
    return false;
}

static void
count_conditions(struct search *search, LLVMBasicBlockRef block)
{
    unsigned index = jit_cfg_index(&search->cfg, block);
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at && search->found <= MOST_CONDITIONS;
         at = LLVMGetNextInstruction(at)) {
        LLVMValueRef condition = condition_of(at);
        if (condition && !was_seen(search, condition) &&
            has_invariant(search, condition, index, MOST_DEPTH)) {
            for (unsigned i = cost_of(at);
                 i && search->found <= MOST_CONDITIONS; i--) {
                search->seen[search->found++] = condition;
            }
        }
    }
}

/* Tests whether the function has enough conditions for the search to be
 * worthwhile. */
static bool
has_many_conditions(LLVMValueRef function)
{
    unsigned cost = 0;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            cost += condition_of(at) ? cost_of(at) : 0;
        }
    }
    return cost > MOST_CONDITIONS;
}

static bool
has_many_invariants(LLVMValueRef function)
{
    struct search search = {0};
    if (!has_many_conditions(function)) {
        return false;
    }
    jit_cfg_read(&search.cfg, function);
    search.varying = jit_allocate(search.cfg.count * sizeof *search.varying);
    search.reached = jit_allocate(search.cfg.count * sizeof *search.reached);
    search.queue = jit_allocate(search.cfg.count * sizeof *search.queue);
    for (unsigned i = 0; i < search.cfg.count; i++) {
        count_conditions(&search, search.cfg.blocks[i].block);
    }
    return search.found > MOST_CONDITIONS;
}

void
jit_bound_unswitching(struct jit *jit)
{
    static const char *const words[] = {
        "pycuda-jit", "-enable-unswitch-cost-multiplier=true",
        "-unswitch-num-initial-unscaled-candidates=4"};
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (has_many_invariants(function)) {
            LLVMParseCommandLineOptions(3, words, NULL);
            return;
        }
    }
}
