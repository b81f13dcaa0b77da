/* context_stack.c - the contexts that a thread has pushed.
 *
 * The memory of a stack with several contexts is freed when the thread ends.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/context_stack.h"

#define STACK_MAX 64

_Thread_local struct context_stack context_stack;
/* key for pthread_setspecific, plus 1; 0: the key is not created yet */
static atomic_uint key_plus_1;

/* Called when a thread ends: frees the memory of its context stack. `below` is
 * the array of the contexts below the current one. */
static void
below_free(void *below)
{
    context_stack = (struct context_stack){0};
    free(below);
}

/* Stores in *key the key whose destructor frees a thread's array `below` when
 * the thread ends. Creates the key on first use. Returns false on failure; the
 * next call then tries again. */
static bool
key_get(pthread_key_t *key)
{
    unsigned none = 0, known = atomic_load(&key_plus_1);

    if (!known && pthread_key_create(key, below_free)) {
        return false;
    }
    if (!known &&
        !atomic_compare_exchange_strong(&key_plus_1, &none, *key + 1)) {
        pthread_key_delete(*key); /* another thread has stored its key first */
        known = none;
    }
    if (known) {
        *key = known - 1;
    }
    return true;
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
    CUcontext *below = calloc(STACK_MAX - 1, sizeof(CUcontext));
    pthread_key_t key;
    if (!below || !key_get(&key) || pthread_setspecific(key, below)) {
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
