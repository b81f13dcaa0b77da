/* loops.h - declarations shared by the passes that run a loop within a CUDA
 * thread for several threads at a time, in vector registers.
 *
 * find.c finds such loops. outline.c moves each loop into a function. fuse.c
 * decides which products and sums are fused. LLVM's vectoriser calls vector
 * variants of the function; define.c finds these calls, and widen.c writes the
 * variants.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_LOOPS_H
#define PYCUDA_JIT_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/jit.h"

enum {
    /* maximum number of values that a loop returns, including the number of
     * the exit through which it was left */
    MAX_RESULTS = 6,
    MAX_INPUTS = 16,
    MAX_EXITS = 4,
};

/* An innermost loop of a kernel body that has no side effects and accesses no
 * memory. Basic blocks are indices in `cfg`; `before` is the preheader. */
struct jit_pure_loop {
    const struct jit_cfg *cfg;
    /* for each basic block of the function: true if it is part of the loop */
    bool *inside;
    unsigned head, latch, before;
    /* basic blocks after the loop; all their predecessors are in the loop */
    unsigned exits[MAX_EXITS];
    unsigned exit_count;
    LLVMValueRef inputs[MAX_INPUTS];
    unsigned input_count;
    /* phis of the exits, which receive the loop's results */
    LLVMValueRef results[MAX_RESULTS];
    unsigned result_count;
};

/* Returns the first instruction of the basic block with the given index, or
 * NULL if the basic block is not in the loop. */
static inline LLVMValueRef
jit_first_in_loop(const struct jit_pure_loop *loop, unsigned block)
{
    return loop->inside[block]
               ? LLVMGetFirstInstruction(loop->cfg->blocks[block].block)
               : NULL;
}

/* find.c: finds a loop of the function that has no side effects and accesses
 * no memory, and fills `loop`. Returns false if there is none. */
bool jit_find_pure_loop(struct jit *jit, const struct jit_cfg *cfg,
                        struct jit_pure_loop *loop);
/* Tests whether the function may have a loop that jit_find_pure_loop accepts
 * after LLVM's loop-simplify and lcssa passes. */
bool jit_may_have_pure_loop(const struct jit_cfg *cfg);
/* Tests for a call without observable effect, such as debug information, which
 * may be removed. */
bool jit_is_note(LLVMValueRef at);

/* A loop that became a function, which maps the loop's inputs to a struct of
 * all its results. The vectoriser requires functions with one result.
 * Therefore the kernel body calls one function per result, named
 * __pycuda_loop.NUMBER.RESULT. The functions with these names are only
 * declared; define.c replaces the calls. */
struct jit_outlined {
    LLVMValueRef function;
    const struct jit_kernel *kernel;
    unsigned line; /* source line of the loop; 0: unknown */
    unsigned number;
    /* width in bits of the loop's widest value, at least 32 */
    unsigned bits;
    /* bitwise OR of the vector widths (numbers of threads, powers of two) that
     * the vectoriser chose */
    unsigned widths;
};

/* outline.c: moves the loop into a function and replaces it by calls. Returns
 * the new element of jit.outlined, which is valid until the next call of
 * jit_outline_loop. */
struct jit_outlined *jit_outline_loop(struct jit *jit,
                                      struct jit_kernel *kernel,
                                      const struct jit_pure_loop *loop);
/* jit_read_result_name parses the name __pycuda_loop.NUMBER.RESULT of the
 * function, or __pycuda_loop.NUMBER.RESULT.WIDTH for a variant that handles
 * WIDTH threads. Without WIDTH, width is 1. Returns false for other names, or
 * if `function` is NULL. */
struct jit_result_name {
    unsigned number, result, width;
};
bool jit_read_result_name(LLVMValueRef function, struct jit_result_name *name);
/* Returns the function with the name __pycuda_loop.NUMBER.RESULT.WIDTH that
 * `name` describes. If there is none, adds a declaration with the function
 * type `type`. */
LLVMValueRef jit_declare_result(struct jit *jit,
                                const struct jit_result_name *name,
                                LLVMTypeRef type);

/* widen.c: returns a new function that runs an outlined loop (a loop that was
 * moved into a function) for `width` threads. The function's last parameter is
 * the mask of the threads that run the loop. */
LLVMValueRef jit_widen_loop(struct jit *jit,
                            const struct jit_outlined *outlined,
                            unsigned width);
/* Returns the type of vectors of `width` elements of `type`, or `type` itself
 * if `width` is 1. */
LLVMTypeRef jit_wide_type(LLVMTypeRef type, unsigned width);
/* Tests for a call of an LLVM intrinsic that works element by element on
 * vectors. Sets *same if the last argument is a constant flag, which remains a
 * scalar in the vector form. */
bool jit_is_elementwise(LLVMValueRef at, bool *same);
/* Tests whether widen.c can convert the call to one for several threads. */
bool jit_can_widen_call(LLVMValueRef at);

/* loops/join_exits.c: makes one test of two that end a loop of a kernel body
 * which only computes. */
void jit_join_exits(struct jit *jit);
/* loops/outline.c: moves loops of the kernel's source into functions that can
 * be vectorised over threads. */
void jit_outline_loops(struct jit *jit);
/* loops/outline.c: tests whether the function is one that returns a result of
 * a loop that was moved into a function (__pycuda_loop.NUMBER.RESULT). */
bool jit_is_loop_result(LLVMValueRef function);
/* loops/outline.c: declares, before vectorisation, the vector variants of the
 * functions that return a result of an outlined loop, a loop that was moved
 * into a function. */
void jit_declare_loops(struct jit *jit);
/* loops/define.c: writes the vector variants of outlined loops (loops that
 * were moved into functions) that the vectoriser has called, and inlines all
 * functions of outlined loops. Called after vectorisation. */
void jit_define_loops(struct jit *jit);

#endif
