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

/* The functions with which the runtime starts a kernel, and the bytes of stack
 * that they need. */
struct cpu_version {
    void *entry;
    /* function that runs a thread block warp by warp, or NULL */
    void *warp_entry;
    uint32_t frame_bytes, warp_frame_bytes;
};

struct cpu_function {
    CUfunction handle;
    struct cpu_module *module;
    const struct image_kernel *kernel;
    const struct image_parameter *parameters;
    const char *name;
    /* version that each new chunk of blocks runs */
    _Atomic(const struct cpu_version *) version;
    /* [0]: the version in the module's image; [1]: the full version, after an
     * upgrade */
    struct cpu_version versions[2];
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
    /* The full version of the image and its bytes, if `image` is a quick
     * version that has been upgraded (upgrade.c); both owned. */
    struct cpu_image *full;
    void *full_bytes;
    struct cpu_function *functions;
    struct cpu_module *next;
};

#endif
