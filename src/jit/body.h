/* body.h - arguments of the bodies of kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_BODY_H
#define PYCUDA_JIT_BODY_H

#include <llvm-c/Core.h>

struct jit_kernel;

/* Arguments of a body after the kernel's own parameters. */
enum jit_body_argument {
    JIT_TID, /* three i32: threadIdx.x, y, z */
    JIT_CTAID = 3,
    JIT_NTID = 6,
    JIT_NCTAID = 9,
    JIT_LINEAR = 12,
    JIT_DYNAMIC_BYTES,
    JIT_GLOBAL_INDEX, /* i32 blockIdx.x * blockDim.x + threadIdx.x (guard.c) */
    JIT_WIDE_INDEX,   /* the same index as i64 (guard.c) */
    JIT_SHARED,       /* pointer to the block's shared memory */
    JIT_WHOLE,        /* i1: result of the condition of jit_guard.split */
    JIT_THREAD,       /* pointer to struct image_thread */
    /* These arguments are poison unless the kernel runs warp by warp
     * (warps/warps.h). */
    JIT_WARP_X,      /* threadIdx.x of the warp's first thread */
    JIT_WARP_LINEAR, /* linear index in the block of the warp's first thread */
    JIT_VOTE,        /* i64: uniform result of a warp operation */
    JIT_BODY_ARGUMENTS,
};

/* Further arguments of the body of a kernel that is split into regions. The
 * body runs from the start point JIT_REGION_POINT to the next barrier, and
 * stores the number of the next start point to JIT_REGION_NEXT (0: the kernel
 * ends). After the listed ones follow two arguments for each uniform value,
 * its value and a pointer for the new value, and the arrays with one element
 * per lane of a warp. */
enum jit_region_argument {
    JIT_REGION_CONTEXT,
    JIT_REGION_POINT,
    JIT_REGION_NEXT,
    JIT_REGION_VOTES, /* pointer to the sum of the predicates of a barrier */
    JIT_REGION_VOTED, /* i32: the sum of the predicates at the last barrier */
    JIT_REGION_UNIFORMS,
};

/* retarget/geometry.c: returns the body's parameter. `which` is an enum
 * jit_body_argument, or an enum jit_region_argument plus JIT_BODY_ARGUMENTS.
 */
LLVMValueRef jit_body_argument(const struct jit_kernel *kernel, int which);

#endif
