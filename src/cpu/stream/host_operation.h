/* host_operation.h - runs operations that are host functions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_HOST_OPERATION_H
#define PYCUDA_CPU_STREAM_HOST_OPERATION_H

#include "api/cuda_types.h"

struct cpu_op;

/* Runs the function of an operation on the calling thread, unless its context
 * has failed. Returns the function's result, or the context's error. The
 * caller finishes the operation. */
CUresult cpu_op_run(struct cpu_op *op);
/* Runs the function of a CALL operation. Called by workers. */
void cpu_op_call(struct cpu_op *op);

#endif
