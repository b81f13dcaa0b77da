/* raw_copy.c - copies between arrays of the same dtype.
 *
 * If both arrays have the same contiguous layout, the driver copies their
 * memory as one block. Otherwise a kernel copies the elements in units of 1 to
 * 16 bytes, independent of the dtype.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/elementwise_task.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/operation_table.h"
#include "array/raw_copy.h"
#include "core/core.h"

/* Returns the largest power of two up to 16 that divides the item size, both
 * addresses and all strides. */
static npy_intp
common_unit(const struct array *target, const struct array *source)
{
    uint64_t bits = (uint64_t)PyDataType_ELSIZE(target->dtype) | 16;

    bits |= target->head.pointer | source->head.pointer;
    for (int axis = 0; axis < target->ndim; axis++) {
        bits |= (uint64_t)target->strides[axis];
    }
    for (int axis = 0; axis < source->ndim; axis++) {
        bits |= (uint64_t)source->strides[axis];
    }
    return (npy_intp)(bits & (~bits + 1));
}

/* Returns the type code of the integer or complex type with `unit` bytes. The
 * kernel copies elements as this type. */
static int
unit_code(npy_intp unit)
{
    switch (unit) {
    case 1:
        return NPY_UBYTE;
    case 2:
        return NPY_USHORT;
    case 4:
        return NPY_UINT;
    case 8:
        return NPY_ULONGLONG;
    default:
        return NPY_CDOUBLE;
    }
}

static void
raw_types(struct elementwise_task *task, npy_intp unit)
{
    int code = unit_code(unit);

    task->operation = OPERATION_COPY;
    task->inputs = 1;
    task->scalar[0] = 0;
    task->code[0] = task->loop[0] = task->result = task->out = code;
    task->itemsize[0] = task->itemsize[1] = unit;
    task->dense = 0;
}

/* Adds an innermost axis over the units of an element, if an element has
 * several units. A unit is the word of 1 to 16 bytes that a thread copies at
 * once. */
static void
raw_split(struct layout *layout, npy_intp units, npy_intp unit)
{
    int axis = layout->ndim;

    if (units == 1) {
        return;
    }
    layout->shape[axis] = units;
    layout->strides[0][axis] = layout->strides[1][axis] = unit;
    layout->size *= units;
    layout->ndim++;
}

/* Address, item size, shape and strides of an array. */
struct identity {
    CUdeviceptr pointer;
    npy_intp itemsize;
    int ndim;
    npy_intp dims[2 * ARRAY_MAX_NDIM];
};

static void
identity_set(struct identity *identity, const struct array *array)
{
    identity->pointer = array->head.pointer;
    identity->itemsize = PyDataType_ELSIZE(array->dtype);
    identity->ndim = array->ndim;
    memcpy(identity->dims, array->shape,
           2 * (size_t)array->ndim * sizeof *array->shape);
}

static bool
identity_is(const struct identity *identity, const struct array *array)
{
    return identity->pointer == array->head.pointer &&
           identity->itemsize == PyDataType_ELSIZE(array->dtype) &&
           identity->ndim == array->ndim &&
           memcmp(identity->dims, array->shape,
                  2 * (size_t)array->ndim * sizeof *array->shape) == 0;
}

/* Copies elements of the same dtype by a kernel. */
static int
copy_raw(struct array *target, struct array *source, CUstream stream)
{
    struct elementwise_task task;
    struct layout *layout = &task.layout;
    npy_intp itemsize = PyDataType_ELSIZE(target->dtype);
    npy_intp unit = common_unit(target, source);

    if (target->ndim == ARRAY_MAX_NDIM && unit != itemsize) {
        PyErr_SetString(PyExc_ValueError, "too many axes for this copy");
        return -1;
    }
    raw_types(&task, unit);
    layout->operands = 2;
    layout->ndim = target->ndim;
    layout->size = target->size;
    memcpy(layout->shape, target->shape,
           (size_t)target->ndim * sizeof *target->shape);
    layout_add(layout, 0, target->ndim, target->shape, target->strides);
    layout_add(layout, 1, source->ndim, source->shape, source->strides);
    raw_split(layout, itemsize / unit, unit);
    task.pointer[0] = target->head.pointer;
    task.pointer[1] = source->head.pointer;
    task.stream = stream;
    /* Describe both arrays before the launch: the launch may release the GIL,
     * and another thread may then set the attributes of an array. */
    struct identity to, from;
    identity_set(&to, target);
    identity_set(&from, source);
    int result = elementwise_task_run(&task);
    if (result == 0 && identity_is(&to, target) &&
        identity_is(&from, source)) {
        cached_copy_add(&task, target, source);
    }
    return result;
}

/* Returns whether both arrays have all elements in the same order in memory,
 * without gaps, so that one flat copy moves them. */
static int
same_layout(const struct array *a, const struct array *b)
{
    size_t bytes = (size_t)a->ndim * sizeof *a->shape;

    if (a->ndim != b->ndim || memcmp(a->shape, b->shape, bytes)) {
        return 0;
    }
    return (a->flags & b->flags & ARRAY_FORC) ||
           (!memcmp(a->strides, b->strides, bytes) &&
            layout_contiguous(a->ndim, a->shape, a->strides,
                              PyDataType_ELSIZE(a->dtype)));
}

/* Returns whether the address ranges of two arrays overlap. */
static int
overlap(const struct array *a, const struct array *b)
{
    npy_intp low, high;
    CUdeviceptr a_first, a_end, b_first, b_end;

    layout_extent(a->ndim, a->shape, a->strides, PyDataType_ELSIZE(a->dtype),
                  &low, &high);
    a_first = a->head.pointer + (CUdeviceptr)low;
    a_end = a->head.pointer + (CUdeviceptr)high;
    layout_extent(b->ndim, b->shape, b->strides, PyDataType_ELSIZE(b->dtype),
                  &low, &high);
    b_first = b->head.pointer + (CUdeviceptr)low;
    b_end = b->head.pointer + (CUdeviceptr)high;
    return a_first < b_end && b_first < a_end;
}

/* Performs target[...] = source for arrays of the same dtype that have
 * elements. The caller ensures that the source broadcasts to the target. A
 * source that overlaps the target is copied first. Asynchronous in `stream`.
 * Returns 0, or -1 with an exception. */
int
array_copy_same_dtype(struct array *target, struct array *source,
                      CUstream stream)
{
    if (core_use_array(&target->head, stream) < 0 ||
        core_use_array(&source->head, stream) < 0) {
        return -1;
    }
    if (target->head.pointer == source->head.pointer &&
        same_layout(target, source)) {
        return 0;
    }
    if (overlap(target, source)) {
        struct array *apart = array_contiguous(source, 'K', stream);
        int result = apart ? array_copy_same_dtype(target, apart, stream) : -1;
        Py_XDECREF(apart);
        return result;
    }
    if (same_layout(target, source)) {
        size_t bytes =
            (size_t)(target->size * PyDataType_ELSIZE(target->dtype));
        return core_memcpy_dtod_async(target->head.pointer,
                                      source->head.pointer, bytes, stream);
    }
    return copy_raw(target, source, stream);
}

/* Allocates the output of a contiguous copy. */
static struct array *
contiguous_like(struct array *array, char order, CUstream stream)
{
    npy_intp strides[ARRAY_MAX_NDIM];
    npy_intp itemsize = PyDataType_ELSIZE(array->dtype);

    if (array->ndim == 1 && array->flags & ARRAY_C && array->size > 0 &&
        itemsize > 0 && array_is_own_class((PyObject *)array)) {
        void *key;
        struct core_context *context = core_current_with_stream(&key, &stream);
        return context
                   ? array_new_slow(array, 1, array->dtype, context, stream)
                   : NULL;
    }
    if (order == 'K') {
        layout_pack_like(array->ndim, array->shape, itemsize, array->strides,
                         strides);
    } else {
        layout_pack(array->ndim, array->shape, itemsize, order, strides);
    }
    return array_new_like(array, array->dtype, array->ndim, array->shape,
                          strides, stream);
}

/* Copies all elements; the arrays have the same shape and dtype. */
static int
copy_all(struct array *target, struct array *source, CUstream stream)
{
    int done = cached_copy_run(target, source, stream);

    if (LIKELY(done != 0)) {
        return done < 0 ? -1 : 0;
    }
    return target->size == 0 || PyDataType_ELSIZE(target->dtype) == 0
               ? 0
               : array_copy_same_dtype(target, source, stream);
}

/* Returns a contiguous copy, a new reference. Order 'C', 'F', or 'K' to keep
 * the order of the axes. */
struct array *
array_contiguous(struct array *array, char order, CUstream stream)
{
    struct array *copy = contiguous_like(array, order, stream);

    if (copy && copy_all(copy, array, stream) < 0) {
        Py_CLEAR(copy);
    }
    return copy;
}
