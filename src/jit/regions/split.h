/* split.h - the state while a kernel is split at its barriers.
 *
 * regions.c fills the state; the passes that regions.c calls read it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_REGIONS_SPLIT_H
#define PYCUDA_JIT_REGIONS_SPLIT_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/jit.h"

/* A condition `threadIdx.x predicate limit` or `threadIdx.y predicate limit`,
 * such as `threadIdx.x < n`. Only the threads for which it holds have work. */
struct jit_bound {
    int axis;
    LLVMIntPredicate predicate;
    /* the value that the thread index is compared with: 32 or 64 bits wide and
     * equal for all threads of the block */
    LLVMValueRef limit;
};

/* A split point that split_points.c added to the kernel. Only threads that
 * satisfy all `bounds` run the code after it, as in `if (threadIdx.x < n)`. If
 * there are bounds, that code begins with a basic block whose branch tests
 * them. */
struct jit_added_point {
    LLVMValueRef
        /* barrier call that split_points.c inserted at the split point */
        barrier;
    struct jit_bound bounds[JIT_MAX_BOUNDS];
    unsigned bound_count;
    /* true: the branch's condition is false for the threads that satisfy all
     * bounds, and true for the others */
    bool inverted;
};

/* A barrier that returns a result, such as __syncthreads_count (warp_votes.c).
 * `kind` is NULL if the barrier returns none. */
struct jit_vote {
    /* first argument of the barrier call, an enum image_barrier: which result
     * the barrier returns */
    LLVMValueRef kind;
    /* the call that adds the thread's vote (its predicate), the placeholder
     * for the sum of all votes, and the result computed from the sum */
    LLVMValueRef call, told, result;
};

/* A split point: a barrier or warp operation at which the kernel is cut. The
 * basic block `head` ends there, and `next` begins there. */
struct jit_barrier {
    LLVMBasicBlockRef head, next;
    /* the split point that split_points.c added, or NULL for a barrier of the
     * source */
    const struct jit_added_point *added;
    /* warp operation at the start of the basic block `next`, or NULL */
    LLVMValueRef warp;
    struct jit_vote vote;
};

/* State while a kernel is split at barriers and warp operations. Start point 0
 * is the kernel's entry; start point k is the code after points[k]. */
struct jit_split {
    struct jit_kernel *kernel;
    struct jit_cfg cfg;
    struct jit_map differs;
    /* for each basic block: index of its immediate post-dominator */
    unsigned *immediate;
    bool *apart;
    /* true: the kernel has warp operations. Then `lanes_differ` and
     * `lanes_apart` are the results of jit_find_lanes_differing, otherwise
     * they are unused. */
    bool warps;
    struct jit_map lanes_differ;
    bool *lanes_apart;
    /* for each lane array (one element per lane of a warp): the alloca that
     * represents it until spill.c passes it as an argument */
    LLVMValueRef *lanes;
    struct jit_barrier points[JIT_MAX_POINTS];
    /* number of start points: 1 (the kernel's start) plus the number of
     * barriers and warp operations */
    unsigned count;
    struct jit_added_point added[JIT_MAX_POINTS];
    unsigned added_count;
};

#endif
