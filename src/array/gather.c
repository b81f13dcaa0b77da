/* gather.c - fast paths of a[indices], a[indices] = value, a[mask] = number
 * and take.
 *
 * Called by advanced_indexing.c and fast_call.c. The fast paths handle a
 * C-contiguous array `a` and indices in a C-contiguous device array, a list or
 * a NumPy array; indices in host memory are checked and copied to the device.
 * For other arguments, including invalid ones, the functions have no effect,
 * and the Python code in pycuda/_array/indexing.py runs instead.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/elementwise_operation.h"
#include "array/fault.h"
#include "array/gather.h"
#include "array/index_copy.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "array/type_codes.h"
#include "core/core.h"
#include "core/python/borrowed.h"

/* --- indices in host memory -------------------------------------------- */

/* Implements list_indices. The caller ensures that no other thread changes the
 * list or tuple `items` during the call. */
static PyArrayObject *
items_indices(PyObject *items)
{
    npy_intp count = PySequence_Fast_GET_SIZE(items);

    for (npy_intp i = 0; i < count; i++) {
        if (!PyLong_CheckExact(PySequence_Fast_GET_ITEM(items, i))) {
            return NULL;
        }
    }
    PyArrayObject *host =
        (PyArrayObject *)PyArray_SimpleNew(1, &count, NPY_INT64);
    for (npy_intp i = 0; host && i < count; i++) {
        int overflow;
        ((int64_t *)PyArray_DATA(host))[i] = PyLong_AsLongLongAndOverflow(
            PySequence_Fast_GET_ITEM(items, i), &overflow);
        if (overflow) {
            Py_CLEAR(host);
        }
    }
    return host;
}

/* Converts a list of ints to a host array of int64. Returns NULL without an
 * exception for other lists. */
static PyArrayObject *
list_indices(PyObject *list)
{
    PyObject *items = core_stable_sequence(list);
    PyArrayObject *host = items ? items_indices(items) : NULL;

    Py_XDECREF(items);
    return host;
}

/* Converts a host array of integers that fit int64 to a new array of int64.
 * Returns NULL without an exception for other arrays, or NULL with an
 * exception on failure. */
static PyArrayObject *
array_indices(PyArrayObject *given)
{
    const PyArray_Descr *dtype = PyArray_DESCR(given);

    if (!PyTypeNum_ISINTEGER(dtype->type_num) || PyArray_NDIM(given) == 0 ||
        PyArray_NDIM(given) > ARRAY_MAX_NDIM ||
        (PyTypeNum_ISUNSIGNED(dtype->type_num) &&
         PyDataType_ELSIZE(dtype) == 8)) {
        return NULL;
    }
    return (PyArrayObject *)PyArray_FromArray(
        given, PyArray_DescrFromType(NPY_INT64),
        NPY_ARRAY_CARRAY | NPY_ARRAY_ENSURECOPY);
}

/* Makes negative indices non-negative. Returns false if an index is out of
 * range. */
static bool
indices_resolve(PyArrayObject *host, npy_intp length)
{
    int64_t *index = PyArray_DATA(host);
    npy_intp count = PyArray_SIZE(host);

    for (npy_intp i = 0; i < count; i++) {
        index[i] += index[i] < 0 ? length : 0;
        if (index[i] < 0 || index[i] >= length) {
            return false;
        }
    }
    return true;
}

/* Copies indices from a host array to a new device array. Returns NULL with an
 * exception on failure. */
static struct array *
indices_upload(PyArrayObject *host)
{
    struct array *indices = array_new_contiguous(
        PyArray_DESCR(host), PyArray_NDIM(host), PyArray_DIMS(host));

    if (indices &&
        (core_use(indices->head.owner, NULL) < 0 ||
         core_memcpy_htod(indices->head.pointer, PyArray_DATA(host),
                          (size_t)PyArray_NBYTES(host), NULL) < 0)) {
        Py_CLEAR(indices);
    }
    return indices;
}

/* Copies the indices of a list or host array to a new device array. Returns
 * NULL with an exception on failure, or without an exception if the fast path
 * does not handle the object. */
static struct array *
host_indices(PyObject *key, npy_intp length)
{
    PyArrayObject *host = PyList_CheckExact(key) ? list_indices(key)
                          : PyArray_CheckExact(key)
                              ? array_indices((PyArrayObject *)key)
                              : NULL;
    struct array *indices = NULL;

    if (host && PyArray_SIZE(host) > 0 && indices_resolve(host, length)) {
        indices = indices_upload(host);
    }
    Py_XDECREF(host);
    return indices;
}

/* --- conditions of the fast path --------------------------------------- */

/* Returns whether the array is a C-contiguous index array that kernels can
 * load. */
static bool
is_index_array(const struct array *indices)
{
    return PyTypeNum_ISINTEGER(indices->dtype->type_num) &&
           indices->size > 0 && indices->flags & ARRAY_C &&
           PyArray_ISNBO(indices->dtype->byteorder) &&
           !array_misaligned(indices);
}

/* Fills `copy` with the indexed array `a` and a new reference to the array of
 * indices, which the caller releases. Returns false if the fast path does not
 * handle the operands, or with an exception on failure. */
static bool
index_copy_begin(struct index_copy *copy, PyObject *a, PyObject *key)
{
    struct array *row = (struct array *)a, *indices = NULL;

    if (!array_is_own_class(a) || row->size == 0 ||
        PyDataType_ELSIZE(row->dtype) == 0 || !(row->flags & ARRAY_C) ||
        fault_record_address(&copy->words) < 1 || fault_check() < 0) {
        return false;
    }
    if (!array_check(key)) {
        indices = host_indices(key, copy->rows ? row->shape[0] : row->size);
    } else if (array_is_own_class(key) &&
               is_index_array((struct array *)key)) {
        indices = (struct array *)Py_NewRef(key);
    }
    copy->row = row;
    copy->indices = indices;
    return indices != NULL;
}

/* --- gather ------------------------------------------------------------ */

/* Computes the shape of a[indices]. Returns its number of axes, or -1 if there
 * are too many. */
static int
taken_shape(const struct index_copy *copy, npy_intp *shape)
{
    const struct array *indices = copy->indices, *row = copy->row;
    int own = copy->rows ? row->ndim - 1 : 0;

    if (indices->ndim + own > ARRAY_MAX_NDIM) {
        return -1;
    }
    memcpy(shape, indices->shape, (size_t)indices->ndim * sizeof *shape);
    memcpy(shape + indices->ndim, row->shape + row->ndim - own,
           (size_t)own * sizeof *shape);
    return indices->ndim + own;
}

static bool
has_shape(const struct array *array, int ndim, const npy_intp *shape)
{
    return array->ndim == ndim &&
           memcmp(array->shape, shape, (size_t)ndim * sizeof *shape) == 0;
}

/* Gathers elements of `a` by flat index, or rows of `a` by index along the
 * first axis. Returns a new array. Returns NULL with an exception on failure,
 * or without an exception if the fast path does not handle the operands. */
static PyObject *
take_fast(PyObject *a, PyObject *key, bool rows)
{
    struct index_copy copy = {.move = INDEX_COPY_GATHER, .rows = rows};
    npy_intp shape[ARRAY_MAX_NDIM];

    if (!index_copy_begin(&copy, a, key)) {
        return NULL;
    }
    int ndim = taken_shape(&copy, shape);
    copy.plain = ndim < 0 ? NULL
                          : array_new_like(copy.row, copy.row->dtype, ndim,
                                           shape, NULL, NULL);
    if (copy.plain &&
        /* The operands are checked again, since the allocator of the result
         * may have changed an array. */
        (!has_shape(copy.plain, ndim, shape) ||
         copy.plain->dtype != copy.row->dtype ||
         index_copy_run(&copy, NULL) < 0)) {
        Py_CLEAR(copy.plain);
    }
    Py_DECREF(copy.indices);
    return (PyObject *)copy.plain;
}

PyObject *
gather_index(PyObject *self, PyObject *key)
{
    int ndim = ((struct array *)self)->ndim;

    return ndim > 0 ? take_fast(self, key, ndim > 1) : NULL;
}

/* Implements take(a, indices) and take(a, indices, axis=0). */
PyObject *
gather_take(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    if (count != 2 || !array_check(args[0]) || !array_check(args[1])) {
        return NULL;
    }
    if (!axis) {
        return take_fast(args[0], args[1], false);
    }
    return PyLong_CheckExact(axis) && !PyObject_IsTrue(axis)
               ? gather_index(args[0], args[1])
               : NULL;
}

/* --- scatter ----------------------------------------------------------- */

/* size in bytes of complex128, the largest number type of kernels */
enum { MAX_BYTES = 16 };

/* Converts a number to the dtype of `row`, the indexed array, and stores its
 * bytes. Returns 1 on success, 0 if `value` is not a number or kernels do not
 * support the dtype, or -1 with an exception. */
static int
number_pack(const struct array *row, PyObject *value, char *bytes)
{
    PyArray_Descr *dtype = row->dtype;

    if (!(PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
          PyBool_Check(value) || PyArray_IsScalar(value, Number) ||
          PyArray_IsScalar(value, Bool)) ||
        !(PyTypeNum_ISNUMBER(dtype->type_num) ||
          PyTypeNum_ISBOOL(dtype->type_num)) ||
        !PyArray_ISNBO(dtype->byteorder) ||
        PyDataType_ELSIZE(dtype) > MAX_BYTES) {
        return 0;
    }
    Py_INCREF(dtype);
    int status = array_pack(dtype, bytes, value);
    /* array_pack may issue a warning, which may run a Python warning filter
     * that changes the array's dtype. */
    int same = row->dtype == dtype;
    Py_DECREF(dtype);
    return status < 0 ? -1 : same;
}

/* Returns whether `values` has one element or row for each index, in the dtype
 * of the indexed array, and does not overlap this array. */
static bool
is_value_array(const struct index_copy *copy, const struct array *values)
{
    const struct array *row = copy->row;
    npy_intp shape[ARRAY_MAX_NDIM];
    CUdeviceptr itemsize = (CUdeviceptr)PyDataType_ELSIZE(row->dtype);
    CUdeviceptr first = row->head.pointer, from = values->head.pointer;

    return type_code_equal(values->dtype, row->dtype) &&
           values->flags & ARRAY_C &&
           has_shape(values, taken_shape(copy, shape), shape) &&
           (core_owners_are_disjoint(values->head.owner, row->head.owner) ||
            from + (CUdeviceptr)values->size * itemsize <= first ||
            first + (CUdeviceptr)row->size * itemsize <= from);
}

/* Returns whether the array and the array of indices may share memory. A
 * scatter would then overwrite its own indices. */
static bool
may_overlap_indices(PyObject *self, PyObject *key)
{
    return array_check(key) &&
           !core_owners_are_disjoint(((struct array *)key)->head.owner,
                                     ((struct array *)self)->head.owner);
}

/* Performs self[key] = value for a number, or for an array of one element or
 * row per index. Returns 1 on success, 0 if the fast path does not handle the
 * operands, or -1 with an exception. */
static int
scatter(PyObject *self, PyObject *key, PyObject *value)
{
    _Alignas(16) char bytes[MAX_BYTES];
    int ndim = ((struct array *)self)->ndim;
    struct index_copy copy = {
        .move = INDEX_COPY_FILL, .rows = ndim > 1, .element = bytes};
    int done = 0;

    if (ndim == 0 || may_overlap_indices(self, key) ||
        !index_copy_begin(&copy, self, key)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    if (!array_check(value)) {
        done = number_pack(copy.row, value, bytes);
    } else if (array_is_own_class(value) &&
               is_value_array(&copy, (struct array *)value)) {
        copy.move = INDEX_COPY_SCATTER;
        copy.plain = (struct array *)value;
        done = 1;
    }
    if (done == 1 && index_copy_run(&copy, NULL) < 0) {
        done = -1;
    }
    Py_DECREF(copy.indices);
    return done;
}

/* Writes a number to all elements for which a mask of the array's shape is
 * true. Returns 1 on success, 0 if the fast path does not handle the operands,
 * or -1 with an exception. */
static int
mask_fill(PyObject *self, PyObject *mask, PyObject *value)
{
    _Alignas(16) char bytes[MAX_BYTES];
    struct array *array = (struct array *)self;

    if (array->size == 0 || !(array->flags & ARRAY_FORC) ||
        array->dtype->type_num == NPY_LONGDOUBLE ||
        !array_same_shape(array, (struct array *)mask)) {
        return 0;
    }
    int packed = fault_check() < 0 ? -1 : number_pack(array, value, bytes);
    if (packed < 1) {
        return packed;
    }
    PyObject *number = PyArray_Scalar(bytes, array->dtype, NULL);
    PyObject *operands[3] = {mask, number, self};
    PyObject *done =
        number ? array_apply(OPERATION_WHERE, 3, operands, array, NULL, NULL)
               : NULL;
    Py_XDECREF(number);
    Py_XDECREF(done);
    return done ? 1 : -1;
}

static bool
is_mask(PyObject *key)
{
    return array_check(key) && array_is_own_class(key) &&
           PyTypeNum_ISBOOL(((struct array *)key)->dtype->type_num);
}

int
gather_assign(PyObject *self, PyObject *key, PyObject *value)
{
    if (!array_is_own_class(self)) {
        return 0;
    }
    return is_mask(key) ? mask_fill(self, key, value)
                        : scatter(self, key, value);
}
