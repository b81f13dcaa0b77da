/* textures.h - texture objects: tex1D, tex2D, tex3D, layers, cubes, fetches.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum cudaTextureReadMode {
    cudaReadModeElementType = 0,
    cudaReadModeNormalizedFloat = 1,
};
enum cudaTextureFilterMode {
    cudaFilterModePoint = 0,
    cudaFilterModeLinear = 1,
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3,
};
#define cudaTextureType1D             0x01
#define cudaTextureType2D             0x02
#define cudaTextureType3D             0x03
#define cudaTextureTypeCubemap        0x0C
#define cudaTextureType1DLayered      0xF1
#define cudaTextureType2DLayered      0xF2
#define cudaTextureTypeCubemapLayered 0xFC

/* `most` is 0 if T is not the type of a texel. Otherwise T has 1, 2 or 4
 * channels of at most `most` bytes: 4 for types that textures can return, 8
 * for types that only surfaces have. */
template <class T> struct __pycuda_texel_bytes {
    static constexpr int most = 0;
};
#define __PYCUDA_TEXEL(T, BYTES)                                              \
    template <> struct __pycuda_texel_bytes<T> {                              \
        static constexpr int most = BYTES;                                    \
    };
#define __PYCUDA_TEXELS(NAME, T)                                              \
    __PYCUDA_TEXEL(T, 4)                                                      \
    __PYCUDA_TEXEL(NAME##1, 4)                                                \
    __PYCUDA_TEXEL(NAME##2, 4)                                                \
    __PYCUDA_TEXEL(NAME##4, 4)
__PYCUDA_TEXELS(char, char)
__PYCUDA_TEXEL(signed char, 4)
__PYCUDA_TEXELS(uchar, unsigned char)
__PYCUDA_TEXELS(short, short)
__PYCUDA_TEXELS(ushort, unsigned short)
__PYCUDA_TEXELS(int, int)
__PYCUDA_TEXELS(uint, unsigned int)
__PYCUDA_TEXELS(float, float)
__PYCUDA_TEXEL(long long, 8)
__PYCUDA_TEXEL(longlong1, 8)
__PYCUDA_TEXEL(longlong2, 8)
__PYCUDA_TEXEL(unsigned long long, 8)
__PYCUDA_TEXEL(ulonglong1, 8)
__PYCUDA_TEXEL(ulonglong2, 8)
#undef __PYCUDA_TEXELS
#undef __PYCUDA_TEXEL
template <class T>
using __pycuda_if_texel =
    typename __pycuda_if<__pycuda_texel_bytes<T>::most == 4, void>::type;
template <class T>
using __pycuda_if_surfel =
    typename __pycuda_if<__pycuda_texel_bytes<T>::most != 0, void>::type;

#define __PYCUDA_NEED_TEXEL(T)                                                \
    static_assert(__pycuda_texel_bytes<T>::most == 4,                         \
                  "no texture has texels of this type: they have 1, 2 or 4 "  \
                  "channels of char, short, int or float")

/* Value returned by the runtime: one word per channel, with integer or float
 * bits. */
struct __pycuda_words {
    unsigned int word[4];
};

__pycuda_fn void
__pycuda_word_to(unsigned int word, float *channel)
{
    *channel = __builtin_bit_cast(float, word);
}
template <class C>
__pycuda_template_fn void
__pycuda_word_to(unsigned int word, C *channel)
{
    *channel = (C)word;
}

template <class T>
__pycuda_template_fn T
__pycuda_texel(const __pycuda_words &words)
{
    __PYCUDA_NEED_TEXEL(T);
    typedef typename __pycuda_vector<T>::channel channel;
    channel channels[__pycuda_vector<T>::channels];
    for (int i = 0; i < __pycuda_vector<T>::channels; i++) {
        __pycuda_word_to(words.word[i], &channels[i]);
    }
    T texel;
    __builtin_memcpy(&texel, channels, sizeof(T));
    return texel;
}

template <class T>
__pycuda_template_fn T
__pycuda_sample(cudaTextureObject_t object, int access, float x, float y,
                float z, int layer)
{
    __pycuda_words words;
    __pycuda_texture(object, access, x, y, z, layer, &words);
    return __pycuda_texel<T>(words);
}

template <class T>
__pycuda_template_fn T
tex1Dfetch(cudaTextureObject_t object, int x)
{
    __PYCUDA_NEED_TEXEL(T);
    typedef typename __pycuda_vector<T>::channel channel;
    constexpr int channels = __pycuda_vector<T>::channels;
    const channel *texels = (const channel *)__pycuda_texture_plain(
        object, channels, (int)sizeof(channel));
    channel read[channels] = {};
    if (!texels) {
        for (int i = 0; i < channels; i++) {
            __pycuda_word_to(__pycuda_texture_word(object, x, i), &read[i]);
        }
    } else if ((unsigned int)x < __pycuda_texture_width(object)) {
        for (int i = 0; i < channels; i++) {
            read[i] = texels[(size_t)(unsigned int)x * channels + i];
        }
    }
    T texel;
    __builtin_memcpy(&texel, read, sizeof(T));
    return texel;
}
template <class T>
__pycuda_template_fn __pycuda_if_texel<T>
tex1Dfetch(T *texel, cudaTextureObject_t object, int x)
{
    *texel = tex1Dfetch<T>(object, x);
}

/* Defines two functions NAME for a texture shape: one returns the value that
 * the texture has at the given coordinates, one stores it in *texel. */
#define __PYCUDA_TEXTURE(NAME, ACCESS, DECLARE, PASS, X, Y, Z, LAYER)         \
    template <class T>                                                        \
    __pycuda_template_fn T NAME(cudaTextureObject_t object,                   \
                                __PYCUDA_LIST DECLARE)                        \
    {                                                                         \
        return __pycuda_sample<T>(object, ACCESS, X, Y, Z, LAYER);            \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_texel<T> NAME(                           \
        T *texel, cudaTextureObject_t object,                                 \
                                   __PYCUDA_LIST DECLARE)                     \
    {                                                                         \
        *texel = NAME<T>(object, __PYCUDA_LIST PASS);                         \
    }
#define __PYCUDA_LIST(...) __VA_ARGS__
__PYCUDA_TEXTURE(tex1D, __PYCUDA_1D, (float x), (x), x, 0, 0, 0)
__PYCUDA_TEXTURE(tex2D, __PYCUDA_2D, (float x, float y), (x, y), x, y, 0, 0)
__PYCUDA_TEXTURE(tex3D, __PYCUDA_3D, (float x, float y, float z), (x, y, z), x,
                 y, z, 0)
__PYCUDA_TEXTURE(tex1DLayered, __PYCUDA_1D_LAYERED, (float x, int layer),
                 (x, layer), x, 0, 0, layer)
__PYCUDA_TEXTURE(tex2DLayered, __PYCUDA_2D_LAYERED,
                 (float x, float y, int layer), (x, y, layer), x, y, 0, layer)
__PYCUDA_TEXTURE(texCubemap, __PYCUDA_CUBE, (float x, float y, float z),
                 (x, y, z), x, y, z, 0)
__PYCUDA_TEXTURE(texCubemapLayered, __PYCUDA_CUBE_LAYERED,
                 (float x, float y, float z, int layer), (x, y, z, layer), x,
                 y, z, layer)
#undef __PYCUDA_TEXTURE

/* Functions that read a mipmapped texture at a given level of detail; the
 * functions without Lod in their names read level 0. */
#define __PYCUDA_LEVEL(NAME, ACCESS, DECLARE, PASS, X, Y, Z, LAYER)           \
    template <class T>                                                        \
    __pycuda_template_fn T NAME(cudaTextureObject_t object,                   \
                                __PYCUDA_LIST DECLARE, float level)           \
    {                                                                         \
        __pycuda_words words;                                                 \
        __pycuda_texture_level(object, ACCESS, X, Y, Z, LAYER, level,         \
                               &words);                                       \
        return __pycuda_texel<T>(words);                                      \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_texel<T> NAME(                           \
        T *texel, cudaTextureObject_t object,                                 \
                                   __PYCUDA_LIST DECLARE, float level)        \
    {                                                                         \
        *texel = NAME<T>(object, __PYCUDA_LIST PASS, level);                  \
    }
__PYCUDA_LEVEL(tex1DLod, __PYCUDA_1D, (float x), (x), x, 0, 0, 0)
__PYCUDA_LEVEL(tex2DLod, __PYCUDA_2D, (float x, float y), (x, y), x, y, 0, 0)
__PYCUDA_LEVEL(tex3DLod, __PYCUDA_3D, (float x, float y, float z), (x, y, z),
               x, y, z, 0)
__PYCUDA_LEVEL(tex1DLayeredLod, __PYCUDA_1D_LAYERED, (float x, int layer),
               (x, layer), x, 0, 0, layer)
__PYCUDA_LEVEL(tex2DLayeredLod, __PYCUDA_2D_LAYERED,
               (float x, float y, int layer), (x, y, layer), x, y, 0, layer)
__PYCUDA_LEVEL(texCubemapLod, __PYCUDA_CUBE, (float x, float y, float z),
               (x, y, z), x, y, z, 0)
__PYCUDA_LEVEL(texCubemapLayeredLod, __PYCUDA_CUBE_LAYERED,
               (float x, float y, float z, int layer), (x, y, z, layer), x, y,
               z, layer)
#undef __PYCUDA_LEVEL

/* Functions that read a mipmapped texture at the level at which a step along
 * dx or dy is about one texel. */
#define __PYCUDA_GRADIENT(NAME, ACCESS, VECTOR, CHANGES, DECLARE, PASS, X, Y, \
                          Z, LAYER)                                           \
    template <class T>                                                        \
    __pycuda_template_fn T NAME(cudaTextureObject_t object,                   \
                                __PYCUDA_LIST DECLARE, VECTOR dx, VECTOR dy)  \
    {                                                                         \
        const float changes[6] = {__PYCUDA_LIST CHANGES};                     \
        __pycuda_words words;                                                 \
        __pycuda_texture_gradient(object, ACCESS, X, Y, Z, LAYER, changes,    \
                                  &words);                                    \
        return __pycuda_texel<T>(words);                                      \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_texel<T> NAME(                           \
        T *texel, cudaTextureObject_t object,                                 \
                                   __PYCUDA_LIST DECLARE, VECTOR dx,          \
                                   VECTOR dy)                                 \
    {                                                                         \
        *texel = NAME<T>(object, __PYCUDA_LIST PASS, dx, dy);                 \
    }
#define __PYCUDA_CHANGES_1D (dx, 0, 0, dy, 0, 0)
#define __PYCUDA_CHANGES_2D (dx.x, dx.y, 0, dy.x, dy.y, 0)
#define __PYCUDA_CHANGES_3D (dx.x, dx.y, dx.z, dy.x, dy.y, dy.z)
__PYCUDA_GRADIENT(tex1DGrad, __PYCUDA_1D, float, __PYCUDA_CHANGES_1D,
                  (float x), (x), x, 0, 0, 0)
__PYCUDA_GRADIENT(tex2DGrad, __PYCUDA_2D, float2, __PYCUDA_CHANGES_2D,
                  (float x, float y), (x, y), x, y, 0, 0)
__PYCUDA_GRADIENT(tex3DGrad, __PYCUDA_3D, float4, __PYCUDA_CHANGES_3D,
                  (float x, float y, float z), (x, y, z), x, y, z, 0)
__PYCUDA_GRADIENT(tex1DLayeredGrad, __PYCUDA_1D_LAYERED, float,
                  __PYCUDA_CHANGES_1D, (float x, int layer), (x, layer), x, 0,
                  0, layer)
__PYCUDA_GRADIENT(tex2DLayeredGrad, __PYCUDA_2D_LAYERED, float2,
                  __PYCUDA_CHANGES_2D, (float x, float y, int layer),
                  (x, y, layer), x, y, 0, layer)
__PYCUDA_GRADIENT(texCubemapGrad, __PYCUDA_CUBE, float4, __PYCUDA_CHANGES_3D,
                  (float x, float y, float z), (x, y, z), x, y, z, 0)
__PYCUDA_GRADIENT(texCubemapLayeredGrad, __PYCUDA_CUBE_LAYERED, float4,
                  __PYCUDA_CHANGES_3D, (float x, float y, float z, int layer),
                  (x, y, z, layer), x, y, z, layer)
#undef __PYCUDA_CHANGES_1D
#undef __PYCUDA_CHANGES_2D
#undef __PYCUDA_CHANGES_3D
#undef __PYCUDA_GRADIENT

/* Gather: one component of each of the four texels that a linear filter would
 * combine, in the order (i, j+1), (i+1, j+1), (i+1, j), (i, j). */
template <class T>
__pycuda_template_fn T
tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0)
{
    return __pycuda_sample<T>(object, __PYCUDA_2D_GATHER, x, y, 0, component);
}
template <class T>
__pycuda_template_fn __pycuda_if_texel<T>
tex2Dgather(T *texels, cudaTextureObject_t object, float x, float y,
            int component = 0)
{
    *texels = tex2Dgather<T>(object, x, y, component);
}

/* Forms that also report whether the texel is resident, which it always is on
 * the CPU device. */
#define __PYCUDA_RESIDENT(NAME, DECLARE, PASS, LAST, PASS_LAST)               \
    template <class T>                                                        \
    __pycuda_template_fn T NAME(cudaTextureObject_t object,                   \
                                __PYCUDA_LIST DECLARE, bool *resident         \
                                    __PYCUDA_LIST LAST)                       \
    {                                                                         \
        *resident = true;                                                     \
        return NAME<T>(object, __PYCUDA_LIST PASS __PYCUDA_LIST PASS_LAST);   \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_texel<T> NAME(                           \
        T *texel, cudaTextureObject_t object, __PYCUDA_LIST DECLARE,          \
        bool *resident __PYCUDA_LIST LAST)                                    \
    {                                                                         \
        *resident = true;                                                     \
        *texel = NAME<T>(object, __PYCUDA_LIST PASS __PYCUDA_LIST PASS_LAST); \
    }
__PYCUDA_RESIDENT(tex2D, (float x, float y), (x, y), (), ())
__PYCUDA_RESIDENT(tex2DLod, (float x, float y, float level), (x, y, level),
                  (), ())
__PYCUDA_RESIDENT(tex2DGrad, (float x, float y, float2 dx, float2 dy),
                  (x, y, dx, dy), (), ())
__PYCUDA_RESIDENT(tex2DLayered, (float x, float y, int layer), (x, y, layer),
                  (), ())
__PYCUDA_RESIDENT(tex2DLayeredLod, (float x, float y, int layer, float level),
                  (x, y, layer, level), (), ())
__PYCUDA_RESIDENT(tex2DLayeredGrad,
                  (float x, float y, int layer, float2 dx, float2 dy),
                  (x, y, layer, dx, dy), (), ())
__PYCUDA_RESIDENT(tex2Dgather, (float x, float y), (x, y),
                  (, int component = 0), (, component))
__PYCUDA_RESIDENT(tex3D, (float x, float y, float z), (x, y, z), (), ())
__PYCUDA_RESIDENT(tex3DLod, (float x, float y, float z, float level),
                  (x, y, z, level), (), ())
__PYCUDA_RESIDENT(tex3DGrad,
                  (float x, float y, float z, float4 dx, float4 dy),
                  (x, y, z, dx, dy), (), ())
#undef __PYCUDA_RESIDENT
