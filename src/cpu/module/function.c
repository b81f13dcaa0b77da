/* function.c - what can be asked of a kernel, and set for it.
 *
 * Called by users of the library.  A CUfunction belongs to its module; a
 * CUkernel is the same thing here.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

struct cpu_function *
cpu_function_of(CUfunction handle)
{
    return cpu_handle_object(CPU_FUNCTION, handle);
}

static CUresult
function_of(CUfunction handle, struct cpu_function **function)
{
    CUresult code = cpu_ready();

    *function = code ? NULL : cpu_function_of(handle);
    return code || *function ? code : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                   CUfunction handle)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    if (!value || (int)attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const struct image_kernel *kernel = function->kernel;
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value =
            kernel->max_threads ? (int)kernel->max_threads : CPU_MAX_THREADS;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)kernel->static_shared;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)kernel->constant_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)kernel->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)kernel->registers;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 70;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = function->max_dynamic_shared;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        break;
    default: /* cache mode, clusters: none */
        *value = 0;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                   int value)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (unsigned)value + function->kernel->static_shared >
                             CPU_SHARED_OPTIN) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        function->max_dynamic_shared = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        function->carveout = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CPU_API CUresult
cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    return (unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    return (unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuFuncGetModule(CUmodule *module, CUfunction handle)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    if (!module) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *module = function->module->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuFuncGetName(const char **name, CUfunction handle)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    if (!name) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *name = function->name;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset,
                   size_t *bytes)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    if (!offset || index >= function->kernel->parameter_count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = function->parameters[index].offset;
    if (bytes) {
        *bytes = function->parameters[index].bytes;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (code) {
        return code;
    }
    if (!state) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuFuncLoad(CUfunction handle)
{
    struct cpu_function *function;

    return function_of(handle, &function);
}

/* ---- a CUkernel is a CUfunction here ---- */

CPU_API CUresult
cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    struct cpu_function *found;
    CUresult code = function_of((CUfunction)kernel, &found);

    if (code) {
        return code;
    }
    if (!function) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *function = found->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                     CUkernel kernel, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    return code ? code
                : cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

CPU_API CUresult
cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                     CUkernel kernel, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    return code ? code
                : cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}

CPU_API CUresult
cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    return code ? code : cuFuncSetCacheConfig((CUfunction)kernel, config);
}

CPU_API CUresult
cuKernelGetName(const char **name, CUkernel kernel)
{
    return cuFuncGetName(name, (CUfunction)kernel);
}

CPU_API CUresult
cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                     size_t *bytes)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, bytes);
}
