/* create.c - usual calls that make arrays: empty_like, zeros, ones,
 * zeros_like, ones_like, arange.
 *
 * Called by usual.c.  What is not usual is left to Python
 * (pycuda/gpuarray.py), errors with it.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

#define EXACT (1LL << 52) /* sums of two such ints are exact in a double */

/* A dtype whose elements are made from a number; NULL without an exception for
 * another.  New reference. */
static PyArray_Descr *
number_dtype(PyObject *object)
{
    PyArray_Descr *dtype;

    if (!PyArray_DescrConverter(object, &dtype)) {
        return NULL;
    }
    if (PyTypeNum_ISNUMBER(dtype->type_num) ||
        PyTypeNum_ISBOOL(dtype->type_num)) {
        return dtype;
    }
    Py_DECREF(dtype);
    return NULL;
}

static PyObject *
filled(struct array *array, long number)
{
    PyObject *value = array ? PyLong_FromLong(number) : NULL;

    if (array && (!value || array_fill_with(array, value, NULL) < 0)) {
        Py_CLEAR(array);
    }
    Py_XDECREF(value);
    return (PyObject *)array;
}

/* --- like another ------------------------------------------------------ */

/* In the other's order, which is C's or Fortran's. */
static struct array *
new_like(PyObject *const *args, Py_ssize_t count, PyArray_Descr *dtype)
{
    npy_intp strides[ARRAY_MAX_NDIM];
    struct array *model = (struct array *)args[0];

    if (count != 1 || !array_check(args[0]) || !array_plain(args[0]) ||
        !(model->flags & ARRAY_FORC)) {
        return NULL;
    }
    dtype = dtype ? dtype : model->dtype;
    layout_pack(model->ndim, model->shape, PyDataType_ELSIZE(dtype),
                model->flags & ARRAY_C ? 'C' : 'F', strides);
    return array_new_like(model, dtype, model->ndim, model->shape, strides,
                          NULL);
}

PyObject *
create_empty_like(PyObject *const *args, Py_ssize_t count, PyObject *dtype)
{
    return dtype || count != 1 ? NULL
                               : (PyObject *)new_like(args, count, NULL);
}

static PyObject *
filled_like(PyObject *const *args, Py_ssize_t count, PyObject *given,
            long number)
{
    if (count != 1 || !array_check(args[0]) || given == Py_None) {
        return NULL;
    }
    PyArray_Descr *dtype = number_dtype(
        given ? given : (PyObject *)((struct array *)args[0])->dtype);
    PyObject *made =
        dtype ? filled(new_like(args, count, dtype), number) : NULL;
    Py_XDECREF(dtype);
    return made;
}

PyObject *
create_zeros_like(PyObject *const *args, Py_ssize_t count, PyObject *dtype)
{
    return filled_like(args, count, dtype, 0);
}

PyObject *
create_ones_like(PyObject *const *args, Py_ssize_t count, PyObject *dtype)
{
    return filled_like(args, count, dtype, 1);
}

/* --- zeros and ones ---------------------------------------------------- */

/* (shape, dtype) */
static PyObject *
filled_new(PyObject *const *args, Py_ssize_t count, PyObject *given,
           long number)
{
    npy_intp shape[ARRAY_MAX_NDIM];

    if (count + (given != NULL) != 2 || count < 1) {
        return NULL;
    }
    PyArray_Descr *dtype = number_dtype(given ? given : args[1]);
    int ndim = dtype ? array_parse_shape(args[0], shape) : -1;
    PyObject *made =
        ndim < 0 ? NULL : filled(array_new_plain(dtype, ndim, shape), number);
    Py_XDECREF(dtype);
    return made;
}

PyObject *
create_zeros(PyObject *const *args, Py_ssize_t count, PyObject *dtype)
{
    return filled_new(args, count, dtype, 0);
}

PyObject *
create_ones(PyObject *const *args, Py_ssize_t count, PyObject *dtype)
{
    return filled_new(args, count, dtype, 1);
}

/* --- arange ------------------------------------------------------------ */

/* A small int or a float of Python's. */
static bool
plain_number(PyObject *object, double *number)
{
    if (PyFloat_CheckExact(object)) {
        *number = PyFloat_AS_DOUBLE(object);
        return true;
    }
    if (!PyLong_CheckExact(object)) {
        return false;
    }
    int overflow;
    long long whole = PyLong_AsLongLongAndOverflow(object, &overflow);
    *number = (double)whole;
    return !overflow && whole <= EXACT && whole >= -EXACT;
}

/* How many numbers there are; 0 where Python is to see to it. */
static npy_intp
arange_length(PyObject *start, PyObject *stop, PyObject *step)
{
    double from = 0, to, by = 1;

    if ((start && !plain_number(start, &from)) || !plain_number(stop, &to) ||
        (step && !plain_number(step, &by))) {
        return 0;
    }
    double length = ceil((to - from) / by);
    return length >= 1 && length <= (double)EXACT ? (npy_intp)length : 0;
}

/* A number, NULL: `usual`, as a scalar of the dtype. */
static PyObject *
number_in(PyArray_Descr *dtype, PyObject *number, long usual)
{
    _Alignas(16) char bytes[32];
    PyObject *value = number ? Py_NewRef(number) : PyLong_FromLong(usual);
    PyObject *scalar = value && PyArray_Pack(dtype, bytes, value) == 0
                           ? PyArray_Scalar(bytes, dtype, NULL)
                           : NULL;

    Py_XDECREF(value);
    return scalar;
}

/* numbers[0] + i * numbers[1] */
static PyObject *
arange_new(PyArray_Descr *dtype, npy_intp length, PyObject *const *numbers)
{
    struct array *array = array_new_plain(dtype, 1, &length);
    PyObject *made =
        array ? array_apply(OPERATION_ARANGE, 2, numbers, array, NULL, NULL)
              : NULL;

    Py_XDECREF(array);
    return made;
}

/* ([start,] stop[, step], dtype=...) */
PyObject *
create_arange(PyObject *const *args, Py_ssize_t count, PyObject *given)
{
    if (!given || given == Py_None || count < 1 || count > 3) {
        return NULL;
    }
    PyObject *start = count > 1 ? args[0] : NULL;
    PyObject *step = count > 2 ? args[2] : NULL;
    npy_intp length = arange_length(start, args[count > 1], step);
    PyArray_Descr *dtype = length ? number_dtype(given) : NULL;
    if (!dtype) {
        return NULL;
    }
    double by = 1;
    if (PyTypeNum_ISUNSIGNED(dtype->type_num) && step &&
        plain_number(step, &by) && by < 0) {
        Py_DECREF(dtype);
        return NULL; /* Python wraps it */
    }
    PyObject *numbers[2] = {number_in(dtype, start, 0), NULL};
    /* One number takes no step, which may be none of the dtype's. */
    numbers[1] =
        numbers[0] ? number_in(dtype, length > 1 ? step : NULL, 1) : NULL;
    PyObject *made = numbers[1] ? arange_new(dtype, length, numbers) : NULL;
    Py_XDECREF(numbers[0]);
    Py_XDECREF(numbers[1]);
    Py_DECREF(dtype);
    return made;
}
