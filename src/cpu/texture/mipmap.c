/* mipmap.c - mipmapped arrays: chains of arrays of half the size each.
 *
 * Called by users of the library and by texture.c. A level is an ordinary
 * array for copies and surfaces, but only the mipmapped array frees it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/stream/wait.h"
#include "cpu/texture/texture.h"

/* Returns the largest number of levels of a mipmapped array: the last level
 * has a longest side of 1. */
static unsigned
levels_maximum(const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    bool deep =
        !(descriptor->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP));
    size_t side = descriptor->Width;
    unsigned count = 1;

    side = descriptor->Height > side ? descriptor->Height : side;
    side = deep && descriptor->Depth > side ? descriptor->Depth : side;
    for (; side > 1 && count < CPU_MIPMAP_LEVELS; side >>= 1) {
        count++;
    }
    return count;
}

/* Returns the length of a side at a level. 0 stays 0: the array does not have
 * this dimension. */
static size_t
side_of(size_t side, unsigned level)
{
    return side && !(side >> level) ? 1 : side >> level;
}

static CUDA_ARRAY3D_DESCRIPTOR
level_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *base, unsigned level)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = *base;

    descriptor.Width = side_of(base->Width, level);
    descriptor.Height = side_of(base->Height, level);
    if (!(base->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP))) {
        descriptor.Depth = side_of(base->Depth, level);
    }
    return descriptor;
}

static CUresult
mipmap_free(struct cpu_mipmap *mipmap)
{
    CUresult code = CUDA_SUCCESS;

    if (mipmap->handle && !cpu_handle_delete(mipmap->handle)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    for (unsigned i = 0; i < mipmap->count; i++) {
        CUresult failed = cpu_array_free(mipmap->levels[i]);
        code = code ? code : failed;
    }
    free(mipmap);
    return code;
}

/* Allocates `count` levels. On failure, the caller must free the levels that
 * were allocated before. */
static CUresult
levels_make(struct cpu_mipmap *mipmap,
            const CUDA_ARRAY3D_DESCRIPTOR *descriptor, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        CUDA_ARRAY3D_DESCRIPTOR level = level_descriptor(descriptor, i);
        CUresult code = cpu_array_new(mipmap->ctx, &level, &mipmap->levels[i]);

        if (code) {
            return code;
        }
        mipmap->levels[i]->is_level = true;
        mipmap->count++;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMipmappedArrayCreate(CUmipmappedArray *handle,
                       const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                       unsigned levels)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle || !descriptor) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    unsigned most = levels_maximum(descriptor);
    struct cpu_mipmap *mipmap = calloc(1, sizeof *mipmap);
    if (!mipmap) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    mipmap->ctx = ctx;
    levels = levels < 1 ? 1 : levels > most ? most : levels;
    code = levels_make(mipmap, descriptor, levels);
    if (!code) {
        mipmap->handle = cpu_handle_new(CPU_MIPMAP, mipmap, ctx->id);
        code = mipmap->handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code) {
        mipmap_free(mipmap);
        return code;
    }
    *handle = mipmap->handle;
    return CUDA_SUCCESS;
}

static CUresult
mipmap_of(CUmipmappedArray handle, struct cpu_mipmap **mipmap)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    *mipmap = cpu_handle_object(CPU_MIPMAP, handle);
    return code || *mipmap ? code : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray handle,
                         unsigned level)
{
    struct cpu_mipmap *mipmap;
    CUresult code = mipmap_of(handle, &mipmap);

    if (code) {
        return code;
    }
    if (!array || level >= mipmap->count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *array = mipmap->levels[level]->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMipmappedArrayDestroy(CUmipmappedArray handle)
{
    struct cpu_mipmap *mipmap;
    CUresult code = mipmap_of(handle, &mipmap);

    if (code) {
        return code;
    }
    struct cpu_context *ctx = mipmap->ctx;
    cpu_context_enter(ctx);
    cpu_scheduler_drain(ctx);
    code = mipmap_free(mipmap);
    cpu_context_leave(ctx);
    return code;
}

/* Always fails: only sparse and deferred-mapping arrays have memory
 * requirements, and the CPU device has no such arrays. */
CPU_API CUresult
cuMipmappedArrayGetMemoryRequirements(
    CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUmipmappedArray handle,
    CUdevice device)
{
    struct cpu_mipmap *mipmap;
    CUresult code = mipmap_of(handle, &mipmap);

    code = code ? code : cpu_device_check(device);
    (void)requirements;
    return code ? code : CUDA_ERROR_INVALID_VALUE;
}
