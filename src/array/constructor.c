/* constructor.c - the constructor GPUArray(shape, dtype, ...).
 *
 * Called by Python, which may call __init__ twice or not at all. The fields
 * are consistent at all times; an array whose __init__ failed is empty. During
 * a second call of __init__ on an array, other threads may use the array: it
 * keeps its former fields until the call ends.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/change.h"
#include "array/constructor.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/validation.h"
#include "core/core.h"

struct init_arguments {
    PyObject *shape, *dtype, *allocator, *base, *gpudata, *strides, *order;
};

int
array_parse_order(PyObject *order, char *letter)
{
    if (!order || (PyUnicode_Check(order) &&
                   PyUnicode_CompareWithASCIIString(order, "C") == 0)) {
        *letter = 'C';
        return 0;
    }
    if (PyUnicode_Check(order) &&
        PyUnicode_CompareWithASCIIString(order, "F") == 0) {
        *letter = 'F';
        return 0;
    }
    PyErr_Format(PyExc_ValueError,
                 "invalid order: %S (\"C\" or \"F\" expected)", order);
    return -1;
}

/* Sets the shape and the strides. Returns 0, or -1 with an exception. */
static int
init_dims(struct array *array, const struct init_arguments *given)
{
    npy_intp shape[ARRAY_MAX_NDIM], strides[ARRAY_MAX_NDIM];
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);
    char order;
    int ndim = array_parse_shape(given->shape, shape);

    if (ndim < 0 || array_parse_order(given->order, &order) < 0 ||
        array_verify_shape(ndim, shape, itemsize) < 0) {
        return -1;
    }
    if (!given->strides || given->strides == Py_None) {
        layout_pack(ndim, shape, itemsize, order, strides);
    } else {
        int n = array_parse_shape(given->strides, strides);
        if (n < 0) {
            return -1;
        }
        if (n != ndim) {
            PyErr_Format(PyExc_ValueError,
                         "strides has %d entries, shape has %d", n, ndim);
            return -1;
        }
        if (array_verify_strides(array, ndim, shape, strides) < 0) {
            return -1;
        }
    }
    return array_set_dims(array, ndim, shape, strides);
}

/* Allocates memory for the array's elements. Raises ValueError and returns -1
 * if the strides reach outside this memory. */
static int
init_own_memory(struct array *array)
{
    npy_intp low, high;
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);

    layout_extent(array->ndim, array->shape, array->strides, itemsize, &low,
                  &high);
    if (low < 0 || high > array->size * itemsize) {
        PyErr_Format(PyExc_ValueError,
                     "strides reach from byte %zd to byte %zd of the %zd "
                     "bytes of an array of this shape",
                     low, high, array->size * itemsize);
        return -1;
    }
    return array_allocate_memory(array, NULL);
}

/* Sets the owner, the pointer, the base and the allocator, and allocates
 * memory if no gpudata is given. Returns 0, or -1 with an exception. */
static int
init_memory(struct array *array, const struct init_arguments *given)
{
    int has_data = given->gpudata && given->gpudata != Py_None;
    int has_base = given->base && given->base != Py_None;

    if (has_base && !has_data) {
        PyErr_SetString(PyExc_AssertionError,
                        "base is only for arrays made with gpudata");
        return -1;
    }
    if (given->allocator == Py_None) {
        PyErr_SetString(PyExc_TypeError,
                        "allocator must be callable, not None");
        return -1;
    }
    if (given->allocator) {
        if (given->allocator != array_default_allocator()) {
            array->allocator = Py_NewRef(given->allocator);
        }
        if (PyErr_Occurred()) {
            return -1;
        }
    }
    if (!has_data) {
        return init_own_memory(array);
    }
    CUdeviceptr pointer;
    if (core_pointer(given->gpudata, &pointer) < 0) {
        return -1;
    }
    array->base = has_base ? Py_NewRef(given->base) : NULL;
    Py_XSETREF(array->head.owner, Py_NewRef(given->gpudata));
    array->head.pointer = pointer;
    return array_verify_strides(array, array->ndim, array->shape,
                                array->strides);
}

/* Makes the array empty: all fields get the values that array_new sets. */
static int
array_reset(struct array *array)
{
    static const npy_intp shape[1] = {0}, strides[1] = {0};
    PyArray_Descr *dtype = PyArray_DescrFromType(NPY_FLOAT64);

    if (!dtype) {
        return -1;
    }
    array->head.pointer = 0;
    array->flags = 0;
    Py_XSETREF(array->dtype, dtype);
    /* cannot fail, since the object itself has space for one axis */
    array_set_dims(array, 1, shape, strides);
    Py_CLEAR(array->head.owner);
    Py_CLEAR(array->base);
    Py_CLEAR(array->allocator);
    return 0;
}

/* Implements a further call of __init__: initializes a new array and exchanges
 * its fields with those of `array`. If the initialization fails, the new array
 * is empty, and `array` becomes empty too. */
static int
init_again(struct array *array, PyObject *args, PyObject *kwargs)
{
    PyObject *made = array_new(array_type, NULL, NULL);
    PyObject *type, *value, *trace;

    if (!made) {
        return -1;
    }
    int status = array_init(made, args, kwargs);
    array_exchange(array, (struct array *)made);
    /* Save the exception: the release of the array's former memory may run
     * Python code, and that code may replace the exception. */
    PyErr_Fetch(&type, &value, &trace);
    Py_DECREF(made);
    PyErr_Restore(type, value, trace);
    return status;
}

int
array_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"shape",   "dtype",   "allocator", "base",
                            "gpudata", "strides", "order",     NULL};
    struct array *array = (struct array *)self;
    struct init_arguments given = {0};

    if (UNLIKELY(array->flags & ARRAY_READY)) {
        return init_again(array, args, kwargs);
    }
    if (!kwargs && PyTuple_GET_SIZE(args) == 2) {
        given.shape = PyTuple_GET_ITEM(args, 0);
        given.dtype = PyTuple_GET_ITEM(args, 1);
    } else if (!PyArg_ParseTupleAndKeywords(
                   args, kwargs, "OO|OOOOO:GPUArray", names, &given.shape,
                   &given.dtype, &given.allocator, &given.base, &given.gpudata,
                   &given.strides, &given.order)) {
        return -1;
    }
    PyArray_Descr *dtype;
    if (array_reset(array) < 0 ||
        !PyArray_DescrConverter(given.dtype, &dtype)) {
        return -1;
    }
    Py_SETREF(array->dtype, dtype);
    if (array_verify_dtype(dtype) < 0 || init_dims(array, &given) < 0 ||
        init_memory(array, &given) < 0) {
        /* Save the exception: array_reset releases the owner, which may run
         * Python code, and that code may replace the exception. */
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        array_reset(array);
        PyErr_Restore(type, value, trace);
        return -1;
    }
    array->flags |= ARRAY_READY;
    return 0;
}

/* Creates an empty array of one axis, so that slots that are called before
 * __init__ find all fields set. */
PyObject *
array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct array *array = array_alloc(type, 1);

    (void)args;
    (void)kwargs;
    if (array) {
        array->dtype = PyArray_DescrFromType(NPY_FLOAT64);
        array->flags = ARRAY_FORC;
        array->shape[0] = array->strides[0] = 0;
    }
    return (PyObject *)array;
}
