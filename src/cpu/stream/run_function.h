/* run_function.h - the type of functions that operations run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_RUN_FUNCTION_H
#define PYCUDA_CPU_STREAM_RUN_FUNCTION_H

#include "api/cuda_types.h"

/* Function that an operation runs. If a worker runs the function, its error
 * becomes the context's sticky error. If the thread that submits the operation
 * runs it, the API function that submits the operation returns the error. */
typedef CUresult cpu_run(void *argument);

#endif
