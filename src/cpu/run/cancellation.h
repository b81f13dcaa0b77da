/* cancellation.h - cancellation points of operations that the library itself
 * executes: copies, fills and matrix products.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_CANCELLATION_H
#define PYCUDA_CPU_RUN_CANCELLATION_H

#include <stddef.h>

#include "api/cuda_types.h"
#include "cpu/run/watchdog.h"

/* Bytes that an operation copies or writes between two cancellation points.
 * Smaller operations have no cancellation points. */
#define CPU_CANCELLATION_BYTES ((size_t)8 << 20)

/* Called by the function of an operation (type cpu_run) between parts of its
 * work. Each part takes at most about 100 ms. The operation owns `interrupt`,
 * which is zeroed before the first call. Returns CUDA_SUCCESS if the operation
 * can continue. Otherwise the operation must end at once without completing
 * its work; the result is then the error of its context, or LAUNCH_FAILED if
 * the program has interrupted the calling thread and the grace period is over.
 * The caller holds no lock, and is not inside cpu_fault_guard, since this
 * function may run the program's signal handlers. */
CUresult cpu_cancellation_point(struct cpu_interrupt *interrupt);

#endif
