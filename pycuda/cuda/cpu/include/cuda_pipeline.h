/* cuda_pipeline.h - says that cuda_pipeline.h is not there on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#error "cuda_pipeline.h is not available on the CPU device"
