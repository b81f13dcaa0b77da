/* context.c - finds the current context; reads and sets the sticky errors of
 * contexts.
 *
 * Called by all files that need the current context. context_lifetime.c
 * creates and destroys contexts.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdint.h>

#include "cpu/device/context.h"
#include "cpu/device/context_stack.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"

static atomic_ullong context_ids;

CUresult
cpu_context_of(CUcontext handle, struct cpu_context **ctx)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    *ctx = cpu_handle_object(CPU_CONTEXT, handle);
    return *ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult
cpu_context_current_any(struct cpu_context **ctx)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!context_stack.current) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    *ctx = cpu_handle_object(CPU_CONTEXT, context_stack.current);
    return *ctx ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult
cpu_context_status(struct cpu_context *ctx)
{
    return atomic_load_explicit(&ctx->error, memory_order_acquire);
}

CUresult
cpu_context_current(struct cpu_context **ctx)
{
    CUresult code = cpu_context_current_any(ctx);

    return code ? code : cpu_context_status(*ctx);
}

void
cpu_context_fail(struct cpu_context *ctx, CUresult code)
{
    int none = CUDA_SUCCESS;

    atomic_compare_exchange_strong(&ctx->error, &none, (int)code);
}

uint64_t
cpu_context_next_id(void)
{
    return atomic_fetch_add(&context_ids, 1) + 1;
}
