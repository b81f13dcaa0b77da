/* runtime.h - declarations of the runtime functions that kernels call.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_RUNTIME_H
#define PYCUDA_CPU_RUN_RUNTIME_H

#include "image/abi.h"

#define CPU_RUNTIME_ROW(result, name, arguments, stops) result name arguments;
IMAGE_RUNTIME(CPU_RUNTIME_ROW)

#endif
