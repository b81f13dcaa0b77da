/* peer_memory.c - memory of other contexts and devices.
 *
 * Checks whether the current context can access memory, and waits for the
 * context that owns it. All functions need the GIL; waits release it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/peer_memory.h"
#include "core/python/gil.h"

/* Returns the context that allocated the memory; NULL if the driver knows
 * none, as for memory mapped by cuMemMap. */
CUcontext
core_peer_context(CUdeviceptr pointer)
{
    CUcontext context = NULL;
    return driver.cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT,
                                        pointer) == CUDA_SUCCESS
               ? context
               : NULL;
}

/* Returns whether the memory is managed or host memory, which all contexts
 * share. */
static bool
is_shared(CUdeviceptr pointer)
{
    unsigned managed = 0;
    CUmemorytype type = CU_MEMORYTYPE_DEVICE;
    driver.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 pointer);
    driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 pointer);
    return managed || type == CU_MEMORYTYPE_HOST;
}

/* Returns the CUDA memory pool from which the memory was allocated, or NULL.
 * Memory of a pool belongs to a device instead of a context. */
static CUmemoryPool
pool_of(CUdeviceptr pointer)
{
    CUmemoryPool pool = NULL;
    return driver.cuPointerGetAttribute(&pool,
                                        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                        pointer) == CUDA_SUCCESS
               ? pool
               : NULL;
}

/* Returns whether kernels of a device can access the memory of a pool. Returns
 * true if the driver does not say. */
static bool
is_accessible(CUmemoryPool pool, int device)
{
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                              .id = device};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    driver.cuMemPoolGetAccess(&flags, pool, &location);
    return flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

/* Returns whether two handles refer to the same context. The handle of a green
 * context refers to the primary context. */
static bool
is_same_context(CUcontext one, CUcontext other)
{
    unsigned long long a = 0, b = 0;
    return one == other ||
           (driver.cuCtxGetId(one, &a) == CUDA_SUCCESS &&
            driver.cuCtxGetId(other, &b) == CUDA_SUCCESS && a == b);
}

/* Returns whether the memory belongs to another device, or to a context of the
 * same device that does not share the address space of `here`. Sets `device`
 * to the memory's device. */
bool
core_peer_is_elsewhere(const struct core_context *here, CUdeviceptr pointer,
                       int *device)
{
    CUcontext owner = pointer == 0 ? NULL : core_peer_context(pointer);
    if (pointer == 0 || owner == here->handle ||
        driver.cuPointerGetAttribute(device,
                                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     pointer) != CUDA_SUCCESS) {
        return false;
    }
    return *device != (int)here->device ||
           (owner != NULL && !is_shared(pointer) && pool_of(pointer) == NULL &&
            !is_same_context(owner, here->handle));
}

/* Waits for a native context without the GIL. */
static CUresult
synchronize(CUcontext context)
{
    CUcontext popped;
    CUresult code = driver.cuCtxPushCurrent(context);
    if (code == CUDA_SUCCESS) {
        PyThreadState *thread = core_gil_release();
        code = driver.cuCtxSynchronize();
        core_gil_acquire(thread);
        driver.cuCtxPopCurrent(&popped);
    }
    return code;
}

/* Waits on the host for all work of the memory's context, which is not the
 * current one. Used where the library that owns the memory was given no stream
 * that it could make wait for its pending work. */
int
core_peer_wait(CUdeviceptr pointer, int device)
{
    CUcontext context = core_peer_context(pointer);
    CUresult code;
    if (context != NULL) {
        return core_check(synchronize(context), "cuCtxSynchronize");
    }
    code = driver.cuDevicePrimaryCtxRetain(&context, device);
    if (code == CUDA_SUCCESS) {
        code = synchronize(context);
        driver.cuDevicePrimaryCtxRelease(device);
    }
    return core_check(code, "cuCtxSynchronize");
}

/* Returns whether the current context may access memory of the context
 * `owner`. The driver has no query for that, but it returns an error if access
 * is enabled a second time. */
static bool
is_peer(CUcontext owner)
{
    CUresult code = driver.cuCtxEnablePeerAccess(owner, 0);
    if (code == CUDA_SUCCESS) {
        driver.cuCtxDisablePeerAccess(owner);
    }
    return code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

/* Writes the name of a device into `name`, for an error message. */
static void
device_name(char *name, int size, int device)
{
    if (driver.cuDeviceGetName(name, size, device) != CUDA_SUCCESS) {
        snprintf(name, (size_t)size, "unknown");
    }
}

/* Writes why a kernel of the current context cannot access the memory of
 * another device. */
static void
explain_device(char *text, size_t size, const char *user, int device,
               const struct core_context *here, const char *remedy)
{
    char theirs[64], ours[64];
    device_name(theirs, sizeof theirs, device);
    device_name(ours, sizeof ours, here->device);
    snprintf(text, size,
             "the memory is on device %d (%s), the %s runs on device %d (%s): "
             "copy it with gpuarray.asarray(), or call %s",
             device, theirs, user, (int)here->device, ours, remedy);
}

/* Writes why a kernel cannot access the memory of another context of the
 * same device. */
static void
explain_context(char *text, size_t size, const char *user, int device)
{
    char theirs[64];
    device_name(theirs, sizeof theirs, device);
    snprintf(text, size,
             "the memory belongs to another context of device %d (%s), "
             "whose address space the %s's context does not share: "
             "copy it with gpuarray.asarray()",
             device, theirs, user);
}

bool
core_foreign_explain(CUdeviceptr pointer, const char *user, char *text,
                     size_t size)
{
    const struct core_context *here = core_stack_top();
    int device;
    if (here == NULL || !core_peer_is_elsewhere(here, pointer, &device) ||
        is_shared(pointer)) {
        return false;
    }
    CUmemoryPool pool = pool_of(pointer);
    if (pool != NULL) {
        if (is_accessible(pool, here->device)) {
            return false;
        }
        explain_device(text, size, user, device, here,
                       "AsyncMemoryPool.set_access()");
        return true;
    }
    CUcontext owner = core_peer_context(pointer);
    if (owner == NULL || is_peer(owner)) {
        return false;
    }
    if (device == (int)here->device) {
        explain_context(text, size, user, device);
    } else {
        explain_device(text, size, user, device, here,
                       "Context.enable_peer_access()");
    }
    return true;
}

int
core_foreign_reach(CUdeviceptr pointer)
{
    char detail[320];
    return core_foreign_explain(pointer, "kernel", detail, sizeof detail)
               ? core_fail(CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel", detail)
               : 0;
}

int
core_foreign_wait(CUdeviceptr pointer)
{
    const struct core_context *here = core_stack_top();
    int device;
    return here != NULL && here->captures == 0 &&
                   core_peer_is_elsewhere(here, pointer, &device)
               ? core_peer_wait(pointer, device)
               : 0;
}
