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

/* What the runtime delivers: a word a channel, integer or float bits. */
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
    __pycuda_words words;
    __pycuda_texture_fetch(object, x, &words);
    return __pycuda_texel<T>(words);
}
template <class T>
__pycuda_template_fn void
tex1Dfetch(T *texel, cudaTextureObject_t object, int x)
{
    *texel = tex1Dfetch<T>(object, x);
}

/* Each shape: the function, and the form that stores through a pointer. */
#define __PYCUDA_TEXTURE(NAME, ACCESS, DECLARE, PASS, X, Y, Z, LAYER)         \
    template <class T>                                                        \
    __pycuda_template_fn T NAME(cudaTextureObject_t object,                   \
                                __PYCUDA_LIST DECLARE)                        \
    {                                                                         \
        return __pycuda_sample<T>(object, ACCESS, X, Y, Z, LAYER);            \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn void NAME(T *texel, cudaTextureObject_t object,      \
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

/* Of a mipmapped texture the functions above read level 0; these the level of
 * detail that they are given, */
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
    __pycuda_template_fn void NAME(T *texel, cudaTextureObject_t object,      \
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

/* and these the one at which a step along dx or dy is about a texel. */
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
    __pycuda_template_fn void NAME(T *texel, cudaTextureObject_t object,      \
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

/* One component of each of the four texels that a linear filter would mix:
 * (i, j+1), (i+1, j+1), (i+1, j), (i, j). */
template <class T>
__pycuda_template_fn T
tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0)
{
    return __pycuda_sample<T>(object, __PYCUDA_2D_GATHER, x, y, 0, component);
}
template <class T>
__pycuda_template_fn void
tex2Dgather(T *texels, cudaTextureObject_t object, float x, float y,
            int component = 0)
{
    *texels = tex2Dgather<T>(object, x, y, component);
}
