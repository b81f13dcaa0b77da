/* old_names.c - functions that CUDA also exports under an older name.
 *
 * Called by programs that request an old version from cuGetProcAddress, or
 * were linked with an old driver.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "api/cuda_types.h"
#include "cpu/exports/visibility.h"

/* Defines the older name as a call of the newer function. */
#define OLD_NAME(name, parameters, newer, arguments)                          \
    CUresult newer parameters;                                                \
    CPU_API CUresult name parameters                                          \
    {                                                                         \
        return newer arguments;                                               \
    }

OLD_NAME(cuDevicePrimaryCtxRelease, (CUdevice device),
         cuDevicePrimaryCtxRelease_v2, (device))
OLD_NAME(cuDevicePrimaryCtxReset, (CUdevice device),
         cuDevicePrimaryCtxReset_v2, (device))
OLD_NAME(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags),
         cuDevicePrimaryCtxSetFlags_v2, (device, flags))
OLD_NAME(cuMemHostRegister, (void *host, size_t bytes, unsigned flags),
         cuMemHostRegister_v2, (host, bytes, flags))
OLD_NAME(cuLinkCreate,
         (unsigned count, CUjit_option *options, void **values,
          CUlinkState *state),
         cuLinkCreate_v2, (count, options, values, state))
OLD_NAME(cuLinkAddData,
         (CUlinkState state, CUjitInputType type, void *data, size_t size,
          const char *name, unsigned count, CUjit_option *options,
          void **values),
         cuLinkAddData_v2,
         (state, type, data, size, name, count, options, values))
OLD_NAME(cuLinkAddFile,
         (CUlinkState state, CUjitInputType type, const char *path,
          unsigned count, CUjit_option *options, void **values),
         cuLinkAddFile_v2, (state, type, path, count, options, values))
OLD_NAME(cuCtxDestroy, (CUcontext ctx), cuCtxDestroy_v2, (ctx))
OLD_NAME(cuCtxPushCurrent, (CUcontext ctx), cuCtxPushCurrent_v2, (ctx))
OLD_NAME(cuCtxPopCurrent, (CUcontext * ctx), cuCtxPopCurrent_v2, (ctx))
OLD_NAME(cuStreamDestroy, (CUstream stream), cuStreamDestroy_v2, (stream))
OLD_NAME(cuEventDestroy, (CUevent event), cuEventDestroy_v2, (event))
