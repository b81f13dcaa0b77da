/* context_stack.c - the contexts that a thread has pushed.
 *
 * The memory of a stack with several contexts is freed when the thread ends.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cpu/device/context_stack.h"

#define STACK_MAX 64

_Thread_local struct context_stack context_stack;
static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static bool has_key;

/* Called at the end of a thread. */
static void
below_free(void *below)
{
    context_stack = (struct context_stack){0};
    free(below);
}

static void
key_make(void)
{
    has_key = !pthread_key_create(&stack_key, below_free);
}

CUresult
context_stack_reserve(void)
{
    if (!context_stack.depth) {
        return CUDA_SUCCESS;
    }
    if (context_stack.depth == STACK_MAX) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (context_stack.below) {
        return CUDA_SUCCESS;
    }
    pthread_once(&stack_once, key_make);
    CUcontext *below = calloc(STACK_MAX - 1, sizeof(CUcontext));
    if (!below || !has_key || pthread_setspecific(stack_key, below)) {
        free(below);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    context_stack.below = below;
    return CUDA_SUCCESS;
}

CUresult
context_stack_push(CUcontext handle)
{
    CUresult code = context_stack_reserve();

    if (code) {
        return code;
    }
    if (context_stack.depth) {
        context_stack.below[context_stack.depth - 1] = context_stack.current;
    }
    context_stack.current = handle;
    context_stack.depth++;
    return CUDA_SUCCESS;
}

CUcontext
context_stack_pop(void)
{
    CUcontext top = context_stack.current;
    unsigned depth = --context_stack.depth;

    context_stack.current = depth ? context_stack.below[depth - 1] : NULL;
    return top;
}
