/* run_function.h - the type of functions that operations run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_RUN_FUNCTION_H
#define PYCUDA_CPU_STREAM_RUN_FUNCTION_H

#include "api/cuda_types.h"

/* Function that an operation runs. If a worker runs it, its error becomes the
 * context's sticky error. Otherwise the submitting function returns the
 * error. */
typedef CUresult cpu_run(void *argument);

#endif
