/* numpy.c - array_pack: PyArray_Pack of NumPy 2, also for NumPy 1.26, which
 * lacks it.
 *
 * SPDX-License-Identifier: MIT */
#include "array/numpy.h"

/* index of PyArray_Pack in NumPy 2's table of C functions */
#define PACK_AT 65

typedef int (*pack_function)(PyArray_Descr *, void *, PyObject *);

/* Stores the value at `bytes`, for NumPy 1.26: assigns it to a NumPy array
 * without dimensions that has this memory. */
static int
pack_by_assignment(PyArray_Descr *dtype, void *bytes, PyObject *value)
{
    Py_INCREF(dtype); /* PyArray_NewFromDescr consumes this reference */
    PyObject *scalar = PyArray_NewFromDescr(
        &PyArray_Type, dtype, 0, NULL, NULL, bytes, NPY_ARRAY_WRITEABLE, NULL);
    if (scalar == NULL) {
        return -1;
    }
    int status = PyArray_CopyObject((PyArrayObject *)scalar, value);
    Py_DECREF(scalar);
    return status;
}

int
array_pack(PyArray_Descr *dtype, void *bytes, PyObject *value)
{
    if (PyArray_RUNTIME_VERSION < NPY_2_0_API_VERSION) {
        return pack_by_assignment(dtype, bytes, value);
    }
    pack_function pack;
    memcpy(&pack, &PyArray_API[PACK_AT], sizeof pack);
    return pack(dtype, bytes, value);
}
