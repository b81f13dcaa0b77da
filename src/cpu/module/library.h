/* library.h - libraries and their kernels; shared by library.c and kernel.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_LIBRARY_H
#define PYCUDA_CPU_LIBRARY_H

#include <pthread.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/limits.h"
#include "image/image.h"

struct cpu_module;

/* A kernel of a library. It does not depend on a context. */
struct cpu_kernel {
    CUkernel handle;
    struct cpu_library *library;
    /* The kernel's entry in the library's image. */
    const struct image_kernel *row;
    const struct image_parameter *parameters;
    const char *name;
    /* Values of attributes that the program has set for each device; guarded
     * by the library's lock. */
    int max_dynamic_shared[CPU_MAX_DEVICES]; /* -1: not set by the program */
    int carveout[CPU_MAX_DEVICES];           /* -1: not set by the program */
    struct cpu_kernel *next;
};

/* The module of a library that is loaded in one context. */
struct cpu_loaded {
    uint64_t context_id;
    int device;
    CUmodule module;
    struct cpu_loaded *next;
};

struct cpu_library {
    CUlibrary handle;
    pthread_mutex_t lock;
    void *bytes; /* the library's image, checked; owned */
    /* List of the library's modules, one per context in which it is loaded;
     * guarded by lock. */
    struct cpu_loaded *loaded;
    /* List of the kernels that programs have requested so far; guarded by
     * lock. */
    struct cpu_kernel *kernels;
};

/* Finds the library of a handle. Returns INVALID_HANDLE if the handle is not
 * that of a library, NOT_INITIALIZED before cuInit. */
CUresult cpu_library_of(CUlibrary handle, struct cpu_library **library);
/* Finds the library's module in the current context, and loads it if
 * necessary. Takes the library's lock. Returns INVALID_CONTEXT or another
 * error of the context, the error of loading the module, or OUT_OF_MEMORY. */
CUresult cpu_library_module(struct cpu_library *library,
                            struct cpu_module **module);
/* Frees the kernels of a library that is being unloaded. */
void cpu_kernels_end(struct cpu_library *library);

#endif
