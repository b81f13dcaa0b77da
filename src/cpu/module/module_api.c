/* module_api.c - the cuModule* functions, reading of image files, and JIT
 * options.
 *
 * Called by users of the library; cpu_file_read, cpu_image_read and the JIT
 * options also by library.c and link.c. module.c implements the operations and
 * takes the locks.
 *
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/image.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"

/* Reads the addresses and sizes of the log buffers from the JIT options, and
 * empties the buffers. Ignores all other options. */
CUresult
cpu_jit_options(unsigned count, const CUjit_option *options, void **values,
                struct cpu_jit_log *log)
{
    *log = (struct cpu_jit_log){0};
    if (count && (!options || !values)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count; i++) {
        switch ((int)options[i]) {
        case CU_JIT_ERROR_LOG_BUFFER:
            log->error = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            log->error_bytes = (unsigned)(uintptr_t)values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER:
            log->info = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            log->info_bytes = (unsigned)(uintptr_t)values[i];
            break;
        default: /* other options are hints for the compiler of a GPU */
            break;
        }
    }
    if (log->error && log->error_bytes) {
        log->error[0] = 0;
    }
    if (log->info && log->info_bytes) {
        log->info[0] = 0;
    }
    return CUDA_SUCCESS;
}

/* Stores in the option values how many bytes of the log buffers are used, as
 * CUDA does. */
void
cpu_jit_options_report(unsigned count, const CUjit_option *options,
                       void **values, const struct cpu_jit_log *log)
{
    for (unsigned i = 0; i < count; i++) {
        size_t used;

        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            used = log->error && log->error_bytes ? strlen(log->error) : 0;
        } else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) {
            used = log->info && log->info_bytes ? strlen(log->info) : 0;
        } else {
            continue;
        }
        values[i] = (void *)(uintptr_t)used;
    }
}

CPU_API CUresult
cuModuleLoadDataEx(CUmodule *handle, const void *image, unsigned count,
                   CUjit_option *options, void **values)
{
    struct cpu_module *module;
    struct cpu_jit_log log;
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle || !image) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_jit_options(count, options, values, &log);
    if (code) {
        return code;
    }
    code = cpu_module_load(ctx, image, &log, &module);
    if (!code) {
        *handle = module->handle;
    }
    cpu_jit_options_report(count, options, values, &log);
    return code;
}

CPU_API CUresult
cuModuleLoadData(CUmodule *handle, const void *image)
{
    return cuModuleLoadDataEx(handle, image, 0, NULL, NULL);
}

CPU_API CUresult
cuModuleLoadFatBinary(CUmodule *handle, const void *image)
{
    return cuModuleLoadDataEx(handle, image, 0, NULL, NULL);
}

/* Number of zero bytes after the contents of a file, since a search for PTX
 * may read beyond the contents. */
#define READ_EXTRA 4096

CUresult
cpu_file_read(const char *path, void **bytes, size_t *size)
{
    int fd =
        open(path, O_RDONLY | O_CLOEXEC |
                       /* O_NONBLOCK, so that opening a pipe does not block */
                       O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    CUresult code = CUDA_ERROR_FILE_NOT_FOUND;
    struct stat status;

    if (!file) {
        if (fd >= 0) {
            close(fd);
        }
        return code;
    }
    *bytes = NULL;
    if (!fstat(fileno(file), &status) && S_ISREG(status.st_mode)) {
        *size = (size_t)status.st_size;
        *bytes = calloc(1, *size + READ_EXTRA);
        code = *bytes ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!code && fread(*bytes, 1, *size, file) != *size) {
        code = CUDA_ERROR_FILE_NOT_FOUND;
    }
    if (code) {
        free(*bytes);
    }
    fclose(file);
    return code;
}

CUresult
cpu_image_read(const char *path, void **bytes)
{
    size_t size;
    CUresult code = cpu_file_read(path, bytes, &size);

    if (!code && cpu_image_bytes(*bytes) > size) {
        free(*bytes);
        /* The file is shorter than its header says. */
        code = CUDA_ERROR_INVALID_IMAGE;
    }
    return code;
}

CPU_API CUresult
cuModuleLoad(CUmodule *handle, const char *path)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);
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
    code = cuModuleLoadData(handle, bytes);
    free(bytes);
    return code;
}

static CUresult
module_of(CUmodule handle, struct cpu_module **module)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    *module = cpu_handle_object(CPU_MODULE, handle);
    return code || *module ? code : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuModuleUnload(CUmodule handle)
{
    struct cpu_module *module = cpu_handle_object(CPU_MODULE, handle);
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!module) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    struct cpu_context *ctx = module->ctx;
    cpu_context_enter(ctx);
    code = cpu_module_close(module) ? cpu_context_status(ctx)
                                    : CUDA_ERROR_INVALID_HANDLE;
    cpu_context_leave(ctx);
    return code;
}

CPU_API CUresult
cuModuleGetFunction(CUfunction *handle, CUmodule module_handle,
                    const char *name)
{
    struct cpu_function *function;
    struct cpu_module *module;
    CUresult code = module_of(module_handle, &module);

    if (code) {
        return code;
    }
    if (!handle || !name) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_function_find(module, name, &function);
    if (!code) {
        *handle = function->handle;
    }
    return code;
}

CPU_API CUresult
cuModuleGetFunctionCount(unsigned *count, CUmodule handle)
{
    struct cpu_module *module;
    CUresult code = module_of(handle, &module);

    if (code) {
        return code;
    }
    if (!count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *count = cpu_module_kernels(module);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                           CUmodule handle)
{
    struct cpu_module *module;
    CUresult code = module_of(handle, &module);

    if (code) {
        return code;
    }
    if (!functions) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count && i < cpu_module_kernels(module); i++) {
        struct cpu_function *function;

        code = cpu_function_at(module, i, &function);
        if (code) {
            return code;
        }
        functions[i] = function->handle;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule handle,
                     const char *name)
{
    struct cpu_module *module;
    CUresult code = module_of(handle, &module);

    if (code) {
        return code;
    }
    if (!name || (!pointer && !bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return cpu_module_global(module, name, pointer, bytes, false);
}

CPU_API CUresult
cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!mode) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}
