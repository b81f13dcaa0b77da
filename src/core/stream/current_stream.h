/* current_stream.h - the current stream of each thread.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_CURRENT_STREAM_H
#define PYCUDA_CORE_STREAM_CURRENT_STREAM_H

#include "core/core.h"
#include "core/python/locks.h"
#include "core/state.h"

struct core_entered;
struct core_stream_object;

/* Returns the Stream of a stream= argument, borrowed; NULL means the default
 * stream. */
PyObject *core_stream_resolve(PyObject *stream_or_none);
/* Slow path of core_stream_default: finds this thread's current stream. */
CUstream core_stream_default_find(void);

/* Returns this thread's current stream; NULL means the default stream. */
static inline CUstream
core_stream_default(void)
{
    return LIKELY(READ_SHARED(core.stream_defaults) == 0)
               ? NULL
               : core_stream_default_find();
}

/* returns the next value of the process's counter for core_entry.turn */
uint64_t core_stream_next_turn(void);
/* core_stream_push makes a stream the thread's current stream. core_stream_pop
 * removes the stream again; it raises RuntimeError if the stream was not
 * entered. */
int core_stream_push(struct core_stream_object *stream);
int core_stream_pop(struct core_stream_object *stream);
/* Method Stream.use(): returns a context manager that enters the stream. */
PyObject *core_stream_entered_use(PyObject *self, PyObject *unused);
/* Returns whether the stream captures, or cannot be used because of another
 * stream's capture. */
bool core_stream_captures(CUstream stream);
/* Waits on the host for the stream's work, without the GIL. */
int core_stream_wait(CUstream stream);
/* Replaces NULL in *stream by the current stream, for a synchronous call.
 * Raises LogicError if the stream captures. */
int core_stream_without_capture(CUstream *stream, const char *routine);
/* Does the same as core_stream_without_capture, after making the current
 * context, if there is one, current in CUDA (core_stack_claim). */
int core_stream_for_sync_call(CUstream *stream, const char *routine);
/* Returns whether a call with `stream_or_none` as its stream= argument returns
 * only after its work on the device is complete. */
bool core_stream_is_synchronous(PyObject *stream_or_none);

#endif
