/* validation.c - parses and checks shapes, dtypes and strides that programs
 * pass.
 *
 * Called wherever an array or a view is created. Owns nothing. All functions
 * raise an exception when they return NULL or -1.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/validation.h"
#include "core/core.h"

/* Returns a Python tuple of the n values, or NULL with an exception. */
PyObject *
array_tuple(int n, const npy_intp *values)
{
    PyObject *tuple = PyTuple_New(n);

    for (int i = 0; tuple && i < n; i++) {
        PyObject *value = PyLong_FromSsize_t(values[i]);
        if (!value) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, value);
    }
    return tuple;
}

static int
shape_refuse(PyObject *object)
{
    PyErr_Format(PyExc_AssertionError,
                 "shape must be an integer or a sequence of integers, not %R",
                 object);
    return -1;
}

static int
shape_entry(PyObject *object, npy_intp *value)
{
    if (PyFloat_Check(object) || PyArray_IsScalar(object, Floating) ||
        !PyIndex_Check(object)) {
        return shape_refuse(object);
    }
    *value = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Parses an integer or an iterable of integers into `shape`. Returns the
 * number of axes, or -1 with an exception. */
int
array_parse_shape(PyObject *object, npy_intp *shape)
{
    if (PyArray_Check(object)
            ? PyArray_NDIM((PyArrayObject *)object) == 0
            : PyIndex_Check(object) && !array_check(object)) {
        return shape_entry(object, shape) < 0 ? -1 : 1;
    }
    if (PyUnicode_Check(object) || PyBytes_Check(object)) {
        return shape_refuse(object);
    }
    /* A tuple of the items: their __index__ methods cannot change it. */
    PyObject *items = PySequence_Tuple(object);
    if (!items) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
            /* the exception came from the iterable and is passed on */
            return -1;
        }
        PyErr_Clear();
        return shape_refuse(object);
    }
    Py_ssize_t n = PyTuple_GET_SIZE(items);
    if (n > ARRAY_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "an array has at most %d axes, not %zd",
                     ARRAY_MAX_NDIM, n);
        n = -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (shape_entry(PyTuple_GET_ITEM(items, i), &shape[i]) < 0) {
            n = -1;
        }
    }
    Py_DECREF(items);
    return (int)n;
}

/* Raises ValueError for negative lengths, or if the size in bytes exceeds the
 * address space. */
int
array_verify_shape(int ndim, const npy_intp *shape, npy_intp itemsize)
{
    npy_intp bytes = itemsize ? itemsize : 1;

    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] < 0) {
            PyErr_Format(PyExc_ValueError,
                         "negative length %zd in axis %d of the shape",
                         shape[axis], axis);
            return -1;
        }
        if (shape[axis] &&
            __builtin_mul_overflow(bytes, shape[axis], &bytes)) {
            PyErr_SetString(PyExc_ValueError, "array is too big");
            return -1;
        }
    }
    return 0;
}

/* Raises TypeError for dtypes that device memory cannot hold: references to
 * Python objects, and subarrays. */
int
array_verify_dtype(PyArray_Descr *dtype)
{
    if (!PyDataType_REFCHK(dtype) && !PyDataType_HASSUBARRAY(dtype)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "an array on the device cannot have the dtype %S", dtype);
    return -1;
}

int
array_verify_reach(int ndim, const npy_intp *shape, const npy_intp *strides,
                   npy_intp itemsize, npy_intp *low, npy_intp *high)
{
    npy_intp reach;

    *low = 0;
    *high = itemsize;
    for (int axis = 0; axis < ndim; axis++) {
        npy_intp *end = strides[axis] < 0 ? low : high;
        if (shape[axis] &&
            (strides[axis] == NPY_MIN_INTP ||
             __builtin_mul_overflow(strides[axis], shape[axis], &reach) ||
             __builtin_add_overflow(*end, reach - strides[axis], end))) {
            PyErr_SetString(PyExc_ValueError, "strides reach too far");
            return -1;
        }
    }
    return 0;
}

/* Checks strides that a program assigned: all elements must be in the address
 * space and inside the array's own allocation. Returns 0, or -1 with a
 * ValueError. */
int
array_verify_strides(const struct array *array, int ndim,
                     const npy_intp *shape, const npy_intp *strides)
{
    npy_intp low, high;

    if (array_verify_reach(ndim, shape, strides,
                           PyDataType_ELSIZE(array->dtype), &low, &high) < 0) {
        return -1;
    }
    if (layout_size(ndim, shape) == 0 || !array->head.owner) {
        return 0;
    }
    return core_check_extent(array->head.owner, array->head.pointer, low,
                             high);
}
