/* shape.c - methods that show the same elements in another shape: reshape,
 * ravel, view, squeeze, transpose, _strided.
 *
 * Methods of ArrayBase. All return views where strides can express the result;
 * otherwise reshape and ravel copy. Elements are counted in NumPy's logical
 * order.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/raw_copy.h"
#include "array/shape.h"
#include "array/validation.h"
#include "core/core.h"

/* --- reshape ----------------------------------------------------------- */

/* Parses a shape with array_parse_shape, but replaces its AssertionError by a
 * TypeError. In PyCUDA, only constructors raise AssertionError for invalid
 * shapes. */
static int
parse_list(PyObject *object, const char *what, npy_intp *values)
{
    int n = array_parse_shape(object, values);

    if (n < 0 && PyErr_ExceptionMatches(PyExc_AssertionError)) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be an integer or a sequence of integers, not %R",
                     what, object);
    }
    return n;
}

/* Replaces a length of -1 by the length with which the shape has `size`
 * elements. Returns 0, or -1 with a ValueError if the shape cannot have this
 * size. */
static int
complete_shape(npy_intp size, int ndim, npy_intp *shape)
{
    npy_intp known = 1;
    int unknown = -1, over = 0;

    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] > 0) {
            over |= __builtin_mul_overflow(known, shape[axis], &known);
        } else if (shape[axis] == 0) {
            known = 0;
        } else if (unknown >= 0) {
            PyErr_SetString(PyExc_ValueError,
                            "can only specify one unknown dimension");
            return -1;
        } else {
            unknown = axis;
        }
    }
    if (unknown >= 0 && known == 0) {
        PyErr_SetString(
            PyExc_ValueError,
            "the length for -1 is not determined, since another length is 0");
        return -1;
    }
    if (unknown >= 0) {
        shape[unknown] = size / known;
        known *= shape[unknown];
    }
    if (known != size || over) {
        PyErr_SetString(PyExc_ValueError,
                        "total size of new array must be unchanged");
        return -1;
    }
    return 0;
}

/* Returns a view of the array in another shape, contiguous in `order`. If
 * the array is not contiguous in this order, returns a view of a contiguous
 * copy. */
static PyObject *
reshape(struct array *array, char order, int ndim, npy_intp *shape)
{
    unsigned wanted = order == 'F' ? ARRAY_F : ARRAY_C;
    struct array *source, *view;

    if (complete_shape(array->size, ndim, shape) < 0) {
        return NULL;
    }
    source = array->flags & wanted ? (struct array *)Py_NewRef(array)
                                   : array_contiguous(array, order, NULL);
    view = source ? array_view(source, ndim) : NULL;
    Py_XDECREF(source);
    if (view) {
        memcpy(view->shape, shape, (size_t)ndim * sizeof *shape);
        layout_pack(ndim, shape, PyDataType_ELSIZE(array->dtype), order,
                    view->strides);
        array_view_finish(view);
    }
    return (PyObject *)view;
}

/* Parses the keyword `order` of reshape. Returns 0, or -1 with an
 * exception. */
static int
parse_order(const struct array *array, PyObject *kwargs, char *order)
{
    PyObject *given = kwargs ? PyDict_GetItemString(kwargs, "order") : NULL;
    const char *text = given ? PyUnicode_AsUTF8(given) : "C";

    if (!text) {
        return -1;
    }
    if (kwargs && PyDict_GET_SIZE(kwargs) != (given != NULL)) {
        PyErr_SetString(PyExc_TypeError,
                        "reshape accepts only the keyword 'order'");
        return -1;
    }
    if ((*text != 'C' && *text != 'F' && *text != 'A') || text[1]) {
        PyErr_Format(PyExc_ValueError,
                     "invalid order: %s (\"C\", \"F\" or \"A\" expected)",
                     text);
        return -1;
    }
    *order = *text;
    if (*text == 'A') {
        *order =
            array->flags & ARRAY_F && !(array->flags & ARRAY_C) ? 'F' : 'C';
    }
    return 0;
}

static PyObject *
array_reshape(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct array *array = (struct array *)self;
    npy_intp shape[ARRAY_MAX_NDIM];
    PyObject *given = args;
    char order;

    if (parse_order(array, kwargs, &order) < 0) {
        return NULL;
    }
    if (PyTuple_GET_SIZE(args) == 1) {
        given = PyTuple_GET_ITEM(args, 0);
    }
    int ndim = parse_list(given, "shape", shape);
    return ndim < 0 ? NULL : reshape(array, order, ndim, shape);
}

static PyObject *
array_ravel(PyObject *self, PyObject *unused)
{
    struct array *array = (struct array *)self;
    npy_intp shape[1] = {array->size};

    (void)unused;
    if (array->flags & ARRAY_C) {
        return reshape(array, 'C', 1, shape);
    }
    struct array *packed = array_contiguous(array, 'C', NULL);
    PyObject *flat = packed ? reshape(packed, 'C', 1, shape) : NULL;
    Py_XDECREF(packed);
    return flat;
}

/* --- transpose --------------------------------------------------------- */

/* Returns the index of an axis, from 0. A negative `given` counts from the
 * last axis. Returns -1 with NumPy's AxisError if there is no such axis. */
static int
axis_check(npy_intp given, int ndim)
{
    npy_intp axis = given < 0 ? given + ndim : given;

    if (axis >= 0 && axis < ndim) {
        return (int)axis;
    }
    PyObject *module = PyImport_ImportModule("numpy.exceptions");
    PyObject *kind =
        module ? PyObject_GetAttrString(module, "AxisError") : NULL;
    PyObject *error =
        kind ? PyObject_CallFunction(kind, "ni", given, ndim) : NULL;
    if (error) {
        PyErr_SetObject(kind, error);
    }
    Py_XDECREF(error);
    Py_XDECREF(kind);
    Py_XDECREF(module);
    return -1;
}

/* Parses a permutation of the axes. Returns 0, or -1 with an exception. */
static int
parse_axes(PyObject *axes, int ndim, int *order)
{
    npy_intp given[ARRAY_MAX_NDIM];
    unsigned seen = 0;

    int n = parse_list(axes, "axes", given);
    if (n < 0) {
        return -1;
    }
    if (n != ndim) {
        PyErr_SetString(PyExc_ValueError, "axes don't match array");
        return -1;
    }
    for (int i = 0; i < n; i++) {
        int axis = axis_check(given[i], ndim);
        if (axis < 0) {
            return -1;
        }
        if (seen & 1u << axis) {
            PyErr_Format(PyExc_ValueError,
                         "axes don't match array: %zd is repeated", given[i]);
            return -1;
        }
        seen |= 1u << axis;
        order[i] = axis;
    }
    return 0;
}

/* Creates a view whose axes the caller permutes. Unlike other views, it has
 * the same attribute gpudata as the array, and its base is the array's base if
 * the array is a view itself. */
static struct array *
transposed_view(struct array *array)
{
    struct array *view = array_view(array, array->ndim);

    if (view && array->base) {
        Py_SETREF(view->base, Py_NewRef(array->base));
    }
    if (view) {
        view->flags = ARRAY_READY | (array->flags & ARRAY_OFFSET);
    }
    return view;
}

/* Returns a view with the axes in reverse order, which turns C order into
 * Fortran order. */
static PyObject *
array_reversed(struct array *array)
{
    struct array *view = transposed_view(array);
    unsigned flags = array->flags;

    if (!view) {
        return NULL;
    }
    const npy_intp *shape = array->shape, *strides = array->strides;
    npy_intp *to = view->shape, *to_strides = view->strides;
    for (int i = array->ndim - 1; i >= 0; i--) {
        to[i] = *shape++;
        to_strides[i] = *strides++;
    }
    view->size = array->size;
    view->flags |=
        (flags & ARRAY_C ? ARRAY_F : 0) | (flags & ARRAY_F ? ARRAY_C : 0);
    return (PyObject *)view;
}

PyObject *
array_transposed(PyObject *self, PyObject *axes)
{
    struct array *array = (struct array *)self;
    int order[ARRAY_MAX_NDIM];

    if (!axes || axes == Py_None) {
        return array_reversed(array);
    }
    if (parse_axes(axes, array->ndim, order) < 0) {
        return NULL;
    }
    struct array *view = transposed_view(array);
    if (!view) {
        return NULL;
    }
    for (int i = 0; i < array->ndim; i++) {
        view->shape[i] = array->shape[order[i]];
        view->strides[i] = array->strides[order[i]];
    }
    array_view_finish(view);
    return (PyObject *)view;
}

static PyObject *
array_transpose(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"axes", NULL};
    PyObject *axes = NULL;

    if (!kwargs && PyTuple_GET_SIZE(args) > 1) {
        return array_transposed(self, args);
    }
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:transpose", names,
                                     &axes)) {
        return NULL;
    }
    return array_transposed(self, axes);
}

/* --- squeeze, view ----------------------------------------------------- */

/* Stores a bit mask of the axes that squeeze removes. Returns 0; or -1 with an
 * exception, for example if an axis does not have length 1. */
static int
squeezed_axes(const struct array *array, PyObject *axes, unsigned *marked)
{
    npy_intp given[ARRAY_MAX_NDIM];
    int n = parse_list(axes, "axes", given);

    *marked = 0;
    for (int i = 0; i < n; i++) {
        if (array->ndim == 0 && (given[i] == 0 || given[i] == -1)) {
            /* NumPy accepts axis 0 and -1 even for an array without axes */
            continue;
        }
        int axis = axis_check(given[i], array->ndim);
        if (axis < 0) {
            return -1;
        }
        if (*marked & 1u << axis) {
            PyErr_Format(PyExc_ValueError, "squeeze: axis %zd is repeated",
                         given[i]);
            return -1;
        }
        if (array->shape[axis] != 1) {
            PyErr_Format(PyExc_ValueError,
                         "cannot select an axis to squeeze out which has size "
                         "not equal to one: axis %zd has length %zd",
                         axis, array->shape[axis]);
            return -1;
        }
        *marked |= 1u << axis;
    }
    return n < 0 ? -1 : 0;
}

static PyObject *
array_squeeze(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"axis", NULL};
    struct array *array = (struct array *)self;
    PyObject *axes = Py_None;
    unsigned gone = 0;
    int ndim_left = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:squeeze", names,
                                     &axes) ||
        (axes != Py_None && squeezed_axes(array, axes, &gone) < 0)) {
        return NULL;
    }
    for (int axis = 0; axes == Py_None && axis < array->ndim; axis++) {
        gone |= array->shape[axis] == 1 ? 1u << axis : 0;
    }
    struct array *view =
        array_view(array, array->ndim - __builtin_popcount(gone));
    if (!view) {
        return NULL;
    }
    for (int axis = 0; axis < array->ndim; axis++) {
        if (!(gone & 1u << axis)) {
            view->shape[ndim_left] = array->shape[axis];
            view->strides[ndim_left++] = array->strides[axis];
        }
    }
    array_view_finish(view);
    return (PyObject *)view;
}

/* _strided(shape, strides): returns a view with other strides in bytes, such
 * as those of the diagonal; strides may be 0. Raises ValueError if an element
 * of the view would be outside this array's allocation. */
static PyObject *
array_strided(PyObject *self, PyObject *args)
{
    struct array *array = (struct array *)self;
    npy_intp shape[ARRAY_MAX_NDIM], strides[ARRAY_MAX_NDIM];
    PyObject *lengths, *steps;

    if (!PyArg_ParseTuple(args, "OO:_strided", &lengths, &steps)) {
        return NULL;
    }
    int ndim = array_parse_shape(lengths, shape);
    int n = ndim < 0 ? -1 : array_parse_shape(steps, strides);
    if (n < 0 || array_verify_shape(ndim, shape, 1) < 0) {
        return NULL;
    }
    if (n != ndim) {
        PyErr_Format(PyExc_ValueError, "strides has %d entries, shape has %d",
                     n, ndim);
        return NULL;
    }
    if (array_verify_strides(array, ndim, shape, strides) < 0) {
        return NULL;
    }
    struct array *view = array_view(array, ndim);
    if (view) {
        memcpy(view->shape, shape, (size_t)ndim * sizeof *shape);
        memcpy(view->strides, strides, (size_t)ndim * sizeof *strides);
        array_view_finish(view);
    }
    return (PyObject *)view;
}

/* Returns the axis along which consecutive elements are adjacent in memory, or
 * -1 if there is none. */
static int
unit_axis(const struct array *array)
{
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);
    int found = -1;

    for (int axis = array->ndim - 1; axis >= 0; axis--) {
        if (array->strides[axis] == itemsize &&
            (found < 0 || array->shape[found] == 1)) {
            found = axis;
        }
    }
    return found;
}

/* Returns a view of a dtype with another item size. The axis along which
 * elements are adjacent in memory gets another length. Raises ValueError if
 * there is no such axis, or if the axis's size in bytes, or a stride along
 * another axis, is not a multiple of the new item size. */
static PyObject *
view_resized(struct array *array, PyArray_Descr *dtype)
{
    npy_intp old = PyDataType_ELSIZE(array->dtype);
    npy_intp new = PyDataType_ELSIZE(dtype);
    int axis = unit_axis(array);

    if (axis < 0 || new == 0 || array->shape[axis] * old % new) {
        PyErr_Format(PyExc_ValueError,
                     "new type not compatible with array: %S of %zd bytes, %S "
                     "of %zd bytes",
                     array->dtype, old, dtype, new);
        return NULL;
    }
    for (int other = 0; other < array->ndim; other++) {
        if (other != axis && array->shape[other] > 1 &&
            array->strides[other] % new) {
            PyErr_SetString(PyExc_ValueError,
                            "new type not compatible with array: its strides "
                            "are no multiples of the new size");
            return NULL;
        }
    }
    struct array *view = array_view(array, array->ndim);
    if (!view) {
        return NULL;
    }
    size_t bytes = (size_t)array->ndim * sizeof(npy_intp);
    memcpy(view->shape, array->shape, bytes);
    memcpy(view->strides, array->strides, bytes);
    view->shape[axis] = array->shape[axis] * old / new;
    view->strides[axis] = new;
    Py_SETREF(view->dtype, (PyArray_Descr *)Py_NewRef(dtype));
    array_view_finish(view);
    return (PyObject *)view;
}

static PyObject *
array_view_as(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dtype", NULL};
    struct array *array = (struct array *)self, *view;
    PyObject *given = Py_None;
    PyArray_Descr *dtype = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:view", names, &given) ||
        (given != Py_None && !PyArray_DescrConverter(given, &dtype))) {
        return NULL;
    }
    if (!dtype) {
        dtype = (PyArray_Descr *)Py_NewRef(array->dtype);
    }
    if (array_verify_dtype(dtype) < 0) {
        Py_DECREF(dtype);
        return NULL;
    }
    if (PyDataType_ELSIZE(dtype) != PyDataType_ELSIZE(array->dtype)) {
        PyObject *resized = view_resized(array, dtype);
        Py_DECREF(dtype);
        return resized;
    }
    view = array_view(array, array->ndim);
    if (!view) {
        Py_DECREF(dtype);
        return NULL;
    }
    size_t bytes = (size_t)array->ndim * sizeof(npy_intp);
    memcpy(view->shape, array->shape, bytes);
    memcpy(view->strides, array->strides, bytes);
    Py_SETREF(view->dtype, dtype);
    array_view_finish(view);
    return (PyObject *)view;
}

#define KEYWORDS(function)                                                    \
    (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

PyMethodDef array_shape_methods[] = {
    {"reshape", KEYWORDS(array_reshape),
     "reshape($self, *shape, order='C')\n--\n\n"
     "Return a view, or if necessary a copy, with another shape; one "
     "length may be -1."},
    {"ravel", array_ravel, METH_NOARGS,
     "ravel($self)\n--\n\n"
     "Return the elements in C order as a one-dimensional array; a view if "
     "the array is C-contiguous."},
    {"transpose", KEYWORDS(array_transpose),
     "transpose($self, axes=None)\n--\n\n"
     "Return a view with permuted axes."},
    {"squeeze", KEYWORDS(array_squeeze),
     "squeeze($self, axis=None)\n--\n\n"
     "Return a view without all, or the given, axes of length 1."},
    {"_strided", array_strided, METH_VARARGS,
     "_strided($self, shape, strides)\n--\n\n"
     "Return a view with other strides, in bytes."},
    {"view", KEYWORDS(array_view_as),
     "view($self, dtype=None)\n--\n\n"
     "Return a view of the same bytes with another dtype."},
    {NULL},
};
