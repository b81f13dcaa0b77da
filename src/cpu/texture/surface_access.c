/* surface_access.c - reads and writes of kernels through surface objects.
 *
 * Called by kernels, which pass the x coordinate in bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/device/handle.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/texture/texture_state.h"
#include "image/abi.h"

enum boundary { BOUNDARY_TRAP, BOUNDARY_CLAMP, BOUNDARY_ZERO };

/* Limits the coordinate to [0, end). Sets `*out` to true if it was outside. */
static int64_t
coordinate_clamp(int64_t at, int64_t end, bool *out)
{
    if (at >= 0 && at < end) {
        return at;
    }
    *out = true;
    return at < 0 ? 0 : end - 1;
}

/* Returns the address of the texel to access. Returns NULL if the texel is
 * outside the array and `boundary` is BOUNDARY_ZERO. Ends the kernel if the
 * handle is invalid, or if the texel is outside and `boundary` is
 * BOUNDARY_TRAP. */
static char *
surface_address(uint64_t object, int32_t access, const int32_t at[3],
                int32_t layer, uint32_t bytes, int32_t boundary)
{
    const struct cpu_surface *surface =
        cpu_handle_object(CPU_SURFACE, (void *)(uintptr_t)object);
    const struct cpu_array *array =
        surface ? cpu_handle_object(CPU_ARRAY, surface->array) : NULL;
    bool out = false;

    if (!array || bytes > array->pitch) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    bool flat = access == IMAGE_ACCESS_1D || access == IMAGE_ACCESS_1D_LAYERED;
    bool layered = access >= IMAGE_ACCESS_1D_LAYERED;
    /* The index of the slice. For a cubemap `layer` is the face, for a layered
     * cubemap 6 * (number of the layer) + face. */
    int64_t deep = layered ? layer : access == IMAGE_ACCESS_3D ? at[2] : 0;
    int64_t x =
        coordinate_clamp(at[0], (int64_t)(array->pitch - bytes + 1), &out);
    int64_t y = flat ? 0 : coordinate_clamp(at[1], (int64_t)array->rows, &out);
    int64_t z = coordinate_clamp(deep, (int64_t)array->layers, &out);
    if (out && boundary == BOUNDARY_TRAP) {
        cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED);
    }
    if (out && boundary == BOUNDARY_ZERO) {
        return NULL;
    }
    return array->data + ((size_t)z * array->rows + (size_t)y) * array->pitch +
           (size_t)x;
}

void
__pycuda_surface_read(uint64_t object, int32_t access, int32_t x, int32_t y,
                      int32_t z, int32_t layer, void *out, uint32_t bytes,
                      int32_t boundary)
{
    const int32_t at[3] = {x, y, z};
    const char *from =
        surface_address(object, access, at, layer, bytes, boundary);

    if (from) {
        memcpy(out, from, bytes);
    } else {
        memset(out, 0, bytes);
    }
}

void
__pycuda_surface_write(uint64_t object, int32_t access, int32_t x, int32_t y,
                       int32_t z, int32_t layer, const void *value,
                       uint32_t bytes, int32_t boundary)
{
    const int32_t at[3] = {x, y, z};
    char *to = surface_address(object, access, at, layer, bytes, boundary);

    if (to) {
        memcpy(to, value, bytes);
    }
}

void *
__pycuda_surface_texel(uint64_t object, int32_t access, int32_t x, int32_t y,
                       int32_t z, int32_t layer, uint32_t bytes,
                       int32_t boundary)
{
    const int32_t at[3] = {x, y, z};

    return surface_address(object, access, at, layer, bytes, boundary);
}
