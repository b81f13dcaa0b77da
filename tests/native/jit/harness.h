/* harness.h - runs kernels of an image without the CPU device.
 *
 * Loads them with the CPU device's loader and provides the few runtime
 * functions that the tests need, on ucontext fibers. Single-threaded, no
 * locks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_NATIVE_JIT_HARNESS_H
#define TESTS_NATIVE_JIT_HARNESS_H

#include "cpu/module/image.h"
#include "image/abi.h"

struct shape {
    unsigned x, y, z;
};

/* Loads an image file; exits with a message if it cannot be loaded. */
struct cpu_image *harness_load(const char *path);

/* Runs the kernel; `params` is its parameter buffer. */
void harness_run(struct cpu_image *image, const char *name, struct shape grid,
                 struct shape block, unsigned dynamic_shared,
                 const void *params);

struct cpu_image_kernel harness_kernel(struct cpu_image *image,
                                       const char *name);
double harness_seconds(void);

#endif
