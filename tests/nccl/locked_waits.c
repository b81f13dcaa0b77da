/* locked_waits.c - a driver that holds a lock while it waits for the device.
 *
 * Drivers may do so, for instance in copies and when memory is freed. A thread
 * that observes operations must not need the lock: the operation for which the
 * other thread waits ends only when the observer aborts it.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "api/cuda_types.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED(name, parameters, arguments)                                   \
    __attribute__((visibility("default"))) CUresult name parameters           \
    {                                                                         \
        static CUresult(*whole) parameters;                                   \
        if (whole == NULL) {                                                  \
            *(void **)&whole = dlsym(RTLD_NEXT, #name);                       \
        }                                                                     \
        pthread_mutex_lock(&lock);                                            \
        CUresult code = whole arguments;                                      \
        pthread_mutex_unlock(&lock);                                          \
        return code;                                                          \
    }

/* functions that wait */
LOCKED(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes),
       (to, from, bytes))
LOCKED(cuStreamSynchronize_ptsz, (CUstream stream), (stream))
LOCKED(cuStreamSynchronize, (CUstream stream), (stream))
LOCKED(cuEventSynchronize, (CUevent event), (event))
LOCKED(cuCtxSynchronize, (void), ())
LOCKED(cuMemFree_v2, (CUdeviceptr pointer), (pointer))
/* functions that an observer might call */
LOCKED(cuCtxPushCurrent_v2, (CUcontext context), (context))
LOCKED(cuCtxPopCurrent_v2, (CUcontext * context), (context))
LOCKED(cuEventQuery, (CUevent event), (event))
LOCKED(cuStreamQuery, (CUstream stream), (stream))
LOCKED(cuEventRecord, (CUevent event, CUstream stream), (event, stream))
LOCKED(cuEventDestroy_v2, (CUevent event), (event))
LOCKED(cuMemHostUnregister, (void *host), (host))
