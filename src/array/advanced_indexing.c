/* advanced_indexing.c - the C part of indexing with index arrays, masks and
 * field names.
 *
 * Called by basic_indexing.c, transfer.c and Python. Python code handles index
 * arrays and masks (pycuda/_array/indexing.py); it registers two callables,
 * which get and set elements. The fast path in gather.c runs first. Access to
 * a field of a record returns a view, which is made here.
 *
 * Kernels cannot raise exceptions. A kernel that meets an index out of range
 * writes a fault record to page-locked memory that the host and the device
 * share. Each context has one such record and owns a tuple that describes it:
 * (owner, device address, host address). fault_check reads the record after
 * calls that wait for the device in any case.
 *
 * SPDX-License-Identifier: MIT */
#include "array/advanced_indexing.h"
#include "array/array.h"
#include "array/attribute_setters.h"
#include "array/gather.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/type_codes.h"
#include "array/validation.h"
#include "core/core.h"

/* Strong references to the Python functions that get and set elements. */
static PyObject *indexer_get, *indexer_set;

/* --- index arrays ------------------------------------------------------ */

/* _set_indexer(get, set): registers get(array, key) and set(array, key,
 * value). */
PyObject *
advanced_set_indexer(PyObject *module, PyObject *args)
{
    PyObject *get, *set;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO:_set_indexer", &get, &set)) {
        return NULL;
    }
    Py_XSETREF(indexer_get, Py_NewRef(get));
    Py_XSETREF(indexer_set, Py_NewRef(set));
    Py_RETURN_NONE;
}

/* Returns whether the Python indexer is registered. If it is not, raises
 * RuntimeError. */
static int
indexer_ready(PyObject *indexer)
{
    if (!indexer) {
        PyErr_SetString(PyExc_RuntimeError, "import pycuda.gpuarray first");
    }
    return indexer != NULL;
}

/* Returns array[key] for a key that is not made of integers and slices. Tries
 * the fast path of gather.c, then calls the Python indexer. */
PyObject *
advanced_get(PyObject *self, PyObject *key)
{
    PyObject *result = gather_index(self, key);

    if (result || PyErr_Occurred() || !indexer_ready(indexer_get)) {
        return result;
    }
    return PyObject_CallFunctionObjArgs(indexer_get, self, key, NULL);
}

/* Performs array[key] = value for a key that is not made of integers and
 * slices. Tries the fast path of gather.c, then calls the Python indexer. */
int
advanced_set(PyObject *self, PyObject *key, PyObject *value)
{
    int result = gather_assign(self, key, value);

    if (result || !indexer_ready(indexer_set)) {
        return result > 0 ? 0 : -1;
    }
    PyObject *done =
        PyObject_CallFunctionObjArgs(indexer_set, self, key, value, NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Returns false with a TypeError if the object is not an array. */
static bool
is_array(PyObject *object)
{
    bool is = array_check(object);

    if (!is) {
        PyErr_SetString(PyExc_TypeError, "a GPUArray is needed");
    }
    return is;
}

/* _address_bits(array): returns the low eight bits of the address of the first
 * element, for tests of alignment. Does not mark the memory as escaped (known
 * to code outside this package), since the bits do not reveal the address. */
PyObject *
advanced_address_bits(PyObject *module, PyObject *array)
{
    (void)module;
    if (!is_array(array)) {
        return NULL;
    }
    return PyLong_FromLong(
        (long)(((struct array *)array)->head.pointer & 255));
}

/* _is_misaligned(array): returns true if the address of an element is not a
 * multiple of the dtype's alignment. Kernels cannot load such an array
 * directly. */
PyObject *
advanced_is_misaligned(PyObject *module, PyObject *array)
{
    (void)module;
    if (!is_array(array) || assign_is_consistent((struct array *)array) < 0) {
        return NULL;
    }
    return PyBool_FromLong(array_misaligned((const struct array *)array));
}

/* Returns whether a kernel can read the array as a flat sequence: it is
 * C-contiguous, aligned, in native byte order, and has elements. */
static bool
is_loadable_row(PyObject *object)
{
    const struct array *array = (const struct array *)object;

    return array_check(object) && array_is_own_class(object) &&
           array->size > 0 && array->flags & ARRAY_C &&
           PyArray_ISNBO(array->dtype->byteorder) && !array_misaligned(array);
}

/* _are_alike(a, b): returns whether both arrays have the same dtype and shape
 * and can be read as flat sequences. */
PyObject *
advanced_are_alike(PyObject *module, PyObject *args)
{
    PyObject *a, *b;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO:_are_alike", &a, &b)) {
        return NULL;
    }
    return PyBool_FromLong(
        is_loadable_row(a) && is_loadable_row(b) &&
        type_code_equal(((struct array *)a)->dtype,
                        ((struct array *)b)->dtype) &&
        array_same_shape((struct array *)a, (struct array *)b));
}

/* _distance(a, b): returns the distance in bytes from the first element of a
 * to the first element of b. Does not mark the memory as escaped (known to
 * code outside this package). */
PyObject *
advanced_distance(PyObject *module, PyObject *args)
{
    PyObject *a, *b;

    (void)module;
    if (!PyArg_ParseTuple(args, "OO:_distance", &a, &b)) {
        return NULL;
    }
    if (!array_check(a) || !array_check(b)) {
        PyErr_SetString(PyExc_TypeError, "two GPUArrays are needed");
        return NULL;
    }
    return PyLong_FromSsize_t((Py_ssize_t)(((struct array *)b)->head.pointer -
                                           ((struct array *)a)->head.pointer));
}

/* _identity(array): returns (address, shape, strides, dtype), which callers
 * may only compare. Does not mark the memory as escaped (known to code outside
 * this package). */
PyObject *
advanced_identity(PyObject *module, PyObject *object)
{
    const struct array *array = (const struct array *)object;

    (void)module;
    if (!is_array(object)) {
        return NULL;
    }
    return Py_BuildValue("(KNNO)", (unsigned long long)array->head.pointer,
                         array_tuple(array->ndim, array->shape),
                         array_tuple(array->ndim, array->strides),
                         (PyObject *)array->dtype);
}

/* --- fields of records ------------------------------------------------- */

/* Returns the dtype of the field, a borrowed reference, and stores its offset
 * in bytes. Returns NULL with an IndexError if the dtype has no fields, or
 * with a ValueError if it has no field of this name. */
static PyArray_Descr *
field_find(const struct array *array, PyObject *name, Py_ssize_t *offset)
{
    PyObject *fields = PyDataType_FIELDS(array->dtype);
    PyObject *entry;

    if (!fields || fields == Py_None) {
        PyErr_Format(PyExc_IndexError,
                     "%R is not an index: elements of dtype %S have no "
                     "fields",
                     name, array->dtype);
        return NULL;
    }
    entry = PyObject_GetItem(fields, name);
    if (!entry) {
        PyErr_Format(PyExc_ValueError, "dtype %S has no field %R",
                     array->dtype, name);
        return NULL;
    }
    PyArray_Descr *dtype = (PyArray_Descr *)PyTuple_GET_ITEM(entry, 0);
    *offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 1));
    /* `dtype` stays valid: the dict `fields` has another reference to the
     * tuple `entry`, which has a reference to the dtype */
    Py_DECREF(entry);
    return dtype;
}

/* Returns array["name"], a view of one field of each record. A field that is
 * itself an array adds axes. */
PyObject *
advanced_field(PyObject *self, PyObject *name)
{
    struct array *array = (struct array *)self, *view;
    npy_intp inner[ARRAY_MAX_NDIM], packed[ARRAY_MAX_NDIM];
    Py_ssize_t offset;
    int more = 0;
    PyArray_Descr *dtype = field_find(array, name, &offset);

    if (!dtype) {
        return NULL;
    }
    if (PyDataType_HASSUBARRAY(dtype)) {
        more = array_parse_shape(PyDataType_SUBARRAY(dtype)->shape, inner);
        dtype = PyDataType_SUBARRAY(dtype)->base;
    }
    if (more < 0 || array_verify_dtype(dtype) < 0) {
        return NULL;
    }
    if (array->ndim + more > ARRAY_MAX_NDIM) {
        PyErr_Format(PyExc_IndexError, "a view has at most %d axes",
                     ARRAY_MAX_NDIM);
        return NULL;
    }
    view = array_view(array, array->ndim + more);
    if (!view) {
        return NULL;
    }
    layout_pack(more, inner, PyDataType_ELSIZE(dtype), 'C', packed);
    for (int axis = 0; axis < view->ndim; axis++) {
        int own = axis - array->ndim;
        view->shape[axis] = own < 0 ? array->shape[axis] : inner[own];
        view->strides[axis] = own < 0 ? array->strides[axis] : packed[own];
    }
    Py_SETREF(view->dtype, (PyArray_Descr *)Py_NewRef(dtype));
    view->head.pointer += (CUdeviceptr)offset;
    array_view_finish(view);
    return (PyObject *)view;
}

/* --- fault records ----------------------------------------------------- */
