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
struct core_stream_object;

/* Methods of Stream: capture, is_capturing. */
PyObject *core_stream_capture(PyObject *self, CORE_ARGS);
PyObject *core_stream_is_capturing(PyObject *self, void *unused);
/* Called after `stream` of context `to` has waited for an event of `from`: if
 * that wait added `stream` to a capture, `to` counts as capturing. */
int core_capture_join(struct core_context *from, struct core_context *to,
                      CUstream stream);

#endif
