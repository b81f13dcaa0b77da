/* library.c - cuLibrary*: modules that are independent of contexts.
 *
 * Called by users of the library. A library owns the bytes of its image, and a
 * module for each context in which one of its objects was requested. Each
 * library has a lock for its lists.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/image.h"
#include "cpu/module/library.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "cpu/module/ptx.h"
#include "cpu/nvrtc/jit_process.h"

CUresult
cpu_library_of(CUlibrary handle, struct cpu_library **library)
{
    CUresult code = cpu_ready();

    *library = cpu_handle_object(CPU_LIBRARY, handle);
    return code || *library ? code : CUDA_ERROR_INVALID_HANDLE;
}

CUresult
cpu_library_module(struct cpu_library *library, struct cpu_module **module)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&library->lock);
    struct cpu_loaded *loaded = library->loaded;
    while (loaded && loaded->context_id != ctx->id) {
        loaded = loaded->next;
    }
    *module = loaded ? cpu_handle_object(CPU_MODULE, loaded->module) : NULL;
    if (!*module) {
        struct cpu_loaded *fresh = calloc(1, sizeof *fresh);

        code = fresh ? cpu_module_load(ctx, library->bytes, NULL, module)
                     : CUDA_ERROR_OUT_OF_MEMORY;
        if (code) {
            free(fresh);
        } else {
            *fresh = (struct cpu_loaded){.context_id = ctx->id,
                                         .device = ctx->device,
                                         .module = (*module)->handle,
                                         .next = library->loaded};
            library->loaded = fresh;
        }
    }
    pthread_mutex_unlock(&library->lock);
    return code;
}

/* Creates a library from the image `bytes`. Takes ownership of `bytes`, even
 * on failure. */
static CUresult
library_new(CUlibrary *handle, void *bytes)
{
    struct cpu_library *library = calloc(1, sizeof *library);

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
    struct cpu_library *library;
    CUresult code = cpu_library_of(handle, &library);

    if (code) {
        return code;
    }
    if (!cpu_handle_delete(handle)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    cpu_kernels_end(library);
    while (library->loaded) {
        struct cpu_loaded *loaded = library->loaded;

        library->loaded = loaded->next;
        /* Ignore errors: the module may have been destroyed with its
         * context. */
        cuModuleUnload(loaded->module);
        free(loaded);
    }
    pthread_mutex_destroy(&library->lock);
    free(library->bytes);
    free(library);
    return CUDA_SUCCESS;
}

/* Loads the library into the current context, if there is one, so that errors
 * of the image are reported now. */
static CUresult
library_try(CUlibrary *handle, unsigned count, CUjit_option *options,
            void **values)
{
    struct cpu_library *library;
    struct cpu_context *ctx;
    struct cpu_jit_log log;
    struct cpu_module *module;
    CUresult code = cpu_library_of(*handle, &library);

    if (code || cpu_context_current(&ctx)) {
        /* There is no context: the library is loaded when it is first used. */
        return code;
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
    struct cpu_loaded *loaded = calloc(1, sizeof *loaded);
    if (!loaded) {
        cpu_module_close(module);
        return CUDA_SUCCESS;
    }
    loaded->context_id = ctx->id;
    loaded->device = ctx->device;
    loaded->module = module->handle;
    library->loaded = loaded;
    return CUDA_SUCCESS;
}

/* Returns a copy of the image at `bytes`, decoded if it is in text form.
 * Returns NULL if it is not a complete image or there is not enough memory. */
static void *
image_copy(const void *bytes)
{
    size_t size = cpu_image_bytes(bytes);
    void *copy = NULL;
    uint32_t kind;

    if (size && (copy = malloc(size))) {
        memcpy(copy, bytes, size);
    } else if (!size && cpu_image_is_text(bytes, SIZE_MAX) &&
               cpu_image_text_read(bytes, SIZE_MAX, &copy, &size)) {
        copy = NULL;
    }
    if (copy && cpu_image_check(copy, size, &kind, NULL, 0)) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

/* Translates PTX to an image. If the PTX has errors, lists them in the log,
 * stores the error in `code` and returns NULL. */
static void *
ptx_copy(const char *text, size_t length, unsigned count,
         CUjit_option *options, void **values, CUresult *code)
{
    struct cpu_jit_result result = {0};
    struct cpu_jit_log log;

    *code = cpu_jit_options(count, options, values, &log);
    if (*code) {
        return NULL;
    }
    *code = cpu_ptx_translate(text, length, 0, &result);
    if (*code && log.error && log.error_bytes) {
        snprintf(log.error, log.error_bytes, "%s",
                 result.text ? result.text : "");
    }
    cpu_jit_options_report(count, options, values, &log);
    free(result.text);
    return *code ? NULL : result.image;
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
    size_t length;
    const char *text = cpu_image_is_text(code_bytes, SIZE_MAX)
                           ? NULL
                           : cpu_ptx_find(code_bytes, SIZE_MAX, &length);
    void *copy = text ? ptx_copy(text, length, count, options, values, &code)
                      : image_copy(code_bytes);
    if (code) {
        return code;
    }
    if (!copy) { /* load the original bytes as a module, to get the error code
                  * and the log */
        struct cpu_jit_log log;
        struct cpu_module *module;

        code = cpu_jit_options(count, options, values, &log);
        if (!code) {
            code = cpu_module_load(NULL, code_bytes, &log, &module);
            cpu_jit_options_report(count, options, values, &log);
        }
        return code;
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
    struct cpu_library *library;
    struct cpu_module *module;
    CUresult code = cpu_library_of(library_handle, &library);

    if (!code) {
        code = handle ? cpu_library_module(library, &module)
                      : CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *handle = module->handle;
    }
    return code;
}

/* Finds a variable in the library's module for the current context. */
static CUresult
library_global(CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
               const char *name, bool managed_only)
{
    struct cpu_library *library;
    struct cpu_module *module;
    CUresult code = cpu_library_of(handle, &library);

    if (!code) {
        code = name ? cpu_library_module(library, &module)
                    : CUDA_ERROR_INVALID_VALUE;
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

/* Always fails: the functions of an image have no address that the host can
 * call. */
CPU_API CUresult
cuLibraryGetUnifiedFunction(void **function, CUlibrary handle,
                            const char *name)
{
    struct cpu_library *library;
    CUresult code = cpu_library_of(handle, &library);

    if (code) {
        return code;
    }
    return function && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
}
