/* limits.h - version and limits of the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_LIMITS_H
#define PYCUDA_CPU_DEVICE_LIMITS_H

#define CPU_VERSION        13000 /* CUDA version that the library reports */
#define CPU_MAX_DEVICES    64
#define CPU_MAX_THREADS    1024 /* maximum number of threads per block */
#define CPU_WARP           32
#define CPU_TEXTURE_PITCH  32 /* alignment of texture rows in bytes */
#define CPU_SHARED_DEFAULT (48u << 10)
#define CPU_LIMITS         8
#define CPU_PARAMETER_MAX  4096 /* maximum bytes of kernel parameters */

#endif
