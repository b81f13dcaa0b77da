/* gates.c - makes new streams wait for the gates of their context. A gate is
 * an operation that all new streams of a context or green context wait for.
 *
 * context_events.c creates the gates; stream.c calls cpu_stream_wait_gates for
 * each new stream.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cpu/device/green.h"
#include "cpu/stream/gates.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/scheduler.h"
#include "cpu/stream/stream_state.h"

CUresult
cpu_stream_wait_mark(struct cpu_stream *stream, struct cpu_op *mark)
{
    struct cpu_op *wait = cpu_op_new(stream->ctx, CPU_OP_MARK, 0);

    if (!wait) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    cpu_op_submit(stream, wait, mark);
    cpu_op_release(wait);
    return CUDA_SUCCESS;
}

/* Returns a new reference to `*gate`, an operation for which new streams wait.
 * Returns NULL if `*gate` is NULL. */
static struct cpu_op *
gate_take(struct cpu_op *_Atomic *gate)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *mark = *gate;
    if (mark) {
        atomic_fetch_add(&mark->references, 1);
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    return mark;
}

/* Returns true if the new stream must wait for a gate. No gate is missed: the
 * stream is already in the context's list of streams, and scope_wait
 * (context_events.c) first stores a gate and then reads the list. So this
 * function finds the gate, or scope_wait finds the stream. */
static bool
has_gate(const struct cpu_stream *stream)
{
    return atomic_load_explicit(&stream->ctx->gate, memory_order_relaxed) ||
           (stream->green &&
            atomic_load_explicit(&stream->green->gate, memory_order_relaxed));
}

CUresult
cpu_stream_wait_gates(struct cpu_stream *stream)
{
    if (!has_gate(stream)) {
        return CUDA_SUCCESS;
    }
    struct cpu_op *gates[] = {gate_take(&stream->ctx->gate),
                              stream->green ? gate_take(&stream->green->gate)
                                            : NULL};
    CUresult code = CUDA_SUCCESS;

    for (int i = 0; i < 2; i++) {
        if (gates[i] && !code && !cpu_op_done(gates[i])) {
            code = cpu_stream_wait_mark(stream, gates[i]);
        }
        cpu_op_release(gates[i]);
    }
    return code;
}
