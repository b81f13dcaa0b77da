/* join.c - fast paths of concatenate, stack and roll, which copy parts of
 * arrays.
 *
 * Called by fast_call.c. The fast paths handle arrays of one dtype whose
 * classes belong to pycuda.gpuarray. For other arguments, including invalid
 * ones, the functions have no effect; the Python code in
 * pycuda/_array/joining.py and shaping.py then runs and raises the exceptions.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/join.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/raw_copy.h"
#include "array/type_codes.h"
#include "core/core.h"

/* View of a part of an array. It is a local variable of C code, and serves
 * only as source or target of a copy. */
struct part {
    struct array array;
    npy_intp shape[ARRAY_MAX_NDIM];
};

/* Normalizes an axis. Returns 1, or 0 if it is not an int in range. */
static int
axis_parse(PyObject *object, int ndim, int *axis)
{
    int overflow;

    if (!PyLong_CheckExact(object)) {
        return 0;
    }
    long value = PyLong_AsLongAndOverflow(object, &overflow);
    if (overflow || value < -ndim || value >= ndim) {
        return 0;
    }
    *axis = (int)(value < 0 ? value + ndim : value);
    return 1;
}

/* Makes `part` a view of the indices [first, first + length) along an axis,
 * and of all indices along the other axes. */
static void
part_set(struct part *part, const struct array *array, int axis,
         npy_intp first, npy_intp length)
{
    part->array = *array;
    memcpy(part->shape, array->shape,
           (size_t)array->ndim * sizeof *array->shape);
    part->shape[axis] = length;
    part->array.shape = part->shape;
    part->array.head.pointer += (CUdeviceptr)(first * array->strides[axis]);
    array_update(&part->array);
}

/* --- concatenate ------------------------------------------------------- */

/* Returns whether two arrays have the same dtype, and the same shape except
 * along `axis`; axis -1 compares the whole shape. */
static int
joins(const struct array *first, const struct array *other, int axis)
{
    if (other->ndim != first->ndim ||
        !type_code_equal(other->dtype, first->dtype)) {
        return 0;
    }
    for (int k = 0; k < first->ndim; k++) {
        if (k != axis && other->shape[k] != first->shape[k]) {
            return 0;
        }
    }
    return 1;
}

/* Returns the sum of the arrays' lengths along the axis, or -1 if they cannot
 * be joined by the fast path. */
static npy_intp
joined_length(PyObject *arrays, int axis)
{
    const struct array *first =
        (const struct array *)PyTuple_GET_ITEM(arrays, 0);
    npy_intp length = 0;

    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); i++) {
        PyObject *object = PyTuple_GET_ITEM(arrays, i);
        const struct array *array = (const struct array *)object;
        if (!array_is_own_class(object) || !joins(first, array, axis) ||
            __builtin_add_overflow(length, array->shape[axis], &length)) {
            return -1;
        }
    }
    return length;
}

static int
copy_parts(struct array *result, PyObject *arrays, int axis)
{
    npy_intp at = 0;

    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); i++) {
        struct array *array = (struct array *)PyTuple_GET_ITEM(arrays, i);
        struct part part;
        part_set(&part, result, axis, at, array->shape[axis]);
        at += array->shape[axis];
        if (array->size &&
            array_copy_same_dtype(&part.array, array, NULL) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Concatenates a tuple of arrays along `axis_or_null`, or along axis 0 if it
 * is NULL. Returns NULL with an exception on failure, or without an exception
 * if the fast path does not handle the arrays. */
static PyObject *
join(PyObject *arrays, PyObject *axis_or_null)
{
    struct array *first = (struct array *)PyTuple_GET_ITEM(arrays, 0);
    npy_intp shape[ARRAY_MAX_NDIM];
    int axis = 0;

    if (!array_is_own_class((PyObject *)first) || first->ndim == 0 ||
        !PyDataType_ELSIZE(first->dtype) ||
        !PyArray_ISNBO(first->dtype->byteorder) ||
        (axis_or_null && !axis_parse(axis_or_null, first->ndim, &axis))) {
        return NULL;
    }
    memcpy(shape, first->shape, (size_t)first->ndim * sizeof *shape);
    shape[axis] = joined_length(arrays, axis);
    if (shape[axis] < 0) {
        return NULL;
    }
    struct array *result =
        array_new_like(first, first->dtype, first->ndim, shape, NULL, NULL);
    /* The inputs are checked again, since the allocator is Python code, which
     * may have changed an input. */
    if (result && (!joins(result, first, axis) ||
                   joined_length(arrays, axis) != shape[axis] ||
                   copy_parts(result, arrays, axis) < 0)) {
        Py_CLEAR(result);
    }
    return (PyObject *)result;
}

/* --- stack ------------------------------------------------------------- */

/* Makes `part` a view of index `at` along an axis. The view does not have this
 * axis. */
static void
part_at(struct part *part, npy_intp *strides, const struct array *array,
        int axis, npy_intp at)
{
    int ndim = array->ndim - 1;

    part_set(part, array, axis, at, 1);
    for (int k = 0; k < ndim; k++) {
        part->shape[k] = array->shape[k + (k >= axis)];
        strides[k] = array->strides[k + (k >= axis)];
    }
    part->array.ndim = ndim;
    part->array.strides = strides;
    array_update(&part->array);
}

static int
all_alike(PyObject *arrays)
{
    const struct array *first =
        (const struct array *)PyTuple_GET_ITEM(arrays, 0);

    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); i++) {
        PyObject *object = PyTuple_GET_ITEM(arrays, i);
        if (!array_is_own_class(object) ||
            !joins(first, (const struct array *)object, -1)) {
            return 0;
        }
    }
    return 1;
}

static int
copy_layers(struct array *result, PyObject *arrays, int axis)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); i++) {
        struct array *array = (struct array *)PyTuple_GET_ITEM(arrays, i);
        npy_intp strides[ARRAY_MAX_NDIM];
        struct part part;
        part_at(&part, strides, result, axis, i);
        /* Compare the shapes and dtypes again: the allocator of the result is
         * Python code, which may have changed an input. */
        if (!joins(&part.array, array, -1)) {
            PyErr_SetString(PyExc_ValueError,
                            "an array changed while it was stacked");
            return -1;
        }
        if (array->size &&
            array_copy_same_dtype(&part.array, array, NULL) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Stacks a tuple of arrays along a new axis, or along a new axis 0 if the axis
 * is NULL. Returns NULL with an exception on failure, or without an exception
 * if the fast path does not handle the arrays. */
static PyObject *
stack(PyObject *arrays, PyObject *axis_or_null)
{
    struct array *first = (struct array *)PyTuple_GET_ITEM(arrays, 0);
    npy_intp shape[ARRAY_MAX_NDIM];
    int axis = 0;

    if (!all_alike(arrays) || first->ndim == ARRAY_MAX_NDIM ||
        !PyDataType_ELSIZE(first->dtype) ||
        !PyArray_ISNBO(first->dtype->byteorder) ||
        (axis_or_null && !axis_parse(axis_or_null, first->ndim + 1, &axis))) {
        return NULL;
    }
    for (int k = 0; k <= first->ndim; k++) {
        shape[k] = k == axis ? PyTuple_GET_SIZE(arrays)
                             : first->shape[k - (k > axis)];
    }
    struct array *result = array_new_like(first, first->dtype, first->ndim + 1,
                                          shape, NULL, NULL);
    if (result && copy_layers(result, arrays, axis) < 0) {
        Py_CLEAR(result);
    }
    return (PyObject *)result;
}

/* --- calls ------------------------------------------------------------- */

/* Calls join or stack for the arguments (arrays[, axis]). */
static PyObject *
of_arrays(PyObject *(*function)(PyObject *, PyObject *), PyObject *const *args,
          Py_ssize_t count, PyObject *axis)
{
    if (count < 1 || count + (axis != NULL) > 2 ||
        !(PyTuple_CheckExact(args[0]) || PyList_CheckExact(args[0]))) {
        return NULL;
    }
    /* A tuple, since an allocator, which is Python code, may change a list
     * during the call. */
    PyObject *arrays = PySequence_Tuple(args[0]);
    if (!arrays) {
        return NULL;
    }
    PyObject *result = PyTuple_GET_SIZE(arrays)
                           ? function(arrays, count == 2 ? args[1] : axis)
                           : NULL;
    Py_DECREF(arrays);
    return result;
}

/* Implements concatenate(arrays, axis=0). */
PyObject *
join_concatenate(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    return of_arrays(join, args, count, axis);
}

/* Implements stack(arrays, axis=0). */
PyObject *
join_stack(PyObject *const *args, Py_ssize_t count, PyObject *axis)
{
    return of_arrays(stack, args, count, axis);
}

/* --- roll -------------------------------------------------------------- */

/* Copies source[from:from + length] to target[to:to + length], both along
 * `axis`. The caller ensures that the arrays do not overlap. */
static int
move_indices(struct array *target, struct array *source, int axis, npy_intp to,
             npy_intp from, npy_intp length)
{
    struct part here, there;

    if (length == 0) {
        return 0;
    }
    part_set(&there, target, axis, to, length);
    part_set(&here, source, axis, from, length);
    return array_copy_same_dtype(&there.array, &here.array, NULL);
}

static int
roll_into(struct array *target, struct array *source, int axis, long shift)
{
    npy_intp length = source->shape[axis];
    npy_intp by = (npy_intp)shift % length;

    by += by < 0 ? length : 0;
    /* Copy the smaller part first: the device copies it while the host issues
     * the copy of the larger part. */
    int end_first = 2 * by <= length;
    for (int turn = 0; turn < 2; turn++) {
        int moved =
            turn != end_first
                ? move_indices(target, source, axis, 0, length - by, by)
                : move_indices(target, source, axis, by, 0, length - by);
        if (moved < 0) {
            return -1;
        }
    }
    return 0;
}

/* Implements roll(a, shift, axis=None). */
PyObject *
join_roll(PyObject *const *args, Py_ssize_t count, PyObject *axis_or_null)
{
    int axis = 0, overflow;

    if (count < 2 || count + (axis_or_null != NULL) > 3 ||
        !array_is_own_class(args[0]) || !PyLong_CheckExact(args[1])) {
        return NULL;
    }
    struct array *array = (struct array *)args[0];
    PyObject *given = count == 3 ? args[2] : axis_or_null;
    int flat = !given || given == Py_None;
    long shift = PyLong_AsLongAndOverflow(args[1], &overflow);
    if (overflow || array->size == 0 || array->ndim == 0 ||
        !PyDataType_ELSIZE(array->dtype) ||
        (flat ? !(array->flags & ARRAY_C)
              : !axis_parse(given, array->ndim, &axis))) {
        return NULL;
    }
    struct array *result = array_new_like(array, array->dtype, array->ndim,
                                          array->shape, NULL, NULL);
    if (!result) {
        return NULL;
    }
    /* if Python code in the allocator has changed `array`, decline the call */
    if (!joins(result, array, -1)) {
        Py_DECREF(result);
        return NULL;
    }
    struct array target = *result, source = *array;
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);
    if (flat) {
        target.ndim = source.ndim = 1;
        target.shape = source.shape = &source.size;
        target.strides = source.strides = &itemsize;
    }
    if (roll_into(&target, &source, axis, shift) < 0) {
        Py_CLEAR(result);
    }
    return (PyObject *)result;
}
