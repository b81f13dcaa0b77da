/* array.c - dimensions, memory and creation of arrays.
 *
 * An array owns its dimensions and references to its dtype, the owner of its
 * memory, its base, its allocator, and its attributes. The fields are
 * consistent whenever ARRAY_READY is set. array_type.c has the Python type.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/layout.h"
#include "array/numpy.h"
#include "array/type_codes.h"
#include "array/validation.h"
#include "core/core.h"
#include "core/python/locks.h"

PyTypeObject *array_type;
/* Strong reference; the function pycuda._driver.mem_alloc. */
static PyObject *default_allocator;
LEAF_LOCK(allocator_lock);
/* Borrowed; the module pycuda._driver, which exists until the process ends. */
static PyObject *driver_module;

/* Free list of array objects: each operation creates an array, and most are
 * soon freed. */
enum { MAX_SPARE = 16 };

static struct {
    /* Strong reference; the class of the objects in the free list: GPUArray,
     * after array_set_class was called. */
    PyTypeObject *type;
    int count;
    struct array *arrays[MAX_SPARE];
} spare;

/* --- dimensions -------------------------------------------------------- */

/* Makes shape and strides point to memory for ndim axes: inside the object, or
 * allocated if there are more than ARRAY_INLINE axes. Returns 0, or -1 with a
 * MemoryError. */
static inline int
dims_reserve(struct array *array, int ndim)
{
    if (ndim <= ARRAY_INLINE) {
        array->shape = array->inline_dims;
    } else {
        array->shape = PyMem_Calloc(2 * (size_t)ndim, sizeof(npy_intp));
        if (!array->shape) {
            PyErr_NoMemory();
            return -1;
        }
    }
    array->strides = array->shape + ndim;
    array->ndim = ndim;
    return 0;
}

/* Recomputes the size and the contiguity flags from shape, strides and
 * dtype. */
void
array_update(struct array *array)
{
    array->size = layout_size(array->ndim, array->shape);
    array->flags = (array->flags & ~(unsigned)ARRAY_FORC) |
                   layout_flags(array->ndim, array->shape, array->strides,
                                PyDataType_ELSIZE(array->dtype));
}

int
array_set_dims(struct array *array, int ndim, const npy_intp *shape,
               const npy_intp *strides)
{
    npy_intp keep[2 * ARRAY_MAX_NDIM];

    npy_intp *old = array->shape;

    memcpy(keep, shape, (size_t)ndim * sizeof *shape);
    memcpy(keep + ndim, strides, (size_t)ndim * sizeof *strides);
    if (dims_reserve(array, ndim) < 0) {
        array->shape = old;
        return -1;
    }
    if (old != array->inline_dims) {
        PyMem_Free(old);
    }
    memcpy(array->shape, keep, 2 * (size_t)ndim * sizeof *keep);
    array_update(array);
    return 0;
}

/* --- memory ------------------------------------------------------------ */

PyObject *
array_default_allocator(void)
{
    if (!READ_SHARED(default_allocator)) {
        PyObject *allocator =
            PyObject_GetAttrString(driver_module, "mem_alloc");
        LEAF_BEGIN(allocator_lock);
        if (!default_allocator) {
            WRITE_SHARED(default_allocator, allocator);
            allocator = NULL;
        }
        LEAF_END(allocator_lock);
        Py_XDECREF(allocator);
    }
    return READ_SHARED(default_allocator);
}

/* Allocates size * itemsize bytes from the array's allocator, for use in
 * `stream`. Returns 0, or -1 with an exception. */
int
array_allocate_memory(struct array *array, CUstream stream)
{
    Py_ssize_t bytes = array->size * PyDataType_ELSIZE(array->dtype);

    array->head.pointer = 0;
    if (bytes == 0) {
        return 0;
    }
    if (!array->allocator) {
        array->head.owner = core_allocate((size_t)bytes, stream);
        if (!array->head.owner) {
            return -1;
        }
        array->head.pointer = core_allocation_pointer(array->head.owner);
        return 0;
    }
    PyObject *count = PyLong_FromSsize_t(bytes);
    if (!count) {
        return -1;
    }
    PyObject *allocator = Py_NewRef(array->allocator);
    PyObject *owner = PyObject_CallOneArg(allocator, count);
    CUdeviceptr pointer;
    Py_DECREF(allocator);
    Py_DECREF(count);
    if (!owner || core_pointer(owner, &pointer) < 0 ||
        core_check_extent(owner, pointer, 0, bytes) < 0) {
        Py_XDECREF(owner);
        return -1;
    }
    Py_XSETREF(array->head.owner, owner);
    array->head.pointer = pointer;
    return 0;
}

#ifdef Py_GIL_DISABLED

/* In free-threaded Python this file keeps no free list, since Python's
 * allocator has a free list for each thread. Allocates an array object. */
static inline struct array *
free_list_pop(void)
{
    return (struct array *)spare.type->tp_alloc(spare.type, 0);
}

static inline bool
free_list_has(const PyTypeObject *type)
{
    return LIKELY(type == spare.type);
}

#else

/* Takes an object from the free list. The caller ensures that the list is not
 * empty, and sets all fields that are not set here. Objects in the list own
 * nothing (see array_dealloc). */
static inline struct array *
free_list_pop(void)
{
    struct array *array = spare.arrays[--spare.count];
    array->head.pointer = 0;
    array->size = 0;
    array->flags = 0;
    core_object_revive((PyObject *)array);
    PyObject_GC_Track(array);
    return array;
}

/* Returns whether the free list has an object of this type. */
static inline bool
free_list_has(const PyTypeObject *type)
{
    return LIKELY(type == spare.type && spare.count > 0);
}

#endif

static inline struct array *
object_allocate(PyTypeObject *type)
{
    return free_list_has(type) ? free_list_pop()
                               : (struct array *)type->tp_alloc(type, 0);
}

/* Frees an object, or adds it to the free list. Objects with a finalizer are
 * never reused, since a finalizer runs once per object. */
void
array_free_object(PyTypeObject *type, struct array *array)
{
#ifndef Py_GIL_DISABLED
    if (LIKELY(type == spare.type && !type->tp_finalize &&
               spare.count < MAX_SPARE)) {
        spare.arrays[spare.count++] = array;
        return;
    }
#endif
    type->tp_free(array);
}

/* Creates an array of `type` without memory. The caller sets the dimensions;
 * all other fields are zero. Returns NULL with an exception on failure. */
struct array *
array_alloc(PyTypeObject *type, int ndim)
{
    struct array *array = object_allocate(type);

    if (array && dims_reserve(array, ndim) < 0) {
        Py_CLEAR(array);
    }
    return array;
}

/* Creates a view with ndim axes. The caller sets shape and strides, sets
 * head.pointer to the view's first element, and then calls
 * array_view_finish. */
struct array *
array_view(struct array *base, int ndim)
{
    struct array *view = array_alloc(Py_TYPE(base), ndim);

    if (!view) {
        return NULL;
    }
    view->head.pointer = base->head.pointer;
    view->head.owner = Py_XNewRef(base->head.owner);
    view->dtype = (PyArray_Descr *)Py_NewRef(base->dtype);
    view->base = Py_NewRef(base);
    view->allocator = Py_XNewRef(base->allocator);
    view->flags = ARRAY_OFFSET | ARRAY_READY;
    return view;
}

/* Completes a view whose shape and strides are set: computes its size and
 * flags. */
void
array_view_finish(struct array *view)
{
    array_update(view);
    if (view->size == 0) {
        view->head.pointer = 0;
    }
}

/* Returns a new reference to the method _new_like_me of the class of `model`
 * if a Python subclass overrides the method. Otherwise returns NULL, with an
 * exception on failure. */
static PyObject *
overridden_new_like(struct array *model)
{
    PyTypeObject *type = Py_TYPE(model);
    PyObject *own, *ours;

    if (type == array_type || type->tp_base == array_type) {
        return NULL;
    }
    own = PyObject_GetAttrString((PyObject *)type, "_new_like_me");
    ours = PyObject_GetAttrString((PyObject *)array_type, "_new_like_me");
    if (own == ours) {
        Py_CLEAR(own);
    }
    Py_XDECREF(ours);
    return own;
}

/* Calls the _new_like_me of a subclass and checks the shape and dtype of the
 * result, since a kernel will write as many elements as the model has.
 * Releases the reference to the method. */
static struct array *
call_new_like(PyObject *method, struct array *model, PyArray_Descr *dtype,
              const npy_intp *shape)
{
    /* Copy of `shape` for the comparison after the call: `shape` may point
     * into `model`, and the Python method may change the model's shape. */
    npy_intp keep[ARRAY_MAX_NDIM];
    int ndim = model->ndim;
    size_t bytes = (size_t)ndim * sizeof *shape;

    if (ndim > 0) {
        memcpy(keep, shape, bytes);
    }
    PyObject *result = PyObject_CallFunctionObjArgs(method, (PyObject *)model,
                                                    (PyObject *)dtype, NULL);
    struct array *array = (struct array *)result;
    Py_DECREF(method);
    if (result && (!array_check(result) || array->ndim != ndim ||
                   memcmp(array->shape, keep, bytes) ||
                   !type_code_equal(array->dtype, dtype))) {
        PyErr_Format(PyExc_TypeError,
                     "_new_like_me must return a GPUArray of the shape of "
                     "self and of dtype %S",
                     dtype);
        Py_CLEAR(result);
    }
    return (struct array *)result;
}

/* Creates an array with memory from the allocator; NULL means the default
 * allocator. `strides` NULL means C order. */
static struct array *
array_create(PyTypeObject *type, PyObject *allocator, PyArray_Descr *dtype,
             int ndim, const npy_intp *shape, const npy_intp *strides,
             CUstream stream)
{
    npy_intp itemsize = PyDataType_ELSIZE(dtype);

    if (array_verify_dtype(dtype) < 0 ||
        array_verify_shape(ndim, shape, itemsize) < 0) {
        return NULL;
    }
    struct array *array = array_alloc(type, ndim);
    if (!array) {
        return NULL;
    }
    array->dtype = (PyArray_Descr *)Py_NewRef(dtype);
    array->allocator = Py_XNewRef(allocator);
    array->flags = ARRAY_READY;
    /* If there are no axes, `shape` may be NULL, which memcpy does not
     * allow. */
    if (ndim > 0) {
        memcpy(array->shape, shape, (size_t)ndim * sizeof *shape);
    }
    if (strides && ndim > 0) {
        memcpy(array->strides, strides, (size_t)ndim * sizeof *strides);
    } else {
        layout_pack(ndim, shape, itemsize, 'C', array->strides);
    }
    array_update(array);
    if (array_allocate_memory(array, stream) < 0) {
        Py_CLEAR(array);
    }
    return array;
}

/* Creates an array of the class of `model`, with memory from `allocator`; NULL
 * means the default allocator. `strides` NULL means C order. */
struct array *
array_new_like_from(struct array *model, PyObject *allocator,
                    PyArray_Descr *dtype, int ndim, const npy_intp *shape,
                    const npy_intp *strides, CUstream stream)
{
    if (ndim == model->ndim &&
        (ndim == 0 || /* `shape` may be NULL if ndim is 0 */
         memcmp(shape, model->shape, (size_t)ndim * sizeof *shape) == 0)) {
        PyObject *method = overridden_new_like(model);
        if (method) {
            return call_new_like(method, model, dtype, shape);
        }
        PyErr_Clear();
    }
    return array_create(Py_TYPE(model), allocator, dtype, ndim, shape, strides,
                        stream);
}

/* Creates an array with the class and the allocator of `model`. `strides` NULL
 * means C order. */
struct array *
array_new_like(struct array *model, PyArray_Descr *dtype, int ndim,
               const npy_intp *shape, const npy_intp *strides, CUstream stream)
{
    return array_new_like_from(model, model->allocator, dtype, ndim, shape,
                               strides, stream);
}

/* Creates a C-contiguous GPUArray with memory from the default allocator. */
struct array *
array_new_contiguous(PyArray_Descr *dtype, int ndim, const npy_intp *shape)
{
    if (!spare.type) {
        PyErr_SetString(PyExc_RuntimeError, "import pycuda.gpuarray first");
        return NULL;
    }
    return array_create(spare.type, NULL, dtype, ndim, shape, NULL, NULL);
}

/* Sets all fields of a C-contiguous result except the memory. The result has
 * the shape of the model, or no axes if `ndim` is 0. */
static inline void
result_begin(struct array *array, const struct array *model, int ndim,
             PyArray_Descr *dtype)
{
    npy_intp step = PyDataType_ELSIZE(dtype);

    for (int axis = ndim - 1; axis >= 0; axis--) {
        array->shape[axis] = model->shape[axis];
        array->strides[axis] = step;
        step *= model->shape[axis];
    }
    array->size = ndim > 0 ? model->size : 1;
    array->dtype = (PyArray_Descr *)Py_NewRef(dtype);
    array->flags =
        ARRAY_READY | (ndim > 0 ? model->flags & ARRAY_FORC : ARRAY_FORC);
}

/* Creates a C-contiguous result with the shape of `model`, or without axes if
 * `ndim` is 0, for a kernel on `stream`. Takes the memory from free blocks of
 * the context's pool. Runs no Python code and holds the GIL throughout.
 * Returns NULL without an exception if the result needs other memory or Python
 * code. */
struct array *
array_new_fast(struct array *model, int ndim, PyArray_Descr *dtype,
               struct core_context *context, CUstream stream)
{
    npy_intp bytes = PyDataType_ELSIZE(dtype) * (ndim > 0 ? model->size : 1);

    if (UNLIKELY(!free_list_has(Py_TYPE(model)) || ndim > ARRAY_INLINE ||
                 model->allocator)) {
        return NULL;
    }
    PyObject *owner = core_allocate_fast(context, (size_t)bytes, stream);
    if (UNLIKELY(!owner)) {
        return NULL;
    }
    struct array *array = free_list_pop();
#ifdef Py_GIL_DISABLED
    if (UNLIKELY(!array)) {
        Py_DECREF(owner);
        PyErr_Clear();
        return NULL;
    }
#endif
    dims_reserve(array, ndim);
    result_begin(array, model, ndim, dtype);
    array->head.owner = owner;
    array->head.pointer = core_allocation_pointer(owner);
    return array;
}

/* Creates a C-contiguous result with the shape of `model`, or without axes if
 * `ndim` is 0, for a kernel on `stream`. May run Python code or release the
 * GIL. Returns NULL with an exception on failure. */
struct array *
array_new_slow(struct array *model, int ndim, PyArray_Descr *dtype,
               struct core_context *context, CUstream stream)
{
    struct array *array = object_allocate(Py_TYPE(model));

    if (!array || dims_reserve(array, ndim) < 0) {
        Py_XDECREF(array);
        return NULL;
    }
    result_begin(array, model, ndim, dtype);
    if (model->allocator) {
        array->allocator = Py_NewRef(model->allocator);
        if (array_allocate_memory(array, stream) < 0) {
            Py_CLEAR(array);
        }
        return array;
    }
    size_t bytes = (size_t)(array->size * PyDataType_ELSIZE(dtype));
    array->head.owner = core_allocate_in(context, bytes, stream);
    if (!array->head.owner) {
        Py_DECREF(array);
        return NULL;
    }
    array->head.pointer = core_allocation_pointer(array->head.owner);
    return array;
}

/* Returns true if the address of an element is not a multiple of the type's
 * alignment, so that kernels cannot load the elements directly. Examples are
 * fields of packed records and views of byte arrays. */
int
array_misaligned(const struct array *array)
{
    CUdeviceptr bits = array->head.pointer;

    for (int axis = 0; axis < array->ndim; axis++) {
        bits |= array->shape[axis] > 1 ? (CUdeviceptr)array->strides[axis] : 0;
    }
    return (bits & ((CUdeviceptr)PyDataType_ALIGNMENT(array->dtype) - 1)) != 0;
}

/* Selects the class whose freed objects are reused, and frees the objects of
 * the class that was selected before. */
void
array_reuse_class(PyTypeObject *type)
{
    PyTypeObject *old = spare.type;

    while (spare.count > 0) {
        old->tp_free(spare.arrays[--spare.count]);
    }
    spare.type = (PyTypeObject *)Py_NewRef(type);
    Py_XDECREF(old);
}

/* Registers the class ArrayBase and the module pycuda._driver. */
void
array_set_type(PyTypeObject *type, PyObject *module)
{
    array_type = type;
    driver_module = module;
}

/* Checks strides that a program assigned: all elements must be in the address
 * space and inside the array's own allocation. Returns 0, or -1 with a
 * ValueError. */
int
array_verify_strides(const struct array *array, int ndim,
                     const npy_intp *shape, const npy_intp *strides)
{
    npy_intp low, high;

    if (array_verify_reach(ndim, shape, strides,
                           PyDataType_ELSIZE(array->dtype), &low, &high) < 0) {
        return -1;
    }
    if (layout_size(ndim, shape) == 0 || !array->head.owner) {
        return 0;
    }
    return core_check_extent(array->head.owner, array->head.pointer, low,
                             high);
}

static int
shape_refuse(PyObject *object)
{
    PyErr_Format(PyExc_AssertionError,
                 "shape must be an integer or a sequence of integers, not %R",
                 object);
    return -1;
}

static int
shape_entry(PyObject *object, npy_intp *value)
{
    if (PyFloat_Check(object) || PyArray_IsScalar(object, Floating) ||
        !PyIndex_Check(object)) {
        return shape_refuse(object);
    }
    *value = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Parses an integer or an iterable of integers into `shape`. Returns the
 * number of axes, or -1 with an exception. */
int
array_parse_shape(PyObject *object, npy_intp *shape)
{
    if (PyArray_Check(object)
            ? PyArray_NDIM((PyArrayObject *)object) == 0
            : PyIndex_Check(object) && !array_check(object)) {
        return shape_entry(object, shape) < 0 ? -1 : 1;
    }
    if (PyUnicode_Check(object) || PyBytes_Check(object)) {
        return shape_refuse(object);
    }
    /* Copy the items to a tuple: their __index__ methods, which run below,
     * could change a list. */
    PyObject *items = PySequence_Tuple(object);
    if (!items) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
            /* the exception came from the iterable and is passed on */
            return -1;
        }
        PyErr_Clear();
        return shape_refuse(object);
    }
    Py_ssize_t n = PyTuple_GET_SIZE(items);
    if (n > ARRAY_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "an array has at most %d axes, not %zd",
                     ARRAY_MAX_NDIM, n);
        n = -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (shape_entry(PyTuple_GET_ITEM(items, i), &shape[i]) < 0) {
            n = -1;
        }
    }
    Py_DECREF(items);
    return (int)n;
}
