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

struct cpu_function;
struct cpu_module;

struct cpu_context;
struct cpu_image;

struct cpu_jit_log {
    char *error;
    size_t error_bytes;
    char *info;
    size_t info_bytes;
};

/* Loads an image of any form (native, bitcode, text) into the context. Writes
 * errors to `log`. The caller may free `bytes` afterwards. */
CUresult cpu_module_load(struct cpu_context *ctx, const void *bytes,
                         struct cpu_jit_log *log, struct cpu_module **module);
/* cpu_module_close waits for the context's operations, then frees the module.
 * Returns false if another thread has freed the module during the wait.
 * cpu_modules_close frees all modules of a context whose operations are all
 * done. */
bool cpu_module_close(struct cpu_module *module);
void cpu_modules_close(struct cpu_context *ctx);
/* Frees all links (cuLinkCreate) of the context that were not destroyed. */
void cpu_links_close(struct cpu_context *ctx);
/* Find a kernel of the module by name or index. Create its struct cpu_function
 * on first use. Return NOT_FOUND if the module has no such kernel. */
CUresult cpu_function_find(struct cpu_module *module, const char *name,
                           struct cpu_function **function);
CUresult cpu_function_at(struct cpu_module *module, uint32_t index,
                         struct cpu_function **function);
uint32_t cpu_module_kernels(const struct cpu_module *module);
/* Finds a variable of the module. `pointer` and `bytes` may be NULL. Returns
 * NOT_FOUND if there is no such variable, or if `managed_only` is true and the
 * variable is not managed. */
CUresult cpu_module_global(struct cpu_module *module, const char *name,
                           CUdeviceptr *pointer, size_t *bytes,
                           bool managed_only);
/* Return the function that a handle denotes. A CUkernel denotes the kernel's
 * function in the current context. Return NULL if the handle is invalid, or if
 * the kernel cannot be loaded into the context. */
struct cpu_function *cpu_function_of(CUfunction handle);
struct cpu_function *cpu_kernel_function(CUkernel handle);
/* Returns how many bytes of dynamic shared memory a launch of the kernel may
 * use unless the program raises the limit. */
int cpu_dynamic_shared_default(const struct image_kernel *kernel);
/* Read an attribute of a function, or check a new value. Return INVALID_VALUE
 * for an unknown attribute or an invalid value. */
CUresult cpu_function_attribute(const struct cpu_function *function,
                                CUfunction_attribute attribute, int *value);
CUresult cpu_function_attribute_check(const struct image_kernel *kernel,
                                      CUfunction_attribute attribute,
                                      int value);
/* Reads the addresses and sizes of the log buffers from JIT options, and
 * empties the buffers. Ignores other options. Returns INVALID_VALUE if an
 * array is NULL and `count` is not 0. */
CUresult cpu_jit_options(unsigned count, const CUjit_option *options,
                         void **values, struct cpu_jit_log *log);
/* Stores in the JIT options how many bytes of the log buffers are used. */
void cpu_jit_options_report(unsigned count, const CUjit_option *options,
                            void **values, const struct cpu_jit_log *log);
/* Reads a regular file, and appends 4096 zero bytes to its contents. The
 * caller frees the bytes. Returns FILE_NOT_FOUND or OUT_OF_MEMORY on
 * failure. */
CUresult cpu_file_read(const char *path, void **bytes, size_t *size);
/* Reads an image file and checks that it is complete. The caller frees the
 * bytes. Returns INVALID_IMAGE for an incomplete file, FILE_NOT_FOUND or
 * OUT_OF_MEMORY. */
CUresult cpu_image_read(const char *path, void **bytes);

/* Functions of the driver API that the library itself calls. The linker option
 * -Bsymbolic binds these calls to the library's own definitions. */

/* Unloads a module. Returns INVALID_HANDLE or another error of the API. */
CUresult cuModuleUnload(CUmodule module);
/* Stores the number of kernels of a module. Returns INVALID_HANDLE or another
 * error of the API. */
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module);
/* Stores the handles of the first `count` kernels of a module. Returns
 * INVALID_HANDLE or another error of the API. */
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                                    CUmodule module);

#endif
