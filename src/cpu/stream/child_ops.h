/* child_ops.h - operations that kernels launch.
 *
 * A child is an operation whose parent is the operation of a kernel. The
 * parent is done only when all its children are done. Streams and events of
 * the device runtime exist until their kernel is done.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_CHILD_OPS_H
#define PYCUDA_CPU_STREAM_CHILD_OPS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_op;

/* Values of the type cudaStream_t that denote predefined streams. Other values
 * denote streams that kernels have created. */
enum cpu_child_stream_handle {
    CPU_CHILD_DEFAULT = 0,
    CPU_CHILD_LEGACY = 1,
    CPU_CHILD_PER_THREAD = 2,
    CPU_CHILD_TAIL = 3,
    CPU_CHILD_FIRE_AND_FORGET = 4,
};

/* Kernel code calls the functions below through run/child_launch.c. They take
 * the scheduler lock. */

/* Submits `op` as a child of `parent`, in a stream of the device runtime.
 * `block` is the index of the calling block. The caller keeps its reference to
 * `op`. Returns 0 or an error of the runtime API (cudaError):
 * InvalidResourceHandle, MemoryAllocation, or LaunchPendingCountExceeded. */
int cpu_child_submit(struct cpu_op *parent, struct cpu_op *op, void *stream,
                     uint64_t block);
/* Create or destroy a stream or an event. Operations that were submitted to a
 * destroyed stream still run. Return 0, InvalidResourceHandle, or
 * MemoryAllocation if there is not enough memory or if the context has 2^20
 * streams and events. */
int cpu_child_stream_create(struct cpu_op *parent, void **stream);
int cpu_child_stream_destroy(struct cpu_op *parent, void *stream);
int cpu_child_event_create(struct cpu_op *parent, void **event);
int cpu_child_event_destroy(struct cpu_op *parent, void *event);
/* Records the event in the stream: it is reached when all operations that the
 * stream has now are done. Returns 0, InvalidResourceHandle, MemoryAllocation
 * or LaunchPendingCountExceeded. */
int cpu_child_event_record(struct cpu_op *parent, void *event, void *stream,
                           uint64_t block);
/* Makes later operations of the stream wait for the event. Returns 0,
 * InvalidResourceHandle, MemoryAllocation or LaunchPendingCountExceeded. */
int cpu_child_event_wait(struct cpu_op *parent, void *event, void *stream,
                         uint64_t block);

#endif
