/* version.h - the versions of a kernel's code.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MODULE_VERSION_H
#define PYCUDA_CPU_MODULE_VERSION_H

struct cpu_function;
struct cpu_image_kernel;

/* Initializes the version of a new function with the code of its module's
 * image. */
void cpu_version_init(struct cpu_function *function,
                      const struct cpu_image_kernel *found);
/* Makes the function run the full version of its module, module->full. The
 * caller holds the context's lock. */
void cpu_version_upgrade(struct cpu_function *function);

#endif
