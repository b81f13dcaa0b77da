/* context_lifetime.h - creation and destruction of contexts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_CONTEXT_LIFETIME_H
#define PYCUDA_CPU_DEVICE_CONTEXT_LIFETIME_H

#include <stdbool.h>

#include "api/cuda_types.h"

struct cpu_context;

/* Waits for all operations of the context and prints the pending output of
 * kernels. Returns the context's sticky error. */
CUresult cpu_context_synchronize(struct cpu_context *ctx);
/* Creates a context with its default streams. The caller owns it until it
 * calls cpu_context_destroy. */
CUresult cpu_context_new(CUdevice device, unsigned flags,
                         struct cpu_context **made);
/* Waits for the context's operations, then frees everything that the context
 * owns. If another call still uses the context (cpu_context_enter), that call
 * frees everything when it ends. Returns false and does nothing if another
 * thread is already destroying the context. */
bool cpu_context_destroy(struct cpu_context *ctx);
/* Returns whether the flags are valid for the creation of a context. */
bool cpu_context_flags_valid(unsigned flags);

#endif
