/* texel.c - converts texels of every format to the words that kernels receive.
 *
 * Called by sampling.c, inside kernels.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/texture/texel.h"

/* Converts half precision to float. */
static float
half_value(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits >> 15) << 31;
    int exponent = bits >> 10 & 31;
    uint32_t fraction = bits & 1023;
    uint32_t word;
    float value;

    if (exponent == 31) {
        word = sign | 0x7f800000u | fraction << 13;
    } else if (exponent) {
        word = sign | (uint32_t)(exponent + 112) << 23 | fraction << 13;
    } else {
        value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Reads a channel of a texel as an integer, sign-extended if the format is
 * signed. */
static void
channel_integer(const struct cpu_texture *texture, const char *at,
                uint32_t *out)
{
    switch ((int)texture->format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        *out = *(const uint8_t *)at;
        break;
    case CU_AD_FORMAT_SIGNED_INT8:
        *out = (uint32_t) * (const int8_t *)at;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
        *out = *(const uint16_t *)(const void *)at;
        break;
    case CU_AD_FORMAT_SIGNED_INT16:
        *out = (uint32_t) * (const int16_t *)(const void *)at;
        break;
    default:
        memcpy(out, at, sizeof *out);
    }
}

/* Reads a channel of a texel as a float. Integers are normalised to [0, 1] or
 * [-1, 1]. */
static float
channel_float(const struct cpu_texture *texture, const char *at)
{
    float value;

    switch ((int)texture->format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        return (float)*(const uint8_t *)at / 255.0f;
    case CU_AD_FORMAT_SIGNED_INT8:
        return (float)*(const int8_t *)at / 127.0f;
    case CU_AD_FORMAT_UNSIGNED_INT16:
        return (float)*(const uint16_t *)(const void *)at / 65535.0f;
    case CU_AD_FORMAT_SIGNED_INT16:
        return (float)*(const int16_t *)(const void *)at / 32767.0f;
    case CU_AD_FORMAT_HALF:
        return half_value(*(const uint16_t *)(const void *)at);
    default:
        memcpy(&value, at, sizeof value);
        return value;
    }
}

/* Converts an sRGB value to linear light. */
static float
srgb_linear(float value)
{
    return value <= 0.04045f ? value / 12.92f
                             : powf((value + 0.055f) / 1.055f, 2.4f);
}

void
cpu_texel_read(const struct cpu_texture *texture, const char *at,
               union texel *texel)
{
    size_t bytes = cuda_format_bytes(texture->format);

    for (unsigned c = 0; c < texture->channels; c++) {
        if (!at && texture->integers) {
            texel->u[c] = (uint32_t)texture->description.borderColor[c];
        } else if (!at) {
            texel->f[c] = texture->border[c];
        } else if (texture->integers) {
            channel_integer(texture, at + c * bytes, &texel->u[c]);
        } else {
            texel->f[c] = channel_float(texture, at + c * bytes);
            if (texture->srgb && c < 3) {
                texel->f[c] = srgb_linear(texel->f[c]);
            }
        }
    }
}

void
cpu_texel_limit(const struct cpu_texture *texture, union texel *texel)
{
    for (unsigned c = 0; texture->snorm && c < texture->channels; c++) {
        texel->f[c] = fmaxf(texel->f[c], -1);
    }
}

void
cpu_texel_clear(const struct cpu_texture *texture, union texel *texel)
{
    memset(texel, 0, sizeof *texel);
    if (texture->channels < 4 && texture->integers) {
        texel->u[3] = 1;
    } else if (texture->channels < 4) {
        texel->f[3] = 1.0f;
    }
}
