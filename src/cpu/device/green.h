/* green.h - green contexts: shares of a device's multiprocessors.
 *
 * A green context is the primary context of its device under another handle,
 * with separate streams. Modules, memory and sticky errors belong to the
 * primary context.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_GREEN_H
#define PYCUDA_CPU_GREEN_H

#include <stdatomic.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_op;

struct cpu_green {
    CUgreenCtx handle;
    /* Handle of type CUcontext that cuCtxFromGreenCtx returned for this green
     * context. It denotes the primary context. */
    CUcontext context;
    /* the primary context; the green context holds a reference to it */
    struct cpu_context *ctx;
    unsigned sm_count;
    uint64_t id; /* id that no other context of the process has */
    /* Operation that every new stream of the green context waits for, or NULL.
     * The operation is complete when all events are reached that a program has
     * passed to cuGreenCtxWaitEvent for this green context. Written under the
     * scheduler lock. */
    struct cpu_op *_Atomic gate;
    struct cpu_green *next;
};

/* Returns the green context that cuCtxFromGreenCtx converted to this handle.
 * Returns NULL for the handle of an ordinary context. */
struct cpu_green *cpu_green_of_context(CUcontext handle);
/* Returns the green context that is current in the calling thread, or NULL. */
struct cpu_green *cpu_green_current(void);
/* Allocates a green context of the primary context. Returns NULL if there is
 * not enough memory. */
struct cpu_green *cpu_green_new(struct cpu_context *ctx, unsigned sm_count);
/* Removes a green context from the list of green contexts, and frees it. */
void cpu_green_destroy(struct cpu_green *green);
/* Destroys all green contexts of a primary context that is being destroyed. */
void cpu_greens_close(struct cpu_context *ctx);

#endif
