/* validation.c - parses and checks shapes, dtypes and strides that programs
 * pass.
 *
 * Called by the functions that create or change arrays and views. Owns
 * nothing. All functions raise an exception when they return NULL or -1.
 *
 * SPDX-License-Identifier: MIT */
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
