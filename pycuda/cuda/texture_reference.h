/* texture_reference.h - texture and surface references over texture objects.
 *
 * CUDA 12 removed `texture<float, 2> t;`. Here the name is a class template
 * that holds one texture object; the host writes the object into the variable
 * (cuModuleGetGlobal). If a source has the tokens `texture <` or `surface <`,
 * pycuda.compiler pre-includes this file, before the extern "C" block that it
 * puts around the source. It also passes --device-as-default-execution-space,
 * so that the variables are device variables.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {

#ifndef cudaTextureType1D
#define cudaTextureType1D             0x01
#define cudaTextureType2D             0x02
#define cudaTextureType3D             0x03
#define cudaTextureTypeCubemap        0x0C
#define cudaTextureType1DLayered      0xF1
#define cudaTextureType2DLayered      0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#endif
#ifndef cudaSurfaceType1D
#define cudaSurfaceType1D             0x01
#define cudaSurfaceType2D             0x02
#define cudaSurfaceType3D             0x03
#define cudaSurfaceTypeCubemap        0x0C
#define cudaSurfaceType1DLayered      0xF1
#define cudaSurfaceType2DLayered      0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC
#endif

/* Initial value of the variable, until the host writes a texture object: 1 if
 * fetches return floats, 2 if they return integers. get_texref reads it. */
template <class T, enum cudaTextureReadMode mode> struct __pycuda_gives {
    static const cudaTextureObject_t value =
        mode == cudaReadModeNormalizedFloat ? 1 : 2;
};
#define __PYCUDA_FLOATS(T)                                                    \
    template <enum cudaTextureReadMode mode> struct __pycuda_gives<T, mode> { \
        static const cudaTextureObject_t value = 1;                           \
    };
__PYCUDA_FLOATS(float)
__PYCUDA_FLOATS(float1)
__PYCUDA_FLOATS(float2)
__PYCUDA_FLOATS(float4)
#undef __PYCUDA_FLOATS

/* A texture reference consists of one 8-byte texture object, which the host
 * writes. */
template <class T, int type = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
    cudaTextureObject_t __object = __pycuda_gives<T, mode>::value;
};
template <class T, int type = cudaSurfaceType1D> struct surface {
    cudaSurfaceObject_t __object;
};
/* surface<void, 2> is the most frequent form. */
static_assert(sizeof(texture<float>) == 8 && sizeof(surface<void>) == 8,
              "a reference is one object");

/* Result of a fetch: the element, or floats with as many channels. */
template <class T, enum cudaTextureReadMode mode> struct __pycuda_fetched {
    typedef T type;
};
#define __PYCUDA_NORMALIZED(T, RESULT)                                        \
    template <> struct __pycuda_fetched<T, cudaReadModeNormalizedFloat> {     \
        typedef RESULT type;                                                  \
    };
__PYCUDA_NORMALIZED(char, float)
__PYCUDA_NORMALIZED(signed char, float)
__PYCUDA_NORMALIZED(unsigned char, float)
__PYCUDA_NORMALIZED(short, float)
__PYCUDA_NORMALIZED(unsigned short, float)
__PYCUDA_NORMALIZED(char1, float1)
__PYCUDA_NORMALIZED(uchar1, float1)
__PYCUDA_NORMALIZED(short1, float1)
__PYCUDA_NORMALIZED(ushort1, float1)
__PYCUDA_NORMALIZED(char2, float2)
__PYCUDA_NORMALIZED(uchar2, float2)
__PYCUDA_NORMALIZED(short2, float2)
__PYCUDA_NORMALIZED(ushort2, float2)
__PYCUDA_NORMALIZED(char4, float4)
__PYCUDA_NORMALIZED(uchar4, float4)
__PYCUDA_NORMALIZED(short4, float4)
__PYCUDA_NORMALIZED(ushort4, float4)
#undef __PYCUDA_NORMALIZED

#define __PYCUDA_REFERENCE(NAME, TYPE, DECLARE, PASS)                         \
    template <class T, enum cudaTextureReadMode mode>                         \
    static __device__ __forceinline__                                         \
        typename __pycuda_fetched<T, mode>::type                              \
        NAME(texture<T, TYPE, mode> reference, __PYCUDA_WORDS DECLARE)        \
    {                                                                         \
        return NAME<typename __pycuda_fetched<T, mode>::type>(                \
            reference.__object, __PYCUDA_WORDS PASS);                         \
    }
#define __PYCUDA_WORDS(...) __VA_ARGS__
__PYCUDA_REFERENCE(tex1Dfetch, cudaTextureType1D, (int x), (x))
__PYCUDA_REFERENCE(tex1D, cudaTextureType1D, (float x), (x))
__PYCUDA_REFERENCE(tex2D, cudaTextureType2D, (float x, float y), (x, y))
__PYCUDA_REFERENCE(tex3D, cudaTextureType3D, (float x, float y, float z),
                   (x, y, z))
__PYCUDA_REFERENCE(tex1DLayered, cudaTextureType1DLayered,
                   (float x, int layer), (x, layer))
__PYCUDA_REFERENCE(tex2DLayered, cudaTextureType2DLayered,
                   (float x, float y, int layer), (x, y, layer))
__PYCUDA_REFERENCE(texCubemap, cudaTextureTypeCubemap,
                   (float x, float y, float z), (x, y, z))
__PYCUDA_REFERENCE(texCubemapLayered, cudaTextureTypeCubemapLayered,
                   (float x, float y, float z, int layer), (x, y, z, layer))
__PYCUDA_REFERENCE(tex1DLod, cudaTextureType1D, (float x, float level),
                   (x, level))
__PYCUDA_REFERENCE(tex2DLod, cudaTextureType2D,
                   (float x, float y, float level), (x, y, level))
__PYCUDA_REFERENCE(tex3DLod, cudaTextureType3D,
                   (float x, float y, float z, float level), (x, y, z, level))
__PYCUDA_REFERENCE(tex1DLayeredLod, cudaTextureType1DLayered,
                   (float x, int layer, float level), (x, layer, level))
__PYCUDA_REFERENCE(tex2DLayeredLod, cudaTextureType2DLayered,
                   (float x, float y, int layer, float level),
                   (x, y, layer, level))
__PYCUDA_REFERENCE(texCubemapLod, cudaTextureTypeCubemap,
                   (float x, float y, float z, float level), (x, y, z, level))
__PYCUDA_REFERENCE(texCubemapLayeredLod, cudaTextureTypeCubemapLayered,
                   (float x, float y, float z, int layer, float level),
                   (x, y, z, layer, level))
__PYCUDA_REFERENCE(tex1DGrad, cudaTextureType1D, (float x, float dx, float dy),
                   (x, dx, dy))
__PYCUDA_REFERENCE(tex2DGrad, cudaTextureType2D,
                   (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
__PYCUDA_REFERENCE(tex3DGrad, cudaTextureType3D,
                   (float x, float y, float z, float4 dx, float4 dy),
                   (x, y, z, dx, dy))
__PYCUDA_REFERENCE(tex1DLayeredGrad, cudaTextureType1DLayered,
                   (float x, int layer, float dx, float dy),
                   (x, layer, dx, dy))
__PYCUDA_REFERENCE(tex2DLayeredGrad, cudaTextureType2DLayered,
                   (float x, float y, int layer, float2 dx, float2 dy),
                   (x, y, layer, dx, dy))
#undef __PYCUDA_REFERENCE

/* A gather returns four values of one channel, however many channels the
 * texture has. */
template <class T> struct __pycuda_gathered {
};
#define __PYCUDA_FOUR(RESULT, T)                                              \
    template <> struct __pycuda_gathered<T> {                                 \
        typedef RESULT type;                                                  \
    };                                                                        \
    template <> struct __pycuda_gathered<T##1> {                              \
        typedef RESULT type;                                                  \
    };                                                                        \
    template <> struct __pycuda_gathered<T##2> {                              \
        typedef RESULT type;                                                  \
    };                                                                        \
    template <> struct __pycuda_gathered<T##4> {                              \
        typedef RESULT type;                                                  \
    };
typedef unsigned char __pycuda_byte;
typedef uchar1 __pycuda_byte1;
typedef uchar2 __pycuda_byte2;
typedef uchar4 __pycuda_byte4;
typedef unsigned short __pycuda_word;
typedef ushort1 __pycuda_word1;
typedef ushort2 __pycuda_word2;
typedef ushort4 __pycuda_word4;
typedef unsigned int __pycuda_dword;
typedef uint1 __pycuda_dword1;
typedef uint2 __pycuda_dword2;
typedef uint4 __pycuda_dword4;
__PYCUDA_FOUR(char4, char)
__PYCUDA_FOUR(uchar4, __pycuda_byte)
__PYCUDA_FOUR(short4, short)
__PYCUDA_FOUR(ushort4, __pycuda_word)
__PYCUDA_FOUR(int4, int)
__PYCUDA_FOUR(uint4, __pycuda_dword)
__PYCUDA_FOUR(float4, float)
#undef __PYCUDA_FOUR

template <class T, enum cudaTextureReadMode mode>
static __device__ __forceinline__ typename __pycuda_gathered<
    typename __pycuda_fetched<T, mode>::type>::type
tex2Dgather(texture<T, cudaTextureType2D, mode> reference, float x, float y,
            int component = 0)
{
    return tex2Dgather<typename __pycuda_gathered<
        typename __pycuda_fetched<T, mode>::type>::type>(reference.__object, x,
                                                         y, component);
}

#define __PYCUDA_REFERENCE(NAME, TYPE, DECLARE, PASS)                         \
    template <class T, class S>                                               \
    static __device__ __forceinline__ T NAME##read(                           \
        surface<S, TYPE> reference, __PYCUDA_WORDS DECLARE,                   \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                         \
        return NAME##read<T>(reference.__object, __PYCUDA_WORDS PASS, mode);  \
    }                                                                         \
    template <class T, class S>                                               \
    static __device__ __forceinline__ void NAME##read(                        \
        T *value, surface<S, TYPE> reference, __PYCUDA_WORDS DECLARE,         \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                         \
        *value = NAME##read<T>(reference.__object, __PYCUDA_WORDS PASS,       \
                               mode);                                         \
    }                                                                         \
    template <class T, class S>                                               \
    static __device__ __forceinline__ void NAME##write(                       \
        T value, surface<S, TYPE> reference, __PYCUDA_WORDS DECLARE,          \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                         \
        NAME##write(value, reference.__object, __PYCUDA_WORDS PASS, mode);    \
    }
__PYCUDA_REFERENCE(surf1D, cudaSurfaceType1D, (int x), (x))
__PYCUDA_REFERENCE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y))
__PYCUDA_REFERENCE(surf3D, cudaSurfaceType3D, (int x, int y, int z),
                   (x, y, z))
__PYCUDA_REFERENCE(surf1DLayered, cudaSurfaceType1DLayered,
                   (int x, int layer), (x, layer))
__PYCUDA_REFERENCE(surf2DLayered, cudaSurfaceType2DLayered,
                   (int x, int y, int layer), (x, y, layer))
__PYCUDA_REFERENCE(surfCubemap, cudaSurfaceTypeCubemap,
                   (int x, int y, int face), (x, y, face))
__PYCUDA_REFERENCE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered,
                   (int x, int y, int layer_face), (x, y, layer_face))
#undef __PYCUDA_REFERENCE
#undef __PYCUDA_WORDS
}
