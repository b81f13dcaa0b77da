/* callback.h - host callbacks of streams.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_CALLBACK_H
#define PYCUDA_CORE_STREAM_CALLBACK_H

#include "core/core.h"

/* Implements Stream.add_callback: calls a Python function, in a thread of the
 * package, when earlier work on the stream is done. Returns None, or NULL with
 * an exception. */
PyObject *core_stream_add_callback(PyObject *self, CORE_ARGS);

#endif
