/* fill.c - sets all elements of an array to one value.
 *
 * Called by transfer.c. The host converts a number to the array's dtype, as
 * NumPy does in an assignment. Then a kernel writes it to all elements.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/cached_elementwise.h"
#include "array/copy.h"
#include "array/elementwise_operation.h"
#include "array/fill.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "array/type_codes.h"
#include "core/core.h"

/* Fills an array of any dtype: copies one element to the device, then copies
 * this element on the device to all elements of the array. */
static int
fill_contiguous(struct array *array, PyObject *value, CUstream stream)
{
    PyObject *host;
    struct array *one;
    int result = -1;

    Py_INCREF(array->dtype);
    host = PyArray_FromAny(value, array->dtype, 0, 0,
                           NPY_ARRAY_FORCECAST | NPY_ARRAY_CARRAY, NULL);
    if (!host) {
        return -1;
    }
    if (PyArray_NDIM((PyArrayObject *)host) != 0) {
        Py_DECREF(host);
        PyErr_SetString(PyExc_ValueError, "fill: one value is needed");
        return -1;
    }
    if (array->size == 0) {
        Py_DECREF(host);
        return 0;
    }
    one = array_new_like(array, array->dtype, 0, NULL, NULL, stream);
    if (one && core_use(one->head.owner, stream) == 0 &&
        core_memcpy_htod(
            one->head.pointer, PyArray_DATA((PyArrayObject *)host),
            (size_t)PyDataType_ELSIZE(array->dtype), stream) == 0) {
        result = array_copy_into(array, one, stream);
    }
    Py_XDECREF(one);
    Py_DECREF(host);
    return result;
}

/* Returns whether the fill kernel supports the array's dtype. */
static int
has_kernel_type(const struct array *array)
{
    int code = type_code_of(array->dtype);

    return type_code_has_operations(code) && code != NPY_HALF &&
           code != NPY_LONGDOUBLE && code != NPY_CLONGDOUBLE &&
           PyArray_ISNBO(array->dtype->byteorder);
}

/* A number as float32 (`narrow`) or float64. */
union number {
    float narrow;
    double wide;
};

/* Fast conversion of a float or a small int for arrays of float32 or float64,
 * with NumPy's result. Returns false for other values and dtypes. */
static bool
number_convert_fast(const struct array *array, PyObject *value,
                    union number *out)
{
    double number;

    if (PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
    } else if (PyLong_CheckExact(value)) {
        int overflow;
        long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (UNLIKELY(overflow || Py_ABS(whole) > 1LL << 53)) {
            return false;
        }
        number = (double)whole;
    } else {
        return false;
    }
    switch (array->dtype->type_num) {
    case NPY_FLOAT:
        out->narrow = (float)number;
        /* Decline a number that float32 cannot hold: NumPy issues a warning
         * when it converts the number. */
        return !isinf(out->narrow) || isinf(number);
    case NPY_DOUBLE:
        out->wide = number;
        return true;
    default:
        return false;
    }
}

/* Converts the value to a scalar of the array's dtype, as NumPy does in an
 * assignment. Returns a new reference, or NULL with an exception. */
static PyObject *
scalar_of(const struct array *array, PyObject *value)
{
    Py_INCREF(array->dtype);
    PyObject *host =
        PyArray_FromAny(value, array->dtype, 0, 0, NPY_ARRAY_FORCECAST, NULL);
    if (!host) {
        return NULL;
    }
    if (PyArray_NDIM((PyArrayObject *)host) != 0) {
        Py_DECREF(host);
        PyErr_SetString(PyExc_ValueError, "fill: one value is needed");
        return NULL;
    }
    return PyArray_Return((PyArrayObject *)host);
}

/* Slow path of array_fill_with. `quick` is the number that number_convert_fast
 * has converted, or NULL if that function did not handle the value. */
static __attribute__((noinline)) int
fill_slow(struct array *array, PyObject *value, union number *quick,
          CUstream stream)
{
    if (array_check(value)) {
        return array_copy_into(array, (struct array *)value, stream);
    }
    if (!has_kernel_type(array)) {
        return fill_contiguous(array, value, stream);
    }
    PyObject *scalar = quick ? PyArray_Scalar(quick, array->dtype, NULL)
                             : scalar_of(array, value);
    if (!scalar) {
        return -1;
    }
    PyObject *result =
        array_apply(OPERATION_COPY, 1, &scalar, array, NULL, stream);
    Py_DECREF(scalar);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

int
array_fill_with(struct array *array, PyObject *value, CUstream stream)
{
    union number number;
    bool is_fast = number_convert_fast(array, value, &number);
    int done = is_fast ? cached_fill(array, &number, stream) : 0;

    return LIKELY(done != 0)
               ? (done < 0 ? -1 : 0)
               : fill_slow(array, value, is_fast ? &number : NULL, stream);
}
