/* kernel.h - compiled kernels, found by their keys.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_KERNEL_H
#define PYCUDA_ARRAY_KERNEL_H

#include "core/core.h"

/* A compiled kernel and its launch parameters. */
struct kernel {
    /* Key of the context that owns the kernel; the context gets a new key when
     * its kernels are released. */
    void *context;
    CUfunction handle;
    unsigned block; /* number of threads per block */
    /* Number of elements that a thread processes. */
    unsigned per_thread;
    /* For reductions: maximum number of blocks of the first launch. */
    unsigned max_blocks;
};

/* Finds the compiled kernel for a key in the current context, and fills
 * `kernel`. If there is none, passes the tuple that make_key(data) returns to
 * Python's kernel factory, which compiles the kernel. Returns a new reference
 * to the Function, which the caller must hold until the launch. */
PyObject *kernel_find(uint64_t low, uint64_t high,
                      PyObject *(*make_key)(void *), void *data,
                      struct kernel *kernel);

#endif
