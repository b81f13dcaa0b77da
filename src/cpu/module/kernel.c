/* kernel.c - kernels of libraries, which are independent of contexts.
 *
 * Called by users of the library, and by function.c if a CUkernel denotes its
 * function in the current context. Properties are read from the library's
 * image. Attributes are stored for each device and applied to functions when
 * they are loaded. The library's lock guards the list of kernels and their
 * attributes.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/library.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "image/image.h"

CUresult cuFuncSetAttribute(CUfunction function,
                            CUfunction_attribute attribute, int value);

/* ---- finding kernels in a library ---- */

static const struct image_kernel *
rows_of(const struct cpu_library *library, uint32_t *count)
{
    const struct image_header *header = library->bytes;

    *count = header->kernel_count;
    return (const void *)((const char *)library->bytes + header->kernels);
}

/* Creates a kernel with its handle and adds it to the library's list. The
 * caller holds the library's lock. Returns NULL on failure. */
static struct cpu_kernel *
kernel_new(struct cpu_library *library, const struct image_kernel *row)
{
    const struct image_header *header = library->bytes;
    const char *bytes = library->bytes;
    const struct image_parameter *parameters =
        (const void *)(bytes + header->parameters);
    struct cpu_kernel *kernel = calloc(1, sizeof *kernel);

    if (!kernel) {
        return NULL;
    }
    kernel->library = library;
    kernel->row = row;
    kernel->parameters = parameters + row->first_parameter;
    kernel->name = bytes + header->strings + row->name;
    for (int i = 0; i < CPU_MAX_DEVICES; i++) {
        kernel->max_dynamic_shared[i] = kernel->carveout[i] = -1;
    }
    kernel->handle = cpu_handle_new(CPU_KERNEL, kernel, 0);
    if (!kernel->handle) {
        free(kernel);
        return NULL;
    }
    kernel->next = library->kernels;
    library->kernels = kernel;
    return kernel;
}

/* Stores in *handle the handle of the library's kernel that `row` describes.
 * Creates the struct cpu_kernel at the first request. */
static CUresult
kernel_get(struct cpu_library *library, const struct image_kernel *row,
           CUkernel *handle)
{
    pthread_mutex_lock(&library->lock);
    struct cpu_kernel *kernel = library->kernels;
    while (kernel && kernel->row != row) {
        kernel = kernel->next;
    }
    if (!kernel) {
        kernel = kernel_new(library, row);
    }
    pthread_mutex_unlock(&library->lock);
    if (!kernel) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = kernel->handle;
    return CUDA_SUCCESS;
}

void
cpu_kernels_end(struct cpu_library *library)
{
    while (library->kernels) {
        struct cpu_kernel *kernel = library->kernels;

        library->kernels = kernel->next;
        cpu_handle_delete(kernel->handle);
        free(kernel);
    }
}

CPU_API CUresult
cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle, const char *name)
{
    struct cpu_library *library;
    CUresult code = cpu_library_of(handle, &library);
    uint32_t count;

    if (code) {
        return code;
    }
    if (!kernel || !name) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const struct image_header *header = library->bytes;
    const char *strings = (const char *)library->bytes + header->strings;
    const struct image_kernel *rows = rows_of(library, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(strings + rows[i].name, name)) {
            return kernel_get(library, &rows[i], kernel);
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

CPU_API CUresult
cuLibraryGetKernelCount(unsigned *count, CUlibrary handle)
{
    struct cpu_library *library;
    CUresult code = cpu_library_of(handle, &library);

    if (!code && !count) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        uint32_t kernels;

        rows_of(library, &kernels);
        *count = kernels;
    }
    return code;
}

CPU_API CUresult
cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary handle)
{
    struct cpu_library *library;
    CUresult code = cpu_library_of(handle, &library);
    uint32_t have;

    if (!code && !kernels) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code) {
        return code;
    }
    const struct image_kernel *rows = rows_of(library, &have);
    for (uint32_t i = 0; i < count && i < have && !code; i++) {
        code = kernel_get(library, &rows[i], &kernels[i]);
    }
    return code;
}

/* ---- the function of a kernel in a context ---- */

static CUresult
kernel_of(CUkernel handle, struct cpu_kernel **kernel)
{
    CUresult code = cpu_ready();

    *kernel = cpu_handle_object(CPU_KERNEL, handle);
    return code || *kernel ? code : CUDA_ERROR_INVALID_HANDLE;
}

/* Applies the attributes that the program has set for the kernel to its
 * function in one context. */
static void
function_adjust(struct cpu_kernel *kernel, struct cpu_function *function)
{
    int device = function->module->ctx->device;

    pthread_mutex_lock(&kernel->library->lock);
    if (kernel->max_dynamic_shared[device] >= 0) {
        function->max_dynamic_shared = kernel->max_dynamic_shared[device];
    }
    if (kernel->carveout[device] >= 0) {
        function->carveout = kernel->carveout[device];
    }
    pthread_mutex_unlock(&kernel->library->lock);
}

/* Finds the function of the kernel in the current context. Loads the library's
 * module into that context if necessary. */
static CUresult
kernel_function(struct cpu_kernel *kernel, struct cpu_function **function)
{
    struct cpu_module *module;
    CUresult code = cpu_library_module(kernel->library, &module);

    if (!code) {
        code = cpu_function_find(module, kernel->name, function);
    }
    if (!code) {
        function_adjust(kernel, *function);
    }
    return code;
}

struct cpu_function *
cpu_kernel_function(CUkernel handle)
{
    struct cpu_kernel *kernel = cpu_handle_object(CPU_KERNEL, handle);
    struct cpu_function *function;

    return kernel && !kernel_function(kernel, &function) ? function : NULL;
}

CPU_API CUresult
cuKernelGetFunction(CUfunction *handle, CUkernel kernel_handle)
{
    struct cpu_kernel *kernel;
    struct cpu_function *function;
    CUresult code = kernel_of(kernel_handle, &kernel);

    if (!code && !handle) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : kernel_function(kernel, &function);
    if (!code) {
        *handle = function->handle;
    }
    return code;
}

/* ---- queries ---- */

CPU_API CUresult
cuKernelGetLibrary(CUlibrary *library, CUkernel handle)
{
    struct cpu_kernel *kernel;
    CUresult code = kernel_of(handle, &kernel);

    if (!code && !library) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *library = kernel->library->handle;
    }
    return code;
}

CPU_API CUresult
cuKernelGetName(const char **name, CUkernel handle)
{
    struct cpu_kernel *kernel;
    CUresult code = kernel_of(handle, &kernel);

    if (code == CUDA_ERROR_NOT_INITIALIZED) {
        return code;
    }
    if (!name || !handle) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *name = kernel->name;
    }
    return code;
}

CPU_API CUresult
cuKernelGetParamInfo(CUkernel handle, size_t index, size_t *offset,
                     size_t *bytes)
{
    struct cpu_kernel *kernel;
    struct cpu_context *ctx;
    /* Check the context, since NVIDIA's driver does so too. */
    CUresult code = cpu_context_current_any(&ctx);

    code = code ? code : kernel_of(handle, &kernel);
    if (code) {
        return code;
    }
    if (!offset || index >= kernel->row->parameter_count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = kernel->parameters[index].offset;
    if (bytes) {
        *bytes = kernel->parameters[index].bytes;
    }
    return CUDA_SUCCESS;
}

/* ---- attributes ---- */

CPU_API CUresult
cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                     CUkernel handle, CUdevice device)
{
    struct cpu_kernel *kernel;
    CUresult code = cpu_device_check(device);

    code = code ? code : kernel_of(handle, &kernel);
    if (code) {
        return code;
    }
    struct cpu_function shown = {
        .kernel = kernel->row,
        .max_dynamic_shared = cpu_dynamic_shared_default(kernel->row),
        .carveout = kernel->carveout[device],
    };
    if (kernel->max_dynamic_shared[device] >= 0) {
        shown.max_dynamic_shared = kernel->max_dynamic_shared[device];
    }
    return cpu_function_attribute(&shown, attribute, value);
}

/* Sets an attribute of the kernel's functions that are already loaded on the
 * device. The caller holds the library's lock. */
static CUresult
functions_set(struct cpu_kernel *kernel, CUdevice device,
              CUfunction_attribute attribute, int value)
{
    CUresult code = CUDA_SUCCESS;

    for (struct cpu_loaded *l = kernel->library->loaded; l && !code;
         l = l->next) {
        struct cpu_module *module = cpu_handle_object(CPU_MODULE, l->module);
        struct cpu_function *function;

        if (module && l->device == device &&
            !cpu_function_find(module, kernel->name, &function)) {
            code = cuFuncSetAttribute(function->handle, attribute, value);
        }
    }
    return code;
}

CPU_API CUresult
cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                     CUkernel handle, CUdevice device)
{
    struct cpu_kernel *kernel;
    CUresult code = cpu_device_check(device);

    code = code ? code : kernel_of(handle, &kernel);
    if (code) {
        return code;
    }
    code = cpu_function_attribute_check(kernel->row, attribute, value);
    if (code) {
        return code;
    }
    pthread_mutex_lock(&kernel->library->lock);
    *(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
          ? &kernel->max_dynamic_shared[device]
          : &kernel->carveout[device]) = value;
    code = functions_set(kernel, device, attribute, value);
    pthread_mutex_unlock(&kernel->library->lock);
    return code;
}

CPU_API CUresult
cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device)
{
    struct cpu_kernel *kernel;
    CUresult code = cpu_device_check(device);

    code = code ? code : kernel_of(handle, &kernel);
    if (code) {
        return code;
    }
    return (unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}
