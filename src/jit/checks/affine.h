/* affine.h - affine values: they change by the same amount in each iteration
 * of a loop.
 *
 * affine.c finds them for candidates.c and access_form.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_AFFINE_H
#define PYCUDA_JIT_CHECK_AFFINE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/checks/loops.h"

/* The loops in which values are analysed: a counted loop, or two nested ones.
 * To use a value of the first iteration, the compiler inserts instructions
 * before the outermost loop that compute the value. */
struct jit_view {
    struct jit *jit;
    const struct jit_loops *loops;
    /* [0]: inner loop; [1]: outer loop, or NULL */
    const struct jit_loop *nest[2];
    LLVMValueRef count[2]; /* iteration count of each loop, an i64 */
    /* i1 that is true at run time if no affine value wraps in the loops */
    LLVMValueRef consistent;
};

/* An affine value, as three i64: its value in the first iteration, and its
 * change per iteration of the inner loop [0] and of the outer loop [1]. */
struct jit_affine {
    LLVMValueRef value, step[2];
};

/* Returns the outermost loop of view->nest. */
const struct jit_loop *jit_view_outer_loop(const struct jit_view *view);
/* Tests whether the value is affine in the indices of the loops in
 * view->nest. */
bool jit_is_affine(const struct jit_view *view, LLVMValueRef value);
/* Builds the start of an affine value and its step in each loop, at the
 * builder's position, and returns them as i64 values. Adds a run-time
 * condition to view->consistent: the value does not wrap. */
struct jit_affine jit_make_affine(struct jit_view *view, LLVMValueRef value);

/* A condition that the runtime can evaluate: a test has the result `holds`.
 * Kind TRUTH tests `value` itself. Kind COMPARE compares `value` with `limit`
 * by `predicate`. */
struct jit_term {
    LLVMValueRef value; /* COMPARE: affine value; TRUTH: loop-invariant i1 */
    /* COMPARE: loop-invariant value that `value` is compared with; TRUTH:
     * NULL */
    LLVMValueRef limit;
    enum { JIT_TERM_TRUTH, JIT_TERM_COMPARE } kind;
    LLVMIntPredicate predicate;
    bool holds;
};

/* Finds the conditions under which an iteration of the inner loop executes the
 * basic block. Stores at most `most` conditions to `terms`, and their number
 * to *count. Returns false if there are more than `most` conditions, or if a
 * condition cannot be expressed as a jit_term. */
bool jit_find_terms(const struct jit_view *view, unsigned block,
                    struct jit_term *terms, unsigned most, unsigned *count);

#endif
