/* module_state.h - the state of modules and of their functions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MODULE_MODULE_STATE_H
#define PYCUDA_CPU_MODULE_MODULE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_image;
struct cpu_module;
struct image_kernel;
struct image_parameter;

struct cpu_function {
    CUfunction handle;
    struct cpu_module *module;
    const struct image_kernel *kernel;
    const struct image_parameter *parameters;
    const char *name;
    void *entry;
    /* function that runs a thread block warp by warp, or NULL */
    void *warp_entry;
    int max_dynamic_shared;
    int carveout;
    atomic_uint ns_per_launch; /* duration of the last launch in ns */
    /* total number of threads of the last launch; 0: no launch yet */
    _Atomic uint64_t threads_per_launch;
    bool may_inline;
    struct cpu_function *next;
};

struct cpu_module {
    CUmodule handle;
    struct cpu_context *ctx;
    struct cpu_image *image;
    void *bytes; /* the bytes of the image; owned */
    struct cpu_function *functions;
    struct cpu_module *next;
};

#endif
