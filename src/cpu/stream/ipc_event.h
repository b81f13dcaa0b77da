/* ipc_event.h - interprocess events.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_IPC_EVENT_H
#define PYCUDA_CPU_STREAM_IPC_EVENT_H

#include <stdbool.h>

#include "api/cuda_types.h"

struct cpu_ipc_event;
struct cpu_stream;

/* Creates the state of an interprocess event, with one reference. Returns
 * OUT_OF_MEMORY or a system error. cpu_ipc_event_release releases a reference;
 * it accepts NULL. */
CUresult cpu_ipc_event_new(struct cpu_ipc_event **made);
void cpu_ipc_event_release(struct cpu_ipc_event *event);
/* Stores a handle of the event for other processes. Fails in any process but
 * the one that created the event. */
CUresult cpu_ipc_event_export(struct cpu_ipc_event *event,
                              CUipcEventHandle *handle);
/* Maps the state of an event that another process has created, with one
 * reference. Returns INVALID_CONTEXT for an event of the calling process,
 * INVALID_HANDLE if there is no such event or it cannot be mapped. */
CUresult cpu_ipc_event_open(const CUipcEventHandle *handle,
                            struct cpu_ipc_event **made);
/* Records the event at the current end of the stream. Returns OUT_OF_MEMORY,
 * or the error of starting the workers. */
CUresult cpu_ipc_event_record(struct cpu_ipc_event *event,
                              struct cpu_stream *stream);
/* Returns whether the last record that any process has made so far is
 * reached. */
bool cpu_ipc_event_done(struct cpu_ipc_event *event);
/* Blocks the calling thread until the last record that any process has made so
 * far is reached. */
void cpu_ipc_event_wait(struct cpu_ipc_event *event);
/* Makes the stream wait until the last record that any process has made so far
 * is reached. Returns OUT_OF_MEMORY on failure. */
CUresult cpu_ipc_event_gate(struct cpu_ipc_event *event,
                            struct cpu_stream *stream);

#endif
