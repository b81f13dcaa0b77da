/* locked_waits.c - a driver that holds a device's lock while it waits for the
 * device.
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

enum { DEVICES = 16 };
static pthread_mutex_t locks[DEVICES];

__attribute__((constructor)) static void
locks_init(void)
{
    for (int i = 0; i < DEVICES; i++) {
        pthread_mutex_init(&locks[i], NULL);
    }
}

CUresult cuCtxGetDevice(CUdevice *device);

/* Returns the lock of the current context's device. */
static pthread_mutex_t *
current_lock(void)
{
    CUdevice device = 0;
    cuCtxGetDevice(&device);
    return &locks[device % DEVICES];
}

#define LOCKED(name, parameters, arguments)                                   \
    __attribute__((visibility("default"))) CUresult name parameters           \
    {                                                                         \
        static CUresult(*whole) parameters;                                   \
        if (whole == NULL) {                                                  \
            *(void **)&whole = dlsym(RTLD_NEXT, #name);                       \
        }                                                                     \
        pthread_mutex_t *lock = current_lock();                               \
        pthread_mutex_lock(lock);                                             \
        CUresult code = whole arguments;                                      \
        pthread_mutex_unlock(lock);                                           \
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
LOCKED(cuCtxPopCurrent_v2, (CUcontext * context), (context))
LOCKED(cuEventQuery, (CUevent event), (event))
LOCKED(cuStreamQuery, (CUstream stream), (stream))
LOCKED(cuEventRecord, (CUevent event, CUstream stream), (event, stream))
LOCKED(cuEventDestroy_v2, (CUevent event), (event))
LOCKED(cuMemHostUnregister, (void *host), (host))

__attribute__((visibility("default"))) CUresult
cuCtxPushCurrent_v2(CUcontext context)
{
    static CUresult (*whole)(CUcontext context);
    if (whole == NULL) {
        *(void **)&whole = dlsym(RTLD_NEXT, "cuCtxPushCurrent_v2");
    }
    CUresult code = whole(context);
    pthread_mutex_t *lock = current_lock();
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return code;
}
