/* texture_reference.h - texture and surface references over texture objects.
 *
 * CUDA 12 removed `texture<float, 2> t;`.  Here the name is a class template
 * that holds one texture object; the host writes the object into the variable
 * (cuModuleGetGlobal).  Pre-included by pycuda.compiler, outside its extern
 * "C" wrap, where a source has the tokens `texture <` or `surface <`, with
 * --device-as-default-execution-space so that the variables are the device's.
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

/* One 8-byte object and nothing else: what the host writes. */
template <class T, int type = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
    cudaTextureObject_t __object;
};
template <class T, int type = cudaSurfaceType1D> struct surface {
    cudaSurfaceObject_t __object;
};
/* surface<void, 2> is the usual form. */
static_assert(sizeof(texture<float>) == 8 && sizeof(surface<void>) == 8,
              "a reference is one object");

/* What a fetch gives: the element, or floats of as many channels. */
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
#undef __PYCUDA_REFERENCE

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
#undef __PYCUDA_REFERENCE
#undef __PYCUDA_WORDS
}
