/* util_device.cuh - CCCL's header with a name that it omits for NVRTC.
 *
 * Thrust's iterators refer to it in a function that no kernel can call. NVRTC
 * looks the name up when the function is called, clang when it is declared.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include_next <cub/util_device.cuh>

CUB_NAMESPACE_BEGIN
__device__ cudaError_t SyncStream(cudaStream_t stream);
CUB_NAMESPACE_END
