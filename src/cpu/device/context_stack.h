/* context_stack.h - the contexts that a thread has pushed.
 *
 * Each thread has one context stack, which only this thread uses. The stack
 * holds handles instead of pointers, so that a context destroyed by another
 * thread is detected. The contexts below the current one are in allocated
 * memory, because thread-local memory is scarce: all libraries that a process
 * loads after its start share less than 2 KiB of it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CONTEXT_STACK_H
#define PYCUDA_CPU_CONTEXT_STACK_H

#include "api/cuda_types.h"

struct context_stack {
    /* the current context; NULL if the stack is empty or NULL was pushed */
    CUcontext current;
    /* the contexts below the current one, oldest first; or NULL */
    CUcontext *below;
    unsigned depth; /* number of contexts, including the current one */
};

extern _Thread_local struct context_stack context_stack
    __attribute__((tls_model("initial-exec")));

/* Makes space for one more context. Returns CUDA_ERROR_OUT_OF_MEMORY if the
 * stack is full or there is not enough memory. */
CUresult context_stack_reserve(void);
/* Pushes a context's handle. Returns the same errors as
 * context_stack_reserve. */
CUresult context_stack_push(CUcontext handle);
/* Removes the current context from the stack and returns its handle. The stack
 * must not be empty. */
CUcontext context_stack_pop(void);

#endif
