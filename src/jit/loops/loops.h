/* loops.h - declarations shared by the passes that run loops within a thread
 * for several threads at a time.
 *
 * find.c finds such loops, outline.c makes each a function, fuse.c determines
 * how that function rounds, and widen.c writes it for vectors of threads,
 * after define.c has found the variants that LLVM's vectoriser called.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_LOOPS_H
#define PYCUDA_JIT_LOOPS_H

#include "jit/regions/regions.h"

enum {
    MOST_RESULTS = 6, /* results of a loop, including the exit's number */
    MOST_INPUTS = 16,
    MOST_EXITS = 4,
};

/* An innermost loop of a body that only computes. */
struct jit_pure_loop {
    const struct jit_cfg *cfg;
    bool *inside; /* by block: part of the loop */
    unsigned head, latch, before;
    unsigned exits[MOST_EXITS]; /* entered from the loop only */
    unsigned exit_count;
    LLVMValueRef inputs[MOST_INPUTS];
    unsigned input_count;
    LLVMValueRef results[MOST_RESULTS]; /* phis at the start of the exits */
    unsigned result_count;
};

/* Returns the first instruction of a block of the body, NULL if the block is
 * not in the loop. */
static inline LLVMValueRef
jit_first_in_loop(const struct jit_pure_loop *loop, unsigned block)
{
    return loop->inside[block]
               ? LLVMGetFirstInstruction(loop->cfg->blocks[block].block)
               : NULL;
}

/* find.c: finds the next such loop of a function, and allocates loop->inside.
 * Returns false if there is none. */
bool jit_find_pure_loop(struct jit *jit, const struct jit_cfg *cfg,
                        struct jit_pure_loop *loop);
/* Tests whether the function may have such a loop after it is brought into the
 * form that jit_find_pure_loop requires. */
bool jit_may_have_pure_loop(const struct jit_cfg *cfg);
/* Tests for calls without observable effect, such as debug information, which
 * may be removed. */
bool jit_is_note(LLVMValueRef at);

/* A loop that became a function, from inputs to a struct of all results. The
 * vectoriser requires functions with one result, so the body calls one
 * function per result, named __pycuda_loop.NUMBER.RESULT, which is never
 * defined. */
struct jit_outlined {
    LLVMValueRef function;
    const struct jit_kernel *kernel;
    unsigned line; /* line in the source; 0: unknown */
    unsigned number;
    unsigned bits;   /* width of its widest value, at least 32 */
    unsigned widths; /* bit mask of the widths that the vectoriser chose */
};

/* outline.c: replaces the loop by calls, and returns the new row of
 * jit.outlined, which is valid until the next call. */
struct jit_outlined *jit_outline_loop(struct jit *jit,
                                      struct jit_kernel *kernel,
                                      const struct jit_pure_loop *loop);
/* Parses such a name, which ends in ".WIDTH" for a vector variant; width is 1
 * without it. Returns false for other names. */
struct jit_result_name {
    unsigned number, result, width;
};
bool jit_read_result_name(LLVMValueRef function, struct jit_result_name *name);
/* Returns the function of that name; adds it with `type` if it is missing. */
LLVMValueRef jit_declare_result(struct jit *jit,
                                const struct jit_result_name *name,
                                LLVMTypeRef type);

/* fuse.c: converts products and sums of the function to llvm.fma where
 * permitted, and forbids it elsewhere, so that results do not depend on the
 * surrounding code. */
void jit_fuse_products(struct jit *jit, LLVMValueRef function);

/* widen.c: returns a new function for `width` threads, with a mask of the
 * threads that run it as its last argument. */
LLVMValueRef jit_widen_loop(struct jit *jit,
                            const struct jit_outlined *outlined,
                            unsigned width);
/* Returns the vector type of that width, or the type itself for width 1. */
LLVMTypeRef jit_wide_type(LLVMTypeRef type, unsigned width);
/* Tests for calls that widen.c can widen. */
bool jit_can_widen_call(LLVMValueRef at);

#endif
