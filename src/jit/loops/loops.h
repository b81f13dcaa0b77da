/* loops.h - what the steps share that make loops within a thread run for
 * several threads at once.
 *
 * find.c finds such loops, outline.c makes each a function, fuse.c says where
 * that function rounds; widen.c writes it for vectors of threads, once
 * define.c has seen which of them LLVM's vectoriser called.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_LOOPS_H
#define PYCUDA_JIT_LOOPS_H

#include "jit/regions/regions.h"

enum {
    MOST_RESULTS = 6, /* of a loop, which way it was left included */
    MOST_INPUTS = 16,
    MOST_EXITS = 4,
};

/* An innermost loop of a body, one that only computes. */
struct jit_pure_loop {
    const struct jit_cfg *cfg;
    bool *inside; /* by block */
    unsigned head, latch, before;
    unsigned exits[MOST_EXITS]; /* blocks outside, entered from it alone */
    unsigned exit_count;
    LLVMValueRef inputs[MOST_INPUTS];
    unsigned input_count;
    LLVMValueRef results[MOST_RESULTS]; /* phis at the exits' start */
    unsigned result_count;
};

/* The first instruction of a block of the body, NULL if it is not the
 * loop's. */
static inline LLVMValueRef
jit_first_in_loop(const struct jit_pure_loop *loop, unsigned block)
{
    return loop->inside[block]
               ? LLVMGetFirstInstruction(loop->cfg->blocks[block].block)
               : NULL;
}

/* find.c: the next such loop of a function; false: there is none. */
bool jit_find_pure_loop(struct jit *jit, const struct jit_cfg *cfg,
                        struct jit_pure_loop *loop);
/* Is it worth while to bring the function into the form that asks for? */
bool jit_may_have_pure_loop(const struct jit_cfg *cfg);
/* Does the call do nothing that anybody could see, so that it may be left
 * out? */
bool jit_is_note(LLVMValueRef at);

/* A loop that became a function: what it needs -> all results, as a struct.
 * The vectoriser takes functions of one result, so the body calls one a
 * result, which have no code: __pycuda_loop.NUMBER.RESULT. */
struct jit_outlined {
    LLVMValueRef function;
    const struct jit_kernel *kernel;
    unsigned line; /* in the source; 0: not known */
    unsigned number;
    unsigned bits;   /* of the widest of its values, 32 at least */
    unsigned widths; /* those that the vectoriser chose: a sum of them */
};

/* outline.c: puts calls in the loop's place. */
struct jit_outlined *jit_outline_loop(struct jit *jit,
                                      struct jit_kernel *kernel,
                                      const struct jit_pure_loop *loop);
/* Reads a name as above, with ".WIDTH" at its end for vectors; width 1:
 * without.  false: it is none. */
struct jit_result_name {
    unsigned number, result, width;
};
bool jit_read_result_name(LLVMValueRef function, struct jit_result_name *name);
/* The function of that name, which may not be there yet: `type` then. */
LLVMValueRef jit_declare_result(struct jit *jit,
                                const struct jit_result_name *name,
                                LLVMTypeRef type);

/* fuse.c: products and sums of the function become llvm.fma where they may,
 * and nowhere else: however the code around is made, results do not differ. */
void jit_fuse_products(struct jit *jit, LLVMValueRef function);

/* widen.c: the function for `width` threads, whose last argument tells which
 * of them run it. */
LLVMValueRef jit_widen_loop(struct jit *jit,
                            const struct jit_outlined *outlined,
                            unsigned width);
/* The vector of that width, or the type itself for one thread. */
LLVMTypeRef jit_wide_type(LLVMTypeRef type, unsigned width);
/* An intrinsic that widen.c knows how to widen? */
bool jit_can_widen_call(LLVMValueRef at);

#endif
