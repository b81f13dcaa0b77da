/* current_stream.h - the current stream of each thread.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_CURRENT_STREAM_H
#define PYCUDA_CORE_STREAM_CURRENT_STREAM_H

#include "core/core.h"
#include "core/state.h"

struct core_entered;
struct core_stream_object;

/* Returns the Stream of a stream= argument, borrowed; NULL: the default. */
PyObject *core_stream_resolve(PyObject *stream_or_none);
/* Slow path of core_stream_default: finds this thread's current stream. */
CUstream core_stream_default_find(void);

/* Returns this thread's current stream; NULL: the default stream. */
static inline CUstream
core_stream_default(void)
{
    return LIKELY(core.stream_defaults == 0) ? NULL
                                             : core_stream_default_find();
}

uint64_t core_stream_next_turn(void); /* next number for core_entry.turn */
/* Make a stream current, and undo that. RuntimeError if it was not entered. */
int core_stream_push(struct core_stream_object *stream);
int core_stream_pop(struct core_stream_object *stream);
/* Drops all entered streams of a thread, at its end. */
void core_entered_clear(struct core_entered *entered);
PyObject *core_stream_entered_use(PyObject *self, PyObject *unused);
/* Returns whether the stream captures or is blocked by another's capture. */
bool core_stream_captures(CUstream stream);
/* Replaces NULL by the current stream. LogicError if the stream captures. */
int core_stream_for_sync_call(CUstream *stream, const char *routine);
/* Returns whether a call with this stream= argument is synchronous. */
bool core_stream_is_synchronous(PyObject *stream_or_none);

#endif
