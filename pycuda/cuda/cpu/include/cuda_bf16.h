/* cuda_bf16.h - says that cuda_bf16.h is not there on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#error "cuda_bf16.h is not available on the CPU device"
