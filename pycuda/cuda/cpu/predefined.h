/* predefined.h - macros that NVRTC defines and programs may test.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* A feature of the instruction set of one architecture: `SM90_ALL` and so on.
 */
#define __CUDA_ARCH_HAS_FEATURE__(FEATURE) __CUDA_ARCH_FEAT_##FEATURE
#define __CUDA_MINIMUM_ARCH__              __CUDA_ARCH__
#define __CUDACC_VER__                                                        \
    "__CUDACC_VER__ has no value: use __CUDACC_VER_MAJOR__, "                 \
    "__CUDACC_VER_MINOR__ and __CUDACC_VER_BUILD__"
#define __CUDANVVM__           1
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define __CUDART_API_VERSION   13000
#define __CUDART_API_PTDS(API) API
#define __CUDART_API_PTSZ(API) API
#define CUDARTAPI_CDECL
#define CUDART_DEVICE __device__
#define CU_UUID_HAS_BEEN_DEFINED
#define __THROW
#define __SIGNED_CHARS__ 1
#define __cpp_threadsafe_static_init 200806L

/* Include guards of headers that are always available. */
#define __COMMON_FUNCTIONS_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_TYPES_H__
#define __HOST_CONFIG_H__
#define __HOST_DEFINES_H__
#define __LIBRARY_TYPES_H__
#define __MATH_FUNCTIONS_H__
#define __SM_30_INTRINSICS_H__
#define __SM_32_INTRINSICS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_INTRINSICS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__
