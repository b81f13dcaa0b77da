/* cuda_fp8.h - says that cuda_fp8.h is not there on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#error "cuda_fp8.h is not available on the CPU device"
