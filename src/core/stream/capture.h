/* capture.h - captures of streams, and host callbacks.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_CAPTURE_H
#define PYCUDA_CORE_STREAM_CAPTURE_H

#include "core/core.h"

struct core_context;
struct core_function;
struct core_stream_object;

/* Methods of Stream: capture, is_capturing, add_callback. */
PyObject *core_stream_capture(PyObject *self, CORE_ARGS);
PyObject *core_stream_is_capturing(PyObject *self, void *unused);
PyObject *core_stream_add_callback(PyObject *self, CORE_ARGS);
/* Keeps `object` alive as long as the graphs of the context's open
 * captures. */
int core_capture_hold(struct core_context *context, PyObject *object);
/* Keeps a launch's Function and arguments alive as long as the graphs of the
 * context's open captures. */
int core_capture_hold_call(struct core_function *function,
                           PyObject *const *args, Py_ssize_t count);
/* Called after `stream` of context `to` has waited for an event of `from`: if
 * that wait added it to a capture, `to` counts as capturing. */
int core_capture_join(struct core_context *from, struct core_context *to,
                      CUstream stream);
/* Returns the stream that this thread captures, borrowed, or NULL. Stores the
 * capture's `turn`; the larger of two turns belongs to the stream that was
 * entered later. */
struct core_stream_object *
core_capture_newest(const struct core_context *context, uint64_t *turn);

#endif
