/* green.h - green contexts: shares of a device's multiprocessors.
 *
 * A green context is the primary context of its device under another handle,
 * with streams of its own.  Modules, memory and sticky errors are the primary
 * context's.
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
    uint64_t id;         /* among those of contexts */
    struct cpu_op *gate; /* new streams wait for it; scheduler lock */
    struct cpu_green *next;
};

/* ---- green.c ---- */

/* The green context that the CUcontext handle was converted from; NULL: it is
 * that of an ordinary context. */
struct cpu_green *cpu_green_of_context(CUcontext handle);
/* That of the calling thread's current context, or NULL. */
struct cpu_green *cpu_green_current(void);
/* The primary context goes: its green contexts end with it. */
void cpu_greens_close(struct cpu_context *ctx);

/* ---- resources.c ---- */

/* The multiprocessors of a descriptor; INVALID_VALUE: it is no descriptor, or
 * it is one of another device. */
CUresult cpu_resources_of(CUdevResourceDesc desc, CUdevice device,
                          unsigned *sm_count);

/* ---- stream/stream.c ---- */

/* Creates a stream in the context, or in the green context, if not NULL. */
CUresult cpu_stream_new(struct cpu_context *ctx, struct cpu_green *green,
                        unsigned flags, int priority, CUstream *handle);
/* The green context ends: calls that name its streams fail from now on. */
void cpu_streams_strand(struct cpu_green *green);

#endif
