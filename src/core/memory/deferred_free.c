/* deferred_free.c - device memory that is freed after captures.
 *
 * If memory were freed during a capture, the free would become part of the
 * graph and would be repeated at each launch of the graph.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/memory/deferred_free.h"
#include "core/python/gil.h"

/* Adds memory to the list of memory that is freed after the captures of the
 * context. */
CUresult
core_deferred_add(struct core_context *context, CUdeviceptr pointer)
{
    CUdeviceptr *grown = PyMem_Realloc(
        context->deferred, (context->deferred_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    context->deferred = grown;
    grown[context->deferred_count++] = pointer;
    return CUDA_SUCCESS;
}

void
core_deferred_free(struct core_context *context)
{
    CUdeviceptr *late = context->deferred;
    size_t count = context->deferred_count;
    struct core_scope scope;
    context->deferred = NULL;
    context->deferred_count = 0;
    if (count > 0 && core_enter(context, &scope)) {
        PyThreadState *thread = core_gil_release();
        driver.cuCtxSynchronize();
        for (size_t i = 0; i < count; i++) {
            driver.cuMemFreeAsync(late[i], NULL);
        }
        core_gil_acquire(thread);
        core_leave(&scope);
    }
    PyMem_Free(late);
}
