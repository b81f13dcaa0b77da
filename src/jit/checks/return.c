/* return.c - recognises the `return` statements of a kernel.
 *
 * Called by insert.c. clang makes each `return` a branch to one block,
 * "return". If the kernel already ends in an empty block, such as the block
 * "if.end" after an `if` or a loop, clang uses that block instead. If the
 * lifetime of variables ends at a `return`, the branch first passes through
 * blocks named "cleanup", which receive a number that says where to continue:
 * 1 means `return`.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/analyse/cfg.h"
#include "jit/checks/checks.h"
#include "jit/checks/loops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

enum { MAX_STEPS = 64, WAY_RETURN = 1 };

static bool
is_named(LLVMBasicBlockRef block, const char *prefix)
{
    return strncmp(LLVMGetBasicBlockName(block), prefix, strlen(prefix)) == 0;
}

/* Tests for a basic block named "cleanup", which clang makes where lifetimes
 * of variables end. Such a block also serves `break` and other jumps. A
 * `return` is recognised by the branch to the block, not by the branch at its
 * end. */
static bool
is_cleanup(LLVMBasicBlockRef block)
{
    return is_named(block, "for.cond.cleanup") ||
           (is_named(block, "cleanup") && !is_named(block, "cleanup.cont"));
}

/* Tests whether the instruction comes from the kernel's own source, and not
 * from an inlined function. */
static bool
is_own(LLVMValueRef at)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(at);

    return location && !LLVMDILocationGetInlinedAt(location);
}

/* A basic block named "cleanup" receives from each predecessor a number that
 * says where to continue (1: `return`). Returns the number that `to` receives
 * from `from`, or 0 if there is none. */
static uint64_t
cleanup_target(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef at = LLVMGetFirstInstruction(to);

    for (; at && LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at)) {
        if (strncmp(jit_name(at), "cleanup.dest", 12) != 0) {
            continue;
        }
        for (unsigned i = 0; i < LLVMCountIncoming(at); i++) {
            LLVMValueRef value = LLVMGetIncomingValue(at, i);
            if (LLVMGetIncomingBlock(at, i) == from &&
                LLVMIsAConstantInt(value)) {
                return LLVMConstIntGetZExtValue(value);
            }
        }
    }
    return 0;
}

/* Tests whether all code from the basic block to the end of the kernel
 * consists of branches, ends of lifetimes and the return. Sets *left if the
 * basic block follows a loop: a branch to it may also be a `break`. */
static bool
is_end(LLVMBasicBlockRef block, bool *left)
{
    for (int i = 0; i < MAX_STEPS; i++) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);

        *left |= is_named(block, "for.end") || is_named(block, "while.end") ||
                 is_named(block, "do.end");
        while (jit_is_call(at, "llvm.lifetime.end")) {
            at = LLVMGetNextInstruction(at);
        }
        if (LLVMIsAReturnInst(at)) {
            return true;
        }
        if (!LLVMIsABranchInst(at) || LLVMGetNumSuccessors(at) != 1) {
            return false;
        }
        block = LLVMGetSuccessor(at, 0);
    }
    return false;
}

/* Returns the loops of the function. The result is cached until the next call
 * for another function. */
static const struct jit_loops *
loops_of(LLVMValueRef function)
{
    static LLVMValueRef known;
    static struct jit_loops loops;

    if (known != function) {
        known = function;
        jit_find_loops(function, &loops);
    }
    return &loops;
}

static bool
is_in_cycle(const struct jit_cfg *cfg, LLVMBasicBlockRef block)
{
    unsigned number = jit_cfg_index(cfg, block);
    const struct jit_block *row = &cfg->blocks[number];
    bool *reached = jit_allocate(cfg->count * sizeof *reached);

    for (unsigned i = 0; i < row->successor_count; i++) {
        memset(reached, 0, cfg->count * sizeof *reached);
        jit_cfg_reach(cfg, row->successors[i], NO_BLOCK, reached);
        if (reached[number]) {
            return true;
        }
    }
    return false;
}

/* Returns the branch of the innermost `if` around the block, or NULL. Sets
 * *arm to the first block of the part (then or else) that contains the
 * block. */
static LLVMValueRef
if_around(const struct jit_loops *loops, LLVMBasicBlockRef block,
          LLVMBasicBlockRef *arm)
{
    const struct jit_cfg *cfg = &loops->cfg;
    unsigned at = jit_cfg_index(cfg, block);

    for (; at != NO_BLOCK && at != 0; at = loops->dominators[at]) {
        const struct jit_block *row = &cfg->blocks[at];
        if (row->predecessor_count != 1 ||
            (!is_named(row->block, "if.then") &&
             !is_named(row->block, "if.else"))) {
            continue;
        }
        LLVMValueRef test = LLVMGetBasicBlockTerminator(
            cfg->blocks[row->predecessors[0]].block);
        if (LLVMIsABranchInst(test) && LLVMGetNumSuccessors(test) == 2 &&
            is_own(test)) {
            *arm = row->block;
            return test;
        }
    }
    return NULL;
}

/* Tests whether a jump to `to` leaves the `if` around `from` early. The jump
 * that ends each part of the `if` does not count. */
static bool
jumps_out(LLVMBasicBlockRef from, LLVMBasicBlockRef to, bool left)
{
    const struct jit_loops *loops = loops_of(LLVMGetBasicBlockParent(from));
    LLVMBasicBlockRef arm, other;
    LLVMValueRef test = if_around(loops, from, &arm);

    if (!test) {
        return false;
    }
    other = LLVMGetSuccessor(test, LLVMGetSuccessor(test, 0) == arm);
    if (other == to ||
        (is_named(arm, "if.then") && is_named(other, "if.else") &&
         !LLVMIsABranchInst(LLVMGetFirstInstruction(arm)))) {
        return false;
    }
    return !left || !is_in_cycle(&loops->cfg, LLVMGetInstructionParent(test));
}

static bool
is_same_location(LLVMValueRef one, LLVMValueRef two)
{
    return LLVMGetDebugLocLine(one) == LLVMGetDebugLocLine(two) &&
           LLVMGetDebugLocColumn(one) == LLVMGetDebugLocColumn(two);
}

bool
jit_is_return(struct jit *jit, LLVMValueRef at)
{
    LLVMBasicBlockRef from = LLVMGetInstructionParent(at);
    bool left = false;

    if ((!LLVMIsABranchInst(at) && !LLVMIsAReturnInst(at)) || !is_own(at) ||
        !jit_is_kernel(jit, LLVMGetBasicBlockParent(from))) {
        return false;
    }
    /* If the kernel's end is not reachable, as after an endless loop, clang
     * compiles the kernel's only `return` to a return instruction, and makes
     * no block named "return". */
    if (LLVMIsAReturnInst(at)) {
        return is_named(from, "if.then") || is_named(from, "if.else");
    }
    if (LLVMGetNumSuccessors(at) != 1 || is_cleanup(from)) {
        return false;
    }
    LLVMBasicBlockRef to = LLVMGetSuccessor(at, 0);
    uint64_t way = cleanup_target(from, to);
    if (way != 0) {
        return way == WAY_RETURN;
    }
    if (strcmp(LLVMGetBasicBlockName(to), "return") == 0) {
        return !is_same_location(at, LLVMGetBasicBlockTerminator(to));
    }
    bool known = is_named(to, "if.end") || is_named(to, "for.end") ||
                 is_named(to, "while.end") || is_named(to, "do.end") ||
                 is_named(to, "cleanup");
    return known && is_end(to, &left) && jumps_out(from, to, left);
}
