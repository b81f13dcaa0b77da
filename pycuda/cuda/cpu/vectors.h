/* vectors.h - float4, uint2 and the other short vectors, make_*, dim3.
 *
 * Sizes and alignments are CUDA's: 2- and 4-vectors aligned to their size, at
 * most 16; 3-vectors to their element.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_VECTOR(NAME, T, ALIGN2, ALIGN4)                              \
    struct NAME##1 {                                                          \
        T x;                                                                  \
    };                                                                        \
    struct __align__(ALIGN2) NAME##2 {                                        \
        T x, y;                                                               \
    };                                                                        \
    struct NAME##3 {                                                          \
        T x, y, z;                                                            \
    };                                                                        \
    struct __align__(ALIGN4) NAME##4 {                                        \
        T x, y, z, w;                                                         \
    };                                                                        \
    __pycuda_both NAME##1 make_##NAME##1(T x)                                 \
    {                                                                         \
        return {x};                                                           \
    }                                                                         \
    __pycuda_both NAME##2 make_##NAME##2(T x, T y)                            \
    {                                                                         \
        return {x, y};                                                        \
    }                                                                         \
    __pycuda_both NAME##3 make_##NAME##3(T x, T y, T z)                       \
    {                                                                         \
        return {x, y, z};                                                     \
    }                                                                         \
    __pycuda_both NAME##4 make_##NAME##4(T x, T y, T z, T w)                  \
    {                                                                         \
        return {x, y, z, w};                                                  \
    }

__PYCUDA_VECTOR(char, signed char, 2, 4)
__PYCUDA_VECTOR(uchar, unsigned char, 2, 4)
__PYCUDA_VECTOR(short, short, 4, 8)
__PYCUDA_VECTOR(ushort, unsigned short, 4, 8)
__PYCUDA_VECTOR(int, int, 8, 16)
__PYCUDA_VECTOR(uint, unsigned int, 8, 16)
__PYCUDA_VECTOR(long, long, 16, 16)
__PYCUDA_VECTOR(ulong, unsigned long, 16, 16)
__PYCUDA_VECTOR(longlong, long long, 16, 16)
__PYCUDA_VECTOR(ulonglong, unsigned long long, 16, 16)
__PYCUDA_VECTOR(float, float, 8, 16)
__PYCUDA_VECTOR(double, double, 16, 16)
#undef __PYCUDA_VECTOR

/* Vectors of four 8-byte elements, aligned as their names say. */
#define __PYCUDA_ALIGNED(NAME, T, BYTES)                                      \
    struct __align__(BYTES) NAME##4_##BYTES##a {                              \
        T x, y, z, w;                                                         \
    };
/* NVRTC has no make_long4_16a. */
#define __PYCUDA_MAKE_ALIGNED(NAME, T, BYTES)                                 \
    __pycuda_both NAME##4_##BYTES##a make_##NAME##4_##BYTES##a(               \
        T x, T y, T z, T w)                                                   \
    {                                                                         \
        return {x, y, z, w};                                                  \
    }
#define __PYCUDA_ALIGNED_BOTH(NAME, T)                                        \
    __PYCUDA_ALIGNED(NAME, T, 16)                                             \
    __PYCUDA_ALIGNED(NAME, T, 32)
#define __PYCUDA_MAKE_BOTH(NAME, T)                                           \
    __PYCUDA_ALIGNED_BOTH(NAME, T)                                            \
    __PYCUDA_MAKE_ALIGNED(NAME, T, 16)                                        \
    __PYCUDA_MAKE_ALIGNED(NAME, T, 32)
__PYCUDA_ALIGNED_BOTH(long, long)
__PYCUDA_ALIGNED_BOTH(ulong, unsigned long)
__PYCUDA_MAKE_BOTH(longlong, long long)
__PYCUDA_MAKE_BOTH(ulonglong, unsigned long long)
__PYCUDA_MAKE_BOTH(double, double)
#undef __PYCUDA_MAKE_BOTH
#undef __PYCUDA_MAKE_ALIGNED
#undef __PYCUDA_ALIGNED_BOTH
#undef __PYCUDA_ALIGNED

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int nx = 1,
                                       unsigned int ny = 1,
                                       unsigned int nz = 1)
        : x(nx), y(ny), z(nz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return {x, y, z};
    }
};

/* Describes the elements of a vector type; used by warp.h, textures.h and
 * surfaces.h. */
template <class T> struct __pycuda_vector {
    typedef T channel;
    static constexpr int channels = 1;
};
#define __PYCUDA_CHANNELS(NAME, T)                                            \
    template <> struct __pycuda_vector<NAME##1> {                             \
        typedef T channel;                                                    \
        static constexpr int channels = 1;                                    \
    };                                                                        \
    template <> struct __pycuda_vector<NAME##2> {                             \
        typedef T channel;                                                    \
        static constexpr int channels = 2;                                    \
    };                                                                        \
    template <> struct __pycuda_vector<NAME##3> {                             \
        typedef T channel;                                                    \
        static constexpr int channels = 3;                                    \
    };                                                                        \
    template <> struct __pycuda_vector<NAME##4> {                             \
        typedef T channel;                                                    \
        static constexpr int channels = 4;                                    \
    };
__PYCUDA_CHANNELS(char, signed char)
__PYCUDA_CHANNELS(uchar, unsigned char)
__PYCUDA_CHANNELS(short, short)
__PYCUDA_CHANNELS(ushort, unsigned short)
__PYCUDA_CHANNELS(int, int)
__PYCUDA_CHANNELS(uint, unsigned int)
__PYCUDA_CHANNELS(long, long)
__PYCUDA_CHANNELS(ulong, unsigned long)
__PYCUDA_CHANNELS(longlong, long long)
__PYCUDA_CHANNELS(ulonglong, unsigned long long)
__PYCUDA_CHANNELS(float, float)
__PYCUDA_CHANNELS(double, double)
#undef __PYCUDA_CHANNELS
