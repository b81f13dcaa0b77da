/* module.h - modules and functions of the CPU driver, and the files and JIT
 * options that they are loaded from.
 *
 * Modules belong to a context and are guarded by its lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MODULE_MODULE_H
#define PYCUDA_CPU_MODULE_MODULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "image/image.h"

struct cpu_context;
struct cpu_image;

struct cpu_function {
    CUfunction handle;
    struct cpu_module *module;
    const struct image_kernel *kernel;
    const struct image_parameter *parameters;
    const char *name;
    void *entry;
    void *warp_entry; /* NULL without IMAGE_KERNEL_WARPS */
    int max_dynamic_shared;
    int carveout;
    atomic_uint ns_a_launch;           /* duration of the last launch */
    _Atomic uint64_t threads_a_launch; /* of the last launch, or 0 */
    bool may_inline;
    struct cpu_function *next;
};

struct cpu_module {
    CUmodule handle;
    struct cpu_context *ctx;
    struct cpu_image *image;
    void *bytes; /* the image's bytes; owned */
    struct cpu_function *functions;
    struct cpu_module *next;
};

struct cpu_jit_log {
    char *error;
    size_t error_bytes;
    char *info;
    size_t info_bytes;
};

/* Loads an image in any form into the context. Logs errors in `log`. The
 * caller may free `bytes` afterwards. */
CUresult cpu_module_load(struct cpu_context *ctx, const void *bytes,
                         struct cpu_jit_log *log, struct cpu_module **module);
/* Frees the module after a wait for the context's operations.
 * cpu_modules_close frees all modules of a context whose operations are
 * done. */
void cpu_module_close(struct cpu_module *module);
void cpu_modules_close(struct cpu_context *ctx);
/* Frees the links that were not destroyed. */
void cpu_links_close(struct cpu_context *ctx);
/* Find a kernel by name or index, creating its object on first use. Return
 * NOT_FOUND if there is none. */
CUresult cpu_function_find(struct cpu_module *module, const char *name,
                           struct cpu_function **function);
CUresult cpu_function_at(struct cpu_module *module, uint32_t index,
                         struct cpu_function **function);
uint32_t cpu_module_kernels(const struct cpu_module *module);
/* Looks up a variable; `pointer` and `bytes` may be NULL. Returns NOT_FOUND if
 * there is none, or if it is not managed and `managed_only` is true. */
CUresult cpu_module_global(struct cpu_module *module, const char *name,
                           CUdeviceptr *pointer, size_t *bytes,
                           bool managed_only);
/* Return the function of a handle, or for a CUkernel its function in the
 * current context. NULL if there is none. */
struct cpu_function *cpu_function_of(CUfunction handle);
struct cpu_function *cpu_kernel_function(CUkernel handle);
/* Returns the initial limit on a launch's dynamic shared memory, in bytes. */
int cpu_dynamic_shared_default(const struct image_kernel *kernel);
/* Reads an attribute, or checks a new value. Returns INVALID_VALUE for an
 * unknown attribute or an invalid value. */
CUresult cpu_function_attribute(const struct cpu_function *function,
                                CUfunction_attribute attribute, int *value);
CUresult cpu_function_attribute_check(const struct image_kernel *kernel,
                                      CUfunction_attribute attribute,
                                      int value);
/* Read the log buffers from JIT options, and report their used size. Other
 * options are ignored. */
CUresult cpu_jit_options(unsigned count, const CUjit_option *options,
                         void **values, struct cpu_jit_log *log);
void cpu_jit_options_report(unsigned count, const CUjit_option *options,
                            void **values, const struct cpu_jit_log *log);
/* Reads a regular file, followed by zeros. The caller frees the bytes. Returns
 * FILE_NOT_FOUND or OUT_OF_MEMORY. */
CUresult cpu_file_read(const char *path, void **bytes, size_t *size);
/* Reads an image file and checks that it is complete. The caller frees the
 * bytes. */
CUresult cpu_image_read(const char *path, void **bytes);
size_t cpu_image_bytes(const void *bytes); /* 0 if it is not an image */

/* Driver functions that the library calls; -Bsymbolic binds these calls to its
 * own definitions. */
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                                    CUmodule module);

#endif
