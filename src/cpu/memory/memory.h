/* memory.h - checks of address ranges.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_MEMORY_H
#define PYCUDA_CPU_MEMORY_MEMORY_H

#include <stddef.h>

#include "api/cuda_types.h"

/* Returns INVALID_VALUE unless [pointer, pointer + bytes) is inside one
 * allocation. */
CUresult cpu_memory_check(CUdeviceptr pointer, size_t bytes);

#endif
