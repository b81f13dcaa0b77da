/* affine.h - values that change by a constant amount per iteration.
 *
 * affine.c analyses them for candidates.c and form.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_AFFINE_H
#define PYCUDA_JIT_CHECK_AFFINE_H

#include "image/abi.h"
#include "jit/checks/loops.h"

/* One counted loop, or two nested ones. Instructions that compute values of
 * the first iteration are inserted before them. */
struct jit_view {
    struct jit *jit;
    const struct jit_loops *loops;
    const struct jit_loop *nest[2]; /* inner, outer; outer may be NULL */
    LLVMValueRef count[2];          /* number of iterations, i64 */
    LLVMValueRef consistent;        /* i1: no value wraps in the loops */
};

/* Value in the first iteration, and its change per iteration of each loop;
 * i64. */
struct jit_affine {
    LLVMValueRef value, step[2];
};

/* Returns the outermost loop of the view. */
const struct jit_loop *jit_view_whole(const struct jit_view *view);
/* Tests whether the value is affine in the indices of the view's loops. */
bool jit_is_affine(const struct jit_view *view, LLVMValueRef value);
/* Builds start and steps of an affine value at the builder's position, and
 * adds its conditions to view->consistent. */
struct jit_affine jit_make_affine(struct jit_view *view, LLVMValueRef value);

/* A condition, in the form that the runtime evaluates. */
struct jit_term {
    LLVMValueRef value; /* affine */
    LLVMValueRef limit; /* invariant in the loops */
    enum { JIT_TERM_TRUTH, JIT_TERM_COMPARE } kind;
    LLVMIntPredicate predicate;
    bool holds;
};

/* Finds the conditions under which a block of the inner loop runs in an
 * iteration. Returns false if they are not expressible or more than `most`. */
bool jit_find_terms(const struct jit_view *view, unsigned block,
                    struct jit_term *terms, unsigned most, unsigned *count);

#endif
