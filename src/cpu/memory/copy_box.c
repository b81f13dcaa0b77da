/* copy_box.c - two- and three-dimensional copies, copies between devices, and
 * copies of arrays.
 *
 * Called by users of the library. Both sides of a copy, of any memory type,
 * are converted to an address, a pitch and a slice size, and checked against
 * their allocation or array. copy.c then performs the copy.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/copy.h"
#include "cpu/memory/memory.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/texture/texture.h"

struct side {
    CUmemorytype type;
    CUdeviceptr device;
    const void *host;
    CUarray array;
    /* for linear memory: distance between rows in bytes, and number of rows
     * per slice; 0 means the width or height of the copied box */
    size_t pitch, height;
    /* start of the copied box: x in bytes, y in rows, z in slices */
    size_t x, y, z;
};

struct copy_location {
    char *at;
    size_t pitch, slice;
};

/* Computes the address and pitch of the copied box in an array. Returns
 * INVALID_VALUE if the box is not inside the array, or if its offset or width
 * is no multiple of the element size. */
static CUresult
array_locate(const struct side *side, const size_t box[3],
             struct copy_location *location)
{
    const struct cpu_array *array = cpu_handle_object(CPU_ARRAY, side->array);

    if (!array) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (side->x > array->pitch || box[0] > array->pitch - side->x ||
        side->y > array->rows || box[1] > array->rows - side->y ||
        side->z > array->layers || box[2] > array->layers - side->z) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (side->x % array->element || box[0] % array->element) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    location->pitch = array->pitch;
    location->slice = array->pitch * array->rows;
    location->at = array->data + side->z * location->slice +
                   side->y * location->pitch + side->x;
    return CUDA_SUCCESS;
}

/* Computes, for the source or the destination of a copy (`side`), the pitch
 * and slice size in `location`, the offset of the box in `*skip`, and the size
 * in bytes of the box with its gaps in `*bytes`. Returns false on overflow. */
static bool
extent(const struct side *side, const size_t box[3],
       struct copy_location *location, size_t *skip, size_t *bytes)
{
    size_t pitch = side->pitch ? side->pitch : box[0] + side->x;
    size_t height = side->height ? side->height : box[1] + side->y;
    size_t limit = (size_t)1 << 46;

    if (pitch > limit || height > limit || side->z > limit || box[2] > limit ||
        side->y > limit || (unsigned __int128)pitch * height > limit ||
        (unsigned __int128)pitch * height * (side->z + box[2]) > limit) {
        return false;
    }
    location->pitch = pitch;
    location->slice = pitch * height;
    *skip = side->z * location->slice + side->y * pitch + side->x;
    *bytes = (box[2] - 1) * location->slice + (box[1] - 1) * pitch + box[0];
    return true;
}

/* Computes the address and pitch of the copied box in linear memory. If the
 * box is in device memory, checks that one allocation contains it. Host
 * addresses are not checked. */
static CUresult
linear_locate(const struct side *side, const size_t box[3],
              struct copy_location *location)
{
    bool host = side->type == CU_MEMORYTYPE_HOST;
    uintptr_t base = host ? (uintptr_t)side->host : (uintptr_t)side->device;
    struct cpu_allocation found;
    size_t skip, bytes;

    if (side->pitch &&
        (side->pitch < box[0] || side->x > side->pitch - box[0])) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (side->height && (side->height < box[1] && box[2] > 1)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!base || !extent(side, box, location, &skip, &bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    location->at = (char *)(base + skip);
    if (host || (side->type == CU_MEMORYTYPE_UNIFIED &&
                 !cpu_arena_find(base, &found))) {
        return CUDA_SUCCESS;
    }
    return cpu_memory_check((CUdeviceptr)(uintptr_t)location->at, bytes);
}

static CUresult
side_locate(const struct side *side, const size_t box[3],
            struct copy_location *location)
{
    switch ((int)side->type) {
    case CU_MEMORYTYPE_ARRAY:
        return array_locate(side, box, location);
    case CU_MEMORYTYPE_HOST:
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        return linear_locate(side, box, location);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Copies a box (width in bytes, rows, slices) between any two kinds of memory.
 * If the box is empty, does nothing and succeeds. */
static CUresult
box_copy(const struct side *to, const struct side *from, const size_t box[3],
         CUstream handle, bool wait)
{
    struct copy_location source, target;
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);

    if (code || !box[0] || !box[1] || !box[2]) {
        return code;
    }
    code = side_locate(from, box, &source);
    if (!code) {
        code = side_locate(to, box, &target);
    }
    if (code) {
        return code;
    }
    struct cpu_rows rows = {.to = target.at,
                            .from = source.at,
                            .width = box[0],
                            .height = box[1],
                            .depth = box[2],
                            .to_pitch = target.pitch,
                            .to_slice = target.slice,
                            .from_pitch = source.pitch,
                            .from_slice = source.slice};
    return cpu_rows_submit(&rows, stream, wait);
}

/* Initializers of `struct side` from CUDA's parameter struct of a copy. `end`
 * is src or dst. The macros serve CUDA_MEMCPY2D, CUDA_MEMCPY3D and
 * CUDA_MEMCPY3D_PEER, whose fields have the same names. */
#define SIDE_2D(copy, end)                                                    \
    .type = (copy)->end##MemoryType, .device = (copy)->end##Device,           \
    .host = (copy)->end##Host, .array = (copy)->end##Array,                   \
    .pitch = (copy)->end##Pitch, .x = (copy)->end##XInBytes,                  \
    .y = (copy)->end##Y
#define SIDE_3D(copy, end)                                                    \
    SIDE_2D(copy, end), .height = (copy)->end##Height, .z = (copy)->end##Z

/* ---- 2-D ---- */

static CUresult
copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream, bool wait)
{
    if (!copy) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct side to = {SIDE_2D(copy, dst)};
    struct side from = {SIDE_2D(copy, src)};
    size_t box[3] = {copy->WidthInBytes, copy->Height, 1};

    return box_copy(&to, &from, box, stream, wait);
}

CPU_API CUresult
cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
    return copy_2d(copy, NULL, true);
}

CPU_API CUresult
cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
    return copy_2d(copy, NULL, true);
}

CPU_API CUresult
cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    return copy_2d(copy, stream, false);
}

/* ---- 3-D ---- */

static CUresult
copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream, bool wait)
{
    if (!copy || copy->srcLOD || copy->dstLOD) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct side to = {SIDE_3D(copy, dst)};
    struct side from = {SIDE_3D(copy, src)};
    size_t box[3] = {copy->WidthInBytes, copy->Height, copy->Depth};

    return box_copy(&to, &from, box, stream, wait);
}

CPU_API CUresult
cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
    return copy_3d(copy, NULL, true);
}

CPU_API CUresult
cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    return copy_3d(copy, stream, false);
}

/* Checks the contexts of a 3-D copy between devices, and copies like
 * cuMemcpy3D, since all devices share one memory. */
static CUresult
copy_3d_peer(const CUDA_MEMCPY3D_PEER *copy, CUstream stream, bool wait)
{
    struct cpu_context *ctx;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!copy) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if ((copy->srcContext && cpu_context_of(copy->srcContext, &ctx)) ||
        (copy->dstContext && cpu_context_of(copy->dstContext, &ctx))) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (copy->srcLOD || copy->dstLOD) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct side to = {SIDE_3D(copy, dst)};
    struct side from = {SIDE_3D(copy, src)};
    size_t box[3] = {copy->WidthInBytes, copy->Height, copy->Depth};

    return box_copy(&to, &from, box, stream, wait);
}

CPU_API CUresult
cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
    return copy_3d_peer(copy, NULL, true);
}

CPU_API CUresult
cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
    return copy_3d_peer(copy, stream, false);
}

/* ---- 1-D copies of arrays; offsets are bytes in the first row ---- */

static CUresult
flat_copy(const struct side *to, const struct side *from, size_t bytes,
          CUstream stream, bool wait)
{
    size_t box[3] = {bytes, 1, 1};

    return box_copy(to, from, box, stream, wait);
}

static struct side
array_side(CUarray array, size_t offset)
{
    return (struct side){
        .type = CU_MEMORYTYPE_ARRAY, .array = array, .x = offset};
}

static struct side
host_side(const void *host)
{
    return (struct side){.type = CU_MEMORYTYPE_HOST, .host = host};
}

static struct side
device_side(CUdeviceptr device)
{
    return (struct side){.type = CU_MEMORYTYPE_DEVICE, .device = device};
}

CPU_API CUresult
cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
    struct side target = array_side(to, offset), source = device_side(from);

    return flat_copy(&target, &source, bytes, NULL, false);
}

CPU_API CUresult
cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
    struct side target = device_side(to), source = array_side(from, offset);

    return flat_copy(&target, &source, bytes, NULL, false);
}

CPU_API CUresult
cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes)
{
    struct side target = array_side(to, offset), source = host_side(from);

    return flat_copy(&target, &source, bytes, NULL, true);
}

CPU_API CUresult
cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes)
{
    struct side target = host_side(to), source = array_side(from, offset);

    return flat_copy(&target, &source, bytes, NULL, true);
}

CPU_API CUresult
cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                size_t bytes)
{
    struct side target = array_side(to, to_offset);
    struct side source = array_side(from, from_offset);

    return flat_copy(&target, &source, bytes, NULL, false);
}

CPU_API CUresult
cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t bytes,
                     CUstream stream)
{
    struct side target = array_side(to, offset), source = host_side(from);

    return flat_copy(&target, &source, bytes, stream, false);
}

CPU_API CUresult
cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t bytes,
                     CUstream stream)
{
    struct side target = host_side(to), source = array_side(from, offset);

    return flat_copy(&target, &source, bytes, stream, false);
}
