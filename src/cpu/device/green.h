/* green.h - green contexts: shares of a device's multiprocessors.
 *
 * A green context is the primary context of its device under another handle,
 * with separate streams. Modules, memory and sticky errors belong to the
 * primary context.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_GREEN_H
#define PYCUDA_CPU_GREEN_H

#include "cpu/cpu.h"

struct cpu_green {
    CUgreenCtx handle;
    CUcontext context; /* handle of the primary context with this share */
    struct cpu_context *ctx; /* the primary context, retained */
    unsigned sm_count;
    uint64_t id; /* unique among all contexts */
    /* Operation that new streams wait for; scheduler lock. */
    struct cpu_op *_Atomic gate;
    struct cpu_green *next;
};

/* ---- green.c ---- */

/* Returns the green context that the handle was converted from, or NULL for an
 * ordinary context. */
struct cpu_green *cpu_green_of_context(CUcontext handle);
/* Returns the green context that is current in the calling thread, or NULL. */
struct cpu_green *cpu_green_current(void);
/* Ends all green contexts of a primary context that is being destroyed. */
void cpu_greens_close(struct cpu_context *ctx);

/* ---- resources.c ---- */

/* Returns the multiprocessors of a descriptor, or INVALID_VALUE if it is not a
 * descriptor of the device. */
CUresult cpu_resources_of(CUdevResourceDesc desc, CUdevice device,
                          unsigned *sm_count);

/* ---- stream/stream.c ---- */

/* Creates a stream in the context, or in the green context if that is not
 * NULL. */
CUresult cpu_stream_new(struct cpu_context *ctx, struct cpu_green *green,
                        unsigned flags, int priority, CUstream *handle);
/* Makes calls that name a stream of the ended green context fail. */
void cpu_streams_strand(struct cpu_green *green);

#endif
