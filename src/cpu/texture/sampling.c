/* sampling.c - samples textures as the CUDA programming guide defines.
 *
 * Called by kernels. Weights of the linear filter have 8 bits of fraction.
 * Without normalised coordinates, wrap and mirror act as clamp. Where the
 * guide leaves the result open (rounding of weights and results, layers out of
 * range, mirrored edges), the result is that of an H100 (measured results are
 * in tests/kernels/data).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/device/handle.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/texture/texel.h"
#include "image/abi.h"

/* ---- coordinates ---- */

/* Returns the index within [0, n) to which the address mode maps `i`. Returns
 * -1 if the border color is to be used. */
static int32_t
index_address(CUaddress_mode mode, int32_t i, int32_t n)
{
    if (i >= 0 && i < n) {
        return i;
    }
    switch ((int)mode) {
    case CU_TR_ADDRESS_MODE_BORDER:
        return -1;
    case CU_TR_ADDRESS_MODE_WRAP:
        return (i % n + n) % n;
    case CU_TR_ADDRESS_MODE_MIRROR:
        i = (i % (2 * n) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    default:
        return i < 0 ? 0 : n - 1;
    }
}

/* Limits a coordinate to the range of int32_t. NaN becomes 0. */
static float
coordinate_bounded(float x)
{
    if (!(x == x)) {
        return 0;
    }
    return x > 1e9f ? 1e9f : x < -1e9f ? -1e9f : x;
}

/* The texels that are selected along one axis: one texel, or two for the
 * linear filter. */
struct axis {
    /* Indices of the texels; -1 means the border color. */
    int32_t index[2];
    int fraction; /* weight of the second texel, in units of 1/256 */
};

/* Selects the texel at coordinate `x`, or the two texels for the linear
 * filter. */
static void
axis_set(const struct cpu_texture *texture, int dimension, float x, int32_t n,
         bool pair, struct axis *axis)
{
    CUaddress_mode mode = texture->description.addressMode[dimension];

    if (!texture->normalised && mode != CU_TR_ADDRESS_MODE_BORDER) {
        mode = CU_TR_ADDRESS_MODE_CLAMP;
    }
    if (texture->normalised) {
        x = (mode == CU_TR_ADDRESS_MODE_WRAP ? x - floorf(x) : x) * (float)n;
    }
    x = coordinate_bounded(x);
    axis->fraction = 0;
    axis->index[1] = -1;
    if (!pair) {
        axis->index[0] = index_address(mode, (int32_t)floorf(x), n);
        return;
    }
    float low = floorf(x - 0.5f);
    axis->fraction = (int)floorf((x - 0.5f - low) * 256 + 0.5f);
    if (axis->fraction == 256) {
        axis->fraction = 0;
        low += 1;
    }
    axis->index[0] = index_address(mode, (int32_t)low, n);
    axis->index[1] = index_address(mode, (int32_t)low + 1, n);
}

/* ---- reading texels ---- */

/* Returns the address of one of the up to eight texels that the axes select.
 * Bit i of `corner` selects the second texel of axis i. Returns NULL for the
 * border color. */
static const char *
texel_at(const struct cpu_texture *texture, const struct axis axes[3],
         int corner, int32_t layer)
{
    int32_t x = axes[0].index[corner & 1];
    int32_t y = axes[1].index[corner >> 1 & 1];
    int32_t z = axes[2].index[corner >> 2 & 1];

    if (x < 0 || y < 0 || z < 0) {
        return NULL;
    }
    return texture->data + (size_t)(z + layer) * texture->slice +
           (size_t)y * texture->pitch + (size_t)x * texture->element;
}

/* Computes the weights of the eight selected texels, in units of 1/256. The
 * weights are rounded as on an H100: the total weight, 256, is split along z;
 * both parts are split along x; the four parts are split along y. */
static void
weights_set(const struct axis axes[3], int weights[8])
{
    for (int z = 0; z < 2; z++) {
        int deep = z ? axes[2].fraction : 256 - axes[2].fraction;
        int right = (deep * axes[0].fraction + 128) / 256;

        for (int x = 0; x < 2; x++) {
            int column = x ? right : deep - right;
            /* The weight is rounded to nearest. A tie is rounded up for the
             * second texel along x (x = 1), down for the first one (x = 0), as
             * on an H100. */
            int below = (column * axes[1].fraction + 127 + x) / 256;

            weights[4 * z + x] = column - below;
            weights[4 * z + 2 + x] = below;
        }
    }
}

/* Rounds to 11 binary digits, ties away from zero. An H100 does so with the
 * filtered value of half-precision texels. */
static float
half_rounded(double x)
{
    int exponent;

    frexp(x, &exponent);
    double unit = ldexp(1, exponent - 11 > -24 ? exponent - 11 : -24);
    return (float)copysign(floor(fabs(x) / unit + 0.5) * unit, x);
}

/* Describes the rounding of the linear filter. Integer texels of 8 and 16 bits
 * are filtered as integers. `texel` is the integer that represents 1.0 in a
 * texel, `result` the integer that represents 1.0 in the result of the filter.
 * Both are 0 for texels that are filtered as floats. */
struct unit {
    double texel, result;
};

static struct unit
unit_get(const struct cpu_texture *texture)
{
    switch ((int)texture->format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
        return texture->srgb ? (struct unit){0} : (struct unit){65535, 65535};
    case CU_AD_FORMAT_SIGNED_INT8:
        return (struct unit){127, 32767};
    case CU_AD_FORMAT_SIGNED_INT16:
        return (struct unit){32767, 32767};
    default:
        return (struct unit){0};
    }
}

/* Rounds the result of the linear filter. `sum` is the weighted sum of the
 * texels, with weights in units of 1/256. */
static float
filter_result(const struct cpu_texture *texture, struct unit unit, double sum)
{
    sum /= 256;
    if (unit.texel > 0) {
        return (float)(floor(sum * (unit.result / unit.texel) + 0.5) /
                       unit.result);
    }
    return texture->format == CU_AD_FORMAT_HALF && isfinite(sum)
               ? half_rounded(sum)
               : (float)sum;
}

/* Computes the weighted sum of the eight selected texels. */
static void
filter_linear(const struct cpu_texture *texture, const struct axis axes[3],
              int32_t layer, union texel *out)
{
    struct unit unit = unit_get(texture);
    double sums[4] = {0};
    int weights[8];

    weights_set(axes, weights);
    for (int corner = 0; corner < 8; corner++) {
        union texel texel;

        if (!weights[corner]) {
            continue;
        }
        cpu_texel_read(texture, texel_at(texture, axes, corner, layer),
                       &texel);
        for (unsigned c = 0; c < texture->channels; c++) {
            double value = texel.f[c];

            sums[c] += weights[corner] *
                       (unit.texel > 0 ? rint(value * unit.texel) : value);
        }
    }
    for (unsigned c = 0; c < texture->channels; c++) {
        out->f[c] = filter_result(texture, unit, sums[c]);
    }
}

/* Samples a texture with one to three dimensions. */
static void
dimensions_sample(const struct cpu_texture *texture, int dimensions,
                  const float position[3], int32_t layer, union texel *out)
{
    const int32_t extent[3] = {texture->width, texture->height,
                               texture->depth};
    struct axis axes[3] = {{.fraction = 0}};

    for (int i = 0; i < dimensions; i++) {
        axis_set(texture, i, position[i], extent[i], texture->linear,
                 &axes[i]);
    }
    cpu_texel_clear(texture, out);
    if (texture->linear) {
        filter_linear(texture, axes, layer, out);
    } else {
        cpu_texel_read(texture, texel_at(texture, axes, 0, layer), out);
    }
    cpu_texel_limit(texture, out);
}

/* Returns one component of each of the four texels around a position (gather).
 * The texels are in the order (0, 1), (1, 1), (1, 0), (0, 0); (1, 0) is the
 * second one along x and the first one along y. */
static void
gather(const struct cpu_texture *texture, const float position[2],
       int32_t component, union texel *out)
{
    static const int corners[4] = {2, 3, 1, 0};
    struct axis axes[3] = {{.fraction = 0}};

    axis_set(texture, 0, position[0], texture->width, true, &axes[0]);
    axis_set(texture, 1, position[1], texture->height, true, &axes[1]);
    for (int i = 0; i < 4; i++) {
        union texel texel;

        cpu_texel_clear(texture, &texel);
        cpu_texel_read(texture, texel_at(texture, axes, corners[i], 0),
                       &texel);
        cpu_texel_limit(texture, &texel);
        out->u[i] = texel.u[component & 3];
    }
}

int
cpu_cube_face(const float direction[3])
{
    float x = direction[0], y = direction[1], z = direction[2];
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);

    if (ax >= ay && ax >= az) {
        return x < 0;
    }
    return ay >= az ? 2 + (y < 0) : 4 + (z < 0);
}

void
cpu_cube_axes(int face, const float v[3], float axes[3])
{
    float sign = face & 1 ? -1 : 1;

    switch (face / 2) {
    case 0:
        axes[0] = -sign * v[2];
        axes[1] = -v[1];
        axes[2] = sign * v[0];
        break;
    case 1:
        axes[0] = v[0];
        axes[1] = sign * v[2];
        axes[2] = sign * v[1];
        break;
    default:
        axes[0] = sign * v[0];
        axes[1] = -v[1];
        axes[2] = sign * v[2];
    }
}

/* Returns the cube face to which a direction points, and stores the position
 * on that face within [0, 1]. */
static int
cube_face_position(const float direction[3], float position[3])
{
    int face = cpu_cube_face(direction);
    float axes[3];

    cpu_cube_axes(face, direction, axes);
    float major = axes[2] > 0 ? axes[2] : 1;
    position[0] = (axes[0] / major + 1) / 2;
    position[1] = (axes[1] / major + 1) / 2;
    return face;
}

/* Returns the index of the layer, limited to the existing layers. The argument
 * is unsigned, as on a GPU: -1 selects the last layer. */
static int32_t
layer_clamp(int32_t layer, int32_t layers)
{
    return layer < 0 || layer >= layers ? layers - 1 : layer;
}

/* Samples a cubemap in the direction that the coordinates give. */
static void
cube_sample(const struct cpu_texture *texture, const float direction[3],
            int32_t layer, union texel *out)
{
    struct cpu_texture face_texture = *texture;
    float position[3] = {0};
    int face = cube_face_position(direction, position);

    face_texture.normalised = true;
    /* the position is clamped at the edges of the face */
    for (int i = 0; i < 3; i++) {
        face_texture.description.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    }
    dimensions_sample(&face_texture, 2, position,
                      layer_clamp(layer * 6 + face, texture->layers), out);
}

const struct cpu_texture *
cpu_texture_get(uint64_t object)
{
    const struct cpu_texture *texture =
        cpu_handle_object(CPU_TEXTURE, (void *)(uintptr_t)object);

    if (!texture) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    return texture;
}

void
cpu_texture_sample(const struct cpu_texture *texture, int32_t access,
                   const float position[3], int32_t layer, union texel *texel)
{
    const float row[3] = {position[0], 0, 0};
    int32_t inside = layer_clamp(layer, texture->layers);

    switch (access) {
    /* A GPU filters a 1-D texture like a 2-D texture at y = 0. */
    case IMAGE_ACCESS_1D:
        dimensions_sample(texture, texture->linear ? 2 : 1, row, 0, texel);
        break;
    case IMAGE_ACCESS_1D_LAYERED:
        dimensions_sample(texture, 1, position, inside, texel);
        break;
    case IMAGE_ACCESS_2D:
        dimensions_sample(texture, 2, position, 0, texel);
        break;
    case IMAGE_ACCESS_2D_LAYERED:
        dimensions_sample(texture, 2, position, inside, texel);
        break;
    case IMAGE_ACCESS_3D:
        dimensions_sample(texture, 3, position, 0, texel);
        break;
    case IMAGE_ACCESS_CUBE:
        cube_sample(texture, position, 0, texel);
        break;
    case IMAGE_ACCESS_CUBE_LAYERED:
        cube_sample(texture, position, layer, texel);
        break;
    default:
        gather(texture, position, layer, texel);
    }
}

void
__pycuda_texture(uint64_t object, int32_t access, float x, float y, float z,
                 int32_t layer, void *out)
{
    const float position[3] = {x, y, z};
    union texel texel;

    cpu_texture_sample(cpu_texture_get(object), access, position, layer,
                       &texel);
    memcpy(out, &texel, sizeof texel);
}

void
__pycuda_texture_fetch(uint64_t object, int32_t index, void *out)
{
    const struct cpu_texture *texture = cpu_texture_get(object);
    union texel texel;

    cpu_texel_clear(texture, &texel);
    if (index >= 0 && index < texture->width) {
        cpu_texel_read(
            texture, texture->data + (size_t)index * texture->element, &texel);
        cpu_texel_limit(texture, &texel);
    }
    memcpy(out, &texel, sizeof texel);
}

uint32_t
__pycuda_texture_word(uint64_t object, int32_t index, int32_t channel)
{
    union texel texel;

    __pycuda_texture_fetch(object, index, &texel);
    return texel.u[channel];
}

const void *
__pycuda_texture_plain(uint64_t object, int32_t channels, int32_t bytes)
{
    const struct cpu_texture *texture =
        cpu_handle_object(CPU_TEXTURE, (void *)(uintptr_t)object);
    bool whole = texture &&
                 (texture->integers || texture->format == CU_AD_FORMAT_FLOAT);

    if (!whole || texture->srgb || texture->channels != (unsigned)channels ||
        cuda_format_bytes(texture->format) != (size_t)bytes) {
        return NULL;
    }
    return texture->data;
}

uint32_t
__pycuda_texture_width(uint64_t object)
{
    const struct cpu_texture *texture =
        cpu_handle_object(CPU_TEXTURE, (void *)(uintptr_t)object);

    return texture ? (uint32_t)texture->width : 0;
}
