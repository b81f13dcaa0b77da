/* operation.h - operations: units of work in a stream.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_OPERATION_H
#define PYCUDA_CPU_STREAM_OPERATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/context.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/run_function.h"
#include "cpu/stream/stream_state.h"

enum cpu_op_kind {
    CPU_OP_MARK,   /* no work, only a position in the stream */
    CPU_OP_CALL,   /* a worker calls the function run(argument) */
    CPU_OP_KERNEL, /* a kernel launch */
    CPU_OP_CALLER, /* work that the submitting thread does itself */
};

enum cpu_op_state {
    CPU_OP_WAITING,
    CPU_OP_READY,
    CPU_OP_RUNNING,
    CPU_OP_DONE
};

/* A dependency, as an element of the list `dependents` of an operation X: the
 * operation `to` waits for X. */
struct cpu_edge {
    struct cpu_op *to;
    struct cpu_edge *next;
};

#define CPU_OP_PAYLOAD 256

struct cpu_check_order;
struct cpu_child_object;
struct cpu_children;

struct cpu_op {
    atomic_uint references;
    atomic_uint state;
    enum cpu_op_kind kind;
    /* Kind to which the operation changes if it is a CALLER operation (run by
     * the thread that submits it) and cannot start immediately. */
    enum cpu_op_kind kind_if_deferred;
    /* `run` is also called if the context of the operation has failed */
    bool runs_after_failure;
    /* True: the operation is not complete when `run` returns; `run` arranges
     * that cpu_op_finish is called later. */
    bool finishes_later;
    bool queued;  /* the operation is in the queue of ready kernels */
    int priority; /* priority of a kernel; lower values run first */
    /* number of operations that this one waits for and that are not
     * complete */
    unsigned pending;
    unsigned edge_count;
    struct cpu_context *ctx;
    struct cpu_op *next; /* next operation in a queue or in the free list */
    /* List of operations that wait for this one. */
    struct cpu_edge *dependents;
    /* array with an element for each operation that this one waits for */
    struct cpu_edge *edges;
    struct cpu_edge inline_edges[3];
    uint64_t finished_ns;
    cpu_run *run;
    /* Argument of `run`: the payload, or memory of the caller. */
    void *argument;
    void *heap; /* memory that is freed together with the operation, or NULL */
    /* `parent`: the operation of the kernel that has launched this operation;
     * NULL if the program has launched it. `children`: the operations that
     * this kernel has launched; NULL if there are none
     * (stream/child_ops.h). */
    struct cpu_op *parent;
    struct cpu_children *children;
    /* `child_stream`: the stream of the device runtime that has this operation
     * as its last one, or NULL. `child_event`: the event that this operation
     * records, or NULL. Both point back to this operation until it is done. */
    struct cpu_child_object *child_stream, *child_event;
    /* For the check `streams`: which operations happen before this one
     * (check/streams/stream_order.h); or NULL. */
    struct cpu_check_order *order;
    bool is_tail; /* tail launch: starts after all other children */
    struct cpu_launch launch;
    _Alignas(16) char payload[CPU_OP_PAYLOAD];
    struct cpu_share shares[CPU_SHARES];
};

/* Allocates an operation with one reference. op->argument points to its
 * payload of `payload_bytes` bytes. Returns NULL if there is not enough
 * memory. */
struct cpu_op *cpu_op_new(struct cpu_context *ctx, enum cpu_op_kind kind,
                          size_t payload_bytes);
/* Drops a reference to the operation. Dropping the last reference frees the
 * operation. */
void cpu_op_release(struct cpu_op *op);
/* Appends `op` to the stream. Besides the stream's earlier operations, `op`
 * also waits for `also`, unless that is NULL. The caller keeps its reference
 * to `op`. Returns true if `op` could start immediately. A CALLER operation is
 * then RUNNING: the caller must run and finish it. */
bool cpu_op_submit(struct cpu_stream *stream, struct cpu_op *op,
                   struct cpu_op *also);
/* Appends `op` to the stream. `op` also waits for the `count` operations in
 * `after`. If `stream` is NULL, `op` waits only for the operations in `after`.
 * Returns true if `op` could start immediately. */
bool cpu_op_submit_after(struct cpu_stream *stream, struct cpu_op *op,
                         struct cpu_op *const *after, size_t count);
/* Sets the state of `op` to done and starts the operations that waited only
 * for it. Called by the thread that ran `op`. */
void cpu_op_finish(struct cpu_op *op);

/* For child_ops.c, which holds the scheduler lock: makes `op` wait for `on`,
 * which may be NULL; `op` has space for three dependencies. */
void cpu_op_depend(struct cpu_op *op, struct cpu_op *on);
/* For child_ops.c, which holds the scheduler lock: starts an operation whose
 * dependencies are done. */
void cpu_op_start(struct cpu_op *op);

/* Returns whether the operation is done. */
static inline bool
cpu_op_done(struct cpu_op *op)
{
    return atomic_load_explicit(&op->state, memory_order_acquire) ==
           CPU_OP_DONE;
}

#endif
