/* surfaces.h - surface objects: surf1Dread, surf2Dwrite, ...; x counts bytes.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2,
};
enum cudaSurfaceFormatMode {
    cudaFormatModeForced = 0,
    cudaFormatModeAuto = 1,
};
#define cudaSurfaceType1D             0x01
#define cudaSurfaceType2D             0x02
#define cudaSurfaceType3D             0x03
#define cudaSurfaceTypeCubemap        0x0C
#define cudaSurfaceType1DLayered      0xF1
#define cudaSurfaceType2DLayered      0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC

#define __PYCUDA_SURFACE(NAME, ACCESS, DECLARE, PASS, X, Y, Z, LAYER)         \
    /* Boundary modes have other numbers on the CPU device: 0 trap,           \
     * 1 clamp, 2 zero. */                                                    \
    template <class T>                                                        \
    __pycuda_template_fn T NAME##read(                                        \
        cudaSurfaceObject_t object, __PYCUDA_LIST DECLARE,                    \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                  \
    {                                                                         \
        static_assert(__pycuda_texel_bytes<T>::most != 0,                     \
                      "no surface has texels of this type");                  \
        T value;                                                              \
        __pycuda_surface_read(object, ACCESS, X, Y, Z, LAYER, &value,         \
                              sizeof(T), 2 - mode);                               \
        return value;                                                         \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_surfel<T> NAME##read(                    \
        T *value, cudaSurfaceObject_t object, __PYCUDA_LIST DECLARE,          \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                  \
    {                                                                         \
        __pycuda_surface_read(object, ACCESS, X, Y, Z, LAYER, value,          \
                              sizeof(T), 2 - mode);                               \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_surfel<T> NAME##write(                   \
        T value, cudaSurfaceObject_t object, __PYCUDA_LIST DECLARE,           \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                  \
    {                                                                         \
        __pycuda_surface_write(object, ACCESS, X, Y, Z, LAYER, &value,        \
                               sizeof(T), 2 - mode);                              \
    }
__PYCUDA_SURFACE(surf1D, __PYCUDA_1D, (int x), (x), x, 0, 0, 0)
__PYCUDA_SURFACE(surf2D, __PYCUDA_2D, (int x, int y), (x, y), x, y, 0, 0)
__PYCUDA_SURFACE(surf3D, __PYCUDA_3D, (int x, int y, int z), (x, y, z), x, y,
                 z, 0)
__PYCUDA_SURFACE(surf1DLayered, __PYCUDA_1D_LAYERED, (int x, int layer),
                 (x, layer), x, 0, 0, layer)
__PYCUDA_SURFACE(surf2DLayered, __PYCUDA_2D_LAYERED,
                 (int x, int y, int layer), (x, y, layer), x, y, 0, layer)
__PYCUDA_SURFACE(surfCubemap, __PYCUDA_CUBE, (int x, int y, int face),
                 (x, y, face), x, y, 0, face)
__PYCUDA_SURFACE(surfCubemapLayered, __PYCUDA_CUBE_LAYERED,
                 (int x, int y, int layer_face), (x, y, layer_face), x, y, 0,
                 layer_face)
#undef __PYCUDA_SURFACE
