/* access_ranges.c - checks all accesses of a loop by one call before the loop.
 *
 * Runs after kernel bodies are inlined into loops over the threads of a block,
 * so that neighbouring threads are iterations of a loop. An access in such a
 * loop, with its range of addresses, is called a row here.
 *
 *   Before:  for (x...) { p = __pycuda_check(&a[x]...); *p ... }
 *   After:   ok = __pycuda_check_rows(...);
 *            for (x...) { p = ok ? &a[x] : __pycuda_check(&a[x]...); *p ... }
 *
 * LLVM then unswitches the loop: it makes one copy with checks and one
 * without, which it can vectorise. Accesses qualify if their addresses and
 * conditions are affine (start + step * iteration) in the index of one loop,
 * or of the two innermost loops.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/checks/access_ranges.h"
#include "jit/checks/affine.h"
#include "jit/checks/checks.h"
#include "jit/checks/loops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/text.h"

struct hoist {
    struct jit *jit;
    struct jit_loops loops;
    LLVMValueRef function;
    /* `calls`: calls of __pycuda_check in loops; `answers`: for each call, the
     * result `ok` of the check before its loop */
    LLVMValueRef *calls, *answers;
    unsigned count;
};

/* Builds one check before the loop for all accesses of the loop that qualify.
 * If all of these accesses also qualify for a check before the enclosing loop,
 * builds the check before that loop, for all iterations of both loops. */
static void
hoist_loop_checks(struct hoist *hoist, const struct jit_loop *loop)
{
    struct jit_access_range *one =
        jit_allocate(2 * JIT_MOST_ROWS * sizeof *one);
    struct jit_access_range *two = one + JIT_MOST_ROWS;
    struct jit_view view = {
        .jit = hoist->jit, .loops = &hoist->loops, .nest = {loop, NULL}};
    unsigned count = jit_ranges_read(&view, one), both = 0;

    if (!count) {
        return;
    }
    if (jit_ranges_may_nest(&hoist->loops, loop)) {
        view.nest[1] = &hoist->loops.rows[loop->outer];
        both = jit_ranges_read(&view, two);
        view.nest[1] = both == count ? view.nest[1] : NULL;
    }
    const struct jit_access_range *rows = view.nest[1] ? two : one;
    LLVMValueRef answer = jit_ranges_build_check(&view, rows, count);
    for (unsigned i = 0; i < count; i++) {
        hoist->calls[hoist->count] = rows[i].call;
        hoist->answers[hoist->count++] = answer;
    }
}

/* ---- the loops themselves ---- */

/* Replaces the result of the call `call` of __pycuda_check by `answer ?
 * address : call`, so that the call runs only if `answer`, the result of the
 * check before the loop, is false. The instructions before the call move to a
 * new block. */
static void
make_choice(struct hoist *hoist, LLVMValueRef call, LLVMValueRef answer)
{
    struct jit *jit = hoist->jit;
    LLVMBasicBlockRef next = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef slow =
        LLVMInsertBasicBlockInContext(jit->context, next, "look");
    LLVMBasicBlockRef head =
        LLVMInsertBasicBlockInContext(jit->context, slow, "choose");
    LLVMValueRef address = LLVMGetOperand(call, JIT_ROW_ADDRESS), at;

    jit_redirect_branches(hoist->function, next, head);
    LLVMPositionBuilderAtEnd(jit->builder, head);
    while ((at = LLVMGetFirstInstruction(next)) != call) {
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(jit->builder, at);
    }
    LLVMBuildCondBr(jit->builder, answer, next, slow);
    LLVMPositionBuilderAtEnd(jit->builder, slow);
    LLVMInstructionRemoveFromParent(call);
    LLVMInsertIntoBuilder(jit->builder, call);
    LLVMBuildBr(jit->builder, next);
    LLVMPositionBuilderBefore(jit->builder, LLVMGetFirstInstruction(next));
    LLVMValueRef phi = LLVMBuildPhi(jit->builder, jit->pointer, "");
    LLVMReplaceAllUsesWith(call, phi);
    LLVMValueRef values[2] = {address, call};
    LLVMBasicBlockRef blocks[2] = {head, slow};
    LLVMAddIncoming(phi, values, blocks, 2);
}

/* Tests whether the loop runs over the blocks of the grid. */
static bool
has_blocks(const struct jit_loops *loops, const struct jit_loop *loop)
{
    for (unsigned b = 0; b < loops->cfg.count; b++) {
        LLVMValueRef at =
            loop->blocks[b]
                ? LLVMGetFirstInstruction(loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (jit_calls(at, "__pycuda_check_block")) {
                return true;
            }
        }
    }
    return false;
}

/* Moves a call that informs the runtime of a shared variable out of the loops
 * over threads: one call per block is enough. */
static void
move_out(struct hoist *hoist, LLVMValueRef call)
{
    const struct jit_loops *loops = &hoist->loops;
    int at = jit_loop_of(
        loops, jit_cfg_index(&loops->cfg, LLVMGetInstructionParent(call)));
    unsigned to = NO_BLOCK;

    while (at >= 0) {
        const struct jit_loop *loop = &loops->rows[at];
        if (!loop->counted || has_blocks(loops, loop) ||
            !jit_is_outside(loops, loop, LLVMGetOperand(call, 0))) {
            break;
        }
        to = loop->preheader;
        at = loop->outer;
    }
    if (to != NO_BLOCK) {
        LLVMValueRef end =
            LLVMGetBasicBlockTerminator(loops->cfg.blocks[to].block);
        LLVMInstructionRemoveFromParent(call);
        LLVMPositionBuilderBefore(hoist->jit->builder, end);
        LLVMInsertIntoBuilder(hoist->jit->builder, call);
    }
}

static void
move_shared(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    if (jit_calls(at, "__pycuda_check_shared")) {
        move_out(data, at);
    }
}

static void
count_call(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    *(unsigned *)data += jit_is_call(at, "__pycuda_check");
}

void
jit_check_ranges(struct jit *jit)
{
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        struct hoist hoist = {.jit = jit, .function = at};
        unsigned calls = 0;

        jit_each_instruction(jit, at, count_call, &calls);
        if (!calls) {
            continue;
        }
        jit_find_loops(at, &hoist.loops);
        jit_each_instruction(jit, at, move_shared, &hoist);
        hoist.calls = jit_allocate(calls * sizeof *hoist.calls);
        hoist.answers = jit_allocate(calls * sizeof *hoist.answers);
        for (unsigned i = 0; i < hoist.loops.count; i++) {
            if (hoist.loops.rows[i].counted) {
                hoist_loop_checks(&hoist, &hoist.loops.rows[i]);
            }
        }
        for (unsigned i = 0; i < hoist.count; i++) {
            make_choice(&hoist, hoist.calls[i], hoist.answers[i]);
        }
    }
}
