/* peer_memory.h - memory of other contexts and devices.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_PEER_MEMORY_H
#define PYCUDA_CORE_MEMORY_PEER_MEMORY_H

#include "core/core.h"

/* Returns the context that allocated the memory; NULL if the driver knows
 * none, as for memory mapped by cuMemMap. */
CUcontext core_peer_context(CUdeviceptr pointer);
/* Returns whether the memory belongs to another device, or to a context of the
 * same device that does not share the address space of `here`. Sets `device`
 * to the memory's device. */
bool core_peer_is_elsewhere(const struct core_context *here,
                            CUdeviceptr pointer, int *device);
/* Waits on the host for all work of the memory's context, which is not the
 * current one. */
int core_peer_wait(CUdeviceptr pointer, int device);
/* Explains why the current context cannot access memory of another device or
 * context: returns true and writes a message into `text` that names both
 * devices. Returns false if the context can access it. `user` names the
 * operation in the message, such as "kernel". */
bool core_foreign_explain(CUdeviceptr pointer, const char *user, char *text,
                          size_t size);
/* Checks that kernels in the current context can access the device address.
 * Otherwise raises LogicError with a message that names both devices. */
int core_foreign_reach(CUdeviceptr pointer);
/* Waits on the host for the context that allocated the memory. Does nothing if
 * that is the current context or the current context captures. */
int core_foreign_wait(CUdeviceptr pointer);

#endif
