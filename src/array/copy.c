/* copy.c - copies between any two layouts on the device.
 *
 * Arrays of the same dtype are copied by raw_copy.c. Between arrays of
 * different dtypes, the element-wise operation "copy" copies and casts.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/copy.h"
#include "array/elementwise_operation.h"
#include "array/elementwise_task.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "array/raw_copy.h"
#include "array/type_codes.h"
#include "array/validation.h"
#include "core/core.h"

static int
check_shapes(const struct array *target, const struct array *source)
{
    int ndim = target->ndim;
    npy_intp shape[ARRAY_MAX_NDIM];

    memcpy(shape, target->shape, (size_t)ndim * sizeof *shape);
    if (layout_broadcast(&ndim, shape, source->ndim, source->shape) == 0 &&
        ndim == target->ndim &&
        !memcmp(shape, target->shape, (size_t)ndim * sizeof *shape)) {
        return 0;
    }
    PyObject *to = array_tuple(target->ndim, target->shape);
    PyObject *from = array_tuple(source->ndim, source->shape);
    PyErr_Format(PyExc_ValueError,
                 "src and dst must be same shape, or broadcast: src %S, dst "
                 "%S",
                 from, to);
    Py_XDECREF(to);
    Py_XDECREF(from);
    return -1;
}

/* Returns whether the source has more axes than the target and all extra axes
 * have length 1. */
static bool
has_leading_ones(const struct array *target, const struct array *source)
{
    for (int axis = 0; axis < source->ndim - target->ndim; axis++) {
        if (source->shape[axis] != 1) {
            return false;
        }
    }
    return source->ndim > target->ndim;
}

/* Copies from a view of the source without its extra leading axes. Returns 0,
 * or -1 with an exception. */
static int
copy_last_axes(struct array *target, struct array *source, CUstream stream)
{
    int extra = source->ndim - target->ndim;
    size_t bytes = (size_t)target->ndim * sizeof *source->shape;
    struct array *view = array_view(source, target->ndim);

    if (!view) {
        return -1;
    }
    memcpy(view->shape, source->shape + extra, bytes);
    memcpy(view->strides, source->strides + extra, bytes);
    array_view_finish(view);
    int done = array_copy_into(target, view, stream);
    Py_DECREF(view);
    return done;
}

/* Slow path of array_copy_into: copies whose launch is not in the cache. */
static __attribute__((noinline)) int
copy_first(struct array *target, struct array *source, CUstream stream)
{
    if (has_leading_ones(target, source)) {
        return copy_last_axes(target, source, stream);
    }
    if (check_shapes(target, source) < 0) {
        return -1;
    }
    if (target->size == 0 || PyDataType_ELSIZE(target->dtype) == 0) {
        return 0;
    }
    if (type_code_equal(target->dtype, source->dtype)) {
        return array_copy_same_dtype(target, source, stream);
    }
    PyObject *object = (PyObject *)source;
    PyObject *result =
        array_apply(OPERATION_COPY, 1, &object, target, NULL, stream);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* Performs target[...] = source with broadcasting and casting. Asynchronous in
 * `stream`. Returns 0, or -1 with an exception. */
int
array_copy_into(struct array *target, struct array *source, CUstream stream)
{
    int done = cached_copy_run(target, source, stream);

    if (UNLIKELY(done == 0)) {
        return copy_first(target, source, stream);
    }
    return done < 0 ? -1 : 0;
}
