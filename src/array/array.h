/* array.h - the array object: its fields, its memory and its class.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted. The GIL protects all tables and caches of
 * src/array. Strides are signed and in bytes. Sizes are numbers of elements,
 * unless their name contains "bytes".
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ARRAY_H
#define PYCUDA_ARRAY_ARRAY_H

#include "array/layout.h"
#include "array/numpy.h"
#include "core/core.h"

/* Maximum number of axes of an array whose shape and strides are stored in the
 * array object itself. */
#define ARRAY_INLINE 4

struct array {
    struct core_array_head head;
    PyArray_Descr *dtype; /* strong reference */
    Py_ssize_t size;      /* number of elements */
    int ndim;
    unsigned flags; /* bits of enum array_flags */
    /* lengths of the `ndim` axes, in inline_dims or in memory from
     * PyMem_Malloc */
    npy_intp *shape;
    /* strides in bytes of the `ndim` axes, in the same memory as `shape`,
     * directly after the lengths */
    npy_intp *strides;
    /* strong reference; the array whose memory a view shows, or NULL */
    PyObject *base;
    PyObject *allocator; /* strong reference; NULL: the default allocator */
    PyObject *dict;      /* strong reference; instance attributes, or NULL */
    PyObject *weakrefs;  /* weak references to the array; managed by Python */
    npy_intp inline_dims[2 * ARRAY_INLINE];
};

_Static_assert(offsetof(struct array, dtype) == sizeof(struct core_array_head),
               "core_array_dtype expects the dtype after the head");

extern PyTypeObject *array_type; /* the class ArrayBase; strong reference */

/* Returns whether the object is an array. Never fails. */
static inline int
array_check(PyObject *object)
{
    return LIKELY(Py_TYPE(object)->tp_base == array_type) ||
           PyObject_TypeCheck(object, array_type);
}

/* Returns whether the array is initialized and its class is GPUArray or
 * another direct subclass of ArrayBase. Other classes may override methods
 * that create results, so fast paths decline their arrays. */
static inline int
array_is_own_class(PyObject *object)
{
    return Py_TYPE(object)->tp_base == array_type &&
           ((struct array *)object)->flags & ARRAY_READY;
}

/* Returns whether two arrays, neither of them empty, have the same shape.
 * Compares sizes and all lengths but the last, which follows from the size. */
static inline bool
array_same_shape(const struct array *a, const struct array *b)
{
    if (a->size != b->size || a->ndim != b->ndim) {
        return false;
    }
    for (int axis = 0; axis < a->ndim - 1; axis++) {
        if (a->shape[axis] != b->shape[axis]) {
            return false;
        }
    }
    return true;
}

/* Creates an array of `type` without memory. The caller sets shape and
 * strides; the other fields are zero. */
struct array *array_alloc(PyTypeObject *type, int ndim);
/* Creates a view of `base` with ndim axes. The caller fills shape and strides,
 * sets head.pointer to the view's first element, and then calls
 * array_view_finish. */
struct array *array_view(struct array *base, int ndim);
/* Completes a view whose shape and strides are set: computes its size and
 * flags. */
void array_view_finish(struct array *view);
/* Creates an array with the class and the allocator of `model`, for use in
 * `stream`. If the class overrides _new_like_me and `shape` is the model's
 * shape, calls that method instead. If `strides` is NULL, the array has C
 * order. May run Python code. */
struct array *array_new_like(struct array *model, PyArray_Descr *dtype,
                             int ndim, const npy_intp *shape,
                             const npy_intp *strides, CUstream stream);
/* Creates an array like array_new_like, but with memory from `allocator`, or
 * from the default allocator if `allocator` is NULL. A class that overrides
 * _new_like_me allocates the memory itself, and `allocator` is not used. */
struct array *array_new_like_from(struct array *model, PyObject *allocator,
                                  PyArray_Descr *dtype, int ndim,
                                  const npy_intp *shape,
                                  const npy_intp *strides, CUstream stream);
/* Creates a C-contiguous GPUArray with memory from the default allocator. */
struct array *array_new_contiguous(PyArray_Descr *dtype, int ndim,
                                   const npy_intp *shape);
/* Creates the C-contiguous result of a kernel on `stream`. Its class and
 * allocator are those of `model`, a C-contiguous array for which
 * array_is_own_class is true; it has the model's shape, or no axes if `ndim`
 * is 0. The context and the stream are those that core_current_with_stream
 * returned. May run Python code and release the GIL. */
struct array *array_new_slow(struct array *model, int ndim,
                             PyArray_Descr *dtype,
                             struct core_context *context, CUstream stream);
/* Fast path of array_new_slow: creates the result from free memory of the
 * pool, without running Python code or releasing the GIL. Returns NULL without
 * an exception if this is not possible. */
struct array *array_new_fast(struct array *model, int ndim,
                             PyArray_Descr *dtype,
                             struct core_context *context, CUstream stream);
/* Allocates memory for the array's elements from its allocator, for use in
 * `stream`. The caller ensures that the array has no memory yet. May run
 * Python code. */
int array_allocate_memory(struct array *array, CUstream stream);
/* Frees the memory of shape and strides. */
static inline void
array_release_dims(struct array *array)
{
    if (array->shape && array->shape != array->inline_dims) {
        PyMem_Free(array->shape);
    }
    array->shape = NULL;
}
/* Frees an array object whose fields were released, or adds it to the free
 * list. */
void array_free_object(PyTypeObject *type, struct array *array);
/* Selects the class whose freed objects are reused, and holds a strong
 * reference to it. */
void array_reuse_class(PyTypeObject *type);
/* Registers the class ArrayBase (strong reference) and the module
 * pycuda._driver (borrowed reference). */
void array_set_type(PyTypeObject *type, PyObject *module);
/* Recomputes size and contiguity from shape, strides and dtype. */
void array_update(struct array *array);
/* Sets shape and strides, which are copied, and recomputes the size and the
 * flags. The array is unchanged on failure. */
int array_set_dims(struct array *array, int ndim, const npy_intp *shape,
                   const npy_intp *strides);
/* Returns pycuda._driver.mem_alloc, a borrowed reference. */
PyObject *array_default_allocator(void);
/* Returns true if the address of an element is not a multiple of the dtype's
 * alignment, so that kernels cannot load the elements directly. Never
 * fails. */
int array_misaligned(const struct array *array);
/* Raises ValueError if an element would be outside the memory of the array's
 * owner. */
int array_verify_strides(const struct array *array, int ndim,
                         const npy_intp *shape, const npy_intp *strides);
/* Parses an int or an iterable of ints into at most ARRAY_MAX_NDIM entries.
 * Returns the number of entries, or -1 with an exception. */
int array_parse_shape(PyObject *object, npy_intp *shape);

#endif
