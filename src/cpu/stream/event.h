/* event.h - events: references to them, and their last record.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_EVENT_H
#define PYCUDA_CPU_STREAM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_event;
struct cpu_op;

/* Deletes the events of a context that is being destroyed. */
void cpu_events_close(struct cpu_context *ctx);
/* ---- for graph nodes that record an event or wait for one ---- */
/* Returns a new reference to the event of a handle. Returns NULL if the handle
 * is invalid. */
struct cpu_event *cpu_event_take(CUevent handle);
/* Adds a reference to the event. Needs no lock. */
void cpu_event_retain(struct cpu_event *event);
/* Drops a reference to the event; frees it with the last one. Needs no
 * lock. */
void cpu_event_release(struct cpu_event *event);
/* Returns the id of the event's context. */
uint64_t cpu_event_context(const struct cpu_event *event);
/* Called when the event is recorded outside captures: discards the nodes of an
 * earlier captured record. */
void cpu_event_forget_capture(struct cpu_event *event);
/* If the event was last recorded in a capture, invalidates this capture and
 * returns true. Otherwise returns false. */
bool cpu_event_invalidates(struct cpu_event *event);
/* Returns whether the event is an interprocess event. */
bool cpu_event_shared(const struct cpu_event *event);
/* cpu_event_record_op returns a new reference to the operation of the last
 * record, or NULL. cpu_event_set_record_op stores another operation and takes
 * a reference to it. Both take the event's mark_lock, and no other lock while
 * they hold it. */
struct cpu_op *cpu_event_record_op(struct cpu_event *event);
void cpu_event_set_record_op(struct cpu_event *event, struct cpu_op *mark);

#endif
