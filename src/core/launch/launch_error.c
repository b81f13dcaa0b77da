/* launch_error.c - exceptions for wrong arguments of a launch.
 *
 * The texts are written by the Python module pycuda._launch.messages, which
 * reads the kernel's declaration in its source. Nothing in this file runs in a
 * launch that succeeds.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/core.h"
#include "core/launch/launch_error.h"
#include "core/python/borrowed.h"
#include "core/state.h"

/* Returns the kernel's source, which SourceModule has stored in the Function,
 * or None: a new reference. Returns NULL with an exception on failure. */
static PyObject *
source_of(const struct core_function *function)
{
    PyObject *source = function->dict == NULL
                           ? NULL
                           : core_dict_get(function->dict, core.str_source);
    return source != NULL || PyErr_Occurred() ? source : Py_NewRef(Py_None);
}

/* Calls the function `writer` of pycuda._launch.messages with the kernel's
 * source, its name and the values in the tuple `rest`. Returns the message, or
 * NULL with an exception on failure. */
static PyObject *
text_write(struct core_function *function, const char *writer, PyObject *rest)
{
    PyObject *source = source_of(function), *text = NULL;
    PyObject *kernel =
        source == NULL ? NULL : PyTuple_Pack(2, source, function->name);
    PyObject *all = kernel == NULL || rest == NULL
                        ? NULL
                        : PySequence_Concat(kernel, rest);
    PyObject *module =
        all == NULL ? NULL : PyImport_ImportModule("pycuda._launch.messages");
    PyObject *callable =
        module == NULL ? NULL : PyObject_GetAttrString(module, writer);
    if (callable != NULL) {
        text = PyObject_CallObject(callable, all);
    }
    Py_XDECREF(callable);
    Py_XDECREF(module);
    Py_XDECREF(all);
    Py_XDECREF(kernel);
    Py_XDECREF(source);
    return text;
}

int
core_launch_error(PyObject *exception, struct core_function *function,
                  const char *writer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    PyObject *rest = Py_VaBuildValue(format, values);
    va_end(values);
    PyObject *text = text_write(function, writer, rest);
    if (text != NULL) {
        PyErr_SetObject(exception, text);
        Py_DECREF(text);
    }
    Py_XDECREF(rest);
    return -1;
}

int
core_launch_error_prepared(struct core_function *function, Py_ssize_t index,
                           char code, PyObject *arg)
{
    PyObject *type, *value, *traceback;
    if (PyErr_Occurred() != PyExc_TypeError &&
        PyErr_Occurred() != core.struct_error) {
        return -1;
    }
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    core_launch_error(type, function, "prepared_argument", "(nICOO)", index,
                      function->layout.known ? function->layout.count : 0u,
                      (int)code, arg, value == NULL ? Py_None : value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return -1;
}

unsigned
core_launch_parameter_bytes(const struct core_function *function,
                            Py_ssize_t index)
{
    const struct core_layout *layout = &function->layout;
    return layout->known && index < (Py_ssize_t)layout->count
               ? layout->parameters[index].bytes
               : 0u;
}

PyObject *
core_launch_arguments(PyObject *const *args, Py_ssize_t count)
{
    PyObject *list = PyTuple_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyTuple_SET_ITEM(list, i, Py_NewRef(args[i]));
    }
    return list;
}
