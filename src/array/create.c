/* create.c - fast paths of functions that create arrays: empty_like, zeros,
 * ones, zeros_like, ones_like, arange.
 *
 * Called by fast_call.c with positional arguments and an optional dtype. Each
 * function returns NULL without an exception for arguments that it does not
 * handle, including invalid ones. The Python functions in pycuda/gpuarray.py
 * then run and raise the exceptions.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/create.h"
#include "array/elementwise_operation.h"
#include "array/fill.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "core/core.h"

/* Sums of two integers of at most this magnitude are exact in a double. */
#define EXACT (1LL << 52)

/* Converts `object` to a dtype and returns a new reference to it. Returns NULL
 * with an exception if `object` does not describe a dtype, and NULL without an
 * exception if the dtype is neither a number type nor bool. */
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

/* Fills the array with a number and returns it; consumes the reference.
 * Returns NULL with an exception if `array` is NULL or the fill fails. */
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

/* --- arrays like another one -------------------------------------------- */

/* Allocates an array of the shape and the C or Fortran order of args[0].
 * `dtype` NULL: the dtype of args[0]. */
static struct array *
new_like(PyObject *const *args, Py_ssize_t count, PyArray_Descr *dtype)
{
    npy_intp strides[ARRAY_MAX_NDIM];
    struct array *model = (struct array *)args[0];

    if (count != 1 || !array_check(args[0]) || !array_is_own_class(args[0]) ||
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

/* Implements zeros and ones for the arguments (shape, dtype). */
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
        ndim < 0 ? NULL
                 : filled(array_new_contiguous(dtype, ndim, shape), number);
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

/* Converts a Python float, or an int between -EXACT and EXACT, to double.
 * Returns false for other objects. */
static bool
number_as_double(PyObject *object, double *number)
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

/* Returns the number of elements of arange(start, stop, step). Returns 0 for
 * arguments that only the Python function gpuarray.arange handles. */
static npy_intp
arange_length(PyObject *start, PyObject *stop, PyObject *step)
{
    double from = 0, to, by = 1;

    if ((start && !number_as_double(start, &from)) ||
        !number_as_double(stop, &to) ||
        (step && !number_as_double(step, &by))) {
        return 0;
    }
    double length = ceil((to - from) / by);
    return length >= 1 && length <= (double)EXACT ? (npy_intp)length : 0;
}

/* Converts `number` to a NumPy scalar of the dtype; if `number` is NULL,
 * converts `fallback`, the default. Returns a new reference, or NULL with an
 * exception. */
static PyObject *
scalar_of_dtype(PyArray_Descr *dtype, PyObject *number, long fallback)
{
    _Alignas(16) char bytes[32];
    PyObject *value = number ? Py_NewRef(number) : PyLong_FromLong(fallback);
    PyObject *scalar = value && array_pack(dtype, bytes, value) == 0
                           ? PyArray_Scalar(bytes, dtype, NULL)
                           : NULL;

    Py_XDECREF(value);
    return scalar;
}

/* Returns a new array whose element i is numbers[0] + i * numbers[1]. */
static PyObject *
arange_new(PyArray_Descr *dtype, npy_intp length, PyObject *const *numbers)
{
    struct array *array = array_new_contiguous(dtype, 1, &length);
    PyObject *made =
        array ? array_apply(OPERATION_ARANGE, 2, numbers, array, NULL, NULL)
              : NULL;

    Py_XDECREF(array);
    return made;
}

/* Implements arange([start,] stop[, step], dtype=...). */
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
        number_as_double(step, &by) && by < 0) {
        Py_DECREF(dtype);
        /* A negative step wraps around in an unsigned dtype, which only the
         * Python function implements. */
        return NULL;
    }
    PyObject *numbers[2] = {scalar_of_dtype(dtype, start, 0), NULL};
    /* If there is a single element, the step is not used. It may not fit the
     * dtype, so it is not converted. */
    numbers[1] = numbers[0]
                     ? scalar_of_dtype(dtype, length > 1 ? step : NULL, 1)
                     : NULL;
    PyObject *made = numbers[1] ? arange_new(dtype, length, numbers) : NULL;
    Py_XDECREF(numbers[0]);
    Py_XDECREF(numbers[1]);
    Py_DECREF(dtype);
    return made;
}
