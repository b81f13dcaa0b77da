/* function.c - attributes and properties of kernels.
 *
 * Called by users of the library, and by kernel.c. A CUfunction belongs to its
 * module. If a program passes a CUkernel in place of a CUfunction, the
 * CUkernel denotes the kernel's function in the current context. Attributes
 * are set without a lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include "cpu/device/architecture.h"
#include "cpu/device/handle.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "image/image.h"

struct cpu_function *
cpu_function_of(CUfunction handle)
{
    struct cpu_function *function = cpu_handle_object(CPU_FUNCTION, handle);

    return function ? function : cpu_kernel_function((CUkernel)handle);
}

static CUresult
function_of(CUfunction handle, struct cpu_function **function)
{
    CUresult code = cpu_ready();

    *function = code ? NULL : cpu_function_of(handle);
    return code || *function ? code : CUDA_ERROR_INVALID_HANDLE;
}

int
cpu_dynamic_shared_default(const struct image_kernel *kernel)
{
    return kernel->static_shared < CPU_SHARED_DEFAULT
               ? (int)(CPU_SHARED_DEFAULT - kernel->static_shared)
               : 0;
}

CUresult
cpu_function_attribute(const struct cpu_function *function,
                       CUfunction_attribute attribute, int *value)
{
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
        *value = cpu_architecture()->number;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = function->max_dynamic_shared;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        break;
    default: /* the cache mode and cluster attributes have no effect */
        *value = 0;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                   CUfunction handle)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    return code ? code : cpu_function_attribute(function, attribute, value);
}

CUresult
cpu_function_attribute_check(const struct image_kernel *kernel,
                             CUfunction_attribute attribute, int value)
{
    bool right = false;

    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        right = value >= 0 && (unsigned)value + kernel->static_shared <=
                                  (unsigned)cpu_architecture()->opt_in;
    } else if (attribute ==
               CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
        right = value >= -1 && value <= 100;
    }
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                   int value)
{
    struct cpu_function *function;
    CUresult code = function_of(handle, &function);

    if (!code) {
        code =
            cpu_function_attribute_check(function->kernel, attribute, value);
    }
    if (!code) {
        *(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
              ? &function->max_dynamic_shared
              : &function->carveout) = value;
    }
    return code;
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
    CUresult code = cpu_ready();

    if (!code && (!name || !handle)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : function_of(handle, &function);
    if (code) {
        return code;
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
