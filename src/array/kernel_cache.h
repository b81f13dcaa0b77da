/* kernel_cache.h - kernel cache and plan cache of a context.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_KERNEL_CACHE_H
#define PYCUDA_ARRAY_KERNEL_CACHE_H

#include "array/hash_table.h"
#include "array/plan.h"
#include "core/core.h"

/* The kernel cache and the plan cache of one context: a Python object in
 * context-local storage. */
struct kernels {
    PyObject_HEAD
    /* Kernel cache. The values are of type struct entry (kernel_cache.c). */
    struct hash_table table;
    struct plan *plans[PLAN_CACHE_ENTRIES]; /* owned plans; NULL: free entry */
};

/* Return the struct kernels of the current context, a borrowed reference. It
 * may be released whenever Python code runs or the GIL is released. If the
 * context has none yet, kernels_current returns NULL without an exception, and
 * kernels_get_or_create creates it. Both return NULL with a LogicError if no
 * context is current. */
struct kernels *kernels_current(void);
struct kernels *kernels_get_or_create(void);

#endif
