/* basic_indexing.c - basic indexing by integers, slices, Ellipsis and newaxis.
 *
 * Implements type slots of ArrayBase. Reading with a basic key creates a view;
 * an assignment creates a view and copies the value into it.
 * advanced_indexing.c handles all other keys. Creating a view needs neither a
 * Python frame nor a kernel: the view has the same memory owner as its source
 * and holds the source as `base`.
 *
 * SPDX-License-Identifier: MIT */
#include "array/advanced_indexing.h"
#include "array/array.h"
#include "array/basic_indexing.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/transfer.h"
#include "core/core.h"

/* State while the entries of an index key are applied one by one to construct
 * a view. */
struct cursor {
    const struct array *source;
    /* distance in bytes from the source's first element to the view's first
     * element */
    npy_intp offset;
    int axis; /* axis of the source to which the next entry applies */
    int ndim; /* number of axes of the view so far */
    npy_intp shape[ARRAY_MAX_NDIM];
    npy_intp strides[ARRAY_MAX_NDIM];
};

/* Returns 0, or -1 with an IndexError if the view already has the maximum
 * number of axes. */
static int
cursor_check_axes(const struct cursor *cursor)
{
    if (cursor->ndim == ARRAY_MAX_NDIM) {
        PyErr_Format(PyExc_IndexError, "a view has at most %d axes",
                     ARRAY_MAX_NDIM);
        return -1;
    }
    return 0;
}

static int
index_slice(struct cursor *cursor, PyObject *slice)
{
    npy_intp length = cursor->source->shape[cursor->axis];
    npy_intp stride = cursor->source->strides[cursor->axis];
    Py_ssize_t start, stop, step;

    if (cursor_check_axes(cursor) < 0 ||
        PySlice_Unpack(slice, &start, &stop, &step) < 0) {
        return -1;
    }
    npy_intp count = PySlice_AdjustIndices(length, &start, &stop, step);
    if (count > 0) {
        cursor->offset += start * stride;
    }
    cursor->shape[cursor->ndim] = count;
    /* If the product overflows, the step is so large that it selects at most
     * one element. The stride of the axis then has no effect. */
    if (__builtin_mul_overflow(step, stride, &cursor->strides[cursor->ndim])) {
        cursor->strides[cursor->ndim] = stride;
    }
    cursor->ndim++;
    cursor->axis++;
    return 0;
}

static int
index_integer(struct cursor *cursor, npy_intp index)
{
    npy_intp length = cursor->source->shape[cursor->axis];

    if (index < -length || index >= length) {
        PyErr_Format(PyExc_IndexError,
                     "subindex in axis %d out of range: %zd, length %zd",
                     cursor->axis, index, length);
        return -1;
    }
    cursor->offset += (index < 0 ? index + length : index) *
                      cursor->source->strides[cursor->axis];
    cursor->axis++;
    return 0;
}

/* Returns whether the object is an integer index. True and False are not: they
 * are masks without axes, as in NumPy. */
static int
is_integer(PyObject *object)
{
    if (PyLong_Check(object)) {
        return !PyBool_Check(object);
    }
    return PyArray_IsScalar(object, Integer) ||
           (PyArray_Check(object) &&
            PyArray_NDIM((PyArrayObject *)object) == 0 &&
            PyArray_ISINTEGER((PyArrayObject *)object));
}

/* Adds the source's axes before axis `end` to the view, unchanged. */
static int
index_remaining_axes(struct cursor *cursor, int end)
{
    while (cursor->axis < end) {
        if (cursor_check_axes(cursor) < 0) {
            return -1;
        }
        cursor->shape[cursor->ndim] = cursor->source->shape[cursor->axis];
        cursor->strides[cursor->ndim++] =
            cursor->source->strides[cursor->axis++];
    }
    return 0;
}

/* Applies one entry of an index key to the view. `after` is the number of
 * source axes that the entries after an Ellipsis use. */
static int
index_entry(struct cursor *cursor, PyObject *entry, int after)
{
    if (entry == Py_None) {
        if (cursor_check_axes(cursor) < 0) {
            return -1;
        }
        cursor->shape[cursor->ndim] = 1;
        cursor->strides[cursor->ndim++] = 0;
        return 0;
    }
    if (entry == Py_Ellipsis) {
        return index_remaining_axes(cursor, cursor->source->ndim - after);
    }
    if (cursor->axis >= cursor->source->ndim) {
        PyErr_Format(PyExc_IndexError,
                     "too many indices: the array has %d axes",
                     cursor->source->ndim);
        return -1;
    }
    if (PySlice_Check(entry)) {
        return index_slice(cursor, entry);
    }
    npy_intp index = PyNumber_AsSsize_t(entry, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) {
        return -1;
    }
    return index_integer(cursor, index);
}

/* Returns the number of source axes that the entries after an Ellipsis use:
 * one for each integer or slice. Returns -1 with an IndexError if one of them
 * is a second Ellipsis. */
static int
axes_taken(PyObject *const *entries, Py_ssize_t n)
{
    int taken = 0;

    for (Py_ssize_t i = 0; i < n; i++) {
        if (entries[i] == Py_Ellipsis) {
            PyErr_SetString(PyExc_IndexError,
                            "an index can only have a single Ellipsis");
            return -1;
        }
        taken += entries[i] != Py_None;
    }
    return taken;
}

/* Applies all entries of an index key to the view, and adds the remaining axes
 * of the source unchanged. Returns 0, or -1 with an exception. */
static int
index_all(struct cursor *cursor, PyObject *const *entries, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        int after = 0;
        if (entries[i] == Py_Ellipsis) {
            after = axes_taken(entries + i + 1, n - i - 1);
            if (after < 0) {
                return -1;
            }
        }
        if (index_entry(cursor, entries[i], after) < 0) {
            return -1;
        }
    }
    return index_remaining_axes(cursor, cursor->source->ndim);
}

/* Returns the finished view, a new reference. */
static PyObject *
cursor_view(const struct cursor *cursor)
{
    struct array *source = (struct array *)cursor->source;
    struct array *view = array_view(source, cursor->ndim);

    if (!view) {
        return NULL;
    }
    size_t bytes = (size_t)cursor->ndim * sizeof(npy_intp);
    memcpy(view->shape, cursor->shape, bytes);
    memcpy(view->strides, cursor->strides, bytes);
    view->head.pointer += (CUdeviceptr)cursor->offset;
    array_view_finish(view);
    return (PyObject *)view;
}

/* Returns whether all entries are basic: integers, slices, Ellipsis or
 * None. */
static int
all_basic(PyObject *const *entries, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!PySlice_Check(entries[i]) && entries[i] != Py_None &&
            entries[i] != Py_Ellipsis && !is_integer(entries[i])) {
            return 0;
        }
    }
    return 1;
}

/* Returns a view for a basic key (integers, slices, Ellipsis, None) or a field
 * name. Returns NULL without an exception for other keys, with an exception on
 * failure. */
static PyObject *
view_of(PyObject *self, PyObject *key)
{
    struct cursor cursor;
    PyObject *const *entries = &key;
    Py_ssize_t n = 1;

    cursor.source = (struct array *)self;
    cursor.offset = 0;
    cursor.axis = cursor.ndim = 0;
    if (PyTuple_Check(key)) {
        entries = ((PyTupleObject *)key)->ob_item;
        n = PyTuple_GET_SIZE(key);
    }
    if (!all_basic(entries, n)) {
        return PyUnicode_Check(key) ? advanced_field(self, key) : NULL;
    }
    return index_all(&cursor, entries, n) < 0 ? NULL : cursor_view(&cursor);
}

PyObject *
array_subscript(PyObject *self, PyObject *key)
{
    PyObject *view = view_of(self, key);

    return view || PyErr_Occurred() ? view : advanced_get(self, key);
}

/* Returns array[index]; also called by iteration. Iterating over an array
 * without axes yields no elements, as in PyCUDA. */
PyObject *
array_item(PyObject *self, Py_ssize_t index)
{
    struct cursor cursor;
    struct array *array = (struct array *)self;

    cursor.source = array;
    cursor.offset = 0;
    cursor.axis = cursor.ndim = 0;
    if (array->ndim == 0 || index < 0 || index >= array->shape[0]) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    if (index_integer(&cursor, index) < 0 ||
        index_remaining_axes(&cursor, array->ndim) < 0) {
        return NULL;
    }
    return cursor_view(&cursor);
}

int
array_assign_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_ValueError,
                        "elements of an array cannot be deleted");
        return -1;
    }
    /* array[...] is the array itself, so no view is needed */
    if (key == Py_Ellipsis) {
        return array_assign((struct array *)self, value);
    }
    PyObject *view = view_of(self, key);
    if (!view) {
        return PyErr_Occurred() ? -1 : advanced_set(self, key, value);
    }
    int result = array_assign((struct array *)view, value);
    Py_DECREF(view);
    return result;
}
