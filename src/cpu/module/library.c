/* library.c - cuLibrary*: modules that belong to no context.
 *
 * Called by users of the library.  A library keeps the image's bytes, and a
 * module for each context that asked for something in it.  One lock each.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/module/image.h"

struct loaded {
    uint64_t context_id;
    CUmodule module;
    struct loaded *next;
};

struct library {
    CUlibrary handle;
    pthread_mutex_t lock;
    void *bytes;
    struct loaded *loaded; /* lock */
};

static CUresult
library_of(CUlibrary handle, struct library **library)
{
    CUresult code = cpu_ready();

    *library = cpu_handle_object(CPU_LIBRARY, handle);
    return code || *library ? code : CUDA_ERROR_INVALID_HANDLE;
}

/* The library's module in the current context. */
static CUresult
library_module(struct library *library, struct cpu_module **module)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&library->lock);
    struct loaded *loaded = library->loaded;
    while (loaded && loaded->context_id != ctx->id) {
        loaded = loaded->next;
    }
    *module = loaded ? cpu_handle_object(CPU_MODULE, loaded->module) : NULL;
    if (!*module) {
        struct loaded *fresh = calloc(1, sizeof *fresh);

        code = fresh ? cpu_module_load(ctx, library->bytes, NULL, module)
                     : CUDA_ERROR_OUT_OF_MEMORY;
        if (code) {
            free(fresh);
        } else {
            *fresh = (struct loaded){.context_id = ctx->id,
                                     .module = (*module)->handle,
                                     .next = library->loaded};
            library->loaded = fresh;
        }
    }
    pthread_mutex_unlock(&library->lock);
    return code;
}

static CUresult
library_new(CUlibrary *handle, void *bytes)
{
    struct library *library = calloc(1, sizeof *library);

    if (library) {
        pthread_mutex_init(&library->lock, NULL);
        library->bytes = bytes;
        library->handle = cpu_handle_new(CPU_LIBRARY, library, 0);
    }
    if (!library || !library->handle) {
        free(library);
        free(bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = library->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuLibraryUnload(CUlibrary handle)
{
    struct library *library;
    CUresult code = library_of(handle, &library);

    if (code) {
        return code;
    }
    cpu_handle_delete(handle);
    while (library->loaded) {
        struct loaded *loaded = library->loaded;

        library->loaded = loaded->next;
        cuModuleUnload(loaded->module); /* gone already with its context? */
        free(loaded);
    }
    pthread_mutex_destroy(&library->lock);
    free(library->bytes);
    free(library);
    return CUDA_SUCCESS;
}

/* Loads it into the current context at once, so that errors come here. */
static CUresult
library_try(CUlibrary *handle, unsigned count, CUjit_option *options,
            void **values)
{
    struct library *library;
    struct cpu_context *ctx;
    struct cpu_jit_log log;
    struct cpu_module *module;
    CUresult code = library_of(*handle, &library);

    if (code || cpu_context_current(&ctx)) {
        return code; /* no context yet: loaded when one asks */
    }
    code = cpu_jit_options(count, options, values, &log);
    if (!code) {
        code = cpu_module_load(ctx, library->bytes, &log, &module);
        cpu_jit_options_report(count, options, values, &log);
    }
    if (code) {
        cuLibraryUnload(*handle);
        return code;
    }
    struct loaded *loaded = calloc(1, sizeof *loaded);
    if (!loaded) {
        cpu_module_close(module);
        return CUDA_SUCCESS;
    }
    loaded->context_id = ctx->id;
    loaded->module = module->handle;
    library->loaded = loaded;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuLibraryLoadData(CUlibrary *handle, const void *code_bytes,
                  CUjit_option *options, void **values, unsigned count,
                  CUlibraryOption *library_options, void **library_values,
                  unsigned library_count)
{
    CUresult code = cpu_ready();

    (void)library_options;
    (void)library_values;
    (void)library_count;
    if (code) {
        return code;
    }
    if (!handle || !code_bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    size_t size = cpu_image_bytes(code_bytes);
    void *copy = NULL;
    if (!size && cpu_image_is_text(code_bytes, SIZE_MAX) &&
        cpu_image_text_read(code_bytes, SIZE_MAX, &copy, &size)) {
        size = 0;
    }
    if (!size) { /* let the loader say why */
        struct cpu_jit_log log;
        struct cpu_module *module;

        code = cpu_jit_options(count, options, values, &log);
        if (!code) {
            code = cpu_module_load(NULL, code_bytes, &log, &module);
            cpu_jit_options_report(count, options, values, &log);
        }
        return code;
    }
    if (!copy) {
        copy = malloc(size);
        if (!copy) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        memcpy(copy, code_bytes, size);
    }
    code = library_new(handle, copy);
    return code ? code : library_try(handle, count, options, values);
}

CPU_API CUresult
cuLibraryLoadFromFile(CUlibrary *handle, const char *path,
                      CUjit_option *options, void **values, unsigned count,
                      CUlibraryOption *library_options, void **library_values,
                      unsigned library_count)
{
    CUresult code = cpu_ready();
    void *bytes;

    if (code) {
        return code;
    }
    if (!handle || !path) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_image_read(path, &bytes);
    if (code) {
        return code;
    }
    code = cuLibraryLoadData(handle, bytes, options, values, count,
                             library_options, library_values, library_count);
    free(bytes);
    return code;
}

CPU_API CUresult
cuLibraryGetModule(CUmodule *handle, CUlibrary library_handle)
{
    struct library *library;
    struct cpu_module *module;
    CUresult code = library_of(library_handle, &library);

    if (!code) {
        code = handle ? library_module(library, &module)
                      : CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *handle = module->handle;
    }
    return code;
}

CPU_API CUresult
cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle, const char *name)
{
    struct library *library;
    struct cpu_module *module;
    struct cpu_function *function;
    CUresult code = library_of(handle, &library);

    if (code) {
        return code;
    }
    if (!kernel || !name) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = library_module(library, &module);
    if (!code) {
        code = cpu_function_find(module, name, &function);
    }
    if (!code) {
        *kernel = (CUkernel)function->handle;
    }
    return code;
}

CPU_API CUresult
cuLibraryGetKernelCount(unsigned *count, CUlibrary handle)
{
    CUmodule module;
    CUresult code = cuLibraryGetModule(&module, handle);

    return code ? code : cuModuleGetFunctionCount(count, module);
}

CPU_API CUresult
cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary handle)
{
    CUmodule module;
    CUresult code = cuLibraryGetModule(&module, handle);

    return code ? code
                : cuModuleEnumerateFunctions((CUfunction *)kernels, count,
                                             module);
}

static CUresult
library_global(CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
               const char *name, bool managed_only)
{
    struct library *library;
    struct cpu_module *module;
    CUresult code = library_of(handle, &library);

    if (!code) {
        code =
            name ? library_module(library, &module) : CUDA_ERROR_INVALID_VALUE;
    }
    return code
               ? code
               : cpu_module_global(module, name, pointer, bytes, managed_only);
}

CPU_API CUresult
cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
                   const char *name)
{
    return library_global(pointer, bytes, handle, name, false);
}

CPU_API CUresult
cuLibraryGetManaged(CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
                    const char *name)
{
    return library_global(pointer, bytes, handle, name, true);
}
