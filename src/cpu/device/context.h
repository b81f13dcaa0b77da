/* context.h - the struct of a context, and access to the current context.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_CONTEXT_H
#define PYCUDA_CPU_DEVICE_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/limits.h"
#include "cpu/stream/stream_state.h"

struct cpu_fifo;
struct cpu_heap_block;
struct cpu_module;
struct cpu_op;

struct cpu_context {
    CUcontext handle;
    int device;
    unsigned flags;
    bool primary;
    uint64_t id;
    /* sticky error: a CUresult that all later calls return; or 0 */
    atomic_int error;
    pthread_mutex_t lock;
    size_t limits[CPU_LIMITS];
    /* bit set of the limits (CUlimit) that cannot be changed any more, because
     * kernels have used the memory whose size the limit determines */
    atomic_uint used_limits;
    CUfunc_cache cache;
    CUsharedconfig shared_config;
    struct cpu_stream legacy, per_thread;
    /* List of all streams, the legacy stream first; guarded by the scheduler
     * lock. */
    struct cpu_stream *streams;
    /* Number of operations of the context that are not done; guarded by the
     * scheduler lock. */
    unsigned outstanding;
    /* Sum of two numbers: operations that kernels have launched and that are
     * not done, and streams and events that kernels have created. Guarded by
     * the scheduler lock. */
    unsigned pending_children;
    unsigned child_objects;
    struct cpu_module *modules; /* list of modules; guarded by `lock` */
    /* buffer for printf output of kernels (run/printf.c) */
    struct cpu_fifo *fifo;
    uint64_t peers;          /* bit mask of devices with enabled peer access */
    atomic_size_t heap_used; /* bytes allocated by malloc in kernels */
    pthread_mutex_t heap_lock;
    /* List of the heap blocks that kernels have allocated with malloc; guarded
     * by heap_lock. */
    struct cpu_heap_block *heap;
    atomic_uint capturing; /* number of streams that are being captured */
    /* Operation that every new stream of the context waits for, or NULL. The
     * operation is complete when all events are reached that a program has
     * passed to cuCtxWaitEvent for this context. Written under the scheduler
     * lock. */
    struct cpu_op *_Atomic gate;
    /* Number of threads between cpu_context_enter and cpu_context_leave, plus
     * 1 until the context is destroyed. The thread that makes it 0 frees the
     * context. */
    atomic_uint users;
    /* frees the context and everything that it owns */
    void (*end)(struct cpu_context *ctx);
};

/* A call that waits for operations of the context, and uses the context after
 * the wait, calls cpu_context_enter before the wait and cpu_context_leave at
 * its end. If another thread, or a signal handler that runs during the wait,
 * destroys the context in between, cpu_context_leave frees it. */
static inline void
cpu_context_enter(struct cpu_context *ctx)
{
    atomic_fetch_add(&ctx->users, 1);
}

/* Ends the use of the context that began with cpu_context_enter. Frees the
 * context if it was destroyed and no other call uses it. The caller must not
 * use the context afterwards. */
static inline void
cpu_context_leave(struct cpu_context *ctx)
{
    if (atomic_fetch_sub(&ctx->users, 1) == 1) {
        ctx->end(ctx);
    }
}

/* Finds the calling thread's current context. Fails if there is none, or if it
 * was destroyed or has a sticky error. */
CUresult cpu_context_current(struct cpu_context **ctx);
/* Finds the calling thread's current context, even if it has a sticky
 * error. */
CUresult cpu_context_current_any(struct cpu_context **ctx);
/* Finds the context of a handle. Returns INVALID_CONTEXT if there is none. */
CUresult cpu_context_of(CUcontext handle, struct cpu_context **ctx);
/* Returns the context's sticky error, or CUDA_SUCCESS. */
CUresult cpu_context_status(struct cpu_context *ctx);
/* Sets the sticky error of the context to `code`, unless it already has
 * one. */
void cpu_context_fail(struct cpu_context *ctx, CUresult code);
/* Returns an id that no other context of the process has. */
uint64_t cpu_context_next_id(void);

/* Records that a kernel uses the memory whose size the limit determines, such
 * as the heap or the printf buffer. The limit cannot be changed afterwards. */
static inline void
cpu_limit_use(struct cpu_context *ctx, CUlimit limit)
{
    unsigned bit = 1u << limit;

    if (!(atomic_load_explicit(&ctx->used_limits, memory_order_relaxed) &
          bit)) {
        atomic_fetch_or(&ctx->used_limits, bit);
    }
}

#endif
