/* affine.h - values that grow by the same amount in each round.
 *
 * affine.c looks at them for candidates.c and form.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_AFFINE_H
#define PYCUDA_JIT_CHECK_AFFINE_H

#include "image/abi.h"
#include "jit/checks/loops.h"

/* One counted loop, or two, the one in the other, and where the values of
 * their first rounds are made: before `before`, outside of both. */
struct jit_view {
    struct jit *jit;
    const struct jit_loops *loops;
    const struct jit_loop *nest[2]; /* inner, outer; outer may be NULL */
    LLVMValueRef count[2];          /* rounds, 64 bits */
    LLVMValueRef consistent;        /* i1: no value wraps on its way */
};

/* What a value is in the first round, and what each round adds: 64 bits. */
struct jit_affine {
    LLVMValueRef value, step[2];
};

/* The outermost of the loops. */
const struct jit_loop *jit_view_whole(const struct jit_view *view);
bool jit_is_affine(const struct jit_view *view, LLVMValueRef value);
/* Makes instructions where the builder stands; `value` must be affine. */
struct jit_affine jit_make_affine(struct jit_view *view, LLVMValueRef value);

/* A condition as the run time has it. */
struct jit_term {
    LLVMValueRef value; /* affine */
    LLVMValueRef limit; /* outside of the loops */
    enum { JIT_TERM_TRUTH, JIT_TERM_COMPARE } kind;
    LLVMIntPredicate predicate;
    bool holds;
};

/* The conditions under which the block of the inner loop is run in a round;
 * false: it cannot be said, or there are more than `most`. */
bool jit_find_terms(const struct jit_view *view, unsigned block,
                    struct jit_term *terms, unsigned most, unsigned *count);

#endif
