/* texture.h - creation and destruction of CUDA arrays, and mipmapped arrays.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXTURE_H
#define PYCUDA_CPU_TEXTURE_H

#include "api/cuda_types.h"
#include "cpu/texture/texture_state.h"

/* texture/texture.c: waits for the current context's work, then deletes the
 * handle of a texture or surface object and frees the object. Returns
 * INVALID_HANDLE if the handle was deleted before. */
CUresult cpu_bindless_destroy(void *handle, void *object);

/* Allocates an array and its handle. The caller owns `*array` until it calls
 * cpu_array_free. Returns INVALID_VALUE for an invalid descriptor,
 * OUT_OF_MEMORY if there is not enough memory. */
CUresult cpu_array_new(struct cpu_context *ctx,
                       const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                       struct cpu_array **array);
/* Deletes the array's handle and frees the array. No kernel may still use the
 * array. Returns INVALID_HANDLE if the handle was deleted before,
 * INVALID_VALUE if the array's memory was freed before. */
CUresult cpu_array_free(struct cpu_array *array);

/* maximum number of mipmap levels, for 131072 texels per side */
#define CPU_MIPMAP_LEVELS 18

/* texture/mipmap.c: a mipmapped array, a sequence of arrays (levels). Each
 * level has half the width, height and depth of the previous one. The
 * mipmapped array owns its levels. */
struct cpu_mipmap {
    CUmipmappedArray handle;
    struct cpu_context *ctx;
    unsigned count; /* number of levels, at least 1 */
    struct cpu_array *levels[CPU_MIPMAP_LEVELS];
};

#endif
