/* op_queue.h - a first-in first-out queue of operations.
 *
 * The operations are linked by cpu_op.next, so that an operation can be in one
 * queue at a time. A queue does not own its operations. The functions use no
 * locks: the caller guards the queue, with the scheduler lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_OP_QUEUE_H
#define PYCUDA_CPU_STREAM_OP_QUEUE_H

#include <stddef.h>

#include "cpu/stream/operation.h"

/* All zero: empty. */
struct cpu_op_queue {
    struct cpu_op *first, *last;
};

/* Appends the operation. */
static inline void
cpu_op_queue_put(struct cpu_op_queue *queue, struct cpu_op *op)
{
    op->next = NULL;
    if (queue->last) {
        queue->last->next = op;
    } else {
        queue->first = op;
    }
    queue->last = op;
}

/* Removes and returns the first operation; the queue must not be empty. */
static inline struct cpu_op *
cpu_op_queue_pop(struct cpu_op_queue *queue)
{
    struct cpu_op *op = queue->first;

    queue->first = op->next;
    if (!queue->first) {
        queue->last = NULL;
    }
    return op;
}

#endif
