/* child_state.h - operations that a kernel has launched, as a part of the
 * kernel's operation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_CHILD_STATE_H
#define PYCUDA_CPU_STREAM_CHILD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/stream/op_queue.h"

/* A stream of the device runtime: one that a kernel has created, or the
 * default stream of a block. */
struct cpu_child_stream {
    struct cpu_op *last; /* last operation that is not done; NULL: none */
    uint64_t block;      /* default streams: index of the block in its grid */
    struct cpu_child_stream *next;
};

/* An event that a kernel has created. */
struct cpu_child_event {
    struct cpu_op *record; /* recorded operation that is not done, or NULL */
    struct cpu_child_event *next;
};

#define CPU_CHILD_BUCKETS 64

/* Children of an operation: what its kernel has launched. Guarded by the
 * scheduler lock; freed together with the operation. */
struct cpu_children {
    /* number of children that were submitted and are not done */
    unsigned unfinished;
    bool blocks_done; /* the kernel's own blocks have ended */
    /* tail launches: they start one after the other, when the blocks and all
     * other children are done */
    struct cpu_op_queue tails;
    /* children that wait for the end of the kernel's blocks, while kernel
     * checks are on */
    struct cpu_op_queue held;
    /* default streams of the blocks, as a hash table of lists */
    struct cpu_child_stream *defaults[CPU_CHILD_BUCKETS];
    struct cpu_child_stream *streams; /* list of the created streams */
    struct cpu_child_event *events;   /* list of the events */
};

/* Functions of child_ops.c that scheduler.c calls with the scheduler lock
 * held. */

/* Called when the blocks of `op`, a kernel with children, have ended, and
 * again when its last child is done. Starts the next tail launch. Returns true
 * if `op` is done. */
bool cpu_children_end(struct cpu_op *op);
/* Called when a child is done. Returns its parent if that may be done now,
 * else NULL. */
struct cpu_op *cpu_child_done(struct cpu_op *op);
/* Frees the list of children. All of them are done. */
void cpu_children_free(struct cpu_children *children);

#endif
