/* candidates.c - selects the accesses of a loop that can be checked before the
 * loop.
 *
 * Called by access_ranges.c. An access qualifies if two conditions are met.
 * First, its address, and the conditions under which it runs, are affine in
 * the loop's index (affine.c). Second, the loop contains nothing, such as a
 * barrier, that orders the accesses of different threads.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "image/image.h"
#include "jit/analyse/cfg.h"
#include "jit/checks/access_ranges.h"
#include "jit/checks/affine.h"
#include "jit/checks/loops.h"
#include "jit/fibers/runtime_stops.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/options.h"

enum { MAX_BYTES = 64 };

static uint64_t
site_flags(LLVMValueRef call)
{
    LLVMValueRef site = LLVMGetOperand(call, JIT_ROW_SITE);
    LLVMValueRef data =
        LLVMIsAGlobalVariable(site) ? LLVMGetInitializer(site) : NULL;

    return data ? LLVMConstIntGetZExtValue(LLVMGetOperand(data, 4))
                : IMAGE_SITE_ATOMIC;
}

static bool
is_outside(const struct jit_view *view, LLVMValueRef value)
{
    return jit_is_outside(view->loops, jit_view_outer_loop(view), value);
}

/* Tests whether `is(instruction, name)` returns true for some instruction of
 * the loops in view->nest. */
static bool
any_instruction(const struct jit_view *view,
                bool (*is)(LLVMValueRef at, const char *name),
                const char *name)
{
    const struct jit_loop *loop = jit_view_outer_loop(view);

    for (unsigned b = 0; b < view->loops->cfg.count; b++) {
        LLVMValueRef at =
            loop->blocks[b]
                ? LLVMGetFirstInstruction(view->loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (is(at, name)) {
                return true;
            }
        }
    }
    return false;
}

static bool
calls_it(LLVMValueRef at, const char *name)
{
    return jit_calls(at, name);
}

static bool
has_call(const struct jit_view *view, const char *name)
{
    return any_instruction(view, calls_it, name);
}

static bool
pauses(LLVMValueRef at, const char *unused)
{
    LLVMValueRef callee = jit_callee(at);

    (void)unused;
    return LLVMIsACallInst(at) && (!callee || !LLVMIsDeclaration(callee) ||
                                   jit_may_stop(jit_name(callee)));
}

/* Tests whether a call in the loop may let other threads run. If so, accesses
 * of other threads may come between the accesses of this thread, so that the
 * accesses of this thread cannot be recorded before the loop. */
static bool
may_pause(const struct jit_view *view)
{
    return any_instruction(view, pauses, NULL);
}

/* Tests whether the access that `call` checks may be to a variable that is
 * private to a thread. */
static bool
may_be_local(LLVMValueRef call)
{
    return !(site_flags(call) &
             (IMAGE_SITE_SHARED | IMAGE_SITE_VARIABLE | IMAGE_SITE_POINTER));
}

/* Fills `row` with the description of the access that `call` checks. Returns
 * whether the access can be checked before the loop. */
static bool
row_read(const struct jit_view *view, LLVMValueRef call,
         struct jit_access_range *row)
{
    LLVMValueRef bytes = LLVMGetOperand(call, JIT_ROW_BYTES);
    unsigned block =
        jit_cfg_index(&view->loops->cfg, LLVMGetInstructionParent(call));

    row->call = call;
    return !(site_flags(call) & (IMAGE_SITE_ATOMIC | IMAGE_SITE_VOLATILE)) &&
           LLVMIsAConstantInt(bytes) &&
           LLVMConstIntGetZExtValue(bytes) <= MAX_BYTES &&
           is_outside(view, LLVMGetOperand(call, JIT_ROW_OBJECT)) &&
           is_outside(view, LLVMGetOperand(call, JIT_ROW_OBJECT_BYTES)) &&
           jit_is_affine(view, LLVMGetOperand(call, JIT_ROW_ADDRESS)) &&
           jit_is_affine(view, LLVMGetOperand(call, JIT_ROW_LINEAR)) &&
           jit_find_terms(view, block, row->terms, IMAGE_CHECK_CONDITIONS,
                          &row->term_count);
}

/* The calls of __pycuda_check that remain in the loop. */
struct left {
    LLVMValueRef calls[JIT_MOST_ROWS];
    unsigned count;
    bool more; /* true: more calls remain than `calls` has space for */
};

/* Tests whether one of the two checked accesses may write memory that the
 * other reads or writes. */
static bool
may_overlap(LLVMValueRef one, LLVMValueRef two)
{
    LLVMValueRef first = LLVMGetOperand(one, JIT_ROW_OBJECT);
    LLVMValueRef second = LLVMGetOperand(two, JIT_ROW_OBJECT);
    uint64_t flags = site_flags(one) | site_flags(two);

    return flags & IMAGE_SITE_WRITE &&
           (first == second || LLVMIsNull(first) || LLVMIsNull(second));
}

static bool
overlaps_left(const struct left *left, LLVMValueRef call)
{
    for (unsigned i = 0; i < left->count; i++) {
        if (may_overlap(left->calls[i], call)) {
            return true;
        }
    }
    return left->more;
}

static void
add_left(struct left *left, LLVMValueRef call)
{
    if (left->count == JIT_MOST_ROWS) {
        left->more = true;
    } else {
        left->calls[left->count++] = call;
    }
}

/* Removes from `rows` each access that may overlap with an access whose check
 * remains in the loop. A check before the loop would come before all checks in
 * the loop, and a race report could name the wrong access as the first one.
 * Returns the number of remaining rows. */
static unsigned
drop_overlapping(struct left *left, struct jit_access_range *rows,
                 unsigned count)
{
    for (unsigned i = 0; i < count;) {
        if (overlaps_left(left, rows[i].call)) {
            add_left(left, rows[i].call);
            rows[i] = rows[--count];
            i = 0;
        } else {
            i++;
        }
    }
    return count;
}

unsigned
jit_ranges_read(const struct jit_view *view,
                struct jit_access_range rows[JIT_MOST_ROWS])
{
    const struct jit_loops *loops = view->loops;
    int inner = (int)(view->nest[0] - loops->rows);
    struct left left = {.count = 0};
    unsigned count = 0;
    /* True if the lifetime of a private variable begins in the loop. */
    bool local = has_call(view, "__pycuda_check_local");

    /* __pycuda_check_copy copies the "initialized" state of memory. It must
     * run after exactly the writes that precede it in the program, so no check
     * of a loop with such a call can move before the loop. */
    if (has_call(view, "__pycuda_check_copy") || may_pause(view)) {
        return 0;
    }
    for (unsigned b = 0; b < loops->cfg.count; b++) {
        LLVMValueRef at =
            view->nest[0]->blocks[b] && jit_loop_of(loops, b) == inner
                ? LLVMGetFirstInstruction(loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!jit_calls(at, "__pycuda_check")) {
                continue;
            }
            if (count < JIT_MOST_ROWS && !(local && may_be_local(at)) &&
                row_read(view, at, &rows[count])) {
                count++;
            } else {
                add_left(&left, at);
            }
        }
    }
    return view->jit->options.checks & JIT_CHECK_RACE
               ? drop_overlapping(&left, rows, count)
               : count;
}

/* Tests whether the outer loop, apart from the inner one, has no call that
 * could order the accesses of different threads. */
static bool
outer_is_quiet(const struct jit_loops *loops, const struct jit_loop *outer,
               const struct jit_loop *inner)
{
    for (unsigned b = 0; b < loops->cfg.count; b++) {
        LLVMValueRef at =
            outer->blocks[b] && !inner->blocks[b]
                ? LLVMGetFirstInstruction(loops->cfg.blocks[b].block)
                : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (LLVMIsACallInst(at) && !jit_is_call(at, "llvm.")) {
                return false;
            }
        }
    }
    return true;
}

bool
jit_ranges_may_nest(const struct jit_loops *loops,
                    const struct jit_loop *inner)
{
    const struct jit_loop *outer =
        inner->outer < 0 ? NULL : &loops->rows[inner->outer];

    return outer && outer->counted &&
           jit_is_outside(loops, outer, inner->start) &&
           jit_is_outside(loops, outer, inner->end) &&
           outer_is_quiet(loops, outer, inner);
}
