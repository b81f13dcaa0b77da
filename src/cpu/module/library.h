/* library.h - what library.c and kernel.c share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_LIBRARY_H
#define PYCUDA_CPU_LIBRARY_H

#include "cpu/cpu.h"

/* A kernel of a library, in no context. */
struct cpu_kernel {
    CUkernel handle;
    struct cpu_library *library;
    const struct image_kernel *row; /* of the library's image */
    const struct image_parameter *parameters;
    const char *name;
    /* By device, as programs have set them; the library's lock. */
    int max_dynamic_shared[CPU_MAX_DEVICES]; /* -1: nobody has */
    int carveout[CPU_MAX_DEVICES];           /* -1: the same */
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
    void *bytes;                /* the image, checked */
    struct cpu_loaded *loaded;  /* lock */
    struct cpu_kernel *kernels; /* lock; those that were asked for */
};

/* INVALID_HANDLE: it is none; before cuInit NOT_INITIALIZED. */
CUresult cpu_library_of(CUlibrary handle, struct cpu_library **library);
/* The library's module in the current context, loaded if need be. */
CUresult cpu_library_module(struct cpu_library *library,
                            struct cpu_module **module);
/* Ends the kernels of a library that is unloaded. */
void cpu_kernels_end(struct cpu_library *library);

#endif
