/* qualifiers.h - CUDA's keywords and the macros that its compiler defines.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __host__             __attribute__((host))
#define __device__           __attribute__((device))
#define __global__           __attribute__((global))
#define __shared__           __attribute__((shared))
#define __constant__         __attribute__((constant))
#define __managed__          __attribute__((device, section("pycuda_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...) __PYCUDA_CLUSTER_MARK(__VA_ARGS__)
#define __PYCUDA_CLUSTER_MARK(...)                                            \
    __attribute__((section("pycuda_cluster " #__VA_ARGS__)))
#define __grid_constant__
#define __block_size__(...)
#define __forceinline__      __inline__ __attribute__((always_inline))
#define __noinline__         __attribute__((noinline))
#define __inline_hint__      __inline__
#define __nv_pure__          __attribute__((const))
#define __align__(bytes)     __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __thread__           __thread
#define __restrict__         __restrict
#define __annotate__(attribute) __attribute__((attribute))
#define __location__(space)  __annotate__(space)
#define __no_return__        __attribute__((noreturn))
#define __specialization_static static
#define __import__
#define __export__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__

#define __CUDACC__           1
#define __CUDACC_RTC__       1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define __CUDA_ARCH_LIST__   800
#define CUDART_VERSION       13000
#define CUDA_VERSION         13000
#define __PYCUDA_CPU__       1
/* NVRTC defines these macros of exceptions and run-time type information,
 * although device code supports neither. */
#define __EXCEPTIONS         1
#define __cpp_exceptions     199711L
#define __cpp_rtti           199711L

/* nvcc and NVRTC do not define the following macros of clang. */
#undef __OPTIMIZE__
#undef __clang__
#undef __clang_major__
#undef __clang_minor__
#undef __clang_patchlevel__
#undef __clang_version__
#undef __llvm__
#undef __CUDA__
#undef __NVPTX__
#undef __PTX__
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __GNUC_PATCHLEVEL__
#undef __GNUG__
#undef __GXX_ABI_VERSION
#undef __GXX_WEAK__
#undef __GXX_EXPERIMENTAL_CXX0X__
#undef _GNU_SOURCE
#undef __STRICT_ANSI__
#undef __VERSION__
#undef __ELF__
#undef __linux
#undef __linux__
#undef __gnu_linux__
#undef __unix
#undef __unix__
#undef __x86_64
#undef __x86_64__
#undef __amd64
#undef __amd64__
#undef __aarch64__
#undef __MMX__
#undef __SSE__
#undef __SSE_MATH__
#undef __SSE2__
#undef __SSE2_MATH__

/* Lambdas need no wrapper class on the CPU device. */
#define __nv_is_extended_device_lambda_closure_type(type)       false
#define __nv_is_extended_host_device_lambda_closure_type(type)  false

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
#define NULL 0

/* Declaration macros for the device's own functions and templates. Functions
 * are templates, too, although they do not need to be: at every start clang
 * scans the bodies of all plain functions of a precompiled header, which takes
 * several milliseconds, but not those of templates. The template parameter has
 * a private type, so that a call such as max<float>(a, b) or rsqrt<3>(x) never
 * selects these templates, but other templates with the same name. */
#define __pycuda_template_fn   static __device__ __forceinline__
#define __pycuda_template_both static __host__ __device__ __forceinline__
#define __pycuda_fn            template <__PYCUDA_NOBODYS> __pycuda_template_fn
#define __pycuda_both                                                         \
    template <__PYCUDA_NOBODYS> __pycuda_template_both
#define __PYCUDA_NOBODYS __pycuda_nobody = __pycuda_nobody()
enum class __pycuda_nobody {};

/* The few type traits that the headers need, without <type_traits>. */
template <class T> struct __pycuda_is_integer {
    static constexpr bool value = false;
};
#define __PYCUDA_INTEGER(T)                                                   \
    template <> struct __pycuda_is_integer<T> {                               \
        static constexpr bool value = true;                                   \
    };
__PYCUDA_INTEGER(bool)
__PYCUDA_INTEGER(char)
__PYCUDA_INTEGER(signed char)
__PYCUDA_INTEGER(unsigned char)
__PYCUDA_INTEGER(short)
__PYCUDA_INTEGER(unsigned short)
__PYCUDA_INTEGER(int)
__PYCUDA_INTEGER(unsigned int)
__PYCUDA_INTEGER(long)
__PYCUDA_INTEGER(unsigned long)
__PYCUDA_INTEGER(long long)
__PYCUDA_INTEGER(unsigned long long)
#undef __PYCUDA_INTEGER

template <bool condition, class T> struct __pycuda_if {
};
template <class T> struct __pycuda_if<true, T> {
    typedef T type;
};
template <class T, class Result = double>
using __pycuda_if_integer =
    typename __pycuda_if<__pycuda_is_integer<T>::value, Result>::type;
