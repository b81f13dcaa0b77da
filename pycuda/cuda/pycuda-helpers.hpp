/* pycuda-helpers.hpp - fetches of double and complex elements from textures
 * and surfaces.
 *
 * A texture holds neither 8-byte floats nor complex numbers: the program
 * declares it with a carrier type of the same bits (fp_tex_double, ...) and
 * reads through fp_tex2D and the other functions, which return the number.
 * Ordinary element types need no conversion. x counts elements here, for
 * surfaces, too.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <pycuda-complex.hpp>

extern "C++" {

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

/* The element type that each carrier type represents. */
__device__ inline double
_pycuda_carried(int2 bits)
{
    return __hiloint2double(bits.y, bits.x);
}
__device__ inline pycuda::complex<float>
_pycuda_carried(uint2 bits)
{
    return pycuda::complex<float>(__uint_as_float(bits.x),
                                  __uint_as_float(bits.y));
}
__device__ inline pycuda::complex<double>
_pycuda_carried(int4 bits)
{
    return pycuda::complex<double>(__hiloint2double(bits.y, bits.x),
                                   __hiloint2double(bits.w, bits.z));
}
__device__ inline int2
_pycuda_carrier(double value)
{
    return make_int2(__double2loint(value), __double2hiint(value));
}
__device__ inline uint2
_pycuda_carrier(pycuda::complex<float> value)
{
    return make_uint2(__float_as_uint(value.real()),
                      __float_as_uint(value.imag()));
}
__device__ inline int4
_pycuda_carrier(pycuda::complex<double> value)
{
    return make_int4(
        __double2loint(value.real()), __double2hiint(value.real()),
        __double2loint(value.imag()), __double2hiint(value.imag()));
}

/* ---- textures ---- */

#define PYCUDA_FETCHES(CARRIER)                                               \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline auto fp_tex1Dfetch(                                     \
        texture<CARRIER, cudaTextureType1D, mode> reference, int i)           \
    {                                                                         \
        return _pycuda_carried(tex1Dfetch(reference, i));                     \
    }                                                                         \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline auto fp_tex2D(                                          \
        texture<CARRIER, cudaTextureType2D, mode> reference, int i, int j)    \
    {                                                                         \
        return _pycuda_carried(tex2D(reference, (float)i, (float)j));         \
    }                                                                         \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline auto fp_tex2DLayered(                                   \
        texture<CARRIER, cudaTextureType2DLayered, mode> reference, float i,  \
        float j, int layer)                                                   \
    {                                                                         \
        return _pycuda_carried(tex2DLayered(reference, i, j, layer));         \
    }                                                                         \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline auto fp_tex3D(                                          \
        texture<CARRIER, cudaTextureType3D, mode> reference, int i, int j,    \
        int k)                                                                \
    {                                                                         \
        return _pycuda_carried(                                               \
            tex3D(reference, (float)i, (float)j, (float)k));                  \
    }
PYCUDA_FETCHES(fp_tex_double)
PYCUDA_FETCHES(fp_tex_cfloat)
PYCUDA_FETCHES(fp_tex_cdouble)
#undef PYCUDA_FETCHES

#define PYCUDA_GENERATE_FP_TEX_FUNCS(TYPE)                                    \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline TYPE fp_tex1Dfetch(                                     \
        texture<TYPE, cudaTextureType1D, mode> reference, int i)              \
    {                                                                         \
        return tex1Dfetch(reference, i);                                      \
    }                                                                         \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline TYPE fp_tex2D(                                          \
        texture<TYPE, cudaTextureType2D, mode> reference, int i, int j)       \
    {                                                                         \
        return tex2D(reference, (float)i, (float)j);                          \
    }                                                                         \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline TYPE fp_tex2DLayered(                                   \
        texture<TYPE, cudaTextureType2DLayered, mode> reference, int i,       \
        int j, int layer)                                                     \
    {                                                                         \
        return tex2DLayered(reference, (float)i, (float)j, layer);            \
    }                                                                         \
    template <enum cudaTextureReadMode mode>                                  \
    __device__ inline TYPE fp_tex3D(                                          \
        texture<TYPE, cudaTextureType3D, mode> reference, int i, int j,       \
        int k)                                                                \
    {                                                                         \
        return tex3D(reference, (float)i, (float)j, (float)k);                \
    }                                                                         \
    PYCUDA_SURFACE_FUNCS(TYPE, TYPE, , )

/* ---- surfaces ---- */

#define PYCUDA_SURFACE_FUNCS(TYPE, CARRIER, CARRIED, CARRY)                   \
    __device__ inline void fp_surf2DLayeredwrite(                             \
        TYPE value, surface<void, cudaSurfaceType2DLayered> reference, int i, \
        int j, int layer, enum cudaSurfaceBoundaryMode mode)                  \
    {                                                                         \
        surf2DLayeredwrite(CARRY(value), reference,                           \
                           i * (int)sizeof(CARRIER), j, layer, mode);         \
    }                                                                         \
    __device__ inline void fp_surf2DLayeredread(                              \
        TYPE *value, surface<void, cudaSurfaceType2DLayered> reference,       \
        int i, int j, int layer, enum cudaSurfaceBoundaryMode mode)           \
    {                                                                         \
        CARRIER bits;                                                         \
        surf2DLayeredread(&bits, reference, i * (int)sizeof(CARRIER), j,      \
                          layer, mode);                                       \
        *value = CARRIED(bits);                                               \
    }                                                                         \
    __device__ inline void fp_surf3Dwrite(                                    \
        TYPE value, surface<void, cudaSurfaceType3D> reference, int i, int j, \
        int k, enum cudaSurfaceBoundaryMode mode)                             \
    {                                                                         \
        surf3Dwrite(CARRY(value), reference, i * (int)sizeof(CARRIER), j, k,  \
                    mode);                                                    \
    }                                                                         \
    __device__ inline void fp_surf3Dread(                                     \
        TYPE *value, surface<void, cudaSurfaceType3D> reference, int i,       \
        int j, int k, enum cudaSurfaceBoundaryMode mode)                      \
    {                                                                         \
        CARRIER bits;                                                         \
        surf3Dread(&bits, reference, i * (int)sizeof(CARRIER), j, k, mode);   \
        *value = CARRIED(bits);                                               \
    }
PYCUDA_SURFACE_FUNCS(double, int2, _pycuda_carried, _pycuda_carrier)
PYCUDA_SURFACE_FUNCS(pycuda::complex<float>, uint2, _pycuda_carried,
                     _pycuda_carrier)
PYCUDA_SURFACE_FUNCS(pycuda::complex<double>, int4, _pycuda_carried,
                     _pycuda_carrier)

PYCUDA_GENERATE_FP_TEX_FUNCS(float)
PYCUDA_GENERATE_FP_TEX_FUNCS(int)
PYCUDA_GENERATE_FP_TEX_FUNCS(unsigned int)
PYCUDA_GENERATE_FP_TEX_FUNCS(short int)
PYCUDA_GENERATE_FP_TEX_FUNCS(unsigned short int)
PYCUDA_GENERATE_FP_TEX_FUNCS(char)
PYCUDA_GENERATE_FP_TEX_FUNCS(unsigned char)
}
