/* body.h - arguments of a kernel body: the function with the code of a kernel,
 * which is called for each thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_BODY_H
#define PYCUDA_JIT_BODY_H

#include <llvm-c/Core.h>

struct jit_kernel;

/* Arguments of a kernel body that follow the kernel's own parameters. */
enum jit_body_argument {
    JIT_TID, /* three i32: threadIdx.x, y, z */
    JIT_CTAID = 3,
    JIT_NTID = 6,
    JIT_NCTAID = 9,
    JIT_LINEAR = 12,
    JIT_DYNAMIC_BYTES,
    /* i32: blockIdx.x * blockDim.x + threadIdx.x; if jit_guard.base is set,
     * jit_guard.base + threadIdx.x */
    JIT_GLOBAL_INDEX,
    JIT_WIDE_INDEX, /* i64 blockIdx.x * blockDim.x + threadIdx.x */
    JIT_SHARED,     /* pointer to the block's shared memory */
    /* i1. In a kernel with two code paths (jit_guard.split): the result of the
     * condition that selects the path. In a kernel that is split at barriers:
     * true if the thread loop has bounds and the thread satisfies them. */
    JIT_WHOLE,
    /* pointer to struct image_thread, the state of the running thread
     * (image/abi.h) */
    JIT_THREAD,
    /* The arguments from here on are poison unless the kernel runs warp by
     * warp (warps/warps.h). */
    JIT_WARP_X,      /* threadIdx.x of the warp's first thread */
    JIT_WARP_LINEAR, /* linear thread index of the warp's first thread */
    /* i64: result of the last warp operation, if the operation has the same
     * result for all lanes */
    JIT_VOTE,
    JIT_BODY_ARGUMENTS,
};

/* Further arguments of the body of a kernel that is split into regions (the
 * code between two barriers). The body runs from the start point with the
 * number JIT_REGION_POINT to the next barrier. The body stores the number of
 * the next start point to JIT_REGION_NEXT, or 0 if the kernel ends. From
 * JIT_REGION_UNIFORMS on, there are two arguments for each uniform value (its
 * value, and a pointer for the new value), and then the arrays with one
 * element per lane of a warp. */
enum jit_region_argument {
    JIT_REGION_CONTEXT,
    JIT_REGION_POINT,
    JIT_REGION_NEXT,
    /* pointer to the sum of the predicates that threads pass to a barrier such
     * as __syncthreads_count */
    JIT_REGION_VOTES,
    /* i32: sum of the predicates that threads passed to the last barrier */
    JIT_REGION_VOTED,
    JIT_REGION_UNIFORMS,
};

/* Returns an argument of the kernel body. `which` is a value of enum
 * jit_body_argument, or JIT_BODY_ARGUMENTS plus a value of enum
 * jit_region_argument. */
LLVMValueRef jit_body_argument(const struct jit_kernel *kernel, int which);

#endif
