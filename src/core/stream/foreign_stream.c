/* foreign_stream.c - streams of other libraries.
 *
 * Called by core_stream for objects that are not a Stream. The protocol
 * __cuda_stream__ returns a pair: version 0, and the handle as an integer. It
 * is a method, or an attribute in early versions of cuda.core. The caller of a
 * function that takes a stream keeps the native stream alive until the
 * function returns. After that the stream may be destroyed. To wait for memory
 * that was used on such a stream, the extension therefore waits for the whole
 * context.
 *
 * SPDX-License-Identifier: MIT */
#include "core/stream/foreign_stream.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/python/args.h"
#include "core/state.h"

/* Reads the handle from the pair that __cuda_stream__ returned. */
static int
handle_of_pair(PyObject *object, PyObject *pair, size_t *handle)
{
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2 ||
        !PyLong_Check(PyTuple_GET_ITEM(pair, 0)) ||
        !PyLong_Check(PyTuple_GET_ITEM(pair, 1))) {
        PyErr_Format(PyExc_TypeError,
                     "__cuda_stream__ of %s must return (version, handle), "
                     "two integers, not %R",
                     Py_TYPE(object)->tp_name, pair);
        return -1;
    }
    long version = PyLong_AsLong(PyTuple_GET_ITEM(pair, 0));
    if (PyErr_Occurred() || version != 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "__cuda_stream__ of %s has version %R, expected 0",
                     Py_TYPE(object)->tp_name, PyTuple_GET_ITEM(pair, 0));
        return -1;
    }
    return core_size(PyTuple_GET_ITEM(pair, 1), handle);
}

/* Reads the handle of a stream from the method or attribute `protocol`, such
 * as __cuda_stream__. */
static int
handle_of_protocol(PyObject *object, PyObject *protocol, size_t *handle)
{
    PyObject *pair = PyCallable_Check(protocol) ? PyObject_CallNoArgs(protocol)
                                                : Py_NewRef(protocol);
    int status = pair == NULL ? -1 : handle_of_pair(object, pair, handle);
    Py_XDECREF(pair);
    return status;
}

/* Returns the stream for a handle. 0 and CU_STREAM_LEGACY are the default
 * stream, even where a thread's current stream is another one. */
static CUstream
stream_of_handle(size_t handle)
{
    CUstream stream = (CUstream)handle;
    if (stream != NULL && stream != CU_STREAM_LEGACY) {
        return stream;
    }
    return READ_SHARED(core.stream_defaults) == 0 ? NULL : CU_STREAM_LEGACY;
}

int
core_stream_foreign(PyObject *object, CUstream *stream)
{
    PyObject *value;
    size_t handle = 0;
    int status;
    if (core_attribute(object, core.str_cuda_stream_protocol, &value) < 0) {
        return -1;
    }
    if (value != NULL) {
        status = handle_of_protocol(object, value, &handle);
    } else {
        if (core_attribute(object, core.str_cuda_stream, &value) < 0) {
            return -1;
        }
        if (value == NULL || !PyLong_Check(value)) {
            Py_XDECREF(value);
            return 0;
        }
        status = core_size(value, &handle);
    }
    Py_DECREF(value);
    *stream = stream_of_handle(handle);
    return status < 0 ? -1 : 1;
}

bool
core_is_stream(PyObject *object)
{
    if (PyObject_TypeCheck(object, core.stream_type)) {
        return true;
    }
    bool found = PyObject_HasAttr(object, core.str_cuda_stream_protocol) ||
                 PyObject_HasAttr(object, core.str_cuda_stream);
    return found && !PyType_Check(object);
}
