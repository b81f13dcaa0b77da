/* curand_kernel.h - says that curand_kernel.h is not there on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#error "curand_kernel.h is not available on the CPU device"
