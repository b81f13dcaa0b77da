/* gates.h - operations for which all new streams wait.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_GATES_H
#define PYCUDA_CPU_STREAM_GATES_H

#include "api/cuda_types.h"

struct cpu_op;
struct cpu_stream;

/* Makes the later operations of the stream wait for the operation `mark`.
 * Returns OUT_OF_MEMORY on failure. */
CUresult cpu_stream_wait_mark(struct cpu_stream *stream, struct cpu_op *mark);
/* Makes a new stream wait for the gates of its context, the operations for
 * which all new streams wait. Returns OUT_OF_MEMORY on failure. */
CUresult cpu_stream_wait_gates(struct cpu_stream *stream);

#endif
