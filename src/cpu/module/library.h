/* library.h - libraries and their kernels; shared by library.c and kernel.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_LIBRARY_H
#define PYCUDA_CPU_LIBRARY_H

#include "cpu/cpu.h"

/* A kernel of a library, independent of contexts. */
struct cpu_kernel {
    CUkernel handle;
    struct cpu_library *library;
    const struct image_kernel *row; /* in the library's image */
    const struct image_parameter *parameters;
    const char *name;
    /* Attributes that the program has set, by device; guarded by the library's
     * lock. */
    int max_dynamic_shared[CPU_MAX_DEVICES]; /* -1: not set */
    int carveout[CPU_MAX_DEVICES];           /* -1: not set */
    struct cpu_kernel *next;
};

/* The library's module in a context. */
struct cpu_loaded {
    uint64_t context_id;
    int device;
    CUmodule module;
    struct cpu_loaded *next;
};

struct cpu_library {
    CUlibrary handle;
    pthread_mutex_t lock;
    void *bytes;                /* checked image; owned */
    struct cpu_loaded *loaded;  /* modules; guarded by lock */
    struct cpu_kernel *kernels; /* requested kernels; guarded by lock */
};

/* Returns INVALID_HANDLE if the handle is not a library's, NOT_INITIALIZED
 * before cuInit. */
CUresult cpu_library_of(CUlibrary handle, struct cpu_library **library);
/* Returns the library's module in the current context, and loads it if
 * necessary. Takes the library's lock. */
CUresult cpu_library_module(struct cpu_library *library,
                            struct cpu_module **module);
/* Frees the kernels of a library that is being unloaded. */
void cpu_kernels_end(struct cpu_library *library);

#endif
