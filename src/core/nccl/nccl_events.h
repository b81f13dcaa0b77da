/* nccl_events.h - which calls of a communicator are complete.
 *
 * An event is recorded after each call. A thread of this object, the observer,
 * queries the events and stores the number of the latest complete call. No
 * other thread waits for the observer: a driver may block its queries while
 * another thread waits inside of the driver. An event costs no time between
 * two kernels of a stream; a number that the stream writes to host memory
 * costs 4 us (docs/nccl.md).
 *
 * Only core_nccl_events_new sets exceptions, and needs the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_NCCL_NCCL_EVENTS_H
#define PYCUDA_CORE_NCCL_NCCL_EVENTS_H

#include "core/core.h"

struct core_nccl_events;

/* Starts the observer of a communicator in the primary context `context` of
 * `device`. Keeps that context alive. Returns NULL with an exception if memory
 * or threads are short. */
struct core_nccl_events *core_nccl_events_new(CUdevice device,
                                              CUcontext context);
/* Records an event after the call `number` in `stream`. The communicator's
 * context must be current. Numbers grow from call to call; only one thread may
 * record at a time. Returns the driver's result. */
CUresult core_nccl_events_record(struct core_nccl_events *events,
                                 uint64_t number, CUstream stream);
/* Returns the number of the latest call that was seen complete, up to 50 ms
 * ago. Returns 0 if there is none. */
uint64_t core_nccl_events_done(struct core_nccl_events *events);
/* Tells the observer to query at short intervals, since a thread waits for
 * calls. */
void core_nccl_events_hurry(struct core_nccl_events *events);
/* Ends the observer and frees the object, without the GIL. If calls are
 * `pending`, the events remain until the context ends, since their destruction
 * could wait for the calls. If a query of the observer does not return within
 * 10 s, the context remains, too. */
void core_nccl_events_free(struct core_nccl_events *events, bool pending);

#endif
