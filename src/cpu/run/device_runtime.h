/* device_runtime.h - the device runtime: CUDA's runtime API for kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_DEVICE_RUNTIME_H
#define PYCUDA_CPU_RUN_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_launch;
struct image_child_launch;
struct image_device_copy;

/* Functions of a higher layer (run/child_launch.c) that implement the device
 * runtime, such as launches by kernels. A kernel of the launch `parent` calls
 * the device runtime. `kernel` is the name of a kernel in the module of
 * `parent`. The functions return a cudaError and take locks. An invalid access
 * in one of them is reported as a fault of this library, not of the kernel. */
struct cpu_device_runtime {
    int (*launch)(struct cpu_launch *parent,
                  const struct image_child_launch *launch, const char *kernel,
                  const void *params, uint64_t bytes);
    int (*object)(struct cpu_launch *parent, int action, void **object);
    int (*event)(struct cpu_launch *parent, void *event, void *stream,
                 uint64_t block, bool wait);
    int (*copy)(struct cpu_launch *parent,
                const struct image_device_copy *copy, void *stream,
                uint64_t block);
    int (*limit)(struct cpu_launch *parent, int limit, uint64_t *value);
    int (*attribute)(struct cpu_launch *parent, int attribute, int device,
                     int *value);
    int (*kernel_attribute)(struct cpu_launch *parent, const char *kernel,
                            int attribute, int *value);
    int (*occupancy)(struct cpu_launch *parent, const char *kernel,
                     int threads, uint64_t shared, int *blocks);
};

/* Sets the functions that implement the device runtime. Called before the
 * first kernel runs. */
void cpu_device_runtime_install(const struct cpu_device_runtime *functions);

#endif
