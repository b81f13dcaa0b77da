/* bounds.c - sizes in bytes of objects that represent device memory, for
 * bounds checks.
 *
 * All functions need the GIL. The attribute look-ups of other libraries'
 * objects may run Python code.
 *
 * SPDX-License-Identifier: MIT */
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/bounds.h"
#include "core/python/args.h"
#include "core/python/borrowed.h"
#include "core/state.h"

/* Returns the value of a dict's key, borrowed; NULL without an exception if it
 * has no such key. */
static PyObject *
item_of(PyObject *dict, const char *name)
{
    PyObject *key = PyUnicode_FromString(name);
    PyObject *item = key == NULL ? NULL : PyDict_GetItemWithError(dict, key);
    Py_XDECREF(key);
    PyErr_Clear();
    return item;
}

/* Reads an integer of a tuple; returns false without an exception if the item
 * does not fit a 64-bit integer. */
static bool
tuple_integer(PyObject *tuple, Py_ssize_t index, long long *number)
{
    *number = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, index));
    if (*number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return true;
}

/* Returns the size of an element in bytes, from a type string such as "<f4" (4
 * bytes); 0 if the string is malformed. */
static long long
itemsize_of(PyObject *typestr)
{
    const char *text = typestr != NULL && PyUnicode_Check(typestr)
                           ? PyUnicode_AsUTF8(typestr)
                           : NULL;
    PyErr_Clear();
    return text != NULL && strlen(text) > 2 ? atoll(text + 2) : 0;
}

/* Returns the bytes from the first element to the end of the last element of
 * the array that a __cuda_array_interface__ describes. */
static size_t
bytes_of_interface(PyObject *interface)
{
    PyObject *shape = item_of(interface, "shape");
    PyObject *strides = item_of(interface, "strides");
    long long item = itemsize_of(item_of(interface, "typestr"));
    long long packed = item, end = item, length, stride, more;
    bool has = strides != NULL && PyTuple_Check(strides);
    if (item <= 0 || shape == NULL || !PyTuple_Check(shape) ||
        (has && PyTuple_GET_SIZE(strides) != PyTuple_GET_SIZE(shape))) {
        return SIZE_MAX;
    }
    for (Py_ssize_t i = PyTuple_GET_SIZE(shape) - 1; i >= 0; i--) {
        stride = packed;
        if (!tuple_integer(shape, i, &length) ||
            (has && !tuple_integer(strides, i, &stride))) {
            return SIZE_MAX;
        }
        if (length <= 0) {
            return 0;
        }
        stride = stride > 0 ? stride : 0;
        if (__builtin_mul_overflow(stride, length - 1, &more) ||
            __builtin_add_overflow(end, more, &end) ||
            __builtin_mul_overflow(packed, length, &packed)) {
            return SIZE_MAX; /* size unknown: the driver checks the copy */
        }
    }
    return (size_t)end;
}

/* Returns an attribute of another library's object, a new reference; NULL
 * without an exception if there is none. */
static PyObject *
attribute_of(PyObject *object, PyObject *name)
{
    PyObject *value;
    if (core_attribute(object, name, &value) < 0) {
        PyErr_Clear();
        return NULL;
    }
    return value;
}

static size_t
bytes_of_foreign(PyObject *object)
{
    size_t room = SIZE_MAX;
    PyObject *interface = attribute_of(object, core.str_interface);
    if (interface != NULL) {
        PyObject *dict =
            PyDict_Check(interface) ? core_stable_dict(interface) : NULL;
        room = dict == NULL ? room : bytes_of_interface(dict);
        PyErr_Clear();
        Py_XDECREF(dict);
        Py_DECREF(interface);
        return room;
    }
    PyObject *gpudata = attribute_of(object, core.str_gpudata);
    if (gpudata != NULL &&
        Py_EnterRecursiveCall(" while following gpudata") == 0) {
        room = core_bytes_to_end(gpudata);
        Py_LeaveRecursiveCall();
    }
    PyErr_Clear();
    Py_XDECREF(gpudata);
    return room;
}

size_t
core_bytes_to_end(PyObject *object)
{
    if (core_is_allocation(object)) {
        return ((struct core_allocation *)object)->bytes;
    }
    if (core_is_array(object)) {
        return core.array_bytes_to_end(object);
    }
    return PyLong_CheckExact(object) ? SIZE_MAX : bytes_of_foreign(object);
}

int
core_bounds_fail(PyObject *object, size_t bytes, size_t room,
                 const char *routine)
{
    char detail[160];
    snprintf(detail, sizeof detail,
             "%zu bytes, but the device memory ends after %zu (a %.60s)",
             bytes, room, Py_TYPE(object)->tp_name);
    return core_fail(CUDA_ERROR_INVALID_VALUE, routine, detail);
}
