/* child_state.h - operations that a kernel has launched, as a part of the
 * kernel's operation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_CHILD_STATE_H
#define PYCUDA_CPU_STREAM_CHILD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/stream/op_queue.h"

enum cpu_child_kind {
    CPU_CHILD_DEFAULT_STREAM, /* the default stream of a block */
    CPU_CHILD_STREAM,         /* a stream that a kernel has created */
    CPU_CHILD_EVENT,          /* an event that a kernel has created */
};

/* A stream or an event of the device runtime. */
struct cpu_child_object {
    /* For a stream: its last operation. For an event: the operation that
     * records it. NULL if there is no such operation or it is done. */
    struct cpu_op *op;
    /* Default streams: index of the block in its grid. Others: the address of
     * this struct, which is also the handle. */
    uint64_t key;
    enum cpu_child_kind kind;
    /* next object in the bucket, or in the list of removed objects */
    struct cpu_child_object *next;
};

#define CPU_CHILD_BUCKETS 64

/* The operations (children), streams and events that the kernel of an
 * operation has created. Guarded by the scheduler lock; freed when the
 * kernel's operation is done. */
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
    /* hash table of the streams and events (child_table.c) */
    /* the array `initial`, or memory from malloc */
    struct cpu_child_object **buckets;
    size_t bucket_count; /* number of buckets, a power of two */
    size_t object_count;
    struct cpu_child_object *initial[CPU_CHILD_BUCKETS];
    struct cpu_child_object *spares; /* removed objects, for reuse */
};

/* Functions of child_ops.c that scheduler.c calls with the scheduler lock
 * held. */

/* Called when the blocks of `op`, a kernel with children, have ended, and
 * again when its last child is done. Starts the next tail launch. Returns true
 * if `op` is done; op->children is then NULL. */
bool cpu_children_end(struct cpu_op *op);
/* Called when a child is done. Returns the parent if its blocks and all its
 * children are now done, not counting tail launches that have not begun. The
 * caller must call cpu_children_end for the returned parent. Returns NULL if
 * the parent waits for other children or blocks. */
struct cpu_op *cpu_child_done(struct cpu_op *op);

#endif
