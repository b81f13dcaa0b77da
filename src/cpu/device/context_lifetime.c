/* context_lifetime.c - creation and destruction of contexts.
 *
 * A context owns its streams, modules, events, memory and the output of its
 * kernels; this file calls the functions that create and free them.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/context_lifetime.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/ipc.h"
#include "cpu/module/module.h"
#include "cpu/run/child_launch.h"
#include "cpu/run/device_heap.h"
#include "cpu/run/printf.h"
#include "cpu/stream/event.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/wait.h"

/* Default values of cuCtxGetLimit; the unit depends on the limit. */
static const size_t limit_defaults[CPU_LIMITS] = {
    [CU_LIMIT_STACK_SIZE] = 1024,
    [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
    [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
    [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
};

/* Frees a partly created context. Always returns CUDA_ERROR_OUT_OF_MEMORY. */
static CUresult
context_discard(struct cpu_context *ctx)
{
    void *handles[] = {ctx->handle, ctx->legacy.handle,
                       ctx->per_thread.handle};

    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        if (handles[i]) {
            cpu_handle_delete(handles[i]);
        }
    }
    if (ctx->fifo) {
        cpu_fifo_delete(ctx->fifo);
    }
    free(ctx);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Function `end` of a context: frees everything that the context owns. */
static void
context_end(struct cpu_context *ctx)
{
    cpu_fifo_flush(ctx);
    cpu_modules_close(ctx);
    cpu_links_close(ctx);
    cpu_streams_close(ctx);
    cpu_greens_close(ctx);
    cpu_events_close(ctx);
    cpu_handles_delete_owned(CPU_BLAS, ctx->id, free);
    cpu_handles_delete_owned(CPU_TEXTURE, ctx->id, free);
    cpu_handles_delete_owned(CPU_SURFACE, ctx->id, free);
    /* The levels of a mipmapped array are arrays, which are freed below. */
    cpu_handles_delete_owned(CPU_MIPMAP, ctx->id, free);
    /* Only the structs of arrays are freed here: the allocator of device
     * memory frees the memory of arrays. */
    cpu_handles_delete_owned(CPU_ARRAY, ctx->id, free);
    cpu_ipc_close(ctx);
    cpu_arena_free_context(ctx->id);
    cpu_heap_close(ctx);
    cpu_op_release(ctx->gate);
    cpu_fifo_delete(ctx->fifo);
    pthread_mutex_destroy(&ctx->lock);
    free(ctx);
}

CUresult
cpu_context_new(CUdevice device, unsigned flags, struct cpu_context **made)
{
    struct cpu_context *ctx = calloc(1, sizeof *ctx);

    if (!ctx) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    cpu_child_launch_install();
    ctx->fifo = cpu_fifo_new();
    ctx->handle = cpu_handle_new(CPU_CONTEXT, ctx, 0);
    ctx->legacy.handle = cpu_handle_new(CPU_STREAM, &ctx->legacy, 0);
    ctx->per_thread.handle = cpu_handle_new(CPU_STREAM, &ctx->per_thread, 0);
    if (!ctx->fifo || !ctx->handle || !ctx->legacy.handle ||
        !ctx->per_thread.handle) {
        return context_discard(ctx);
    }
    ctx->users = 1;
    ctx->end = context_end;
    ctx->device = device;
    ctx->flags = flags;
    ctx->id = cpu_context_next_id();
    memcpy(ctx->limits, limit_defaults, sizeof ctx->limits);
    pthread_mutex_init(&ctx->lock, NULL);
    pthread_mutex_init(&ctx->heap_lock, NULL);
    cpu_stream_attach(ctx, &ctx->per_thread);
    cpu_stream_attach(ctx, &ctx->legacy);
    *made = ctx;
    return CUDA_SUCCESS;
}

bool
cpu_context_destroy(struct cpu_context *ctx)
{
    if (!cpu_handle_delete(ctx->handle)) {
        return false;
    }
    cpu_scheduler_drain(ctx);
    cpu_context_leave(ctx);
    return true;
}

bool
cpu_context_flags_valid(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;

    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) &&
           (schedule == CU_CTX_SCHED_AUTO || schedule == CU_CTX_SCHED_SPIN ||
            schedule == CU_CTX_SCHED_YIELD ||
            schedule == CU_CTX_SCHED_BLOCKING_SYNC);
}

CUresult
cpu_context_synchronize(struct cpu_context *ctx)
{
    cpu_context_enter(ctx);
    cpu_scheduler_drain(ctx);
    cpu_fifo_flush(ctx);
    CUresult code = cpu_context_status(ctx);
    cpu_context_leave(ctx);
    return code;
}
