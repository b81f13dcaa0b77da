/* change.c - changes of arrays that other threads may read.
 *
 * Called by the constructor and by the setters of attributes. A change is made
 * in a draft, a copy of the array's fields, while other threads read the
 * array. Then the draft is exchanged with the array's fields. The array's
 * former references and memory are released last, since their release may run
 * Python code.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/change.h"
#include "array/numpy.h"
#include "core/core.h"
#include "core/python/locks.h"

/* Releases the references and the dimensions that a draft owns. A draft is a
 * copy of an array's fields in which a change is prepared. */
static void
draft_release(struct array *draft)
{
    array_release_dims(draft);
    Py_CLEAR(draft->dtype);
    Py_CLEAR(draft->head.owner);
}

/* Copies the fields of an array to a draft, which is a set of fields that will
 * replace those of the array. On failure the draft has no references and no
 * memory to free. */
static int
draft_copy(struct array *draft, const struct array *array)
{
    size_t bytes = 2 * (size_t)array->ndim * sizeof *array->shape;

    draft->shape = draft->inline_dims;
    if (array->ndim > ARRAY_INLINE &&
        (draft->shape = PyMem_Malloc(bytes)) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(draft->shape, array->shape, bytes);
    draft->ndim = array->ndim;
    draft->strides = draft->shape + array->ndim;
    draft->dtype = (PyArray_Descr *)Py_NewRef(array->dtype);
    draft->head.pointer = array->head.pointer;
    draft->head.owner = Py_XNewRef(array->head.owner);
    draft->size = array->size;
    draft->flags = array->flags;
    return 0;
}

static bool
draft_equals(const struct array *draft, const struct array *array)
{
    return draft->head.pointer == array->head.pointer &&
           draft->head.owner == array->head.owner &&
           draft->size == array->size && draft->flags == array->flags &&
           draft->dtype == array->dtype && draft->ndim == array->ndim &&
           memcmp(draft->shape, array->shape,
                  2 * (size_t)array->ndim * sizeof *array->shape) == 0;
}

#define SWAP(type, a, b)                                                      \
    do {                                                                      \
        type swapped = (a);                                                   \
        (a) = (b);                                                            \
        (b) = swapped;                                                        \
    } while (0)

static void
dims_swap(struct array *a, struct array *b)
{
    bool a_inline = a->shape == a->inline_dims;
    bool b_inline = b->shape == b->inline_dims;

    for (int i = 0; i < 2 * ARRAY_INLINE; i++) {
        SWAP(npy_intp, a->inline_dims[i], b->inline_dims[i]);
    }
    SWAP(npy_intp *, a->shape, b->shape);
    SWAP(int, a->ndim, b->ndim);
    if (b_inline) {
        a->shape = a->inline_dims;
    }
    if (a_inline) {
        b->shape = b->inline_dims;
    }
    a->strides = a->shape + a->ndim;
    b->strides = b->shape + b->ndim;
}

/* Exchanges the fields of two structs, each of which is an array or a draft (a
 * copy of an array's fields). */
static void
draft_swap(struct array *a, struct array *b)
{
    SWAP(CUdeviceptr, a->head.pointer, b->head.pointer);
    SWAP(PyObject *, a->head.owner, b->head.owner);
    SWAP(Py_ssize_t, a->size, b->size);
    SWAP(unsigned, a->flags, b->flags);
    SWAP(PyArray_Descr *, a->dtype, b->dtype);
    dims_swap(a, b);
}

int
array_change(struct array *array,
             int (*edit)(struct array *draft, const void *value),
             const void *value)
{
    struct array before, after;
    bool changed;

    do {
        if (draft_copy(&before, array) < 0) {
            return -1;
        }
        if (draft_copy(&after, &before) < 0) {
            draft_release(&before);
            return -1;
        }
        int status = edit(&after, value);
        if (status == 0) {
            PyThreadState *thread = core_calls_stop();
            changed = draft_equals(&before, array);
            if (changed) {
                draft_swap(array, &after);
            }
            core_calls_resume(thread);
        }
        draft_release(&before);
        draft_release(&after);
        if (status < 0) {
            return -1;
        }
    } while (!changed);
    return 0;
}

void
array_exchange(struct array *a, struct array *b)
{
    PyThreadState *thread = core_calls_stop();

    draft_swap(a, b);
    SWAP(PyObject *, a->base, b->base);
    SWAP(PyObject *, a->allocator, b->allocator);
    core_calls_resume(thread);
}

void
array_set_reference(PyObject **field, PyObject *value)
{
    Py_XINCREF(value);
    PyThreadState *thread = core_calls_stop();

    SWAP(PyObject *, *field, value);
    core_calls_resume(thread);
    Py_XDECREF(value);
}
