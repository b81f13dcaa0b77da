/* resources.c - multiprocessors of a device as resources that can be split.
 *
 * Called by users of the library, and by green.c. A multiprocessor is a worker
 * thread, as in the device's attributes. A resource is a number of
 * multiprocessors, not a set of certain ones, since workers are not bound to
 * processors. The padding of CUdevResource records the device of the resource,
 * and whether a split made the resource.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/device/resources.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"

#define ORIGIN_MAGIC UINT64_C(0x726f737365636f72)

/* Origin of a resource, stored in the padding of CUdevResource. Users copy the
 * padding and do not read it. */
struct mark {
    uint64_t magic;
    int device;
    /* true: the resource was made by a split, so it cannot be split again */
    bool is_part;
};

/* A descriptor: the resources from which a green context is created. CUDA has
 * no call that frees a descriptor, so descriptors are never freed. Equal ones
 * are shared. */
struct desc {
    struct desc *next;
    CUdevResourceDesc handle;
    unsigned sm_count;
    int device;
};

static pthread_mutex_t desc_lock = PTHREAD_MUTEX_INITIALIZER;
/* List of all descriptors, at most one for each pair of count and device;
 * guarded by desc_lock. */
static struct desc *descs;

/* Returns the smallest number of multiprocessors that a part of a split device
 * can have: CUDA's minimum for compute capability 7, or the number of the
 * whole device if that is smaller. */
static unsigned
partition_minimum(unsigned sm_count)
{
    return sm_count < 2 ? 1 : 2;
}

static void
resource_fill(CUdevResource *resource, unsigned sm_count,
              const struct mark *mark)
{
    *resource = (CUdevResource){.type = CU_DEV_RESOURCE_TYPE_SM};
    memcpy(resource->_internal_padding, mark, sizeof *mark);
    resource->sm = (CUdevSmResource){
        .smCount = sm_count,
        .minSmPartitionSize = partition_minimum(sm_count),
        .smCoscheduledAlignment = partition_minimum(sm_count),
    };
}

static CUresult
resource_origin(const CUdevResource *resource, struct mark *mark)
{
    if (resource->type != CU_DEV_RESOURCE_TYPE_SM) {
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    }
    memcpy(mark, resource->_internal_padding, sizeof *mark);
    return mark->magic == ORIGIN_MAGIC
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

/* ---- queries ---- */

static CUresult
resource_return(int device, unsigned sm_count, CUdevResource *resource,
                CUdevResourceType type)
{
    struct mark mark = {.magic = ORIGIN_MAGIC, .device = device};

    if (!resource) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (type != CU_DEV_RESOURCE_TYPE_SM) {
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    }
    resource_fill(resource, sm_count, &mark);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                       CUdevResourceType type)
{
    CUresult code = cpu_device_check(device);

    return code ? code
                : resource_return(device, (unsigned)cpu_state.threads,
                                  resource, type);
}

CPU_API CUresult
cuCtxGetDevResource(CUcontext handle, CUdevResource *resource,
                    CUdevResourceType type)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_of(handle, &ctx);

    if (code) {
        return code;
    }
    struct cpu_green *green = cpu_green_of_context(handle);
    return resource_return(
        ctx->device, green ? green->sm_count : (unsigned)cpu_state.threads,
        resource, type);
}

CPU_API CUresult
cuGreenCtxGetDevResource(CUgreenCtx handle, CUdevResource *resource,
                         CUdevResourceType type)
{
    CUresult code = cpu_ready();
    struct cpu_green *green = cpu_handle_object(CPU_GREEN, handle);

    if (code || !green) {
        return code ? code : CUDA_ERROR_INVALID_CONTEXT;
    }
    return resource_return(green->ctx->device, green->sm_count, resource,
                           type);
}

/* ---- splits ---- */

/* Computes how many multiprocessors each group of a split gets: at least
 * `least`. The number is rounded up to a multiple of the smallest allowed
 * part, unless the flags permit any number. */
static CUresult
group_size(const CUdevResource *input, unsigned flags, unsigned least,
           unsigned *size)
{
    unsigned step = flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING
                        ? 1
                        : partition_minimum(input->sm.smCount);

    if (flags == CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE) {
        /* CUDA supports MAX_POTENTIAL_CLUSTER_SIZE for compute capability 9
         * only */
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (flags & ~(unsigned)CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (least > input->sm.smCount) {
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    }
    *size = least ? (least + step - 1) / step * step : step;
    return *size > input->sm.smCount
               ? CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION
               : CUDA_SUCCESS;
}

/* Stores the groups of a split in `result`, unless `result` is NULL, and the
 * remaining multiprocessors in `remaining`. */
static void
groups_fill(CUdevResource *result, unsigned groups, unsigned size,
            const CUdevResource *input, CUdevResource *remaining)
{
    unsigned left = input->sm.smCount - groups * size;
    struct mark mark;

    memcpy(&mark, input->_internal_padding, sizeof mark);
    mark.is_part = true;
    for (unsigned i = 0; result && i < groups; i++) {
        resource_fill(&result[i], size, &mark);
    }
    if (remaining && left) {
        resource_fill(remaining, left, &mark);
    } else if (remaining) {
        *remaining = (CUdevResource){.type = CU_DEV_RESOURCE_TYPE_INVALID};
    }
}

CPU_API CUresult
cuDevSmResourceSplitByCount(CUdevResource *result, unsigned *groups,
                            const CUdevResource *given,
                            CUdevResource *remaining, unsigned flags,
                            unsigned least)
{
    CUresult code = cpu_ready();
    struct mark mark;
    unsigned size;

    if (!code && (!groups || !given || (result && !*groups))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : resource_origin(given, &mark);
    if (!code && mark.is_part) {
        code = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    }
    code = code ? code : group_size(given, flags, least, &size);
    if (code) {
        return code;
    }
    /* `input` is a copy of `*given`, since `remaining` may point to the same
     * object, and groups_fill stores a result in `*remaining`. */
    CUdevResource input = *given;
    unsigned possible = input.sm.smCount / size;
    if (!result || *groups > possible) {
        *groups = possible;
    }
    groups_fill(result, *groups, size, &input, remaining);
    return CUDA_SUCCESS;
}

/* ---- descriptors ---- */

/* Adds up the multiprocessors of all resources, at most those of the device.
 * As on an H100, the resources may come from different splits. */
static CUresult
resources_sum(const CUdevResource *resources, unsigned count,
              struct mark *first, unsigned *sum)
{
    unsigned all = (unsigned)cpu_state.threads;
    CUresult code = resource_origin(&resources[0], first);
    struct mark mark;

    *sum = 0;
    for (unsigned i = 0; i < count && !code; i++) {
        code = resource_origin(&resources[i], &mark);
        if (!code && mark.device != first->device) {
            code = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
        }
        *sum += resources[i].sm.smCount;
        *sum = *sum < all ? *sum : all;
    }
    return code;
}

static struct desc *
desc_find(int device, unsigned sm_count)
{
    struct desc *desc = descs;

    while (desc && (desc->device != device || desc->sm_count != sm_count)) {
        desc = desc->next;
    }
    return desc;
}

/* Allocates a descriptor of a resource. Returns NULL if there is not enough
 * memory. The caller holds desc_lock. */
static struct desc *
desc_new(int device, unsigned sm_count)
{
    struct desc *desc = calloc(1, sizeof *desc);

    if (!desc) {
        return NULL;
    }
    *desc = (struct desc){descs, NULL, sm_count, device};
    desc->handle = cpu_handle_new(CPU_RESOURCES, desc, 0);
    if (!desc->handle) {
        free(desc);
        return NULL;
    }
    descs = desc;
    return desc;
}

CPU_API CUresult
cuDevResourceGenerateDesc(CUdevResourceDesc *handle, CUdevResource *resources,
                          unsigned count)
{
    CUresult code = cpu_ready();
    struct mark mark;
    unsigned sum;

    if (!code && (!handle || !resources || !count)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : resources_sum(resources, count, &mark, &sum);
    if (code) {
        return code;
    }
    pthread_mutex_lock(&desc_lock);
    struct desc *desc = desc_find(mark.device, sum);
    desc = desc ? desc : desc_new(mark.device, sum);
    pthread_mutex_unlock(&desc_lock);
    if (!desc) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = desc->handle;
    return CUDA_SUCCESS;
}

CUresult
cpu_resources_of(CUdevResourceDesc handle, CUdevice device, unsigned *sm_count)
{
    const struct desc *desc = cpu_handle_object(CPU_RESOURCES, handle);

    if (!desc || desc->device != device) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *sm_count = desc->sm_count;
    return CUDA_SUCCESS;
}
